"""The ``source`` directive: show the tested source of an object of the package."""

from __future__ import annotations

import ast
import inspect
import textwrap
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective

from attnbook.sphinxext.code_links import names_of

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def source_of(name: str, *, docstring: bool = False) -> tuple[str, Path]:
    """Return the source text of a public object and the file that it stands in.

    Parameters
    ----------
    name : str
        Dotted name of a function or class, such as ``attnbook.softmax``.
    docstring : bool
        Whether the object's own docstring stays in the text.

    Returns
    -------
    str
        The dedented source.
    pathlib.Path
        The file.

    Raises
    ------
    LookupError
        If nothing has this name, or what has it was not written in Python.
    """
    try:
        thing = resolve_name(name)
    except (ImportError, AttributeError, ValueError) as error:
        raise LookupError(f"nothing is named {name!r} ({error})") from error
    try:
        path = Path(inspect.getsourcefile(thing) or "")
        text = textwrap.dedent(inspect.getsource(thing))
    except (TypeError, OSError) as error:
        raise LookupError(f"{name!r} has no Python source ({error})") from error
    return (text if docstring else without_docstring(text)), path


def without_docstring(text: str) -> str:
    """Cut the docstring out of the source of one function or class."""
    (definition,) = ast.parse(text).body
    if ast.get_docstring(definition, clean=False) is None:
        return text
    statement = definition.body[0]
    lines = text.splitlines(keepends=True)
    return "".join(lines[: statement.lineno - 1] + lines[statement.end_lineno :])


class Source(SphinxDirective):
    """``{source} dotted.name`` shows the code of an object and links to its API entry."""

    required_arguments = 1
    option_spec: ClassVar = {"docstring": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Build a code block under a caption that links to the API reference."""
        name = self.arguments[0]
        try:
            text, path = source_of(name, docstring="docstring" in self.options)
        except LookupError as error:
            raise self.error(f"cannot show source: {error}") from error
        self.env.note_dependency(str(path))
        block = nodes.literal_block(text, text, language="python")
        block["bound"] = names_of(resolve_name(name).__module__, path)
        self.set_source_info(block)
        return [self.captioned(name, block)]

    def captioned(self, name: str, block: nodes.literal_block) -> nodes.container:
        """Put the block under a caption that names the object."""
        link = pending_xref(
            "",
            nodes.literal("", name, classes=["xref", "py", "py-obj"]),
            refdomain="py",
            reftype="obj",
            reftarget=name,
            refdoc=self.env.docname,
            refexplicit=False,
            refwarn=True,
        )
        self.set_source_info(link)
        # a name is the same in every language
        caption = nodes.caption("", "", link, translatable=False)
        self.set_source_info(caption)
        box = nodes.container("", caption, block, literal_block=True, classes=["tested-source"])
        box["classes"].insert(0, "literal-block-wrapper")
        return box


def setup(app: Sphinx) -> dict[str, object]:
    """Register the directive."""
    app.add_directive("source", Source)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
