"""Modelling languages: text to systems, one module or group of modules for each language."""
