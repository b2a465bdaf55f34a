"""Pictures of attention weights."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from attnbook.viz._grid import hatch, name_rows_and_columns
from attnbook.viz._inputs import check_map, to_numpy

# with more rows or columns the numbers no longer fit their cells
MOST_WITH_NUMBERS = 8


def attention_map(
    weights: Any,
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    *,
    mask: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw attention weights, one row for each query and one column for each key.

    Colours run from 0 to 1 on every map, so that two maps can be compared. Up to eight rows and
    columns each cell shows its weight; larger maps get a colour bar.

    Parameters
    ----------
    weights : array (L, S)
        Weights between 0 and 1, from any array library.
    query_labels : sequence of str
        One word for each of the L rows.
    key_labels : sequence of str
        One word for each of the S columns.
    mask : bool array (L, S), optional
        True where the query may look at the key, or any shape that broadcasts to (L, S). The other
        cells are hatched, not coloured.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    TypeError
        If ``mask`` is not boolean.
    ValueError
        If the shapes or the numbers of labels do not fit, or a weight is outside 0 to 1.

    See Also
    --------
    attnbook.attention_weights : Computes what is drawn here.
    describe_map : Says what is drawn here, for the alternative text.
    use_book_style : Sets the look.

    Examples
    --------
    >>> from attnbook import viz
    >>> ax = viz.attention_map([[1.0, 0.0], [0.3, 0.7]], ["a", "b"], ["a", "b"])
    >>> [text.get_text() for text in ax.texts]
    ['1.00', '0.00', '0.30', '0.70']
    """
    weights = to_numpy(weights)
    visible = check_map(weights, query_labels, key_labels, mask)
    if ax is None:
        _, ax = plt.subplots(figsize=_figure_size(*weights.shape))
    coloured = np.ma.masked_where(~visible, weights)
    image = ax.imshow(coloured, cmap="cividis", vmin=0, vmax=1, interpolation="none")
    name_rows_and_columns(ax, query_labels, key_labels)
    hatch(ax, ~visible)
    if max(weights.shape) <= MOST_WITH_NUMBERS:
        _write_numbers(ax, weights, visible)
    else:
        ax.figure.colorbar(image, ax=ax, ticks=[0, 0.5, 1], shrink=0.8)
    return ax


def _figure_size(n_query: int, n_key: int) -> tuple[float, float]:
    # cells keep their size from map to map until the figure would outgrow the page
    cell = min(0.75, 5.0 / max(n_query, n_key))
    return 1.4 + cell * n_key, 0.9 + cell * n_query


def _write_numbers(ax: Axes, weights: np.ndarray, visible: np.ndarray) -> None:
    for row, column in np.argwhere(visible):
        weight = weights[row, column]
        # in cividis, where both have a contrast of more than 4.5 : 1
        colour = "white" if weight < 0.465 else "black"
        ax.text(column, row, f"{weight:.2f}", ha="center", va="center", color=colour)
