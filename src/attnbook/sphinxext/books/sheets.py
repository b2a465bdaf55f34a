"""The pages of a book as one page, to be printed.

Every anchor gets the name of its page in front, so that a link between pages becomes one inside the
book.
"""

from __future__ import annotations

import re
from copy import copy
from dataclasses import dataclass

from bs4 import Tag

from .assembly import Book, Chapter, find_target

ANCHORS = {"id", "aria-labelledby", "aria-describedby", "headers", "for"}
"""Attributes besides ``href`` that hold anchors of the page."""

HEADINGS = ["h1", "h2", "h3", "h4", "h5"]


@dataclass(frozen=True)
class PrintedChapter:
    """A chapter, ready to stand beside the others."""

    chapter: Chapter
    text: Tag

    @property
    def name(self) -> str:
        """What the chapter's first line is called as the target of a link."""
        return self.chapter.name

    @property
    def sheet(self) -> str:
        """What CSS calls the sheets of paper that the chapter is printed on."""
        return self.name.replace("/", "-")

    @property
    def title(self) -> str:
        """The title as HTML."""
        return self.text.find("h2").decode_contents()

    @property
    def running_title(self) -> str:
        """The title as a string of CSS."""
        return '"' + re.sub(r'(["\\])', r"\\\1", self.chapter.title) + '"'


def lay_out(book: Book) -> list[tuple[str, list[PrintedChapter]]]:
    """Return the parts of a book with their chapters as they are printed."""
    names = {chapter.name for chapter in book.chapters}
    return [
        (
            title,
            [PrintedChapter(chapter, lay_out_chapter(chapter, book, names)) for chapter in part],
        )
        for title, part in book.parts
    ]


def lay_out_chapter(chapter: Chapter, book: Book, names: set[str]) -> Tag:
    """Return the text of a chapter: headings one level lower, since the parts stand above it."""
    text = copy(chapter.article)
    open_boxes(text)
    for element in text.find_all(True):
        for attribute in ANCHORS & element.attrs.keys():
            # a drawing has ids of its own, which its style names
            if element.name != "svg" and not element.find_parent("svg"):
                element[attribute] = anchor(chapter.name, element[attribute])
    for link in text.find_all("a", href=True):
        target = find_target(link["href"], chapter.name, names)
        if target:
            link["href"] = f"#{anchor(*target)}"
    for image in text.find_all("img", src=True):
        page = book.folder / chapter.name
        image["src"] = page.parent.joinpath(image["src"]).resolve().as_uri()
    for heading in text.find_all(HEADINGS):
        heading.name = f"h{int(heading.name[1]) + 1}"
    text.name = "div"
    return text


def open_boxes(text: Tag) -> None:
    """Show hidden code, since paper does not open, and leave each formula its visible half."""
    for element in text.select(".katex-mathml, summary"):
        element.decompose()
    for box in text.select("details"):
        box.unwrap()
    for formula in text.select(".katex-html"):
        # with the MathML gone, this is what is read aloud and copied
        del formula["aria-hidden"]


def anchor(page: str, name: str = "") -> str:
    """Return what an anchor of a page is called in the book; without a name, the page itself."""
    return f"{page}:{name}" if name else page
