"""What must hold of the functions around attention, for every input."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

from attnbook import gelu, gelu_tanh, layer_norm, padding_mask, softmax
from tests.properties.strategies import SIZES, floats

INTEGERS = st.sampled_from(["int8", "uint8", "int16", "uint32", "int64"])
MATRICES = st.tuples(SIZES, st.integers(1, 5))


@given(x=MATRICES.flatmap(lambda shape: floats(shape, 1e30)), axis=st.sampled_from([1, -1, 0, -2]))
def test_softmax_sums_to_one_along_its_axis(x, axis):
    total = softmax(x, axis=axis).sum(axis)
    # a sum over nothing is 0
    assert_allclose(total, float(x.shape[axis] > 0), rtol=1e-12)


@given(st.lists(st.floats(allow_nan=False)).map(np.array))
def test_gelu_follows_a_ramp(x):
    ramp = np.maximum(x, 0.0)
    for function in (gelu, gelu_tanh):
        assert np.all(function(x) <= ramp)
        assert np.all(function(x) >= ramp - 0.171)


@given(x=MATRICES.flatmap(floats), step=st.floats(-1e8, 1e8))
def test_layer_norm_ignores_a_constant(x, step):
    # 1e8 leaves 8 digits of x, and dividing by no less than the root of eps costs 3 of them
    assert_allclose(layer_norm(x + step), layer_norm(x), rtol=0, atol=1e-5)


@given(
    lengths=hnp.arrays(INTEGERS, hnp.array_shapes(), elements=st.integers(0, 127)),
    n_key=st.integers(0, 300),
)
def test_padding_counts_in_any_integers(lengths, n_key):
    shown = padding_mask(lengths, n_key)
    assert shown.shape == (*lengths.shape, 1, n_key)
    assert_array_equal(shown.sum((-2, -1)), np.minimum(lengths.astype(int), n_key))
    # the real keys come first
    assert_array_equal(np.sort(shown, axis=-1)[..., ::-1], shown)
