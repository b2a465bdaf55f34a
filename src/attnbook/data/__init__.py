"""Toy tasks by formula: a generator of random numbers goes in, arrays come out."""
