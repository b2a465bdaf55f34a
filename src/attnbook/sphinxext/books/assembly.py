"""The pages of a built edition as one page: what the PDF is printed from.

Numbers, alternative texts and formulas are those of the site, since the pages are taken from it.
Every anchor gets the name of its page in front, so that a link between pages becomes one inside the
book.
"""

from __future__ import annotations

import posixpath
import re
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urldefrag

from bs4 import BeautifulSoup, Tag

ONLY_ON_SCREEN = ".headerlink, .toctree-wrapper, .only-on-site, .katex-mathml, script, summary"
"""What is of no use on paper; hidden code is shown, so that nothing has to be opened."""

REFERRING = ("aria-labelledby", "aria-describedby", "headers", "for")
"""Attributes besides ``href`` that hold anchors of the same page."""


class AssemblyError(Exception):
    """Say which link of which page leads out of the book to a file that is not in it."""


@dataclass(frozen=True)
class Chapter:
    """A page of the book, ready to stand beside the others."""

    name: str
    title: str
    """The title as HTML."""
    plain_title: str
    article: Tag

    @property
    def running_title(self) -> str:
        """The title as a string of CSS."""
        return '"' + re.sub(r'(["\\])', r"\\\1", self.plain_title) + '"'

    @property
    def sheet(self) -> str:
        """What CSS calls the sheets of paper that the chapter is printed on."""
        return self.name.replace("/", "-")


def parse(path: Path) -> BeautifulSoup:
    """Return the parsed HTML of a file."""
    return BeautifulSoup(path.read_text("utf-8"), "html.parser")


def read_parts(front: BeautifulSoup) -> list[tuple[str, list[str]]]:
    """Return title and pages of each part, as the navigation of the front page lists them."""
    return [
        (
            caption.get_text(),
            [link["href"].removesuffix(".html") for link in caption.find_next("ul").select("a")],
        )
        for caption in front.select("nav.bd-links p.caption")
    ]


def read_chapter(edition: Path, name: str, names: set[str]) -> Chapter:
    """Take a page out of the site.

    Parameters
    ----------
    edition : pathlib.Path
        Folder of the built edition.
    name : str
        The page, without suffix.
    names : set of str
        All pages of the book.

    Returns
    -------
    Chapter
        The page with its headings one level lower, since the parts stand above it.

    Raises
    ------
    AssemblyError
        If a link leads to a page that is not in the book.
    """
    page = parse(edition / f"{name}.html")
    article = page.find("article")
    for heading in article.select("h1, h2, h3, h4, h5"):
        heading["data-title"] = plain_title(heading)
    for element in article.select(ONLY_ON_SCREEN):
        element.decompose()
    for details in article.select("details"):
        details.unwrap()
    for formula in article.select(".katex-html"):
        # with the MathML gone, this is what is read aloud and copied
        del formula["aria-hidden"]
    for link in article.select("a[href]"):
        link["href"] = inside(link["href"], name, names)
    for element in article.find_all(id=True):
        # a drawing has ids of its own, which its style names
        if not element.find_parent("svg") and element.name != "svg":
            element["id"] = anchor(name, element["id"])
    for attribute in REFERRING:
        for element in article.select(f"[{attribute}]:not(svg, svg *)"):
            element[attribute] = anchor(name, element[attribute])
    for image in article.select("img[src]"):
        image["src"] = (edition / name).parent.joinpath(image["src"]).resolve().as_uri()
    for level in (5, 4, 3, 2, 1):
        for heading in article.select(f"h{level}"):
            heading.name = f"h{level + 1}"
    title = article.find("h2")
    article.name = "div"
    article["class"] = "text"
    return Chapter(name, title.decode_contents(), title["data-title"], article)


def plain_title(heading: Tag) -> str:
    """Return a heading as text; a formula in it is written as by hand."""
    copied = copy(heading)
    for link in copied.select(".headerlink"):
        link.decompose()
    for formula in copied.select(".katex"):
        tex = formula.find("annotation").get_text()
        formula.replace_with(tex.replace("\\sqrt{", "√").replace("}", ""))
    return " ".join(copied.get_text().split())


def anchor(page: str, name: str = "") -> str:
    """Return what an anchor of a page is called in the book; without a name, the page itself."""
    return f"{page}:{name}" if name else page


def inside(address: str, page: str, pages: set[str]) -> str:
    """Return the address, in the book, of what a page links to."""
    path, fragment = urldefrag(address)
    if "://" in address or address.startswith("mailto:"):
        return address
    target = page
    if path:
        joined = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        target = joined.removesuffix(".html")
    if target not in pages:
        raise AssemblyError(f"{page} links to {address}, which is not in the book")
    return f"#{anchor(target, fragment)}"
