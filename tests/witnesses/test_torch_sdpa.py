"""torch's own attention, on each of its CPU backends, agrees wherever it means the same."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnbook import causal_mask, padding_mask, sliding_window_mask
from tests.functional.inputs import B, D, H, L, S, draw, draw_mask
from tests.witnesses.adapters import even, ours, tell

LENGTHS = np.array([[3], [0]])
MASKS = {
    "none": None,
    "random": draw_mask(B, H, L, S),
    "two axes": draw_mask(L, S),
    "causal, last key": causal_mask(L, S),
    "causal, first key": causal_mask(L, S, offset=0),
    "causal, more queries": causal_mask(L, S, offset=-2),
    "window": sliding_window_mask(L, S, window=2),
    "padding, one sequence empty": np.broadcast_to(padding_mask(LENGTHS, S), (B, 1, L, S)),
    "nothing": np.zeros((L, S), bool),
}


def draw_inputs(*, n_query=L, n_key=S):
    # one of torch's backends wants values as wide as keys
    shapes = (n_query, D), (n_key, D), (n_key, D)
    return [draw(B, H, *shape, seed=i) for i, shape in enumerate(shapes)]


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("scale", [None, 0.3, 0.0, -0.7])
def test_agrees_on_masks(sdpa, mask, scale):
    inputs = draw_inputs()
    theirs = sdpa(*inputs, attn_mask=mask, scale=scale)
    assert_allclose(ours(*inputs, mask=mask, scale=scale), theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("shape", [(L, S), (B, 1, L, S), (1, H, L, S), (B, H, L, S)], ids=str)
def test_agrees_on_biases(sdpa, shape):
    inputs, bias = draw_inputs(), draw(*shape, seed=4)
    assert_allclose(ours(*inputs, bias=bias), sdpa(*inputs, attn_mask=bias), rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_keys", [1, 2, S, 101])
def test_is_causal_is_an_offset_of_zero(sdpa, n_keys):
    inputs = draw_inputs(n_key=n_keys)
    mask = causal_mask(L, n_keys, offset=0)
    theirs = sdpa(*inputs, is_causal=True)
    assert_allclose(ours(*inputs, mask=mask), theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "extra"),
    [
        ("mask", np.array([[True, False, False], [False, False, False]])),
        ("bias", np.array([[0.0, -math.inf, -math.inf], [-math.inf] * 3])),
    ],
)
def test_agrees_that_nothing_to_look_at_is_zero(sdpa, name, extra):
    inputs = even(2, 3)
    assert tell(sdpa, *inputs, attn_mask=extra) == "[1, 0]"
    assert tell(ours, *inputs, **{name: extra}) == "[1, 0]"


@pytest.mark.parametrize(("n_query", "n_key"), [(L, 0), (0, S), (0, 0)])
def test_agrees_on_lengths_of_zero(sdpa, n_query, n_key):
    inputs = draw_inputs(n_query=n_query, n_key=n_key)
    theirs = sdpa(*inputs)
    assert theirs.shape == (B, H, n_query, D)
    assert_allclose(ours(*inputs), theirs, rtol=0, atol=0)


@pytest.mark.parametrize("spread", [1e-3, 10, 1e3])
def test_agrees_on_small_and_large_scores(sdpa, spread):
    query, key, value = draw_inputs()
    inputs = spread * query, key, value
    assert_allclose(ours(*inputs), sdpa(*inputs), rtol=0, atol=1e-10)


def test_shares_heads_by_repeating(sdpa):
    query, key, value = (draw(B, n, L, D, seed=n) for n in (4, 2, 2))
    repeated = (np.repeat(array, 2, axis=-3) for array in (key, value))
    theirs = sdpa(query, key, value, enable_gqa=True)
    assert_allclose(ours(query, *repeated), theirs, rtol=0, atol=1e-12)


def test_refuses_the_heads_that_we_refuse(sdpa):
    query, key, value = (draw(B, n, L, D, seed=n) for n in (4, 3, 3))
    assert tell(sdpa, query, key, value, enable_gqa=True) == "refuses"
    assert tell(ours, query, key, value) == "refuses"
