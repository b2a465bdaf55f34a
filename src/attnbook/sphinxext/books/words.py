"""What stands around the book's own text on paper and beside its files, in each language."""

from __future__ import annotations

from typing import NamedTuple


class Words(NamedTuple):
    """Words of one edition."""

    subtitle: str
    contents: str
    version: str
    licence: str
    files: str
    """Offers the links to the files, which it takes joined by `separator`."""
    file: str
    separator: str
    notebook: str
    """What a reader of a notebook has to know; takes the book, its version and licence."""
    references: str


WORDS = {
    "en": Words(
        subtitle="A book on the attention mechanism in which every result is computed",
        contents="Contents",
        version="Version",
        licence="Text and figures: CC BY 4.0. Code: MIT.",
        files="The whole book as a file: {}.",
        file="{link} ({size})",
        separator=", ",
        notebook=(
            "This notebook is a page of *{book}* (attnbook {version}). To run its cells, first "
            "install the package, in a clone of the book's repository: "
            '`pip install ".[torch,viz]"`. {licence}'
        ),
        references="References",
    ),
    "zh-CN": Words(
        subtitle="一本讲注意力机制的书，每个结果都是算出来的",
        contents="目录",
        version="版本",
        licence="文字与图：CC BY 4.0，代码：MIT。",
        files="整本书的文件：{}。",
        file="{link}（{size}）",
        separator="、",
        notebook=(
            "这份 notebook 是《{book}》（attnbook {version}）中的一页。"
            '要运行单元格，先克隆本书的仓库，在其中安装软件包：`pip install ".[torch,viz]"`。'
            "{licence}"
        ),
        references="参考文献",
    ),
}
"""Language tag → words."""
