"""The book to take home: each edition as a PDF and an EPUB, made from its built pages.

``python -m attnbook.sphinxext.books _build/html _build/books`` makes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import links

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, object]:
    """Register the directive that offers the books."""
    links.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
