"""The book as a PDF: its pages become one page (`sheets`), which Chromium prints."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pikepdf
from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from attnbook import attention_weights, causal_mask

from .assembly import Book
from .clock import build_time
from .copied_text import name_characters
from .sheets import PrintedChapter, lay_out
from .words import WORDS

if TYPE_CHECKING:
    from playwright.sync_api import Page

FONT = Path("node_modules", "@fontsource", "source-serif-4")
FONT_STYLES = ("400", "400-italic", "700", "700-italic")
SITE_STYLES = ("pygments.css", "katex/katex.min.css", "mermaid.css")
"""Style sheets of the site that lay out no screen."""
TEXT_WIDTH = 575
"""Width of the text in CSS pixels: what the margins of `paper.css` leave of A4."""

FAULTS = """async () => {
  await document.fonts.ready;
  const start = (element) => element.outerHTML.slice(0, 200);
  const chapter = (element) => element.closest(".chapter")?.id ?? "front";
  // KaTeX lets boxes of indices stick out by two pixels that stay empty
  const edge = document.body.getBoundingClientRect().right + 3;
  // what has no box is not printed; a root's line is drawn too long and cut to its formula
  const wide = [...document.querySelectorAll("body *:not(svg, svg *)")].filter(
    (element) => element.checkVisibility() && element.getBoundingClientRect().right > edge,
  );
  const outermost = wide.filter((element) => !wide.includes(element.parentElement));
  const lost = [...document.images].filter((image) => !image.naturalWidth);
  return [
    ...outermost.map((element) => `${chapter(element)}: wider than the sheet: ${start(element)}`),
    ...lost.map((image) => `${chapter(image)}: no such image: ${start(image)}`),
  ];
}"""
"""What the printed page would clip or lack, one line each."""


HEADINGS = """() =>
  [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].map((h) => h.dataset.title)"""
"""The titles of the outline."""


class PaperError(Exception):
    """Say what would be missing on paper."""


def render(book: Book, parts: list[tuple[str, list[PrintedChapter]]], sheets: dict) -> str:
    """Return the whole book as one page; `sheets` holds the page number of each chapter."""
    styles = [book.folder / "_static" / name for name in SITE_STYLES]
    styles += [FONT / f"{name}.css" for name in FONT_STYLES]
    templates = Environment(loader=PackageLoader("attnbook.sphinxext"), autoescape=True)
    return templates.get_template("paper.html").render(
        book=book,
        parts=parts,
        words=WORDS[book.tag],
        art=Markup(draw_cover()),
        date=build_time().date().isoformat(),
        styles=[path.resolve().as_uri() for path in styles],
        own_style=Markup(Path(__file__).with_name("paper.css").read_text("utf-8")),
        sheets=sheets,
    )


def draw_cover(size: int = 12) -> str:
    """Return an attention map as SVG: each query sees what comes before it."""
    query, key = np.random.default_rng(2017).normal(size=(2, size, 4))
    weights = attention_weights(2 * query, key, mask=causal_mask(size))
    squares = [
        f'<rect x="{10 * j}" y="{10 * i}" width="9" height="9" fill-opacity="{weights[i, j]:.2f}"/>'
        for i in range(size)
        for j in range(i + 1)
    ]
    side = 10 * size - 1
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" role="presentation">'
        f'<g fill="#1f5fa8" stroke="#1f5fa8" stroke-width="0.25">{"".join(squares)}</g></svg>'
    )


def print_page(page: Page, source: Path) -> bytes:
    """Print a page as Chromium lays it out for paper.

    Raises
    ------
    PaperError
        If something is wider than the sheet, or an image is not there.
    """
    page.emulate_media(media="print")
    page.set_viewport_size({"width": TEXT_WIDTH, "height": 900})
    page.goto(source.as_uri())
    faults = page.evaluate(FAULTS)
    if faults:
        raise PaperError(f"{source.name} cannot be printed whole:\n" + "\n".join(faults))
    return page.pdf(prefer_css_page_size=True, print_background=True, tagged=True, outline=True)


def name_headings(pdf: pikepdf.Pdf, titles: list[str]) -> None:
    """Give the entries of the outline their titles; Chromium garbles some, and every formula."""
    with pdf.open_outline() as outline:
        entries = list(walk(outline.root))
        for entry, title in zip(entries, titles, strict=True):
            entry.title = title


def walk(entries: list[pikepdf.OutlineItem]) -> Iterator[pikepdf.OutlineItem]:
    """Yield entries of an outline in the order of the book."""
    for entry in entries:
        yield entry
        yield from walk(entry.children)


def chapter_sheets(pdf: pikepdf.Pdf, book: Book) -> dict[str, int]:
    """Return the page of the PDF, counted from 1, on which each chapter begins."""
    begins = pdf.Root.Dests
    return {
        chapter.name: pikepdf.Page(begins[f"/{chapter.name}"][0]).index + 1
        for chapter in book.chapters
    }


def print_book(book: Book, page: Page, work: Path) -> Path:
    """Print an edition.

    Parameters
    ----------
    book : Book
        The edition.
    page : playwright.sync_api.Page
        Page of a browser.
    work : pathlib.Path
        Folder for what is printed from, and for the picture of the cover.

    Returns
    -------
    pathlib.Path
        The PDF, in the folder of the edition.
    """
    source = work / f"{book.tag}.html"
    # printed once to learn where each chapter begins, and again with that in the contents
    parts, sheets = lay_out(book), {}
    for _ in range(2):
        source.write_text(render(book, parts, sheets), "utf-8")
        pdf = pikepdf.open(BytesIO(print_page(page, source)))
        sheets = chapter_sheets(pdf, book)
    pdf.docinfo = pdf.make_indirect(
        pikepdf.Dictionary(
            Title=book.title,
            Author=book.author,
            Subject=book.description,
            CreationDate=pikepdf.models.metadata.encode_pdf_date(build_time()),
        )
    )
    name_characters(pdf)
    name_headings(pdf, page.evaluate(HEADINGS))
    path = book.folder / f"attnbook-{book.tag}.pdf"
    pdf.save(
        path,
        # half the bytes: a tagged PDF consists of many small objects
        object_stream_mode=pikepdf.ObjectStreamMode.generate,
        deterministic_id=True,
    )
    return path


def picture_cover(page: Page) -> bytes:
    """Return the cover of the book that was printed last as a PNG, for the shelf of a reader."""
    page.add_style_tag(content=".cover { box-sizing: border-box; padding: 12mm; background: #fff }")
    return page.locator(".cover").screenshot(scale="device")
