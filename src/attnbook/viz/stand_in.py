"""A font to measure Chinese with on a machine that has none.

Text in the book's figures stays text: the reader's browser draws it. To lay a figure out,
matplotlib only has to know how wide each character is, and a Chinese character is as wide as its
font is high. So a font of empty boxes of that width does where no other is installed.
"""

from pathlib import Path

import matplotlib as mpl
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib import font_manager

NAME = "attnbook stand-in"
EM = 1000
# as in Noto Sans CJK, whose place it takes
ASCENT, DESCENT = 880, -120
# punctuation, ideographs, full-width forms
CHARACTERS = (*range(0x3000, 0x3040), *range(0x4E00, 0xA000), *range(0xFF01, 0xFF61))


def stand_in_font() -> str:
    """Make the font known to matplotlib, in whose cache it is kept.

    Returns
    -------
    str
        The name of its family.
    """
    path = Path(mpl.get_cachedir(), "attnbook-stand-in.ttf")
    if not path.is_file():
        _build(path)
    font_manager.fontManager.addfont(path)
    return NAME


def _build(path: Path) -> None:
    glyphs = {".notdef": _box(), "box": _box()}
    font = FontBuilder(EM, isTTF=True)
    font.setupGlyphOrder(list(glyphs))
    font.setupCharacterMap(dict.fromkeys(CHARACTERS, "box"))
    font.setupGlyf(glyphs)
    font.setupHorizontalMetrics(dict.fromkeys(glyphs, (EM, 0)))
    font.setupHorizontalHeader(ascent=ASCENT, descent=DESCENT)
    font.setupNameTable({"familyName": NAME, "styleName": "Regular"})
    font.setupOS2()
    font.setupPost()
    font.save(path)


def _box():
    pen = TTGlyphPen(None)
    corners = [(50, DESCENT), (50, ASCENT), (EM - 50, ASCENT), (EM - 50, DESCENT)]
    pen.moveTo(corners[0])
    for corner in corners[1:]:
        pen.lineTo(corner)
    pen.closePath()
    return pen.glyph()
