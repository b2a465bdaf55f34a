"""What moved is found at its old address: ``docs/redirects.txt`` says where it is now.

A page that moved is left as a page that leads on, which sphinx-reredirects writes. A part that
moved leaves a link at its old place, since no server ever sees the ``#`` of an address. Both are
followed by the reader's browser, from disk too, and can be clicked where there is no JavaScript.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader
from sphinx.locale import _
from sphinx.util.osutil import relative_uri

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.config import Config

REDIRECTS = "redirects.txt"
TEMPLATES = Environment(loader=PackageLoader("attnbook.sphinxext"), autoescape=True)


def read_redirects(path: Path) -> dict[str, str]:
    """Read where something has moved: old address → new address, ``page`` or ``page#place``."""
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    return dict(line.split() for line in lines if line and line[0] != "#")


def read_moved(app: Sphinx, config: Config) -> None:
    """Read the file; every page is written anew when it has changed."""
    config.moved = read_redirects(Path(app.srcdir, REDIRECTS))


def redirect_pages(app: Sphinx) -> list[object]:
    """Tell sphinx-reredirects of the pages that moved, on the site alone."""
    if app.builder.name == "html":
        folder = Path(__file__).parent / "templates"
        app.config.redirect_html_template_file = str(folder / "moved-page.html")
        app.config.redirects = {
            old: relative_uri(f"{old}.html", f"{new}.html")
            for old, new in app.config.moved.items()
            if "#" not in old
        }
    # no pages of our own
    return []


def redirect_places(
    app: Sphinx, page: str, template: str, context: dict[str, object], doctree: nodes.document
) -> None:
    """Leave a link where something stood that moved, also when its page moved before."""
    redirects = app.config.moved
    moved = []
    for old, new in redirects.items():
        old_page, sign, place = old.partition("#")
        if sign and redirects.get(old_page, old_page) == page:
            new_page, sign, new_place = new.partition("#")
            href = f"{context['pathto'](new_page)}{sign}{new_place}"
            moved.append((place, href, app.env.titles[new_page].astext()))
    if moved:
        stubs = TEMPLATES.get_template("moved-place.html").render(moved=moved, _=_)
        context["body"] = f"{context['body']}{stubs}"


def setup(app: Sphinx) -> dict[str, object]:
    """Connect the redirects."""
    app.setup_extension("sphinx_reredirects")
    app.add_config_value("moved", {}, "html")
    app.connect("config-inited", read_moved)
    # before sphinx-reredirects writes its pages
    app.connect("html-collect-pages", redirect_pages, priority=400)
    app.connect("html-page-context", redirect_places)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
