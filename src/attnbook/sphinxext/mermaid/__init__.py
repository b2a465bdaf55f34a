"""Mermaid diagrams for the book: drawn once by the real Mermaid, committed, and served inline.

The directive ``mermaid`` shows a drawing that lies ready in ``docs/diagrams/drawn``; it starts no
browser. ``python -m attnbook.sphinxext.mermaid.draw docs/diagrams`` draws what is missing there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import nodes
from .directive import MermaidDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, object]:
    """Register the directive, its node and the stylesheet with Sphinx."""
    app.add_config_value("mermaid_diagrams", "diagrams", "env", str)
    app.add_directive("mermaid", MermaidDirective)
    app.add_node(
        nodes.mermaid_drawing,
        html=(nodes.visit_html, None),
        text=(nodes.visit_text, None),
    )
    app.add_css_file("mermaid.css")
    return {
        "version": "1",
        "env_version": 1,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
