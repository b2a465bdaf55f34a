"""What readers see of docstrings on a MyST page."""

import re

EXTENSIONS = ("myst_parser", "sphinx.ext.autodoc", "numpydoc", "attnbook.sphinxext.docstrings")
PAGE = """
# Reference

```{eval-rst}
.. autofunction:: attnbook.softmax
```
"""


def test_citations_show_their_number(book):
    built = book({"index.md": PAGE}).build(*EXTENSIONS, nitpicky=True)
    assert "citation" not in built.warnings
    assert "[1]</span></a>" in built.page()
    assert "-1]" not in built.page()


def test_two_blocks_of_docstrings_share_no_id(book):
    second = PAGE.split("\n", 3)[3].replace("softmax", "scaled_dot_product_attention")
    built = book({"index.md": PAGE + second}).build(*EXTENSIONS)
    ids = re.findall(r' id="([^"]+)"', built.page())
    assert "attnbook.scaled_dot_product_attention" in ids
    assert sorted(ids) == sorted(set(ids))


def test_parts_are_named_in_the_language_of_the_edition(book):
    built = book({"index.md": PAGE}).build(*EXTENSIONS, language="zh_CN")
    names = re.findall(r'<(?:dt class="field-\w+"|p class="rubric")>([^<]+)<', built.page())
    assert {"参数", "返回", "备注", "引用", "示例"} <= set(names)
    assert not [name for name in names if name.isascii()]


def test_types_are_written_as_in_python(book):
    page = PAGE.replace("attnbook.softmax", "attnbook.viz.describe_map")
    text = re.sub("<[^>]+>", "", book({"index.md": page}).build(*EXTENSIONS).page())
    assert '{"en", "zh_CN"}' in text.replace("&quot;", '"')
