"""The Chinese search: one rule in Python and in JavaScript, and what it finds."""

import json
import re
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

pytest.importorskip("sphinx")

from sphinx.testing.util import SphinxTestApp

from attnbook.sphinxext import search

PAGES = {
    "index": "注意力\n======\n\n.. toctree::\n   :hidden:\n   :glob:\n\n   *\n",
    "scaling": "缩放点积注意力\n==============\n\nsoftmax 归一化之前，分数除以 √d_k。\n",
    "masks": "掩码\n====\n\n因果掩码 ``causal_mask(n)``\\ （causal mask）。归一化之后再遮不对。\n",
    "words": "四个词\n======\n\n猫追老鼠的。softmax 让每行之和为 1。查询与键的点积。\n",
    "alone": "Attention\n=========\n\nHeads, and the dot product of many heads.\n",
    "heads": "Many heads of attention\n=======================\n\nThe dot product.\n",
}
# Sphinx alone would call both pages equal: each has one term in its title
RANKED = {
    "zh_CN": ("点积注意力 分数", ["scaling"]),
    "en": ("many heads attention dot", ["heads", "alone"]),
}
NAMES = ["append_kv", "padding_mask", "mask"]
NAMED = {
    "mask": ["book.mask", "book.padding_mask"],
    "pad": ["book.padding_mask"],
    # letters in the middle of words, and too few of them
    "d_k": [],
    "as": [],
    "k": [],
    "kv": ["book.append_kv"],
}
GOLDEN = {
    "注意力": ["index", "scaling"],
    "缩放点积": ["scaling"],
    "点积": ["scaling", "words"],
    "因果掩码": ["masks"],
    "猫": ["words"],
    "老鼠": ["words"],
    "归一化": ["masks", "scaling"],
    "softmax 归一化": ["scaling"],
    "softmax归一化": ["scaling"],
    "归一化 softmax": ["scaling"],
    "causal_mask": ["masks"],
    "causal masks": ["masks"],
    "CAUSAL_MASK": ["masks"],
    "d_k": ["scaling"],
    "键": ["words"],
    # characters that the pages hold, but nowhere side by side
    "力意注": [],
    "老猫": [],
    "卷积": [],
}


def node() -> str:
    """Return Node: the machine's own, or the one that comes with the environment."""
    beside = Path(sys.executable).with_name("node")
    found = str(beside) if beside.is_file() else shutil.which("node")
    if not found:
        pytest.skip("no Node here")
    return found


def run_script(script: str, data: object) -> object:
    """Return what a JavaScript expression makes of ``data``."""
    program = (
        "const data = JSON.parse(require('fs').readFileSync(0, 'utf-8'));"
        f"process.stdout.write(JSON.stringify((() => {{ {script} }})()));"
    )
    ran = subprocess.run(
        [node(), "-e", program], input=json.dumps(data), capture_output=True, encoding="utf-8"
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


STUBS = """
  const location = { search: "" }, Scorer = {}, DOCUMENTATION_OPTIONS = {};
  const Search = {}, _escapeRegExp = (text) => text;
"""
"""What Sphinx's scripts leave for that of the search page."""


def split_queries(queries: list[str]) -> list[list[str]]:
    """Cut queries as the reader's browser does."""
    script = search.SearchChinese.js_splitter_code
    return run_script(f"{script}; return data.map(splitQuery);", queries)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("，。 ——", []),
        ("键", ["键"]),
        ("注意力", ["注意", "意力"]),
        ("softmax归一", ["softmax", "归一"]),
        ("causal_mask(n_query)", ["causal_mask", "n_query"]),
        ("除以 √d_k，即 √64", ["除以", "d_k", "即", "64"]),
        ("𠮷野家", ["𠮷野", "野家"]),
        ("人们々〇", ["人们", "们々", "々〇"]),
        ("naïve Ångström π", ["naïve", "Ångström", "π"]),
    ],
)
def test_cuts_text_into_pairs_and_words_in_python_and_in_javascript(text, terms):
    assert search.cut(text) == terms
    assert split_queries([text]) == [terms]


