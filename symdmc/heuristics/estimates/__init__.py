"""What heuristics are made of: tables, functions of a state, databases, and maxima of these."""
