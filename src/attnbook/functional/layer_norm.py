"""Give every vector mean 0 and variance 1."""

from attnbook.functional._norms import check_norm
from attnbook.functional._numbers import check_positive
from attnbook.functional._precision import at_least_float32
from attnbook.typing import Array, Float

__all__ = ["layer_norm"]


def layer_norm(
    x: Float[Array, "... d_model"],
    gain: Float[Array, "d_model"] | None = None,
    bias: Float[Array, "d_model"] | None = None,
    *,
    eps: float = 1e-05,
) -> Float[Array, "... d_model"]:
    r"""Shift and stretch every vector to mean 0 and variance 1, then apply what was learned.

    Parameters
    ----------
    x : array (..., d_model)
        The vectors, each normalized by itself.
    gain : array (d_model), optional
        Learned factor of each component, by default 1.
    bias : array (d_model), optional
        Learned number added to each component, by default 0.
    eps : float, default 1e-05
        Number above 0 added to the variance: a vector of equal components becomes 0, not NaN.

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
        If `gain` or `bias` has not one number for each component, or `eps` is not above 0.

    See Also
    --------
    attnbook.rms_norm : Leaves the mean where it is.

    Notes
    -----
    For a vector :math:`x` of width :math:`n`, with gain :math:`g` and bias :math:`b` [1]_,

    .. math::

        y = g \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + b, \qquad
        \mu = \frac{1}{n} \sum_i x_i, \quad \sigma^2 = \frac{1}{n} \sum_i (x_i - \mu)^2 .

    The mean is subtracted before squaring, since the difference of the means
    :math:`\overline{x^2} - \mu^2` loses all digits where the mean is large. The paper has no
    :math:`\epsilon`. Vectors of 16 bits are computed in float32.

    References
    ----------
    .. [1] Ba, Kiros and Hinton, "Layer Normalization", 2016, arXiv:1607.06450, section 3.

    Examples
    --------
    >>> import numpy as np
    >>> from attnbook import layer_norm
    >>> layer_norm(np.array([[2.0, 4.0, 2.0, 4.0], [7.0, 7.0, 7.0, 7.0]])).round(3)
    array([[-1.,  1., -1.,  1.],
           [ 0.,  0.,  0.,  0.]])
    """
    xp = check_norm(x, gain=gain, bias=bias)
    eps = check_positive("eps", eps)
    if x.shape[-1] == 0:
        return x
    wide = at_least_float32(x)
    centred = wide - xp.mean(wide, axis=-1, keepdims=True)
    variance = xp.mean(centred * centred, axis=-1, keepdims=True)
    y = centred / xp.sqrt(variance + eps)
    if gain is not None:
        y = y * xp.astype(gain, y.dtype, copy=False)
    if bias is not None:
        y = y + xp.astype(bias, y.dtype, copy=False)
    return xp.astype(y, x.dtype, copy=False)
