"""An option in running text stays whole: a line that ends in its hyphen reads like another one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

SHORT_OPTION = re.compile(r'<span class="pre">(?=-[^<]{1,15}</span>)')
"""Where a word of code begins that begins with a hyphen and fits into a line of a phone."""


def visit_literal(self: HTML5Translator, node: nodes.literal) -> None:
    """Open inline code and remember where it begins."""
    node["begin"] = len(self.body)
    type(self).visit_literal(self, node)


def depart_literal(self: HTML5Translator, node: nodes.literal) -> None:
    """Close inline code, its options marked as not to be broken."""
    written = slice(node["begin"], None)
    self.body[written] = [
        SHORT_OPTION.sub('<span class="pre keep">', part) for part in self.body[written]
    ]
    type(self).depart_literal(self, node)


def setup(app: Sphinx) -> dict[str, object]:
    """Write inline code our way, which goes through the theme's."""
    app.add_node(nodes.literal, override=True, html=(visit_literal, depart_literal))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
