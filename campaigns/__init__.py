"""Attacks on symdmc, to be run by hand or for hours; each is a command: `python -m campaigns.NAME --help`."""
