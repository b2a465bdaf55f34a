"""Search that finds in Chinese, without a dictionary, from a server and from disk.

Sphinx cuts Chinese into words with a dictionary on one side only: the reader's query stays
whole and finds nothing. Here every pair of neighbouring characters is a term, in the index and
in the query alike, so that any phrase of a page is found. Everything else is English to the
search, the names in the code included.

In both editions a page must hold every term of the query, and comes the sooner the more of them
are in its title. What is quoted of the pages that were found is picked in ``quotations.py``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.search.en import SearchEnglish
from sphinx.util.index_entries import split_index_msg

if TYPE_CHECKING:
    from sphinx.application import Sphinx

SCRIPTS = Path(__file__).parent / "scripts"
"""The half of the search that runs in the reader's browser."""

HAN = "々〇\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese characters, as the inside of a regular expression's ``[]``; the script has the same."""

HAN_RUN = re.compile(rf"[{HAN}]+")
RUN = re.compile(rf"[{HAN}]+|[^\W{HAN}]+")


def cut(text: str) -> list[str]:
    """Cut a text into what one searches for, as the script cuts a query.

    Parameters
    ----------
    text : str
        Text in any language.

    Returns
    -------
    list of str
        Words, and the pairs of neighbouring characters of Chinese; a Chinese character with no
        neighbour stays alone.

    Examples
    --------
    >>> cut("softmax 与注意力")
    ['softmax', '与注', '注意', '意力']
    """
    terms: list[str] = []
    for run in RUN.findall(text):
        if HAN_RUN.match(run) and len(run) > 1:
            terms += [run[i : i + 2] for i in range(len(run) - 1)]
        else:
            terms.append(run)
    return terms


class SearchChinese(SearchEnglish):
    """Chinese as pairs of characters; any other word as in the English edition."""

    lang = "zh"
    js_splitter_code = (SCRIPTS / "search-zh.js").read_text("utf-8")

    def split(self, input: str) -> list[str]:
        """Return the terms that a text is found by.

        Parameters
        ----------
        input : str
            Text of a page.

        Returns
        -------
        list of str
            What a query can be cut into, and the characters of every pair: a query may be one
            character long.
        """
        return cut(input) + [character for run in HAN_RUN.findall(input) for character in run]


def copy_script(app: Sphinx) -> None:
    """Let Sphinx copy the script of the search page."""
    if app.builder.format == "html":
        app.config.html_static_path.append(str(SCRIPTS / "search-page.js"))


def load_script(
    app: Sphinx, page: str, template: str, context: dict[str, object], doctree: object
) -> None:
    """Load the script on the search page and nowhere else."""
    if page == "search":
        # deferred: after Sphinx's own scripts, before its index, which comes last
        app.add_js_file("search-page.js", loading_method="defer")


def keep_index_entries(app: Sphinx) -> list:
    """Give the search the index entries of all pages, not only of those written in this build.

    Sphinx collects them while it writes and forgets them afterwards: after a rebuild, the terms of
    the glossary would no longer be found by name.
    """
    indexer = getattr(app.builder, "indexer", None)
    if indexer is not None:
        for page, entries in app.env.domains.index_domain.entries.items():
            indexer._index_entries[page] = sorted(
                (term, target or "", main)
                for kind, value, target, main, _key in entries
                for term in split_index_msg(kind, value)
            )
    # Sphinx asks here for more pages, the last moment before it saves the search index
    return []


def setup(app: Sphinx) -> dict[str, object]:
    """Replace Sphinx's Chinese search and the ranking of either; English keeps its terms."""
    app.setup_extension("attnbook.sphinxext.quotations")
    app.add_search_language(SearchChinese)
    app.connect("html-collect-pages", keep_index_entries)
    app.connect("builder-inited", copy_script)
    app.connect("html-page-context", load_script)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
