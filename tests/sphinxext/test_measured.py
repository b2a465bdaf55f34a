"""A table of what was measured is numbered, translated, and changes with its file."""

import re
from pathlib import Path

import pytest

from attnbook.data import measured
from attnbook.sphinxext.measured import TABLES, fold

EXTENSIONS = ("myst_parser", "attnbook.sphinxext.measured", "attnbook.sphinxext.messages")
PAGE = """
# Measured

See {numref}`tab-measured`.

```{measured} KIND
:name: tab-measured

What was *found*.
```
"""
LAST = "We align to the `last` key."
RUN = {
    "libraries": {
        "numpy": {"version": "2.0", "passed": 7, "failed": 0, "skipped": {}},
        "torch-meta": {
            "version": "2.13",
            "passed": 5,
            "failed": 0,
            "skipped": {"it has no numbers": 3, "not asked": 2},
        },
        "torch-cuda": {
            "version": "2.13",
            "passed": 0,
            "failed": 0,
            "skipped": {"torch finds no CUDA device": 11},
        },
    },
    "disagreements": [
        {"library": name, "case": case, "theirs": theirs, "ours": "[3]", "why": why}
        for name, case, theirs, why in (
            ("jax", "a lonely case", "refuses", "It refuses."),
            ("jax", "`is_causal`", "[1]", LAST),
            ("torch, MATH", "`is_causal`", "[1]", LAST),
            ("torch, MATH", "another", "[1]", LAST),
            ("torch, default", "`is_causal`", "[1]", LAST),
        )
    ],
}
COST = {
    "rows": [
        {
            "library": "numpy",
            "shape": [1, n],
            "package": 9,
            "direct": 4,
            "difference": difference,
            "ratio": 2,
        }
        for n, difference in ((2, 5), (3, -0.04))
    ],
    "parts": [{"library": name, "part": "checks", "time": 1.25} for name in ("numpy", "torch")],
}


@pytest.fixture
def table(book, monkeypatch):
    """Return a maker of a page with one table of given measurements."""
    monkeypatch.setattr(measured, "libraries", lambda: RUN)
    monkeypatch.setattr(measured, "overhead", lambda: COST)

    def make(kind, page=PAGE, more=(), **config):
        made = book({"index.md": page.replace("KIND", kind), **dict(more)})
        return made.build(*EXTENSIONS, gettext_compact=False, **config)

    return make


def cells(html):
    """Return the text of each cell of the body, row by row; "2×" before one that spans two rows."""
    body = html.partition("<tbody>")[2].partition("</tbody>")[0]
    rows = re.findall(r"<tr[^>]*>([\s\S]*?)</tr>", body)
    return [
        [
            spans(tag, "row", "×") + re.sub(r"<[^>]+>", "", text).strip()
            for tag, text in re.findall(r"<td([^>]*)>([\s\S]*?)</td>", row)
        ]
        for row in rows
    ]


def spans(tag, axis, sign):
    return "".join(number + sign for number in re.findall(rf'{axis}span="(\d)', tag))


@pytest.mark.parametrize("kind", TABLES)
def test_table_has_number_caption_and_label(table, kind):
    built = table(kind)
    assert built.warnings == ""
    page = built.page()
    assert 'id="tab-measured"' in page
    assert re.search(r"See <a [^>]*><span[^>]*>Table 1<", page)
    assert "What was <em>found</em>." in page


@pytest.mark.parametrize("kind", TABLES)
def test_every_row_fills_all_columns(table, kind):
    page = table(kind).page()
    n_columns = len(re.findall(r"<th[ >]", page))
    body = page.partition("<tbody>")[2].partition("</tbody>")[0]
    areas = [
        int(spans(tag, "row", "") or 1) * int(spans(tag, "col", "") or 1)
        for tag in re.findall(r"<td([^>]*)>", body)
    ]
    assert sum(areas) == n_columns * body.count("<tr")


@pytest.mark.parametrize(
    ("kind", "n_numbers"), [("libraries", 3), ("disagreements", 0), ("overhead", 4), ("parts", 2)]
)
def test_heads_of_columns_of_numbers_stand_over_them(table, kind, n_numbers):
    classes = re.findall(r'<th class="([^"]*)"', table(kind).page())
    assert sum("number" in names.split() for names in classes) == n_numbers


