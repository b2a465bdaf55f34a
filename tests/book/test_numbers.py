"""Numbers in the prose come from cells: no decimal is typed by hand, but for those listed here."""

import re

import pytest

from tests.book.test_pages import DOCS, page_id, without_front_matter

PARTS = ("foundations", "reference")
PAGES = sorted(
    [DOCS / "index.md", *(path for part in PARTS for path in (DOCS / part).glob("*.md"))]
)

ALLOWED = {
    # page: {text in which decimals may stand: why}
    "index": {"CC BY 4.0": "the name of a licence"},
    "foundations/looking-things-up": {
        "(0.6, 0.8)": "a card, given",
        "(0.8, 0.6)": "the request, given",
        r"0.8 \cdot 0.6 + 0.6 \cdot 0.8": "the product of these two, written out",
        "beta from 0.1 to 100": "the range that is drawn",
    },
    "foundations/why-sqrt-dk": {
        "more than 0.99 of their weight": "the bound from which a query counts as stuck",
        "gets below 0.5": "the bound from which a rate counts as working",
        "learning rate 0.1": "a rate that is tried",
        "rate from 0.001 to 100": "the rates that are tried",
    },
}

CODE = re.compile(
    r"^(`{3,})\{code-cell\}.*\n(?P<options>---\n[\s\S]*?\n---\n)?[\s\S]*?^\1\s*$", re.M
)
NOT_A_RESULT = re.compile(
    r"\{[\w:]+\}`[^`]*`"  # roles, glue above all
    r"|`[^`]*`"  # code
    r"|\]\([^)]*\)|https?://\S+"  # addresses
    r"|arXiv:\S+"
    r"|(?:sections?|appendix|definition|figure|equation|table) [A-Z]?\.?\d+(?:\.\d+)*"
    r"(?:(?:, | and | to )[A-Z]?\.?\d+(?:\.\d+)+)*"
)
DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.]*\d)")


def decimals(path) -> list[tuple[str, str]]:
    """Return each decimal in the prose, captions and alternative texts, with its line."""
    # of a cell, only its options are prose
    text = CODE.sub(lambda cell: cell["options"] or "", without_front_matter(path))
    text = re.sub(r"^```\{source\}[\s\S]*?^```", "", text, flags=re.M)
    text = NOT_A_RESULT.sub("", text)
    return [(found[0], line) for line in text.splitlines() for found in DECIMAL.finditer(line)]


@pytest.mark.parametrize("path", PAGES, ids=page_id)
def test_no_decimal_is_typed_by_hand(path):
    allowed = ALLOWED.get(page_id(path), {})
    stray = [
        f"{number} in: {line.strip()}"
        for number, line in decimals(path)
        if not any(number in text and text in line for text in allowed)
    ]
    assert stray == []


@pytest.mark.parametrize("page", ALLOWED)
def test_list_of_allowed_decimals_is_short_of_nothing_gone(page):
    text = (DOCS / f"{page}.md").read_text("utf-8")
    assert [phrase for phrase in ALLOWED[page] if phrase not in text] == []
