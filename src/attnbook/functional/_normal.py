"""The normal distribution, which the array API has no function for."""

from array_api_compat import array_namespace

from attnbook.typing import Array, Float

# The tail P(X > d) falls like exp(-d²/2) / d; what is left of it after exp(-d²/2) / (1 + d) is so
# smooth that one polynomial in (d - 4) / (d + 4), which maps 0 … infinity to -1 … 1, gives it to
# 17 digits: the Chebyshev interpolant of degree 23, computed with 50 digits, lowest power first.
# Every coefficient is below 0.5, so the sum loses nothing.
_TAIL = (
    0.47205320650984467,
    -0.09670347732652607,
    0.013999634724430469,
    0.02860036405357749,
    -0.03219783742831453,
    0.01793609747886859,
    -0.0050023785870514665,
    -0.00028562308680939413,
    0.0006948970692570495,
    -9.443033944152223e-05,
    -8.785300442645791e-05,
    2.1250446856208376e-05,
    1.3626315192600401e-05,
    -3.433372216853275e-06,
    -2.6118464340168558e-06,
    4.0671730125154447e-07,
    5.507747965364098e-07,
    -1.237153366992197e-09,
    -1.1022354013739079e-07,
    -1.7932121916642413e-08,
    1.7442583764419795e-08,
    5.474708632048689e-09,
    -1.5456221598143852e-09,
    -6.763267210562454e-10,
)


def normal_tail(distance: Float[Array, "..."]) -> Float[Array, "..."]:
    """Give the probability that a standard normal number is larger than a distance from 0."""
    xp = array_namespace(distance)
    t = (distance - 4.0) / (distance + 4.0)
    smooth = _TAIL[-1]
    for coefficient in reversed(_TAIL[:-1]):
        smooth = smooth * t + coefficient
    return xp.exp(-0.5 * distance * distance) * smooth / (1.0 + distance)
