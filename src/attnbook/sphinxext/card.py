"""The picture of each edition that is shown where somebody shares a link.

``python -m attnbook.sphinxext.card docs/_static`` draws it (needs Chromium and a Chinese font).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jinja2 import Environment, PackageLoader

from attnbook import attention_weights, causal_mask

WIDTH, HEIGHT = 1200, 630
N_TOKENS = 5


class Card(NamedTuple):
    """What the picture of an edition says."""

    file: str
    tag: str
    title: str
    text: str
    alt: str


CARDS = {
    "en": Card(
        file="card.en.png",
        tag="en",
        title="Attention, computed",
        text="A book in which every result comes from code on the page.",
        alt="An attention map of five tokens, each of which looks at itself and those before it.",
    ),
    "zh_CN": Card(
        file="card.zh-CN.png",
        tag="zh-CN",
        title="把注意力算出来",
        text="书里的每个结果，都由当页的代码算出。",
        alt="五个词元的注意力图：每个词元只看自己和前面的词元。",
    ),
}
"""Sphinx's language code → card."""


def draw_page(card: Card) -> str:
    """Return the HTML of a card; its attention map is computed like any other."""
    rng = np.random.default_rng(3)
    query, key = rng.standard_normal((2, N_TOKENS, 8))
    seen = causal_mask(N_TOKENS)
    weights = attention_weights(query, key, mask=seen)
    rows = [
        [(float(weight), bool(looks)) for weight, looks in zip(*row, strict=True)]
        for row in zip(weights, seen, strict=True)
    ]
    templates = Environment(loader=PackageLoader("attnbook.sphinxext"), autoescape=True)
    page = templates.get_template("card.html")
    return page.render(card=card, rows=rows, width=WIDTH, height=HEIGHT)


def main() -> None:
    """Draw the cards of all editions."""
    from playwright.sync_api import sync_playwright

    from .browser import launch

    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", type=Path, help="folder for the pictures")
    folder = parser.parse_args().folder
    with sync_playwright() as playwright:
        browser = launch(playwright)
        tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        for card in CARDS.values():
            tab.set_content(draw_page(card))
            tab.screenshot(path=folder / card.file)
        browser.close()


if __name__ == "__main__":
    main()
