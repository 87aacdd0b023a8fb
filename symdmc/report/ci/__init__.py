"""Answers of `check` in the formats that build servers read."""
