"""Alternative texts that quote results: the ``glue:text`` role works in them as it does in prose.

The alternative text of a figure is an attribute, not text that is parsed, so that MyST-NB leaves
roles in it alone. Here they are filled in from what the cells glued: numbers as in
``{glue:text}`page.md::key:.2f```, whole texts with the format of texts, ``page.md::key:s``. Without
a format MyST-NB cannot read a role that names its page, so that such a role is reported.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from docutils import nodes
from myst_nb.core.variables import format_plain_text
from myst_nb.ext.glue.crossref import read_glue_cache
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx

logger = logging.getLogger(__name__)

GLUE = re.compile(r"\{glue:text\}`(?P<page>[^`:]+)\.md::(?P<key>[^`:]+)(?::(?P<format>[^`]+))?`")


class FillAlternativeText(SphinxPostTransform):
    """Replace each ``glue:text`` role in an alternative text by the value it names."""

    # after MyST-NB has chosen which form of an output is shown (4)
    default_priority = 6
    # not in catalogues: translators see the role, not its value
    formats = ("html", "latex", "text")

    def run(self, **kwargs: object) -> None:
        """Fill in every image of the page."""
        for image in self.document.findall(nodes.image):
            if "alt" in image:
                image["alt"] = GLUE.sub(
                    lambda role, image=image: self.value(role, image), image["alt"]
                )

    def value(self, role: re.Match, image: nodes.image) -> str:
        """Return the value of one role; report what cannot be found, formatted or read."""
        folder = posixpath.dirname(self.env.docname)
        page = posixpath.normpath(posixpath.join(folder, role["page"]))
        glued = read_glue_cache(self.env.mystnb_config.output_folder, page)
        try:
            value = glued[role["key"]]["data"]["text/plain"]
            return format_plain_text(value, read_format(role, value))
        except (KeyError, ValueError) as error:
            logger.warning(
                "alternative text quotes %s, which %s.md does not glue that way (%s)",
                role[0],
                page,
                error,
                location=image,
                type="alt",
            )
            return role[0]


def read_format(role: re.Match, value: str) -> str:
    """Return the format of a role; refuse none at all, and that of texts for anything else."""
    if not role["format"]:
        raise ValueError("a format is missing: s for a text, such as .2f for a number")
    if role["format"].endswith("s") and value[:1] not in {"'", '"'}:
        raise ValueError(f"the format s is for texts, not for {value[:40]}")
    return role["format"]


def setup(app: Sphinx) -> dict[str, object]:
    """Register the transform."""
    app.add_post_transform(FillAlternativeText)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
