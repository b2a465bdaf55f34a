"""Draw the diagrams whose source changed: ``python -m attnbook.sphinxext.mermaid.draw FOLDER``.

Nothing is written unless everything that is stale could be drawn. ``--check`` only says what is
stale; it needs no browser, no Node and no Mermaid.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .browser import draw, drawing_browser, find_mermaid
from .drawings import (
    Diagram,
    DiagramError,
    drawn_folder,
    lock_file,
    mermaid_version,
    orphan_drawings,
    stale_diagrams,
)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    options = _parser().parse_args(arguments)
    try:
        if options.check:
            return check(options.folder)
        return draw_stale(options.folder, options.node_modules)
    except DiagramError as error:
        print(error, file=sys.stderr)
        return 1


def check(folder: Path) -> int:
    """Print what drawing would change; return 1 when there is anything, else 0."""
    stale, orphans = stale_diagrams(folder), orphan_drawings(folder)
    for diagram in stale:
        print(f"{diagram.path}: changed since it was drawn")
    for path in orphans:
        print(f"{path}: belongs to no diagram")
    return 1 if stale or orphans else 0


def draw_stale(folder: Path, node_modules: Path | None = None) -> int:
    """Draw what is stale and remove what belongs to no diagram; return the exit status."""
    stale = stale_diagrams(folder)
    drawings, errors = _draw_all(stale, folder, node_modules) if stale else ({}, [])
    if errors:
        print(*errors, sep="\n", file=sys.stderr)
        return 1
    drawn_folder(folder).mkdir(exist_ok=True)
    for path, text in drawings.items():
        _write(path, text)
        print(f"drew {path}")
    for path in orphan_drawings(folder):
        path.unlink()
        print(f"removed {path}")
    return 0


def _draw_all(
    diagrams: list[Diagram], folder: Path, node_modules: Path | None
) -> tuple[dict[Path, str], list[DiagramError]]:
    """Draw in memory, and collect what is wrong instead of stopping at the first diagram."""
    modules = node_modules or lock_file(folder).parent / "node_modules"
    drawings, errors = {}, []
    with drawing_browser(find_mermaid(modules, mermaid_version(folder))) as fresh_page:
        for diagram in diagrams:
            try:
                drawings[diagram.drawing] = draw(fresh_page(), diagram)
            except DiagramError as error:
                errors.append(error)
    return drawings, errors


def _write(path: Path, text: str) -> None:
    """Write a whole file or none: half a drawing would count as drawn from then on."""
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(text, "utf-8", newline="\n")
    unfinished.replace(path)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="draw", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="the folder of .mmd files")
    parser.add_argument("--check", action="store_true", help="only list what is stale")
    parser.add_argument("--node-modules", type=Path, help="default: beside package-lock.json")
    return parser


if __name__ == "__main__":
    sys.exit(main())
