"""ONNX Runtime agrees wherever its operators mean the same: by its kernels, and by the definition.

The cases of ``tests/conformance`` hold the package to what ONNX says; these hold it to what is
shipped, on inputs that ONNX has no case for.
"""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnbook import (
    KVCache,
    append_kv,
    attention_scores,
    causal_mask,
    gelu,
    gelu_tanh,
    layer_norm,
    masked_softmax,
    padding_mask,
    repeat_kv_heads,
    rms_norm,
    rotary_angles,
    rotary_half_split,
    rotary_interleaved,
    sliding_window_mask,
    softcap,
    softmax,
)
from tests.functional.inputs import DV, B, D, H, L, S, draw, draw_inputs, draw_mask
from tests.witnesses.adapters import even, ours, tell
from tests.witnesses.onnx_models import run

MASKS = {
    "none": None,
    "random": draw_mask(B, H, L, S),
    "two axes": draw_mask(L, S),
    "for each sequence": draw_mask(B, 1, L, S),
    "causal, last key": causal_mask(L, S),
    "causal, more queries": causal_mask(L, S, offset=-2),
    "window": sliding_window_mask(L, S, window=2),
    "nothing": np.zeros((L, S), bool),
}
ATOL = {"float32": 2e-6, "float64": 1e-12}
# ONNX keeps numbers that are no inputs in float32, and the function body takes the root of this
# one there, whatever the inputs are: a root that is exact shows that nothing else differs
SCALE = {"scale": 0.25}


def assert_close(ours, theirs):
    assert_allclose(ours, theirs, rtol=0, atol=ATOL[theirs.dtype.name])


# -- Attention ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("scale", [0.25, 4.0])
def test_agrees_on_masks(onnx_sdpa, mask, scale):
    inputs, settings = draw_inputs(B, H), {"mask": mask, "scale": scale}
    assert_close(ours(*inputs, **settings), onnx_sdpa(*inputs, **settings))


def test_agrees_on_the_scale_to_float32(onnx_sdpa):
    inputs = draw_inputs(B, H)
    for settings in ({}, {"scale": 0.3}):
        assert_allclose(
            ours(*inputs, **settings), onnx_sdpa(*inputs, **settings), rtol=0, atol=2e-6
        )


@pytest.mark.parametrize("shape", [(L, S), (B, 1, L, S), (1, H, L, S), (B, H, L, S)], ids=str)
def test_agrees_on_biases(onnx_sdpa, shape):
    inputs, bias = draw_inputs(B, H), draw(*shape, seed=4)
    assert_close(ours(*inputs, bias=bias, **SCALE), onnx_sdpa(*inputs, mask=bias, **SCALE))


@pytest.mark.parametrize("n_keys", [1, 2, S, 101])
def test_is_causal_is_an_offset_of_zero(onnx_sdpa, n_keys):
    inputs = draw_inputs(B, H, n_key=n_keys)
    mask = causal_mask(L, n_keys, offset=0)
    theirs = onnx_sdpa(*inputs, is_causal=True, **SCALE)
    assert_close(ours(*inputs, mask=mask, **SCALE), theirs)


@pytest.mark.parametrize("lengths", [[3, S], [0, 4]], ids=str)
def test_agrees_on_lengths(onnx_sdpa, lengths):
    inputs, lengths = draw_inputs(B, H), np.array(lengths)
    mask = padding_mask(lengths[:, None], S)
    theirs = onnx_sdpa(*inputs, lengths=lengths, **SCALE)
    assert_close(ours(*inputs, mask=mask, **SCALE), theirs)


@pytest.mark.parametrize("length", [0, 3, S])
def test_is_causal_with_lengths_is_aligned_to_the_last_real_key(onnx_sdpa, length):
    inputs, lengths = draw_inputs(1, H), np.array([length])
    mask = padding_mask(lengths, S) & causal_mask(L, S, offset=length - L)
    theirs = onnx_sdpa(*inputs, lengths=lengths, is_causal=True, **SCALE)
    assert_close(ours(*inputs, mask=mask, **SCALE), theirs)


@pytest.mark.parametrize("dtype", ATOL)
def test_is_causal_with_a_cache_is_aligned_to_the_last_key(onnxruntime, dtype):
    query, key, value = (array.astype(dtype) for array in draw_inputs(B, H))
    cut = S - L
    past = KVCache(key[:, :, :cut], value[:, :, :cut])
    new = KVCache(key[:, :, cut:], value[:, :, cut:])
    theirs, *present = run(
        "Attention", [query, *new, None, *past], n_outputs=3, is_causal=True, **SCALE
    )
    cache = append_kv(past, *new)
    for one, other in zip(cache, present, strict=True):
        assert_allclose(one, other, rtol=0, atol=0)
    assert_close(ours(query, *cache, mask=causal_mask(L, S), **SCALE), theirs)


