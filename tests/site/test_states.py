"""What opens on a page is accessible as the page is: dialogs, sidebars, menus, search results."""

import pytest

pytestmark = [pytest.mark.site, pytest.mark.browser]

PAGE = "foundations/many-heads"
# what is opened → on which page, how wide the window is, what opens it, what must be seen then
STATES = {
    "search dialog": (PAGE, 1280, ".search-button-field", "#pst-search-dialog input"),
    "theme menu": (PAGE, 1280, ".theme-switch-button", ".theme-change-button"),
    "hidden code": (PAGE, 1280, "article details summary", "article details[open] pre"),
    "sidebar on a phone": (PAGE, 390, ".primary-toggle", ".bd-sidebar-primary nav.bd-links a"),
    "contents on a phone": (PAGE, 390, ".secondary-toggle", "#pst-page-toc-nav a"),
    "search results": ("search", 1280, None, "ul.search > li"),
    "search results on a phone": ("search", 390, None, "ul.search > li"),
}


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing_wrong_with_what_opens(open_tab, address, axe, state, theme, edition):
    page, width, button, seen = STATES[state]
    tab, log = open_tab("http", "state", theme, {"width": width, "height": 900})
    query = "" if button else "?q=softmax"
    # what fades or slides in has no colour to be judged by yet
    tab.emulate_media(reduced_motion="reduce")
    tab.goto("about:blank")
    log.take()
    tab.goto(f"{address['http']}/{edition}/{page}.html{query}")
    if button:
        tab.locator(button).first.click()
    tab.locator(seen).first.wait_for(state="visible")
    assert axe(tab) == []
    assert log.take().said == []
