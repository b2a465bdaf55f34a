"""Drawings of the book: they take arrays and return matplotlib Axes, or words about them."""

from attnbook.viz.descriptions import describe_map
from attnbook.viz.maps import attention_map
from attnbook.viz.steps import attention_steps
from attnbook.viz.style import use_book_style

__all__ = ["attention_map", "attention_steps", "describe_map", "use_book_style"]
