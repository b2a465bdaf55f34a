"""The pages of a site become one page, and that page a PDF with nothing clipped or lost."""

import pytest

pytest.importorskip("bs4")

from bs4 import BeautifulSoup

from attnbook.sphinxext.books.assembly import (
    AssemblyError,
    Book,
    Chapter,
    find_target,
    read_chapter,
    read_parts,
)
from attnbook.sphinxext.books.copied_text import with_characters
from attnbook.sphinxext.books.sheets import PrintedChapter, lay_out

FRONT = """
<nav class="bd-links">
  <p class="caption"><span>Part 1</span></p>
  <ul><li><a href="part/one.html">One</a></li><li><a href="part/two.html">Two</a></li></ul>
  <p class="caption"><span>Reference</span></p>
  <ul><li><a href="part/three.html">Three</a></li></ul>
</nav>
"""
PAGE = r"""
<html><body><article class="bd-article">
<section id="one">
<h1>Why <span class="katex"><span class="katex-mathml"><math><msqrt><msub><mi>d</mi><mi>k</mi>
</msub></msqrt><annotation>\sqrt{d_k}</annotation></math></span><span class="katex-html"
aria-hidden="true">√</span></span>?<a class="headerlink" href="#one">#</a></h1>
<p id="here">See <a href="two.html#there">there</a>, <a href="#here">here</a>,
<a href="../index.html">front</a> and <a href="https://example.org/x#y">elsewhere</a>.</p>
<details><summary>Show the code</summary><pre>1 + 1</pre></details>
<img src="../_images/a.svg"><div class="only-on-site">download</div>
<div class="mermaid-drawing"><svg id="diagram-a"><path id="diagram-a-p"/></svg></div>
</section></article></body></html>
"""


PAGES = {"index", "part/one", "part/two"}


@pytest.fixture
def book(tmp_path):
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "one.html").write_text(PAGE, "utf-8")
    chapters = [read_chapter(tmp_path, "part/one")]
    empty = BeautifulSoup("<article><h1 data-title='E'>E</h1></article>", "html.parser").article
    chapters += [Chapter(name, "E", empty) for name in ("index", "part/two")]
    return Book(tmp_path, "A", "1", "What it is.", "", [("Part 1", chapters)])


@pytest.fixture
def chapter(book):
    return lay_out(book)[0][1][0]


def test_parts_are_those_of_the_navigation():
    parts = read_parts(BeautifulSoup(FRONT, "html.parser"))
    assert parts == [("Part 1", ["part/one", "part/two"]), ("Reference", ["part/three"])]


def test_links_between_pages_stay_inside(chapter):
    addresses = [link["href"] for link in chapter.text.select("a")]
    assert addresses == [
        "#part/two:there",
        "#part/one:here",
        "#index",
        "https://example.org/x#y",
    ]
    assert chapter.text.select_one("p")["id"] == "part/one:here"


@pytest.mark.parametrize("address", ["../search.html", "two.ipynb", "../en/index.html"])
def test_link_out_of_the_book_is_an_error(address):
    with pytest.raises(AssemblyError, match="part/one links to .*, which is not in the book"):
        find_target(address, "part/one", PAGES)


def test_drawings_keep_their_own_ids(chapter):
    assert [e["id"] for e in chapter.text.select("svg, path")] == ["diagram-a", "diagram-a-p"]


def test_nothing_of_the_screen_is_left(chapter):
    article = chapter.text
    assert not article.select(".headerlink, .only-on-site, summary, details, .katex-mathml")
    assert article.find("pre").get_text() == "1 + 1"
    # otherwise a formula would be passed over when the book is read aloud
    assert not article.select("[aria-hidden]")


def test_headings_stand_below_those_of_the_parts(chapter):
    assert not chapter.text.find("h1")
    assert chapter.text.find("h2")["data-title"] == chapter.chapter.title == "Why √d_k?"


def test_images_are_found_from_anywhere(chapter, tmp_path):
    assert chapter.text.find("img")["src"] == (tmp_path / "_images" / "a.svg").as_uri()


def test_running_title_is_a_string_of_css(chapter):
    quoted = PrintedChapter(Chapter("a/b", 'a "b" \\ c', chapter.text), chapter.text)
    assert quoted.running_title == r'"a \"b\" \\ c"'
    assert quoted.sheet == "a-b"


def test_both_kinds_of_books_can_be_made_of_the_same_pages(book):
    before = str(book.chapters[0].article)
    lay_out(book)
    assert str(book.chapters[0].article) == before


TABLE = """\
1 beginbfchar
<42F5> <{char}>
endbfchar
1 beginbfrange
<10> <12> <{range}>
endbfrange
endcmap"""


def test_radicals_become_the_characters_that_were_written():
    table = with_characters(TABLE.format(char="2F00", range="2EC4"))
    # the range is U+2EC4 to U+2EC6, of which the second and the third are 见 and 角
    assert "<42F5> <4E00>" in table
    assert [line for line in table.splitlines() if line.startswith("<1")] == [
        "<10> <2EC4>",
        "<11> <89C1>",
        "<12> <89D2>",
    ]
    assert "3 beginbfchar" in table
    assert "beginbfrange" not in table


def test_tables_without_radicals_stay_as_they_are():
    table = TABLE.format(char="4E00", range="0041")
    assert with_characters(table) == table


SHEETS = """<!doctype html><body style="margin:0"><article class="chapter" id="a-chapter">
{}</article></body>"""


@pytest.fixture(scope="module")
def tab():
    from playwright.sync_api import sync_playwright

    from attnbook.sphinxext.browser import launch

    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser.new_page()
        browser.close()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("html", "fault"),
    [
        ('<p style="width:600px">wide</p>', "a-chapter: wider than the sheet: <p style"),
        ('<p><img src="gone.svg" alt=""></p>', "a-chapter: no such image: <img src"),
    ],
)
def test_what_would_be_clipped_or_lost_is_an_error(tab, tmp_path, html, fault):
    from attnbook.sphinxext.books.paper import PaperError, print_page

    source = tmp_path / "book.html"
    source.write_text(SHEETS.format(html), "utf-8")
    with pytest.raises(PaperError, match=fault):
        print_page(tab, source)


@pytest.mark.browser
def test_what_fits_is_printed(tab, tmp_path):
    from attnbook.sphinxext.books.paper import print_page

    source = tmp_path / "book.html"
    source.write_text(SHEETS.format('<p style="width:570px">as wide as the sheet</p>'), "utf-8")
    assert print_page(tab, source).startswith(b"%PDF")
