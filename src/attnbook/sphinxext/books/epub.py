"""The book as an EPUB: each page of the site as XHTML, its formulas as MathML.

Readers for EPUB set MathML themselves, in the reader's own size and colours. Drawings become files:
shown as images they look the same everywhere.
"""

from __future__ import annotations

import posixpath
import uuid
import zipfile
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path

from bs4 import Tag
from jinja2 import Environment, PackageLoader

from .assembly import Book, Chapter, find_target
from .clock import build_time
from .drawings import take_drawings
from .words import WORDS

LIGHT = 'html[data-theme="light"] '
"""Start of the site's rules for the colours of code in the light theme."""

TYPES = {
    ".css": "text/css",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".xhtml": "application/xhtml+xml",
}


@dataclass
class Package:
    """The files of an EPUB: path → content, and what the manifest says of some besides the type."""

    files: dict[str, bytes] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)

    def type_of(self, path: str) -> str:
        """Return the media type of a file."""
        return TYPES[posixpath.splitext(path)[1]]

    def write(self, path: Path, content: str) -> None:
        """Write the archive: the type first and as it is, the rest in the order of its names."""
        parts = {
            "META-INF/container.xml": CONTAINER.encode(),
            "content.opf": content.encode(),
            **self.files,
        }
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in [("mimetype", b"application/epub+zip"), *sorted(parts.items())]:
                info = zipfile.ZipInfo(name, build_time().timetuple()[:6])
                info.compress_type = (
                    zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
                )
                archive.writestr(info, data)


CONTAINER = """<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
  <rootfiles>
    <rootfile full-path="content.opf" media-type="application/oebps-package+xml"/>
  </rootfiles>
</container>
"""


def write_epub(book: Book, cover: bytes) -> Path:
    """Write the EPUB of an edition.

    Parameters
    ----------
    book : Book
        The edition.
    cover : bytes
        PNG of its cover.

    Returns
    -------
    pathlib.Path
        The EPUB, in the folder of the edition.
    """
    templates = Environment(loader=PackageLoader("attnbook.sphinxext"), autoescape=True)
    words, package = WORDS[book.tag], Package()
    names = {chapter.name for chapter in book.chapters}
    page = templates.get_template("epub-page.xhtml")
    for chapter in book.chapters:
        path = f"{chapter.name}.xhtml"
        text = adapt(chapter, book, names, package)
        up = "../" * chapter.name.count("/")
        package.files[path] = page.render(book=book, chapter=chapter, text=text, up=up).encode()
        if "<math" in text:
            package.properties[path] = "mathml"
    package.files["book.css"] = read_style(book).encode()
    package.files["cover.png"] = cover
    for name in ("cover", "nav"):
        template = templates.get_template(f"epub-{name}.xhtml")
        sections = {chapter.name: list_sections(chapter) for chapter in book.chapters}
        package.files[f"{name}.xhtml"] = template.render(
            book=book, words=words, sections=sections
        ).encode()
    package.properties |= {"cover.png": "cover-image", "nav.xhtml": "nav"}
    content = templates.get_template("epub-content.opf").render(
        book=book,
        words=words,
        identifier=uuid.uuid5(uuid.NAMESPACE_DNS, f"{book.tag}.attnbook").urn,
        time=f"{build_time():%Y-%m-%dT%H:%M:%SZ}",
        package=package,
        ids={path: f"file-{number}" for number, path in enumerate(sorted(package.files))},
        spine=["cover.xhtml", "nav.xhtml", *(f"{chapter.name}.xhtml" for chapter in book.chapters)],
    )
    path = book.folder / f"attnbook-{book.tag}.epub"
    package.write(path, content)
    return path


def list_sections(chapter: Chapter) -> list[tuple[str, str]]:
    """Return anchor and title of each section of a chapter."""
    headings = chapter.article.select("section > h2")
    return [(heading.parent["id"], heading["data-title"]) for heading in headings]


def read_style(book: Book) -> str:
    """Return the style sheet: ours, and the site's colours of code."""
    site = (book.folder / "_static" / "pygments.css").read_text("utf-8")
    code = [line.removeprefix(LIGHT) for line in site.splitlines() if line.startswith(LIGHT)]
    return "\n".join([Path(__file__).with_name("epub.css").read_text("utf-8"), *code, ""])


def adapt(chapter: Chapter, book: Book, names: set[str], package: Package) -> str:
    """Return the text of a chapter as XHTML; put its pictures into the package."""
    text = copy(chapter.article)
    set_formulas(text)
    add_pictures(text, chapter, book, package)
    for link in text.select("a[href]"):
        target = find_target(link["href"], chapter.name, names)
        if target:
            name, fragment = target
            path = posixpath.relpath(f"{name}.xhtml", posixpath.dirname(chapter.name) or ".")
            link["href"] = f"{path}#{fragment}" if fragment else path
    for summary in text.select("details > summary"):
        # the site's own words for a box that is closed
        summary.string = (summary.select_one(".collapsed") or summary).get_text(strip=True)
    for element in text.select("[tabindex], [data-title], [role=doc-biblioentry]"):
        # a box that scrolls, and a role that is no longer used
        del element["tabindex"], element["data-title"], element["role"]
    return text.decode_contents(formatter="minimal")


def set_formulas(text: Tag) -> None:
    """Leave of each formula its MathML, with the TeX it was written in as its alternative."""
    for formula in text.select(".katex"):
        math = formula.find("math")
        annotation = math.find("annotation")
        math["alttext"] = annotation.get_text().strip()
        annotation.decompose()
        math.semantics.unwrap()
        formula.replace_with(math)


def add_pictures(text: Tag, chapter: Chapter, book: Book, package: Package) -> None:
    """Turn drawings into images, and put all images of a chapter into the package."""
    up = "../" * chapter.name.count("/")
    page = (book.folder / f"{chapter.name}.html").read_text("utf-8")
    for name, drawing in take_drawings(text, page, f"{up}drawings/").items():
        package.files[f"drawings/{name}"] = drawing.encode()
    for image in text.select("img"):
        source = (book.folder / chapter.name).parent / image["src"]
        if source.is_file():
            path = source.resolve().relative_to(book.folder).as_posix()
            package.files[path] = source.read_bytes()
