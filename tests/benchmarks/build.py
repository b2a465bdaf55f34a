"""What building the book takes beside the bare execution of its cells.

``nox -s build-benchmark`` prints the table and writes it to the package, where the page of the
book finds it. Everything runs in a copy of the sources, with empty caches: first the cells of each
page as one plain Python script, one page after the other, then a build of both editions from
nothing, and builds after nothing, a line of prose and a line of code changed. Ratios are formed
within a run; the median over the runs is reported.
"""

import argparse
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook

from attnbook.sphinxext.cells import n_cores

ROOT = Path(__file__).parents[2]
RESULT = ROOT / "src" / "attnbook" / "data" / "measured" / "build.json"
PAGE = "foundations/masks"
CATALOGUE = f"docs/locale/zh_CN/LC_MESSAGES/{PAGE}.po"
SENTENCE = "A sentence that was not there before."
CODE = "src/attnbook/functional/softmax.py"


def copy_of_book(folder: Path) -> Path:
    """Copy what a build reads; what was built or executed stays behind."""
    made_by_programs = shutil.ignore_patterns("__pycache__", "*.mo")
    for name in ("docs", "src"):
        shutil.copytree(ROOT / name, folder / name, ignore=made_by_programs)
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy2(path, folder)
    (folder / "node_modules").symlink_to(ROOT / "node_modules")
    return folder


def scripts(book: Path) -> Iterator[tuple[Path, str]]:
    """Yield the folder and the code of each page that has cells."""
    for path in sorted((book / "docs").rglob("*.md")):
        text = path.read_text("utf-8")
        if is_myst_markdown_notebook(text):
            cells = read_myst_markdown_notebook(text, path=path).cells
            yield (
                path.parent,
                "\n\n".join(cell.source for cell in cells if cell.cell_type == "code"),
            )


def execute_bare(book: Path) -> None:
    """Execute the pages as plain scripts, one after the other."""
    for folder, code in scripts(book):
        # without a window; a kernel chooses for itself
        run(book, "-c", code, folder=folder, MPLBACKEND="agg")


def build(book: Path) -> None:
    """Build both editions as ``nox -s docs`` does."""
    run(book, "-m", "attnbook.sphinxext.build", "-q")


def change_prose(book: Path) -> None:
    """Add a line to a page, and its translation."""
    append(book / "docs" / f"{PAGE}.md", f"\n{SENTENCE}\n")
    append(book / CATALOGUE, f'\nmsgid "{SENTENCE}"\nmsgstr "原来没有的一句话。"\n')


def change_code(book: Path) -> None:
    """Add a line to a module that every page depends on."""
    append(book / CODE, "\n# a line that was not there before\n")


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def run(book: Path, *arguments: str, folder: Path | None = None, **variables: str) -> None:
    """Run Python on the copy, on one thread as the kernels do."""
    surroundings = {"PYTHONPATH": str(book / "src"), "OMP_NUM_THREADS": "1", **variables}
    ran = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder or book,
        env={**os.environ, **surroundings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    if ran.returncode != 0:
        sys.exit(ran.stdout)


def processor_seconds() -> float:
    """Return what the finished processes that this one started have used so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


STEPS = {
    "bare": (None, execute_bare),
    "cold": (None, build),
    "nothing": (None, build),
    "prose": (change_prose, build),
    "code": (change_code, build),
}
"""Name → what is changed before, and what is measured."""


def measure() -> dict[str, dict[str, float]]:
    """Return the seconds of each step in one run."""
    seconds = {}
    with tempfile.TemporaryDirectory() as folder:
        book = copy_of_book(Path(folder))
        for name, (change, work) in STEPS.items():
            if change:
                change(book)
            begin, used = time.perf_counter(), processor_seconds()
            work(book)
            seconds[name] = {
                "seconds": time.perf_counter() - begin,
                "processor": processor_seconds() - used,
            }
            print(f"{name:10}{seconds[name]['seconds']:8.1f} s", flush=True)
    return seconds


def summarize(runs: list[dict[str, dict[str, float]]]) -> dict[str, dict[str, float]]:
    """Return the medians over the runs, and of the ratios to the bare execution."""
    rows = {}
    for name in STEPS:
        ratios = [run[name]["seconds"] / run["bare"]["seconds"] for run in runs]
        row = {key: statistics.median(run[name][key] for run in runs) for key in runs[0][name]}
        rows[name] = {key: round(value, 1) for key, value in row.items()}
        rows[name]["ratio"] = round(statistics.median(ratios), 2)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", type=Path, metavar="FILE", default=RESULT)
    options = parser.parse_args()
    rows = summarize([measure() for _ in range(options.runs)])
    print(f"\n{'':10}{'seconds':>10}{'processor':>11}{'ratio':>8}")
    for name, row in rows.items():
        print(f"{name:10}{row['seconds']:10.1f}{row['processor']:11.1f}{row['ratio']:8.2f}")
    content = {
        "machine": platform.machine(),
        "python": platform.python_version(),
        "cores": n_cores(),
        "n_pages": sum(1 for _ in scripts(ROOT)),
        "n_runs": options.runs,
        "rows": rows,
    }
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(content, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
