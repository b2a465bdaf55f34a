"""What stands around the book's own text on paper and beside its files, in each language."""

from __future__ import annotations

from typing import NamedTuple


class Words(NamedTuple):
    """Words of one edition."""

    subtitle: str
    contents: str
    version: str
    licence: str


WORDS = {
    "en": Words(
        subtitle="A book on the attention mechanism in which every result is computed",
        contents="Contents",
        version="Version",
        licence="Text and figures: CC BY 4.0. Code: MIT.",
    ),
    "zh-CN": Words(
        subtitle="一本讲注意力机制的书，每个结果都是算出来的",
        contents="目录",
        version="版本",
        licence="文字与图：CC BY 4.0，代码：MIT。",
    ),
}
"""Language tag → words."""
