"""Chinese labels on a machine without a Chinese font."""

import re

import matplotlib as mpl
import pytest
from matplotlib import font_manager
from matplotlib.figure import Figure

from attnbook import viz
from attnbook.viz.stand_in import NAME, stand_in_font
from attnbook.viz.style import CHINESE_FONTS, figure_svg


@pytest.fixture
def no_chinese_font(monkeypatch, tmp_path):
    monkeypatch.setattr(font_manager, "get_font_names", lambda: ["DejaVu Sans"])
    monkeypatch.setattr(mpl, "get_cachedir", lambda: str(tmp_path))
    with mpl.rc_context():
        viz.use_book_style()
        yield


def drawn(text):
    figure = Figure()
    figure.text(0.5, 0.5, text)
    return figure_svg(figure)


def svg_width(text):
    return re.search(r'width="([\d.]+)pt"', drawn(text))[1]


def width(text, family):
    figure = Figure(dpi=100)
    shown = figure.text(0, 0, text, family=family, fontsize=20)
    return shown.get_window_extent().width


def test_chinese_stays_text(no_chinese_font):
    assert mpl.rcParams["font.family"] == ["DejaVu Sans", NAME]
    assert "老鼠（猫）</text>" in drawn("老鼠（猫）")


def test_other_missing_glyphs_still_raise(no_chinese_font):
    with pytest.raises(UserWarning, match="Glyph 4660 .* missing"):
        drawn("\u1234")


def test_figure_is_as_wide_as_with_a_chinese_font(no_chinese_font):
    installed = {font.name for font in font_manager.fontManager.ttflist}
    if not installed & set(CHINESE_FONTS):
        pytest.skip("no Chinese font to compare with")
    without = svg_width("老鼠 mouse")
    with mpl.rc_context({"font.family": ["DejaVu Sans", *installed & set(CHINESE_FONTS)]}):
        assert svg_width("老鼠 mouse") == without


def test_a_character_is_one_em_wide():
    with mpl.rc_context():
        name = stand_in_font()
        assert width("老鼠猫", name) == pytest.approx(3 * 20 * 100 / 72, rel=0.02)
