"""Write positions into queries and keys by turning pairs of their components."""

from types import ModuleType

from array_api_compat import array_namespace, device

from attnbook.functional._checks import check_array, check_floating, check_one_library
from attnbook.functional._numbers import check_positive, check_size
from attnbook.functional._precision import at_least_float32
from attnbook.functional._shapes import check_fit
from attnbook.typing import Array, Float, Real

__all__ = ["rotary_angles", "rotary_half_split", "rotary_interleaved"]


def rotary_angles(
    positions: Real[Array, "... L"], width: int, *, base: float = 10000.0
) -> Float[Array, "..."]:
    r"""Give the angle by which each pair of components turns at each position.

    Parameters
    ----------
    positions : array (..., L)
        Where the positions stand in the sequence: integers, or floats where they are scaled.
    width : int
        How many components are turned: D, or fewer. It is even.
    base : float, default 10000.0
        The slowest pair turns nearly `base` times slower than the first.

    Returns
    -------
    array (...)
        Angles in radians of shape (..., L, width / 2), in the library and on the device of
        `positions`: of their dtype, but at least float32, or for integers of the library's default.

    Raises
    ------
    TypeError
        If `positions` is not an array of real numbers, `width` is not an integer, or `base` is no
        real number.
    ValueError
        If `width` is negative or odd, or `base` is not finite and above 0.

    See Also
    --------
    attnbook.rotary_half_split : Turns by them, pairing the first half with the second.
    attnbook.rotary_interleaved : Turns by them, pairing neighbours.

    Notes
    -----
    Pair :math:`i` of :math:`d` components turns at position :math:`m` by the angle [1]_

    .. math::

        m \, \theta_i, \qquad \theta_i = \text{base}^{-2i/d}, \quad i = 0, \dots, d/2 - 1 .

    In float32, PyTorch's default, an angle of 100 000 radians is off by up to 0.004; positions in
    float64 give exact ones.

    References
    ----------
    .. [1] Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021,
       arXiv:2104.09864, section 3.2.2.

    Examples
    --------
    >>> import numpy as np
    >>> from attnbook import rotary_angles
    >>> rotary_angles(np.array([0, 1, 2]), 4)
    array([[0.  , 0.  ],
           [1.  , 0.01],
           [2.  , 0.02]])
    """
    xp = check_array("positions", positions)
    width = check_size("width", width)
    base = check_positive("base", base)
    if width % 2:
        raise ValueError(f"width must be even to be cut into pairs, but is {width}.")
    dtype = None
    if not xp.isdtype(positions.dtype, "integral"):
        check_floating("positions", positions)
        dtype = at_least_float32(positions).dtype
    speeds = [base ** (-i / width) for i in range(0, width, 2)]
    speeds = xp.asarray(speeds, dtype=dtype, device=device(positions))
    return xp.astype(positions, speeds.dtype, copy=False)[..., None] * speeds


def rotary_half_split(
    x: Float[Array, "... L D"], cos: Float[Array, "..."], sin: Float[Array, "..."]
) -> Float[Array, "... L D"]:
    r"""Turn pairs of components that stand half the width apart.

    Parameters
    ----------
    x : array (..., L, D)
        Queries or keys.
    cos : array (...)
        Cosines that broadcast to (..., L, R / 2), one for each pair: the first R components are
        turned, the rest stays. With axes of their own in front of the positions they have as many
        axes as `x`, 1 where they are shared.
    sin : array (...)
        The sines, of the same shape.

    Returns
    -------
    array (..., L, D)
        The turned vectors, of the dtype, library and device of `x`.

    Raises
    ------
    TypeError
        If the arrays come from more than one library or are not real and floating.
    ValueError
        If the shapes do not fit, or an axis of `cos` could mean several things.

    See Also
    --------
    attnbook.rotary_angles : Gives the angles.
    attnbook.rotary_interleaved : Pairs neighbours instead.

    Notes
    -----
    Component :math:`i` is paired with :math:`i + R/2`, where the paper pairs neighbours; the pair
    turns by its angle :math:`\varphi` [1]_,

    .. math::

        \begin{pmatrix} y_i \\ y_{i + R/2} \end{pmatrix} =
        \begin{pmatrix} \cos\varphi & -\sin\varphi \\ \sin\varphi & \cos\varphi \end{pmatrix}
        \begin{pmatrix} x_i \\ x_{i + R/2} \end{pmatrix} .

    The dot product of a turned query and a turned key depends on the two positions by their
    difference alone. The two layouts are one function after a fixed permutation of the components,
    but learned projections know only one: this is the layout of GPT-NeoX and of LLaMA in Hugging
    Face's format.

    References
    ----------
    .. [1] Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021,
       arXiv:2104.09864, section 3.4.2.

    Examples
    --------
    A quarter turn at the second position, of the first pair only:

    >>> import numpy as np
    >>> from attnbook import rotary_half_split
    >>> x = np.array([[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]])
    >>> angles = np.array([[0.0, 0.0], [np.pi / 2, 0.0]])
    >>> rotary_half_split(x, np.cos(angles), np.sin(angles)).round(3)
    array([[ 1.,  2.,  3.,  4.],
           [-3.,  2.,  1.,  4.]])
    """
    xp = _check_rotary(x, cos, sin)
    wide, n_pairs = at_least_float32(x), cos.shape[-1]
    first, second = wide[..., :n_pairs], wide[..., n_pairs : 2 * n_pairs]
    turned = xp.concat((*_turn(first, second, cos, sin), wide[..., 2 * n_pairs :]), axis=-1)
    return xp.astype(turned, x.dtype, copy=False)


