"""The look of the book's figures."""

import io
import subprocess
import sys
import warnings
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from attnbook import viz
from attnbook.viz import style


@pytest.fixture(autouse=True)
def _restore_matplotlib():
    plt.switch_backend("svg")
    with mpl.rc_context(), warnings.catch_warnings():
        yield
    plt.close("all")


def drawing(title="$q \\cdot k$"):
    viz.use_book_style()
    figure, ax = plt.subplots()
    ax.plot([1, 2, 3], [1, 4, 9], marker="o")
    ax.fill_between([1, 2, 3], [0, 3, 8], [2, 5, 10], alpha=0.3, hatch="//")
    ax.set_title(title)
    return style.figure_svg(figure)


def test_text_stays_text():
    assert "a word</text>" in drawing("a word")


def test_the_same_figure_is_the_same_file():
    assert drawing() == drawing()


def test_the_same_figure_is_the_same_file_in_another_process():
    code = (
        "import sys, matplotlib; matplotlib.use('svg'); sys.path.insert(0, sys.argv[1]);"
        "import test_style; sys.stdout.buffer.write(test_style.drawing().encode())"
    )
    command = [sys.executable, "-c", code, str(Path(__file__).parent)]
    other = subprocess.run(command, capture_output=True, check=True)
    assert other.stdout.decode() == drawing()


def test_no_date_in_the_file():
    assert "dc:date" not in drawing()


def test_readers_without_our_font_get_another_without_serifs():
    text = drawing("a word $q$")
    families = {piece.split('"')[0].split(";")[0] for piece in text.split("font-family: ")[1:]}
    (family,) = families
    assert family.startswith("'DejaVu Sans', 'Verdana'")
    assert family.endswith("sans-serif")


@pytest.mark.parametrize("formula", [r"$\sqrt{d_k}$", r"$\left(\frac{a}{b}\right)$"])
def test_formulas_that_need_matplotlibs_fonts_are_refused(formula):
    with pytest.raises(ValueError, match="which no browser has: write √"):
        drawing(formula)


def test_the_background_is_transparent():
    viz.use_book_style()
    figure, _ = plt.subplots()
    file = io.BytesIO()
    figure.savefig(file, format="png")
    file.seek(0)
    alpha = plt.imread(file)[..., 3]
    assert alpha[0, 0] == 0
    assert (alpha == 0).mean() > 0.8


def test_a_character_without_a_font_raises():
    # whatever was set before
    warnings.simplefilter("ignore")
    with pytest.raises(UserWarning, match=r"Glyph 4660 .* missing"):
        drawing("\u1234")


def test_the_style_may_be_set_twice():
    viz.use_book_style()
    assert drawing() == drawing()


def test_only_installed_fonts_are_asked_for(caplog):
    drawing("a word")
    assert "not found" not in caplog.text


def _luminance(colour):
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in mpl.colors.to_rgb(colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# the white page, and the plate that the theme lays under images in dark mode
@pytest.mark.parametrize("background", ["#ffffff", "#ced6dd"])
@pytest.mark.parametrize("colour", [style.INK, *style.COLOURS])
def test_colours_can_be_read(colour, background):
    contrast = (_luminance(background) + 0.05) / (_luminance(colour) + 0.05)
    limit = 4.5 if colour == style.INK else 3.0
    assert contrast >= limit


def run_cells(*sources):
    """Run the cells in a kernel of their own; a cell that fails raises."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    # twice: a page may set the style again
    first = "from attnbook import viz\nviz.use_book_style()\nviz.use_book_style()"
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(source) for source in (first, *sources)]
    return nbclient.NotebookClient(notebook).execute().cells[1:]


# jupyter warns of its own transport
@pytest.mark.filterwarnings("ignore")
def test_a_notebook_shows_svg_without_a_date():
    (cell,) = run_cells("import matplotlib.pyplot as plt\nplt.plot([1, 2]);")
    (shown,) = [output.data for output in cell.outputs if output.output_type == "display_data"]
    assert "image/png" not in shown
    assert "dc:date" not in shown["image/svg+xml"]
    assert "'Verdana'" in shown["image/svg+xml"]


@pytest.mark.filterwarnings("ignore")
def test_a_missing_character_fails_the_cell_that_drew_it():
    nbclient = pytest.importorskip("nbclient")
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="missing from font"):
        run_cells("import matplotlib.pyplot as plt\nplt.title('\\u1234');")
