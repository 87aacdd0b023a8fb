"""Whether some claims entail a predicate."""
