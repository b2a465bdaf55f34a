"""Pictures of attention weights."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

# with more rows or columns the numbers no longer fit their cells
MOST_WITH_NUMBERS = 8

# room for the rounding of a softmax in half precision
_SLACK = 1e-2


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
    use_book_style : Sets the look.

    Examples
    --------
    >>> from attnbook import viz
    >>> ax = viz.attention_map([[1.0, 0.0], [0.3, 0.7]], ["a", "b"], ["a", "b"])
    >>> [text.get_text() for text in ax.texts]
    ['1.00', '0.00', '0.30', '0.70']
    """
    weights = _to_numpy(weights)
    visible = _check(weights, query_labels, key_labels, mask)
    if ax is None:
        _, ax = plt.subplots(figsize=_figure_size(*weights.shape))
    coloured = np.ma.masked_where(~visible, weights)
    image = ax.imshow(coloured, cmap="cividis", vmin=0, vmax=1, interpolation="none")
    _label(ax, query_labels, key_labels)
    _hatch(ax, visible)
    if max(weights.shape) <= MOST_WITH_NUMBERS:
        _write_numbers(ax, weights, visible)
    else:
        ax.figure.colorbar(image, ax=ax, ticks=[0, 0.5, 1], shrink=0.8)
    return ax


def _to_numpy(array: Any) -> np.ndarray:
    # torch refuses to hand over an array that carries a gradient or lives on a gpu
    if hasattr(array, "detach"):
        array = array.detach().cpu()
        if array.dtype.itemsize == 2:
            array = array.float()
    return np.asarray(array)


def _check(
    weights: np.ndarray, query_labels: Sequence[str], key_labels: Sequence[str], mask: Any
) -> np.ndarray:
    if weights.ndim != 2 or 0 in weights.shape:
        raise ValueError(
            "weights must have one row for each query and one column for each key, "
            f"got the shape {weights.shape}"
        )
    if (len(query_labels), len(key_labels)) != weights.shape:
        raise ValueError(
            f"{len(query_labels)} query labels and {len(key_labels)} key labels "
            f"do not fit weights of the shape {weights.shape}"
        )
    visible = _visible(mask, weights.shape)
    seen = weights[visible]
    # written so that nan fails as well
    if not np.all((seen >= -_SLACK) & (seen <= 1 + _SLACK)):
        raise ValueError(
            "weights must lie between 0 and 1, got values from "
            f"{seen.min():.3g} to {seen.max():.3g}; scores have to go through softmax first"
        )
    return visible


def _visible(mask: Any, shape: tuple[int, ...]) -> np.ndarray:
    if mask is None:
        return np.ones(shape, dtype=bool)
    mask = _to_numpy(mask)
    if mask.dtype != bool:
        raise TypeError(
            f"mask must be boolean with True where a query may look, got the dtype {mask.dtype}"
        )
    try:
        return np.broadcast_to(mask, shape)
    except ValueError:
        raise ValueError(
            f"a mask of the shape {mask.shape} does not fit weights of the shape {shape}"
        ) from None


def _figure_size(n_query: int, n_key: int) -> tuple[float, float]:
    # cells keep their size from map to map until the figure would outgrow the page
    cell = min(0.75, 5.0 / max(n_query, n_key))
    return 1.4 + cell * n_key, 0.9 + cell * n_query


def _label(ax: Axes, query_labels: Sequence[str], key_labels: Sequence[str]) -> None:
    ax.set_yticks(range(len(query_labels)), labels=list(query_labels))
    ax.set_xticks(range(len(key_labels)), labels=list(key_labels))
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_xlabel("$k$")
    ax.set_ylabel("$q$", rotation=0, va="center", labelpad=12)
    ax.tick_params(length=0)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)


def _hatch(ax: Axes, visible: np.ndarray) -> None:
    edge = plt.rcParams["hatch.color"]
    for row, column in np.argwhere(~visible):
        corner = (column - 0.5, row - 0.5)
        ax.add_patch(Rectangle(corner, 1, 1, fill=False, hatch="////", edgecolor=edge, linewidth=0))


def _write_numbers(ax: Axes, weights: np.ndarray, visible: np.ndarray) -> None:
    for row, column in np.argwhere(visible):
        weight = weights[row, column]
        colour = "white" if weight < 0.5 else "black"
        ax.text(column, row, f"{weight:.2f}", ha="center", va="center", color=colour)
