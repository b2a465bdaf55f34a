"""How to cite a page: entries for people, data for programs, all from ``CITATION.cff``."""

import json
import re
from datetime import date
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from pybtex.database import parse_string
from rdflib import SDO

from attnbook.sphinxext.cite.entries import apa, bibtex, gbt7714
from attnbook.sphinxext.cite.metadata import linked_data, meta_tags
from attnbook.sphinxext.cite.work import Author, Work

EXTENSIONS = (
    "myst_parser",
    "attnbook.sphinxext.editions",
    "attnbook.sphinxext.math",
    "attnbook.sphinxext.cite",
)
KATEX = Path(__file__).parents[2] / "node_modules" / "katex" / "dist"
RECORD = """
title: "tiny: a book"
authors:
  - name: The tiny authors
version: 1.2.0
date-released: 2026-03-04
license: [MIT, CC-BY-4.0]
"""
TEMPLATE = """
<html><head>{{ metatags }}<title>{{ plain_title }}</title></head><body>
{% if citation %}{% for name, entry in citation.entries.items() %}
<pre class="{{ name.split()[0].replace("/", "") }}">{{ entry }}</pre>
{% endfor %}{% endif %}
</body></html>
"""
FILES = {
    "index.md": "# First\n\n```{toctree}\npart/roots\n```\n",
    "part/roots.md": "# Why divide by $\\sqrt{d_k}$ & not by 100% of `d` in PyTorch?\n",
    "CITATION.cff": RECORD,
    "templates/layout.html": TEMPLATE,
    "locale/zh_CN/LC_MESSAGES/sphinx.po": (
        'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
        'msgid "tiny: a book"\nmsgstr "tiny：一本小书"\n\n'
        'msgid "The tiny authors"\nmsgstr "tiny 作者"\n\n'
        'msgid "Version %s"\nmsgstr "%s 版"\n'
    ),
}
SITE = "https://example.org/tiny"


def built(book, page="part/roots", files=FILES, **config):
    """Build the tiny book and return it with one page, parsed."""
    made = book(files).build(
        *EXTENSIONS,
        **{
            "project": "tiny",
            "html_baseurl": SITE,
            "templates_path": ["templates"],
            "locale_dirs": ["locale"],
            "myst_enable_extensions": ["dollarmath"],
            "html_math_renderer": "katex-at-build",
            "katex_folder": str(KATEX),
        }
        | config,
    )
    return made, BeautifulSoup(made.page(page), "html.parser")


def test_page_is_a_part_of_the_book(book):
    made, page = built(book)
    assert made.warnings == ""
    ((key, entry),) = parse_string(page.select_one(".BibTeX").text, "bibtex").entries.items()
    assert (key, entry.type) == ("tiny-roots", "incollection")
    assert [str(author) for author in entry.persons["author"]] == ["{The tiny authors}"]
    assert entry.fields == {
        "title": r"Why divide by {$\sqrt{d_k}$} \& not by 100\% of d in {PyTorch}?",
        "booktitle": "tiny: a book",
        "year": "2026",
        "month": "March",
        "note": "Version 1.2.0, 2026-03-04",
        "url": f"{SITE}/en/part/roots.html",
    }


def test_first_page_is_the_book(book):
    _made, page = built(book, "index")
    ((key, entry),) = parse_string(page.select_one(".BibTeX").text, "bibtex").entries.items()
    assert (key, entry.type, entry.fields["title"]) == ("tiny", "book", "tiny: a book")
    assert "booktitle" not in entry.fields
    assert page.select_one(".APA").text == (
        f"The tiny authors. (2026). tiny: a book (Version 1.2.0). {SITE}/en/index.html"
    )


def test_each_edition_is_cited_in_its_language(book):
    page = built(book, "index", language="zh_CN")[1]
    ((key, entry),) = parse_string(page.select_one(".BibTeX").text, "bibtex").entries.items()
    assert (key, entry.fields["title"]) == ("tiny-zh-CN", "tiny：一本小书")
    assert page.select_one(".GBT").text == (
        "tiny 作者. tiny: 一本小书[M/OL]. 1.2.0 版. (2026-03-04)[YYYY-MM-DD]. "
        f"{SITE}/zh-CN/index.html."
    )
    assert page.select_one("meta[name=citation_language]")["content"] == "zh-CN"


def test_record_without_a_translation_is_a_warning(book):
    record = RECORD.replace("a book", "another book")
    made, _page = built(book, files=FILES | {"CITATION.cff": record}, language="zh_CN")
    assert "missing translation of CITATION.cff in sphinx.po: 'tiny: another book'" in made.warnings


