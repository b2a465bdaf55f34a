"""Choose the dtype that scores are computed in."""

from array_api_compat import array_namespace

from attnbook.typing import Array, Float


def at_least_float32(scores: Float[Array, "..."]) -> Float[Array, "..."]:
    """Give 16-bit scores the range and precision of float32; leave wider ones alone."""
    xp = array_namespace(scores)
    if xp.finfo(scores.dtype).bits < 32:
        return xp.astype(scores, xp.float32)
    return scores
