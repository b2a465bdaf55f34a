"""Scaled dot-product attention: scores, weights, weighted sum."""

from attnbook.functional._checks import check_attention
from attnbook.functional._visibility import looking_queries, seen_keys
from attnbook.functional.scores import attention_scores, masked_softmax
from attnbook.typing import Array, Bool, Float

__all__ = ["attention_weights", "scaled_dot_product_attention"]


def attention_weights(
    query: Float[Array, "... L D"],
    key: Float[Array, "... S D"],
    *,
    mask: Bool[Array, "..."] | None = None,
    bias: Float[Array, "..."] | None = None,
    scale: float | None = None,
) -> Float[Array, "... L S"]:
    r"""Weigh every key for every query, by the softmax of their scaled dot products.

    Parameters
    ----------
    query : array (..., L, D)
        What each of L positions looks for. Heads and batches are leading axes.
    key : array (..., S, D)
        What each of S positions can be found by. Its leading axes broadcast with those of `query`.
    mask : array (...), optional
        Bools that broadcast to (..., L, S): True = this query may look at this key. A mask with
        axes of its own in front of (L, S) has as many axes as the scores, 1 where it is shared.
    bias : array (...), optional
        Numbers that broadcast likewise and are added to the scaled scores, cast to their dtype.
    scale : float, optional
        Factor of every dot product, by default :math:`1/\sqrt{D}`. 0 means 0: all keys alike.

    Returns
    -------
    array (..., L, S)
        Weights that sum to one over the keys, of the dtype, library and device of `query`. A query
        that may look at no key gets weights 0.

    Raises
    ------
    TypeError
        If the arrays come from more than one library, or `query` and `key` have two dtypes or one
        that is not real and floating, or `mask` is not bool, or `bias` or `scale` no real number.
    ValueError
        If the shapes do not fit, or an axis of `mask` or `bias` could mean several things.

    See Also
    --------
    attnbook.scaled_dot_product_attention : Sums the values by these weights.
    attnbook.attention_scores : The first half, alone.
    attnbook.masked_softmax : The second half, alone.
    attnbook.causal_mask : Hides the future.
    attnbook.padding_mask : Hides what stands beyond the end of a sequence.

    Notes
    -----
    With the query scaled before the product, so that float16 does not overflow [1]_,

    .. math::

        W = \operatorname{softmax}(Q K^\top \cdot \text{scale} + \text{bias}),

    where the scores that `mask` hides are replaced by :math:`-\infty` before the softmax. Inputs
    of 16 bits have their scores cast to float32 first, and the weights cast back.

    A key that no query may look at, and a query that may look at no key, take no part: not even
    NaN or infinity in them reaches a weight or a gradient. A key that some query may look at must
    be finite; a NaN in it spoils the gradients of the queries it is hidden from as well.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, arXiv:1706.03762, section 3.2.1.

    Examples
    --------
    A query that scores log 3 with the first key and 0 with the second weighs them 3 to 1:

    >>> import numpy as np
    >>> from attnbook import attention_weights
    >>> query = np.array([[np.log(3.0)]])
    >>> key = np.array([[1.0], [0.0]])
    >>> attention_weights(query, key)
    array([[0.75, 0.25]])

    The first key hidden:

    >>> attention_weights(query, key, mask=np.array([False, True]))
    array([[0., 1.]])
    """
    xp = check_attention(query, key, mask=mask, bias=bias)
    if mask is not None:
        # 0 * NaN is NaN: what takes no part must not reach the product
        query = xp.where(looking_queries(mask), query, 0.0)
        key = xp.where(seen_keys(mask), key, 0.0)
    scores = attention_scores(query, key, scale=scale)
    return masked_softmax(scores, mask=mask, bias=bias)


def scaled_dot_product_attention(
    query: Float[Array, "... L D"],
    key: Float[Array, "... S D"],
    value: Float[Array, "... S Dv"],
    *,
    mask: Bool[Array, "..."] | None = None,
    bias: Float[Array, "..."] | None = None,
    scale: float | None = None,
) -> Float[Array, "... L Dv"]:
    r"""Give every query the sum of the values, weighted by how well their keys match it.

    Parameters
    ----------
    query : array (..., L, D)
        What each of L positions looks for. Heads and batches are leading axes.
    key : array (..., S, D)
        What each of S positions can be found by. Its leading axes broadcast with those of `query`.
    value : array (..., S, Dv)
        What each of the S positions carries. Its leading axes broadcast with those of the weights.
    mask : array (...), optional
        Bools that broadcast to (..., L, S): True = this query may look at this key. A mask with
        axes of its own in front of (L, S) has as many axes as the scores, 1 where it is shared.
    bias : array (...), optional
        Numbers that broadcast likewise and are added to the scaled scores, cast to their dtype.
    scale : float, optional
        Factor of every dot product, by default :math:`1/\sqrt{D}`. 0 means 0: all keys alike.

    Returns
    -------
    array (..., L, Dv)
        One weighted sum for each query, of the dtype, library and device of `query`. A query that
        may look at no key gets 0, and so do all queries when there is no key.

    Raises
    ------
    TypeError
        If the arrays come from more than one library, or `query`, `key` and `value` have more than
        one dtype or one that is not real and floating, or `mask` is not bool, or `bias` or `scale`
        no real number.
    ValueError
        If the shapes do not fit, or an axis of `mask` or `bias` could mean several things.

    See Also
    --------
    attnbook.attention_weights : The weights alone, with the rules of masks and biases.
    attnbook.causal_mask : Hides the future.
    attnbook.padding_mask : Hides what stands beyond the end of a sequence.

    Notes
    -----
    The formula of [1]_, with a mask and a bias where given,

    .. math::

        \operatorname{Attention}(Q, K, V) = \operatorname{softmax}\left(
            \frac{Q K^\top}{\sqrt{D}}\right) V .

    A position that no query may look at cannot leak: not even NaN or infinity in its key or value
    reaches the result or a gradient. A position that some query may look at must be finite, because
    a weight of 0 times NaN is NaN for the other queries too.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, arXiv:1706.03762, section 3.2.1.

    Examples
    --------
    Weights 0.75 and 0.25 on the values 10 and 20:

    >>> import numpy as np
    >>> from attnbook import scaled_dot_product_attention
    >>> query = np.array([[np.log(3.0)]])
    >>> key = np.array([[1.0], [0.0]])
    >>> value = np.array([[10.0], [20.0]])
    >>> scaled_dot_product_attention(query, key, value)
    array([[12.5]])
    """
    xp = check_attention(query, key, value, mask=mask, bias=bias)
    weights = attention_weights(query, key, mask=mask, bias=bias, scale=scale)
    if mask is not None:
        # 0 * NaN is NaN: a value that no query may look at must not reach the sum
        value = xp.where(seen_keys(mask), value, 0.0)
    return xp.matmul(weights, value)
