"""A tiny book in a temporary folder, built by Sphinx in this process."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

pytest.importorskip("sphinx")

from sphinx.testing.util import SphinxTestApp
from sphinx.util.console import strip_escape_sequences


class Book:
    """Sources in a folder, and what Sphinx said and wrote when it last built them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.warnings = ""
        self.log = ""
        self.code = 0

    def write(self, files: Mapping[str, str]) -> None:
        """Write files, each text dedented."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text).lstrip("\n"), "utf-8")

    def build(self, *extensions: str, builder: str = "html", **config: object) -> Book:
        """Build, and keep the warnings, the log and the exit code."""
        if not (self.folder / "conf.py").exists():
            self.write({"conf.py": "numfig = True\n"})
        app = SphinxTestApp(
            builder,
            srcdir=self.folder,
            confoverrides={
                "extensions": list(extensions),
                "html_theme": "basic",
                # Sphinx's own default is one dictionary that every build in a process changes
                "source_suffix": {".rst": "restructuredtext"},
                **config,
            },
        )
        self.app = app
        try:
            app.build()
        finally:
            self.warnings = strip_escape_sequences(app.warning.getvalue())
            self.log = strip_escape_sequences(app.status.getvalue())
            self.code = app.statuscode
            app.cleanup()
        return self

    def page(self, name: str = "index") -> str:
        """Return the HTML of a page."""
        return Path(self.app.outdir, f"{name}.html").read_text("utf-8")


@pytest.fixture
def book(tmp_path: Path) -> Callable[[Mapping[str, str]], Book]:
    """Return a maker of books from file names and texts."""

    def make(files: Mapping[str, str]) -> Book:
        made = Book(tmp_path)
        made.write(files)
        return made

    return make
