"""Seed known bugs into a copy of the package, one at a time, and see which kinds of test notice.

``nox -s mutants`` prints the table; ``--json FILE`` writes it with the test that noticed first. A
kind of test is a folder under tests/, or the examples in the docstrings. A kind that alone notices
a bug is one careless edit away from letting it through, so every bug needs two.
"""

import argparse
import contextlib
import io
import json
import multiprocessing
import shutil
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import hypothesis
import pytest

ROOT = Path(__file__).parents[2]
CORE = ROOT / "src" / "attnbook" / "functional"
KINDS = ["functional", "properties", "conformance", "witnesses", "transforms", "doctests"]
NEEDED = 2
OPTIONS = [
    "--library=numpy",
    "--library=torch",
    # jax is not installed everywhere; compiling and gradcheck cost most of the time and notice
    # nothing, since they compare a function with itself
    "-knot jax and not compiles and not exports and not gradcheck",
    "-mnot gpu",
    "--doctest-modules",
    # a bug may show when a test module is imported
    "--continue-on-collection-errors",
    "--assert=plain",
    "-pno:cacheprovider",
    "-pno:logging",
    "-pno:xdist",
    f"-c{ROOT / 'pyproject.toml'}",
    f"--rootdir={ROOT}",
]


class Bug(NamedTuple):
    """A text of a file that stands there once, and the mistake that replaces it."""

    name: str
    file: str
    right: str
    wrong: str
    why: str


def load_bugs():
    content = tomllib.loads((ROOT / "tests" / "mutants" / "bugs.toml").read_text("utf-8"))
    return [Bug(**bug) for bug in content["bug"]]


def seed(bug, core):
    """Replace the text of a bug in a copy of the functional core."""
    path = core / bug.file
    path.write_text(path.read_text("utf-8").replace(bug.right, bug.wrong), "utf-8")


def is_stale(bug):
    """Tell that a bug's text is gone from the source, or stands there more than once."""
    return (CORE / bug.file).read_text("utf-8").count(bug.right) != 1


class FirstFailures:
    """The plugin that notes, for each kind, the first test to fail, and skips what is left."""

    def __init__(self):
        self.noticed = {}

    def pytest_configure(self):
        # what notices with few examples notices with many
        few = hypothesis.settings(
            hypothesis.settings.get_profile("ci"),
            max_examples=20,
            phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
            suppress_health_check=[hypothesis.HealthCheck.filter_too_much],
        )
        hypothesis.settings.register_profile("few", few)
        hypothesis.settings.load_profile("few")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item):
        if kind_of(item.nodeid) in self.noticed:
            pytest.skip("its kind has noticed already")

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.noticed.setdefault(kind_of(report.nodeid), report.nodeid)

    pytest_collectreport = pytest_runtest_logreport


def kind_of(nodeid):
    parts = Path(nodeid.partition("::")[0]).parts
    return parts[1] if parts[0] == "tests" else "doctests"


def watch(bug, *, kinds):
    """Run the tests on a copy of the package with a bug, or without; return first failures, log."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "src" / "attnbook", Path(folder, "attnbook"))
        core = Path(folder, "attnbook", "functional")
        if bug:
            seed(bug, core)
        sys.path.insert(0, folder)
        paths = [core if kind == "doctests" else ROOT / "tests" / kind for kind in kinds]
        failures, log = FirstFailures(), io.StringIO()
        with contextlib.redirect_stdout(log):
            code = pytest.main([*OPTIONS, *map(str, paths)], plugins=[failures])
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            raise RuntimeError(log.getvalue())
        assert sys.modules["attnbook"].__path__ == [str(core.parent)], "not the copy was tested"
    return failures.noticed, log.getvalue()


def watch_all(bugs, *, kinds, n_workers):
    """Yield what each bug is noticed by, after making sure that nothing is noticed without any."""
    context = multiprocessing.get_context("forkserver")
    # imported once, since no bug changes them; torch itself imports the second when it must
    preloaded = ["torch", "torch._dynamo", "onnx.backend.test.case.node", "hypothesis"]
    context.set_forkserver_preload(preloaded)
    # a process imports one copy of the package and no other
    with ProcessPoolExecutor(n_workers, context, max_tasks_per_child=1) as pool:
        results = pool.map(partial(watch, kinds=kinds), [None, *bugs])
        noticed, log = next(results)
        if noticed:
            pool.shutdown(wait=False, cancel_futures=True)
            sys.exit(f"{log}\nthe tests fail without any bug: {', '.join(noticed)}")
        for bug, (noticed, _) in zip(bugs, results, strict=True):
            yield bug, noticed


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="seed only these bugs")
    parser.add_argument("--kind", action="append", choices=KINDS, help="run only this kind")
    parser.add_argument("--workers", type=int, default=2, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    bugs = load_bugs()
    if unknown := set(options.names) - {bug.name for bug in bugs}:
        parser.error(f"no bug is called {', '.join(sorted(unknown))}")
    return options, [bug for bug in bugs if not options.names or bug.name in options.names]


def main(arguments=None):
    options, bugs = parse(arguments)
    kinds = options.kind or KINDS
    if stale := [bug.name for bug in bugs if is_stale(bug)]:
        sys.exit(f"the source no longer holds, exactly once, the text of: {', '.join(stale)}")
    width, start = max(len(bug.name) for bug in bugs), time.monotonic()
    print(f"{'':{width}}  {'  '.join(kinds)}")
    rows = []
    for bug, noticed in watch_all(bugs, kinds=kinds, n_workers=options.workers):
        rows.append(bug._asdict() | {"noticed": noticed})
        marks = "  ".join(f"{'x' if kind in noticed else '.':^{len(kind)}}" for kind in kinds)
        print(f"{bug.name:{width}}  {marks}", flush=True)
    seconds = round(time.monotonic() - start)
    print(f"{len(bugs)} bugs in {seconds} seconds")
    if options.json:
        content = {"kinds": kinds, "seconds": seconds, "bugs": rows}
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(content, indent=2) + "\n", "utf-8")
    needed = min(NEEDED, len(kinds))
    if weak := [row["name"] for row in rows if len(row["noticed"]) < needed]:
        sys.exit(f"noticed by fewer than {needed} kinds of test: {', '.join(weak)}")


if __name__ == "__main__":
    main()
