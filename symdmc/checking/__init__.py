"""A request read once, its plan, and the run that answers it: what the Python functions and the commands call."""
