"""Queries that readers type, and the page that each must find, in both editions."""

import pytest

pytestmark = [pytest.mark.site, pytest.mark.browser]

GOLDEN = {
    "en": {
        "softmax": "reference/glossary",
        "scaled dot-product attention": "foundations/scaled-dot-product-attention",
        "divide by sqrt": "foundations/why-sqrt-dk",
        "variance": "foundations/why-sqrt-dk",
        "training run": "foundations/why-sqrt-dk",
        "gradient query": "foundations/why-sqrt-dk",
        "wrong axis": "foundations/scaled-dot-product-attention",
        "fixed vector": "foundations/looking-things-up",
        "library catalogue": "foundations/looking-things-up",
        "python dictionary": "foundations/looking-things-up",
        "causal_mask": "reference/api",
        "padding_mask": "reference/api",
        "scaled_dot_product_attention": "reference/api",
        "alphabet of axes": "reference/notation",
        "embedding": "reference/glossary",
        "Vaswani 2017": "reference/bibliography",
        "nox": "develop/building",
        "contributing": "develop/contributing",
    },
    "zh-CN": {
        "查询": "reference/glossary",
        "键": "reference/glossary",
        "缩放点积注意力": "foundations/scaled-dot-product-attention",
        "除以": "foundations/why-sqrt-dk",
        "方差": "foundations/why-sqrt-dk",
        "softmax 饱和": "foundations/why-sqrt-dk",
        "梯度": "foundations/why-sqrt-dk",
        "softmax 弄错了轴": "foundations/scaled-dot-product-attention",
        "转置": "foundations/scaled-dot-product-attention",
        "固定的向量": "foundations/looking-things-up",
        "图书馆": "foundations/looking-things-up",
        "卡片": "foundations/looking-things-up",
        "causal_mask": "reference/api",
        "padding_mask 掩码": "reference/api",
        "因果掩码": "reference/glossary",
        "轴的字母表": "reference/notation",
        "词元": "reference/glossary",
        "参考文献": "reference/bibliography",
        "构建": "develop/building",
        "参与贡献": "develop/contributing",
    },
}
NOT_IN_THE_BOOK = {"en": "photosynthesis", "zh-CN": "光合作用"}


@pytest.fixture
def search(open_tab, address, access):
    """Return a function that types a query on an edition's search page."""

    def type_query(edition: str, query: str) -> list[str]:
        tab, log = open_tab(access, "search")
        tab.goto(f"{address[access]}/{edition}/search.html")
        log.take()
        box = tab.locator(".bd-search-container input[name=q]")
        box.fill(query)
        box.press("Enter")
        # said when the last result is shown
        tab.wait_for_function("document.querySelector('.search-summary')?.innerText")
        links = tab.locator("ul.search > li > a")
        found = links.evaluate_all("(links) => links.map((link) => link.getAttribute('href'))")
        noted = log.take()
        assert (noted.foreign, noted.failed, noted.said) == ([], [], [])
        return found

    return type_query


@pytest.mark.parametrize(
    ("language", "query"), [(name, query) for name in GOLDEN for query in GOLDEN[name]]
)
def test_finds_the_page_among_the_first_three(search, language, query):
    first = [found.split("#")[0] for found in search(language, query)[:3]]
    assert f"{GOLDEN[language][query]}.html" in first


def test_finds_nothing_that_is_not_there(search, edition):
    assert search(edition, NOT_IN_THE_BOOK[edition]) == []


def test_quotes_what_it_found_unless_on_disk(search, open_tab, access, edition):
    search(edition, "softmax")
    tab, _ = open_tab(access, "search")
    tab.wait_for_load_state("networkidle")
    quotations = tab.locator("ul.search p.context").all_inner_texts()
    assert bool(quotations) == (access == "http")
    # each formula once, not in all forms that the page holds for eyes, ears and TeX
    assert [text for text in quotations if "dkd_k" in text or "\\sqrt" in text] == []


def test_shows_titles_in_plain_text(search, open_tab, access, edition):
    search(edition, "√d_k")
    tab, _ = open_tab(access, "search")
    titles = tab.locator("ul.search > li > a").all_inner_texts()
    assert any("√d_k" in title for title in titles)
    assert [title for title in titles if "\\" in title] == []


def test_the_button_in_the_sidebar_leads_to_the_results(open_tab, address, access, edition):
    tab, _ = open_tab(access, "search")
    tab.goto(f"{address[access]}/{edition}/foundations/why-sqrt-dk.html")
    tab.click(".search-button-field")
    tab.keyboard.type("softmax")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/search.html?q=softmax")
    assert tab.locator("ul.search > li").first.is_visible()
