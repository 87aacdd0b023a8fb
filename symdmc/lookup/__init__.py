"""Flat look-up tables: the data format in which estimates reach the compiled searches."""
