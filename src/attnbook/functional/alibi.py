"""Tell heads how far away a key is, by a bias that grows with the distance."""

from array_api_compat import array_namespace

from attnbook.functional._checks import check_like
from attnbook.functional._numbers import check_size
from attnbook.functional._positions import positions
from attnbook.typing import Array, Float

__all__ = ["alibi_bias", "alibi_slopes"]


def alibi_slopes(n_heads: int, *, like: Array | None = None) -> Float[Array, "n_heads"]:
    r"""Give each head the slope at which distance costs it.

    Parameters
    ----------
    n_heads : int
        Number of heads, H.
    like : array, optional
        An array whose library and device the slopes take. By default they are a NumPy array.

    Returns
    -------
    array (n_heads)
        Positive numbers of the library's default floating dtype.

    Raises
    ------
    TypeError
        If `n_heads` is not an integer, or `like` is not an array.
    ValueError
        If `n_heads` is negative.

    See Also
    --------
    attnbook.alibi_bias : Multiplies them by distances.

    Notes
    -----
    For H a power of two the slopes are a geometric sequence that starts at its own ratio [1]_,

    .. math::

        m_h = 2^{-8h/H}, \qquad h = 1, \dots, H .

    For other numbers the paper leaves them to its code: the slopes of the next smaller power of two
    come first, then every other one of twice that power, its first, third, fifth and so on.

    References
    ----------
    .. [1] Press, Smith and Lewis, "Train Short, Test Long: Attention with Linear Biases Enables
       Input Length Extrapolation", 2022, arXiv:2108.12409, section 3.

    Examples
    --------
    >>> from attnbook import alibi_slopes
    >>> alibi_slopes(4)
    array([0.25      , 0.0625    , 0.015625  , 0.00390625])

    Two heads more fill the gaps, from the steep end:

    >>> alibi_slopes(6)[4:]
    array([0.5  , 0.125])
    """
    n_heads = check_size("n_heads", n_heads)
    xp, where = check_like(like)
    # the largest power of two that is not larger
    n = 1 << max(n_heads.bit_length() - 1, 0)
    whole = [2.0 ** (-8 * h / n) for h in range(1, n + 1)]
    between = [2.0 ** (-4 * h / n) for h in range(1, 2 * n, 2)]
    return xp.asarray((whole + between)[:n_heads], device=where)


def alibi_bias(
    n_heads: int,
    n_query: int,
    n_key: int | None = None,
    *,
    offset: int | None = None,
    like: Array | None = None,
) -> Float[Array, "n_heads n_query n_key"]:
    r"""Lower the score of each key by its distance from the query, in each head at its own slope.

    Parameters
    ----------
    n_heads : int
        Number of heads, H.
    n_query : int
        Number of queries, L.
    n_key : int, optional
        Number of keys, S. By default as many as there are queries.
    offset : int, optional
        How many keys stand before the first query's own. By default ``n_key - n_query``: the
        last query stands at the last key.
    like : array, optional
        An array whose library and device the bias takes. By default it is a NumPy array.

    Returns
    -------
    array (n_heads, n_query, n_key)
        Numbers of the library's default floating dtype: 0 at the query's own position, lower the
        farther a key is.

    Raises
    ------
    TypeError
        If a size or `offset` is not an integer, or `like` is not an array.
    ValueError
        If a size is negative.

    See Also
    --------
    attnbook.alibi_slopes : The slopes alone.
    attnbook.causal_mask : Hides the future, to which the paper gives no bias.
    attnbook.scaled_dot_product_attention : Takes the bias.

    Notes
    -----
    To the scaled score of query :math:`i` and key :math:`j` head :math:`h` adds

    .. math::

        -m_h \, |i + \text{offset} - j|,

    where :math:`m_h` is its slope. That takes the place of position embeddings, and lets a model
    read longer sequences than it was trained on [1]_. The paper's models are causal: give attention
    the `causal_mask` as well. Without it, keys on both sides of the query count alike.

    For scores (B, H, L, S) write the axis of the batch out: ``alibi_bias(n_heads, n_query)[None]``.

    References
    ----------
    .. [1] Press, Smith and Lewis, "Train Short, Test Long: Attention with Linear Biases Enables
       Input Length Extrapolation", 2022, arXiv:2108.12409, section 3.

    Examples
    --------
    Of two heads, the first has the slope 1/16:

    >>> from attnbook import alibi_bias
    >>> alibi_bias(2, 3)[0]
    array([[ 0.    , -0.0625, -0.125 ],
           [-0.0625,  0.    , -0.0625],
           [-0.125 , -0.0625,  0.    ]])

    With all scores equal, the first of eight heads, of slope 1/2, looks mostly at what is near:

    >>> import numpy as np
    >>> from attnbook import attention_weights
    >>> query, key = np.zeros((8, 1, 1)), np.zeros((8, 3, 1))
    >>> attention_weights(query, key, bias=alibi_bias(8, 1, 3))[0].round(3)
    array([[0.186, 0.307, 0.506]])
    """
    slopes = alibi_slopes(n_heads, like=like)
    query_position, key_position = positions(n_query, n_key, offset, like)
    xp = array_namespace(slopes)
    # negated as integers, whose zero has no sign
    closeness = xp.astype(-abs(query_position - key_position), slopes.dtype)
    return slopes[:, None, None] * closeness
