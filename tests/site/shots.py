"""Take a picture of every page of the built site, for people to look at.

``python tests/site/shots.py _build/html _build/shots`` writes a PNG of the whole page for each
page, edition, theme and width, several for a very long one, and ``index.html`` with all of them
side by side.
"""

from __future__ import annotations

import argparse
import html
from pathlib import Path
from typing import TYPE_CHECKING

from browser import launch, serve
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

EDITIONS = {"en": "en", "zh-CN": "zh-CN"}
"""Folder of an edition → locale of the browser."""
THEMES = ["light", "dark"]
WIDTHS = [1280, 390]
HEIGHT = 900
MAX_HEIGHT = 16000
"""Chromium draws nothing further down than its largest texture."""
SHOW_ALL = "* { content-visibility: visible !important }"
LOAD_IMAGES = """() => Promise.all([...document.images].map((image) => {
  image.loading = "eager";
  return image.decode();
}))"""


def list_pages(site: Path) -> list[str]:
    """Return the pages of the first edition, the front door first, without their suffix."""
    edition = site / next(iter(EDITIONS))
    pages = {
        path.relative_to(edition).with_suffix("").as_posix()
        for path in edition.rglob("*.html")
        if "_static" not in path.parts
    }
    return sorted(pages, key=lambda page: (page != "index", page.count("/") == 0, page))


def take_shots(browser: Browser, address: str, pages: list[str], target: Path) -> list[str]:
    """Take all pictures; return the names of their files."""
    names = []
    for edition, locale in EDITIONS.items():
        for theme in THEMES:
            for width in WIDTHS:
                context = browser.new_context(
                    locale=locale,
                    color_scheme=theme,
                    viewport={"width": width, "height": HEIGHT},
                )
                tab = context.new_page()
                for page in pages:
                    tab.set_viewport_size({"width": width, "height": HEIGHT})
                    tab.goto(f"{address}/{edition}/{page}.html")
                    name = f"{page.replace('/', '-')}.{edition}.{theme}.{width}"
                    names += take_page(tab, target, name)
                context.close()
    return names


def take_page(tab: Page, target: Path, name: str) -> list[str]:
    """Take the pictures of the page that is open; return the names of their files."""
    tab.add_style_tag(content=SHOW_ALL)
    tab.evaluate(LOAD_IMAGES)
    height = tab.evaluate("document.documentElement.scrollHeight")
    # a window as tall as the page: what sticks to the top stays at the top
    tab.set_viewport_size({"width": tab.viewport_size["width"], "height": min(height, MAX_HEIGHT)})
    names = []
    for top in range(0, height, MAX_HEIGHT):
        tab.evaluate("(top) => scrollTo(0, top)", top)
        names.append(f"{name}.{len(names) + 1}.png" if top else f"{name}.png")
        tab.screenshot(path=target / names[-1])
    return names


def write_sheet(target: Path, names: list[str]) -> Path:
    """Write the page that shows all pictures, one row a page."""
    rows: dict[str, list[str]] = {}
    for name in names:
        rows.setdefault(name.split(".")[0], []).append(name)
    cells = "".join(
        f"<h2>{html.escape(page)}</h2><div>"
        + "".join(
            f'<a href="{html.escape(name)}"><img src="{html.escape(name)}" loading="lazy" '
            f'alt="{html.escape(name)}"><span>{html.escape(name.split(".", 1)[1][:-4])}</span></a>'
            for name in shots
        )
        + "</div>"
        for page, shots in rows.items()
    )
    sheet = target / "index.html"
    sheet.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Shots of attnbook</title>'
        "<style>body{font:14px system-ui;margin:1rem;background:#8882}"
        "div{display:flex;gap:.5rem;align-items:start;overflow-x:auto}"
        "a{flex:0 0 auto;text-align:center}img{display:block;width:220px;height:420px;"
        "object-fit:cover;object-position:top;border:1px solid #8888}</style>"
        f"<h1>{len(names)} shots</h1>{cells}</html>\n",
        "utf-8",
    )
    return sheet


def main() -> None:
    """Take pictures of every page of the built site."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("site", type=Path, help="folder that holds the built editions")
    parser.add_argument(
        "target", type=Path, help="folder for the pictures; those in it are removed first"
    )
    parser.add_argument("pages", nargs="*", help="pages such as foundations/why-sqrt-dk; else all")
    args = parser.parse_args()
    pages = args.pages or list_pages(args.site)
    if not pages:
        parser.error(f"{args.site} holds no built edition")
    args.target.mkdir(parents=True, exist_ok=True)
    for old in args.target.glob("*.png"):
        old.unlink()
    with serve(args.site) as address, sync_playwright() as playwright:
        browser = launch(playwright)
        names = take_shots(browser, address, pages, args.target)
        browser.close()
    print(f"{len(names)} shots: {write_sheet(args.target, names).resolve().as_uri()}")


if __name__ == "__main__":
    main()
