"""Drawings of the book: they take arrays and return matplotlib Axes."""

from attnbook.viz.maps import attention_map
from attnbook.viz.style import use_book_style

__all__ = ["attention_map", "use_book_style"]
