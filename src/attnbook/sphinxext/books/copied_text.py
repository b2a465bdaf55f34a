"""What is copied from a PDF and found in it: the characters that were written.

A PDF shows glyphs and says separately which character each one is. Chromium looks that up in the
font, where 一 and the radical ⼀ (U+2F00) are one glyph, and takes the lower code: the radical. A
reader who searches for a word with 一 in it would not find it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import pikepdf

KANGXI = {chr(code): unicodedata.normalize("NFKC", chr(code)) for code in range(0x2F00, 0x2FD6)}
SUPPLEMENT = (
    "⺎兀 ⺒巳 ⺓幺 ⺠民 ⻁虎 ⻃覀 ⻅见 ⻆角 ⻉贝 ⻋车 ⻑長 ⻓长 ⻔门 ⻘青 ⻙韦 ⻚页 ⻛风 ⻜飞 "
    "⻝食 ⻢马 ⻣骨 ⻤鬼 ⻥鱼 ⻦鸟 ⻧卤 ⻨麦 ⻩黄 ⻪黾 ⻬齐 ⻮齿 ⻰龙"
)
"""Radicals that are whole characters too; Unicode does not decompose these."""

CHARACTER = {**KANGXI, **dict(map(tuple, SUPPLEMENT.split())), "⼾": "户"}
"""Radical → the character that looks the same in simplified Chinese."""

SECTION = re.compile(r"\d+ beginbf(char|range)\s+(.*?)\s*endbf\1", re.S)
LONGEST = 100
"""Entries that one section may have."""


def name_characters(pdf: pikepdf.Pdf) -> None:
    """Let every font of a PDF name characters instead of radicals."""
    for font in pdf.objects:
        if isinstance(font, pikepdf.Dictionary) and "/ToUnicode" in font:
            table = font.ToUnicode.read_bytes().decode("ascii")
            font.ToUnicode.write(with_characters(table).encode("ascii"))


def with_characters(table: str) -> str:
    """Return a ToUnicode table without radicals, its ranges that held some written out."""
    return SECTION.sub(_section_with_characters, table)


def _section_with_characters(section: re.Match[str]) -> str:
    entries = dict(_entries(section))
    if not CHARACTER.keys() & entries.values():
        return section[0]
    lines = [f"<{code}> <{_hex(CHARACTER.get(text, text))}>" for code, text in entries.items()]
    chunks = [lines[i : i + LONGEST] for i in range(0, len(lines), LONGEST)]
    return "\n".join(
        "\n".join([f"{len(chunk)} beginbfchar", *chunk, "endbfchar"]) for chunk in chunks
    )


def _entries(section: re.Match[str]) -> Iterator[tuple[str, str]]:
    """Yield code, as written, and text of every entry of a section."""
    numbers = re.findall(r"<([0-9A-Fa-f]+)>", section[2])
    if section[1] == "char":
        for code, text in zip(numbers[::2], numbers[1::2], strict=True):
            yield code, _text(text)
    else:
        for first, last, text in zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True):
            *before, end = _text(text)
            for i in range(int(last, 16) - int(first, 16) + 1):
                yield f"{int(first, 16) + i:0{len(first)}X}", "".join([*before, chr(ord(end) + i)])


def _text(digits: str) -> str:
    return bytes.fromhex(digits).decode("utf-16-be")


def _hex(text: str) -> str:
    return text.encode("utf-16-be").hex().upper()
