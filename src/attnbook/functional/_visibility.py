"""Find the queries and keys that a mask leaves without any partner.

They are replaced by zeros before a product. A weight of 0 would not silence them: 0 * NaN is NaN.
"""

from array_api_compat import array_namespace

from attnbook.typing import Array, Bool


def looking_queries(mask: Bool[Array, "..."]) -> Bool[Array, "... L 1"]:
    """Tell which queries may look at some key."""
    xp = array_namespace(mask)
    return xp.any(_with_two_axes(mask), axis=-1, keepdims=True)


def seen_keys(mask: Bool[Array, "..."]) -> Bool[Array, "... S 1"]:
    """Tell which keys some query may look at."""
    xp = array_namespace(mask)
    return xp.matrix_transpose(xp.any(_with_two_axes(mask), axis=-2, keepdims=True))


def _with_two_axes(mask: Bool[Array, "..."]) -> Bool[Array, "... L S"]:
    """Write out the axes that broadcasting would add in front of a mask (S,)."""
    xp = array_namespace(mask)
    return xp.reshape(mask, (1,) * (2 - mask.ndim) + tuple(mask.shape))
