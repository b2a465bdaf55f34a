"""Each page with cells as a Jupyter notebook, made from the page as it was built.

The prose is that of the edition, with its numbers and references filled in, as Markdown; the cells
and their outputs are those of the page. Cells that the page does not show are left out: the others
run without them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes

from .notebook import write_notebook

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

SOURCES = sorted(Path(__file__).parent.glob("*.py"))
"""What decides how a notebook is made: a change of it is a reason to make all of them anew."""


def note_cells(app: Sphinx, doctree: nodes.document) -> None:
    """Note whether the page that was read shows a cell; those with `remove-cell` are not in it."""
    cells = (
        box for box in doctree.findall(nodes.container) if box.get("nb_element") == "cell_code"
    )
    app.env.metadata[app.env.docname]["cells"] = any(True for _ in cells)


def has_cells(env: BuildEnvironment, page: str) -> bool:
    """Tell whether a page shows cells."""
    return env.metadata[page].get("cells", False)


def link_notebook(
    app: Sphinx, page: str, template: str, context: dict[str, object], doctree: object
) -> None:
    """Give the templates the address of the page's notebook."""
    if app.builder.name == "html" and has_cells(app.env, page):
        context["notebook"] = f"{page.rpartition('/')[2]}.ipynb"


def write_notebooks(app: Sphinx, exception: Exception | None) -> None:
    """Write the notebooks of all pages that were written anew."""
    if exception or app.builder.name != "html":
        return
    for page in sorted(filter(lambda page: has_cells(app.env, page), app.env.found_docs)):
        built, notebook = (Path(app.outdir, f"{page}.{kind}") for kind in ("html", "ipynb"))
        newest = max(path.stat().st_mtime for path in (built, *SOURCES))
        if not notebook.is_file() or notebook.stat().st_mtime < newest:
            write_notebook(Path(app.outdir), page, app.config.release)


def setup(app: Sphinx) -> dict[str, object]:
    """Connect the links and the writing of what they lead to."""
    app.connect("doctree-read", note_cells)
    app.connect("html-page-context", link_notebook)
    app.connect("build-finished", write_notebooks)
    return {
        "version": "1",
        "env_version": 1,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
