"""Cells: executed once, again when the package changes, and never wrong in silence."""

import subprocess
import sys
from pathlib import Path

import pytest

from attnbook.sphinxext import cells, execution

EXTENSIONS = ("myst_nb", "attnbook.sphinxext.execution")
PAGE = """
---
file_format: mystnb
kernelspec:
  name: python3
---

# Page

```{code-cell}
import mypackage
print("answer:", mypackage.ANSWER)
```

Between.

```{code-cell}
1 + 1
```
"""


def build(made, package):
    """Build as conf.py does: the cache lies under the key of the package's state."""
    cache = execution.cache_folder(made.folder / "_build", package)
    return made.build(
        *EXTENSIONS,
        exclude_patterns=["_build"],
        nb_execution_mode="cache",
        nb_execution_raise_on_error=True,
        nb_execution_cache_path=str(cache),
    )


@pytest.fixture
def made(book, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "")
    return book({"index.md": PAGE, "src/mypackage/__init__.py": "ANSWER = 42\n"})


def test_pages_execute_once_and_again_when_the_package_changes(made):
    package = made.folder / "src" / "mypackage"
    first = build(made, package)
    assert "answer: 42" in first.page()
    assert "cells: executed index in" in first.log
    assert "cells: 1 page(s) executed" in first.log

    # another edition: its own environment, the same cells
    (made.folder / "_build" / "doctrees" / "environment.pickle").unlink()
    second = build(made, package)
    assert "cells: index from the cache" in second.log
    assert "cells: 0 page(s) executed in 0.0 s, 1 from the cache" in second.log

    third = build(made, package)
    assert "cells: 0 page(s) executed in 0.0 s, 0 from the cache" in third.log

    # of another length, or Python may take it for the source that it compiled in the same second
    made.write({"src/mypackage/__init__.py": "ANSWER = 42 + 1\n"})
    fourth = build(made, package)
    assert "answer: 43" in fourth.page()
    assert "cells: 1 page(s) executed" in fourth.log


def test_what_a_cell_prints_in_pieces_is_shown_as_printed(made):
    printing = "print('one', end='', flush=True); time.sleep(0.4); print(); print('two')"
    made.write({"index.md": PAGE.replace("1 + 1", f"import time; {printing}")})
    built = build(made, made.folder / "src" / "mypackage")
    assert ">one\ntwo\n<" in built.page().replace("<span></span>", "")


def test_failing_cell_stops_the_build_and_names_page_line_and_cell(made):
    page = PAGE.replace("1 + 1", "1 / 0")
    made.write({"index.md": page})
    line = page.lstrip("\n").split("1 / 0")[0].count("\n")
    with pytest.raises(cells.CellError, match=rf"index\.md:{line}: cell 2 of 2 failed") as failed:
        build(made, made.folder / "src" / "mypackage")
    assert "ZeroDivisionError" in str(failed.value)
    # and it fails again: nothing of the page was saved
    with pytest.raises(cells.CellError):
        build(made, made.folder / "src" / "mypackage")


def test_every_page_that_fails_is_named_and_the_others_are_kept(made):
    made.write(
        {
            "endless.md": PAGE.replace("1 + 1", "while True: pass").replace(
                "file_format: mystnb", "file_format: mystnb\nmystnb: {execution_timeout: 10}"
            ),
            "dead.md": PAGE.replace("1 + 1", "import os; os._exit(1)"),
        }
    )
    with pytest.raises(cells.CellError) as failed:
        build(made, made.folder / "src" / "mypackage")
    lines = [line for line in str(failed.value).splitlines() if line.endswith("failed")]
    assert sorted(lines) == [
        "dead.md:16: cell 2 of 2 failed",
        "endless.md:17: cell 2 of 2 failed",
    ]
    assert "cells: executed index in" in made.log


def test_pages_are_executed_at_the_same_time(made, monkeypatch):
    monkeypatch.setattr(cells, "n_cores", lambda: 2)
    # each page waits until the other has begun
    meet = """import pathlib, time
pathlib.Path("{me}.begun").touch()
while not pathlib.Path("{other}.begun").exists():
    time.sleep(0.01)"""
    page = PAGE.replace("# Page", ":orphan:\n\n# Page")
    made.write(
        {
            f"{me}.md": page.replace("1 + 1", meet.format(me=me, other=other))
            for me, other in (("index", "second"), ("second", "index"))
        }
    )
    assert "cells: 2 page(s) executed" in build(made, made.folder / "src" / "mypackage").log


def test_editions_built_at_the_same_time_execute_a_page_once(made, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(cells.__file__).parents[2]))
    made.write(
        {
            "index.md": PAGE.replace("1 + 1", "open('runs.txt', 'a').write('run ')"),
            "conf.py": f"""
                extensions = {list(EXTENSIONS)}
                exclude_patterns = ["_build"]
                nb_execution_mode = "cache"
                nb_execution_cache_path = {str(made.folder / "_build" / "executed")!r}
                nb_execution_raise_on_error = True
            """,
        }
    )
    build_one = [sys.executable, "-m", "sphinx", "-q", "-W", str(made.folder)]
    builds = [
        subprocess.Popen([*build_one, str(made.folder / "_build" / edition)])
        for edition in ("one", "two")
    ]
    assert [process.wait(timeout=100) for process in builds] == [0, 0]
    assert (made.folder / "runs.txt").read_text() == "run "


def test_key_changes_with_source_and_versions_but_not_with_extensions(tmp_path, monkeypatch):
    (tmp_path / "sphinxext").mkdir()
    (tmp_path / "a.py").write_text("one = 1\n")
    key = execution.execution_key(tmp_path)
    (tmp_path / "sphinxext" / "b.py").write_text("two = 2\n")
    (tmp_path / "notes.txt").write_text("three\n")
    assert execution.execution_key(tmp_path) == key
    (tmp_path / "a.py").write_text("one = 2\n")
    changed = execution.execution_key(tmp_path)
    assert changed != key
    monkeypatch.setattr(execution, "version", lambda name: "999")
    assert execution.execution_key(tmp_path) != changed


def test_old_outputs_are_dropped_and_recent_ones_kept(tmp_path, monkeypatch):
    package = tmp_path / "package"
    package.mkdir()
    (package / "a.py").write_text("1\n")
    old = execution.cache_folder(tmp_path, package)
    (package / "a.py").write_text("2\n")
    recent = execution.cache_folder(tmp_path, package)
    assert old != recent
    assert old.is_dir()
    monkeypatch.setattr(execution, "WEEK", -1)
    assert execution.cache_folder(tmp_path, package) == recent
    assert not old.exists()
