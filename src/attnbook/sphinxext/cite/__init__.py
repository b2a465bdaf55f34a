"""How to cite each page: entries to copy, and the same data for programs.

The authors, the book's title, the version, the date and the licences stand in ``CITATION.cff`` and
nowhere else; the title of a page is that of the edition, and its address follows from
``html_baseurl``. The date is that of the version: unlike the day of a build or of a commit it is
the same for everyone who builds this text, from an archive too.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import yaml
from sphinx.locale import _
from sphinx.util import logging

from ..editions import EDITIONS
from ..messages import LANGUAGES
from .entries import apa, bibtex, gbt7714
from .metadata import linked_data, meta_tags
from .work import Author, Work, plain_title, tex_title

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.config import Config

logger = logging.getLogger(__name__)


def read_record(app: Sphinx, config: Config) -> None:
    """Read ``CITATION.cff``; its address is the book's where the build is told no other."""
    path = Path(app.confdir, "CITATION.cff")
    config.citation_record = yaml.safe_load(path.read_text("utf-8"))
    config.html_baseurl = config.html_baseurl or config.citation_record.get("url", "")


def translated(text: str, language: str) -> str:
    """Return what the edition says for a text of the record; without a translation, warn."""
    words = _(text)
    if words == text and language not in LANGUAGES:
        logger.warning(
            "missing translation of CITATION.cff in sphinx.po: %r",
            text,
            type="i18n",
            subtype="untranslated",
        )
    return words


def find_work(app: Sphinx, page: str) -> Work:
    """Return what a page is cited as: the first page as the book, another as a part of it."""
    record, config = app.config.citation_record, app.config
    book = translated(record["title"], config.language)
    title, tex = plain_title(app.env.titles[page]), tex_title(app.env.titles[page])
    if page == config.root_doc:
        title, tex = book, None
    tag = EDITIONS[config.language].tag
    suffix = "" if config.language in LANGUAGES else f"-{tag}"
    name = "" if page == config.root_doc else f"-{page.rpartition('/')[2]}"
    authors = [
        Author(
            family=author.get("family-names", ""),
            given=author.get("given-names", ""),
            group=translated(author["name"], config.language) if "name" in author else "",
        )
        for author in record["authors"]
    ]
    return Work(
        key=f"{config.project}{name}{suffix}",
        title=title,
        tex=tex,
        book=None if page == config.root_doc else book,
        authors=authors,
        version=str(record["version"]),
        edition=_("Version %s") % record["version"],
        date=record["date-released"],
        language=tag,
        licences=record["license"] if isinstance(record["license"], list) else [record["license"]],
        url=f"{config.html_baseurl}{app.builder.get_target_uri(page)}" * bool(config.html_baseurl),
        book_url=config.html_baseurl,
    )


def add_citation(
    app: Sphinx, page: str, template: str, context: dict[str, object], doctree: nodes.document
) -> None:
    """Give the templates the entries of a page, and its head the data."""
    if app.builder.name != "html" or page not in app.env.titles:
        return
    work = find_work(app, page)
    context["plain_title"] = plain_title(app.env.titles[page])
    context["citation"] = {
        "whole": work.book is None,
        "url": work.url,
        "entries": {"BibTeX": bibtex(work), "APA": apa(work), "GB/T 7714—2015": gbt7714(work)},
    }
    context["metatags"] = "\n".join(
        [str(context.get("metatags", "")), *meta_tags(work), linked_data(work)]
    )


def setup(app: Sphinx) -> dict[str, object]:
    """Connect the record and the pages."""
    app.add_config_value("citation_record", {}, "html")
    # before the editions take their folders from the address
    app.connect("config-inited", read_record, priority=300)
    app.connect("html-page-context", add_citation)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