def test_python_and_javascript_take_every_character_for_the_same():
    # surrogates are no characters; the two may know different versions of Unicode
    characters = [
        c
        for c in map(chr, range(sys.maxunicode + 1))
        if unicodedata.category(c) not in {"Cn", "Cs"}
    ]
    # between Chinese: only a Chinese character pairs up with both
    queries = [f"一{character}二" for character in characters]
    found = split_queries(queries)
    assert len(found) == len(queries)
    assert [q for q, terms in zip(queries, found, strict=True) if terms != search.cut(q)] == []


def test_index_holds_single_characters_too():
    assert sorted(search.SearchChinese({}).split("注意 softmax")) == sorted(
        ["注意", "softmax", "注", "意"]
    )


def test_every_phrase_of_a_text_is_found():
    text = "softmax 归一化之前，分数除以 √d_k；causal_mask 遮住未来的键。"
    phrases = {text[i:j] for i in range(len(text)) for j in range(i + 1, len(text) + 1)}
    # a phrase does not begin or end inside a Latin word: half a word is another word
    whole = [p for p in phrases if re.search(rf"(?<![a-z_]){re.escape(p)}(?![a-z_])", text)]
    index = set(search.SearchChinese({}).split(text))
    for phrase, terms in zip(whole, split_queries(whole), strict=True):
        assert set(terms) <= index, phrase


@pytest.fixture(scope="module", params=["zh_CN", "en"])
def site(request, tmp_path_factory):
    source = tmp_path_factory.mktemp("search")
    for name, text in PAGES.items():
        (source / f"{name}.rst").write_text(text, "utf-8")
    (source / "conf.py").write_text("extensions = ['attnbook.sphinxext.search']\n", "utf-8")
    app = SphinxTestApp(srcdir=source, confoverrides={"language": request.param})
    try:
        app.build()
        assert app.warning.getvalue() == ""
        yield request.param, app.outdir
    finally:
        app.cleanup()


def find(outdir: Path, queries: list[str], *, position: int = 0) -> list[list[str]]:
    """Return what Sphinx's search finds, best first, outside a browser: pages, or titles (1)."""
    static = outdir / "_static"
    browser = """
      globalThis.window = globalThis;
      globalThis.localStorage = { setItem() {} };
      globalThis.document = { getElementById: () => null };
      globalThis._ = (text) => text;
      globalThis._ready = () => {};
      globalThis.SPHINX_HIGHLIGHT_ENABLED = false;
      globalThis.DOCUMENTATION_OPTIONS = {};
      globalThis.location = { search: "" };
    """
    files = [static / "searchtools.js", static / "language_data.js"]
    files += [static / "search-passages.js", static / "search-page.js", outdir / "searchindex.js"]
    scripts = "\n".join(file.read_text("utf-8") for file in files)
    search_all = f"""
      return data.map((query) =>
        Search._performSearch(...Search._parseQuery(query)).reverse().map((it) => it[{position}]));
    """
    return run_script(f"{browser};{scripts};{search_all}", queries)


@pytest.mark.parametrize("site", ["zh_CN"], indirect=True)
def test_finds_the_golden_queries_and_nothing_else(site):
    _, outdir = site
    found = find(outdir, list(GOLDEN))
    for (query, expected), pages in zip(GOLDEN.items(), found, strict=True):
        assert sorted(set(pages)) == expected, query


def test_a_page_that_says_it_more_often_comes_first(book):
    said = {"A": "Softmax.", "B": "Softmax, softmax and softmax.", "C": "A softmax, or softmaxes."}
    pages = {f"{name.lower()}.md": f"# {name}\n\n{text}\n" for name, text in said.items()}
    index = "# T\n\n```{toctree}\n:glob:\n*\n```\n"
    built = book({"index.md": index, **pages}).build("myst_parser", "attnbook.sphinxext.search")
    assert find(built.app.outdir, ["softmax"]) == [["b", "c", "a"]]


