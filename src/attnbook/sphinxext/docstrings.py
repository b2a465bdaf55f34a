"""Docstrings as numpydoc renders them, and what it leaves undone when a page is MyST."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.locale import _
from sphinx.transforms import SphinxTransform

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# numpydoc makes the labels of a docstring unique on the page by a hash
HASHED = re.compile(r"R[0-9a-f]{12}-(\w+)")


class KeepTypes(SphinxTransform):
    """Leave the quotes in the types of parameters as Python writes them."""

    default_priority = 100

    def apply(self, **options: object) -> None:
        """Keep smart quotes away from types."""
        for kind in self.document.findall(nodes.classifier):
            kind["support_smartquotes"] = False


def relabel_citations(app: Sphinx, doctree: nodes.document) -> None:
    """Show the citation ``[1]_`` of a docstring as [1].

    numpydoc does so for citations that know where they are cited, which they do not when the
    docstring was parsed inside a MyST page.
    """
    for citation in doctree.findall(pending_xref):
        hashed = HASHED.fullmatch(citation.get("reftarget", ""))
        if citation.get("refdomain") == "citation" and hashed:
            citation[:] = [nodes.inline("", f"[{hashed[1]}]")]
            # each block of docstrings counts its ids from id1, and nothing leads back to them
            citation["ids"] = []


def name_parts(app: Sphinx, doctree: nodes.document) -> None:
    """Name the parts of a docstring, which numpydoc does in English, as the edition does."""
    for kind in (nodes.field_name, nodes.rubric):
        for name in doctree.findall(kind):
            name[:] = [nodes.Text(_(name.astext()))]


def setup(app: Sphinx) -> dict[str, object]:
    """Connect what numpydoc leaves undone, the relabelling after its own."""
    app.add_transform(KeepTypes)
    app.connect("doctree-read", relabel_citations, priority=600)
    app.connect("doctree-read", name_parts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
