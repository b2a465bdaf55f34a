"""The directive ``measured``: a table of what was measured, numbered and in the words of the page.

Words and sentences in its cells are messages like any other, so that each edition has its own;
names, numbers and answers are the same in all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from attnbook.data import measured

if TYPE_CHECKING:
    from sphinx.application import Sphinx

NEEDS_GPU = {"torch-cuda", "cupy"}
WORDS = {"refuses"}
"""Answers that are words of the language; the others are written alike in every edition."""
NONE = "–"


class Text(NamedTuple):
    """A cell of Markdown, which every edition has in its own words."""

    content: str
    n_rows: int = 1
    n_columns: int = 1


class Code(NamedTuple):
    """A cell of names or answers, one a line, the same in every edition."""

    content: str
    n_rows: int = 1
    n_columns: int = 1


class Number(NamedTuple):
    """A cell of one number, or of the dash that stands for none."""

    content: str
    n_rows: int = 1
    n_columns: int = 1


Row = list[Text | Code | Number]


def library_rows(content: dict[str, Any]) -> Iterator[Row]:
    """Yield a row for each library and, where tests were skipped, for each reason."""
    for name, library in content["libraries"].items():
        reasons = list(library["skipped"].items()) or [(None, 0)]
        counts = [str(library["passed"]), str(library["failed"])]
        version: Code | Text = Code(library["version"])
        if name in NEEDS_GPU and counts == ["0", "0"]:
            reasons = [("not run on a GPU", sum(library["skipped"].values()))]
            version, counts = Text(NONE), [NONE, NONE]
        first = [Code(name), version, *map(Number, counts)]
        row: Row = [cell._replace(n_rows=len(reasons)) for cell in first]
        for reason, n_skipped in reasons:
            yield [*row, Number(str(n_skipped)), Text(reason or NONE)]
            row = []


def disagreement_rows(content: dict[str, Any]) -> Iterator[Row]:
    """Yield a row for each reason, above the cases that it explains, and one for each case."""
    cases = fold(content["disagreements"])
    # the reason that explains most stands first
    sizes = {why: sum(row[-1] == why for row in cases) for *_, why in cases}
    cases.sort(key=lambda row: (-sizes[row[-1]], row[-1], row[1].replace("`", "").lower()))
    for why, rows in groupby(cases, key=lambda row: row[-1]):
        yield [Text(why, n_columns=4)]
        for libraries, case, theirs, ours, _ in rows:
            yield [Text(case), Code(libraries), answer(theirs), answer(ours)]


def fold(disagreements: list[dict[str, str]]) -> list[tuple[str, ...]]:
    """Join the libraries whose rows are the same, one a line, each with all its backends."""
    rows: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for row in disagreements:
        library, _, backend = row["library"].partition(", ")
        rest = tuple(row[part] for part in ("case", "theirs", "ours", "why"))
        rows.setdefault(rest, {}).setdefault(library, []).append(backend)
    return [
        ("\n".join(named(*library) for library in libraries.items()), *rest)
        for rest, libraries in rows.items()
    ]


def named(library: str, backends: list[str]) -> str:
    """Write a library with its backends, if it has any, the one that it chooses itself first."""
    backends = sorted(filter(None, backends), key=lambda name: (name != "default", name))
    return f"{library} ({', '.join(backends)})" if backends else library


def answer(said: str) -> Text | Code:
    """Return the cell of an answer."""
    return Text(said) if said in WORDS else Code(said)


def overhead_rows(content: dict[str, Any]) -> Iterator[Row]:
    """Yield a row for each library and shape."""
    for name, rows in groupby(content["rows"], key=lambda row: row["library"]):
        group = list(rows)
        first: Row = [Code(name, len(group))]
        for row in group:
            times = [row[side] for side in ("package", "direct", "difference")]
            # what is rounded to 0 has no sign
            times = [Number(f"{round(time, 1) + 0:.1f}") for time in times]
            ratio = Number(f"{row['ratio']:.2f}")
            yield [*first, Code(str(tuple(row["shape"]))), *times, ratio]
            first = []


def part_rows(content: dict[str, Any]) -> Iterator[Row]:
    """Yield a row for each part, with a column for each library."""
    parts = dict.fromkeys(row["part"] for row in content["parts"])
    for part in parts:
        times = (row["time"] for row in content["parts"] if row["part"] == part)
        yield [Text(part), *(Number(f"{time:.1f}") for time in times)]


class Table(NamedTuple):
    """One kind of table: the file it is made from, its head, and how its rows are made."""

    file: str
    head: tuple[Text | Code, ...]
    rows: Callable[[dict[str, Any]], Iterable[Row]]


TABLES = {
    "libraries": Table(
        "libraries",
        tuple(map(Text, ("library", "version", "passed", "failed", "skipped", "why skipped"))),
        library_rows,
    ),
    "disagreements": Table(
        "libraries",
        tuple(map(Text, ("case", "library", "it says", "we say"))),
        disagreement_rows,
    ),
    "overhead": Table(
        "overhead",
        (
            Text("library"),
            Code("(B, H, L, D)"),
            *map(Text, ("package", "direct lines", "difference", "ratio")),
        ),
        overhead_rows,
    ),
    "parts": Table("overhead", (Text("part of a call"), Code("numpy"), Code("torch")), part_rows),
}


class Measured(SphinxDirective):
    """``{measured} disagreements`` shows that table; the body is its caption, ``:name:`` its label.

    The kinds of tables are the keys of `TABLES`.
    """

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"name": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Return the table, or the error that takes its place."""
        kind = self.arguments[0]
        if kind not in TABLES:
            raise self.error(f"there is no table {kind!r}; there are {', '.join(TABLES)}")
        if not self.content or "name" not in self.options:
            raise self.error(f"the table {kind!r} needs a caption (its body) and a :name:")
        made = TABLES[kind]
        # the heads are messages too, and they stand here
        self.env.note_dependency(__file__)
        self.env.note_dependency(str(Path(measured.__file__).with_name(f"{made.file}.json")))
        rows = list(made.rows(getattr(measured, made.file)()))
        group = nodes.tgroup("", cols=len(made.head))
        group += [nodes.colspec("", colwidth=1) for _ in made.head]
        head = self._row(made.head)
        for entry, cell in zip(head, rows[0], strict=False):
            if isinstance(cell, Number):
                entry["classes"].append("number")
        group += nodes.thead("", head)
        group += nodes.tbody("", *map(self._row, rows))
        classes = ["measured", f"measured-{kind}", "colwidths-auto"]
        table = nodes.table("", self._caption(), group, classes=classes)
        self.set_source_info(table)
        self.add_name(table)
        return [table]

    def _caption(self) -> nodes.title:
        first, *rest = self.parse_content_to_nodes(allow_section_headings=False)
        if rest or not isinstance(first, nodes.paragraph):
            raise self.error("the caption of a table is one paragraph")
        # the raw source is what gettext extracts
        title = nodes.title(first.rawsource, "", *first.children)
        title.source, title.line = first.source, first.line
        return title

    def _row(self, cells: Iterable[Text | Code | Number]) -> nodes.row:
        return nodes.row("", *map(self._entry, cells))

    def _entry(self, cell: Text | Code | Number) -> nodes.entry:
        entry = nodes.entry("", classes=[type(cell).__name__.lower()])
        if cell.n_rows > 1:
            entry["morerows"] = cell.n_rows - 1
        if cell.n_columns > 1:
            entry["morecols"] = cell.n_columns - 1
        if isinstance(cell, Text) and cell.content != NONE:
            entry += self.parse_text_to_nodes(cell.content, offset=self.content_offset)
            return entry
        # of no source, these are no messages
        text = nodes.literal if isinstance(cell, Code) else nodes.inline
        entry += [nodes.paragraph("", "", text("", line)) for line in cell.content.split("\n")]
        return entry


def setup(app: Sphinx) -> dict[str, object]:
    """Register the directive."""
    app.add_directive("measured", Measured)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
