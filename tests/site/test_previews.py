"""What a link to an equation, a figure, a table or a term leads to is shown beside the link."""

import pytest

pytestmark = [pytest.mark.site, pytest.mark.browser]

# what is linked → a page with such a link, and what of the target must be seen
KINDS = {
    "term": ("foundations/many-heads", "[href$='glossary.html#term-query']", "code"),
    "equation": ("foundations/many-heads", "[href$='#equation-eq-multi-head']", ".katex"),
    "figure": ("foundations/many-heads", "[href$='#fig-two-heads']", "figcaption"),
    "table": ("foundations/masks", "[href$='#tab-masks-elsewhere']", "td >> nth=0"),
}
CUT_OFF = """(boxes) => boxes
  .filter((box) => box.scrollWidth > box.clientWidth + 3)
  .map((box) => box.outerHTML)"""
FITS = """([box, ...others]) => {
  const { left, right, top, bottom } = box.getBoundingClientRect();
  return !others.length && left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
}"""
# longer than any wait of the script
QUIET_MS = 700


@pytest.fixture
def show(open_tab, address):
    """Return a function that lets the mouse rest on a link; it gives the tab and what it said."""

    def rest(kind, edition, access="http", theme="light", width=1280):
        page, link, _ = KINDS[kind]
        tab, log = open_tab(access, "preview", theme, {"width": width, "height": 900})
        tab.mouse.move(0, 0)
        tab.goto("about:blank")
        log.take()
        tab.goto(f"{address[access]}/{edition}/{page}.html")
        # the top of the window hides no link then
        found = tab.locator(f"article a.internal{link}").first
        found.evaluate("(link) => link.scrollIntoView({ block: 'center' })")
        found.hover()
        return tab, log

    return rest


@pytest.mark.parametrize("kind", KINDS)
def test_the_target_is_shown(show, axe, edition, theme, kind):
    tab, log = show(kind, edition, theme=theme)
    box = tab.locator(".preview")
    box.locator(KINDS[kind][2]).first.wait_for(state="visible")
    for image in box.locator("img").all():
        assert image.evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 50
    assert box.evaluate_all(FITS)
    assert box.locator(".popover-body, .math-scroll").evaluate_all(CUT_OFF) == []
    assert box.locator("[id], a, .headerlink").count() == 0
    assert axe(tab) == []
    seen = log.take()
    assert seen.said == seen.failed == seen.foreign == []


def test_the_preview_says_what_the_glossary_says(show, read, site, edition):
    tab, _ = show("term", edition)
    box = tab.locator(".preview .popover-body")
    box.wait_for()
    entry = read(site / edition / "reference" / "glossary.html").find(id="term-query")
    definition = entry.find_next("dd").get_text()
    assert box.evaluate("(box) => box.textContent").split() == definition.split()


def test_the_mouse_may_go_into_it_and_away(show, edition):
    tab, _ = show("figure", edition)
    box = tab.locator(".preview")
    box.wait_for()
    box.locator("figcaption").hover()
    tab.wait_for_timeout(QUIET_MS)
    assert box.is_visible()
    tab.mouse.move(5, 5)
    box.wait_for(state="detached")


def test_escape_closes_it(show, edition):
    tab, _ = show("term", edition)
    tab.locator(".preview").wait_for()
    tab.keyboard.press("Escape")
    assert tab.locator(".preview").count() == 0


def test_a_mouse_that_passes_by_opens_nothing(show, edition):
    tab, _ = show("term", edition)
    tab.mouse.move(5, 5)
    tab.wait_for_timeout(QUIET_MS)
    assert tab.locator(".preview").count() == 0


def test_the_keyboard_opens_it_too_and_a_screen_reader_hears_it(show, edition):
    tab, _ = show("term", edition)
    link = tab.locator(f"article a.internal{KINDS['term'][1]}").first
    tab.mouse.move(5, 5)
    tab.wait_for_timeout(QUIET_MS)
    # the key tells the browser that the focus is to be seen
    tab.keyboard.press("Tab")
    link.focus()
    tab.locator(".preview").wait_for()
    described = link.get_attribute("aria-describedby")
    assert tab.locator(".preview").get_attribute("id") == described
    # a mouse that lies about takes nothing away
    tab.mouse.move(640, 450)
    tab.wait_for_timeout(QUIET_MS)
    assert tab.locator(".preview").count() == 1
    tab.keyboard.press("Tab")
    assert tab.locator(".preview").count() == 0


@pytest.mark.parametrize("kind", KINDS)
def test_opened_from_disk_it_shows_what_is_on_the_page(show, edition, kind):
    tab, log = show(kind, edition, access="file")
    if kind == "term":
        # a browser reads no other page from disk
        tab.wait_for_timeout(QUIET_MS)
        assert tab.locator(".preview").count() == 0
    else:
        tab.locator(".preview").wait_for()
    assert log.take().said == []


def test_what_is_in_view_is_not_shown_again(show, edition):
    from playwright.sync_api import expect

    tab, _ = show("equation", edition)
    tab.locator(".preview").wait_for()
    tab.mouse.move(5, 5)
    tab.locator(".preview").wait_for(state="detached")
    link = tab.locator(f"article a.internal{KINDS['equation'][1]}").first
    # the link stays where it is, whatever scrolls, and the equation comes to it
    link.evaluate("(link) => { link.style.cssText = 'position: fixed; top: 25%; left: 50%' }")
    equation = tab.locator(f"#{link.get_attribute('href').partition('#')[2]}")
    equation.evaluate("(equation) => equation.scrollIntoView({ block: 'center' })")
    link.hover()
    tab.wait_for_timeout(QUIET_MS)
    expect(equation).to_be_in_viewport(ratio=1)
    assert tab.locator(".preview").count() == 0


def test_a_press_on_the_link_leads_there(show, edition):
    tab, _ = show("equation", edition)
    tab.locator(".preview").wait_for()
    link = tab.locator(f"article a.internal{KINDS['equation'][1]}").first
    tab.mouse.move(5, 5)
    tab.keyboard.press("Tab")
    link.focus()
    tab.locator(".preview").wait_for()
    tab.keyboard.press("Enter")
    tab.wait_for_url("**#equation-eq-multi-head")
    assert tab.locator(".preview").count() == 0


@pytest.mark.parametrize("kind", KINDS)
def test_it_fits_beside_a_link_in_the_middle_of_a_tablet(show, edition, kind):
    tab, _ = show(kind, edition, width=768)
    tab.locator(".preview").wait_for()
    assert tab.locator(".preview").evaluate_all(FITS)


def test_there_is_none_on_a_phone(show, edition):
    tab, _ = show("figure", edition, width=390)
    tab.wait_for_timeout(QUIET_MS)
    assert tab.locator(".preview").count() == 0
