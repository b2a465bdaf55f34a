"""What the search may quote: prose that can be read by itself, formulas as written by hand."""

import json
import re
from pathlib import Path

import pytest

from attnbook.sphinxext.quotations import SCRIPT

KATEX = Path(__file__).parents[2] / "node_modules" / "katex" / "dist"
EXTENSIONS = ("myst_parser", "attnbook.sphinxext.math", "attnbook.sphinxext.search")
CONFIG = {
    "html_math_renderer": "katex-at-build",
    "katex_folder": str(KATEX),
    "myst_enable_extensions": ["dollarmath"],
}
PAGES = {
    "index.md": r"""
    (top)=
    # Masks

    Divide by $\sqrt{d_k}$, then
    look.

    ```python
    import numpy
    ```

    $$
    x = 1
    $$

    ```{list-table} Three masks.
    * - mask
      - It hides the future.
    ```

    (part)=
    ## Part

    ```{glossary}
    query
      (查询) What is asked.

    查询
      （query）要找的。

    softmax
      A function.
    ```

    ```{py:function} mask(n)
    Hide the future.
    ```

    ```{toctree}
    other
    ```
    """,
    "other.md": "# Other\n\nMore.\n",
}
PASSAGES = {
    "index": [
        ["#top", "Divide by √d_k, then look."],
        ["#top", "It hides the future."],
        ["#term-query", "query (查询) What is asked."],
        ["#term-0", "查询（query）要找的。"],
        ["#term-softmax", "softmax: A function."],
        ["#mask", "Hide the future."],
    ],
    "other": [["#other", "More."]],
}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    from tests.sphinxext.conftest import Book

    made = Book(tmp_path_factory.mktemp("quotations"))
    made.write(PAGES)
    return made.build(*EXTENSIONS, **CONFIG)


def read(built):
    script = (Path(built.app.outdir) / "_static" / SCRIPT).read_text("utf-8")
    return json.loads(re.fullmatch(r"Search\.passages = (.+);\n", script)[1])


def test_passages_are_prose_with_the_place_where_it_stands(built):
    assert built.warnings == ""
    found = read(built)
    assert [text for _, text in found["index"]] == [text for _, text in PASSAGES["index"]]
    assert found == PASSAGES


def test_only_the_search_page_loads_them(built):
    loading = [path.stem for path in built.app.outdir.glob("*.html") if SCRIPT in path.read_text()]
    assert loading == ["search"]


def test_pages_that_are_not_written_again_are_quoted_still(built):
    built.write({"other.md": "# Other\n\nStill more.\n"})
    built.build(*EXTENSIONS, **CONFIG)
    assert read(built) == {**PASSAGES, "other": [["#other", "Still more."]]}
