"""The page that is open in the browser follows its source, and nothing else is built."""

import os
import re
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest

import attnbook

PATIENCE_S = 120
CONF = """
extensions = ["myst_parser", "attnbook.sphinxext.strict"]
locale_dirs = ["locale"]
gettext_compact = False
html_theme = "basic"
"""
CATALOGUE = """
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "A page"
msgstr "一页"

msgid "{message}"
msgstr "{translation}"
"""


@pytest.fixture
def root(book):
    """Return the root of a small project that has what ``live`` watches."""
    return book(
        {
            "conf.py": CONF,
            "docs/index.md": "# A page\n\nBefore.\n",
            "docs/locale/zh_CN/LC_MESSAGES/index.po": CATALOGUE.format(
                message="Before.", translation="起初。"
            ),
            "src/attnbook/__init__.py": "",
        }
    )


@pytest.fixture
def show(root, tmp_path):
    """Return a function that shows an edition, and returns its address and its log."""
    started = []

    def start(language):
        log = tmp_path / "log.txt"
        command = [sys.executable, "-u", "-m", "attnbook.sphinxext.live", language, "--port=0"]
        package = str(Path(attnbook.__file__).parents[1])
        with log.open("w") as output:
            process = subprocess.Popen(
                command,
                cwd=root.folder,
                stdout=output,
                stderr=output,
                env={**os.environ, "PYTHONPATH": package},
            )
        started.append(process)
        end = time.monotonic() + PATIENCE_S
        while True:
            assert process.poll() is None and time.monotonic() < end, log.read_text("utf-8")
            found = re.search(r"Serving on (http://[\d.:]+)", log.read_text("utf-8"))
            # it says so a moment before it does
            with suppress(OSError):
                if found:
                    urllib.request.urlopen(found[1]).close()
                    return found[1], log
            time.sleep(0.1)

    yield start
    for process in started:
        process.terminate()
        process.wait()


@pytest.fixture
def tab():
    playwright = pytest.importorskip("playwright.sync_api")
    from tests.site.browser import launch

    with playwright.sync_playwright() as started:
        chromium = launch(started)
        page = chromium.new_page()
        page.set_default_timeout(PATIENCE_S * 1000)
        yield page
        chromium.close()


@pytest.mark.browser
def test_open_page_follows_its_source(root, show, tab):
    address, log = show("en")
    tab.goto(address)
    tab.get_by_text("Before.").wait_for()
    tab.evaluate("window.isFirst = true")
    # the second one warns, and neither is a reason to stop nor to read all pages again
    for text in ("After.", "Later. {ref}`nowhere`", "At last."):
        root.write({"docs/index.md": f"# A page\n\n{text}\n"})
        tab.get_by_text(text.partition(" {")[0]).wait_for()
        assert (root.folder / "_build/live/doctrees/en/environment.pickle").is_file()
    assert tab.evaluate("window.isFirst") is None
    assert log.read_text("utf-8").count("Detected changes (docs/index.md)") == 3
    # what a reader of the site gets has no trace of the server
    built = root.folder / "_build" / "live" / "html" / "en" / "index.html"
    assert "WebSocket" not in built.read_text("utf-8")
    assert "WebSocket" in tab.content()


@pytest.mark.browser
def test_translated_page_follows_its_catalogue_and_is_not_built_for_what_the_build_writes(
    root, show, tab
):
    address, log = show("zh_CN")
    tab.goto(address)
    tab.get_by_text("起初。").wait_for()
    for translation in ("后来。", "最后。"):
        catalogue = CATALOGUE.format(message="Before.", translation=translation)
        root.write({"docs/locale/zh_CN/LC_MESSAGES/index.po": catalogue})
        tab.get_by_text(translation).wait_for()
    changes = re.findall(r"Detected changes \((.*)\)", log.read_text("utf-8"))
    assert changes == ["docs/locale/zh_CN/LC_MESSAGES/index.po"] * 2
