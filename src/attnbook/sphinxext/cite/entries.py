"""Entries of a list of references, ready to be copied, as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from .work import to_tex

if TYPE_CHECKING:
    from .work import Author, Work

ACCESSED = Markup('<span class="cite-accessed">YYYY-MM-DD</span>')
"""The day on which the reader looked: only the reader's browser knows it."""

MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
"""BibTeX's own names, which each style writes out in its language."""


def bibtex(work: Work) -> Markup:
    """Return an entry for BibTeX: the book, or a part of it."""
    authors = [
        f"{{{to_tex(author.group)}}}" if author.group else f"{author.family}, {author.given}"
        for author in work.authors
    ]
    fields = {
        "author": f"{{{' and '.join(authors)}}}",
        "title": f"{{{work.tex or to_tex(work.title)}}}",
        "booktitle": work.book and f"{{{to_tex(work.book)}}}",
        "year": f"{{{work.date.year}}}",
        "month": MONTHS[work.date.month - 1],
        "note": f"{{{work.edition}, {work.date.isoformat()}}}",
        "url": work.url and f"{{{work.url}}}",
    }
    lines = [f"  {name:<9} = {value}," for name, value in fields.items() if value]
    kind = "incollection" if work.book else "book"
    return escape("\n".join([f"@{kind}{{{work.key},", *lines, "}"]))


def apa(work: Work) -> Markup:
    """Return an entry in the style of the American Psychological Association, 7th edition."""
    names = [apa_name(author) for author in work.authors]
    authors = ", & ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    book = Markup("<i>{}</i> (Version {}).").format(work.book or work.title, work.version)
    part = f"{work.title}{end(work.title)} In " if work.book else ""
    text = Markup("{}{} ({}). {}{} {}")
    return text.format(authors, end(authors), work.date.year, part, book, work.url).strip()


def apa_name(author: Author) -> str:
    """Return ``Family, G. N.``; a name in Chinese characters, or of a group, as it is."""
    if author.group or not author.family.isascii():
        return author.group or f"{author.family}{author.given}"
    return f"{author.family}, {' '.join(f'{name[0]}.' for name in author.given.split())}"


def end(text: str) -> str:
    """Return the full stop that a part of an entry ends with, unless it has an end already."""
    return "" if text.endswith((".", "?", "!", "？", "！")) else "."


def gbt7714(work: Work) -> Markup:
    """Return an entry of GB/T 7714—2015: a monograph online, or a part of one."""
    names = [gbt7714_name(author) for author in work.authors[:3]]
    if len(work.authors) > 3:
        names.append("等" if work.language.startswith("zh") else "et al.")
    text = Markup("{}{} {}[M/OL]{}. {}. ({})[{}]. {}")
    authors = ", ".join(names)
    return text.format(
        authors,
        end(authors),
        gbt7714_title(work.title),
        (work.book and f"//{gbt7714_title(work.book)}") or "",
        work.edition,
        work.date.isoformat(),
        ACCESSED,
        work.url and f"{work.url}.",
    ).strip()


def gbt7714_name(author: Author) -> str:
    """Return ``FAMILY G N``; a name in Chinese characters, or of a group, as it is."""
    if author.group or not author.family.isascii():
        return author.group or f"{author.family}{author.given}"
    return " ".join([author.family.upper(), *(name[0] for name in author.given.split())])


def gbt7714_title(title: str) -> str:
    """Return a title with the standard's own sign between title and subtitle."""
    return title.replace("：", ": ")