def test_title_is_plain_text_where_it_must_be(book):
    _made, page = built(book)
    title = "Why divide by √d_k & not by 100% of d in PyTorch?"
    assert page.title.text == title
    assert page.select_one("meta[name=citation_title]")["content"] == title
    assert json.loads(page.select_one("[type='application/ld+json']").text)["name"] == title


def test_address_of_the_record_holds_where_the_build_is_told_none(book):
    files = FILES | {"CITATION.cff": f"{RECORD}url: https://example.com/\n"}
    _made, page = built(book, files=files, html_baseurl="")
    address = "https://example.com/en/part/roots.html"
    assert page.select_one("meta[name=citation_public_url]")["content"] == address


def test_nobody_s_address_is_left_out(book):
    _made, page = built(book, html_baseurl="")
    assert page.select_one("meta[name=citation_public_url]") is None
    assert "url" not in page.select_one(".BibTeX").text
    assert page.select_one(".APA").text.endswith("(Version 1.2.0).")
    assert page.select_one(".GBT").text.endswith("(2026-03-04)[YYYY-MM-DD].")


def test_pages_that_sphinx_makes_are_not_cited(book):
    _made, page = built(book, "genindex")
    assert not page.select("pre, meta[name^=citation]")


PERSONS = [
    Author("Vaswani", "Ashish", ""),
    Author("Gomez", "Aidan N.", ""),
    Author("王", "小明", ""),
    Author("Polosukhin", "Illia", ""),
]


def work(**changes):
    """Return a part of a book, changed."""
    values = {
        "key": "k",
        "title": "Who looks?",
        "tex": None,
        "book": "tiny: a book",
        "authors": PERSONS,
        "version": "1.2.0",
        "edition": "Version 1.2.0",
        "date": date(2026, 3, 4),
        "language": "en",
        "licences": ["MIT"],
        "url": "https://example.org/a.html",
        "book_url": "https://example.org/",
    }
    return Work(**values | changes)


# what citeproc-js makes of the same data with the published styles, but for the day in GB/T 7714,
# which the standard has for the date of a change: (更新或修改日期)
def test_apa_as_citeproc_writes_it():
    assert apa(work()) == (
        "Vaswani, A., Gomez, A. N., 王小明, &amp; Polosukhin, I. (2026). Who looks? In "
        "<i>tiny: a book</i> (Version 1.2.0). https://example.org/a.html"
    )
    assert apa(work(authors=[Author("", "", "The tiny authors")], title="Masks")) == (
        "The tiny authors. (2026). Masks. In <i>tiny: a book</i> (Version 1.2.0). "
        "https://example.org/a.html"
    )


@pytest.mark.parametrize(("language", "more"), [("en", "et al."), ("zh-CN", "等.")])
def test_gbt7714_as_the_standard_has_it(language, more):
    entry = re.sub("<.*?>", "", gbt7714(work(language=language)))
    assert entry == (
        f"VASWANI A, GOMEZ A N, 王小明, {more} Who looks?[M/OL]//tiny: a book. Version 1.2.0. "
        "(2026-03-04)[YYYY-MM-DD]. https://example.org/a.html."
    )


def test_bibtex_knows_persons():
    (entry,) = parse_string(bibtex(work()).unescape(), "bibtex").entries.values()
    assert [person.last_names for person in entry.persons["author"]] == [
        ["Vaswani"],
        ["Gomez"],
        ["王"],
        ["Polosukhin"],
    ]


@pytest.mark.parametrize("book", ["tiny: a book", None])
def test_zotero_is_told_what_it_is(book):
    tags = BeautifulSoup("".join(meta_tags(work(book=book))), "html.parser").select("meta")
    found = [(tag["name"], tag["content"]) for tag in tags]
    assert ("z:itemType", "bookSection" if book else "book") in found
    assert ("citation_publication_date", "2026/03/04") in found
    assert [content for name, content in found if name == "citation_author"] == [
        "Vaswani, Ashish",
        "Gomez, Aidan N.",
        "王, 小明",
        "Polosukhin, Illia",
    ]
    assert [content for name, content in found if name == "citation_book_title"] == [book] * bool(
        book
    )


@pytest.mark.parametrize("book", ["tiny: a book", None])
def test_linked_data_has_words_of_schema_org_alone(book):
    script = BeautifulSoup(linked_data(work(book=book, title="a </script> b")), "html.parser")
    (element,) = script
    data = json.loads(element.text)
    assert data["name"] == "a </script> b"
    assert data["@type"][0] == ("Chapter" if book else "Book")
    assert ("isPartOf" in data) is bool(book)

    def words(value):
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, dict):
                kinds = part.get("@type", [])
                yield from [kinds] if isinstance(kinds, str) else kinds
                yield from (key for key in part if not key.startswith("@"))
                for inner in part.values():
                    yield from words(inner)

    assert [word for word in words(data) if word not in SDO] == []
