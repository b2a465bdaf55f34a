"""The short way through the checks lets nothing pass that the sentences would refuse."""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from attnbook.functional import _checks
from attnbook.functional._shapes import check_shapes

SIZES = st.integers(0, 3)
SHAPES = st.lists(SIZES, max_size=4).map(tuple)
DTYPES = st.sampled_from([np.float32, np.float64])


def arrays(draw, base):
    """Draw an array of the shape of another, or nearly, or not at all."""
    shape = draw(st.one_of(st.just(base), st.just((*base[:-1], 2)), st.just((2, *base)), SHAPES))
    return np.zeros(shape, draw(DTYPES))


@st.composite
def inputs(draw):
    base = draw(SHAPES.filter(len))
    value = draw(st.booleans())
    return [arrays(draw, base) for _ in range(3 if value else 2)]


@given(inputs())
@example([np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 1))])
@example([np.zeros((1, 2, 3)), np.zeros((2, 2, 3))])
def test_what_plainly_fits_is_not_refused(inputs):
    query, key, value = [*inputs, None][:3]
    assume(_checks._plainly_fit(query, key, value))
    names = ("query", "key", "value")
    shapes = {n: a.shape for n, a in zip(names, inputs, strict=False)}
    assert check_shapes(shapes) == (*query.shape[:-1], key.shape[-2])
    _checks.check_one_dtype(dict(zip(names, inputs, strict=False)))


@pytest.mark.bad_input
@given(inputs())
def test_both_ways_refuse_the_same(inputs):
    def answer(check):
        try:
            return check()
        except (TypeError, ValueError) as error:
            return str(error)

    def the_long_way(*_):
        return False

    short = answer(lambda: _checks.check_attention(*inputs))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_checks, "_plainly_fit", the_long_way)
        assert answer(lambda: _checks.check_attention(*inputs)) == short


@pytest.mark.parametrize("other", [0.5, [[0.0]], None, math.pi])
def test_what_is_no_array_never_fits_plainly(other):
    assert not _checks._plainly_fit(other, other, None)
