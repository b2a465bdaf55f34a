"""Keep the keys and values of what was read, so that decoding reads each position once."""

from typing import Any, NamedTuple

from attnbook.functional._checks import check_one_dtype, check_one_library
from attnbook.typing import Array, Float

__all__ = ["KVCache", "append_kv"]


class KVCache(NamedTuple):
    r"""The keys and values of all positions so far.

    Attributes
    ----------
    key : array (..., S, D)
        One key for each of S positions, with heads and batches as leading axes.
    value : array (..., S, Dv)
        One value for each of them.

    See Also
    --------
    attnbook.append_kv : Adds positions.

    Notes
    -----
    A decoder keeps them because they never change: no position looks at later ones [1]_. With
    rotary embeddings the keys are kept as they are after the rotation. A cache of no positions is
    made of arrays with S = 0.

    References
    ----------
    .. [1] Shazeer, "Fast Transformer Decoding: One Write-Head is All You Need", 2019,
       arXiv:1911.02150, section 2.4.

    Examples
    --------
    >>> import numpy as np
    >>> from attnbook import KVCache
    >>> cache = KVCache(key=np.zeros((2, 0, 8)), value=np.zeros((2, 0, 8)))
    >>> cache.key.shape[-2]
    0
    """

    key: Float[Array, "... S D"]
    value: Float[Array, "... S Dv"]


def append_kv(
    cache: KVCache, key: Float[Array, "... L D"], value: Float[Array, "... L Dv"]
) -> KVCache:
    r"""Add the keys and values of new positions behind those of the old ones.

    Parameters
    ----------
    cache : KVCache
        The positions so far. It is not written to.
    key : array (..., L, D)
        The keys of L new positions.
    value : array (..., L, Dv)
        Their values.

    Returns
    -------
    KVCache
        New arrays of S + L positions, the old ones first.

    Raises
    ------
    TypeError
        If `cache` is no `KVCache`, or the arrays come from more than one library or have more than
        one dtype or one that is not real and floating.
    ValueError
        If the arrays differ in anything but their number of positions, or a key lacks a value.

    See Also
    --------
    attnbook.KVCache : What is kept.
    attnbook.causal_mask : Lets the new queries look at all that came before them.

    Notes
    -----
    A decoder that reads one position more needs the keys and values of all positions, but computes
    only the new ones [1]_. The queries are the new positions, the last of all, which is how
    ``causal_mask(n_new, n_all)`` aligns them.

    A fresh array for each step costs a copy of the whole cache. Fast decoders write into memory
    set aside once; the results are the same, and a function that writes nowhere can be
    differentiated, compiled and tested.

    References
    ----------
    .. [1] Shazeer, "Fast Transformer Decoding: One Write-Head is All You Need", 2019,
       arXiv:1911.02150, section 2.4.

    Examples
    --------
    >>> import numpy as np
    >>> from attnbook import KVCache
    >>> from attnbook import append_kv
    >>> cache = KVCache(key=np.array([[1.0], [2.0]]), value=np.array([[10.0], [20.0]]))
    >>> append_kv(cache, np.array([[3.0]]), np.array([[30.0]])).value
    array([[10.],
           [20.],
           [30.]])
    """
    if not isinstance(cache, KVCache):
        raise TypeError(
            f"cache is a {type(cache).__name__}; make it one first: KVCache(key, value)."
        )
    arrays = {"cache.key": cache.key, "cache.value": cache.value, "key": key, "value": value}
    xp = check_one_library(arrays)
    check_one_dtype(arrays)
    _check_positions({name: tuple(array.shape) for name, array in arrays.items()})
    return KVCache(
        key=xp.concat((cache.key, key), axis=-2),
        value=xp.concat((cache.value, value), axis=-2),
    )


def _check_positions(shapes: dict[str, tuple[int, ...]]) -> None:
    if min(map(len, shapes.values())) < 2:
        raise ValueError(
            f"keys and values need at least two axes, positions and width ({_list(shapes)})."
        )
    for name in ("key", "value"):
        old, new = shapes[f"cache.{name}"], shapes[name]
        if (old[:-2], old[-1]) != (new[:-2], new[-1]):
            raise ValueError(
                f"cache.{name} has shape {old} and {name} {new}; only their number of positions, "
                f"axis -2, may differ."
            )
    for prefix in ("cache.", ""):
        if shapes[f"{prefix}key"][:-1] != shapes[f"{prefix}value"][:-1]:
            raise ValueError(
                f"{prefix}key and {prefix}value differ in more than their width "
                f"({_list(shapes)}); every key needs a value of its own."
            )


def _list(shapes: dict[str, Any]) -> str:
    return ", ".join(f"{name} {shape}" for name, shape in shapes.items())
