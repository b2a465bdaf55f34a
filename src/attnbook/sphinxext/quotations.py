"""What the search quotes of the pages: their prose, passage by passage, in one script.

Sphinx's search page fetches every page that it found and quotes whatever stands around the first
hit: half a word, a line of code, formulas in TeX. Opened from disk it quotes nothing, since there a
browser fetches nothing. Here the build picks what can be read, and the search page, which alone
loads it, chooses the passage with the most of the query.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx import addnodes

from .math import source_of
from .plain_formula import write_plain

if TYPE_CHECKING:
    from sphinx.application import Sphinx

SCRIPT = "search-passages.js"
SENTENCE = re.compile(r"[.?!。？！]$")
SILENT = (nodes.raw, nodes.image, nodes.system_message, nodes.comment)


def read_passages(page: nodes.document) -> list[tuple[str, str]]:
    """Return the passages of a page that can be read by themselves.

    Parameters
    ----------
    page : docutils.nodes.document
        A page whose references are resolved.

    Returns
    -------
    list of (str, str)
        Anchor of the section or the entry that the passage belongs to, and its text.
    """
    passages = []
    # a table of contents is made of paragraphs of another kind
    for paragraph in page.findall(lambda node: type(node) in {nodes.paragraph, nodes.caption}):
        text = " ".join(written(paragraph).split())
        item, place = paragraph.parent.parent, paragraph.parent
        if isinstance(item, nodes.definition_list_item) and place[0] is paragraph:
            text = defined(written(item[0]).strip(), text)
        # a cell of a table says nothing without its row, unless it is a sentence
        if text and (not isinstance(place, nodes.entry) or SENTENCE.search(text)):
            passages.append((anchor_of(paragraph), text))
    return passages


def defined(term: str, text: str) -> str:
    """Put a term before its definition, which may begin with what it is in the other language."""
    if text.startswith("（"):
        return term + text
    return f"{term} {text}" if text.startswith("(") else f"{term}: {text}"


def written(node: nodes.Node) -> str:
    """Return the text of a passage, its formulas written by hand."""
    if isinstance(node, nodes.math):
        return write_plain(source_of(node))
    if isinstance(node, nodes.Text):
        return node.astext()
    return "".join(written(child) for child in node.children if not isinstance(child, SILENT))


def anchor_of(node: nodes.Node) -> str:
    """Return the anchor of the innermost section or entry around a node."""
    for named in surroundings(node):
        if named["ids"]:
            return f"#{named['ids'][0]}"
    return ""


def surroundings(node: nodes.Node) -> Iterator[nodes.Element]:
    """Yield what may be linked to around a node: sections, terms and signatures."""
    while node := node.parent:
        if isinstance(node, nodes.section):
            yield node
        elif isinstance(node, nodes.definition_list_item | addnodes.desc):
            yield node[0]


def passages_file(app: Sphinx, page: str) -> Path:
    """Return where the passages of a page are kept from build to build."""
    return Path(app.doctreedir, "passages", f"{page}.json")


def keep_passages(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, object],
    doctree: nodes.document | None,
) -> None:
    """Keep the passages of a page that is written: the next build may not write it."""
    if doctree is not None and app.builder.format == "html":
        path = passages_file(app, page)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(read_passages(doctree), ensure_ascii=False), "utf-8")


def write_script(app: Sphinx) -> list:
    """Write the passages of all pages, before the search page asks how the script reads."""
    passages = {
        page: json.loads(passages_file(app, page).read_text("utf-8"))
        for page in sorted(app.env.found_docs)
        if passages_file(app, page).is_file()
    }
    target = Path(app.outdir, "_static", SCRIPT)
    target.parent.mkdir(parents=True, exist_ok=True)
    data = json.dumps(passages, ensure_ascii=False, separators=(",", ":"))
    target.write_text(f"Search.passages = {data};\n", "utf-8")
    # Sphinx asks here for more pages
    return []


def load_script(
    app: Sphinx, page: str, template: str, context: dict[str, object], doctree: object
) -> None:
    """Load the passages on the search page and nowhere else."""
    if page == "search":
        app.add_js_file(SCRIPT, loading_method="defer")


def setup(app: Sphinx) -> dict[str, object]:
    """Collect the passages while pages are written."""
    app.connect("html-page-context", keep_passages)
    app.connect("html-page-context", load_script)
    app.connect("html-collect-pages", write_script)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