@pytest.mark.parametrize("mask", [None, draw_mask(L, S)], ids=["all", "some"])
def test_caps_scores_before_the_mask(onnx_sdpa, mask):
    query, key, value = draw_inputs(B, H)
    weights = masked_softmax(softcap(attention_scores(query, key, **SCALE), 1.5), mask=mask)
    assert_close(weights @ value, onnx_sdpa(query, key, value, mask=mask, softcap=1.5, **SCALE))


@pytest.mark.parametrize(
    "extra",
    [
        np.array([[True, False, False], [False, False, False]]),
        np.array([[0.0, -math.inf, -math.inf], [-math.inf] * 3]),
    ],
    ids=["mask", "bias"],
)
def test_agrees_that_nothing_to_look_at_is_zero(onnx_sdpa, extra):
    inputs, name = even(2, 3), "mask" if extra.dtype == bool else "bias"
    assert tell(onnx_sdpa, *inputs, mask=extra) == "[1, 0]"
    assert tell(ours, *inputs, **{name: extra}) == "[1, 0]"


@pytest.mark.parametrize("spread", [1e-3, 10, 1e3])
def test_agrees_on_small_and_large_scores(onnx_body, spread):
    query, key, value = draw_inputs(B, H)
    inputs = spread * query, key, value
    assert_allclose(ours(*inputs, **SCALE), onnx_body(*inputs, **SCALE), rtol=0, atol=1e-10)


def test_agrees_on_scores_whose_exponentials_overflow(onnx_sdpa):
    inputs = np.full((1, 1, 1, 4), 1e4), np.full((1, 1, 2, 4), 1e4), even(1, 2)[2]
    assert tell(onnx_sdpa, *inputs) == tell(ours, *inputs) == "[1.5]"


def test_shares_heads_by_repeating(onnx_sdpa):
    query, (key, value) = draw(B, 4, L, D), (draw(B, 2, S, n, seed=n) for n in (D, DV))
    repeated = (repeat_kv_heads(array, 4) for array in (key, value))
    assert_close(ours(query, *repeated, **SCALE), onnx_sdpa(query, key, value, **SCALE))


def test_refuses_the_heads_that_we_refuse(onnx_sdpa):
    query, key, value = (draw(B, n, L, D, seed=n) for n in (4, 3, 3))
    assert tell(onnx_sdpa, query, key, value) == "refuses"
    assert tell(ours, query, key, value) == "refuses"


# -- the other operators --------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ATOL)
@pytest.mark.parametrize("axis", [-1, 0, 2])
def test_softmax(onnxruntime, dtype, axis):
    scores = (5 * draw(B, L, S)).astype(dtype)
    assert_close(softmax(scores, axis=axis), run("Softmax", [scores], axis=axis)[0])


@pytest.mark.parametrize(
    ("rotate", "interleaved"), [(rotary_half_split, False), (rotary_interleaved, True)]
)
@pytest.mark.parametrize("n_turned", [2 * D, 2 * 3])
def test_rotary(onnxruntime, rotate, interleaved, n_turned):
    x = draw(B, H, L, 2 * D).astype(np.float32)
    angles = rotary_angles(np.arange(L), n_turned).astype(np.float32)
    cos, sin = np.cos(angles), np.sin(angles)
    each = [np.broadcast_to(array, (B, *array.shape)) for array in (cos, sin)]
    # of four axes, 0 means all of the width
    partial = {} if n_turned == 2 * D else {"rotary_embedding_dim": n_turned, "num_heads": H}
    (theirs,) = run("RotaryEmbedding", [x, *each], interleaved=interleaved, **partial)
    assert_close(rotate(x, cos, sin), theirs)


@pytest.mark.parametrize("dtype", ATOL)
@pytest.mark.parametrize("eps", [2**-17, 0.125])
def test_layer_norm(onnxruntime, dtype, eps):
    x, weight, bias = (a.astype(dtype) for a in (draw(B, L, D), draw(D), draw(D, seed=1)))
    (theirs,) = run("LayerNormalization", [x, weight, bias], epsilon=eps)
    assert_close(layer_norm(x, weight, bias, eps=eps), theirs)


@pytest.mark.parametrize("dtype", ATOL)
@pytest.mark.parametrize("eps", [2**-17, 0.125])
def test_rms_norm(onnxruntime, dtype, eps):
    x, weight = draw(B, L, D).astype(dtype), draw(D).astype(dtype)
    (theirs,) = run("RMSNormalization", [x, weight], epsilon=eps)
    assert_close(rms_norm(x, weight, eps=eps), theirs)


@pytest.mark.parametrize(("function", "form"), [(gelu, "none"), (gelu_tanh, "tanh")])
def test_gelu(onnxruntime, function, form):
    x = np.linspace(-6, 6, 101, dtype=np.float32)
    assert_close(function(x), run("Gelu", [x], approximate=form)[0])
