"""What HTML of Sphinx and the theme lacks for those who read with a keyboard or a screen reader.

Where a page is narrow, code, outputs and tables scroll in boxes of their own, at which the tab key
stops; what it stops at must say what it is. Formulas and diagrams are named where they are written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.locale import _

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator


def replace_from(self: HTML5Translator, start: int, old: str, new: str) -> None:
    """Replace the first of a string in what was written since ``start``."""
    self.body[start:] = ["".join(self.body[start:]).replace(old, new, 1)]


def visit_code(self: HTML5Translator, node: nodes.literal_block) -> None:
    """Write code, or what it printed, and name the box."""
    start = len(self.body)
    label = _("Output") if "output" in node["classes"] else _("Code")
    try:
        type(self).visit_literal_block(self, node)
    finally:
        # text that is highlighted is written as a whole, and the rest of the visit skipped
        replace_from(self, start, "<pre", f'<pre role="group" aria-label="{label}"')


def depart_code(self: HTML5Translator, node: nodes.literal_block) -> None:
    """Close the box of text that is not highlighted."""
    type(self).depart_literal_block(self, node)


def visit_table(self: HTML5Translator, node: nodes.table) -> None:
    """Open a table and name the box that the theme puts around it."""
    start = len(self.body)
    type(self).visit_table(self, node)
    box = '<div class="pst-scrollable-table-container"'
    replace_from(self, start, box, f'{box} role="group" aria-label="{_("Table")}"')


def depart_table(self: HTML5Translator, node: nodes.table) -> None:
    """Close a table and its box."""
    type(self).depart_table(self, node)


def visit_citation(self: HTML5Translator, node: nodes.citation) -> None:
    """Open an entry of a list of references.

    Docutils gives it a role that is out of use; the list around it is one of list items.
    """
    start = len(self.body)
    type(self).visit_citation(self, node)
    replace_from(self, start, 'role="doc-biblioentry"', 'role="listitem"')


def depart_citation(self: HTML5Translator, node: nodes.citation) -> None:
    """Close an entry of a list of references."""
    type(self).depart_citation(self, node)


def setup(app: Sphinx) -> dict[str, object]:
    """Write these nodes our way, which goes through the theme's, and load the script."""
    for node, write in {
        nodes.literal_block: (visit_code, depart_code),
        nodes.table: (visit_table, depart_table),
        nodes.citation: (visit_citation, depart_citation),
    }.items():
        app.add_node(node, override=True, html=write)
    app.add_js_file("keep-focus.js", loading_method="defer")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
