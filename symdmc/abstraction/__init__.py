"""Maps from a task to a smaller one that has at least its behaviour."""
