"""Books are offered where they are there, and only then."""

import pytest

from attnbook.sphinxext.books.links import link_books, offer_books
from attnbook.sphinxext.editions import EDITIONS
from attnbook.sphinxext.root import write_front_page


@pytest.fixture
def site(tmp_path):
    for edition in EDITIONS.values():
        (tmp_path / edition.tag).mkdir()
        (tmp_path / edition.tag / "index.html").write_text("")
    return tmp_path


def test_nothing_is_offered_that_is_not_there(site):
    assert link_books(site / "en", "en") == ""


def test_what_is_there_is_offered_with_its_size(site):
    (site / "zh-CN" / "attnbook-zh-CN.epub").write_bytes(b" " * 1_250_000)
    assert link_books(site / "zh-CN", "zh-CN", "zh-CN/") == (
        '<p>整本书的文件：<a href="zh-CN/attnbook-zh-CN.epub" download>EPUB</a>'
        "（1.2\N{NO-BREAK SPACE}MB）。</p>"
    )


def test_front_page_offers_the_books_of_each_edition(site):
    (site / "en" / "attnbook-en.pdf").write_bytes(b"%PDF")
    page = write_front_page(site).read_text("utf-8")
    assert '<a href="en/attnbook-en.pdf" download>PDF</a>' in page
    assert "zh-CN.pdf" not in page


def test_directive_keeps_a_place_for_books_made_later(book, tmp_path):
    built = book({"index.md": "# T\n\n```{books}\n```\n\nAnd on.\n"}).build(
        "myst_parser", "attnbook.sphinxext.books"
    )
    assert 'class="book-links only-on-site"></div>' in built.page()
    edition = built.app.outdir.rename(tmp_path / "en")
    for _ in range(2):
        (edition / "attnbook-en.pdf").write_bytes(b"%PDF")
        offer_books(edition)
    page = (edition / "index.html").read_text("utf-8")
    assert page.count('<a href="attnbook-en.pdf" download>PDF</a>') == 1
    assert "And on." in page
