"""Entries of a bibliography are found by author and year."""

EXTENSIONS = ("myst_parser", "attnbook.sphinxext.bibliography")
WORKS = """
@article{one, author = {Ada Lovelace}, title = {Notes}, journal = {Memoirs}, year = {1843}}
@article{two, author = {Alan Turing}, title = {Numbers}, journal = {Proceedings}, year = {1936}}
"""
PAGE = """
# Page

{cite:p}`two`, then {cite:t}`one`.
"""
LIST = """
# Works

```{bibliography}
```
"""
OPTIONS = {"bibtex_bibfiles": ["works.bib"], "bibtex_reference_style": "author_year"}


def test_entries_have_no_label_and_stand_in_the_order_of_their_authors(book):
    index = PAGE + "\n```{toctree}\nworks\n```\n"
    made = book({"index.md": index, "works.md": LIST, "works.bib": WORKS})
    made.build(*EXTENSIONS, **OPTIONS)
    page = made.page("works")
    assert page.count('<div class="citation"') == 2
    assert page.index("Ada Lovelace") < page.index("Alan Turing")
    assert "Lov43" not in page
    assert "fn-bracket" not in page
    assert "Turing, 1936" in made.page()
