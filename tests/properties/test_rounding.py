"""What 16 bits, and the numbers that are no arrays, do to precision: nothing but one rounding."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import attnbook
from tests.properties.strategies import floats

SHAPES = st.tuples(st.integers(0, 5), st.integers(0, 4).map(lambda n: 2 * n))


def turn(rotary):
    def turned(x):
        angles = attnbook.rotary_angles(np.arange(float(x.shape[-2])), x.shape[-1])
        return rotary(x, np.cos(angles), np.sin(angles))

    return turned


ONCE = {
    "gelu": attnbook.gelu,
    "gelu_tanh": attnbook.gelu_tanh,
    "layer_norm": attnbook.layer_norm,
    "masked_softmax": lambda x: attnbook.masked_softmax(x, bias=np.full(x.shape, 1e5)),
    "rms_norm": attnbook.rms_norm,
    "rotary_half_split": turn(attnbook.rotary_half_split),
    "rotary_interleaved": turn(attnbook.rotary_interleaved),
    "softcap": lambda x: attnbook.softcap(x, 50.0),
    "softmax": attnbook.softmax,
}


@pytest.mark.parametrize("function", ONCE.values(), ids=ONCE)
@given(x=SHAPES.flatmap(lambda shape: floats(shape, 1e3, np.float16)))
def test_sixteen_bits_are_rounded_at_the_end_alone(function, x):
    expected = function(x.astype(np.float32)).astype(np.float16)
    assert_array_equal(function(x), expected, strict=True)


@given(st.integers(0, 5).flatmap(lambda n: floats((n,), 6e4, np.float16)))
def test_angles_have_no_sixteen_bits(positions):
    expected = attnbook.rotary_angles(positions.astype(np.float32), 6)
    assert_array_equal(attnbook.rotary_angles(positions, 6), expected, strict=True)


@given(st.integers(1, 5).flatmap(lambda n: floats((n, 64), 80.0, np.float16)))
@example(np.full((2, 64), 40.0, np.float16))
def test_dot_products_may_be_larger_than_the_scores(x):
    # 80 · 80 · 64 is beyond float16, an eighth of it is not
    assert np.all(np.isfinite(attnbook.attention_scores(x, x)))


WITH_A_NUMBER = {
    "scale": lambda x, number: attnbook.attention_scores(x, x, scale=number),
    "cap": attnbook.softcap,
    "eps of layer_norm": lambda x, number: attnbook.layer_norm(x, eps=number),
    "eps of rms_norm": lambda x, number: attnbook.rms_norm(x, eps=number),
    "base": lambda x, number: attnbook.rotary_angles(x[..., 0], 4, base=number),
}


@pytest.mark.parametrize("function", WITH_A_NUMBER.values(), ids=WITH_A_NUMBER)
@given(
    x=st.tuples(st.integers(0, 3), st.integers(1, 3)).flatmap(
        lambda shape: floats(shape, dtype=np.float32)
    ),
    kind=st.sampled_from([int, np.float32, np.float64, np.int64, Fraction]),
)
def test_any_kind_of_number_will_do(function, x, kind):
    assert_array_equal(function(x, kind(3)), function(x, 3.0), strict=True)
    assert function(x, kind(3)).dtype == np.float32
