"""Inline code: which words of it a line may break."""

import re

EXTENSIONS = ("myst_parser", "attnbook.sphinxext.inline_code")


def kept(book, text):
    built = book({"index.md": f"# T\n\n{text}\n"}).build(*EXTENSIONS)
    assert built.warnings == ""
    return re.findall(r'<span class="pre keep">([^<]*)</span>', built.page())


def test_short_options_stay_whole(book):
    assert kept(book, "Run `nox -s live -- --port=8001` or `-inf`, not `a-b` - `c - d`.") == [
        "-s",
        "--",
        "--port=8001",
        "-inf",
    ]


def test_an_option_longer_than_a_line_of_a_phone_may_break(book):
    assert kept(book, "`--jaxtyping-packages=attnbook.functional`") == []


def test_code_outside_of_a_text_is_left_alone(book):
    assert kept(book, "```text\nnox -s docs\n```") == []
