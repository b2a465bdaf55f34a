"""The bibliography is read as the pages cite, by author and year: no other label stands in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def drop_labels(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Take the labels, which no page shows, from the entries of a bibliography."""
    bibliographies = app.env.get_domain("cite").bibliographies
    if any(key.docname == page for key in bibliographies):
        for entry in doctree.findall(nodes.citation):
            entry.remove(entry[0])


def setup(app: Sphinx) -> dict[str, object]:
    """Connect the removal."""
    app.setup_extension("sphinxcontrib.bibtex")
    app.connect("doctree-resolved", drop_labels)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
