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
