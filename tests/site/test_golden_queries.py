"""Queries that readers type, and the page that each must find, in both editions."""

import re

import pytest

pytestmark = [pytest.mark.site, pytest.mark.browser]

GOLDEN = {
    "en": {
        "softmax": "reference/glossary",
        "embedding": "reference/glossary",
        "scaled dot-product attention": "foundations/scaled-dot-product-attention",
        "softmax along the wrong axis": "foundations/scaled-dot-product-attention",
        "why divide by √d_k": "foundations/why-sqrt-dk",
        "variance": "foundations/why-sqrt-dk",
        "gradient vanishes": "foundations/why-sqrt-dk",
        "library catalogue": "foundations/looking-things-up",
        "python dictionary": "foundations/looking-things-up",
        "who chases whom": "foundations/four-words",
        "a row without any key": "foundations/masks",
        "encoder and decoder": "foundations/self-and-cross",
        "several heads": "foundations/many-heads",
        "the loss goes down": "foundations/what-goes-wrong",
        "attention is not explanation": "foundations/weights-are-not-explanations",
        "causal_mask": "reference/api",
        "scaled_dot_product_attention": "reference/api",
        "PyTorch is_causal": "foundations/masks",
        "H": "reference/notation",
        "Bahdanau 2015": "reference/bibliography",
        "nox -s docs": "develop/building",
    },
    "zh-CN": {
        "键": "reference/glossary",
        "头": "reference/glossary",
        "轴": "reference/notation",
        "猫": "foundations/four-words",
        "查询": "reference/glossary",
        "缩放点积注意力": "foundations/scaled-dot-product-attention",
        "softmax 归一化": "reference/glossary",
        "softmax饱和": "foundations/why-sqrt-dk",
        "为什么要把分数除以 √d_k": "foundations/why-sqrt-dk",
        "方差": "foundations/why-sqrt-dk",
        "梯度消失": "foundations/why-sqrt-dk",
        "图书馆": "foundations/looking-things-up",
        "谁追谁": "foundations/four-words",
        "一个键也没有的行": "foundations/masks",
        "编码器 解码器": "foundations/self-and-cross",
        "为什么需要好几个头": "foundations/many-heads",
        "损失在下降": "foundations/what-goes-wrong",
        "权重不是解释": "foundations/weights-are-not-explanations",
        "causal_mask": "reference/api",
        "padding_mask 掩码": "foundations/masks",
        "参考文献": "reference/bibliography",
        "参与贡献": "develop/contributing",
    },
}
NOT_IN_THE_BOOK = {"en": "photosynthesis", "zh-CN": "光合作用"}
PAGE = "foundations/why-sqrt-dk"
# TeX, code, a bare list of arguments, half a tag: what a summary once began or ended with
UNREADABLE = re.compile(r"\\[a-zA-Z]+|\$|>>>|^import |\bdef |np\.|\]\]|</?\w+>|^\W*$|\s:")


@pytest.fixture
def search(open_tab, address, access):
    """Return a function that types a query as a reader does, and reads what is found."""

    def type_query(edition: str, query: str) -> list[dict[str, str]]:
        tab, log = open_tab(access, "search")
        tab.goto(f"{address[access]}/{edition}/{PAGE}.html")
        log.take()
        tab.keyboard.press("Control+k")
        assert tab.locator("#pst-search-dialog input").evaluate(
            "(i) => i === document.activeElement"
        )
        tab.keyboard.type(query)
        tab.keyboard.press("Enter")
        tab.wait_for_url("**/search.html?q=*")
        # said when the last result is shown
        tab.wait_for_function("document.querySelector('.search-summary')?.innerText")
        found = tab.locator("ul.search > li").evaluate_all(
            """(results) => results.map((result) => ({
                page: result.querySelector("a").getAttribute("href").split(/\\.html|#/)[0],
                title: result.querySelector("a").innerText,
                summary: result.querySelector("p.context")?.innerText ?? "",
            }))"""
        )
        noted = log.take()
        assert (noted.foreign, noted.failed, noted.said) == ([], [], [])
        return found

    return type_query


def test_there_are_enough():
    assert all(len(queries) >= 20 for queries in GOLDEN.values())


@pytest.mark.parametrize(
    ("language", "query"), [(name, query) for name in GOLDEN for query in GOLDEN[name]]
)
def test_finds_the_page_among_the_first_three_and_quotes_it(search, language, query):
    first = search(language, query)[:3]
    assert GOLDEN[language][query] in [found["page"] for found in first]
    for found in first:
        assert 10 <= len(found["summary"]) <= 300, found
        assert not UNREADABLE.search(found["summary"]), found


def test_finds_nothing_that_is_not_there(search, edition):
    assert search(edition, NOT_IN_THE_BOOK[edition]) == []


def test_marks_what_was_asked_for(search, open_tab, access, edition):
    search(edition, "softmax")
    tab, _ = open_tab(access, "search")
    marked = tab.locator("ul.search p.context .highlighted").all_inner_texts()
    assert {text.lower() for text in marked} == {"softmax"}


def test_shows_titles_in_plain_text(search, edition):
    titles = [found["title"] for found in search(edition, "√d_k")]
    assert any("√d_k" in title for title in titles)
    assert [title for title in titles if "\\" in title] == []


def test_the_field_on_the_search_page_searches_again(search, open_tab, access, edition):
    search(edition, "softmax")
    tab, _ = open_tab(access, "search")
    box = tab.locator(".bd-search-container input[name=q]")
    assert box.input_value() == "softmax"
    box.fill("causal_mask")
    box.press("Enter")
    tab.wait_for_url("**/search.html?q=causal_mask*")
    assert tab.locator("ul.search > li").first.inner_text().startswith("attnbook.causal_mask")


def test_the_button_in_the_sidebar_opens_the_field(open_tab, address, access, edition):
    tab, _ = open_tab(access, "search")
    tab.goto(f"{address[access]}/{edition}/{PAGE}.html")
    tab.click(".search-button-field")
    tab.keyboard.type("softmax")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/search.html?q=softmax")
    tab.locator("ul.search > li").first.wait_for(state="visible")
