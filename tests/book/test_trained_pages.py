"""What the pages assert of their trained models holds for seeds that the pages do not use."""

import os
import re
import subprocess
import sys

import pytest

from tests.book.test_pages import DOCS

CELL = re.compile(r"^```\{code-cell\}.*\n(?:---\n[\s\S]*?\n---\n|(?::.*\n)*)([\s\S]*?)^```$", re.M)
OTHER_SEEDS = {
    "many-heads": ("range(first, first + n_seeds)", "range(first + 100, first + 100 + n_seeds)"),
    "self-and-cross": ("for seed in range(5)", "for seed in range(11, 16)"),
    "what-goes-wrong": ("for seed in range(5)", "for seed in range(5, 10)"),
    "why-sqrt-dk": ("for seed in range(n_seeds)", "for seed in range(100, 100 + n_seeds)"),
}


@pytest.mark.slow
@pytest.mark.parametrize("page", OTHER_SEEDS)
def test_page_holds_for_other_seeds(page, tmp_path):
    cells = "\n".join(CELL.findall((DOCS / "foundations" / f"{page}.md").read_text("utf-8")))
    here, other = OTHER_SEEDS[page]
    assert cells.count(here) == 1
    script = tmp_path / "page.py"
    script.write_text(cells.replace(here, other), "utf-8")
    # the cells carry the page's own assertions
    ran = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        encoding="utf-8",
        env=os.environ | {"MPLBACKEND": "agg", "OMP_NUM_THREADS": "1"},
    )
    assert ran.returncode == 0, ran.stderr
