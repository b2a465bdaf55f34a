"""The browser that draws: one Chromium for all diagrams of a run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from attnbook.sphinxext.browser import find_chromium, launch

from .drawings import SCRIPT, Diagram, DiagramError
from .style import DRAWING_FONTS, FONT_FAMILY, PALETTE, SETTINGS

if TYPE_CHECKING:
    from playwright.sync_api import Page


def find_mermaid(node_modules: Path, version: str) -> Path:
    """Return the script of the pinned Mermaid.

    Raises
    ------
    DiagramError
        When it is not installed, or another version is.
    """
    package = node_modules / "mermaid" / "package.json"
    if not package.is_file():
        raise DiagramError(f"no Mermaid in {node_modules}: run `npm ci`")
    found = json.loads(package.read_text("utf-8"))["version"]
    if found != version:
        raise DiagramError(f"{node_modules} holds Mermaid {found}, not {version}: run `npm ci`")
    return package.parent / "dist" / "mermaid.min.js"


@contextmanager
def drawing_browser(mermaid_script: Path) -> Iterator[Callable[[], Page]]:
    """Start the browser that draws, offline; yield what opens a page with Mermaid and our script.

    Each diagram is drawn on a page of its own: Mermaid counts on from the diagram before, and
    the number gets into the drawing.

    Raises
    ------
    DiagramError
        When there is no Chromium, or a font is missing that the drawings are measured with.
    """
    try:
        find_chromium()
    except FileNotFoundError as error:
        raise DiagramError(str(error)) from error
    # only here: a book whose drawings are all there is built without playwright
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = launch(playwright)
        try:
            page = browser.new_context(offline=True, device_scale_factor=1).new_page()

            def fresh_page() -> Page:
                page.goto("about:blank")
                page.set_content('<!doctype html><html lang="en"><meta charset="utf-8"><body>')
                page.add_script_tag(path=mermaid_script)
                page.add_script_tag(content=SCRIPT.read_text("utf-8"))
                return page

            check_fonts(fresh_page())
            yield fresh_page
        finally:
            browser.close()


def draw(page: Page, diagram: Diagram) -> str:
    """Return the drawing of one diagram as the text of an SVG file.

    Raises
    ------
    DiagramError
        When the source does not parse, or is painted with a colour that has no dark twin.
    """
    _check_source(diagram)
    job = {
        "source": diagram.statements,
        "id": diagram.element_id,
        "alt": diagram.alt,
        "settings": SETTINGS,
        "palette": PALETTE,
    }
    result = page.evaluate("job => drawDiagram(job)", job)
    if "error" in result:
        raise DiagramError(f"{diagram.path}:{_said(diagram, result['error'])}")
    if result["outside"]:
        line = _line_with(diagram.source, result["outside"])
        raise DiagramError(
            f"{diagram.path}:{line}: painted with {', '.join(result['outside'])}, which is not in "
            "the palette of style.py and would stay the same in dark mode"
        )
    return result["svg"]


def check_fonts(page: Page) -> None:
    """Refuse to go on without the fonts, on a page that has our script.

    Raises
    ------
    DiagramError
        When one is missing.
    """
    latin = page.evaluate("name => hasLatinFont(name)", DRAWING_FONTS[0])
    if not latin:
        raise DiagramError(
            f"the font {DRAWING_FONTS[0]} is missing, and boxes would be measured for another: "
            "apt-get install fonts-dejavu-core"
        )
    if not page.evaluate("family => drawsChinese(family)", FONT_FAMILY):
        raise DiagramError(
            "no Chinese font: every Chinese character would be measured as an empty box: "
            "apt-get install fonts-noto-cjk"
        )


def _check_source(diagram: Diagram) -> None:
    """Refuse a name that makes no id, a source without alternative text or with own settings."""
    if not re.fullmatch(r"[a-z][a-z0-9-]*", diagram.stem):
        raise DiagramError(f"{diagram.path}:1: name it by lower-case letters, digits and hyphens")
    if not diagram.alt:
        raise DiagramError(f"{diagram.path}:1: needs accTitle and accDescr, its text in words")
    settings = re.search(r"^---|^\s*%%\{", diagram.source, re.MULTILINE)
    if settings:
        line = diagram.source.count("\n", 0, settings.end()) + 1
        raise DiagramError(f"{diagram.path}:{line}: settings belong in style.py, for all diagrams")


def _said(diagram: Diagram, message: str) -> str:
    """Return `<line>: <what Mermaid says>`, the line being that of the file."""
    # Mermaid starts to count at the first line that is not empty
    statements = diagram.statements
    skipped = statements[: len(statements) - len(statements.lstrip())].count("\n")
    reported = re.search(r"on line (\d+)", message)
    # a quote that never ends is reported behind the last line
    line = min(skipped + (int(reported[1]) if reported else 1), len(statements.splitlines()))
    # it repeats the whole diagram when it does not know its kind
    message = message.partition(" for text:")[0].strip()
    return f"{line}: " + re.sub(r"on line \d+", f"on line {line}", message)


def _line_with(source: str, words: list[str]) -> int:
    """Return the first line that holds one of `words`, else 1."""
    lines = source.lower().splitlines()
    found = (n for n, line in enumerate(lines, start=1) if any(word in line for word in words))
    return next(found, 1)
