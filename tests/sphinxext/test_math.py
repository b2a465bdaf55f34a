"""Formulas are set at build time, numbered, and wrong ones are found."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

KATEX = Path(__file__).parents[2] / "node_modules" / "katex" / "dist"
EXTENSIONS = ("myst_parser", "attnbook.sphinxext.math")
CONFIG = {
    "html_math_renderer": "katex-at-build",
    "katex_folder": str(KATEX),
    "myst_enable_extensions": ["dollarmath"],
}
CONF = f"""
extensions = ['myst_parser', 'attnbook.sphinxext.math']
exclude_patterns = ['1', '4']
html_math_renderer = 'katex-at-build'
myst_enable_extensions = ['dollarmath']
katex_folder = {str(KATEX)!r}
"""
PAGE = r"""
# Attention

Inline $\sqrt{d_k}$.

```{math}
:label: eq-attention
\operatorname{softmax}(QK^\top / \sqrt{d_k})\,V
```

See {eq}`eq-attention`.
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    from tests.sphinxext.conftest import Book

    built = Book(tmp_path_factory.mktemp("math"))
    built.write({"index.md": PAGE})
    built.build(*EXTENSIONS, **CONFIG)
    assert built.warnings == ""
    return built


def test_formulas_are_html_and_mathml_and_need_no_script(page):
    html = page.page()
    assert html.count('class="katex"') == 2
    assert html.count("<math") == 2
    assert "katex.min.js" not in html
    assert r"\sqrt{d_k}</annotation>" in html


def test_numbered_formula_can_be_cited(page):
    html = page.page()
    assert '<span class="eqno">(1)' in html
    assert 'id="equation-eq-attention"' in html
    assert 'href="#equation-eq-attention">(1)</a>' in html


def test_wide_formula_scrolls_in_a_named_box_that_the_keyboard_reaches(page):
    assert '<div class="math-scroll" tabindex="0" role="group" aria-label="Formula (1)">' in (
        page.page()
    )


def test_site_carries_styles_and_fonts(page):
    static = page.app.outdir / "_static" / "katex"
    assert (static / "katex.min.css").is_file()
    assert {path.suffix for path in (static / "fonts").iterdir()} == {".woff2"}


def test_punctuation_stays_with_its_formula(book):
    built = book({"index.md": "# T\n\n($a$), $b$ and $c$；$d$\n"}).build(*EXTENSIONS, **CONFIG)
    boxes = re.findall(r'<span class="keep">.*?</annotation>.*?</span>([^<]+)</span>', built.page())
    assert boxes == ["),", "；"]


def test_lines_of_a_formula_are_aligned(book):
    built = book({"index.md": "# T\n\n```{math}\na &= b \\\\\nc &= d\n```\n"}).build(
        *EXTENSIONS, **CONFIG
    )
    assert built.warnings == ""
    assert r"\begin{split}a &amp;= b" in built.page()


@pytest.mark.parametrize("formula", [r"$\frac{1}{$", r"$\nosuchmacro$"])
def test_formula_that_does_not_parse_is_an_error_at_its_line(book, formula):
    built = book({"index.md": f"# T\n\nSome text.\n\nThen {formula}.\n"}).build(
        *EXTENSIONS, **CONFIG
    )
    assert "index.md:5: ERROR: formula: KaTeX parse error" in built.warnings


def test_unknown_equation_is_a_warning(book):
    built = book({"index.md": "# T\n\nSee {eq}`eq-nowhere`.\n"}).build(*EXTENSIONS, **CONFIG)
    assert "index.md:3: WARNING: equation not found: eq-nowhere" in built.warnings


def test_missing_katex_says_what_to_run(book):
    with pytest.raises(Exception, match=r"KaTeX is not at .*npm ci"):
        book({"index.md": "# T\n"}).build(*EXTENSIONS, **{**CONFIG, "katex_folder": "nowhere"})


def test_no_process_outlives_the_build(tmp_path):
    (tmp_path / "index.md").write_text("# T\n\n$x^2$\n", "utf-8")
    (tmp_path / "conf.py").write_text(CONF, "utf-8")
    # whoever outlives the build keeps this pipe open, and reading it does not end
    command = [sys.executable, "-m", "sphinx", "-q", str(tmp_path), str(tmp_path / "out")]
    built = subprocess.run(command, capture_output=True, timeout=60, check=True)
    assert built.stderr == b""
    assert 'class="katex"' in (tmp_path / "out" / "index.html").read_text("utf-8")


def test_pages_written_by_several_processes_have_their_own_formulas(tmp_path):
    names = [f"page{number}" for number in range(12)]
    for number, name in enumerate(names):
        formulas = "\n\n".join(f"$x_{{{number}}}^{{{power}}}$" for power in range(40))
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\n{formulas}\n", "utf-8")
    (tmp_path / "index.md").write_text(
        "# T\n\n```{toctree}\n" + "\n".join(names) + "\n```\n", "utf-8"
    )
    (tmp_path / "conf.py").write_text(CONF, "utf-8")
    for processes in ("1", "4"):
        command = ["-q", "-E", "-W", "-j", processes, str(tmp_path), str(tmp_path / processes)]
        subprocess.run([sys.executable, "-m", "sphinx", *command], timeout=100, check=True)
    for name in names:
        alone, together = (tmp_path / folder / f"{name}.html" for folder in ("1", "4"))
        assert together.read_text("utf-8") == alone.read_text("utf-8")
