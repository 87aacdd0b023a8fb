"""Value analysis: the values that variables can take, and expressions evaluated in many states at once."""
