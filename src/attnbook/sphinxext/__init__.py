"""Sphinx extensions of the book: each file is one extension, listed in ``conf.py``."""
