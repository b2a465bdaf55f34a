"""The built book can be cited, and another book can refer to it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from pybtex.database import parse_string

from attnbook.sphinxext.anchors import read_anchors, read_inventory
from attnbook.sphinxext.redirects import read_redirects

pytestmark = pytest.mark.site

DOCS = Path(__file__).parents[2] / "docs"
EDITIONS = ("en", "zh-CN")


@pytest.fixture
def cited(read, site, edition, written_page):
    """Return a page that can be cited, parsed."""
    return read(site / edition / f"{written_page}.html")


def test_entries_name_the_page_and_the_version(cited, edition, written_page):
    texts = [entry.get_text() for entry in cited.select("details.cite pre")]
    assert [term.get_text() for term in cited.select("details.cite dt")] == [
        "BibTeX",
        "APA",
        "GB/T 7714—2015",
    ]
    ((key, entry),) = parse_string(texts[0], "bibtex").entries.items()
    title = cited.select_one("meta[name=citation_title]")["content"]
    assert key == "attnbook" + f"-{written_page.rpartition('/')[2]}" * (
        written_page != "index"
    ) + "-zh-CN" * (edition == "zh-CN")
    assert entry.type == ("book" if written_page == "index" else "incollection")
    version = cited.select_one("script[type='application/ld+json']").get_text()
    version = json.loads(version)["version"]
    # in GB/T 7714 a Chinese subtitle follows a colon and a space
    assert all(version in text and title.partition("：")[0] in text for text in texts[1:])
    assert "[M/OL]" in texts[2]
    assert re.search("[一-鿿]", title + entry.fields.get("booktitle", "")) or edition == "en"


def test_entries_are_closed_until_asked_for(cited):
    (box,) = cited.select("details.cite")
    assert not box.has_attr("open")
    assert box.find("summary").get_text(strip=True) in {
        "Cite this page",
        "Cite this book",
        "引用本页",
        "引用本书",
    }


def test_key_belongs_to_one_page(site, read):
    keys = [
        re.match(r"@\w+\{(.+),", entry.get_text())[1]
        for edition in EDITIONS
        for page in (site / edition).rglob("*.html")
        if (entry := read(page).select_one("details.cite pre"))
    ]
    assert len(keys) > 20
    assert len(set(keys)) == len(keys)


def test_entries_open_by_keyboard_and_are_copied_whole(open_tab, address, copy, edition):
    tab, _log = open_tab("http", "cite")
    tab.goto(f"{address['http']}/{edition}/foundations/masks.html")
    summary = tab.locator("details.cite summary")
    summary.focus()
    tab.keyboard.press("Enter")
    entry = tab.locator("details.cite pre").last
    assert entry.is_visible()
    day = tab.evaluate('new Date().toLocaleDateString("sv")')
    assert f"[{day}]" in entry.inner_text()
    copied = copy(tab.locator("details.cite button.copybtn").last)
    assert copied.strip() == entry.inner_text().strip()


def test_paper_says_how_to_cite(open_tab, address, edition):
    tab, _log = open_tab("http", "cite")
    tab.goto(f"{address['http']}/{edition}/foundations/masks.html")
    tab.emulate_media(media="print")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    try:
        shown = tab.locator("details.cite pre").evaluate_all(
            "boxes => boxes.map((box) => box.checkVisibility({contentVisibilityAuto: true}))"
        )
        assert shown == [False, True, True]
    finally:
        tab.emulate_media(media="screen")


TARGETS = {
    "page": "foundations/masks.html",
    "section": "foundations/masks.html#makers-of-masks",
    "figure": "foundations/masks.html#fig-who-may-look",
    "table": "foundations/masks.html#tab-masks-elsewhere",
    "equation": "foundations/looking-things-up.html#equation-eq-projections",
    "term": "reference/glossary.html#term-query",
    "function": "reference/api.html#attnbook.softmax",
    "words": "foundations/masks.html#masks-for-torch",
}


@pytest.fixture(scope="module")
def advice():
    """Return what the page on citing tells other books to write: settings, text."""
    page = (DOCS / "reference" / "citing.md").read_text("utf-8")
    return [re.search(rf"```{kind}\n(.*?)```", page, re.S)[1] for kind in ("python", "text")]


def test_another_book_can_refer_to_this_one(site, tmp_path, edition, advice):
    settings, text = advice
    book = f"https://example.org/attnbook/{edition}/"
    settings = settings.replace("/en/", f"/{edition}/")
    # the site is not published at that address
    settings = settings.replace("None", repr(str(site / edition / "objects.inv")))
    (tmp_path / "conf.py").write_text(settings)
    (tmp_path / "index.md").write_text(f"# Lecture\n\n{text}")
    command = [sys.executable, "-m", "sphinx", "-q", "-n", "-W", "-b", "html", ".", "_build"]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    page = BeautifulSoup((tmp_path / "_build" / "index.html").read_text("utf-8"), "html.parser")
    links = {
        item.get_text().split()[0]: item.find("a") for item in page.select("[role=main] ul > li")
    }
    assert {kind: link["href"] for kind, link in links.items()} == {
        kind: book + target for kind, target in TARGETS.items()
    }
    assert re.fullmatch(r"\(\d+\)", links["equation"].get_text())
    assert links["figure"].get_text() == "how masks combine"
    assert links["section"].get_text() == {"en": "Three makers", "zh-CN": "三种掩码"}[edition]


def test_every_address_of_the_book_is_listed(site, edition):
    listed = read_anchors(DOCS / "anchors" / f"{edition}.txt")
    new = read_inventory(site / edition / "objects.inv") - listed
    assert not new, "run `nox -s anchors` and commit docs/anchors"


def test_listed_addresses_are_there_in_both_editions(site, read):
    redirects = read_redirects(DOCS / "redirects.txt")
    listed = {
        edition: {anchor.address for anchor in read_anchors(DOCS / "anchors" / f"{edition}.txt")}
        for edition in EDITIONS
    }
    assert listed["en"] == listed["zh-CN"]
    for edition, addresses in listed.items():
        for address in addresses - redirects.keys():
            page, _, place = address.partition("#")
            file = site / edition / f"{redirects.get(page, page)}.html"
            assert file.is_file(), address
            assert not place or read(file).find(id=place), f"{edition}: {address}"