def test_skipped_tests_have_a_row_for_each_reason(table):
    assert cells(table("libraries").page())[:3] == [
        ["numpy", "2.0", "7", "0", "0", "–"],
        ["2×torch-meta", "2×2.13", "2×5", "2×0", "3", "it has no numbers"],
        ["2", "not asked"],
    ]


def test_library_that_met_no_gpu_is_said_not_to_have_run(table):
    *_, last = cells(table("libraries").page())
    assert last == ["torch-cuda", "–", "–", "–", "11", "not run on a GPU"]


def test_rows_that_say_the_same_are_one_under_their_reason(table):
    assert cells(table("disagreements").page()) == [
        ["We align to the last key."],
        ["another", "torch (MATH)", "[1]", "[3]"],
        ["is_causal", "jax\ntorch (default, MATH)", "[1]", "[3]"],
        ["It refuses."],
        ["a lonely case", "jax", "refuses", "[3]"],
    ]


def test_fold_keeps_answers_that_differ_apart():
    rows = [
        {"library": f"torch, {name}", "case": "a", "theirs": theirs, "ours": "[3]", "why": "b"}
        for name, theirs in (("MATH", "refuses"), ("default", "[1]"))
    ]
    assert [row[0] for row in fold(rows)] == ["torch (MATH)", "torch (default)"]


def messages(built):
    text = Path(built.app.outdir, "index.pot").read_text("utf-8")
    return set(re.findall(r'^msgid "(.+)"$', text, re.M))


def test_words_are_messages_and_names_and_numbers_are_none(table):
    found = messages(table("disagreements", builder="gettext"))
    assert found == {
        *("Measured", "See {numref}`tab-measured`.", "What was *found*."),
        *("case", "library", "it says", "we say"),
        *("a lonely case", "`is_causal`", "another", "refuses", "It refuses.", LAST),
    }
    found = messages(table("libraries", builder="gettext"))
    assert {"it has no numbers", "not asked", "not run on a GPU", "why skipped"} < found
    assert not found & {"numpy", "2.13", "7", "–"}


def test_table_speaks_the_language_of_the_edition(table):
    words = {
        "Measured": "测量",
        "See {numref}`tab-measured`.": "见 {numref}`tab-measured`。",
        "What was *found*.": "所得。",
        "part of a call": "调用的一部分",
        "checks": "检查",
    }
    header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    po = header + "\n".join(f'msgid "{a}"\nmsgstr "{b}"\n' for a, b in words.items())
    more = {"locale/zh_CN/LC_MESSAGES/index.po": po}
    built = table("parts", more=more, language="zh_CN", locale_dirs=["locale"])
    assert built.warnings == ""
    assert cells(built.page()) == [["检查", "1.2", "1.2"]]
    assert "所得。" in built.page()


def test_missing_translation_of_a_cell_is_a_warning(table):
    built = table("parts", language="zh_CN", locale_dirs=["locale"])
    assert "index.md:8: WARNING: missing translation in index.po: 'checks'" in built.warnings


def test_page_depends_on_the_file(table):
    dependencies = table("overhead").app.env.dependencies["index"]
    assert any(str(path).endswith("overhead.json") for path in dependencies)


def test_a_difference_that_is_rounded_to_nothing_has_no_sign(table):
    rows = cells(table("overhead").page())
    assert [row[-2] for row in rows] == ["5.0", "0.0"]


@pytest.mark.parametrize(
    ("page", "says"),
    [
        (PAGE.replace("KIND", "weather"), "there is no table 'weather'; there are libraries, "),
        (PAGE.replace(":name: tab-measured\n", ""), "needs a caption .* and a :name:"),
        (PAGE.replace("What was *found*.\n", ""), "needs a caption .* and a :name:"),
        (
            PAGE.replace("*found*.\n", "found.\n\nTwice.\n"),
            "the caption of a table is one paragraph",
        ),
    ],
)
def test_bad_use_is_an_error_at_its_line(table, page, says):
    built = table("parts", page=page.replace("See {numref}`tab-measured`.", "See."))
    assert re.search(rf"index\.md:5: ERROR: .*{says}", built.warnings)
