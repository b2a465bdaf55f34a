"""Addresses that were published stay: all are listed, and none may disappear unnoticed.

``docs/anchors`` has one list for each edition of what others may refer to: pages, sections,
figures, tables, equations, terms and entries of the reference. The addresses are the same in every
edition; terms are known by the names of its language too.
``python -m attnbook.sphinxext.anchors _build/html docs/anchors`` adds what is new.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from docutils.nodes import make_id
from sphinx.util import logging
from sphinx.util.inventory import InventoryFile

from attnbook.sphinxext.editions import EDITIONS
from attnbook.sphinxext.redirects import REDIRECTS

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

logger = logging.getLogger(__name__)

ANCHORS = "anchors"
MADE_BY_SPHINX = {"genindex", "modindex", "py-modindex", "search"}
HEADER = """\
# what others may refer to in this edition: its address, its kind and its name for other books.
# `nox -s docs anchors` adds what is new; a line is never taken out
"""


class Anchor(NamedTuple):
    """One thing that others may refer to."""

    address: str
    """``page`` or ``page#place``, without the edition and without suffix."""
    kind: str
    """Its kind in Sphinx's inventory, such as ``std:label``."""
    name: str
    """Its name there."""


def read_anchors(path: Path) -> set[Anchor]:
    """Read a list of anchors, one a line; a ``#`` begins a comment."""
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    return {Anchor(*line.split(None, 2)) for line in lines if line and line[0] != "#"}


def list_of(language: str, folder: Path) -> Path:
    """Return where the list of an edition is."""
    return folder / f"{EDITIONS[language].tag}.txt"


def find_anchors(env: BuildEnvironment) -> Iterator[Anchor]:
    """Yield what the book has now."""
    for domain in env.domains.sorted():
        for name, _title, kind, page, place, _priority in domain.get_objects():
            address = f"{page}#{place}" if place else page
            yield Anchor(address, f"{domain.name}:{kind}", name)


def label_equations(app: Sphinx, env: BuildEnvironment) -> None:
    """Make equations known to other books, where a reference to one reads ``(1)``."""
    labels = env.domains.standard_domain.labels
    for name, (page, number) in env.domains.math_domain.equations.items():
        labels[name] = (page, make_id(f"equation-{name}"), f"({number})")


def find_lost(
    listed: set[Anchor], present: set[Anchor], redirects: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield each address that leads nowhere any more, with what to do about it."""
    addresses = {anchor.address for anchor in present}
    names = {anchor[1:] for anchor in present}
    pages = {anchor.address for anchor in listed if anchor.kind == "std:doc"}
    lost_pages = pages - addresses - redirects.keys()
    for page in sorted(lost_pages):
        yield page, f"say in docs/{REDIRECTS} which page has its subject now: {page} new-page"
    for address, kind, name in sorted(listed):
        page, sign, place = address.partition("#")
        now = f"{redirects.get(page, page)}{sign}{place}"
        if page in lost_pages or address in redirects or now in redirects:
            continue
        if now not in addresses:
            keep = f"put ({name})= above its new place" if kind == "std:label" else "keep it"
            yield now, f"{keep}, or say in docs/{REDIRECTS} where it is now: {now} page#place"
        elif sign and (kind, name) not in names:
            yield address, f"it is no longer called {name} ({kind}): keep the old name as well"


def check(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn of anchors that disappeared, and of redirects that lead nowhere."""
    if app.builder.format != "html":
        return
    redirects, present = app.config.moved, set(find_anchors(env))
    addresses = {anchor.address for anchor in present}
    listed = read_anchors(list_of(app.config.language, Path(app.srcdir, ANCHORS)))
    for address, advice in find_lost(listed, present, redirects):
        logger.warning("%s has disappeared, and others may refer to it: %s", address, advice)
    for old, new in redirects.items():
        if old in addresses:
            logger.warning("docs/%s: %s is still there and cannot be moved", REDIRECTS, old)
        if new not in addresses:
            logger.warning("docs/%s: %s leads to %s, which is not there", REDIRECTS, old, new)


def read_inventory(path: Path) -> set[Anchor]:
    """Read what a built edition tells other books."""
    return {
        Anchor(item.uri.replace(".html", "", 1), kind, name)
        for kind, items in InventoryFile.loads(path.read_bytes(), uri="").data.items()
        for name, item in items.items()
        if name not in MADE_BY_SPHINX
    }


def extend(site: Path, folder: Path) -> int:
    """Add what is new in the built site to the lists and return how much that was.

    Raises
    ------
    ValueError
        If the editions have different addresses.
    """
    built = {
        language: read_inventory(site / edition.tag / "objects.inv")
        for language, edition in EDITIONS.items()
    }
    addresses = [{anchor.address for anchor in anchors} for anchors in built.values()]
    one_sided = set.union(*addresses) - set.intersection(*addresses)
    if one_sided:
        raise ValueError(f"not in every edition: {', '.join(sorted(one_sided))}")
    new = 0
    for language, anchors in built.items():
        path = list_of(language, folder)
        listed = read_anchors(path)
        new += len(anchors - listed)
        lines = [" ".join(anchor) for anchor in sorted(listed | anchors)]
        path.write_text("\n".join([HEADER, *lines, ""]), "utf-8")
    return new


def main() -> None:
    """List what is new among the addresses of a built site."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("site", type=Path, help="folder that holds the built editions")
    parser.add_argument("folder", type=Path, help="folder of the lists, docs/anchors")
    args = parser.parse_args()
    print(f"{extend(args.site, args.folder)} new in {args.folder}")


def setup(app: Sphinx) -> dict[str, object]:
    """Connect the list."""
    app.setup_extension("attnbook.sphinxext.redirects")
    app.connect("env-updated", label_equations, priority=800)
    app.connect("env-updated", check, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    main()
