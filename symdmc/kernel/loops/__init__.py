"""The compiled search loops and what they keep states in."""
