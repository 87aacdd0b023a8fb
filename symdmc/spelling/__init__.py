"""How things are spelled on the command line and in Python: names, options, suggestions. Knows no domain."""
