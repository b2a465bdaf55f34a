"""The picture inside a diagram's figure, and how each builder writes it."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.writers.html5 import HTML5Translator
    from sphinx.writers.text import TextTranslator

# a drawing shrinks with the screen until its 16 px labels are 12 px, then its box scrolls
SMALLEST_SCALE = 0.75
# a screen 320 px wide (1280 px zoomed to 400 %) leaves no narrower column between its margins
NARROWEST_COLUMN = 256


class mermaid_drawing(nodes.General, nodes.Element):  # noqa: N801 (docutils names nodes like this)
    """A diagram, drawn: ``drawing`` (path from the source folder), ``title`` and ``alt``."""


def visit_html(self: HTML5Translator, node: mermaid_drawing) -> None:
    """Write the drawing inline, in a box that scrolls where the screen is too narrow."""
    drawing = Path(self.builder.srcdir, node["drawing"]).read_text("utf-8")
    width = int(re.search(r'<svg[^>]* width="(\d+)"', drawing)[1])
    smallest = round(width * SMALLEST_SCALE)
    # only a box that can scroll becomes a stop of the tab key, and what stops must have a name
    focus = ""
    if smallest > NARROWEST_COLUMN:
        focus = f' tabindex="0" role="group" aria-label="{html.escape(node["title"])}"'
    self.body.append(
        f'<div class="mermaid-drawing" style="--mmd-smallest: {smallest}px"{focus}>'
        f"{_with_own_ids(self, node, drawing).strip()}</div>\n"
    )
    raise nodes.SkipNode


def visit_text(self: TextTranslator, node: mermaid_drawing) -> None:
    """Write the alternative text in the picture's place."""
    self.new_state(0)
    self.add_text(f"[diagram: {node['alt']}]")
    self.end_state()
    raise nodes.SkipNode


def _with_own_ids(self: HTML5Translator, node: mermaid_drawing, drawing: str) -> str:
    """Renumber the ids of a drawing that the page shows for the second time and on."""
    shown = self.__dict__.setdefault("_mermaid_shown", {})
    shown[node["element"]] = count = shown.get(node["element"], 0) + 1
    if count == 1:
        return drawing
    return drawing.replace(node["element"], f"{node['element']}-{count}")