def rotary_interleaved(
    x: Float[Array, "... L D"], cos: Float[Array, "..."], sin: Float[Array, "..."]
) -> Float[Array, "... L D"]:
    r"""Turn pairs of neighbouring components.

    Parameters
    ----------
    x : array (..., L, D)
        Queries or keys.
    cos : array (...)
        Cosines that broadcast to (..., L, R / 2), one for each pair: the first R components are
        turned, the rest stays. With axes of their own in front of the positions they have as many
        axes as `x`, 1 where they are shared.
    sin : array (...)
        The sines, of the same shape.

    Returns
    -------
    array (..., L, D)
        The turned vectors, of the dtype, library and device of `x`.

    Raises
    ------
    TypeError
        If the arrays come from more than one library or are not real and floating.
    ValueError
        If the shapes do not fit, or an axis of `cos` could mean several things.

    See Also
    --------
    attnbook.rotary_angles : Gives the angles.
    attnbook.rotary_half_split : Pairs the halves instead, and tells more.

    Notes
    -----
    Component :math:`2i` is paired with :math:`2i + 1`, as in the paper [1]_; the pair turns by its
    angle :math:`\varphi`,

    .. math::

        \begin{pmatrix} y_{2i} \\ y_{2i + 1} \end{pmatrix} =
        \begin{pmatrix} \cos\varphi & -\sin\varphi \\ \sin\varphi & \cos\varphi \end{pmatrix}
        \begin{pmatrix} x_{2i} \\ x_{2i + 1} \end{pmatrix} .

    References
    ----------
    .. [1] Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021,
       arXiv:2104.09864, section 3.4.2.

    Examples
    --------
    A quarter turn at the second position, of the first pair only:

    >>> import numpy as np
    >>> from attnbook import rotary_interleaved
    >>> x = np.array([[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]])
    >>> angles = np.array([[0.0, 0.0], [np.pi / 2, 0.0]])
    >>> rotary_interleaved(x, np.cos(angles), np.sin(angles)).round(3)
    array([[ 1.,  2.,  3.,  4.],
           [-2.,  1.,  3.,  4.]])
    """
    xp = _check_rotary(x, cos, sin)
    wide, n_turned = at_least_float32(x), 2 * cos.shape[-1]
    first, second = wide[..., 0:n_turned:2], wide[..., 1:n_turned:2]
    pairs = xp.stack(_turn(first, second, cos, sin), axis=-1)
    turned = xp.reshape(pairs, (*x.shape[:-1], n_turned))
    return xp.astype(xp.concat((turned, wide[..., n_turned:]), axis=-1), x.dtype, copy=False)


def _turn(
    first: Float[Array, "..."],
    second: Float[Array, "..."],
    cos: Float[Array, "..."],
    sin: Float[Array, "..."],
) -> tuple[Float[Array, "..."], Float[Array, "..."]]:
    xp = array_namespace(first)
    cos, sin = (xp.astype(array, first.dtype, copy=False) for array in (cos, sin))
    return first * cos - second * sin, first * sin + second * cos


def _check_rotary(x: Array, cos: Array, sin: Array) -> ModuleType:
    arrays = {"x": x, "cos": cos, "sin": sin}
    xp = check_one_library(arrays)
    for name, array in arrays.items():
        check_floating(name, array)
    shape, cos_shape, sin_shape = (tuple(array.shape) for array in arrays.values())
    if len(shape) < 2:
        raise ValueError(f"x has shape {shape}, but needs two axes, positions and width.")
    if cos_shape != sin_shape:
        raise ValueError(f"cos and sin differ in shape: {cos_shape} and {sin_shape}.")
    if not cos_shape or 2 * cos_shape[-1] > shape[-1]:
        raise ValueError(
            f"cos has shape {cos_shape}, but its last axis needs one number for each pair of "
            f"components, at most half the width of x {shape}."
        )
    check_fit("cos", cos_shape, (*shape[:-1], cos_shape[-1]), what="the pairs of x,")
    return xp
