"""Names in the code lead to their entries in the API reference.

The code is read, not run: names are followed from the imports of a page's cells, or of the file
that a ``source`` block shows, to what the reference describes. sphinx-codeautolink follows more,
the methods of an object for one, but imports PyTorch for it and parses every page again, which
took as long as all the rest of a build.
"""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PYTHON = {"python", "ipython", "ipython3"}

PIECE = re.compile(r'<span class="[^"]*">([^<]*)</span>|([^<]+)|<[^>]*>')
"""What a highlighted block is made of: a coloured text, a plain one, or a tag by itself."""

CHARACTER = re.compile("&[^;]+;|.", re.S)
"""A character as HTML writes it."""


class Names(ast.NodeVisitor):
    """Follows names through code: which of them came from an import, and from where."""

    def __init__(self, bound: dict[str, str]) -> None:
        """Begin with the names that are known: name → dotted path of what it stands for."""
        self.bound = bound
        self.uses: list[tuple[ast.AST, str]] = []

    def visit_Import(self, node: ast.Import) -> None:
        """Bind what is imported."""
        for alias in node.names:
            path = alias.name if alias.asname else alias.name.partition(".")[0]
            self.bound[alias.asname or path] = path

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Bind what is imported, and note that it is named here."""
        for alias in node.names if not node.level else ():
            self.bound[alias.asname or alias.name] = f"{node.module}.{alias.name}"
            self.uses.append((alias, f"{node.module}.{alias.name}"))

    def visit_Name(self, node: ast.Name) -> None:
        """Note a use, or forget a name that now stands for something else."""
        if not isinstance(node.ctx, ast.Load):
            self.bound.pop(node.id, None)
        elif node.id in self.bound:
            self.uses.append((node, self.bound[node.id]))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Note the use of something inside a module, and of what contains it."""
        self.visit(node.value)
        # of the object in front of the dot, the last use noted is the longest
        if self.uses and self.uses[-1][0] is node.value:
            self.uses.append((node, f"{self.uses[-1][1]}.{node.attr}"))

    def visit_Assign(self, node: ast.Assign) -> None:
        """Read the value before its name is taken."""
        self.visit(node.value)
        for target in node.targets:
            self.visit(target)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Forget the name of the function everywhere, those of its parameters inside."""
        self.bound.pop(node.name, None)
        outside = dict(self.bound)
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                self.bound.pop(argument.arg, None)
        self.generic_visit(node)
        self.bound.clear()
        self.bound.update(outside)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Forget the name of the class."""
        self.bound.pop(node.name, None)
        self.generic_visit(node)


def names_of(module: str, file: Path) -> dict[str, str]:
    """Return what the names at the top of a module stand for: name → dotted path."""
    tree = ast.parse(file.read_text("utf-8"))
    names = Names({})
    for statement in tree.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            names.visit(statement)
        elif isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            names.bound[statement.name] = f"{module}.{statement.name}"
    return names.bound


def public_paths(path: str) -> Iterator[str]:
    """Yield the names under which a thing may be public: its own, then those of outer packages."""
    *modules, name = path.split(".")
    for depth in range(len(modules), 0, -1):
        yield ".".join([*modules[:depth], name])


def find_names(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Note in each block of Python which of its characters name something in the reference."""
    if app.builder.name != "html":
        return
    bound: dict[str, str] = {}
    # in their order: what one imports, the next may use
    for block in doctree.findall(nodes.literal_block):
        if block.get("language") in PYTHON:
            names = Names(dict(block["bound"]) if "bound" in block else bound)
            block["links"] = [
                (start, end, address)
                for start, end, path in read_code(block.astext(), names)
                if (address := find_entry(app, page, path))
            ]


def read_code(code: str, names: Names) -> Iterator[tuple[int, int, str]]:
    """Yield where code uses a name from an import, as start and end, and the path of the name."""
    try:
        names.visit(ast.parse(code))
    except SyntaxError:
        return
    lines = code.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines))]

    def place(line: int, column: int) -> int:
        # Python counts bytes
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    for node, path in names.uses:
        yield (
            place(node.lineno, node.col_offset),
            place(node.end_lineno, node.end_col_offset),
            path,
        )


def find_entry(app: Sphinx, page: str, path: str) -> str | None:
    """Return the address of the entry of a path in the reference, as seen from a page."""
    entries = app.env.domains.python_domain.objects
    entry = next((entries[name] for name in public_paths(path) if name in entries), None)
    return entry and f"{app.builder.get_relative_uri(page, entry.docname)}#{entry.node_id}"


def link_names(block: str, code: str, links: list[tuple[int, int, str]]) -> str:
    """Put links into the HTML of a highlighted block."""
    # of a name and what is in front of its dots, the longest comes last
    opening = {start: (end, address) for start, end, address in links}
    closing = {end for end, _ in opening.values()}
    front, pre, highlighted = block.partition("<pre>")
    shown = "".join(html.unescape(one or two) for one, two in PIECE.findall(highlighted))
    if shown.rstrip() != code.rstrip():
        raise ValueError(f"the highlighter changed the code {code[:40]!r}")
    at = 0

    def mark(piece: str, text: str) -> str:
        nonlocal at
        address = opening[at][1] if text and at in opening else ""
        at += len(text)
        before = f'<a class="code-link" href="{html.escape(address)}">' if address else ""
        return f"{before}{piece}{'</a>' if text and at in closing else ''}"

    def mark_all(piece: re.Match) -> str:
        coloured, plain = piece.groups()
        if plain:
            return CHARACTER.sub(lambda one: mark(one[0], html.unescape(one[0])), plain)
        return mark(piece[0], html.unescape(coloured or ""))

    return front + pre + PIECE.sub(mark_all, highlighted)


def link_highlighted(app: Sphinx) -> None:
    """Let the highlighter put the links in; the block that it works for is told as its place."""
    if app.builder.name != "html":
        return
    highlight = app.builder.highlighter.highlight_block

    def highlight_block(source: str, *args: object, **options: object) -> str:
        block = highlight(source, *args, **options)
        place = options.get("location")
        links = place.get("links") if isinstance(place, nodes.literal_block) else None
        return link_names(block, source, links) if links else block

    app.builder.highlighter.highlight_block = highlight_block


def setup(app: Sphinx) -> dict[str, object]:
    """Find the names when the pages are known, and put links around them."""
    app.connect("builder-inited", link_highlighted)
    app.connect("doctree-resolved", find_names)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
