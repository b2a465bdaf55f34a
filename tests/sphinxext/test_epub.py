"""The pages of a site become an EPUB that needs nothing of the site."""

import zipfile

import pytest

pytest.importorskip("bs4")

from attnbook.sphinxext.books import epub
from attnbook.sphinxext.books.assembly import Book, read_chapter

PAGE = r"""
<html><body><article class="bd-article">
<section id="one">
<h1>One<a class="headerlink" href="#one">#</a></h1>
<p>See <a href="two.html#there">there</a>, <a href="#one">here</a>,
<a href="../index.html">front</a> and <a href="https://example.org/x">elsewhere</a>.<br></p>
<div class="math"><span class="eqno">(1)</span><div class="math-scroll" tabindex="0" role="group">
<span class="katex-display"><span class="katex"><span class="katex-mathml"><math display="block"
xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mi>q</mi></mrow><annotation
encoding="application/x-tex">q &lt; k</annotation></semantics></math></span><span class="katex-html"
aria-hidden="true">q</span></span></span></div></div>
<details><summary aria-label="x"><p class="collapsed">Show the code</p><p>Hide</p></summary>
<pre>1 + 1</pre></details>
<img src="../_images/a.svg" alt="a plot">
<figure><div class="mermaid-drawing" tabindex="0"><svg id="diagram-flow" viewBox="0 0 9 9"
xmlns="http://www.w3.org/2000/svg" aria-label="Flow: from q to k."><path
fill="var(--mmd-data-bg, #eaf2fb)"/></svg></div></figure>
<section id="second"><h2>Second</h2></section>
</section></article></body></html>
"""
EMPTY = "<html><body><article><section id='s'><h1>{}</h1></section></article></body></html>"


@pytest.fixture
def book(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")
    folder = tmp_path / "zh-CN"
    for name, text in {
        "index.html": EMPTY.format("前言"),
        "part/one.html": PAGE,
        "part/two.html": EMPTY.format("Two"),
        "_images/a.svg": "<svg/>",
        "_static/pygments.css": 'html[data-theme="light"] .k { color: #1 }\n'
        'html[data-theme="dark"] .k { color: #2 }\n',
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    part = [read_chapter(folder, name) for name in ("part/one", "part/two")]
    parts = [("", [read_chapter(folder, "index")]), ("第一部分", part)]
    return Book(folder, "The authors", "1.2", "What it is.", "https://example.org/zh-CN/", parts)


@pytest.fixture
def archive(book):
    return zipfile.ZipFile(epub.write_epub(book, b"a picture"))


@pytest.fixture
def page(archive):
    return archive.read("part/one.xhtml").decode()


def test_type_comes_first_and_as_it_is(archive):
    first = archive.infolist()[0]
    assert first.filename == "mimetype"
    assert first.compress_type == zipfile.ZIP_STORED
    assert archive.read("mimetype") == b"application/epub+zip"


def test_same_time_gives_the_same_bytes(book):
    first = epub.write_epub(book, b"a picture").read_bytes()
    assert epub.write_epub(book, b"a picture").read_bytes() == first


def test_says_what_it_is(archive):
    content = archive.read("content.opf").decode()
    for element in (
        "<dc:title>前言</dc:title>",
        "<dc:language>zh-CN</dc:language>",
        "<dc:creator>The authors</dc:creator>",
        "<dc:date>2027-01-15T08:00:00Z</dc:date>",
        "<dc:source>https://example.org/zh-CN/</dc:source>",
    ):
        assert element in content
    assert content.count('properties="mathml"') == 1
    assert 'properties="cover-image"' in content


def test_editions_are_two_books(book, archive):
    from dataclasses import replace

    other = book.folder.rename(book.folder.with_name("en"))
    english = zipfile.ZipFile(epub.write_epub(replace(book, folder=other), b"a picture"))
    identifiers = {
        a.read("content.opf").decode().partition('<dc:identifier id="book">')[2].partition("<")[0]
        for a in (archive, english)
    }
    assert len(identifiers) == 2


def test_contents_list_parts_chapters_and_sections(archive):
    contents = archive.read("nav.xhtml").decode()
    places = [
        contents.index(entry)
        for entry in (
            '<a href="index.xhtml">前言</a>',
            "<span>第一部分</span>",
            '<a href="part/one.xhtml">One</a>',
            '<a href="part/one.xhtml#second">Second</a>',
            '<a href="part/two.xhtml">Two</a>',
        )
    ]
    assert places == sorted(places)


def test_links_lead_to_the_pages_of_the_book(page):
    for address in ("two.xhtml#there", "one.xhtml#one", "../index.xhtml", "https://example.org/x"):
        assert f'href="{address}"' in page


def test_formulas_are_mathml_with_their_source_as_alternative(page):
    assert '<math alttext="q &lt; k" display="block"' in page
    assert "katex-html" not in page
    assert "annotation" not in page


def test_drawings_are_images_in_light_colours(archive, page):
    assert 'src="../drawings/diagram-flow.svg"' in page
    assert 'alt="Flow: from q to k."' in page
    drawing = archive.read("drawings/diagram-flow.svg").decode()
    assert 'fill="#eaf2fb"' in drawing
    # names in XML are told apart by their case
    assert 'viewBox="0 0 9 9"' in drawing


def test_pictures_and_colours_come_along(archive):
    assert archive.read("_images/a.svg") == b"<svg/>"
    assert archive.read("cover.png") == b"a picture"
    style = archive.read("book.css").decode()
    assert "\n.k { color: #1 }" in style
    assert "#2" not in style


def test_nothing_of_the_screen_is_left(page):
    assert "<summary>Show the code</summary>" in page.replace(' aria-label="x"', "")
    for rest in ("tabindex", "data-title", "headerlink", 'role="group"'):
        assert rest not in page
