"""Where the drawing of a diagram lives, and what makes it out of date.

A drawing's file name carries a digest of everything that decides what it looks like. It is looked
up by computing the name again, so a drawing that no longer matches its source is not found, and an
unchanged book needs neither a browser nor Node.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .style import PALETTE, SETTINGS

SOURCE_LANGUAGE = "en"
SCRIPT = Path(__file__).with_name("draw.js")
LOCK = "package-lock.json"
COMMENT = r"^[ \t]*%%.*$"
TITLE = r"^[ \t]*accTitle[ \t]*:(.*)$"
DESCRIPTION = r"^[ \t]*accDescr[ \t]*(?::(.*)$|\{([^}]*)\})"
# what else than its source decides a drawing; pages that show one depend on these files too
RENDERER_FILES = (SCRIPT, Path(__file__).with_name("style.py"))


class DiagramError(Exception):
    """Say what is wrong with a diagram, and where, in one sentence for the person who wrote it."""


@dataclass(frozen=True)
class Diagram:
    """One Mermaid source file: a figure of the book in one language.

    Parameters
    ----------
    path : Path
        ``<stem>.mmd`` in the source language, ``<stem>.<language>.mmd`` in any other.
    """

    path: Path

    @classmethod
    def named(cls, folder: Path, stem: str, language: str) -> Diagram:
        """Return the diagram that an edition of the book shows under a name."""
        suffix = "" if language.split("_")[0] == SOURCE_LANGUAGE else f".{language}"
        return cls(folder / f"{stem}{suffix}.mmd")

    @property
    def stem(self) -> str:
        """The name a page uses, the same in every language."""
        return self.path.name.split(".")[0]

    @cached_property
    def source(self) -> str:
        """The Mermaid text."""
        return self.path.read_text("utf-8")

    @property
    def title(self) -> str:
        """The diagram's name for a screen reader, ``accTitle``; empty when there is none."""
        return _first_match(TITLE, self.source)

    @property
    def description(self) -> str:
        """What the diagram shows, in words, ``accDescr``; empty when there is none."""
        return _first_match(DESCRIPTION, self.source)

    @property
    def alt(self) -> str:
        """The text that stands for the picture; empty unless both of its parts are written."""
        if not (self.title and self.description):
            return ""
        colon = "：" if re.search(r"[\u4e00-\u9fff]", self.title) else ": "
        return f"{self.title}{colon}{self.description}"

    @property
    def statements(self) -> str:
        """The source with empty lines where its comments and its text in words stand.

        Mermaid would remove comments, and count lines without them when it reports an error.
        """
        pattern = "|".join((COMMENT, TITLE, DESCRIPTION))
        return re.sub(pattern, _as_empty_lines, self.source, flags=re.MULTILINE)

    @property
    def element_id(self) -> str:
        """The id of the drawing's root element, and the prefix of every id inside it."""
        return f"diagram-{self.stem}"

    @property
    def drawing(self) -> Path:
        """Where the drawing of the source as it stands now belongs."""
        decides = [self.stem, self.source, SETTINGS, PALETTE, mermaid_version(self.path.parent)]
        decides.append(SCRIPT.read_text("utf-8"))
        text = json.dumps(decides, sort_keys=True, ensure_ascii=False)
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        return drawn_folder(self.path.parent) / f"{self.path.stem}.{digest}.svg"


def drawn_folder(folder: Path) -> Path:
    """Return the folder that holds the committed drawings of the diagrams in `folder`."""
    return folder / "drawn"


def all_diagrams(folder: Path) -> list[Diagram]:
    """Return every diagram in `folder`, in the order of their names."""
    return [Diagram(path) for path in sorted(folder.glob("*.mmd"))]


def stale_diagrams(folder: Path) -> list[Diagram]:
    """Return the diagrams whose source, or whose look, changed since they were drawn."""
    return [diagram for diagram in all_diagrams(folder) if not diagram.drawing.is_file()]


def orphan_drawings(folder: Path) -> list[Path]:
    """Return the drawings that belong to no diagram as it stands now."""
    wanted = {diagram.drawing for diagram in all_diagrams(folder)}
    return [path for path in sorted(drawn_folder(folder).glob("*.svg")) if path not in wanted]


def lock_file(folder: Path) -> Path:
    """Return the nearest `package-lock.json` at or above `folder`: it pins Mermaid's version.

    Raises
    ------
    DiagramError
        When there is none.
    """
    for parent in (folder.resolve(), *folder.resolve().parents):
        if (parent / LOCK).is_file():
            return parent / LOCK
    raise DiagramError(f"no {LOCK} at or above {folder}: it pins the version of Mermaid")


def mermaid_version(folder: Path) -> str:
    """Return the version of Mermaid that draws the diagrams in `folder`.

    Raises
    ------
    DiagramError
        When the lock file is missing or does not name Mermaid.
    """
    lock = lock_file(folder)
    packages = json.loads(lock.read_text("utf-8")).get("packages", {})
    try:
        return packages["node_modules/mermaid"]["version"]
    except KeyError:
        raise DiagramError(f"{lock} does not pin mermaid: run `npm install mermaid`") from None


def _first_match(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    return " ".join("".join(filter(None, found.groups())).split()) if found else ""


def _as_empty_lines(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")