def test_names_are_found_by_their_words(tmp_path):
    (tmp_path / "conf.py").write_text("extensions = ['attnbook.sphinxext.search']\n", "utf-8")
    functions = "\n\n".join(f".. py:function:: book.{name}()" for name in NAMES)
    (tmp_path / "index.rst").write_text(f"T\n=\n\n{functions}\n", "utf-8")
    app = SphinxTestApp(srcdir=tmp_path)
    try:
        app.build()
        named = find(app.outdir, list(NAMED), position=1)
    finally:
        app.cleanup()
    for (query, expected), names in zip(NAMED.items(), named, strict=True):
        assert sorted(name for name in names if "book." in name) == expected, query


def test_a_page_with_more_of_the_query_in_its_title_comes_first(site):
    language, outdir = site
    query, pages = RANKED[language]
    assert find(outdir, [query]) == [pages]


@pytest.mark.parametrize("site", ["en"], indirect=True)
def test_english_keeps_the_terms_of_sphinx(site):
    _, outdir = site
    assert "splitQuery" not in (outdir / "_static/language_data.js").read_text("utf-8")


def test_only_the_search_page_loads_the_script(site):
    _, outdir = site
    loading = {
        page.stem for page in outdir.glob("*.html") if "search-page.js" in page.read_text("utf-8")
    }
    assert loading == {"search"}


def test_the_search_page_shows_roots_as_written_by_hand():
    script = (search.SCRIPTS / "search-page.js").read_text("utf-8")
    shown = run_script(
        f"""{STUBS}
        let shown;
        Search.setIndex = (index) => (shown = index);
        {script}
        Search.setIndex(data);
        return shown;""",
        {"titles": [r"Why \sqrt{d_k}?", "Masks"], "alltitles": {r"\sqrt{d_k}": [[0, None]]}},
    )
    assert shown == {"titles": ["Why √d_k?", "Masks"], "alltitles": {"√d_k": [[0, None]]}}


def quote(passages: list[tuple[str, str]], terms: list[str], anchor: str = "") -> str:
    """Return what the search page quotes of a page."""
    script = (search.SCRIPTS / "search-page.js").read_text("utf-8")
    return run_script(
        f"""{STUBS}
        {script}
        Search.passages = {{ page: data.passages }};
        return Search.quote("page", data.anchor, data.terms);""",
        {"passages": passages, "terms": terms, "anchor": anchor},
    )


PASSAGES = [
    ("#one", "Queries come first. A mask hides keys. Weights follow."),
    ("#two", "Keys are hidden."),
    ("#two", "遮住的键得不到权重。掩码决定遮住哪些键。"),
]


@pytest.mark.parametrize(
    ("terms", "anchor", "quoted"),
    [
        (["weight"], "", "… Weights follow."),
        (["mask", "key"], "", "… A mask hides keys. Weights follow."),
        (["掩码", "码决"], "", "… 掩码决定遮住哪些键。"),
        # in code, which is not quoted
        (["softmax"], "", "Queries come first. A mask hides keys. Weights follow."),
        (["mask"], "#two", "Keys are hidden."),
        (["mask"], "#three", "… A mask hides keys. Weights follow."),
    ],
)
def test_quotes_the_sentence_with_the_most_of_the_query(terms, anchor, quoted):
    assert quote(PASSAGES, terms, anchor) == quoted


def test_cuts_a_quotation_between_words():
    english = quote([("", "attention " * 40)], [])
    assert english.endswith(" attention…")
    assert len(english) <= 241
    chinese = quote([("", "注意力" * 100)], [])
    assert len(chinese) == 121
    # a formula comes next, or a list
    assert quote([("", "Attention is")], []) == "Attention is…"
    assert quote([("", "三个假设：")], []) == "三个假设…"


def test_terms_are_found_by_name_after_a_rebuild(book):
    glossary = "# Terms\n\n```{glossary}\nquery\n  What a token looks for.\n```\n"
    index = "# T\n\n```{toctree}\nterms\n```\n"
    made = book({"index.md": index, "terms.md": glossary})
    for text in ("", "\nMore.\n"):
        made.write({"index.md": index + text})
        made.build("myst_parser", "attnbook.sphinxext.search")
        entries = (made.app.outdir / "searchindex.js").read_text("utf-8")
        assert '"indexentries":{"query":[[1,"term-query",true]]}' in entries
