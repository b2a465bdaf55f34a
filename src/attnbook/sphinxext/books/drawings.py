"""Diagrams as files: a page of the site has them inline, in colours that follow its theme."""

from __future__ import annotations

import re

from bs4 import BeautifulSoup, Tag

# the parser writes all names in lower case, but an SVG file tells them apart
DRAWING = re.compile(r'<div class="mermaid-drawing".*?(<svg.*?</svg>)', re.S)
VARIABLE = re.compile(r"var\(--[\w-]+, *(#\w+)\)")
"""A colour that the site's dark theme changes, and its light value."""


def take_drawings(article: Tag, page: str, folder: str) -> dict[str, str]:
    """Turn the diagrams of an article into images.

    Parameters
    ----------
    article : bs4.Tag
        Article, in which the images take the places of the diagrams.
    page : str
        HTML of the whole page.
    folder : str
        What the addresses of the images begin with.

    Returns
    -------
    dict
        File name → SVG in light colours.
    """
    drawings = {}
    boxes = article.select(".mermaid-drawing")
    for box, drawing in zip(boxes, DRAWING.findall(page), strict=True):
        svg = box.find("svg")
        name = f"{svg['id']}.svg"
        drawings[name] = VARIABLE.sub(r"\1", drawing)
        soup = BeautifulSoup("", "html.parser")
        image = soup.new_tag("img", src=folder + name, alt=svg["aria-label"])
        box.replace_with(image)
    return drawings
