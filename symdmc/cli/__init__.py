"""The commands: one module each, in which options become calls of the registry and values become reports."""
