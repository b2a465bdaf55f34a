"""What stands beside the editions: the page for what is not there, and what search engines ask for.

Where the book is published is read from the built pages: each of them names its own address, if
Sphinx was told of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader

if TYPE_CHECKING:
    from .editions import Edition

CANONICAL = re.compile(r'<link rel="canonical" href="([^"]+)"')
TEMPLATES = Environment(
    loader=PackageLoader("attnbook.sphinxext"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


def write_root(site: Path, editions: Iterable[Edition]) -> None:
    """Write the files at the root of a site whose editions are built.

    Parameters
    ----------
    site : pathlib.Path
        Folder that holds the folders of the editions.
    editions : iterable of Edition
        The editions. Each page is in all of them.
    """
    editions = list(editions)
    pages = {edition.tag: dict(find_pages(site / edition.tag)) for edition in editions}
    first = editions[0].tag
    address = pages[first].get("index.html", "").removesuffix(f"{first}/index.html")
    page = TEMPLATES.get_template("not-found.html")
    # hosts show it at every depth: what it leads to is found from the root alone
    root = urlsplit(address).path or "/"
    (site / "404.html").write_text(page.render(editions=editions, root=root), "utf-8")
    if address:
        sitemap = TEMPLATES.get_template("sitemap.xml").render(pages=pages, first=first)
        (site / "sitemap.xml").write_text(sitemap, "utf-8")
        robots = f"User-agent: *\nAllow: /\n\nSitemap: {address}sitemap.xml\n"
        (site / "robots.txt").write_text(robots, "utf-8")


def find_pages(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each page of an edition that is published: its path in the folder and its address."""
    for path in sorted(folder.rglob("*.html")):
        found = CANONICAL.search(path.read_text("utf-8"))
        if found:
            yield path.relative_to(folder).as_posix(), unescape(found[1])
