"""Models described: what `show` prints, as JSON, as text and as a graph."""
