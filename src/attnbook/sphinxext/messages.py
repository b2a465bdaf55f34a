"""The translated edition is whole: every message has a translation, none is fuzzy or left over.

Docstrings and formulas are the same in every edition and are no messages.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from babel.messages.pofile import read_po
from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.nodes import extract_messages

if TYPE_CHECKING:
    from babel.messages import Catalog
    from sphinx.application import Sphinx

logger = logging.getLogger(__name__)

LANGUAGES = {"en"}
"""Languages that the source is written in."""


def read_catalog(path: Path, language: str) -> Catalog:
    """Read a ``.po`` file."""
    with path.open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


class KeepUntranslated(SphinxTransform):
    """Mark what is the same in every edition: docstrings, formulas and the file's own settings."""

    # before Sphinx collects the original messages (10)
    default_priority = 5

    def apply(self, **kwargs: object) -> None:
        """Switch off translation for these nodes."""
        for node in self.document.findall(nodes.math_block):
            node["translatable"] = False
        # the front matter is a field list outside all sections
        settings = [node for node in self.document if isinstance(node, nodes.field_list)]
        for part in [*settings, *self.document.findall(addnodes.desc)]:
            for node in part.findall(nodes.TextElement):
                # on inline nodes the mark means something else: Sphinx would dissolve them
                if not isinstance(node, nodes.Inline):
                    node["translatable"] = False


class FindUntranslated(SphinxTransform):
    """Report messages of a page that its catalogue lacks, and those that the page lacks."""

    # after the original messages are kept (10), before they are replaced (20)
    default_priority = 19

    def apply(self, **kwargs: object) -> None:
        """Compare the page with its catalogue."""
        if self.config.language in LANGUAGES:
            return
        docname = self.env.docname
        path = Path(
            self.env.srcdir,
            self.config.locale_dirs[0],
            self.config.language,
            "LC_MESSAGES",
            f"{docname}.po",
        )
        catalog = read_catalog(path, self.config.language) if path.is_file() else {}
        messages = {message: node for node, message in extract_messages(self.document)}
        for message, node in messages.items():
            entry = catalog.get(message)
            if entry is None or not entry.string or entry.fuzzy:
                state = "fuzzy" if entry is not None and entry.fuzzy else "missing"
                logger.warning(
                    "%s translation in %s: %r",
                    state,
                    path.name,
                    message[:200],
                    location=node if node.line else docname,
                    type="i18n",
                    subtype="untranslated",
                )
        for entry in catalog:
            if entry.id and entry.id not in messages:
                logger.warning(
                    "no longer on the page: %r",
                    entry.id[:200],
                    location=f"{path}:{entry.lineno}",
                    type="i18n",
                    subtype="untranslated",
                )


class CleanMeta(SphinxTransform):
    """Take Sphinx's note that it was translated off ``<meta>``, which would be written as HTML."""

    # after Sphinx has counted what is translated (25)
    default_priority = 30

    def apply(self, **kwargs: object) -> None:
        """Drop the attribute."""
        for node in self.document.findall(nodes.meta):
            node.attributes.pop("translated", None)


def setup(app: Sphinx) -> dict[str, object]:
    """Register the transforms."""
    app.add_transform(KeepUntranslated)
    app.add_transform(FindUntranslated)
    app.add_transform(CleanMeta)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
