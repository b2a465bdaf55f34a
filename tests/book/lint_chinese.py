"""Read the Chinese edition for spacing, punctuation and terms: ``nox -s lint`` runs this file.

AutoCorrect knows the spacing of Chinese beside Latin letters and digits. It is given each message
as readers see it, roles and formulas resolved, so that a formula needs its spaces like a word.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import autocorrect_py
from babel.messages.pofile import read_po

HAN = r"[\u3400-\u9fff]"

SEEN = (
    # what a reader sees of a role: its text, or what stands for its result
    (r"\{(?:term|ref|doc|py:\w+)\}`([^`<]+?)(?: *<[^`]*>)?`", r"\1"),
    # a text is glued as whole sentences
    (r"\{glue:text\}`[^`]*:s`", "一句话。"),
    (r"\{glue:text\}`[^`]*`", "1"),
    (r"\{numref\}`[^`]*`", "图 1"),
    (r"\{eq\}`[^`]*`", "(1)"),
    (r"\{cite:[pt]\}`[^`]*`", "Name (2017)"),
    (r"`+[^`]+`+", "code"),
    (r"\$[^$]+\$", "x"),
    (r"\[([^\]]+)\]\([^)]*\)", r"\1"),
    (r"\[\]\([^)]*\)", "标题"),
    (r"\*+([^*]+)\*+", r"\1"),
    (r"https?://\S+", "link"),
)

PUNCTUATION = (
    (rf"{HAN} ?[,;:?!]|{HAN}\.(?!\w)", "half-width punctuation after Chinese"),
    (rf"{HAN}\(|\){HAN}", "half-width bracket beside Chinese"),
    (r" [，。；：？！、）」]|[，。；：？！、（「] ", "a space beside full-width punctuation"),
    (r"[“”‘’]", "「」 are the quotation marks"),
)

# one term each: what is never written, and what is written instead
TERMS = {
    "令牌|标记序列": "词元（token）",
    "掩膜|屏蔽矩阵": "掩码（mask）",
    "得分|打分": "分数（score）",
    "注意力分数": "权重（weight）, or 分数 before softmax",
    "权值": "权重（weight）",
    "多头自注意": "多头注意力（multi-head attention）",
    "交互注意力|互注意力|交叉注意力机制": "交叉注意力（cross-attention）",
    "自注意力机制": "自注意力（self-attention）",
    "残差链接|跳跃连接": "残差连接（residual connection）",
    "层标准化|层规范化": "层归一化（layer normalization）",
    "位置嵌入编码|位置信息编码": "位置编码（position encoding）",
    "键值缓存": "KV 缓存（KV cache）",
    "饱和度": "饱和（saturate）",
    "批次|批量(?!梯度)": "批（batch）",
    "投射|映射矩阵": "投影（projection）",
    "我们可以看到|值得注意的是|众所周知": "nothing: say it",
}


def as_seen(message: str) -> str:
    """Return a message as a reader sees it."""
    for pattern, text in SEEN:
        message = re.sub(pattern, text, message)
    return message


def faults(message: str) -> Iterator[str]:
    """Yield what is wrong with one message."""
    text = as_seen(message)
    if not re.search(HAN, text):
        return
    for pattern, what in PUNCTUATION:
        for found in re.finditer(pattern, text):
            yield f"{what}: …{text[max(0, found.start() - 8) : found.end() + 8]}…"
    # a word that is quoted is spoken about, not used
    used = re.sub("「[^」]*」", "", text)
    for pattern, instead in TERMS.items():
        for found in re.finditer(pattern, used):
            yield f"{found[0]}: write {instead}"
    spaced = autocorrect_py.format(text)
    if spaced != text:
        yield f"spacing: {text!r} should read {spaced!r}"


def messages(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of each message of a catalogue, or of each label of a diagram."""
    if path.suffix == ".po":
        with path.open("rb") as file:
            for message in read_po(file):
                if message.id:
                    yield message.lineno, message.string
        return
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        # a node's text, an edge's, and what follows a colon: accessible words, messages, notes
        for label in re.findall(r'"([^"]*)"|\|([^|]*)\||: *(.+)', line):
            yield from ((number, part) for part in "".join(label).split("<br>"))


def main(folders: list[str]) -> int:
    """Print every fault below the folders with file and line; return 1 if there is one."""
    patterns = ("*.po", "*.zh_CN.mmd")
    paths = [path for name in patterns for folder in folders for path in Path(folder).rglob(name)]
    found = [
        f"{path}:{line}: {fault}"
        for path in sorted(paths)
        for line, message in messages(path)
        for fault in faults(message)
    ]
    print("\n".join(found) or f"{len(paths)} files read, no fault")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
