"""Say who may look at whom: boolean masks, True = may look, composed with ``&``."""

from array_api_compat import device

from attnbook.functional._checks import check_integers
from attnbook.functional._numbers import check_size
from attnbook.functional._positions import positions
from attnbook.typing import Array, Bool, Integer

__all__ = ["causal_mask", "padding_mask", "sliding_window_mask"]


def causal_mask(
    n_query: int,
    n_key: int | None = None,
    *,
    offset: int | None = None,
    like: Array | None = None,
) -> Bool[Array, "n_query n_key"]:
    r"""Let each query look at its own position and the ones before it.

    Parameters
    ----------
    n_query : int
        Number of queries, L.
    n_key : int, optional
        Number of keys, S. By default as many as there are queries.
    offset : int, optional
        How many keys stand before the first query's own. By default ``n_key - n_query``: the
        last query looks at every key.
    like : array, optional
        An array whose library and device the mask takes. By default the mask is a NumPy array.

    Returns
    -------
    array (n_query, n_key)
        Bools: True where query i may look at key j.

    Raises
    ------
    TypeError
        If a size or `offset` is not an integer, or `like` is not an array.
    ValueError
        If a size is negative.

    See Also
    --------
    attnbook.sliding_window_mask : Hide what is far away.
    attnbook.padding_mask : Hide what stands beyond the end of each sequence.
    attnbook.scaled_dot_product_attention : Takes the mask.

    Notes
    -----
    Query :math:`i` may look at key :math:`j` where :math:`j \le i + \text{offset}`. Without it a
    decoder would see the words it is to predict [1]_.

    With fewer queries than keys the default aligns the last query with the last key, because one
    step of decoding must equal the last row of the whole. PyTorch's ``is_causal`` and ONNX without
    a cache align the first query with the first key: that is ``offset=0``. With more queries than
    keys the default leaves the first queries nothing to look at; attention gives them output 0.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, arXiv:1706.03762, section 3.2.3.

    Examples
    --------
    >>> from attnbook import causal_mask
    >>> causal_mask(3).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])

    Two queries at the end of four keys:

    >>> causal_mask(2, 4).astype(int)
    array([[1, 1, 1, 0],
           [1, 1, 1, 1]])
    """
    query_position, key_position = positions(n_query, n_key, offset, like)
    return key_position <= query_position


def sliding_window_mask(
    n_query: int,
    n_key: int | None = None,
    *,
    window: int,
    offset: int | None = None,
    like: Array | None = None,
) -> Bool[Array, "n_query n_key"]:
    r"""Let each query look at the keys near its own position, on both sides.

    Parameters
    ----------
    n_query : int
        Number of queries, L.
    n_key : int, optional
        Number of keys, S. By default as many as there are queries.
    window : int
        The distance that is too far: 1 leaves each query its own position, 0 leaves it nothing.
    offset : int, optional
        How many keys stand before the first query's own. By default ``n_key - n_query``: the
        last query stands at the last key.
    like : array, optional
        An array whose library and device the mask takes. By default the mask is a NumPy array.

    Returns
    -------
    array (n_query, n_key)
        Bools: True where query i may look at key j.

    Raises
    ------
    TypeError
        If a size, `window` or `offset` is not an integer, or `like` is not an array.
    ValueError
        If a size or `window` is negative.

    See Also
    --------
    attnbook.causal_mask : Hide the future; combine the two with ``&``.
    attnbook.padding_mask : Hide what stands beyond the end of each sequence.
    attnbook.scaled_dot_product_attention : Takes the mask.

    Notes
    -----
    Query :math:`i` may look at key :math:`j` where :math:`|i + \text{offset} - j| < \text{window}`.
    Away from the ends that is :math:`2 \cdot \text{window} - 1` keys; together with `causal_mask`
    it is the last `window` keys, the query's own among them.

    Papers count differently: a window of [1]_ is the number of keys on both sides of the query,
    one of [2]_ the number of keys that a causal model looks back.

    References
    ----------
    .. [1] Beltagy, Peters and Cohan, "Longformer: The Long-Document Transformer", 2020,
       arXiv:2004.05150, section 3.1.
    .. [2] Jiang et al., "Mistral 7B", 2023, arXiv:2310.06825, section 2.

    Examples
    --------
    >>> from attnbook import sliding_window_mask
    >>> sliding_window_mask(4, window=2).astype(int)
    array([[1, 1, 0, 0],
           [1, 1, 1, 0],
           [0, 1, 1, 1],
           [0, 0, 1, 1]])

    Of these, only what is already there:

    >>> from attnbook import causal_mask
    >>> (sliding_window_mask(4, window=2) & causal_mask(4)).astype(int)
    array([[1, 0, 0, 0],
           [1, 1, 0, 0],
           [0, 1, 1, 0],
           [0, 0, 1, 1]])
    """
    window = check_size("window", window)
    query_position, key_position = positions(n_query, n_key, offset, like)
    return abs(query_position - key_position) < window


def padding_mask(lengths: Integer[Array, "..."], n_key: int) -> Bool[Array, "... 1 n_key"]:
    r"""Hide the keys beyond the end of each sequence.

    Parameters
    ----------
    lengths : array (...)
        Integers: how many keys of each sequence are real. A length of 0 or less hides every key,
        one of `n_key` or more hides none.
    n_key : int
        Number of keys, S, the real ones and the padding together.

    Returns
    -------
    array (..., 1, n_key)
        Bools, in the library and on the device of `lengths`: True where the key is real. The axis
        of length 1 stands for the queries, who all see the same keys.

    Raises
    ------
    TypeError
        If `lengths` is not an array of integers, or `n_key` is not an integer.
    ValueError
        If `n_key` is negative.

    See Also
    --------
    attnbook.causal_mask : Hide the future; combine the two with ``&``.
    attnbook.scaled_dot_product_attention : Takes the mask.

    Notes
    -----
    Every query may look at key :math:`j` where :math:`j < \text{length}`.

    For scores (B, L, S) give lengths (B,). For scores (B, H, L, S) give them an axis for the heads,
    ``padding_mask(lengths[:, None], n_key)``, and the mask is (B, 1, 1, S).

    Examples
    --------
    >>> import numpy as np
    >>> from attnbook import padding_mask
    >>> padding_mask(np.array([3, 1]), 4).astype(int)
    array([[[1, 1, 1, 0]],
    <BLANKLINE>
           [[1, 0, 0, 0]]])
    """
    xp = check_integers("lengths", lengths)
    n_key = check_size("n_key", n_key)
    key_position = xp.arange(n_key, device=device(lengths))
    lengths = xp.astype(lengths, key_position.dtype, copy=False)
    return key_position < lengths[..., None, None]
