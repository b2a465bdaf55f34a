"""An edition shown while it is written: built again after each save, the open page loaded again.

``python -m attnbook.sphinxext.live`` from the project's root. Sphinx-autobuild watches, builds and
serves; the script by which a page hears of the next one is in the answer of its server and never in
a file. What it builds stays apart from the site that is published.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from sphinx_autobuild.__main__ import main as serve

from attnbook.sphinxext.build import sphinx_options
from attnbook.sphinxext.editions import EDITIONS

SITE = Path("_build/live/html")

WATCHED = ("src/attnbook", "conf.py")
"""What the pages depend on besides ``docs``."""

WRITTEN_BY_PROGRAMS = (r"\.mo$", r"/__pycache__/", r"/\.ipynb_checkpoints/", r"~$", r"\.sw[a-z]$")
"""Files that change without anybody having saved them, the first because the book was built."""


def main() -> None:
    """Show an edition of the book and follow its sources."""
    parser = argparse.ArgumentParser(
        description=main.__doc__, epilog="Other options go to sphinx-autobuild, such as --port."
    )
    parser.add_argument("language", nargs="?", default="en", choices=EDITIONS)
    arguments, options = parser.parse_known_args()
    watched = [f"--watch={path}" for path in WATCHED]
    ignored = [f"--re-ignore={pattern}" for pattern in WRITTEN_BY_PROGRAMS]
    serve(
        [
            *watched,
            *ignored,
            *sphinx_options(arguments.language, SITE, "-q", "-t", "live", *options),
        ]
    )


if __name__ == "__main__":
    main()
