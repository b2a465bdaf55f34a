"""Let several query heads share one head of keys and values."""

from attnbook.functional._checks import check_array
from attnbook.functional._numbers import check_size
from attnbook.typing import Array, Float

__all__ = ["repeat_kv_heads"]


def repeat_kv_heads(x: Float[Array, "... G S D"], n_heads: int) -> Float[Array, "... H S D"]:
    r"""Repeat every key or value head for each of the query heads that share it.

    Parameters
    ----------
    x : array (..., G, S, D)
        Keys or values of G heads.
    n_heads : int
        Number of query heads, H. It is a multiple of G.

    Returns
    -------
    array (..., H, S, D)
        Head h is head h // (H / G) of `x`: each one H / G times, next to each other.

    Raises
    ------
    TypeError
        If `x` is not an array, or `n_heads` is not an integer.
    ValueError
        If `x` has fewer than three axes, or `n_heads` is no multiple of its heads.

    See Also
    --------
    attnbook.scaled_dot_product_attention : Takes as many key and value heads as query heads, or 1.
    attnbook.split_heads : Makes the axis of the heads.

    Notes
    -----
    This is grouped-query attention [1]_; with G = 1, where broadcasting does the same, it is
    multi-query attention [2]_. The order is that of repeating, not of tiling: with 4 query heads
    on 2, heads 0 and 1 share head 0. Models are trained with one order and are wrong with the
    other, in silence.

    References
    ----------
    .. [1] Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models from
       Multi-Head Checkpoints", 2023, arXiv:2305.13245, section 2.2.
    .. [2] Shazeer, "Fast Transformer Decoding: One Write-Head is All You Need", 2019,
       arXiv:1911.02150, section 3.

    Examples
    --------
    >>> import numpy as np
    >>> from attnbook import repeat_kv_heads
    >>> key = np.array([[[1.0]], [[2.0]]])
    >>> repeat_kv_heads(key, 4)[:, 0, 0]
    array([1., 1., 2., 2.])
    """
    xp = check_array("x", x)
    n_heads = check_size("n_heads", n_heads)
    if x.ndim < 3:
        raise ValueError(
            f"x has shape {tuple(x.shape)}, but needs at least three axes, heads, positions and "
            f"width; a single head is x[None, ...]."
        )
    *leading, n_kv_heads, length, width = x.shape
    if n_heads % n_kv_heads if n_kv_heads else n_heads:
        raise ValueError(f"{n_heads} query heads cannot share {n_kv_heads} key/value heads evenly.")
    n_sharing = n_heads // max(n_kv_heads, 1)
    # not repeat, which the standard has only since 2023
    copies = xp.broadcast_to(
        x[..., :, None, :, :], (*leading, n_kv_heads, n_sharing, length, width)
    )
    return xp.reshape(copies, (*leading, n_heads, length, width))
