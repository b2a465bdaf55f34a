"""The ``source`` directive shows what is there and fails for what is not."""

import attnbook
from attnbook.sphinxext.source import source_of, without_docstring

EXTENSIONS = ("myst_parser", "sphinx.ext.autodoc", "attnbook.sphinxext.source")
PAGE = """
# Softmax

```{source} attnbook.softmax
```

```{eval-rst}
.. py:function:: attnbook.softmax
```
"""


def test_source_is_the_file_less_the_docstring():
    text, path = source_of("attnbook.softmax")
    whole, _ = source_of("attnbook.softmax", docstring=True)
    assert path.name == "softmax.py"
    assert attnbook.softmax.__doc__ in whole
    assert '"""' not in text
    assert set(text.splitlines()) < set(whole.splitlines())
    # what is left still is the function
    compile(text, "shown", "exec")


def test_without_docstring_leaves_code_without_one_alone():
    text = "def f():\n    return 'not a docstring'\n"
    assert without_docstring(text) == text


def test_page_shows_code_and_links_to_the_reference(book):
    built = book({"index.md": PAGE}).build(*EXTENSIONS)
    assert built.warnings == ""
    page = built.page()
    assert 'class="tested-source' in page or "tested-source" in page
    assert 'href="#attnbook.softmax"' in page
    assert "Parameters" not in page


def test_page_depends_on_the_file(book):
    built = book({"index.md": PAGE}).build(*EXTENSIONS)
    dependencies = built.app.env.dependencies["index"]
    assert any(str(path).endswith("softmax.py") for path in dependencies)


def test_gone_name_is_an_error_at_its_line(book):
    built = book({"index.md": "# T\n\n```{source} attnbook.softmin\n```\n"}).build(*EXTENSIONS)
    assert "index.md:3: ERROR: cannot show source: nothing is named 'attnbook.softmin'" in (
        built.warnings
    )


def test_name_without_source_is_an_error(book):
    built = book({"index.md": "# T\n\n```{source} math.sqrt\n```\n"}).build(*EXTENSIONS)
    assert "'math.sqrt' has no Python source" in built.warnings


def test_gone_api_entry_is_a_warning(book):
    built = book({"index.md": PAGE.split("```{eval-rst}")[0]}).build(*EXTENSIONS)
    assert "reference target not found: attnbook.softmax" in built.warnings
