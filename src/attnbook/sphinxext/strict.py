"""A build that warned leaves nothing behind that would let the next one pass."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx

logger = logging.getLogger(__name__)


def forget_failed_build(app: Sphinx, exception: Exception | None) -> None:
    """Drop the saved environment after a warning.

    Sphinx reads only what changed. A page that warned is read and saved, so that the same build
    run again would skip it and succeed. Without the environment it reads every page again; the
    executed cells stay in their own cache. While the book is written, nobody waits for that.
    """
    if (app.statuscode or app._warncount) and "live" not in app.tags:
        Path(app.doctreedir, "environment.pickle").unlink(missing_ok=True)


def setup(app: Sphinx) -> dict[str, object]:
    """Connect the clean-up to the end of the build, after everything that may warn."""
    app.connect("build-finished", forget_failed_build, priority=1000)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
