"""Both editions in one go: each says what it has to say, and one that fails is not hidden."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import attnbook

CONF = """
extensions = ["myst_parser"]
html_theme = "basic"
"""


@pytest.fixture
def run(book):
    """Return a function that builds a book of one page and returns what ran."""

    def build(page, conf=CONF):
        made = book({"docs/index.md": page, "conf.py": conf})
        ran = subprocess.run(
            [sys.executable, "-m", "attnbook.sphinxext.build"],
            cwd=made.folder,
            env={
                **os.environ,
                "PYTHONPATH": str(Path(attnbook.__file__).parents[1]),
                "PYTHONUTF8": "1",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=100,
        )
        return ran, made.folder / "_build" / "html"

    return build


def test_editions_and_front_page_are_built_and_speak_one_after_the_other(run):
    ran, site = run("# A page\n")
    assert ran.returncode == 0, ran.stdout
    for page in ("index.html", "en/index.html", "zh-CN/index.html"):
        assert (site / page).is_file()
    english, chinese = ran.stdout.index("=== English"), ran.stdout.index("=== 中文")
    assert ran.stdout.count("build succeeded", english, chinese) == 1
    assert ran.stdout.count("build succeeded", chinese) == 1
    assert ran.stdout.index("The book stands") > chinese


ONLY_CHINESE = f"{CONF}\nimport sys\nexclude_patterns = sys.argv.count('language=zh_CN') * ['*']\n"


@pytest.mark.parametrize(
    ("page", "conf", "failed", "n_messages"),
    [
        ("# A page\n\n{ref}`nowhere`\n", CONF, "English, 中文", 2),
        ("# A page\n", ONLY_CHINESE, "中文", 0),
    ],
)
def test_edition_that_fails_is_named_and_there_is_no_front_page(
    run, page, conf, failed, n_messages
):
    ran, site = run(page, conf)
    assert ran.returncode == 1
    assert f"Not built: {failed}." in ran.stdout
    assert ran.stdout.count("index.md:3: WARNING: undefined label: 'nowhere'") == n_messages
    assert not (site / "index.html").exists()
