"""A task as one array of integers, and the machine that makes its steps."""
