"""Alternative texts quote results, in both editions."""

import pytest

EXTENSIONS = ("myst_nb", "attnbook.sphinxext.alt", "attnbook.sphinxext.messages")
PAGE = """
---
file_format: mystnb
kernelspec:
  name: python3
---

# Page

```{code-cell}
---
mystnb:
  image:
    alt: "The line ends at {glue:text}`index.md::end:.2f`."
---
from IPython.display import SVG, display
from myst_nb import glue

glue("end", 1 / 3, display=False)
display(SVG('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'))
```
"""
PO = (
    'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    'msgid "Page"\nmsgstr "页"\n\n'
    'msgid "The line ends at {glue:text}`index.md::end:.2f`."\n'
    'msgstr "曲线止于 {glue:text}`index.md::end:.2f`。"\n'
)


def test_alternative_text_quotes_a_result(book):
    built = book({"index.md": PAGE}).build(*EXTENSIONS, nb_execution_mode="force")
    assert built.warnings == ""
    assert 'alt="The line ends at 0.33."' in built.page()


def test_translated_alternative_text_quotes_it_too(book):
    files = {"index.md": PAGE, "locale/zh_CN/LC_MESSAGES/index.po": PO}
    built = book(files).build(
        *EXTENSIONS,
        nb_execution_mode="force",
        language="zh_CN",
        locale_dirs=["locale"],
        gettext_compact=False,
    )
    assert built.warnings == ""
    assert 'alt="曲线止于 0.33。"' in built.page()


def test_missing_key_is_a_warning(book):
    page = PAGE.replace("index.md::end", "index.md::start")
    built = book({"index.md": page}).build(*EXTENSIONS, nb_execution_mode="force")
    assert "alternative text quotes {glue:text}`index.md::start:.2f`" in built.warnings


def test_translators_see_the_role(book):
    built = book({"index.md": PAGE}).build(
        *EXTENSIONS,
        builder="gettext",
        nb_execution_mode="force",
        nb_mime_priority_overrides=[("gettext", "image/svg+xml", 10)],
    )
    catalogue = (built.app.outdir / "index.pot").read_text("utf-8")
    assert 'msgid "The line ends at {glue:text}`index.md::end:.2f`."' in catalogue


WORDS = r"""'Two "words", it\'s 猫。'"""


def test_text_is_inserted_whole(book):
    built = book({"index.md": glue_text(PAGE, WORDS)}).build(*EXTENSIONS, nb_execution_mode="force")
    assert built.warnings == ""
    assert 'alt="The line ends at Two &quot;words&quot;, it\'s 猫。."' in built.page()


def test_translated_text_is_inserted_whole(book):
    po = PO.replace("::end:.2f", "::end:s")
    files = {"index.md": glue_text(PAGE, WORDS), "locale/zh_CN/LC_MESSAGES/index.po": po}
    built = book(files).build(
        *EXTENSIONS,
        nb_execution_mode="force",
        language="zh_CN",
        locale_dirs=["locale"],
        gettext_compact=False,
    )
    assert built.warnings == ""
    assert 'alt="曲线止于 Two &quot;words&quot;, it\'s 猫。。"' in built.page()


@pytest.mark.parametrize("value", ["1 / 3", "['words']"])
def test_the_format_of_texts_is_for_texts(book, value):
    built = book({"index.md": glue_text(PAGE, value)}).build(*EXTENSIONS, nb_execution_mode="force")
    assert "the format s is for texts, not for" in built.warnings


def test_text_is_no_number(book):
    page = PAGE.replace("1 / 3", "'words'")
    built = book({"index.md": page}).build(*EXTENSIONS, nb_execution_mode="force")
    assert "index.md does not glue that way (could not convert string to float" in built.warnings


def test_a_missing_format_is_a_warning(book):
    page = PAGE.replace("::end:.2f", "::end")
    built = book({"index.md": page}).build(*EXTENSIONS, nb_execution_mode="force")
    assert "a format is missing" in built.warnings


def glue_text(page, value):
    """Return the page that glues another value and quotes it as a text."""
    return page.replace("1 / 3", value).replace("::end:.2f", "::end:s")
