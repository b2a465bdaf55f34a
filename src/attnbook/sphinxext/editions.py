"""The editions of the book: their folders, the links between them, and the page in front.

``python -m attnbook.sphinxext.editions _build/html`` writes the front page.
"""

from __future__ import annotations

import argparse
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from attnbook.sphinxext.books.links import link_books
from attnbook.sphinxext.root import write_root
from attnbook.sphinxext.weight import slim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from myst_nb.sphinx_ import HideCodeCellNode
    from sphinx.application import Sphinx
    from sphinx.config import Config
    from sphinx.writers.html5 import HTML5Translator


class Edition(NamedTuple):
    """One language's site."""

    tag: str
    """Language tag (BCP 47), and the folder of the edition in the built site."""
    name: str
    """What readers of the edition call their language."""
    switch: str
    """Invitation to this edition, in its own language."""
    invitation: str
    """What the front page says of the edition."""
    not_found: str
    """Title of the page that hosts show for an address where there is none."""
    not_found_why: str
    """What that page says."""
    search: str
    """Invitation to search."""
    interface: dict[str, object]
    """Settings of Sphinx that put words into the interface."""


EDITIONS = {
    "en": Edition(
        tag="en",
        name="English",
        switch="Read this page in English",
        invitation="Read the book in English",
        not_found="There is no such page",
        not_found_why="It may have moved, or the address is mistyped.",
        search="Search the book",
        interface={
            "nb_code_prompt_show": "Show the code",
            "nb_code_prompt_hide": "Hide the code",
        },
    ),
    "zh_CN": Edition(
        tag="zh-CN",
        name="中文",
        switch="阅读本页中文版",
        invitation="阅读中文版",
        not_found="没有这一页",
        not_found_why="它可能已移到别处，也可能是网址输错了。",
        search="在书中搜索",
        interface={
            "nb_code_prompt_show": "显示代码",
            "nb_code_prompt_hide": "收起代码",
            "numfig_format": {"code-block": "代码 %s"},
        },
    ),
}
"""Sphinx's language code → edition."""


def speak(app: Sphinx, config: Config) -> None:
    """Let the interface speak the language of the edition where Sphinx leaves that to us."""
    edition = EDITIONS[config.language]
    for name, value in edition.interface.items():
        if name in config:
            config[name] = value
    if config.html_baseurl:
        # of the site, from which each edition's folder follows
        config.html_baseurl = f"{config.html_baseurl.rstrip('/')}/{edition.tag}/"


def link_editions(
    app: Sphinx, page: str, template: str, context: dict[str, object], doctree: object
) -> None:
    """Give the templates the address of the same page in every edition.

    Links among the files of the site are for readers; search engines want whole addresses, which
    there are only where the book is published.
    """
    up = "../" * (page.count("/") + 1)
    suffix = app.builder.out_suffix
    published = app.config.html_baseurl.removesuffix(f"{EDITIONS[app.config.language].tag}/")
    context["edition_links"] = [
        {
            "hreflang": edition.tag,
            "href": f"{up}{edition.tag}/{page}{suffix}",
            "address": published and f"{published}{edition.tag}/{page}{suffix}",
            "name": edition.name,
            "title": edition.switch,
            "current": code == app.config.language,
        }
        for code, edition in EDITIONS.items()
    ]


def visit_hidden_code(self: HTML5Translator, node: HideCodeCellNode) -> None:
    """Open a box of hidden code, named by the words that it shows.

    MyST-NB names it in English, which a screen reader would say instead of the words, and has
    paragraphs in its summary, where HTML allows none.
    """
    words = {"collapsed": node["prompt_show"], "expanded": node["prompt_hide"]}
    spans = "".join(
        f'<span class="{state} admonition-title">{escape(said)}</span>'
        for state, said in words.items()
    )
    classes = " ".join(["admonition", "hide", *node["classes"]])
    self.body.append(f'<details class="{classes}">\n<summary>{spans}</summary>\n')


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
    templates = Environment(loader=PackageLoader("attnbook.sphinxext"), autoescape=True)
    page = site / "index.html"
    page.write_text(
        templates.get_template("front.html").render(
            editions=EDITIONS.values(),
            books={
                tag: Markup(link_books(site / tag, tag, f"{tag}/"))
                for tag in (edition.tag for edition in EDITIONS.values())
            },
        ),
        "utf-8",
    )
    return page


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the front page and say where to open the book."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("site", type=Path, help="folder that holds the built editions")
    site = parser.parse_args(arguments).site.resolve()
    front_page = write_front_page(site)
    write_root(site, EDITIONS.values())
    # last: what the pages need decides what is cut
    slim(site)
    print(f"\nThe book stands. Open {front_page.as_uri()}")
    for edition in EDITIONS.values():
        print(f"  {edition.name}: {(site / edition.tag / 'index.html').as_uri()}")


def setup(app: Sphinx) -> dict[str, object]:
    """Connect the links between editions."""
    # takes a second, for which those who want no more than a list of the editions need not wait
    from myst_nb.sphinx_ import HideCodeCellNode, depart_HideCellInput

    app.connect("config-inited", speak, priority=400)
    app.connect("html-page-context", link_editions)
    app.add_node(HideCodeCellNode, override=True, html=(visit_hidden_code, depart_HideCellInput))
    app.add_js_file("edition-switch.js", loading_method="defer")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    main()
