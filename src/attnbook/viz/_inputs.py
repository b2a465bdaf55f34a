"""What the drawings take, checked once for all of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

# room for the rounding of a softmax in half precision
_SLACK = 1e-2


def to_numpy(array: Any) -> np.ndarray:
    """Return any library's array as NumPy's."""
    # torch refuses to hand over an array that carries a gradient or lives on a gpu
    if hasattr(array, "detach"):
        array = array.detach().cpu()
        if array.dtype.itemsize == 2:
            array = array.float()
    return np.asarray(array)


def check_map(
    weights: np.ndarray, query_labels: Sequence[str], key_labels: Sequence[str], mask: Any
) -> np.ndarray:
    """Return where queries may look; refuse what is no map of weights."""
    if weights.ndim != 2 or 0 in weights.shape:
        raise ValueError(
            "weights must have one row for each query and one column for each key, "
            f"got the shape {weights.shape}"
        )
    check_labels(query_labels, key_labels, weights.shape)
    visible = broadcast_mask(mask, weights.shape)
    seen = weights[visible]
    # written so that nan fails as well
    if not np.all((seen >= -_SLACK) & (seen <= 1 + _SLACK)):
        raise ValueError(
            "weights must lie between 0 and 1, got values from "
            f"{seen.min():.3g} to {seen.max():.3g}; scores have to go through softmax first"
        )
    return visible


def check_labels(
    query_labels: Sequence[str], key_labels: Sequence[str], shape: tuple[int, ...]
) -> None:
    """Refuse labels that are not one for each row and one for each column."""
    if (len(query_labels), len(key_labels)) != shape:
        raise ValueError(
            f"{len(query_labels)} query labels and {len(key_labels)} key labels "
            f"do not fit weights of the shape {shape}"
        )


def broadcast_mask(mask: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return the mask in full, all True for None."""
    if mask is None:
        return np.ones(shape, dtype=bool)
    mask = to_numpy(mask)
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
