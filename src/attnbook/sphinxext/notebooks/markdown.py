"""HTML of a page as Markdown that Jupyter shows as the site shows the page.

markdownify does the work; this adds formulas, boxes, and emphasis beside Chinese characters.
"""

from __future__ import annotations

import re

from bs4 import BeautifulSoup, NavigableString, Tag
from markdownify import MarkdownConverter, chomp

TEX, TEX_BLOCK = "tex", "tex-block"
"""Classes of the elements that `prepare` puts in the place of formulas."""


class Converter(MarkdownConverter):
    """Markdown for Jupyter."""

    class Options(MarkdownConverter.DefaultOptions):
        """What the converter is told to do."""

        heading_style = "atx"
        bullets = "-"
        autolinks = False

    def escape(self, text: str, parent_tags: set[str]) -> str:
        """Escape what Jupyter would take for markup, the start of a formula included."""
        text = super().escape(text.replace("\\", "\\\\"), parent_tags)
        return re.sub(r"([$`])", r"\\\1", text).replace("<", "&lt;")

    def convert_code(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Write code, or a formula."""
        if TEX in el.get("class", []):
            return f"${text}$"
        return super().convert_code(el, text, parent_tags)

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Write a block of code, or a displayed formula."""
        if TEX_BLOCK in el.get("class", []):
            return f"\n\n$$\n{text.strip()}\n$$\n\n"
        return super().convert_pre(el, text, parent_tags)

    def convert_strong(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Write strong words."""
        return emphasize(el, text, "**", "strong")

    def convert_em(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Write emphasized words."""
        return emphasize(el, text, "*", "em")


def emphasize(el: Tag, text: str, mark: str, tag: str) -> str:
    """Put marks around words; where Markdown would not take them for marks, put a tag.

    ``**重（weight）**的`` stays as it is: Markdown wants a space between punctuation inside and a
    character outside, which Chinese does not have.
    """
    left, right, inside = chomp(text)
    before, after = str(el.previous_sibling or "")[-1:], str(el.next_sibling or "")[:1]
    edges = ((left or before, inside[:1]), (right or after, inside[-1:]))
    if any(outer.isalnum() and not inner.isalnum() for outer, inner in edges):
        return f"{left}<{tag}>{inside}</{tag}>{right}"
    return f"{left}{mark}{inside}{mark}{right}"


def to_markdown(element: Tag) -> str:
    """Return the Markdown of an element that `prepare` has been given."""
    text = Converter(code_language_callback=language_of).convert_soup(element)
    return re.sub(r"\n(?: *\n)+", "\n\n", text).strip()


def language_of(block: Tag) -> str:
    """Return the language of a block of code, as the site colours it."""
    box = block.find_parent("div", class_=re.compile("^highlight-"))
    names = [name.removeprefix("highlight-") for name in (box or {}).get("class", [])]
    return names[0] if names and names[0] not in {"default", "none", "text"} else ""


def prepare(article: Tag) -> None:
    """Turn what only a browser understands into what has a form in Markdown."""
    soup = BeautifulSoup("", "html.parser")

    def element(name: str, content: str, **attributes: str) -> Tag:
        made = soup.new_tag(name, attrs=attributes)
        made.append(NavigableString(content))
        return made

    for block in article.select("div.math"):
        number = block.select_one(".eqno")
        tag = rf" \tag{{{number.get_text().strip(' ()')}}}" if number else ""
        block.replace_with(element("pre", f"{tex_of(block)}{tag}", **{"class": TEX_BLOCK}))
    for formula in article.select(".katex"):
        tex = tex_of(formula)
        if formula.find_parent(["td", "th"]):
            # a bar would end the cell
            tex = tex.replace("|", r"\vert ")
        formula.replace_with(element("code", tex, **{"class": TEX}))
    for box in article.select("div.admonition"):
        box.name = "blockquote"
        box.select_one(".admonition-title").name = "strong"
    for label in article.select(".caption-number"):
        label.name = "strong"
    for caption in article.select(".code-block-caption"):
        caption.name = "p"
    # in a paragraph a line ends where the text wants it to
    for text in article.find_all(string=re.compile(r"\n")):
        if not text.find_parent("pre"):
            text.replace_with(NavigableString(re.sub(r"\s*\n\s*", " ", text)))


def tex_of(element: Tag) -> str:
    """Return the TeX that a formula was written in."""
    return element.find("annotation").get_text().strip()
