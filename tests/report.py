"""Count at the end of a test run how each library did, and list where libraries disagree."""

import datetime
import json
import platform
from collections import Counter, defaultdict
from pathlib import Path

from tests.libraries import PLACES, version

PROPERTY = "disagreement"


def library_of(item):
    """Name the library that a test is about, by its parameters or else its fixtures."""
    params = item.callspec.params.values() if hasattr(item, "callspec") else ()
    for param in params:
        # "torch bfloat16" and the like name a dtype as well
        name = param.split(" ")[0] if isinstance(param, str) else None
        if name in PLACES:
            return name
    return next((n for n in ("jax", "torch") if n in getattr(item, "fixturenames", ())), None)


class Tally:
    """The plugin that counts; it lives in the process that all reports come to."""

    def __init__(self, path):
        self.path = path
        self.outcomes = defaultdict(Counter)
        self.reasons = defaultdict(Counter)
        self.disagreements = []

    def pytest_runtest_logreport(self, report):
        # a test that is skipped or fails before or after its call counts as well
        if report.when != "call" and report.passed:
            return
        properties = dict(report.user_properties)
        if "library" in properties:
            self.outcomes[properties["library"]][report.outcome] += 1
            if report.skipped:
                self.reasons[properties["library"]][reason_of(report)] += 1
        if report.passed and PROPERTY in properties:
            self.disagreements.append(properties[PROPERTY])

    def pytest_terminal_summary(self, terminalreporter):
        if not self.outcomes:
            return
        terminalreporter.section("libraries")
        for line in lines(self.summary()):
            terminalreporter.write_line(line)
        if self.path:
            self.write()

    def summary(self):
        """Return library → version, counts, and reasons why tests were skipped."""
        return {
            name: {
                "version": version(name),
                "passed": self.outcomes[name]["passed"],
                "failed": self.outcomes[name]["failed"],
                "skipped": dict(self.reasons[name].most_common()),
            }
            for name in PLACES
            if name in self.outcomes
        }

    def write(self):
        content = {
            "date": datetime.date.today().isoformat(),
            "python": platform.python_version(),
            "libraries": self.summary(),
            "disagreements": sorted(
                self.disagreements, key=lambda row: (row["library"], row["case"])
            ),
        }
        path = Path(self.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", "utf-8")


def lines(summary):
    """Draw the table: a line for each library, and one for each reason to skip."""
    yield f"{'':18}{'version':>14}{'passed':>8}{'skipped':>9}{'failed':>8}"
    for name, row in summary.items():
        n_skipped = sum(row["skipped"].values())
        yield (
            f"{name:18}{row['version'] or 'absent':>14}{row['passed']:8}{n_skipped:9}"
            f"{row['failed']:8}"
        )
        for reason, n in row["skipped"].items():
            yield f"{'':42}{n:6} {reason}"


def reason_of(report):
    """Return the sentence that a test was skipped with."""
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return reason.removeprefix("Skipped: ")
