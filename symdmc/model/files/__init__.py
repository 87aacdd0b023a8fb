"""The text forms of models and traces, and reading and writing files."""
