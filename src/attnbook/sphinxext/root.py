"""What stands beside the editions: the front page, and what hosts and search engines ask for.

``python -m attnbook.sphinxext.root _build/html`` writes it, and cuts the editions to what they use.

Where the book is published is read from the built pages: each of them names its own address, if
Sphinx was told of one.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from .books.links import link_books
from .editions import EDITIONS
from .weight import slim

if TYPE_CHECKING:
    from collections.abc import Sequence

CANONICAL = re.compile(r'<link rel="canonical" href="([^"]+)"')
TEMPLATES = Environment(
    loader=PackageLoader("attnbook.sphinxext"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


def write_front_page(site: Path) -> Path:
    """Write ``index.html`` beside the editions: it picks a language, links to both and their books.

    Parameters
    ----------
    site : pathlib.Path
        Folder that holds the folders of the editions.

    Returns
    -------
    pathlib.Path
        The file written.

    Raises
    ------
    FileNotFoundError
        If an edition has not been built.
    """
    for edition in EDITIONS.values():
        if not (site / edition.tag / "index.html").is_file():
            raise FileNotFoundError(f"{site / edition.tag} holds no built edition")
    page = site / "index.html"
    page.write_text(
        TEMPLATES.get_template("front.html").render(
            editions=EDITIONS.values(),
            books={
                tag: Markup(link_books(site / tag, tag, f"{tag}/"))
                for tag in (edition.tag for edition in EDITIONS.values())
            },
        ),
        "utf-8",
    )
    return page


def write_root(site: Path) -> None:
    """Write the files for hosts and search engines at the root of a site whose editions are built.

    Parameters
    ----------
    site : pathlib.Path
        Folder that holds the folders of the editions.
    """
    editions = list(EDITIONS.values())
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


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the front page and say where to open the book."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("site", type=Path, help="folder that holds the built editions")
    site = parser.parse_args(arguments).site.resolve()
    front_page = write_front_page(site)
    write_root(site)
    # last: what the pages need decides what is cut
    slim(site)
    print(f"\nThe book stands. Open {front_page.as_uri()}")
    for edition in EDITIONS.values():
        print(f"  {edition.name}: {(site / edition.tag / 'index.html').as_uri()}")


if __name__ == "__main__":
    main()
