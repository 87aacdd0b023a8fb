"""Orders of the variables in decision diagrams."""
