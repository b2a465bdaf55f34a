"""Give every vector root mean square 1."""

from attnbook.functional._norms import check_norm
from attnbook.functional._numbers import check_positive
from attnbook.functional._precision import at_least_float32
from attnbook.typing import Array, Float

__all__ = ["rms_norm"]


def rms_norm(
    x: Float[Array, "... d_model"],
    gain: Float[Array, "d_model"] | None = None,
    *,
    eps: float = 1e-05,
) -> Float[Array, "... d_model"]:
    r"""Stretch every vector to root mean square 1, then apply what was learned.

    Parameters
    ----------
    x : array (..., d_model)
        The vectors, each normalized by itself.
    gain : array (d_model), optional
        Learned factor of each component, by default 1.
    eps : float, default 1e-05
        Number above 0 added to the mean square: a vector of zeros stays 0 and does not become NaN.

    Returns
    -------
    array (..., d_model)
        Vectors of the dtype, library and device of `x`. Those of width 0 stay empty.

    Raises
    ------
    TypeError
        If the arrays come from more than one library or are not real and floating, or `eps` is no
        real number.
    ValueError
        If `gain` has not one number for each component, or `eps` is not above 0.

    See Also
    --------
    attnbook.layer_norm : Subtracts the mean as well.

    Notes
    -----
    For a vector :math:`x` of width :math:`n`, with gain :math:`g` [1]_,

    .. math::

        y = g \odot \frac{x}{\sqrt{\frac{1}{n} \sum_i x_i^2 + \epsilon}} .

    The paper has no :math:`\epsilon`. Vectors of 16 bits are computed in float32, where the square
    of no float16 overflows.

    References
    ----------
    .. [1] Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019, arXiv:1910.07467,
       section 4.

    Examples
    --------
    The mean square of the first vector is 25:

    >>> import numpy as np
    >>> from attnbook import rms_norm
    >>> rms_norm(np.array([[1.0, 7.0], [0.0, 0.0]])).round(3)
    array([[0.2, 1.4],
           [0. , 0. ]])
    """
    xp = check_norm(x, gain=gain)
    eps = check_positive("eps", eps)
    if x.shape[-1] == 0:
        return x
    wide = at_least_float32(x)
    mean_square = xp.mean(wide * wide, axis=-1, keepdims=True)
    y = wide / xp.sqrt(mean_square + eps)
    if gain is not None:
        y = y * xp.astype(gain, y.dtype, copy=False)
    return xp.astype(y, x.dtype, copy=False)
