"""What the style sheet promises: colours that can be read, in both themes, toggled in place."""

import pytest

pytestmark = [pytest.mark.site, pytest.mark.browser]

PAGE = "foundations/scaled-dot-product-attention"
TEXTS = {
    "text": "article section > p",
    "link": "article p a.internal",
    "caption": "article figcaption .caption-text",
    "output": "article .cell_output pre",
    "code": "article .cell_input pre",
    "comment": "article .highlight .c1",
    "page in the sidebar": ".bd-sidebar-primary .current > a",
    "section on the page": "#pst-page-toc-nav a",
    "switch": ".edition-switch a",
}
CONTRAST = """(selector) => {
  const element = document.querySelector(selector);
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  let behind = element;
  while (numbers(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
  const pair = [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor]
    .map((colour) => light(numbers(colour)));
  return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
}"""


@pytest.fixture(scope="module", params=["light", "dark"])
def tab(request, browser, address):
    """Return the page, its theme chosen by the reader's system."""
    context = browser.new_context(
        color_scheme=request.param, viewport={"width": 1280, "height": 900}
    )
    tab = context.new_page()
    tab.goto(f"{address['http']}/en/{PAGE}.html")
    assert tab.locator("html").get_attribute("data-theme") == request.param
    yield tab
    context.close()


@pytest.mark.parametrize("text", TEXTS)
def test_text_stands_out_from_its_ground(tab, text):
    assert tab.evaluate(CONTRAST, TEXTS[text]) >= 4.5


def test_output_looks_unlike_code(tab):
    ground = "(selector) => getComputedStyle(document.querySelector(selector)).backgroundColor"
    assert tab.evaluate(ground, "article .cell_input") != tab.evaluate(
        ground, "article .cell_output .output"
    )


def test_theme_is_set_before_the_page_is_drawn(browser, address):
    context = browser.new_context(color_scheme="dark")
    tab = context.new_page()
    # the theme's own script comes after the page: without it the page must be dark already
    tab.route("**/pydata-sphinx-theme.js*", lambda route: route.abort())
    tab.goto(f"{address['http']}/en/{PAGE}.html")
    assert tab.locator("html").get_attribute("data-theme") == "dark"
    context.close()


THEMES = """new MutationObserver(() => {
  if (document.body) (window.themes ??= new Set()).add(document.documentElement.dataset.theme);
}).observe(document, { attributes: true, childList: true, subtree: true })"""
"""Notes every theme that the page has had since there was something to draw."""


@pytest.mark.parametrize(
    ("chosen", "system", "painted"),
    [
        (None, "dark", "dark"),
        (None, "light", "light"),
        ("auto", "dark", "dark"),
        ("light", "dark", "light"),
        ("dark", "light", "dark"),
    ],
)
def test_no_other_theme_flashes_up(browser, address, chosen, system, painted):
    context = browser.new_context(color_scheme=system)
    tab = context.new_page()
    if chosen:
        tab.goto(f"{address['http']}/en/index.html")
        tab.evaluate("(mode) => localStorage.setItem('mode', mode)", chosen)
    tab.add_init_script(THEMES)
    tab.goto(f"{address['http']}/en/{PAGE}.html")
    assert tab.evaluate("[...window.themes]") == [painted]
    context.close()


def test_reads_without_javascript(browser, address):
    context = browser.new_context(java_script_enabled=False, color_scheme="dark")
    tab = context.new_page()
    tab.goto(f"{address['http']}/en/{PAGE}.html")
    assert tab.locator("html").get_attribute("data-theme") == "light"
    assert tab.locator("article .katex-html").first.is_visible()
    assert not tab.locator(".search-button-field").first.is_visible()
    context.close()


def test_theme_is_toggled_without_a_reload(browser, address):
    context = browser.new_context(color_scheme="light")
    tab = context.new_page()
    tab.goto(f"{address['http']}/en/{PAGE}.html")
    tab.evaluate("window.stillHere = true")
    ground = "getComputedStyle(document.body).backgroundColor"
    before = tab.evaluate(ground)
    tab.click(".theme-switch-button")
    tab.click(".theme-change-button[data-mode='dark']")
    tab.wait_for_function(f"(before) => {ground} !== before", arg=before)
    assert tab.evaluate("window.stillHere")
    context.close()
