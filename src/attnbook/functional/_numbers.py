"""Refuse a number that is not what its name says, in a sentence that says what to do."""

import math
import operator
from numbers import Real
from typing import Any


def check_integer(name: str, number: Any) -> int:
    """Return a whole number as an int; refuse floats, and True for 1."""
    try:
        if isinstance(number, bool):
            raise TypeError
        return operator.index(number)
    except TypeError:
        kind = type(number).__name__
        raise TypeError(f"{name} must be an integer, but is {number!r} ({kind}).") from None


def check_size(name: str, number: Any) -> int:
    """Return a size as an int; refuse negative ones."""
    size = check_integer(name, number)
    if size < 0:
        raise ValueError(f"{name} must be 0 or more, but is {size}.")
    return size


def check_axis(axis: Any, array: Any) -> int:
    """Return the axis as an int; refuse one that the array does not have."""
    axis, ndim = check_integer("axis", axis), array.ndim
    if ndim == 0:
        raise ValueError("scores is a single number without an axis to sum along.")
    if not -ndim <= axis < ndim:
        raise ValueError(
            f"axis {axis} is out of range: scores has shape {tuple(array.shape)}, "
            f"whose axes are numbered {-ndim} to {ndim - 1}."
        )
    return axis


def check_scale(scale: Any, *, width: int) -> float:
    """Return the scale as a Python float, 1/sqrt(width) by default."""
    if scale is None:
        # of width 0 every dot product is the empty sum, 0 at any scale
        return 1.0 / math.sqrt(max(width, 1))
    # scale=False would silently be 0
    if isinstance(scale, bool) or not isinstance(scale, Real):
        raise TypeError(
            f"scale is a {type(scale).__name__}, but needs to be a number; multiply query by a "
            f"scale that is learned or differs by head, and give scale=1.0."
        )
    # a numpy.float64 would turn float32 arrays into float64
    return float(scale)


def check_positive(name: str, number: Any) -> float:
    """Return a number above 0 as a Python float; refuse others, and True for 1."""
    if isinstance(number, bool) or not isinstance(number, Real):
        raise TypeError(f"{name} is a {type(number).__name__}, but needs to be a number.")
    # a numpy.float64 would turn float32 arrays into float64
    number = float(number)
    if not 0 < number < math.inf:
        raise ValueError(f"{name} must be finite and above 0, but is {number}.")
    return number
