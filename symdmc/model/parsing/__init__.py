"""Text to expressions: the grammar, its syntax trees, and the names in them resolved."""
