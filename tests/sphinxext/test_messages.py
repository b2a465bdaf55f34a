"""A translation that is missing, fuzzy or left over is found, with its page and line."""

import re

import pytest

EXTENSIONS = ("myst_parser", "sphinx.ext.autodoc", "numpydoc", "attnbook.sphinxext.messages")
CONFIG = {"language": "zh_CN", "gettext_compact": False, "locale_dirs": ["locale"]}
PO = "locale/zh_CN/LC_MESSAGES/index.po"
HEADER = (
    'msgid ""\nmsgstr ""\n"Language: zh_CN\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
)
PAGE = "# Masks\n\nA mask selects.\n\n```{math}\nx^2\n```\n"
WHOLE = {"Masks": "掩码", "A mask selects.": "掩码做选择。"}


def catalogue(entries, flag=""):
    return HEADER + "\n".join(
        f'{flag}msgid "{source}"\nmsgstr "{text}"\n' for source, text in entries.items()
    )


def build(book, entries, flag="", page=PAGE):
    return book({"index.md": page, PO: catalogue(entries, flag)}).build(*EXTENSIONS, **CONFIG)


def test_whole_translation_passes_and_formulas_need_none(book):
    built = build(book, WHOLE)
    assert built.warnings == ""
    assert "掩码做选择。" in built.page()


@pytest.mark.parametrize("text", ["", None])
def test_missing_translation_is_a_warning_at_its_line(book, text):
    entries = {"Masks": "掩码"} | ({} if text is None else {"A mask selects.": text})
    built = build(book, entries)
    assert "index.md:3: WARNING: missing translation in index.po: 'A mask selects.'" in (
        built.warnings
    )


def test_missing_catalogue_misses_every_message(book):
    built = book({"index.md": PAGE}).build(*EXTENSIONS, **CONFIG)
    assert built.warnings.count("missing translation in index.po") == 2


def test_fuzzy_translation_is_a_warning(book):
    built = build(book, WHOLE, flag="#, fuzzy\n")
    assert built.warnings.count("fuzzy translation in index.po") == 2


def test_translation_may_equal_the_source(book):
    built = build(book, WHOLE | {"softmax": "softmax"}, page=PAGE + "\nsoftmax\n")
    assert built.warnings == ""


def test_left_over_translation_is_a_warning_in_the_catalogue(book):
    built = build(book, WHOLE | {"An old sentence.": "旧句。"})
    assert "index.po:" in built.warnings
    assert "no longer on the page: 'An old sentence.'" in built.warnings


def test_english_edition_needs_no_catalogue(book):
    built = book({"index.md": PAGE}).build(*EXTENSIONS, **(CONFIG | {"language": "en"}))
    assert built.warnings == ""


def test_settings_of_the_file_are_no_messages_and_its_description_is(book):
    front = "---\nauthor: nobody\nmyst:\n  html_meta:\n    description: On masks.\n---\n\n"
    built = build(book, WHOLE | {"On masks.": "谈掩码。"}, page=front + PAGE)
    assert built.warnings == ""
    (tag,) = re.findall(r"<meta [^>]*谈掩码[^>]*>", built.page())
    assert "translated" not in tag


def test_docstrings_stay_as_they_are(book):
    page = PAGE + "\n```{eval-rst}\n.. autofunction:: attnbook.padding_mask\n```\n"
    built = build(book, WHOLE, page=page)
    assert "translation" not in built.warnings
    assert "padding" in built.page()
