"""Turn scores into weights that sum to one."""

import math

from attnbook.functional._checks import check_floating
from attnbook.functional._numbers import check_axis
from attnbook.functional._precision import at_least_float32
from attnbook.typing import Array, Float

__all__ = ["softmax"]


def softmax(scores: Float[Array, "..."], *, axis: int = -1) -> Float[Array, "..."]:
    r"""Turn scores into positive weights that sum to one along an axis.

    Parameters
    ----------
    scores : array (...)
        Real floating-point scores. ``-inf`` stands for a score that must get no weight.
    axis : int, default -1
        The axis along which the weights sum to one. For attention that is the key axis, the last.

    Returns
    -------
    array (...)
        Weights of the shape, dtype, library and device of `scores`. A row whose scores are all
        ``-inf`` gets weights 0, and so does its gradient; a row of length 0 stays empty.

    Raises
    ------
    TypeError
        If `scores` is not an array of a real floating dtype, or `axis` is not an integer.
    ValueError
        If `scores` has no such axis.

    See Also
    --------
    attnbook.attention_weights : The softmax of scaled, biased and masked dot products.

    Notes
    -----
    For a row :math:`x` of scores,

    .. math::

        \operatorname{softmax}(x)_j = \frac{e^{x_j}}{\sum_s e^{x_s}}
                                    = \frac{e^{x_j - m}}{\sum_s e^{x_s - m}},
        \qquad m = \max_s x_s .

    The second form is the one computed [1]_: no exponent is positive, so nothing overflows, and
    the largest term is 1, so the sum never vanishes. Scores of 16 bits are computed in float32 and
    the weights returned in the dtype of the scores.

    References
    ----------
    .. [1] Goodfellow, Bengio and Courville, *Deep Learning*, MIT Press, 2016,
       section 4.1, "Overflow and Underflow".

    Examples
    --------
    Scores whose exponentials are 1, 2 and 5 get weights in those proportions:

    >>> import numpy as np
    >>> from attnbook import softmax
    >>> softmax(np.log([1.0, 2.0, 5.0])).round(3)
    array([0.125, 0.25 , 0.625])

    Only differences count, however large the scores are:

    >>> softmax(np.array([1000.0, 1000.0]))
    array([0.5, 0.5])
    """
    xp = check_floating("scores", scores)
    axis = check_axis(axis, scores)
    if scores.shape[axis] == 0:
        return scores
    wide = at_least_float32(scores)
    largest = xp.max(wide, axis=axis, keepdims=True)
    # in a row of -inf only, -inf - (-inf) would be NaN
    shift = xp.where(largest == -math.inf, 0.0, largest)
    powers = xp.exp(wide - shift)
    total = xp.sum(powers, axis=axis, keepdims=True)
    # that row's total is 0, and 0 / 0 would be NaN too
    weights = powers / xp.where(total == 0.0, 1.0, total)
    return xp.astype(weights, scores.dtype, copy=False)
