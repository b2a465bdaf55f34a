"""Cells of several pages executed at the same time, before Sphinx reads the pages one by one.

MyST-NB would execute a page while it reads it. Here the outputs are in its cache by then, and an
edition that is built beside another one waits for the other to put them there.
"""

from __future__ import annotations

import asyncio
import os
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from myst_nb.core.read import create_nb_reader
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from sphinx.errors import SphinxError
from sphinx.util import logging
from sphinx.util.console import strip_escape_sequences

if TYPE_CHECKING:
    from jupyter_cache.base import JupyterCacheAbstract
    from myst_nb.core.config import NbParserConfig
    from nbformat import NotebookNode
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

logger = logging.getLogger(__name__)

MOST_KERNELS = 4
"""Kernels at the same time on a machine of many cores: each of them may hold all of PyTorch."""


class CellError(SphinxError):
    """Cells of pages failed."""

    category = "Cell failed"


def execute(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Execute the pages that Sphinx is about to read and whose outputs are not in the cache."""
    if env.mystnb_config.execution_mode != "cache":
        return
    folder = Path(env.mystnb_config.execution_cache_path)
    pages = {docname: page for docname in docnames if (page := read_cells(env, docname))}
    folder.mkdir(parents=True, exist_ok=True)
    # also while the cache makes its database, which two processes cannot do at once
    with FileLock(folder / "lock"):
        cache = get_cache(folder)
        waiting = {name: page for name, page in pages.items() if not is_cached(cache, page)}
        seconds, failures = execute_together(app, cache, waiting)
    for docname in sorted(pages.keys() - waiting.keys()):
        logger.info("cells: %s from the cache", docname)
    logger.info(
        "cells: %d page(s) executed in %.1f s, %d from the cache, the others did not change",
        len(waiting),
        seconds,
        len(pages) - len(waiting),
    )
    if failures:
        raise CellError("\n\n".join(failures))


def read_cells(env: BuildEnvironment, docname: str) -> NotebookNode | None:
    """Read a page as a notebook; a page that never has cells is none."""
    path = env.doc2path(docname)
    text = path.read_text("utf-8")
    reader = create_nb_reader(str(path), env.myst_config, env.mystnb_config, text)
    return reader.read(text) if reader else None


def is_cached(cache: JupyterCacheAbstract, page: NotebookNode) -> bool:
    """Tell whether the cache holds the outputs of a page's cells."""
    try:
        cache.match_cache_notebook(page)
    except KeyError:
        return False
    return True


def execute_together(
    app: Sphinx, cache: JupyterCacheAbstract, pages: dict[str, NotebookNode]
) -> tuple[float, list[str]]:
    """Execute pages, each in a kernel of its own, and keep the outputs of those that succeed.

    Returns
    -------
    seconds : float
        What the pages took, added up.
    failures : list of str
        For each page that failed: where, and how.
    """
    path_of, settings = app.env.doc2path, app.env.mystnb_config
    total, failures = 0.0, []
    with ThreadPoolExecutor(min(MOST_KERNELS, n_cores())) as pool:
        runs = {
            pool.submit(execute_page, page, path_of(docname), settings): docname
            for docname, page in pages.items()
        }
        try:
            for run in as_completed(runs):
                docname = runs[run]
                seconds, error = run.result()
                total += seconds
                path = str(path_of(docname))
                if error:
                    failures.append(f"{os.path.relpath(path, app.confdir)}{error}")
                    continue
                bundle = CacheBundleIn(pages[docname], path, data={"execution_seconds": seconds})
                cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
                logger.info("cells: executed %s in %.1f s", docname, seconds)
        finally:
            # without starting those that still wait
            pool.shutdown(cancel_futures=True)
    return total, failures


def execute_page(page: NotebookNode, path: Path, settings: NbParserConfig) -> tuple[float, str]:
    """Execute the cells of a page in place; return the seconds, and where and how it failed."""
    current = 0

    def remember(cell: NotebookNode, cell_index: int) -> None:
        nonlocal current
        current = cell_index

    settings = settings.copy(**page.metadata.get(settings.metadata_key, {}))
    client = NotebookClient(
        page,
        timeout=settings.execution_timeout,
        allow_errors=settings.execution_allow_errors,
        resources={"metadata": {"path": str(path.parent)}},
        # MyST-NB would break the line between two pieces of what a cell printed
        coalesce_streams=True,
        # a note of the times is a change of the cell, by which the cache would not find it again
        record_timing=False,
        on_cell_start=remember,
    )
    begin, error = time.monotonic(), ""
    try:
        asyncio.run(client.async_execute())
    # the last: a kernel that died, or never came up
    except (CellExecutionError, CellTimeoutError, RuntimeError) as failure:
        error = f"{place_of(page, current)} failed\n{strip_escape_sequences(str(failure))}"
    return time.monotonic() - begin, error


def place_of(page: NotebookNode, index: int) -> str:
    """Return ``:line: cell k of n`` for a cell of a page."""
    is_code = [cell.cell_type == "code" for cell in page.cells]
    line = page.metadata["source_map"][index] if "source_map" in page.metadata else 1
    return f":{line}: cell {sum(is_code[: index + 1])} of {sum(is_code)}"


def n_cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
