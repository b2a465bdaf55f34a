"""The browser that draws diagrams, prints the book and tests the site: which one, started how."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
INSTALL = "apt-get install chromium fonts-noto-cjk fonts-dejavu-core"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    # no traffic of its own
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # glyph widths that do not depend on the machine's screen
    "--font-render-hinting=none",
)


def find_chromium() -> str:
    """Return the Chromium that ``ATTNBOOK_CHROMIUM`` names, or the first one on the path.

    Returns
    -------
    str
        Path of the program.

    Raises
    ------
    FileNotFoundError
        If it is not there; says what to install.
    """
    named = os.environ.get("ATTNBOOK_CHROMIUM")
    found = next(filter(None, map(shutil.which, [named] if named else NAMES)), None)
    if not found:
        raise FileNotFoundError(
            f"no Chromium: {named or ' or '.join(NAMES)} is not there. {INSTALL}, "
            "or let ATTNBOOK_CHROMIUM name a Chromium or Chrome"
        )
    return found


def launch(playwright: Playwright, *flags: str) -> Browser:
    """Start Chromium without a window.

    Parameters
    ----------
    playwright : playwright.sync_api.Playwright
        What drives it.
    *flags : str
        Flags besides those that it is always started with.

    Returns
    -------
    playwright.sync_api.Browser
        The browser, which the caller closes.
    """
    return playwright.chromium.launch(executable_path=find_chromium(), args=[*FLAGS, *flags])
