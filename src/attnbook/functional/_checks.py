"""Refuse an argument that is not what its name says, in a sentence that says what to do."""

from types import ModuleType
from typing import Any

import array_api_compat.numpy
from array_api_compat import array_namespace, device

from attnbook.functional._shapes import Shape, check_fit, check_shapes


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


def check_like(like: Any) -> tuple[ModuleType, Any]:
    """Return the library and device for a new array: those of another, or else NumPy's."""
    if like is None:
        return array_api_compat.numpy, None
    return check_array("like", like), device(like)


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


def check_attention(
    query: Any, key: Any, value: Any = None, *, mask: Any = None, bias: Any = None
) -> ModuleType:
    """Return the library that all arguments share; refuse what does not fit together."""
    extras = _given(mask, bias)
    if _plainly_fit(query, key, value, *extras.values()):
        xp = check_floating("query", query)
        scores_shape = (*query.shape[:-1], key.shape[-2])
    else:
        inputs = {"query": query, "key": key} | ({} if value is None else {"value": value})
        xp = check_one_library(inputs | extras)
        check_one_dtype(inputs)
        scores_shape = check_shapes({name: tuple(array.shape) for name, array in inputs.items()})
    _check_extras(xp, extras, scores_shape)
    return xp


def check_scores(scores: Any, *, mask: Any = None, bias: Any = None) -> ModuleType:
    """Return the library of scores, mask and bias; refuse what does not fit together."""
    xp, extras = check_floating("scores", scores), _given(mask, bias)
    if extras:
        check_one_library({"scores": scores} | extras)
    shape = tuple(scores.shape)
    if len(shape) < 2:
        raise ValueError(f"scores has shape {shape}, but needs two axes, queries and keys.")
    _check_extras(xp, extras, shape)
    return xp


def check_one_library(arrays: dict[str, Any]) -> ModuleType:
    """Return the library that all arrays come from; refuse a mix."""
    # one class is one library, and this runs at every call
    if len(set(map(type, arrays.values()))) == 1:
        return check_array(*next(iter(arrays.items())))
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
    return next(iter(libraries.values()))


def check_one_dtype(arrays: dict[str, Any]) -> None:
    """Refuse a mix of dtypes, and dtypes that are not real and floating."""
    check_floating(*next(iter(arrays.items())))
    if len({array.dtype for array in arrays.values()}) > 1:
        for name, array in arrays.items():
            check_floating(name, array)
        dtypes = ", ".join(f"{name} {array.dtype}" for name, array in arrays.items())
        raise TypeError(
            f"the inputs have more than one dtype ({dtypes}); convert them to the one you want "
            f"the result in."
        )


def _plainly_fit(query: Any, key: Any, value: Any, *extras: Any) -> bool:
    """Tell that inputs of one class, one dtype and equal leading axes fit.

    The checks with sentences would find nothing, at three times the cost, and they run at every
    step of attention.
    """
    arrays = (query, key, *extras) if value is None else (query, key, value, *extras)
    if len(set(map(type, arrays))) > 1 or not hasattr(query, "shape"):
        return False
    queries, keys = query.shape, key.shape
    if not len(queries) == len(keys) >= 2 or queries[:-2] != keys[:-2] or queries[-1] != keys[-1]:
        return False
    values = keys if value is None else value.shape
    dtype = query.dtype if value is None else value.dtype
    return keys[:-1] == values[:-1] and query.dtype == key.dtype == dtype


def _given(mask: Any, bias: Any) -> dict[str, Any]:
    extras = {} if mask is None else {"mask": mask}
    if bias is not None:
        extras["bias"] = bias
    return extras


def _check_extras(xp: ModuleType, extras: dict[str, Any], scores_shape: Shape) -> None:
    for name, array in extras.items():
        (_check_mask if name == "mask" else _check_bias)(xp, array)
        check_fit(name, tuple(array.shape), scores_shape)


def _check_mask(xp: ModuleType, mask: Any) -> None:
    if not xp.isdtype(mask.dtype, "bool"):
        raise TypeError(
            f"mask has dtype {mask.dtype}, but needs bool (True = may look); for numbers to add "
            f"to the scores use bias=, for zeros and ones use mask != 0."
        )


def _check_bias(xp: ModuleType, bias: Any) -> None:
    if xp.isdtype(bias.dtype, "bool"):
        raise TypeError(
            "bias has dtype bool, but is added to the scores; "
            "to say who may look at whom use mask=."
        )
    check_floating("bias", bias)
