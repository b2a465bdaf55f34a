"""The linter of the Chinese edition finds what it is for, and passes what is right."""

import pytest

pytest.importorskip("autocorrect_py")

from tests.book.lint_chinese import faults, main

RIGHT = [
    "除以 $\\sqrt{d_k}$，再对{term}`权重 <weight>`求和，得 {glue:text}`a.md::b:.2f`。",
    "缩放点积注意力（scaled dot-product attention）见 {eq}`eq-attention`。",
    "用 `causal_mask` 遮住以后的词元。",
    "人们说的「注意力分数」，有时是分数，有时是权重。",
    "左图：{glue:text}`a.md::left_zh_CN:s`右图正好相反。",
    "English only, as in a title.",
]
WRONG = {
    "除以$\\sqrt{d_k}$，再求和。": "spacing",
    "用`softmax`算。": "spacing",
    "共3个词元。": "spacing",
    "先缩放,再求和。": "half-width punctuation",
    "掩码(mask)在前。": "half-width bracket",
    "先缩放 ，再求和。": "a space beside",
    "所谓“权重”。": "「」",
    "每个令牌都有权重。": "词元",
    "注意力分数之和为 1。": "权重",
}


@pytest.mark.parametrize("message", RIGHT)
def test_passes_what_is_right(message):
    assert list(faults(message)) == []


@pytest.mark.parametrize("message", WRONG)
def test_finds_what_is_wrong(message):
    assert WRONG[message] in "; ".join(faults(message))


def test_names_file_and_line(tmp_path, capsys):
    path = tmp_path / "page.po"
    path.write_text(
        'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
        'msgid "Three tokens."\nmsgstr "共3个令牌。"\n',
        "utf-8",
    )
    assert main([str(tmp_path)]) == 1
    assert f"{path}:5: 令牌: write 词元" in capsys.readouterr().out
