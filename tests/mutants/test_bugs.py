"""The list of bugs fits the source as it is, and the check says which of them slip through."""

import ast
import shutil
from collections import Counter

import pytest

from tests.mutants import run
from tests.mutants.run import CORE, KINDS, ROOT, FirstFailures, is_stale, kind_of, load_bugs, seed

BUGS = load_bugs()


def test_there_are_enough_and_each_has_a_name():
    assert len(BUGS) >= 40
    assert max(Counter(bug.name for bug in BUGS).values()) == 1
    assert max(Counter((bug.file, bug.right, bug.wrong) for bug in BUGS).values()) == 1


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_its_text_stands_in_the_source_once_and_becomes_another(bug, tmp_path):
    assert not is_stale(bug)
    shutil.copy(CORE / bug.file, tmp_path)
    seed(bug, tmp_path)
    right, wrong = (
        ast.dump(ast.parse((folder / bug.file).read_text("utf-8"))) for folder in (CORE, tmp_path)
    )
    assert right != wrong


def test_a_text_that_is_gone_or_not_alone_is_stale():
    assert is_stale(BUGS[0]._replace(right="a text that nobody wrote"))
    assert is_stale(BUGS[0]._replace(right="import"))


def test_kinds_are_the_folders_of_tests_and_the_docstrings():
    for kind in KINDS:
        assert kind == "doctests" or any((ROOT / "tests" / kind).glob("test_*.py"))
    assert kind_of("tests/properties/test_attention.py::test_a[1::2]") == "properties"
    assert kind_of("../elsewhere/attnbook/functional/gelu.py::attnbook.gelu") == "doctests"


def test_each_kind_stops_at_its_first_failure():
    class Report:
        failed, nodeid = True, "tests/witnesses/test_jax.py::test_one"

    class Item:
        nodeid = "tests/witnesses/test_jax.py::test_another"

    failures = FirstFailures()
    failures.pytest_runtest_setup(Item)
    failures.pytest_runtest_logreport(Report)
    with pytest.raises(pytest.skip.Exception):
        failures.pytest_runtest_setup(Item)
    Item.nodeid = "tests/functional/test_gelu.py::test_one"
    failures.pytest_runtest_setup(Item)
    assert failures.noticed == {"witnesses": Report.nodeid}


@pytest.mark.parametrize(
    ("noticed", "code"), [({"functional": "a", "doctests": "b"}, None), ({"functional": "a"}, 1)]
)
def test_one_kind_is_not_enough(monkeypatch, capsys, tmp_path, noticed, code):
    def watch_all(bugs, **_):
        return [(bug, noticed) for bug in bugs]

    monkeypatch.setattr(run, "watch_all", watch_all)
    path = tmp_path / "deep" / "report.json"
    arguments = [BUGS[0].name, f"--json={path}"]
    if code is None:
        run.main(arguments)
    else:
        with pytest.raises(SystemExit, match=f"fewer than 2 kinds of test: {BUGS[0].name}"):
            run.main(arguments)
    assert f'"name": "{BUGS[0].name}"' in path.read_text("utf-8")
    assert capsys.readouterr().out.splitlines()[1].split()[-6:].count("x") == len(noticed)


def test_a_stale_bug_is_named(monkeypatch):
    stale = BUGS[0]._replace(right="a text that nobody wrote")
    monkeypatch.setattr(run, "load_bugs", lambda: [stale])
    with pytest.raises(SystemExit, match=f"exactly once, the text of: {stale.name}"):
        run.main([])
