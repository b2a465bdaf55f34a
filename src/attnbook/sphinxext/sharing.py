"""What a page shows of itself elsewhere: in a list of results, and where somebody shares its link.

The pages that Sphinx makes get a description here. The picture is that of the edition,
``docs/_static/card.*.png``, drawn by ``nox -s cards``; it needs the address of the site, since
nobody looks at it from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes
from markupsafe import Markup
from sphinx.locale import _

from .card import CARDS, HEIGHT, WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx


def add_tags(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, object],
    doctree: nodes.document | None,
) -> None:
    """Add the tags to the head of a page."""
    if app.builder.name != "html":
        return
    tags = []
    description = find_description(doctree)
    if not description:
        description = made_by_sphinx().get(page, "")
        tags.append(tag("name", "description", description))
    for name, content in open_graph(app, page, context, description):
        tags.append(tag("property", name, content))
    if app.config.html_baseurl:
        tags.append(tag("name", "twitter:card", "summary_large_image"))
    context["metatags"] = "\n".join([str(context.get("metatags", "")), *filter(None, tags)])


def tag(kind: str, name: str, content: str) -> str:
    """Write a tag, or nothing where there is nothing to say."""
    return content and Markup('<meta {}="{}" content="{}" />').format(kind, name, content)


def find_description(doctree: nodes.document | None) -> str:
    """Return what the front matter of a page says, in the language of the edition."""
    for meta in doctree.findall(nodes.meta) if doctree else ():
        if meta.get("name") == "description":
            return meta["content"]
    return ""


def made_by_sphinx() -> dict[str, str]:
    """Return the descriptions of the pages that have no source."""
    return {
        "genindex": _("Every term of the book and every function of its package, by name."),
        "search": _("Search the book: words, phrases and names in the code."),
    }


def open_graph(
    app: Sphinx, page: str, context: dict[str, object], description: str
) -> Iterator[tuple[str, str]]:
    """Yield the tags that messengers and networks read."""
    config = app.config
    card = CARDS[config.language]
    title = context.get("plain_title") or context.get("title") or config.html_title
    yield "og:type", "website" if page == config.root_doc else "article"
    yield "og:site_name", config.html_title
    yield "og:title", Markup(title).striptags()
    yield "og:description", description
    if config.language != "en":
        # English of the United States is what is meant without
        yield "og:locale", config.language
    if config.html_baseurl:
        yield "og:url", f"{config.html_baseurl}{app.builder.get_target_uri(page)}"
        yield "og:image", f"{config.html_baseurl}_static/{card.file}"
        yield "og:image:width", str(WIDTH)
        yield "og:image:height", str(HEIGHT)
        yield "og:image:alt", card.alt


def setup(app: Sphinx) -> dict[str, object]:
    """Connect the tags, after the title as plain text is known."""
    app.connect("html-page-context", add_tags, priority=600)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
