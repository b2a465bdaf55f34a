"""The two halves of attention, and what may stand between them."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnbook import attention_scores, attention_weights, masked_softmax, softcap
from tests.functional import oracle
from tests.functional.inputs import B, D, H, L, S, draw, draw_inputs, draw_mask

INF = math.inf

# -- the formula ----------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [None, 0.3, 0.0, -0.7])
def test_scores_equal_the_formula(library, scale):
    query, key, _ = draw_inputs(B, H)
    expected = np.zeros((B, H, L, S))
    for b, h, i, j, d in np.ndindex(B, H, L, S, D):
        expected[b, h, i, j] += query[b, h, i, d] * key[b, h, j, d]
    expected *= 1 / math.sqrt(D) if scale is None else scale
    scores = attention_scores(library.asarray(query), library.asarray(key), scale=scale)
    assert_allclose(library.to_numpy(scores), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("mask", [None, draw_mask(B, H, L, S), draw_mask(L, S)], ids=["no", 4, 2])
@pytest.mark.parametrize("bias", [None, draw(B, H, L, S, seed=4), draw(S)], ids=["no", 4, 1])
def test_weights_equal_the_formula(library, mask, bias):
    scores = 3 * draw(B, H, L, S)
    total = scores if bias is None else scores + bias
    seen = np.broadcast_to(True if mask is None else mask, scores.shape)
    rows = np.where(seen, total, -INF)
    expected = np.apply_along_axis(oracle.softmax, -1, rows)
    extras = {"mask": mask, "bias": bias}
    extras = {name: library.asarray(a) for name, a in extras.items() if a is not None}
    weights = masked_softmax(library.asarray(scores), **extras)
    assert_allclose(library.to_numpy(weights), expected, rtol=0, atol=1e-12)


# -- properties -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mask", [None, draw_mask(L, S)], ids=["no", "mask"])
def test_the_halves_make_the_whole(library, mask):
    query, key, _ = map(library.asarray, draw_inputs(B, H))
    mask = None if mask is None else library.asarray(mask)
    bias = library.asarray(draw(L, S))
    halves = masked_softmax(attention_scores(query, key, scale=0.3), mask=mask, bias=bias)
    whole = attention_weights(query, key, mask=mask, bias=bias, scale=0.3)
    assert_array_equal(library.to_numpy(halves), library.to_numpy(whole))


def test_a_cap_before_the_mask_keeps_hidden_keys_hidden(library):
    query, key, _ = draw_inputs(B, H)
    mask = draw_mask(L, S)
    scores = softcap(attention_scores(library.asarray(query), library.asarray(key)), 0.5)
    weights = library.to_numpy(masked_softmax(scores, mask=library.asarray(mask)))
    assert_array_equal(weights[..., ~mask], 0)
    # no two visible keys differ by more than twice the cap
    rows = weights[..., 1, :]
    assert np.all(rows.max(-1) / rows.min(-1) <= math.exp(1))


# -- edges ----------------------------------------------------------------------------------------


def test_a_hidden_score_may_be_nan(library):
    scores = np.array([[math.nan, 0.0, math.log(3)], [math.nan, INF, -INF]])
    mask = np.array([[False, True, True], [False, False, False]])
    weights = masked_softmax(library.asarray(scores), mask=library.asarray(mask))
    assert_allclose(library.to_numpy(weights), [[0, 0.25, 0.75], [0, 0, 0]], rtol=1e-15)


@pytest.mark.parametrize("poison", [math.nan, INF, -INF])
def test_a_hidden_bias_may_be_anything(library, poison):
    bias = np.array([[poison, 0.0, math.log(3)], [poison, poison, poison]])
    mask = np.array([[False, True, True], [False, False, False]])
    scores, bias, mask = map(library.asarray, (np.zeros(bias.shape), bias, mask))
    weights = library.to_numpy(masked_softmax(scores, mask=mask, bias=bias))
    assert_allclose(weights, [[0, 0.25, 0.75], [0, 0, 0]], rtol=1e-15)


@pytest.mark.parametrize("shape", [(L, 0), (0, S), (0, L, S)], ids=str)
def test_lengths_of_zero(library, shape):
    scores = library.asarray(np.zeros(shape))
    mask = library.asarray(np.ones(shape, bool))
    assert tuple(masked_softmax(scores, mask=mask).shape) == shape


def test_scores_of_width_zero_are_zero(library):
    query, key = library.asarray(np.ones((L, 0))), library.asarray(np.ones((S, 0)))
    assert_array_equal(library.to_numpy(attention_scores(query, key)), np.zeros((L, S)))


# -- dtype, device, inputs ------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_keeps_the_dtype(library, dtype):
    query, key, _ = (library.asarray(array, dtype) for array in draw_inputs(B, H))
    scores = attention_scores(query, key, scale=np.float64(0.5))
    assert scores.dtype == query.dtype
    assert masked_softmax(scores, bias=library.asarray(draw(L, S))).dtype == query.dtype


def test_keeps_the_device_of_array_api_strict():
    strict = pytest.importorskip("array_api_strict")
    device = strict.Device("device1")
    query, key = (strict.zeros((n, D), device=device) for n in (L, S))
    mask = strict.ones((L, S), dtype=strict.bool, device=device)
    assert masked_softmax(attention_scores(query, key), mask=mask).device == device


def test_keeps_sixteen_bits(torch):
    query, key, _ = (torch.asarray(array).bfloat16() for array in draw_inputs(B, H))
    scores = attention_scores(query, key)
    assert scores.dtype == masked_softmax(scores).dtype == torch.bfloat16


def test_leaves_its_inputs_alone(library):
    inputs = [draw(L, S), draw_mask(L, S), draw(L, S, seed=4)]
    arrays = [library.asarray(array) for array in inputs]
    masked_softmax(arrays[0], mask=arrays[1], bias=arrays[2])
    for array, before in zip(arrays, inputs, strict=True):
        assert_array_equal(library.to_numpy(array), before)


# -- gradients, witnesses -------------------------------------------------------------------------


def test_gradients(torch, torch_device):
    shapes = [(2, 3, 2), (2, 5, 2), (3, 5)]
    inputs = [torch.asarray(draw(*s), device=torch_device).requires_grad_() for s in shapes]
    mask = torch.asarray(draw_mask(3, 5), device=torch_device)

    def function(query, key, bias):
        scores = softcap(attention_scores(query, key), 0.7)
        return masked_softmax(scores, mask=mask, bias=bias)

    assert torch.autograd.gradcheck(function, inputs)
    assert torch.autograd.gradgradcheck(function, inputs)


def test_agrees_with_torch(torch, torch_device):
    scores = torch.asarray(3 * draw(B, H, L, S), device=torch_device)
    mask = torch.asarray(np.tri(L, S, dtype=bool), device=torch_device)
    theirs = scores.masked_fill(~mask, -INF).softmax(-1)
    torch.testing.assert_close(masked_softmax(scores, mask=mask), theirs, rtol=0, atol=1e-14)


# -- messages -------------------------------------------------------------------------------------


@pytest.mark.bad_input
def test_refuses_what_does_not_fit(library):
    scores = library.asarray(draw(B, H, L, S))
    with pytest.raises(ValueError, match=r"scores has shape \(7,\), but needs two axes"):
        masked_softmax(library.asarray(draw(S)))
    with pytest.raises(ValueError, match=r"mask has shape \(2, 5, 7\), which is ambiguous for sc"):
        masked_softmax(scores, mask=library.asarray(np.ones((B, L, S), bool)))
    with pytest.raises(ValueError, match=r"bias has shape \(5, 6\), which does not fit scores"):
        masked_softmax(scores, bias=library.asarray(draw(L, S - 1)))
    with pytest.raises(TypeError, match="mask has dtype .*float64, but needs bool"):
        masked_softmax(scores, mask=library.asarray(draw(L, S)))
    with pytest.raises(TypeError, match=r"bias has dtype .*bool, .* use mask="):
        masked_softmax(scores, bias=library.asarray(draw_mask(L, S)))
    with pytest.raises(TypeError, match="scores has dtype .*int64, but needs a real floating"):
        masked_softmax(library.asarray(np.zeros((L, S)), "int64"))
    with pytest.raises(ValueError, match="query and key differ in width D"):
        attention_scores(library.asarray(draw(L, D)), library.asarray(draw(S, D + 2)))
    with pytest.raises(TypeError, match="scale is a str, but needs to be a number"):
        attention_scores(library.asarray(draw(L, D)), library.asarray(draw(S, D)), scale="1")


@pytest.mark.bad_input
def test_refuses_a_mix_of_libraries(torch):
    with pytest.raises(TypeError, match=r"one library \(scores from torch, mask from numpy\)"):
        masked_softmax(torch.zeros(L, S), mask=draw_mask(L, S))
