"""Formulas as they stand in a window's title, a bibliography and a summary of the search."""

from pathlib import Path

import pytest

from attnbook.sphinxext.plain_formula import read_mathml, write_plain

KATEX = Path(__file__).parents[2] / "node_modules" / "katex" / "dist"
SQUARE_ROOT = """<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><msqrt><msub>
<mi>d</mi><mi>k</mi></msub></msqrt></mrow><annotation encoding="application/x-tex">\\sqrt{d_k}
</annotation></semantics></math>"""


@pytest.fixture(scope="module")
def katex(tmp_path_factory):
    """Start KaTeX, as a build does."""
    from tests.sphinxext.conftest import Book

    made = Book(tmp_path_factory.mktemp("formulas"))
    made.write({"index.md": "# T\n"})
    config = {"html_math_renderer": "katex-at-build", "katex_folder": str(KATEX)}
    return made.build("myst_parser", "attnbook.sphinxext.math", **config)


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"\sqrt{d_k}", "√d_k"),
        (r"d_{\text{model}}", "d_model"),
        (r"QK^\top", "QK^⊤"),
        (r"\frac{1}{\sqrt{d_k}}", "1/√d_k"),
        (r"\frac{a + b}{2}", "(a + b)/2"),
        (r"-\infty", "−∞"),
        (r"a - 1", "a − 1"),
        (r"L \times d_v", "L × d_v"),
        (r"m_{ij} \in \{0, -\infty\}", "m_ij ∈ {0, −∞}"),
        (r"\operatorname{softmax}(s)", "softmax(s)"),
        (r"e^{-\Delta}", "e^(−Δ)"),
        (r"q' = \tilde q", "q′ = q~"),
        (r"\sum_{i=1}^{d_k} q_i k_i", "∑_(i = 1)^d_k q_ik_i"),
        ("O(n^2)", "O(n^2)"),
    ],
)
def test_formulas_are_written_as_by_hand(katex, tex, text):
    assert write_plain(tex) == text


def test_mathml_is_read_without_its_source():
    assert read_mathml(SQUARE_ROOT.replace("\n", "")) == "√d_k"
