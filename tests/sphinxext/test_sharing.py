"""What a page shows of itself elsewhere."""

import re
import struct
from html import unescape
from pathlib import Path

import pytest

from attnbook.sphinxext import card

EXTENSIONS = ("myst_parser", "attnbook.sphinxext.editions", "attnbook.sphinxext.sharing")
PAGE = """
---
myst:
  html_meta:
    description: What "softmax" does.
---

# Soft < max
"""
ROOT = Path(__file__).parents[2]


def tags(page):
    """Return what the meta tags of a page say, by name."""
    found = {}
    for tag in re.findall(r"<meta [^>]*>", page):
        attributes = dict(re.findall(r'([\w:-]+)="([^"]*)"', tag))
        name = attributes.get("name") or attributes.get("property")
        if name:
            assert name not in found or name == "viewport", name
            found[name] = unescape(attributes["content"])
    return found


def build(book, language="en", **options):
    return book({"index.md": "# T\n\n```{toctree}\npage\n```\n", "page.md": PAGE}).build(
        *EXTENSIONS, language=language, html_title="Book", **options
    )


def test_page_says_what_it_is(book):
    built = build(book)
    said = tags(built.page("page"))
    assert said["description"] == said["og:description"] == 'What "softmax" does.'
    assert said["og:title"] == "Soft < max"
    assert said["og:type"] == "article"
    assert said["og:site_name"] == "Book"
    assert tags(built.page())["og:type"] == "website"


def test_picture_and_address_are_whole_addresses(book):
    said = tags(build(book, "zh_CN", html_baseurl="https://example.org/book").page("page"))
    assert said["og:url"] == "https://example.org/book/zh-CN/page.html"
    assert said["og:image"] == "https://example.org/book/zh-CN/_static/card.zh-CN.png"
    assert said["og:image:alt"] == card.CARDS["zh_CN"].alt
    assert said["twitter:card"] == "summary_large_image"
    assert said["og:locale"] == "zh_CN"


def test_without_an_address_there_is_no_picture(book):
    said = tags(build(book).page("page"))
    assert not {"og:url", "og:image", "twitter:card"} & set(said)


@pytest.mark.parametrize("page", ["genindex", "search"])
def test_pages_made_by_sphinx_are_described(book, page):
    assert tags(build(book).page(page))["description"]


@pytest.mark.parametrize("language", list(card.CARDS))
def test_card_is_drawn_in_the_size_that_is_told(language):
    picture = (ROOT / "docs" / "_static" / card.CARDS[language].file).read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert struct.unpack(">II", picture[16:24]) == (card.WIDTH, card.HEIGHT)
    # messengers give up on large ones
    assert len(picture) < 300_000


@pytest.mark.parametrize("language", list(card.CARDS))
def test_map_on_the_card_is_computed(language):
    page = card.draw_page(card.CARDS[language])
    assert card.CARDS[language].title in page
    weights = [float(weight) for weight in re.findall(r">(\d\.\d\d)</span>", page)]
    assert len(weights) == card.N_TOKENS * (card.N_TOKENS + 1) / 2
    assert sum(weights) == pytest.approx(card.N_TOKENS, abs=0.05)
