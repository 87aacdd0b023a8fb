"""The monotonicity abstraction of a task: facts, and the operators that make them hold."""
