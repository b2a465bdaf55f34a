"""The console belongs to readers who try something there: the theme's notes are taken out of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def silence_scripts(app: Sphinx, exception: Exception | None) -> None:
    """Let the theme's scripts no longer say on every page which colours they chose.

    Their warnings and errors stay.
    """
    if exception or app.builder.format != "html":
        return
    # the search page has a script of its own
    for path in [
        *Path(app.outdir).glob("_static/scripts/*.js"),
        *Path(app.outdir).glob("search.html"),
    ]:
        text = path.read_text("utf-8")
        # of the same length: the source maps still fit
        path.write_text(text.replace("console.log(", "       void("), "utf-8")


def setup(app: Sphinx) -> dict[str, object]:
    """Connect the clean-up to the end of the build, when the theme's files are in place."""
    app.connect("build-finished", silence_scripts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
