"""Bound scores smoothly."""

from attnbook.functional._checks import check_floating
from attnbook.functional._numbers import check_positive
from attnbook.functional._precision import at_least_float32
from attnbook.typing import Array, Float

__all__ = ["softcap"]


def softcap(scores: Float[Array, "..."], cap: float) -> Float[Array, "..."]:
    r"""Bend scores so that none is larger than a cap, and small ones stay as they are.

    Parameters
    ----------
    scores : array (...)
        Real floating-point scores, not masked yet.
    cap : float
        The bound, above 0. Gemma 2 takes 50 in attention.

    Returns
    -------
    array (...)
        Scores between -`cap` and `cap`, in the same order, of the shape, dtype, library and device
        of `scores`.

    Raises
    ------
    TypeError
        If `scores` is not an array of a real floating dtype, or `cap` is no real number.
    ValueError
        If `cap` is not finite and above 0.

    See Also
    --------
    attnbook.attention_scores : Makes the scores.
    attnbook.masked_softmax : Turns them into weights.

    Notes
    -----
    The capped score [1]_ is

    .. math::

        \text{cap} \cdot \tanh\left(\frac{\text{score}}{\text{cap}}\right) .

    It belongs before the mask: the :math:`-\infty` of a hidden key would become -`cap`, a score
    like any other, and the key would be seen again.

    References
    ----------
    .. [1] Gemma Team, "Gemma 2: Improving Open Language Models at a Practical Size", 2024,
       arXiv:2408.00118, section 2.

    Examples
    --------
    >>> import numpy as np
    >>> from attnbook import softcap
    >>> softcap(np.array([-1000.0, 0.0, 1.0, 1000.0]), 50.0).round(3)
    array([-50.,   0.,   1.,  50.])

    Between the two halves of attention:

    >>> from attnbook import attention_scores, masked_softmax
    >>> query, key = np.array([[100.0]]), np.array([[1.0], [0.0], [9.0]])
    >>> scores = softcap(attention_scores(query, key), np.log(3.0))
    >>> masked_softmax(scores, mask=np.array([True, True, False])).round(3)
    array([[0.75, 0.25, 0.  ]])
    """
    xp = check_floating("scores", scores)
    cap = check_positive("cap", cap)
    wide = at_least_float32(scores)
    return xp.astype(cap * xp.tanh(wide / cap), scores.dtype, copy=False)
