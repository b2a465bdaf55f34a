"""What readers see of docstrings on a MyST page."""

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
