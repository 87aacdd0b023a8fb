"""Modelling languages: text to systems, with one module or group of modules for each language."""
