"""What MyST-NB leaves open about executed cells: when to execute, what to say, how to fail."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_cache import get_cache
from sphinx.errors import SphinxError
from sphinx.util import logging
from sphinx.util.console import strip_escape_sequences

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

logger = logging.getLogger(__name__)

PACKAGES = (
    "array-api-compat",
    "array-api-strict",
    "ipykernel",
    "jax",
    "jaxtyping",
    "matplotlib",
    "numpy",
    "onnx",
    "torch",
)
"""What a cell's output depends on besides the cell and this package."""


KERNEL_CONFIG = """\
c = get_config()
# a warning for each page that sockets on this machine are not encrypted tells nobody anything
c.IPKernelApp.log_level = "ERROR"
"""

WEEK = 7 * 24 * 3600
"""Seconds for which the outputs of an earlier state of the package are kept."""


class CellError(SphinxError):
    """A cell of a page failed."""

    category = "Cell failed"


def execution_key(package: Path) -> str:
    """Return a digest of everything outside a page that its outputs depend on.

    jupyter-cache compares the cells alone, so that outputs would outlive a change of the package
    that the cells import.

    Parameters
    ----------
    package : pathlib.Path
        Folder of the package's source; what is under ``sphinxext`` never runs in a cell.

    Returns
    -------
    str
        Sixteen hexadecimal digits.
    """
    digest = hashlib.sha256(platform.python_version().encode())
    for name in PACKAGES:
        try:
            digest.update(f"{name}=={version(name)}\n".encode())
        except PackageNotFoundError:
            digest.update(f"{name} is not installed\n".encode())
    for path in sorted(package.rglob("*")):
        relative = path.relative_to(package)
        if path.suffix in {".py", ".json"} and "sphinxext" not in relative.parts:
            digest.update(relative.as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder(build: Path, package: Path) -> Path:
    """Return the folder of executed cells for this state of the package.

    Folders of other states are dropped once nobody has used them for a week.
    """
    folder = build / "executed" / execution_key(package)
    folder.mkdir(parents=True, exist_ok=True)
    folder.touch()
    for other in folder.parent.iterdir():
        if time.time() - other.stat().st_mtime > WEEK:
            shutil.rmtree(other)
    return folder


def refuse_failed_cell(app: Sphinx, doctree: nodes.document) -> None:
    """Stop the build at a page whose cell failed, naming the page, the cell and the line."""
    data = getattr(app.env, "nb_metadata", {}).get(app.env.docname, {}).get("exec_data")
    if not data:
        return
    app.env.pages_with_cells.append(app.env.docname)
    if not data["succeeded"]:
        page = Path(app.env.doc2path(app.env.docname))
        traceback = strip_escape_sequences(data["traceback"])
        where = failed_cell(page.read_text("utf-8"), traceback)
        raise CellError(f"{page.relative_to(app.confdir)}{where}\n{traceback}")


def failed_cell(page: str, traceback: str) -> str:
    """Return ``:line: cell k of n failed`` for the cell that a traceback of nbclient quotes."""
    fences = list(re.finditer(r"^(`{3,})\{code-cell\}.*\n([\s\S]*?)^\1\s*$", page, re.M))
    quoted = re.search(r"following cell:\n-+\n([\s\S]*?)\n-+\n", traceback)
    for index, fence in enumerate(fences, 1):
        if quoted and quoted[1].strip() in fence[2]:
            line = page.count("\n", 0, fence.start()) + 1
            return f":{line}: cell {index} of {len(fences)} failed"
    return ": a cell failed"


def prepare_kernels(app: Sphinx) -> None:
    """Give the kernels this checkout's package, one thread each, and no personal configuration."""
    build = Path(app.doctreedir)
    # otherwise outputs go to a folder beside the edition, inside the published site
    app.env.mystnb_config = app.env.mystnb_config.copy(output_folder=str(build / "outputs"))
    profile = build / "ipython" / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    profile.joinpath("ipython_kernel_config.py").write_text(KERNEL_CONFIG, "utf-8")
    package = str(Path(app.confdir, "src"))
    paths = filter(None, [package, os.environ.get("PYTHONPATH")])
    os.environ.update(
        IPYTHONDIR=str(profile.parent),
        PYTHONPATH=os.pathsep.join(dict.fromkeys(paths)),
        # pages run side by side: more threads than cores only wait for each other
        OMP_NUM_THREADS=os.environ.get("OMP_NUM_THREADS", "1"),
    )


def executed_pages(app: Sphinx) -> dict[int, tuple[str, float]]:
    """Return the pages in the cache: number of the record → page, seconds of execution."""
    return {
        record.pk: (
            Path(record.uri).relative_to(app.srcdir).with_suffix("").as_posix(),
            record.data["execution_seconds"],
        )
        for record in get_cache(app.config.nb_execution_cache_path).list_cache_records()
    }


def start(app: Sphinx, *_: object) -> None:
    """Remember what the cache holds before pages are read."""
    app.env.pages_with_cells = []
    app.env.executed_before = set(executed_pages(app))


def merge(app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment) -> None:
    """Collect the pages that another process read."""
    env.pages_with_cells += other.pages_with_cells


def report(app: Sphinx, env: BuildEnvironment) -> None:
    """Say which pages were executed, how long each took, and what came from the cache."""
    executed = {
        page: seconds
        for number, (page, seconds) in executed_pages(app).items()
        if number not in env.executed_before
    }
    cached = sorted(set(env.pages_with_cells) - executed.keys())
    for page, seconds in sorted(executed.items()):
        logger.info("cells: executed %s in %.1f s", page, seconds)
    for page in cached:
        logger.info("cells: %s from the cache", page)
    logger.info(
        "cells: %d page(s) executed in %.1f s, %d from the cache, the others did not change",
        len(executed),
        sum(executed.values()),
        len(cached),
    )


def setup(app: Sphinx) -> dict[str, object]:
    """Connect the checks and the report."""
    # after MyST-NB has made its configuration
    app.connect("builder-inited", prepare_kernels, priority=600)
    app.connect("env-before-read-docs", start)
    app.connect("doctree-read", refuse_failed_cell)
    app.connect("env-merge-info", merge)
    app.connect("env-updated", report)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
