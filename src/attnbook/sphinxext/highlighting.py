"""Code is marked up only where a colour asks for it.

Pygments puts every name, comma and space into an element of its own, though the styles of the book
give most of them the colour of the code around. On a phone it is the number of elements that costs:
without these, a page of code is laid out sooner and is smaller.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

from pygments.formatters import HtmlFormatter
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES, Generic, Text

if TYPE_CHECKING:
    from sphinx.application import Sphinx

Kind = tuple
"""What Pygments calls a token type."""


class SparingFormatter(HtmlFormatter):
    """Pygments' formatter, without elements that would look like the text around them."""

    plain: frozenset[Kind] = frozenset()
    """The kinds of token that get no element."""

    def format_unencoded(self, tokens: Iterable[tuple[Kind, str]], outfile: TextIO) -> None:
        """Write highlighted code; what looks like text is text."""
        super().format_unencoded(
            ((Text if kind in self.plain else kind, text) for kind, text in tokens), outfile
        )


def plain_tokens(*styles: str) -> frozenset[Kind]:
    """Return the kinds of token that no style makes look otherwise than text.

    Prompts and outputs are left alone: the button that copies code leaves them out.
    """
    looks = [get_style_by_name(style).style_for_token for style in styles]
    return frozenset(
        kind
        for kind in STANDARD_TYPES
        if kind not in Generic and all(look(kind) == look(Text) for look in looks)
    )


def be_sparing(app: Sphinx) -> None:
    """Let the highlighter leave out what neither the light nor the dark style of the theme uses."""
    if app.builder.name == "html":
        options = app.builder.theme.get_options(app.config.html_theme_options)
        styles = [options[f"pygments_{mode}_style"] for mode in ("light", "dark")]
        plain = {"plain": plain_tokens(*styles)}
        app.builder.highlighter.formatter = type("Formatter", (SparingFormatter,), plain)


def setup(app: Sphinx) -> dict[str, object]:
    """Replace the formatter once the theme is known."""
    app.connect("builder-inited", be_sparing)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
