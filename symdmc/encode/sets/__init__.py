"""Images, layers and reachable sets: what is computed with a relation."""
