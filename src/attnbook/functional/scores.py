"""The two halves of attention weights: scores, and the softmax of what may be seen of them.

They are separate so that other steps can stand between them.
"""

import math

from attnbook.functional._checks import check_attention, check_scores
from attnbook.functional._numbers import check_scale
from attnbook.functional._precision import at_least_float32
from attnbook.functional.softmax import softmax
from attnbook.typing import Array, Bool, Float

__all__ = ["attention_scores", "masked_softmax"]


def attention_scores(
    query: Float[Array, "... L D"],
    key: Float[Array, "... S D"],
    *,
    scale: float | None = None,
) -> Float[Array, "... L S"]:
    r"""Score every key for every query, by their scaled dot product.

    Parameters
    ----------
    query : array (..., L, D)
        What each of L positions looks for. Heads and batches are leading axes.
    key : array (..., S, D)
        What each of S positions can be found by. Its leading axes broadcast with those of `query`.
    scale : float, optional
        Factor of every dot product, by default :math:`1/\sqrt{D}`. 0 means 0: all keys alike.

    Returns
    -------
    array (..., L, S)
        Scores of any sign and size, of the dtype, library and device of `query`.

    Raises
    ------
    TypeError
        If the arrays come from two libraries, or have two dtypes or one that is not real and
        floating, or `scale` is no real number.
    ValueError
        If the shapes do not fit.

    See Also
    --------
    attnbook.masked_softmax : Turns the scores into weights.
    attnbook.softcap : Bounds the scores, in between.
    attnbook.attention_weights : Both halves in one call.

    Notes
    -----
    With the query scaled before the product, so that float16 does not overflow [1]_, the scores are
    :math:`Q K^\top \cdot \text{scale}`.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, arXiv:1706.03762, section 3.2.1.

    Examples
    --------
    Dot products 8 and 2, divided by the root of 4:

    >>> import numpy as np
    >>> from attnbook import attention_scores
    >>> query = np.array([[2.0, 2.0, 2.0, 2.0]])
    >>> key = np.array([[1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 0.0]])
    >>> attention_scores(query, key)
    array([[4., 1.]])
    """
    xp = check_attention(query, key)
    scale = check_scale(scale, width=query.shape[-1])
    # scaled before the product, which would overflow float16 otherwise
    return xp.matmul(query * scale, xp.matrix_transpose(key))


def masked_softmax(
    scores: Float[Array, "... L S"],
    *,
    mask: Bool[Array, "..."] | None = None,
    bias: Float[Array, "..."] | None = None,
) -> Float[Array, "... L S"]:
    r"""Turn the scores of the keys that a mask leaves into weights that sum to one.

    Parameters
    ----------
    scores : array (..., L, S)
        The score of each of S keys for each of L queries.
    mask : array (...), optional
        Bools that broadcast to (..., L, S): True = this query may look at this key. A mask with
        axes of its own in front of (L, S) has as many axes as the scores, 1 where it is shared.
    bias : array (...), optional
        Numbers that broadcast likewise and are added to the scores, cast to their dtype.

    Returns
    -------
    array (..., L, S)
        Weights that sum to one over the keys, of the dtype, library and device of `scores`. A query
        that may look at no key gets weights 0.

    Raises
    ------
    TypeError
        If the arrays come from more than one library, or `scores` is not real and floating, or
        `mask` is not bool, or `bias` no real number.
    ValueError
        If `scores` has fewer than two axes, `mask` or `bias` does not fit them, or one of its axes
        could mean several things.

    See Also
    --------
    attnbook.attention_scores : Makes the scores.
    attnbook.attention_weights : Both halves in one call.
    attnbook.softmax : Without mask and bias, along any axis.

    Notes
    -----
    The weights are :math:`\operatorname{softmax}(\text{scores} + \text{bias})`, where the scores
    that `mask` hides are replaced by :math:`-\infty` [1]_. Scores of 16 bits are cast to float32
    first, and the weights cast back.

    A hidden score may be NaN: no weight and no gradient of a score is. Where it came from a NaN in
    a key, gradients that go on to the queries are; `attention_weights` silences such keys before
    the product.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, arXiv:1706.03762, section 3.2.3.

    Examples
    --------
    >>> import numpy as np
    >>> from attnbook import masked_softmax
    >>> scores = np.log([[1.0, 3.0, 6.0]])
    >>> masked_softmax(scores).round(3)
    array([[0.1, 0.3, 0.6]])
    >>> masked_softmax(scores, mask=np.array([True, True, False])).round(3)
    array([[0.25, 0.75, 0.  ]])
    """
    xp = check_scores(scores, mask=mask, bias=bias)
    wide = at_least_float32(scores)
    if bias is not None:
        wide = wide + xp.astype(bias, wide.dtype, copy=False)
    if mask is not None:
        wide = xp.where(mask, wide, -math.inf)
    return xp.astype(softmax(wide), scores.dtype, copy=False)
