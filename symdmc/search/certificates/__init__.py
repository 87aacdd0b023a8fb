"""The certificate behind the verdict "safe" of a search."""
