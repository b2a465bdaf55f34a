"""A page of the built site as a notebook: the order of its cells, their outputs, its references."""

from __future__ import annotations

import base64
import re
from copy import copy
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import nbformat
from bs4 import BeautifulSoup, NavigableString, Tag
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from attnbook.sphinxext.books.assembly import ONLY_ON_SCREEN, parse
from attnbook.sphinxext.books.drawings import take_drawings
from attnbook.sphinxext.books.words import WORDS

from .markdown import prepare, to_markdown

# no text of the book has this character; between two of them stands the number of a cell
MARK = "\ue000"
BIBLIOGRAPHY = "bibliography.html"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def write_notebook(edition: Path, page: str, version: str) -> Path:
    """Write the notebook of a page beside it.

    Parameters
    ----------
    edition : pathlib.Path
        Folder of the built edition, named by its language tag.
    page : str
        The page, without suffix.
    version : str
        Version of the book.

    Returns
    -------
    pathlib.Path
        The notebook.
    """
    path = edition / f"{page}.html"
    html = parse(path)
    article = html.find("article")
    for element in article.select(ONLY_ON_SCREEN):
        element.decompose()
    cited = list_cited(article, path)
    canonical = html.select_one("link[rel=canonical]")
    resolve_links(article, canonical["href"] if canonical else "")
    drawings = take_drawings(article, path.read_text("utf-8"), "attachment:")
    code = take_cells(article, path)
    prepare(article)
    words = WORDS[edition.name]
    note = words.notebook.format(book=book_title(edition), version=version, licence=words.licence)
    title, text = to_markdown(article).split("\n", 1)
    cells = [new_markdown_cell(f"{title}\n\n> {note}")]
    for part in re.split(f"{MARK}(\\d+){MARK}", text):
        if part.isdigit():
            cells.append(code[int(part)])
        elif part.strip():
            cells.append(new_markdown_cell(part.strip()))
            shown = {
                name: {"image/svg+xml": base64.b64encode(svg.encode()).decode()}
                for name, svg in drawings.items()
                if f"attachment:{name}" in part
            }
            if shown:
                cells[-1]["attachments"] = shown
    if cited:
        entries = "\n".join(f"- {entry}" for entry in cited)
        cells.append(new_markdown_cell(f"## {words.references}\n\n{entries}"))
    for number, cell in enumerate(cells):
        # the same page gives the same bytes
        cell["id"] = f"cell-{number}"
    target = path.with_suffix(".ipynb")
    nbformat.write(new_notebook(cells=cells, metadata=METADATA), target)
    return target


def book_title(edition: Path) -> str:
    """Return the title of the book."""
    heading = parse(edition / "index.html").find("h1")
    return heading.find(string=True)


def list_cited(article: Tag, page: Path) -> list[str]:
    """Return the entries of the bibliography that a page cites, as Markdown."""
    anchors = {}
    for link in article.select(f'a[href*="{BIBLIOGRAPHY}#"]'):
        path, anchor = urldefrag(link["href"])
        anchors.setdefault(path, []).append(anchor)
    entries = []
    for path, names in anchors.items():
        bibliography = parse((page.parent / path).resolve())
        for entry in bibliography.select("div.citation"):
            if entry.get("id") in names:
                text = copy(entry)
                for label in text.select(".label, .backrefs"):
                    label.decompose()
                prepare(text)
                entries.append(" ".join(to_markdown(text).split()))
    return entries


def resolve_links(article: Tag, address: str) -> None:
    """Let links lead to the published book, or leave their text where it is not published."""
    for link in article.select("a[href]"):
        link.attrs = {"href": link["href"]}
        if "://" in link["href"]:
            continue
        if address:
            link["href"] = urljoin(address, link["href"])
        else:
            link.unwrap()


def take_cells(article: Tag, page: Path) -> list[nbformat.NotebookNode]:
    """Take the cells out of an article, leaving their numbers and the captions of their figures."""
    cells = []
    for box in article.select("div.cell"):
        mark = BeautifulSoup("", "html.parser").new_tag("p")
        mark.append(NavigableString(f"{MARK}{len(cells)}{MARK}"))
        captions = box.select("figcaption")
        box.insert_after(mark, *captions)
        cells.append(read_cell(box, page, len(cells) + 1))
        box.decompose()
    return cells


def read_cell(box: Tag, page: Path, number: int) -> nbformat.NotebookNode:
    """Return the code and the outputs of a cell."""
    source = box.select_one(".cell_input pre").get_text().rstrip("\n")
    cell = new_code_cell(source, execution_count=number)
    if "tag_hide-input" in box["class"]:
        cell.metadata = {"jupyter": {"source_hidden": True}, "tags": ["hide-input"]}
    for output in box.select(".cell_output .output, .cell_output img"):
        if output.name == "img":
            svg = (page.parent / output["src"]).resolve().read_text("utf-8")
            data = {"image/svg+xml": svg, "text/plain": output["alt"]}
            cell.outputs.append(new_output("display_data", data))
        elif "stream" in output["class"]:
            text = output.get_text().strip("\n") + "\n"
            cell.outputs.append(new_output("stream", name="stdout", text=text))
        elif "text_plain" in output["class"]:
            text = output.get_text().strip("\n")
            cell.outputs.append(
                new_output("execute_result", {"text/plain": text}, execution_count=number)
            )
    return cell
