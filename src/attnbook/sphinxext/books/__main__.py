"""Make the books of every edition of a built site: ``python -m attnbook.sphinxext.books``."""

from __future__ import annotations

import argparse
from pathlib import Path

from playwright.sync_api import sync_playwright

from attnbook.sphinxext.browser import launch
from attnbook.sphinxext.editions import EDITIONS
from attnbook.sphinxext.mermaid.browser import check_fonts
from attnbook.sphinxext.mermaid.drawings import SCRIPT
from attnbook.sphinxext.root import write_front_page

from .assembly import read_book
from .epub import write_epub
from .links import offer_books
from .paper import picture_cover, print_book


def main() -> None:
    """Make a PDF and an EPUB of every edition, in its folder."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("site", type=Path, help="folder that holds the built editions")
    parser.add_argument("work", type=Path, help="folder for what the books are made from")
    options = parser.parse_args()
    site, work = options.site.resolve(), options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        try:
            browser = launch(playwright)
        except FileNotFoundError as error:
            parser.exit(1, f"{error}\n")
        # a cover of 1700 pixels
        page = browser.new_context(offline=True, device_scale_factor=3).new_page()
        page.add_script_tag(content=SCRIPT.read_text("utf-8"))
        check_fonts(page)
        for edition in EDITIONS.values():
            book = read_book(site / edition.tag)
            print(print_book(book, page, work))
            print(write_epub(book, picture_cover(page)))
            offer_books(book.folder)
        browser.close()
    write_front_page(site)


if __name__ == "__main__":
    main()
