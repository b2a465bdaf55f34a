"""The pages of a built edition, taken out of the site: what its books are made of.

Numbers, alternative texts and formulas are those of the site, since the pages are taken from it.
"""

from __future__ import annotations

import posixpath
import tomllib
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urldefrag

from bs4 import BeautifulSoup, Tag

from ..plain_formula import read_mathml

ONLY_ON_SCREEN = ".headerlink, .toctree-wrapper, .only-on-site, script"
"""What is of no use in a book."""


class AssemblyError(Exception):
    """Say which link of which page leads out of the book to a file that is not in it."""


@dataclass(frozen=True)
class Chapter:
    """A page of the book: its name, without suffix, and its article without the site around it."""

    name: str
    title: str
    article: Tag


@dataclass(frozen=True)
class Book:
    """An edition."""

    folder: Path
    """Where it was built; named by the language tag of the edition."""
    author: str
    version: str
    description: str
    address: str
    """Where it is published, if that is known."""
    parts: list[tuple[str, list[Chapter]]]
    """Title, which the front matter lacks, and chapters of each part."""

    @property
    def tag(self) -> str:
        """Language tag of the edition."""
        return self.folder.name

    @property
    def title(self) -> str:
        """Title of the front page."""
        return self.chapters[0].title

    @property
    def chapters(self) -> list[Chapter]:
        """All chapters in their order."""
        return [chapter for _, chapters in self.parts for chapter in chapters]


def read_book(edition: Path) -> Book:
    """Collect the pages of a built edition.

    Parameters
    ----------
    edition : pathlib.Path
        Folder of the edition, named by its language tag.

    Returns
    -------
    Book
        The pages that the navigation of the front page lists, in its order.
    """
    front = parse(edition / "index.html")
    project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
    canonical = front.select_one("link[rel=canonical]")
    return Book(
        folder=edition,
        author=project["authors"][0]["name"],
        version=project["version"],
        description=front.select_one("meta[name=description]")["content"],
        address=canonical["href"].removesuffix("index.html") if canonical else "",
        parts=[
            (title, [read_chapter(edition, name) for name in names])
            for title, names in [("", ["index"]), *read_parts(front)]
        ],
    )


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


def read_chapter(edition: Path, name: str) -> Chapter:
    """Take a page out of the site; each heading keeps its title as text in ``data-title``."""
    article = parse(edition / f"{name}.html").find("article")
    for element in article.select(ONLY_ON_SCREEN):
        element.decompose()
    for image in article.select("img[loading]"):
        # no reader comes near it on paper
        del image["loading"]
    for heading in article.select("h1, h2, h3, h4, h5"):
        heading["data-title"] = plain_title(heading)
    return Chapter(name, article.find("h1")["data-title"], article)


def plain_title(heading: Tag) -> str:
    """Return a heading as text; a formula in it is written as by hand."""
    copied = copy(heading)
    for formula in copied.select(".katex"):
        formula.replace_with(read_mathml(str(formula.find("math"))))
    return " ".join(copied.get_text().split())


def find_target(address: str, page: str, pages: set[str]) -> tuple[str, str] | None:
    """Return page and anchor that an address on a page means; None if it leads to the web.

    Raises
    ------
    AssemblyError
        If the address is in the site but not in the book.
    """
    if "://" in address or address.startswith("mailto:"):
        return None
    path, fragment = urldefrag(address)
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
    target = joined.removesuffix(".html") if path else page
    if target not in pages:
        raise AssemblyError(f"{page} links to {address}, which is not in the book")
    return target, fragment
