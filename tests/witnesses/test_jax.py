"""JAX's own attention agrees wherever it means the same, to the float32 that its softmax is in."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnbook import (
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
    sliding_window_mask,
)
from tests.functional.inputs import B, D, H, L, S, draw, draw_mask
from tests.witnesses.adapters import even, ours, tell

# the first query of a drawn mask may look nowhere, where JAX says something else
SEEING = {
    "none": None,
    "random": draw_mask(B, H, L, S) | (np.arange(S) == 4),
    "for each sequence": draw_mask(B, 1, L, S) | (np.arange(S) == 4),
    "causal, last key": causal_mask(L, S)[None, None],
    "window": sliding_window_mask(L, S, window=2)[None, None],
}


def draw_inputs(*, n_key=S):
    return [draw(B, H, n, D, seed=i) for i, n in enumerate((L, n_key, n_key))]


def assert_close(ours, theirs):
    assert_allclose(ours, theirs, rtol=0, atol=2e-6)


@pytest.mark.parametrize("mask", SEEING.values(), ids=SEEING)
@pytest.mark.parametrize("scale", [None, 0.3, 0.0, -0.7])
def test_agrees_on_masks(jax_sdpa, mask, scale):
    inputs = draw_inputs()
    assert_close(ours(*inputs, mask=mask, scale=scale), jax_sdpa(*inputs, mask=mask, scale=scale))


@pytest.mark.parametrize("shape", [(1, 1, L, S), (B, 1, L, S), (1, H, L, S), (B, H, L, S)], ids=str)
def test_agrees_on_biases(jax_sdpa, shape):
    inputs, bias = draw_inputs(), draw(*shape, seed=4)
    assert_close(ours(*inputs, bias=bias), jax_sdpa(*inputs, bias=bias))


@pytest.mark.parametrize("n_keys", [1, 2, S])
def test_is_causal_is_an_offset_of_zero(jax_sdpa, n_keys):
    inputs = draw_inputs(n_key=n_keys)
    mask = causal_mask(L, n_keys, offset=0)
    assert_close(ours(*inputs, mask=mask), jax_sdpa(*inputs, is_causal=True))


@pytest.mark.parametrize("distance", [0, 1, 2])
def test_its_window_is_a_distance(jax_sdpa, distance):
    inputs = draw_inputs()
    mask = sliding_window_mask(L, S, window=distance + 1, offset=0)
    assert_close(ours(*inputs, mask=mask), jax_sdpa(*inputs, local_window_size=distance))


def test_agrees_on_lengths(jax, jax_sdpa):
    inputs, lengths = draw_inputs(), np.array([3, S])
    theirs = jax_sdpa(*inputs, key_value_seq_lengths=jax.numpy.asarray(lengths, "int32"))
    assert_close(ours(*inputs, mask=padding_mask(lengths[:, None], S)), theirs)


def test_shares_heads_by_repeating(jax_sdpa):
    query, key, value = (draw(B, n, L, D, seed=n) for n in (4, 2, 2))
    repeated = (np.repeat(array, 2, axis=-3) for array in (key, value))
    assert_close(ours(query, *repeated), jax_sdpa(query, key, value))


def test_refuses_what_we_refuse(jax_sdpa):
    query, key, value = (draw(B, n, L, D, seed=n) for n in (4, 3, 3))
    for function in (ours, jax_sdpa):
        assert tell(function, query, key, value) == "refuses"
        assert tell(function, *even(1, 3), mask=np.ones((1, 1, 1, 3))) == "refuses"


def test_a_nan_in_a_hidden_key_does_not_leak(jax_sdpa):
    query, key, value = even(1, 3)
    key[0, 0, 2], mask = np.nan, np.array([True, True, False])[None, None, None]
    assert tell(jax_sdpa, query, key, value, mask=mask) == "[1.5]"
    assert tell(ours, query, key, value, mask=mask) == "[1.5]"


def test_its_gradients_agree(jax, jax_sdpa):
    inputs = [jax.numpy.asarray(array) for array in draw_inputs()]
    mask = jax.numpy.asarray(SEEING["random"])
    direction = jax.numpy.asarray(draw(B, H, L, D, seed=9))

    def native(*inputs):
        arrays = (array.swapaxes(1, 2) for array in inputs)
        output = jax.nn.dot_product_attention(*arrays, mask=mask)
        return (output.swapaxes(1, 2) * direction).sum()

    def package(*inputs):
        return (scaled_dot_product_attention(*inputs, mask=mask) * direction).sum()

    for our, their in zip(
        jax.grad(package, (0, 1, 2))(*inputs), jax.grad(native, (0, 1, 2))(*inputs), strict=True
    ):
        assert_allclose(our, their, rtol=0, atol=1e-5)
