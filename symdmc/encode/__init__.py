"""Task to decision diagrams: state sets, relations, images."""
