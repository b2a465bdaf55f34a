"""Let numbers through by how likely a normal number is to be smaller."""

import math
from collections.abc import Callable

from array_api_compat import array_namespace

from attnbook.functional._checks import check_floating
from attnbook.functional._normal import normal_tail
from attnbook.functional._precision import at_least_float32
from attnbook.typing import Array, Float

__all__ = ["gelu", "gelu_tanh"]

# farther out the gate is exactly 0 or 1 in every precision
_FAR = 40.0


def gelu(x: Float[Array, "..."]) -> Float[Array, "..."]:
    r"""Multiply every number by the probability that a standard normal one is smaller.

    Parameters
    ----------
    x : array (...)
        Real floating-point numbers.

    Returns
    -------
    array (...)
        Numbers of the shape, dtype, library and device of `x`: near 0 far on the left, near `x` far
        on the right.

    Raises
    ------
    TypeError
        If `x` is not an array of a real floating dtype.

    See Also
    --------
    attnbook.gelu_tanh : The approximation that many models were trained with.

    Notes
    -----
    With :math:`\Phi` the distribution function of the standard normal distribution [1]_,

    .. math::

        \operatorname{GELU}(x) = x \, \Phi(x)
            = \frac{x}{2} \left(1 + \operatorname{erf}\frac{x}{\sqrt{2}}\right) .

    The array API has no error function, so :math:`\Phi` is computed here, from its smaller tail,
    with a relative error below :math:`3 \cdot 10^{-15}` in float64 for :math:`|x| \le 8`. Computed
    as it stands, the second form loses digits for negative :math:`x`, where it subtracts nearly
    equal numbers.

    References
    ----------
    .. [1] Hendrycks and Gimpel, "Gaussian Error Linear Units (GELUs)", 2016, arXiv:1606.08415,
       section 2.

    Examples
    --------
    A standard normal number is smaller than 1 with probability 0.841:

    >>> import numpy as np
    >>> from attnbook import gelu
    >>> gelu(np.array([-1.0, 0.0, 1.0, 10.0])).round(3)
    array([-0.159,  0.   ,  0.841, 10.   ])
    """
    check_floating("x", x)
    return _gate(x, normal_tail)


def gelu_tanh(x: Float[Array, "..."]) -> Float[Array, "..."]:
    r"""Multiply every number by a hyperbolic tangent that approximates the gate of GELU.

    Parameters
    ----------
    x : array (...)
        Real floating-point numbers.

    Returns
    -------
    array (...)
        Numbers of the shape, dtype, library and device of `x`, at most 0.0005 away from `gelu`.

    Raises
    ------
    TypeError
        If `x` is not an array of a real floating dtype.

    See Also
    --------
    attnbook.gelu : What it approximates.

    Notes
    -----
    The approximation [1]_ is

    .. math::

        \frac{x}{2} \left(1 + \tanh u\right) = \frac{x}{1 + e^{-2u}}, \qquad
        u = \sqrt{\frac{2}{\pi}} \left(x + 0.044715\, x^3\right) .

    It is the second form that is computed, which loses no digits where :math:`\tanh u` is near -1.
    A model must be run with the form it was trained with: BERT has `gelu`, GPT-2 this one.

    References
    ----------
    .. [1] Hendrycks and Gimpel, "Gaussian Error Linear Units (GELUs)", 2016, arXiv:1606.08415,
       section 2.

    Examples
    --------
    >>> import numpy as np
    >>> from attnbook import gelu
    >>> from attnbook import gelu_tanh
    >>> x = np.array([-1.0, 0.0, 1.0, 10.0])
    >>> gelu_tanh(x).round(3)
    array([-0.159,  0.   ,  0.841, 10.   ])
    >>> (gelu_tanh(x) - gelu(x)).round(6)
    array([-0.000153,  0.      , -0.000153,  0.      ])
    """
    check_floating("x", x)
    return _gate(x, _tanh_tail)


def _gate(
    x: Float[Array, "..."], tail: Callable[[Float[Array, "..."]], Float[Array, "..."]]
) -> Float[Array, "..."]:
    """Multiply x by the probability of something smaller, given that of something beyond |x|."""
    xp = array_namespace(x)
    wide = at_least_float32(x)
    # -inf * 0 would be NaN
    wide = xp.where(wide < -_FAR, -_FAR, wide)
    negative = wide < 0.0
    # not abs, whose gradient at 0 is 0
    distance = xp.where(negative, -wide, wide)
    beyond = tail(xp.where(distance > _FAR, _FAR, distance))
    return xp.astype(wide * xp.where(negative, beyond, 1.0 - beyond), x.dtype, copy=False)


def _tanh_tail(distance: Float[Array, "..."]) -> Float[Array, "..."]:
    """Give (1 - tanh u) / 2 without the difference of nearly equal numbers."""
    xp = array_namespace(distance)
    u = math.sqrt(2.0 / math.pi) * (distance + 0.044715 * distance * distance * distance)
    power = xp.exp(-2.0 * u)
    return power / (1.0 + power)
