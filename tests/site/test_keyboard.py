"""The book without a mouse: where the tab key stops, what one sees of it, and what it opens."""

from pathlib import Path

import pytest

pytestmark = [pytest.mark.site, pytest.mark.browser]

WATCH = (Path(__file__).parent / "keyboard.js").read_text("utf-8")
PAGE = "foundations/masks"
WIDTHS = {"en": 1280, "zh-CN": 390}
"""Edition → how wide the window is: where the tab key stops depends on both no more than on one."""


@pytest.fixture
def open_page(open_tab, address):
    """Return a function that opens a page anew in a tab of a width."""

    def open_one(edition: str, page: str, width: int, theme: str = "light"):
        tab, _ = open_tab("http", "keyboard", theme, {"width": width, "height": 900})
        # what one sees at once, without the way there
        tab.emulate_media(reduced_motion="reduce")
        tab.goto("about:blank")
        tab.goto(f"{address['http']}/{edition}/{page}.html")
        return tab

    return open_one


def test_every_stop_is_in_sight_and_marked(open_page, edition, page):
    tab = open_page(edition, page, WIDTHS[edition])
    watch = tab.evaluate_handle(f"({WATCH.rstrip().rstrip(';')})()")
    ended = False
    while not ended:
        tab.keyboard.press("Tab")
        ended = watch.evaluate("(watch) => watch.look()")
    assert watch.evaluate("(watch) => watch.faults()") == []


@pytest.mark.parametrize("width", [1280, 390])
def test_first_stop_skips_to_the_text(open_page, edition, width):
    tab = open_page(edition, PAGE, width)
    tab.keyboard.press("Tab")
    link = tab.locator("#pst-skip-link a")
    assert link.evaluate("(link) => link === document.activeElement")
    box = link.bounding_box()
    assert box["y"] >= 0
    assert box["height"] > 0
    tab.keyboard.press("Enter")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.closest('main') !== null")


@pytest.mark.parametrize("dialog", ["#pst-primary-sidebar-modal", "#pst-secondary-sidebar-modal"])
def test_escape_closes_what_the_keyboard_opened(open_page, edition, dialog):
    from playwright.sync_api import expect

    tab = open_page(edition, PAGE, 390)
    side = "primary" if "primary" in dialog else "secondary"
    button = tab.locator(f".{side}-toggle").first
    button.focus()
    tab.keyboard.press("Enter")
    tab.locator(f"{dialog}[open]").wait_for()
    assert tab.evaluate("(dialog) => document.activeElement.closest(dialog) !== null", dialog)
    tab.keyboard.press("Escape")
    tab.locator(f"{dialog}:not([open])").wait_for(state="attached")
    expect(button).to_be_focused()
