"""The two editions are the same book: same pages, parts and anchors, and every link leads there."""

import ast
import re
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest

pytestmark = pytest.mark.site

EDITIONS = ("en", "zh-CN")
PARTS = {
    "cells": "div.cell",
    "outputs": "div.cell_output > *",
    "code": "div.highlight pre",
    "names in the code that lead to the reference": "a.code-link",
    "figures": "figure",
    "diagrams": ".mermaid-drawing svg",
    "images": "img[alt]",
    "equations": "div.math",
    "numbered equations": "div.math .eqno",
    "formulas": "span.math",
    "tables": "table",
    "headings": "h1, h2, h3, h4, h5, h6",
    "boxes": ".admonition",
    "definitions": "dt",
    "items": "li",
    "terms": "a .std-term, a.term, span.std-term",
    "links inside the book": "a.internal",
    "links to elsewhere": "a.external",
}
# what docutils numbers by itself
NUMBERED_ID = re.compile(r"id\d+")


def other(edition: str) -> str:
    """Return the other edition."""
    return next(name for name in EDITIONS if name != edition)


def test_page_is_in_both_editions(site, page):
    assert [name for name in EDITIONS if not (site / name / f"{page}.html").is_file()] == []


def test_both_editions_have_the_same_parts(site, read, written_page):
    counts = {}
    for edition in EDITIONS:
        article = read(site / edition / f"{written_page}.html").find("article")
        # how often a work is cited is counted through both editions
        for back_reference in article.select(".backrefs"):
            back_reference.extract()
        counts[edition] = {name: len(article.select(parts)) for name, parts in PARTS.items()}
    assert counts["zh-CN"] == counts["en"]


def test_both_editions_have_the_same_anchors(site, read, written_page):
    ids = {}
    for edition in EDITIONS:
        article = read(site / edition / f"{written_page}.html").find("article")
        # a drawing's own marks are nobody's anchors
        found = [element["id"] for element in article.select("[id]:not(svg, svg *)")]
        ids[edition] = [name for name in found if not NUMBERED_ID.fullmatch(name)]
    assert ids["zh-CN"] == ids["en"]


def test_no_anchor_is_there_twice(site, read, edition, page):
    ids = [element["id"] for element in read(site / edition / f"{page}.html").select("[id]")]
    assert sorted({name for name in ids if ids.count(name) > 1}) == []


def test_title_of_the_window_is_plain_text(site, read, edition, page):
    title = read(site / edition / f"{page}.html").find("title").get_text()
    assert title.strip()
    assert not set("\\{}$<>") & set(title)


def test_says_its_language(site, read, edition, page):
    assert read(site / edition / f"{page}.html").find("html")["lang"] == edition


def test_has_a_description_of_its_own(site, read, edition, page):
    described = {
        name: read(site / name / f"{page}.html").select_one("meta[name=description]")
        for name in EDITIONS
    }
    assert described[edition]["content"].strip()
    assert described["en"]["content"] != described["zh-CN"]["content"]


def test_search_engines_find_each_language_of_a_published_page(site, read, edition, page):
    head = read(site / edition / f"{page}.html").find("head")
    links = {link["hreflang"]: link["href"] for link in head.select("link[rel=alternate]")}
    here = head.select_one("link[rel=canonical]")
    twin = other(edition)
    expected = (
        {
            edition: here["href"],
            twin: here["href"].replace(f"/{edition}/", f"/{twin}/"),
        }
        if here
        else {}
    )
    assert links == expected


def test_signatures_read_as_python(site, read, edition, written_page):
    for signature in read(site / edition / f"{written_page}.html").select("dt.sig"):
        for link in signature.select(".headerlink"):
            link.extract()
        _, bracket, parameters = signature.get_text().strip().partition("(")
        if bracket:
            ast.parse(f"def function({parameters}: ...")


def targets(read, file: Path):
    """Yield each address that a page mentions, resolved, with the tag that mentions it."""
    page = read(file)
    for tag in page.select("[href], [src], [poster], [data]"):
        for attribute in ("href", "src", "poster", "data"):
            if tag.get(attribute):
                yield tag, urljoin(file.as_uri(), tag[attribute])


def test_every_link_leads_somewhere(site, read, edition, page):
    dead = []
    for tag, address in targets(read, site / edition / f"{page}.html"):
        plain, anchor = urldefrag(address)
        if urlsplit(plain).scheme != "file":
            continue
        file = Path(unquote(urlsplit(plain).path))
        if not file.is_file() or (
            anchor and file.suffix == ".html" and not read(file).find(id=unquote(anchor))
        ):
            dead.append(str(tag)[:160])
    assert dead == []


def test_loads_nothing_from_elsewhere(site, read, edition, page):
    loading = [
        str(tag)[:160]
        for tag, address in targets(read, site / edition / f"{page}.html")
        if tag.name != "a"
        and "canonical" not in tag.get("rel", [])
        and urlsplit(address).scheme not in {"file", "data"}
    ]
    assert loading == []


@pytest.mark.browser
def test_switch_leads_to_the_same_place(site, read, open_tab, address, access, edition, page):
    tab, _ = open_tab(access, "switch")
    article = read(site / edition / f"{page}.html").find("article")
    anchors = [section["id"] for section in article.select("section[id]")] if article else []
    # the last section of the page
    hash_ = f"#{anchors[-1]}" if anchors else ""
    tab.goto(f"{address[access]}/{edition}/{page}.html{hash_}", wait_until="domcontentloaded")
    tab.click(f".edition-switch a[hreflang='{other(edition)}']")
    tab.wait_for_url(f"**/{other(edition)}/{page}.html{hash_}", wait_until="domcontentloaded")
    assert tab.locator(".edition-switch a").get_attribute("hreflang") == edition


@pytest.mark.browser
def test_switch_follows_the_reader(open_tab, address, access):
    tab, _ = open_tab(access, "switch")
    tab.goto(f"{address[access]}/en/foundations/why-sqrt-dk.html")
    link = tab.locator("#pst-page-toc-nav a").last
    anchor = link.get_attribute("href")
    link.click()
    tab.click(f".edition-switch a[href$='{anchor}']")
    tab.wait_for_url(f"**/zh-CN/foundations/why-sqrt-dk.html{anchor}")
