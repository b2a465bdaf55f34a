"""The four steps of attention as one picture."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure, SubFigure

from attnbook import attention_weights, scaled_dot_product_attention
from attnbook.viz._grid import hatch, name_rows_and_columns
from attnbook.viz._inputs import broadcast_mask, check_labels, to_numpy
from attnbook.viz.maps import MOST_WITH_NUMBERS, attention_map
from attnbook.viz.style import FAINT

TITLES = ("$QK^\\top$", "÷√$d_k$", "softmax", "·$V$")

# the darkest still carries black numbers
_GREYS = LinearSegmentedColormap.from_list("attnbook greys", ["#f7f7f7", "#9e9e9e"])

# inches: a cell, and what the names of rows and columns need beside the cells
_CELL, _MARGIN = 0.56, 0.6


def attention_steps(
    query: Any,
    key: Any,
    value: Any,
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    *,
    mask: Any = None,
    fig: Figure | SubFigure | None = None,
) -> tuple[Axes, Axes, Axes, Axes]:
    r"""Draw the four steps of one head of attention, with the numbers in the cells.

    The grids are the scores, the scaled scores, the weights and the output, read like a page. They
    share their rows, one for each query. The weights look as in `attention_map`; the two grids of
    scores share one scale of greys, so that the second shows what the division takes away.

    Parameters
    ----------
    query : array (L, D)
        What each of L positions looks for, from any array library.
    key : array (S, D)
        What each of S positions can be found by.
    value : array (S, Dv)
        What each of the S positions carries.
    query_labels : sequence of str
        One word for each of the L rows.
    key_labels : sequence of str
        One word for each of the S columns of the first three grids.
    mask : bool array (L, S), optional
        True where the query may look at the key, or any shape that broadcasts to (L, S). The other
        cells are hatched from the second grid on, where the softmax gets to know of them.
    fig : matplotlib.figure.Figure or SubFigure, optional
        Where to draw; a new figure by default.

    Returns
    -------
    tuple of four matplotlib.axes.Axes
        The grids, in the order of the steps.

    Raises
    ------
    TypeError
        If ``mask`` is not boolean, or `attnbook.scaled_dot_product_attention` refuses the dtypes.
    ValueError
        If there are leading axes, more than eight rows or columns, or shapes or labels that do not
        fit.

    See Also
    --------
    attention_map : Draws the weights alone, of any size.
    attnbook.scaled_dot_product_attention : Computes what is drawn here.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, arXiv:1706.03762, section 3.2.1.

    Examples
    --------
    >>> import numpy as np
    >>> from attnbook import viz
    >>> query, key = np.array([[0.0, 2.0]]), np.eye(2)
    >>> grids = viz.attention_steps(query, key, np.array([[1.0], [3.0]]), ["a"], ["x", "y"])
    >>> [[text.get_text() for text in grid.texts] for grid in grids]
    [['0', '2'], ['0.00', '1.41'], ['0.20', '0.80'], ['2.61']]
    """
    query, key, value = (to_numpy(array) for array in (query, key, value))
    visible = _check(query, key, value, query_labels, key_labels, mask)
    scores = query @ key.T
    scaled = scores / query.shape[-1] ** 0.5
    weights = attention_weights(query, key, mask=visible)
    output = scaled_dot_product_attention(query, key, value, mask=visible)

    grids = _four_grids(fig, *weights.shape, output.shape[-1])
    components = [str(i) for i in range(1, output.shape[-1] + 1)]
    for ax, numbers, seen in zip(grids[:2], (scores, scaled), (True, visible), strict=True):
        shown = np.ma.masked_where(~np.broadcast_to(seen, visible.shape), numbers)
        _draw_grid(ax, shown, query_labels, key_labels, _range(scores))
    attention_map(weights, query_labels, key_labels, mask=visible, ax=grids[2])
    _draw_grid(grids[3], np.ma.asarray(output), query_labels, components, None)
    for ax, title in zip(grids, TITLES, strict=True):
        ax.set(xlabel="", ylabel="", title=title)
    _keep_cells_equal(grids[1], grids[3], len(key), output.shape[-1])
    return grids


def _check(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    mask: Any,
) -> np.ndarray:
    shapes = {"query": query.shape, "key": key.shape, "value": value.shape}
    for name, shape in shapes.items():
        if len(shape) != 2 or 0 in shape:
            raise ValueError(
                f"{name} must have two axes, positions and width, none of them empty, "
                f"got the shape {shape}; pick one sequence and one head"
            )
    largest = max(len(query), *value.shape)
    if largest > MOST_WITH_NUMBERS:
        raise ValueError(
            f"numbers fit into grids of up to {MOST_WITH_NUMBERS} rows and columns, "
            f"got {largest}; attention_map draws weights of any size"
        )
    # refuses what does not fit, in its own words
    scaled_dot_product_attention(query, key, value)
    shape = len(query), len(key)
    check_labels(query_labels, key_labels, shape)
    return broadcast_mask(mask, shape)


def _four_grids(
    fig: Figure | SubFigure | None, n_query: int, n_key: int, width: int
) -> tuple[Axes, Axes, Axes, Axes]:
    columns = n_key, max(n_key, width)
    if fig is None:
        size = 2 * _MARGIN + _CELL * sum(columns), 2 * (1.5 * _MARGIN + _CELL * n_query)
        fig = plt.figure(figsize=size)
    grids = fig.subplots(2, 2, width_ratios=columns).ravel()
    return tuple(grids)


def _draw_grid(
    ax: Axes,
    numbers: np.ma.MaskedArray,
    rows: Sequence[str],
    columns: Sequence[str],
    greys: tuple[float, float] | None,
) -> None:
    low, high = greys or (0, 1)
    shades = numbers if greys else np.zeros(numbers.shape)
    ax.imshow(shades, cmap=_GREYS, vmin=low, vmax=high, interpolation="none")
    name_rows_and_columns(ax, rows, columns)
    _rule(ax, *numbers.shape)
    hidden = np.ma.getmaskarray(numbers)
    hatch(ax, hidden)
    seen = numbers.compressed()
    form = "z.0f" if np.array_equal(seen, np.round(seen)) else "z.2f"
    for row, column in np.argwhere(~hidden):
        number = f"{float(numbers[row, column]):{form}}".replace("-", "−")
        ax.text(column, row, number, ha="center", va="center", color="black")


def _rule(ax: Axes, n_rows: int, n_columns: int) -> None:
    """Draw the lines between the cells."""
    ends = {"colors": FAINT, "linewidths": 0.6}
    ax.hlines(np.arange(-0.5, n_rows), -0.5, n_columns - 0.5, **ends)
    ax.vlines(np.arange(-0.5, n_columns), -0.5, n_rows - 0.5, **ends)


def _keep_cells_equal(scaled: Axes, output: Axes, n_key: int, width: int) -> None:
    """Give two grids one above the other the same room, though one has fewer columns."""
    room = max(n_key, width)
    for ax, n_columns in ((scaled, n_key), (output, width)):
        ax.set_xlim(-0.5, room - 0.5)
        ax.title.set_x(n_columns / room / 2)


def _range(scores: np.ndarray) -> tuple[float, float]:
    # with 0, towards which the division moves all scores
    finite = [0.0, *scores[np.isfinite(scores)].tolist()]
    low, high = min(finite), max(finite)
    return (low, high) if low < high else (0.0, 1.0)
