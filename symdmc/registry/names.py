"""The names of what can be chosen, for those who need not wait for the imports behind them."""

HEURISTICS = ("blind", "pdb")
COMBINATIONS = ("max", "sum")
LOOKUPS = ("flat", "layers")
