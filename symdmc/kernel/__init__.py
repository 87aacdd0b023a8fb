"""Task to packed states and compiled search loops."""
