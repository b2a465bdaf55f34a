"""What the pages quote as measured is there, whole, and within what the pages promise."""

import pytest

from attnbook.data.measured import libraries, overhead
from tests.libraries import GPU, PLACES


def test_every_library_is_counted_and_none_failed():
    run = libraries()
    assert list(run["libraries"]) == list(PLACES)
    for name, library in run["libraries"].items():
        assert library["failed"] == 0, name
        assert library["passed"] or name in GPU, name


def test_every_disagreement_is_one():
    rows = libraries()["disagreements"]
    assert len({(row["library"], row["case"]) for row in rows}) == len(rows)
    for row in rows:
        assert set(row) == {"library", "case", "theirs", "ours", "why"}
        assert row["theirs"] != row["ours"]
        assert row["why"].endswith(".")


@pytest.mark.parametrize(("name", "target"), [("numpy", 30), ("torch", 80)])
def test_fixed_cost_is_within_its_target(name, target):
    cost = overhead()
    assert cost["unit"] == "microseconds"
    first = next(row for row in cost["rows"] if row["library"] == name)
    assert 0 < first["difference"] <= target
    # and its parts are all of it
    parts = [part["time"] for part in cost["parts"] if part["library"] == name]
    assert sum(parts) == pytest.approx(first["difference"], abs=0.3)


@pytest.mark.parametrize("measurement", [libraries, overhead])
def test_run_is_dated(measurement):
    assert len(measurement()["date"].split("-")) == 3
    assert measurement()["python"].startswith("3.")
