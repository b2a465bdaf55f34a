"""Refuse an argument that is not what its name says, in a sentence that says what to do."""

import math
import operator
from numbers import Real
from types import ModuleType
from typing import Any

from array_api_compat import array_namespace

from attnbook.functional._shapes import check_fit, check_shapes


def check_array(name: str, array: Any) -> ModuleType:
    """Return the library an array comes from; refuse lists, numbers and the like."""
    try:
        return array_namespace(array)
    except TypeError:
        kind = type(array).__name__
        raise TypeError(
            f"{name} is a {kind}, not an array; make it one first, for example "
            f"numpy.asarray({name})."
        ) from None


def check_floating(name: str, array: Any) -> ModuleType:
    """Return the library of an array of a real floating dtype; refuse other dtypes."""
    xp = check_array(name, array)
    if not xp.isdtype(array.dtype, "real floating"):
        raise TypeError(
            f"{name} has dtype {array.dtype}, but needs a real floating dtype; "
            f"convert it, for example to float32, before the call."
        )
    return xp


def check_integers(name: str, array: Any) -> ModuleType:
    """Return the library of an array of integers; refuse other dtypes, bool among them."""
    xp = check_array(name, array)
    if not xp.isdtype(array.dtype, "integral"):
        raise TypeError(f"{name} has dtype {array.dtype}, but needs an integer dtype.")
    return xp


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


def check_attention(
    query: Any, key: Any, value: Any = None, *, mask: Any = None, bias: Any = None
) -> ModuleType:
    """Return the library that all arguments share; refuse what does not fit together."""
    inputs = {"query": query, "key": key} | ({} if value is None else {"value": value})
    extras = {"mask": mask, "bias": bias}
    extras = {name: array for name, array in extras.items() if array is not None}
    xp = check_one_library(inputs | extras)
    check_one_dtype(inputs)
    _check_roles(xp, **extras)
    scores_shape = check_shapes({name: tuple(array.shape) for name, array in inputs.items()})
    for name, array in extras.items():
        check_fit(name, tuple(array.shape), scores_shape)
    return xp


def check_one_library(arrays: dict[str, Any]) -> ModuleType:
    """Return the library that all arrays come from; refuse a mix."""
    libraries = {name: check_array(name, array) for name, array in arrays.items()}
    # by name, because torch.compile cannot compare modules
    if len({xp.__name__ for xp in libraries.values()}) > 1:
        origins = ", ".join(
            f"{name} from {xp.__name__.removeprefix('array_api_compat.').partition('.')[0]}"
            for name, xp in libraries.items()
        )
        raise TypeError(
            f"the arrays come from more than one library ({origins}); convert them to one. "
            f"causal_mask(..., like=query) makes a mask of query's library."
        )
    return libraries["query"]


def check_one_dtype(arrays: dict[str, Any]) -> None:
    """Refuse a mix of dtypes, and dtypes that are not real and floating."""
    check_floating("query", arrays["query"])
    if len({array.dtype for array in arrays.values()}) > 1:
        for name, array in arrays.items():
            check_floating(name, array)
        dtypes = ", ".join(f"{name} {array.dtype}" for name, array in arrays.items())
        raise TypeError(
            f"the inputs have more than one dtype ({dtypes}); convert them to the one you want "
            f"the result in."
        )


def _check_roles(xp: ModuleType, *, mask: Any = None, bias: Any = None) -> None:
    if mask is not None and not xp.isdtype(mask.dtype, "bool"):
        raise TypeError(
            f"mask has dtype {mask.dtype}, but needs bool (True = may look); for numbers to add "
            f"to the scores use bias=, for zeros and ones use mask != 0."
        )
    if bias is not None and xp.isdtype(bias.dtype, "bool"):
        raise TypeError(
            "bias has dtype bool, but is added to the scores; "
            "to say who may look at whom use mask=."
        )
    if bias is not None:
        check_floating("bias", bias)
