"""One run: its limits, its clock, who is told of its progress, and the child processes that work for it."""
