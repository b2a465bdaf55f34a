"""Cut one wide vector into heads, and put the heads side by side again."""

from array_api_compat import array_namespace

from attnbook.functional._checks import check_array
from attnbook.functional._projections import check_heads
from attnbook.typing import Array, Float

__all__ = ["merge_heads", "split_heads"]


def split_heads(x: Float[Array, "... L d_model"], n_heads: int) -> Float[Array, "... H L D"]:
    r"""Cut the width into heads and move the heads in front of the positions.

    Parameters
    ----------
    x : array (..., L, d_model)
        One vector for each of L positions; the width is that of all heads together.
    n_heads : int
        Number of heads, H. It divides the width.

    Returns
    -------
    array (..., H, L, D)
        Head h holds the components h·D to (h + 1)·D of every position, with D = d_model / H.

    Raises
    ------
    TypeError
        If `x` is not an array, or `n_heads` is not an integer.
    ValueError
        If `x` has fewer than two axes, or its width does not divide into `n_heads` equal parts.

    See Also
    --------
    attnbook.merge_heads : Undoes it.
    attnbook.multi_head_attention : Projects, splits, attends, merges and projects again.

    Notes
    -----
    The head is one more leading axis, so every function of attention treats it like a batch. Two
    steps are needed: a reshape alone to (..., H, L, D) has the right shape, but mixes heads and
    positions. The paper writes each head with projections of its own [1]_; cutting the columns of
    one wide projection is the same.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, arXiv:1706.03762, section 3.2.2.

    Examples
    --------
    Two positions of width 4 become two heads of width 2:

    >>> import numpy as np
    >>> from attnbook import split_heads
    >>> x = np.array([[1, 2, 3, 4], [5, 6, 7, 8]], dtype=float)
    >>> split_heads(x, 2)
    array([[[1., 2.],
            [5., 6.]],
    <BLANKLINE>
           [[3., 4.],
            [7., 8.]]])
    """
    xp = check_array("x", x)
    if x.ndim < 2:
        raise ValueError(
            f"x has shape {tuple(x.shape)}, but needs at least two axes, positions and width."
        )
    head_width = check_heads("the width of x, its last axis,", x.shape[-1], n_heads)
    parts = xp.reshape(x, (*x.shape[:-1], n_heads, head_width))
    return _swap(parts)


def merge_heads(x: Float[Array, "... H L D"]) -> Float[Array, "... L d_model"]:
    r"""Put the heads of every position side by side.

    Parameters
    ----------
    x : array (..., H, L, D)
        One vector for each of H heads and L positions.

    Returns
    -------
    array (..., L, d_model)
        For each position the vectors of its heads, one after another: d_model = H·D.

    Raises
    ------
    TypeError
        If `x` is not an array.
    ValueError
        If `x` has fewer than three axes.

    See Also
    --------
    attnbook.split_heads : Undoes it.
    attnbook.multi_head_attention : Projects, splits, attends, merges and projects again.

    Notes
    -----
    This is the concatenation of the heads [1]_. In PyTorch a ``view`` cannot do it without a copy
    first, because the heads of one position do not lie next to each other in memory.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, arXiv:1706.03762, section 3.2.2.

    Examples
    --------
    >>> import numpy as np
    >>> from attnbook import merge_heads
    >>> heads = np.array([[[1, 2], [5, 6]], [[3, 4], [7, 8]]], dtype=float)
    >>> merge_heads(heads)
    array([[1., 2., 3., 4.],
           [5., 6., 7., 8.]])
    """
    xp = check_array("x", x)
    if x.ndim < 3:
        raise ValueError(
            f"x has shape {tuple(x.shape)}, but needs at least three axes, heads, positions and "
            f"width; a single head is x[None, ...]."
        )
    *leading, n_heads, length, head_width = x.shape
    parts = _swap(x)
    return xp.reshape(parts, (*leading, length, n_heads * head_width))


def _swap(x: Float[Array, "... L H D"]) -> Float[Array, "... H L D"]:
    """Exchange the axes of heads and positions."""
    # not moveaxis, for which torch.func.vmap has no rule
    n = x.ndim
    return array_namespace(x).permute_dims(x, (*range(n - 3), n - 2, n - 3, n - 1))
