"""Formulas in a line of plain text, as one would write them by hand.

A title in the window and in a bibliography, an outline of a PDF and a passage that the search
quotes hold no typeset formula; what KaTeX says of it in MathML tells how it is read.
"""

from __future__ import annotations

import re
from functools import cache
from xml.etree import ElementTree

from .math import set_formula

INVISIBLE = re.compile("[\u200b\u2061-\u2064]")
RELATIONS = re.compile(r"([=≠≈<>≤≥≪≫∈→←↦×⋅·±∼∣])")
ROWS = {"math", "semantics", "mrow", "mstyle", "mpadded"}


@cache
def write_plain(tex: str) -> str:
    """Write a formula in TeX as one would by hand."""
    math = re.search(r"<math.*?</math>", set_formula(tex, display=False), re.S)
    return read_mathml(math[0]) if math else tex


def read_mathml(math: str) -> str:
    """Write a formula in MathML as one would by hand."""
    text = plain(ElementTree.fromstring(math))
    return re.sub(r" +", " ", INVISIBLE.sub("", text)).strip()


def plain(node: ElementTree.Element, before: str = "") -> str:
    """Return the text of an element of MathML; ``before`` is what stands to the left."""
    name = node.tag.rpartition("}")[2]
    parts: list[str] = []
    for child in node:
        # a root, a fraction or an exponent begins anew
        parts.append(plain(child, "".join(parts) or before if name in ROWS else ""))
    if len(node) == 0:
        parts.append(node.text or "")
    match name, parts:
        case "annotation", _:
            return ""
        case "mfrac", [above, below]:
            return f"{grouped(above)}/{grouped(below)}"
        case "msqrt", _:
            return f"√{grouped(''.join(parts))}"
        case "msub" | "munder", [base, below]:
            return f"{base}_{grouped(below)}"
        case "mover", [base, above] if node.get("accent") == "true":
            return base + above
        case "msup" | "mover", [base, above]:
            return base + raised(above)
        case "msubsup" | "munderover", [base, below, above]:
            # a sum and what is summed
            space = " " if base in "∑∏" else ""
            return f"{base}_{grouped(below)}{raised(above)}{space}"
        case "mspace", _:
            return " "
        case "mo", ["+" | "−" as sign] if re.search(r"[\w)\]}|∥∞]$", before):
            return f" {sign} "
        case "mo", [","]:
            return ", "
        case "mo", [text]:
            return RELATIONS.sub(r" \1 ", text)
    return "".join(parts)


def raised(text: str) -> str:
    """Return an exponent; primes are written without a sign."""
    return text if set(text) <= {"′"} else f"^{grouped(text)}"


def grouped(text: str) -> str:
    """Put brackets around what would not hold together without them."""
    text = INVISIBLE.sub("", text).strip()
    return text if re.fullmatch(r"√?[\w.⊤∞∗*…]+|\([^()]*\)|\|[^|]*\|", text) else f"({text})"
