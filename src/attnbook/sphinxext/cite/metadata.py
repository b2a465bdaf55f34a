"""What a page says of itself to programs: reference managers and search engines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from .work import Author, Work


def meta_tags(work: Work) -> Iterator[str]:
    """Yield the tags that Zotero and Google Scholar read."""
    tags = [
        ("citation_title", work.title),
        *(("citation_author", full_name(author)) for author in work.authors),
        ("citation_publication_date", f"{work.date:%Y/%m/%d}"),
        ("citation_language", work.language),
        ("citation_book_title", work.book),
        ("citation_inbook_title", work.book),
        ("citation_public_url", work.url),
        ("citation_fulltext_html_url", work.url),
        # Zotero takes a page for a web page wherever it finds og:type, unless it is told
        ("z:itemType", "bookSection" if work.book else "book"),
    ]
    for name, content in tags:
        if content:
            yield Markup('<meta name="{}" content="{}" />').format(name, content)


def linked_data(work: Work) -> str:
    """Return the same as JSON-LD in the words of schema.org."""
    common = {
        "author": [described(author) for author in work.authors],
        "inLanguage": work.language,
        "datePublished": work.date.isoformat(),
        "version": work.version,
        "license": [f"https://spdx.org/licenses/{licence}.html" for licence in work.licences],
        "isAccessibleForFree": True,
    }
    data = {
        "@context": "https://schema.org",
        "@type": ["Chapter" if work.book else "Book", "LearningResource"],
        "name": work.title,
        **({"url": work.url} if work.url else {}),
        **common,
    }
    if work.book:
        address = {"url": work.book_url} if work.book_url else {}
        data["isPartOf"] = {"@type": "Book", "name": work.book, **address, **common}
    # a "<" would end the script
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return f'<script type="application/ld+json">{text}</script>'


def full_name(author: Author) -> str:
    """Return ``Family, Given``, or the name of the group."""
    return author.group or f"{author.family}, {author.given}"


def described(author: Author) -> dict[str, str]:
    """Return an author in the words of schema.org."""
    if author.group:
        return {"@type": "Organization", "name": author.group}
    return {"@type": "Person", "familyName": author.family, "givenName": author.given}
