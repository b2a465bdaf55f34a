"""What a reader downloads, and that cutting it changed nothing that one sees."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from fontTools.ttLib import TTFont
from PIL import Image, ImageChops

from tests.site.conftest import PHONE, WIDE

pytestmark = [pytest.mark.site, pytest.mark.browser]

FIRST_VISIT = 250_000
NEXT_PAGE = 60_000
PLOTLESS = "reference/glossary"
"""Many formulas, no plot."""
NOISE = 4
"""Levels of colour by which two pictures of one page may differ, of 255.

Of the round corners of a box that scrolls, Chromium draws now one and now the other of two
pictures, one to three levels apart.
"""
LOOKS = {"en": ("light", WIDE), "zh-CN": ("dark", PHONE)}


class Meter:
    """Counts the bytes that come over the wire; what the browser has kept costs nothing."""

    def __init__(self, browser) -> None:
        self.context = browser.new_context(viewport=PHONE, device_scale_factor=2, is_mobile=True)
        self.tab = self.context.new_page()
        self.sizes: dict[str, int] = {}
        self.urls: dict[str, str] = {}
        self.kept: set[str] = set()
        cdp = self.context.new_cdp_session(self.tab)
        cdp.on("Network.requestWillBeSent", self.note_request)
        cdp.on("Network.responseReceived", self.note_response)
        cdp.on("Network.requestServedFromCache", lambda event: self.kept.add(event["requestId"]))
        cdp.on("Network.loadingFinished", self.note_end)
        cdp.send("Network.enable")

    def note_request(self, event) -> None:
        self.urls[event["requestId"]] = event["request"]["url"]

    def note_response(self, event) -> None:
        if event["response"].get("fromDiskCache"):
            self.kept.add(event["requestId"])

    def note_end(self, event) -> None:
        if event["requestId"] not in self.kept:
            self.sizes[self.urls[event["requestId"]]] = event["encodedDataLength"]

    def weigh(self, address: str) -> dict[str, int]:
        """Open a page; return what it took: address → bytes."""
        self.sizes.clear()
        self.tab.goto(address, wait_until="networkidle")
        return dict(self.sizes)


@pytest.fixture
def meter(browser):
    made = Meter(browser)
    yield made
    made.context.close()


def test_first_visit_is_light(meter, address, edition):
    loaded = meter.weigh(f"{address['http']}/{edition}/{PLOTLESS}.html")
    assert f"{address['http']}/{edition}/{PLOTLESS}.html" in loaded
    assert sum(loaded.values()) <= FIRST_VISIT, loaded


def test_next_page_is_lighter(meter, address, edition, page):
    if page == PLOTLESS:
        pytest.skip("is the page that was visited first")
    meter.weigh(f"{address['http']}/{edition}/{PLOTLESS}.html")
    loaded = meter.weigh(f"{address['http']}/{edition}/{page}.html")
    assert loaded
    # what the search looks in, and quotes, is for those who search
    searched = ("searchindex.js", "search-passages.js")
    size = sum(n for url, n in loaded.items() if not urlsplit(url).path.endswith(searched))
    assert size <= NEXT_PAGE, loaded


def test_nothing_is_loaded_twice(meter, address, edition):
    loaded = meter.weigh(f"{address['http']}/{edition}/foundations/why-sqrt-dk.html")
    names = [urlsplit(url).path for url in loaded]
    assert sorted(names) == sorted(set(names))


def test_one_sheet_and_no_script_hold_a_page_up(site, read, edition, page):
    head = read(site / edition / f"{page}.html").find("head")
    assert [sheet["href"].split("?")[0] for sheet in head.select("link[rel=stylesheet]")] == [
        "../" * page.count("/") + "_static/styles.css"
    ]
    if page != "search":
        assert [str(script) for script in head.select("script[src]:not([defer])")] == []


def test_every_file_of_the_sheet_is_there(site, edition):
    static = site / edition / "_static"
    named = re.findall(r"url\(([^)\"']+)\)", (static / "styles.css").read_text("utf-8"))
    assert any(name.startswith("fonts/KaTeX_Main-Regular-") for name in named)
    assert [name for name in named if not (static / name).is_file()] == []
    assert [name for name in named if not re.search(r"-[0-9a-f]{8}\.woff2$", name)] == []


def test_every_image_says_its_size(site, read, edition, page):
    images = read(site / edition / f"{page}.html").select("article img")
    assert [
        str(image) for image in images if not (image.get("width") and image.get("height"))
    ] == []


ICONS = """() => [...document.querySelectorAll("*")].flatMap((element) =>
  ["::before", "::after"].map((part) => getComputedStyle(element, part))
    .filter((style) => /Font Awesome/.test(style.fontFamily) && style.content.startsWith('"'))
    .map((style) => [style.content[1], style.fontWeight]))"""
ICON_FONT_LOADED = """[...document.fonts].some(
  (font) => /Font Awesome/.test(font.family) && font.status === "loaded")"""
ICON_FONTS = {"900": "fa-solid-900-*.woff2", "400": "fa-regular-400-*.woff2"}


@cache
def glyphs(path: Path) -> set[str]:
    """Return the characters that a font draws."""
    with TTFont(path) as font:
        return set(map(chr, font.getBestCmap()))


def test_every_icon_has_its_glyph(site, open_tab, address, edition, page):
    tab, _ = open_tab("http", "icons")
    tab.goto(f"{address['http']}/{edition}/{page}.html")
    tab.wait_for_function(ICON_FONT_LOADED)
    icons = tab.evaluate(ICONS)
    assert icons
    fonts = site / edition / "_static/fonts"
    drawn = {weight: glyphs(next(fonts.glob(name))) for weight, name in ICON_FONTS.items()}
    missing = {icon for icon, weight in icons if icon not in drawn[weight]}
    assert missing == set()


def test_every_formula_has_its_glyphs(site, read, edition, page):
    formulas = read(site / edition / f"{page}.html").select(".katex-html")
    written = set("".join(formula.get_text() for formula in formulas))
    static = site / edition / "_static"
    for font in static.glob("fonts/KaTeX_*.woff2"):
        (whole,) = static.glob(f"katex/fonts/{font.stem.rpartition('-')[0]}.woff2")
        assert written & glyphs(whole) <= glyphs(font)


def open_theme_menu(tab):
    tab.click(".theme-switch-button")


def open_search(tab):
    tab.keyboard.press("Control+k")
    tab.locator("#pst-search-dialog[open]").wait_for()


def open_contents(tab):
    tab.click(".primary-toggle")


def point_at_button(tab):
    tab.hover(".theme-switch-button")
    tab.locator(".tooltip.show").wait_for()


STATES = {
    "theme menu": open_theme_menu,
    "search": open_search,
    "contents": open_contents,
    "tooltip": point_at_button,
    "paper": lambda tab: tab.emulate_media(media="print"),
}


@cache
def uncut_sheet(static: Path) -> str:
    """Return every rule, with the cut fonts: renderers hint a font by all of its glyphs."""
    sheet = (static / "styles.uncut.css").read_text("utf-8")
    for font in (static / "fonts").iterdir():
        name = font.stem.rpartition("-")[0]
        sheet, found = re.subn(rf"url\([^)]*/{name}\.woff2\)", f"url(fonts/{font.name})", sheet)
        assert found == 1, name
    return sheet


@pytest.fixture(scope="module")
def look(browser, address, site):
    """Return a function that takes a picture of a page under one of the two style sheets."""

    def take(edition, page, *, cut, state=lambda tab: None, full=True):
        theme, viewport = LOOKS[edition]
        context = browser.new_context(
            color_scheme=theme, viewport=viewport, reduced_motion="reduce"
        )
        tab = context.new_page()
        if not cut:
            sheet = uncut_sheet(site / edition / "_static")
            tab.route(
                "**/_static/styles.css*",
                lambda route: route.fulfill(body=sheet, content_type="text/css; charset=utf-8"),
            )
        tab.goto(f"{address['http']}/{edition}/{page}.html")
        # formulas, plots and fading edges wait until one scrolls to them, and would be missing at
        # random
        tab.add_style_tag(content="* { content-visibility: visible !important }")
        tab.evaluate(
            """() => Promise.all([document.fonts.ready, ...[...document.images].map((image) => {
              image.loading = "eager"; return image.decode();
            })])"""
        )
        tab.evaluate("dispatchEvent(new Event('resize'))")
        state(tab)
        picture = tab.screenshot(full_page=full, animations="disabled", caret="hide")
        context.close()
        return Image.open(BytesIO(picture)).convert("RGB")

    return take


def difference(one: Image.Image, other: Image.Image) -> int:
    """Return by how much the colour of a pixel differs at most, from 0 to 255."""
    if one.size != other.size:
        return 255
    return max(most for _, most in ImageChops.difference(one, other).getextrema())


def looks_the_same(take: Callable[..., Image.Image]) -> bool:
    """Return whether pictures under both sheets are alike, at the latest at the third try."""
    # a busy machine may draw a picture too early
    tries = (difference(take(cut=True), take(cut=False)) for _ in range(3))
    return any(most <= NOISE for most in tries)


def test_page_looks_as_if_nothing_was_cut(look, edition, page):
    assert looks_the_same(partial(look, edition, page))


@pytest.mark.parametrize("state", STATES)
def test_what_scripts_show_looks_as_if_nothing_was_cut(look, edition, state):
    full = state == "paper"
    shown = partial(look, edition, PLOTLESS, state=STATES[state], full=full)
    assert looks_the_same(shown)
    assert difference(shown(cut=True), look(edition, PLOTLESS, cut=True, full=full)) > NOISE
