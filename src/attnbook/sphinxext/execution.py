"""When the cells of the pages are executed again, and in what surroundings."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import time
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from attnbook.sphinxext.cells import execute

if TYPE_CHECKING:
    from sphinx.application import Sphinx

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
# several kernels would write to one file, which nobody reads
c.HistoryManager.enabled = False
"""

WEEK = 7 * 24 * 3600
"""Seconds for which the outputs of an earlier state of the package are kept."""


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
        # the other edition may be dropping it right now
        with suppress(FileNotFoundError):
            if time.time() - other.stat().st_mtime > WEEK:
                shutil.rmtree(other)
    return folder


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


def setup(app: Sphinx) -> dict[str, object]:
    """Connect what comes before the pages are read."""
    # after MyST-NB has made its configuration
    app.connect("builder-inited", prepare_kernels, priority=600)
    app.connect("env-before-read-docs", execute)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
