"""The table at the end of a test run: every library has a row, installed or not."""

from types import SimpleNamespace

import numpy as np

from tests.libraries import PLACES, version
from tests.report import PROPERTY, Tally, lines


def test_a_version_is_told_or_absent():
    # not a parameter: the table would count this as a test of the library
    for name in PLACES:
        found = version(name)
        assert found is None or found[0].isdigit()
    assert version("numpy") == np.__version__


def report(outcome, *, when="call", library="numpy", reason="no reason", **properties):
    return SimpleNamespace(
        when=when,
        outcome=outcome,
        passed=outcome == "passed",
        skipped=outcome == "skipped",
        longrepr=("file", 1, f"Skipped: {reason}"),
        user_properties=[("library", library), *properties.items()],
    )


def test_counts_each_test_once_and_keeps_the_reasons(tmp_path):
    tally = Tally(tmp_path / "new" / "report.json")
    row = {"library": "a", "case": "b"}
    for one in (
        report("passed", when="setup"),
        report("passed", **{PROPERTY: row}),
        report("passed", when="teardown"),
        report("skipped", when="setup", library="cupy", reason="cupy is not installed"),
        report("failed", when="setup"),
        report("failed"),
    ):
        tally.pytest_runtest_logreport(one)
    summary = tally.summary()
    assert (summary["numpy"]["passed"], summary["numpy"]["failed"]) == (1, 2)
    assert summary["cupy"]["skipped"] == {"cupy is not installed": 1}
    assert tally.disagreements == [row]
    assert any(line.startswith("cupy") for line in lines(summary))
    tally.write()
    assert '"disagreements"' in tally.path.read_text("utf-8")
