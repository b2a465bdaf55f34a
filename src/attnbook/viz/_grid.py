"""A grid of cells, as maps and tables of steps share it."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle


def name_rows_and_columns(ax: Axes, rows: Sequence[str], columns: Sequence[str]) -> None:
    """Label a grid of cells as a matrix: rows on the left, columns on top, no lines."""
    ax.set_yticks(range(len(rows)), labels=list(rows))
    ax.set_xticks(range(len(columns)), labels=list(columns))
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_xlabel("$k$")
    ax.set_ylabel("$q$", rotation=0, va="center", labelpad=12)
    ax.tick_params(length=0)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)


def hatch(ax: Axes, hidden: np.ndarray) -> None:
    """Hatch the hidden cells of a grid."""
    edge = plt.rcParams["hatch.color"]
    for row, column in np.argwhere(hidden):
        corner = (column - 0.5, row - 0.5)
        ax.add_patch(Rectangle(corner, 1, 1, fill=False, hatch="////", edgecolor=edge, linewidth=0))
