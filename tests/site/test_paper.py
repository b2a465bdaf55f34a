"""A page on paper: black on white, whole, and nothing of the site around it."""

import pytest

pytestmark = [pytest.mark.site, pytest.mark.browser]

SHEET = {"width": 642, "height": 986}
"""A4 without its margins, in CSS pixels."""
PAGE = "foundations/why-sqrt-dk"

CUT_OFF = """() => {
  const { clientWidth } = document.documentElement;
  const start = (element) => element.outerHTML.slice(0, 160);
  const boxes = document.querySelectorAll(
    "article :is(pre, table, .math-scroll, img, .mermaid-drawing)"
  );
  return [...boxes].filter((box) =>
    box.checkVisibility() &&
    (box.getBoundingClientRect().right > clientWidth + 1 || box.scrollWidth > box.clientWidth + 3)
  ).map(start);
}"""
TO_CLICK = """() =>
  [...document.querySelectorAll(
    "button, input, nav, .bd-sidebar, .headerlink, dialog, "
    + "footer:not(:has(.cite)), summary:not(.cite > summary)"
  )].filter((element) => element.checkVisibility() && element.getClientRects().length)
    .map((element) => element.outerHTML.slice(0, 160))"""


@pytest.fixture(scope="module")
def sheet(browser, address):
    """Return a tab that shows pages as they are printed."""
    context = browser.new_context(viewport=SHEET, reduced_motion="reduce")
    tab = context.new_page()
    tab.emulate_media(media="print")
    yield tab
    context.close()


def test_no_line_and_no_picture_is_cut_off(sheet, address, edition, page):
    sheet.goto(f"{address['http']}/{edition}/{page}.html")
    sheet.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert sheet.evaluate(CUT_OFF) == []


def test_nothing_to_click_is_printed(sheet, address, edition, written_page):
    sheet.goto(f"{address['http']}/{edition}/{written_page}.html")
    assert sheet.evaluate(TO_CLICK) == []
    assert sheet.locator("h1:visible").count() == 1


def test_links_out_of_the_book_show_their_address(sheet, address):
    sheet.goto(f"{address['http']}/en/develop/building.html")
    shown = """() => [...document.querySelectorAll("article a.external")].map((link) =>
      getComputedStyle(link, "::after").content.includes(link.getAttribute("href")))"""
    assert sheet.evaluate(shown)
    assert all(sheet.evaluate(shown))


def test_a_dark_page_is_printed_light_and_open(browser, address):
    context = browser.new_context(color_scheme="dark")
    tab = context.new_page()
    tab.goto(f"{address['http']}/en/{PAGE}.html")
    closed = tab.locator("article details:not([open])").count()
    assert closed
    tab.evaluate(
        """() => addEventListener("beforeprint", () => {
          window.printed = [document.documentElement.dataset.theme,
            document.querySelectorAll("article details:not([open])").length];
        })"""
    )
    tab.pdf()
    assert tab.evaluate("window.printed") == ["light", 0]
    assert tab.locator("html").get_attribute("data-theme") == "dark"
    assert tab.locator("article details:not([open])").count() == closed
    context.close()


def test_paper_is_white_under_black_text(sheet, address):
    sheet.goto(f"{address['http']}/zh-CN/{PAGE}.html")
    colour = "([selector, name]) => getComputedStyle(document.querySelector(selector))[name]"
    assert sheet.evaluate(colour, ["article section > p", "color"]) == "rgb(0, 0, 0)"
    assert sheet.evaluate(colour, ["body", "backgroundColor"]) in {
        "rgb(255, 255, 255)",
        "rgba(0, 0, 0, 0)",
    }
