"""Where the books are offered: only those that are there, so that no link is ever dead."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from .words import WORDS

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

KINDS = ("pdf", "epub")
BOX = '<div class="book-links only-on-site">{}</div>'


class book_links(nodes.General, nodes.Element):  # noqa: N801 (docutils names nodes like this)
    """Links to the books of the edition."""


class Books(SphinxDirective):
    """``{books}`` offers the PDF and the EPUB of the edition, once they have been made."""

    def run(self) -> list[nodes.Node]:
        """Leave a place for the links."""
        return [book_links()]


def link_books(edition: Path, tag: str, folder: str = "") -> str:
    """Return links to the books in the folder of an edition, as HTML; nothing if it has none.

    Parameters
    ----------
    edition : pathlib.Path
        Folder of the built edition.
    tag : str
        Its language tag.
    folder : str
        The way there from the page that has the links.
    """
    words = WORDS[tag]
    files = [edition / f"attnbook-{tag}.{kind}" for kind in KINDS]
    links = [
        words.file.format(
            link=f'<a href="{folder}{file.name}" download>{file.suffix[1:].upper()}</a>',
            size=f"{file.stat().st_size / 1e6:.1f}\N{NO-BREAK SPACE}MB",
        )
        for file in files
        if file.is_file()
    ]
    return f"<p>{words.files.format(words.separator.join(links))}</p>" if links else ""


def offer_books(edition: Path) -> None:
    """Put the links on the front page of an edition whose books have been made."""
    page = edition / "index.html"
    start, end = map(re.escape, BOX.split("{}"))
    box = BOX.format(link_books(edition, edition.name))
    # as a function: a backslash in the replacement is none of re's
    text = re.sub(f"{start}.*?{end}", lambda _: box, page.read_text("utf-8"))
    page.write_text(text, "utf-8")


def visit_html(self: HTML5Translator, node: book_links) -> None:
    """Write the links, or the place where they will be."""
    tag = self.config.language.replace("_", "-")
    self.body.append(BOX.format(link_books(Path(self.builder.outdir), tag)))
    raise nodes.SkipNode


def skip(self: nodes.NodeVisitor, node: book_links) -> None:
    """Write nothing where there are no files."""
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("books", Books)
    app.add_node(book_links, html=(visit_html, None), text=(skip, None))
