"""Fixtures of the tests that read the built site: ``pytest tests/site -m site --site=DIR``."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from attnbook.sphinxext.redirects import read_redirects

EDITIONS = ("en", "zh-CN")
ACCESS = ("http", "file")
# made by Sphinx, and sorted differently in each language
MADE_BY_SPHINX = {"genindex", "search", "py-modindex"}
# a page that has not opened by then does not open
PATIENCE_MS = 15_000
WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
READ_PAGE = (Path(__file__).parent / "read_page.js").read_text("utf-8")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--site", type=Path, help="folder of the built editions, such as _build/html")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test of each page, edition and way of opening it."""
    site = metafunc.config.getoption("site", None)
    pages = list_pages(site) if site else []
    values = {
        "page": pages,
        "written_page": [page for page in pages if page not in MADE_BY_SPHINX],
        "edition": EDITIONS,
        "access": ACCESS,
    }
    for name, choices in values.items():
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, choices, scope="session")


def list_pages(site: Path) -> list[str]:
    """Return the pages that either edition has, without suffix; what moved only leads on."""
    if not (site / "index.html").is_file():
        raise pytest.UsageError(f"{site} holds no built site: nox -s docs builds it")
    moved = read_redirects(Path(__file__).parents[2] / "docs" / "redirects.txt")
    return sorted(
        {
            path.relative_to(site / edition).with_suffix("").as_posix()
            for edition in EDITIONS
            for path in (site / edition).rglob("*.html")
            if "_static" not in path.parts
        }
        - moved.keys()
    )


@pytest.fixture(scope="session")
def site(request):
    """Return the folder of the built site."""
    return request.config.getoption("site").resolve()


@pytest.fixture(scope="session")
def read():
    """Return a function that parses an HTML file."""
    from bs4 import BeautifulSoup

    return cache(lambda path: BeautifulSoup(path.read_text("utf-8"), "html.parser"))


@pytest.fixture(scope="session")
def browser():
    """Return the one Chromium of all tests."""
    from playwright.sync_api import sync_playwright

    from tests.site.browser import launch

    with sync_playwright() as playwright:
        chromium = launch(playwright)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def address(site):
    """Return where the site is: way of opening it → address of its folder."""
    from tests.site.browser import serve

    with serve(site) as http:
        yield {"http": http, "file": site.as_uri()}


@dataclass
class Log:
    """What a browser asked for, missed and complained about."""

    foreign: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def note_request(self, request) -> None:
        url = urlsplit(request.url)
        if url.scheme not in {"file", "data", "blob"} and url.hostname != "127.0.0.1":
            self.foreign.append(request.url)

    def note_failure(self, request) -> None:
        # aborted: the test went on to another page before all of this one was there
        if request.failure != "net::ERR_ABORTED":
            self.failed.append(f"{request.failure} {request.url}")

    def note_response(self, response) -> None:
        if response.status >= 400:
            self.failed.append(f"{response.status} {response.url}")

    def note_console(self, message) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def watch(self, context) -> None:
        """Write down what happens in a browser's context from now on."""
        context.on("request", self.note_request)
        context.on("requestfailed", self.note_failure)
        context.on("response", self.note_response)
        context.on("console", self.note_console)
        context.on("weberror", lambda error: self.errors.append(str(error.error)))

    def take(self) -> Log:
        """Return what was written down so far and start anew."""
        taken = Log(self.foreign[:], self.failed[:], self.errors[:])
        for notes in (self.foreign, self.failed, self.errors):
            notes.clear()
        return taken


@pytest.fixture(scope="session")
def open_tab(browser):
    """Return a function that opens a watched tab; the same call again gives the same tab."""

    @cache
    def open_one(access: str, purpose: str):
        context = browser.new_context(viewport=WIDE)
        context.set_default_timeout(PATIENCE_MS)
        log = Log()
        log.watch(context)
        return context.new_page(), log

    return open_one


@pytest.fixture(scope="session")
def visit(open_tab, address):
    """Return a function that opens a page, once, and tells what happened and what it shows."""

    @cache
    def visit_once(access: str, edition: str, page: str):
        tab, log = open_tab(access, "visit")
        tab.goto("about:blank")
        log.take()
        tab.goto(f"{address[access]}/{edition}/{page}.html")
        shown = tab.evaluate(READ_PAGE)
        tab.set_viewport_size(PHONE)
        shown["sidewaysOnPhone"] = tab.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        tab.set_viewport_size(WIDE)
        return log.take(), shown

    return visit_once
