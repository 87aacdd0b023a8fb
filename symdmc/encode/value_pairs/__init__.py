"""Which pairs of values two variables can have at once."""
