"""Fixtures of the tests that read the built site: ``pytest tests/site -m site --site=DIR``."""

from __future__ import annotations

import re
import shutil
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
PATIENCE_MS = 60_000
THEMES = ("light", "dark")
WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
VIEWS = [(theme, size) for theme in THEMES for size in (WIDE, PHONE)]
HERE = Path(__file__).parent
READ_PAGE = (HERE / "read_page.js").read_text("utf-8")
CUT_OFF = (HERE / "cut_off.js").read_text("utf-8")
AXE = HERE.parents[1] / "node_modules" / "axe-core" / "axe.min.js"
RUN_AXE = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  const start = ({ html }) => html.slice(0, 160);
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${start(node)}`));
}"""


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
        "theme": THEMES,
    }
    for name, choices in values.items():
        named = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
        if name in metafunc.fixturenames and name not in named:
            metafunc.parametrize(name, choices, scope="session")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log):
    """Give the tests of a page in an edition to one process, which opens it once for all."""
    from xdist.scheduler import LoadScopeScheduling

    class ByPage(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            # test_pages.py::test_cuts_off_no_text[reference/api-en-http]
            page = re.search(rf"\[(.+-(?:{'|'.join(EDITIONS)}))\b", nodeid)
            return page[1] if page else nodeid

    return ByPage(config, log)


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
def taken_home(site, tmp_path_factory):
    """Return a copy of the site as a reader has it: zipped, and unzipped in some folder."""
    archive = shutil.make_archive(str(tmp_path_factory.mktemp("zip") / "site"), "zip", site)
    folder = tmp_path_factory.mktemp("home") / "my books 书 100%"
    shutil.unpack_archive(archive, folder)
    return folder


@pytest.fixture(scope="session")
def address(site, taken_home):
    """Return where the site is: way of opening it → address of its folder."""
    from tests.site.browser import serve

    with serve(site) as http:
        yield {"http": http, "file": taken_home.as_uri()}


@dataclass
class Log:
    """What a browser asked for, missed and complained about."""

    foreign: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

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
        self.said.append(f"{message.type}: {message.text}")

    def watch(self, context) -> None:
        """Write down what happens in a browser's context from now on."""
        context.on("request", self.note_request)
        context.on("requestfailed", self.note_failure)
        context.on("response", self.note_response)
        context.on("console", self.note_console)
        context.on("weberror", lambda error: self.said.append(str(error.error)))

    def take(self) -> Log:
        """Return what was written down so far and start anew."""
        taken = Log(self.foreign[:], self.failed[:], self.said[:])
        for notes in (self.foreign, self.failed, self.said):
            notes.clear()
        return taken


@pytest.fixture(scope="session")
def open_tab(browser):
    """Return a function that opens a watched tab; the same call again gives the same tab."""
    tabs = {}

    def open_one(access: str, purpose: str, theme: str = "light", size: dict = WIDE):
        key = (access, purpose, theme, size["width"])
        if key not in tabs:
            context = browser.new_context(color_scheme=theme, viewport=size)
            context.set_default_timeout(PATIENCE_MS)
            log = Log()
            log.watch(context)
            tabs[key] = context.new_page(), log
        return tabs[key]

    return open_one


def run_axe(tab) -> list[str]:
    """Return what axe-core finds wrong with a page, best practices included."""
    tab.evaluate(AXE.read_text("utf-8"))
    return tab.evaluate(RUN_AXE)


@pytest.fixture(scope="session")
def axe():
    """Return the function that audits what a tab shows."""
    return run_axe


@pytest.fixture(scope="session")
def copy():
    """Return a function that presses a button which copies, and gives what was copied."""

    def press(button) -> str:
        tab = button.page
        tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
        # what another test copied is not to be taken for it
        tab.evaluate("navigator.clipboard.writeText('')")
        button.click()
        tab.wait_for_function("navigator.clipboard.readText()")
        return tab.evaluate("navigator.clipboard.readText()")

    return press


@pytest.fixture(scope="session")
def visit(open_tab, address):
    """Return a function that opens a page, once in each view, and tells what is wrong with it."""

    @cache
    def visit_once(access: str, edition: str, page: str) -> dict[str, dict[str, list]]:
        seen = {}
        for theme, size in VIEWS:
            tab, log = open_tab(access, "visit", theme, size)
            tab.goto("about:blank")
            log.take()
            tab.goto(f"{address[access]}/{edition}/{page}.html")
            faults = tab.evaluate(READ_PAGE)
            faults["cutOff"] = tab.evaluate(CUT_OFF)
            # the same from disk, and slow
            faults["axe"] = run_axe(tab) if access == "http" else []
            seen[f"{theme}, {size['width']} px"] = faults | vars(log.take())
        return seen

    return visit_once
