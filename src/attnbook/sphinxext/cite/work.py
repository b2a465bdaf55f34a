"""What is cited: the book or a page of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from docutils import nodes

from ..plain_formula import write_plain

if TYPE_CHECKING:
    from datetime import date

ESCAPED = str.maketrans({character: f"\\{character}" for character in "&%$#_{}"})
"""What TeX reads otherwise than it is meant."""

CAPITAL = re.compile(r"(?<=\s)(\w*[A-Z]\w*)")
"""A word with a capital in it that does not begin the title: a name."""


class Author(NamedTuple):
    """A person with family and given names, or a group."""

    family: str
    given: str
    group: str


@dataclass(frozen=True)
class Work:
    """What a reader cites."""

    key: str
    """Its key in a bibliography."""
    title: str
    """The title as plain text."""
    tex: str | None
    """The title as TeX, where that is not the plain text."""
    book: str | None
    """Title of the book of which it is a part; none of the book itself."""
    authors: list[Author]
    version: str
    edition: str
    """The version in the words of the edition."""
    date: date
    language: str
    """Language tag of the edition."""
    licences: list[str]
    """SPDX identifiers."""
    url: str
    """Empty where nobody told the build at which address the book is published."""
    book_url: str


def plain_title(title: nodes.title) -> str:
    """Return a title as plain text; a formula in it is written as by hand."""
    return "".join(
        write_plain(node.astext()) if isinstance(node, nodes.math) else node.astext()
        for node in title.children
    )


def tex_title(title: nodes.title) -> str:
    """Return a title as TeX, with its formulas."""
    return "".join(
        f"{{${node.astext()}$}}" if isinstance(node, nodes.math) else to_tex(node.astext())
        for node in title.children
    )


def to_tex(text: str) -> str:
    """Return a text as TeX; names keep their capitals in styles that write titles small."""
    return CAPITAL.sub(r"{\1}", text.translate(ESCAPED))
