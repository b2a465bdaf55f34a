"""Sixteen bits: no overflow on the way, and no more error than the same code in that precision."""

import math

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from attnbook import attention_weights, scaled_dot_product_attention, softmax
from tests.functional.inputs import B, H, L, S, draw, draw_inputs, draw_mask


@pytest.fixture(params=["numpy float16", "torch float16", "torch bfloat16"])
def cast(request):
    """Give the function that turns a NumPy array into one of 16 bits."""
    name, dtype = request.param.split()
    if name == "numpy":
        return lambda array: np.asarray(array, dtype=dtype)
    torch = pytest.importorskip("torch")
    return lambda array: torch.asarray(np.array(array)).to(getattr(torch, dtype))


def widen(array):
    """Bring a result back to float64 in NumPy."""
    return array.astype(np.float64) if isinstance(array, np.ndarray) else array.double().numpy()


def error(actual, exact):
    return np.abs(widen(actual) - exact).max()


def eager_softmax(scores):
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def eager_attention(query, key, value):
    """The textbook's lines, in whatever precision the arrays are."""
    scores = (query * (1 / math.sqrt(query.shape[-1]))) @ key.swapaxes(-1, -2)
    if isinstance(scores, np.ndarray):
        return eager_softmax(scores) @ value
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    return (powers / powers.sum(-1, keepdim=True)) @ value


@pytest.mark.parametrize("spread", [1, 10])
def test_softmax_is_as_exact_as_its_dtype(cast, spread):
    scores = cast(spread * draw(B, L, 101))
    exact = eager_softmax(widen(scores))
    weights = softmax(scores)
    assert weights.dtype == scores.dtype
    assert error(weights, exact) <= error(cast(exact), exact)


def test_softmax_sums_in_float32(cast):
    # 1/3000 added up in float16 or bfloat16 stops growing long before 1
    weights = widen(softmax(cast(np.zeros(3000))))
    np.testing.assert_allclose(weights, 1 / 3000, rtol=2**-8)


@pytest.mark.parametrize("spread", [1, 4])
def test_error_of_attention_is_at_most_twice_that_of_the_textbook(cast, spread):
    inputs = [cast(spread * array) for array in draw_inputs(B, H)]
    exact = eager_attention(*map(widen, inputs))
    ours = scaled_dot_product_attention(*inputs)
    assert ours.dtype == inputs[0].dtype
    assert error(ours, exact) <= 2 * error(eager_attention(*inputs), exact)


def test_dot_products_too_large_for_float16(cast):
    # 64 · 40 · 40 = 102400 is beyond float16, 102400 / 8 = 12800 is not
    query, value = cast(np.full((2, 64), 40.0)), cast([[1.0], [3.0]])
    key = cast(np.full((2, 64), 40.0))
    assert_array_equal(widen(scaled_dot_product_attention(query, key, value)), [[2.0], [2.0]])


def test_a_bias_beyond_float16_keeps_its_order(cast):
    # -65504 - 32 would be -inf in float16, in every column alike
    query, key = cast([[1.0]]), cast([[-32.0], [-32.0]])
    bias = cast([[-65504.0, -65504.0]])
    weights = attention_weights(query, key, bias=bias, scale=1.0)
    assert_array_equal(widen(weights), [[0.5, 0.5]])


def test_masks_hide_exactly(cast):
    query, key, value = (cast(array) for array in draw_inputs(B, H))
    mask = draw_mask(L, S)
    like = mask if isinstance(query, np.ndarray) else pytest.importorskip("torch").asarray(mask)
    weights = widen(attention_weights(query, key, mask=like))
    assert_array_equal(weights[..., ~mask], 0)
    assert_array_equal(
        widen(scaled_dot_product_attention(query, key, value, mask=like))[..., 0, :], 0
    )


def test_gradients_are_finite_where_nothing_may_be_looked_at(torch):
    inputs = [torch.asarray(a).half().requires_grad_() for a in draw_inputs(B, H)]
    mask = torch.asarray(draw_mask(L, S))
    scaled_dot_product_attention(*inputs, mask=mask).sum().backward()
    assert all(array.grad.isfinite().all() for array in inputs)
