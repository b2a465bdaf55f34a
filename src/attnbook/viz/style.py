"""One look for every figure of the book."""

import io
import re
import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.figure import Figure

from attnbook.viz.stand_in import stand_in_font

# system fonts only; DejaVu ships with matplotlib and has the mathematics
LATIN_FONT = "DejaVu Sans"
CHINESE_FONTS = (
    "PingFang SC",
    "Microsoft YaHei",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Source Han Sans SC",
    "WenQuanYi Zen Hei",
)

# dark enough for the light plate that the theme lays under images in dark mode, far enough apart
# in lightness to be told from one another in greyscale and by colour-blind readers
COLOURS = ("#1f5fa8", "#c2410c", "#0f766e", "#7c3aed")
INK = "#333333"
FAINT = "#8a8a8a"

# Verdana is as wide as DejaVu, for the machines of readers that lack it
_READERS_FONTS = ", ".join(f"'{name}'" for name in (LATIN_FONT, "Verdana", *CHINESE_FONTS))
_READERS_FONTS += ", sans-serif"

_MISSING_GLYPH = r"Glyph \d+ .* missing from"

_STYLE: Mapping[str, Any] = MappingProxyType(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "attnbook",
        "font.size": 12,
        "mathtext.fontset": "dejavusans",
        "figure.figsize": (5.4, 3.4),
        "figure.facecolor": "none",
        "figure.constrained_layout.use": True,
        "axes.facecolor": "none",
        "axes.edgecolor": FAINT,
        "axes.labelcolor": INK,
        "axes.titlecolor": INK,
        "axes.titlesize": "medium",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.grid": True,
        "axes.prop_cycle": mpl.cycler(color=COLOURS),
        "grid.color": FAINT,
        "grid.alpha": 0.3,
        "grid.linewidth": 0.6,
        "text.color": INK,
        "xtick.color": FAINT,
        "ytick.color": FAINT,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "lines.linewidth": 2.0,
        "lines.markersize": 5.0,
        "errorbar.capsize": 3.0,
        "hatch.color": FAINT,
        "hatch.linewidth": 0.8,
        "image.cmap": "cividis",
        "legend.frameon": False,
    }
)

_failures: list[Exception] = []


def use_book_style() -> None:
    """Give every figure drawn from here on the look of the book.

    Sets matplotlib's ``rcParams`` for the process. Inside IPython, figures become SVG. A character
    that no font of the machine can draw raises, and inside IPython fails the cell that drew it.
    Chinese is measured with a font of empty boxes where the machine has no Chinese font: that is
    enough for SVG, whose text the reader's browser draws.

    See Also
    --------
    attention_map : The book's picture of attention weights.

    Notes
    -----
    Text stays text, so that it can be searched and takes the reader's fonts. Backgrounds are
    transparent. Element ids and metadata hold neither chance nor a date: the same figure is the
    same file.

    Examples
    --------
    >>> import matplotlib as mpl
    >>> from attnbook import viz
    >>> viz.use_book_style()
    >>> mpl.rcParams["svg.fonttype"]
    'none'
    """
    mpl.rcParams.update(_STYLE)
    # matplotlib falls back from font to font only along font.family, and warns of absent names
    installed = set(font_manager.get_font_names())
    chinese = [name for name in CHINESE_FONTS if name in installed] or [stand_in_font()]
    mpl.rcParams["font.family"] = [LATIN_FONT, *chinese]
    warnings.filterwarnings("error", message=_MISSING_GLYPH, category=UserWarning)
    shell = _ipython()
    if shell is not None:
        _draw_svg_in(shell)


def figure_svg(figure: Figure) -> str:
    r"""Write a figure as SVG whose bytes and fonts do not depend on the machine.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure, drawn under `use_book_style`.

    Returns
    -------
    str
        The SVG file.

    Raises
    ------
    ValueError
        If a formula needs letters that only matplotlib has: ``\sqrt``, ``\left(`` and the like.

    See Also
    --------
    use_book_style : Makes notebooks show figures this way.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from attnbook.viz.style import figure_svg
    >>> "dc:date" in figure_svg(Figure())
    False
    """
    file = io.StringIO()
    figure.savefig(file, format="svg", bbox_inches="tight", metadata={"Date": None})
    drawn = file.getvalue()
    if "font-family: 'STIX" in drawn:
        raise ValueError(
            r"a formula of the figure needs matplotlib's own fonts, which no browser has: "
            r"write √ instead of \sqrt, and no \left or \right"
        )
    return re.sub(r"font-family: [^;\"]+", f"font-family: {_READERS_FONTS}", drawn)


def _ipython() -> Any:
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()


def _draw_svg_in(shell: Any) -> None:
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    set_matplotlib_formats("svg")
    shell.display_formatter.formatters["image/svg+xml"].for_type(Figure, _draw_svg)
    shell.events.register("post_run_cell", _fail_cell)


def _draw_svg(figure: Figure) -> str:
    try:
        return figure_svg(figure)
    except Exception as error:
        _failures.append(error)
        raise


def _fail_cell(result: Any) -> None:
    # ipython draws when the cell has ended and swallows what goes wrong there
    if _failures:
        result.error_in_exec = _failures[0]
        _failures.clear()
