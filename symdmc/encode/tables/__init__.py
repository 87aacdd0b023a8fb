"""Between diagrams and tables of values."""
