"""Both editions built at the same time, then the page in front of them.

``python -m attnbook.sphinxext.build`` from the project's root; options are passed on to Sphinx.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile

from attnbook.sphinxext import root
from attnbook.sphinxext.editions import EDITIONS

SITE = Path("_build/html")


def sphinx_options(language: str, target: Path, *options: str) -> list[str]:
    """Return the arguments with which Sphinx builds an edition from the project's root.

    Parameters
    ----------
    language : str
        Sphinx's code of the language.
    target : pathlib.Path
        Folder of the site; the edition gets a folder in it, and keeps what it has read beside it.
    *options : str
        Further options of Sphinx.

    Returns
    -------
    list of str
        What comes behind ``sphinx-build``.
    """
    tag = EDITIONS[language].tag
    doctrees = target.parent / "doctrees" / tag
    folders = ["-c", ".", "-d", str(doctrees), "docs", str(target / tag)]
    return ["-b", "html", "-n", "-D", f"language={language}", *options, *folders]


def build(site: Path, *options: str) -> list[str]:
    """Build every edition, all at the same time; return the names of those that failed.

    The first speaks while it is built. What the others say would be mixed up with that, and is
    printed afterwards.
    """
    if sys.stdout.isatty():
        options = ("--color", *options)
    failed = []
    with ExitStack() as stack:
        running = []
        for language, edition in EDITIONS.items():
            log = stack.enter_context(TemporaryFile()) if running else None
            arguments = sphinx_options(language, site, "-W", "--keep-going", *options)
            process = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", "sphinx", *arguments],
                    stdout=log,
                    stderr=subprocess.STDOUT if log else None,
                )
            )
            # whoever leaves early takes the builds along
            stack.callback(process.terminate)
            running.append((edition, process, log))
        for edition, process, log in running:
            if not log:
                print(f"\n=== {edition.name}", flush=True)
            if process.wait() != 0:
                failed.append(edition.name)
            if log:
                print(f"\n=== {edition.name}", flush=True)
                log.seek(0)
                sys.stdout.buffer.write(log.read())
                sys.stdout.flush()
    return failed


def main() -> int:
    """Build the editions and the front page, and say where to open the book."""
    failed = build(SITE, *sys.argv[1:])
    if failed:
        print(f"\nNot built: {', '.join(failed)}. What is wrong stands above.", file=sys.stderr)
        return 1
    root.main([str(SITE)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
