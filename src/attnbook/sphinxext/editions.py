"""The editions of the book: their folders, their words and the links between them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple

from sphinx.locale import _

if TYPE_CHECKING:
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
    config.author, config.copyright = _(config.author), _(config.copyright)
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


def setup(app: Sphinx) -> dict[str, object]:
    """Connect the links between editions."""
    # takes a second, for which those who want no more than a list of the editions need not wait
    from myst_nb.sphinx_ import HideCodeCellNode, depart_HideCellInput

    app.connect("config-inited", speak, priority=400)
    app.connect("html-page-context", link_editions)
    app.add_node(HideCodeCellNode, override=True, html=(visit_hidden_code, depart_HideCellInput))
    app.add_js_file("edition-switch.js", loading_method="defer")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
