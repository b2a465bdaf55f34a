import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnbook import attention_weights, causal_mask, scaled_dot_product_attention
from tests.functional import oracle
from tests.functional.inputs import DV, B, D, H, L, S, draw, draw_inputs, draw_mask

INF = math.inf


def attend(library, query, key, value, *, mask=None, bias=None, scale=None):
    """Call the package on the library's arrays; NumPy in, NumPy out."""
    query, key, value, mask, bias = (
        None if array is None else library.asarray(array)
        for array in (query, key, value, mask, bias)
    )
    output = scaled_dot_product_attention(query, key, value, mask=mask, bias=bias, scale=scale)
    return library.to_numpy(output)


def attend_evenly(library, mask, *, n_values):
    """With all scores equal, the output is the mean of the visible values 1, 2, …"""
    n_query = np.shape(mask)[-2]
    query, key = np.zeros((n_query, 1)), np.zeros((n_values, 1))
    value = np.arange(1.0, n_values + 1)[:, None]
    return attend(library, query, key, value, mask=mask)[..., 0]


# -- the formula ----------------------------------------------------------------------------------

SETTINGS = {
    "plain": {},
    "mask": {"mask": draw_mask(B, H, L, S)},
    "bias": {"bias": draw(B, H, L, S, seed=4)},
    "mask and bias": {"mask": draw_mask(B, H, L, S), "bias": draw(B, H, L, S, seed=4)},
    "scale": {"scale": 0.3},
    "scale 0": {"scale": 0.0},
    "negative scale": {"scale": -0.7},
    "everything hidden": {"mask": np.zeros((L, S), bool)},
    "everything": {"mask": draw_mask(L, S), "bias": draw(L, S, seed=4), "scale": 0.3},
}
EXTRA_SHAPES = [
    (), (S,), (1, S), (L, 1), (1, 1), (L, S), (1, 1, S), (1, 1, 1, S), (B, 1, 1, S),
    (1, H, L, S), (B, 1, L, S), (B, H, 1, 1), (B, H, L, S),
]  # fmt: skip


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)
def test_equals_the_formula(library, setting):
    inputs = draw_inputs(B, H)
    expected = oracle.by_head(oracle.attention, *inputs, **setting)
    assert_allclose(attend(library, *inputs, **setting), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)
def test_weights_equal_the_formula(library, setting):
    query, key, _ = draw_inputs(B, H)
    expected = oracle.by_head(oracle.attention_weights, query, key, **setting)
    arrays = {n: library.asarray(a) for n, a in setting.items() if n != "scale"}
    weights = attention_weights(
        library.asarray(query), library.asarray(key), **{**setting, **arrays}
    )
    assert_allclose(library.to_numpy(weights), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("shape", EXTRA_SHAPES, ids=str)
def test_masks_and_biases_of_every_shape_equal_the_formula(library, shape):
    inputs = draw_inputs(B, H)
    extras = {"mask": np.array(draw_mask(*shape)), "bias": np.array(draw(*shape, seed=4))}
    expected = oracle.by_head(oracle.attention, *inputs, **extras)
    assert_allclose(attend(library, *inputs, **extras), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("leading", [(), (B,), (B, H), (2, 1, 3)], ids=str)
def test_any_number_of_leading_axes(library, leading):
    inputs = draw_inputs(*leading)
    expected = oracle.by_head(oracle.attention, *inputs)
    assert_allclose(attend(library, *inputs), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("query_leading", "key_leading", "value_leading"),
    [
        ((B, H), (B, 1), (B, 1)),
        ((B, 1), (B, H), (B, H)),
        ((1, H), (B, 1), (B, H)),
        ((B, H), (), ()),
        ((), (), (B, H)),
        ((), (B,), (B,)),
    ],
    ids=str,
)
def test_leading_axes_broadcast(library, query_leading, key_leading, value_leading):
    query, key = draw(*query_leading, L, D), draw(*key_leading, S, D)
    value, mask = draw(*value_leading, S, DV), draw_mask(L, S)
    expected = oracle.by_head(oracle.attention, query, key, value, mask=mask)
    assert_allclose(attend(library, query, key, value, mask=mask), expected, rtol=0, atol=1e-12)


# -- properties -----------------------------------------------------------------------------------


def test_weights_are_positive_and_sum_to_one(library):
    query, key, _ = map(library.asarray, draw_inputs(B, H))
    mask = library.asarray(draw_mask(L, S))
    weights = library.to_numpy(attention_weights(query, key, mask=mask))
    assert np.all(weights >= 0)
    assert_allclose(weights.sum(-1)[..., 1:], 1, rtol=1e-14)
    assert_array_equal(weights.sum(-1)[..., 0], 0)
    assert_array_equal(weights[..., ~library.to_numpy(mask)], 0)


def test_order_of_the_keys_does_not_matter(library):
    query, key, value = draw_inputs(B, H)
    order = np.random.default_rng(0).permutation(S)
    shuffled = attend(library, query, key[..., order, :], value[..., order, :])
    assert_allclose(shuffled, attend(library, query, key, value), atol=1e-14)


def test_each_query_is_answered_alone(library):
    query, key, value = draw_inputs(B, H)
    together = attend(library, query, key, value)
    for i in range(L):
        alone = attend(library, query[..., i : i + 1, :], key, value)
        assert_allclose(alone, together[..., i : i + 1, :], atol=1e-14)


def test_each_head_and_batch_entry_is_answered_alone(library):
    inputs = draw_inputs(B, H)
    mask = draw_mask(B, H, L, S)
    together = attend(library, *inputs, mask=mask)
    for at in np.ndindex(B, H):
        alone = attend(library, *(array[at] for array in inputs), mask=mask[at])
        assert_allclose(alone, together[at], atol=1e-14)


def test_hidden_keys_count_as_absent(library):
    query, key, value = draw_inputs(B, H)
    seen = np.array([True, False, True, True, False, True, False])
    hidden = attend(library, query, key, value, mask=seen)
    absent = attend(library, query, key[..., seen, :], value[..., seen, :])
    assert hidden.shape == (B, H, L, DV)
    assert_allclose(hidden, absent, atol=1e-14)


def test_a_bias_shared_by_all_keys_changes_nothing(library):
    inputs = draw_inputs(B, H)
    biased = attend(library, *inputs, bias=draw(L, 1))
    assert_allclose(biased, attend(library, *inputs), atol=1e-14)


def test_a_bias_is_added_after_the_scale(library):
    # scores 0 · 0.5 + log 3 against 0: weights 3 to 1, whatever the scale
    output = attend(
        library,
        np.zeros((1, 4)),
        np.zeros((2, 4)),
        np.array([[4.0], [8.0]]),
        bias=np.array([math.log(3), 0]),
        scale=0.5,
    )
    assert_allclose(output, [[5.0]], rtol=1e-14)


@pytest.mark.parametrize("chunks", [[S], [3, 1, 1, 1, 1], [1] * S, [2, 3, 2], [6, 1]], ids=str)
def test_decoding_in_chunks_equals_the_whole(library, chunks):
    query, key, value = draw_inputs(B, H, n_query=S)
    whole = attend(library, query, key, value, mask=causal_mask(S))
    ends = np.cumsum(chunks).tolist()
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        chunk = attend(
            library,
            query[..., start:end, :],
            key[..., :end, :],
            value[..., :end, :],
            mask=causal_mask(end - start, end),
        )
        assert_allclose(chunk, whole[..., start:end, :], atol=1e-14)


def test_scale_is_one_over_the_root_of_the_width_of_a_head(library):
    query, key, value = draw_inputs(B, H)
    scaled = attend(library, query / math.sqrt(D), key, value, scale=1.0)
    assert_allclose(attend(library, query, key, value), scaled, atol=1e-14)


def test_shared_heads_are_repeated_not_tiled(library):
    query, (key, value) = draw(B, 4, L, D), (draw(B, 2, S, D), draw(B, 2, S, DV))
    repeated = attend(library, query, np.repeat(key, 2, axis=-3), np.repeat(value, 2, axis=-3))
    for h in range(4):
        alone = attend(library, query[:, h], key[:, h // 2], value[:, h // 2])
        assert_allclose(repeated[:, h], alone, atol=1e-14)


# -- edges ----------------------------------------------------------------------------------------

T, F = True, False


@pytest.mark.parametrize(
    ("mask", "output"),
    [
        pytest.param([[T, F, F], [F, F, F]], [1, 0], id="a query with nothing to look at"),
        pytest.param([[F, F, F]], [0], id="nothing to look at: not the mean, as of a constant"),
        pytest.param([[F, T, T], [F, F, T], [F, F, F]], [2.5, 3, 0], id="the future"),
        pytest.param([[T, F, F], [T, T, F], [T, T, T]], [1, 1.5, 2], id="the past"),
        pytest.param(causal_mask(2, 5), [2.5, 3], id="causal, last key"),
        pytest.param(causal_mask(1, 5), [3], id="causal, last key, one query"),
        pytest.param(causal_mask(2, 5, offset=0), [1, 1.5], id="causal, first key"),
        pytest.param(causal_mask(1, 5, offset=0), [1], id="causal, first key, one query"),
        pytest.param(causal_mask(5, 2), [0, 0, 0, 1, 1.5], id="causal, more queries"),
        pytest.param(
            causal_mask(5, 2, offset=0), [1, 1.5, 1.5, 1.5, 1.5], id="causal, first, more queries"
        ),
    ],
)
def test_equal_scores_give_the_mean_of_what_is_visible(library, mask, output):
    mask = np.array(mask)
    assert_array_equal(attend_evenly(library, mask, n_values=mask.shape[-1]), output)


@pytest.mark.parametrize(
    ("query", "key", "value", "output"),
    [
        pytest.param((L, D), (0, D), (0, DV), np.zeros((L, DV)), id="no key"),
        pytest.param((0, D), (S, D), (S, DV), np.zeros((0, DV)), id="no query"),
        pytest.param((L, D), (S, D), (S, 0), np.zeros((L, 0)), id="no value width"),
        pytest.param((L, 0), (S, 0), (S, DV), np.ones((L, DV)), id="no width: all scores 0"),
        pytest.param((0, H, L, D), (0, H, S, D), (0, H, S, DV), np.zeros((0, H, L, DV)), id="B=0"),
        pytest.param((0, L, D), (1, S, D), (1, S, DV), np.zeros((0, L, DV)), id="B=0, one key set"),
        pytest.param((0, 0), (0, 0), (0, 0), np.zeros((0, 0)), id="nothing at all"),
    ],
)
@pytest.mark.parametrize("masked", [False, True])
def test_lengths_of_zero(library, query, key, value, output, masked):
    mask = np.ones((query[-2], key[-2]), bool) if masked else None
    actual = attend(library, np.ones(query), np.ones(key), np.ones(value), mask=mask)
    assert actual.shape == output.shape
    assert_allclose(actual, output, rtol=1e-15)


def test_scale_of_zero_means_zero(library):
    query, key, value = draw_inputs(B, H)
    for zero in (0.0, -0.0):
        output = attend(library, query, key, value, scale=zero)
        mean = np.broadcast_to(value.mean(-2, keepdims=True), output.shape)
        assert_allclose(output, mean, atol=1e-14)


def test_a_mask_over_queries_alone(library):
    assert_array_equal(attend_evenly(library, np.array([[T], [F]]), n_values=3), [2, 0])


def test_large_scores_do_not_overflow(library):
    output = attend(library, [[1e4]], [[1e4], [-1e4]], [[1.0], [2.0]], scale=1.0)
    assert_array_equal(output, [[1.0]])


@pytest.mark.parametrize("lowest", [-1e9, -1e30, -1e300])
def test_hidden_stays_hidden_however_low_the_others_score(library, lowest):
    # a constant in place of -inf would be the largest score in the row
    query, key, value = np.zeros((1, 1)), np.zeros((2, 1)), np.array([[1.0], [2.0]])
    bias, mask = np.array([lowest, 0.0]), np.array([T, F])
    assert_array_equal(attend(library, query, key, value, mask=mask, bias=bias), [[1.0]])


def test_a_bias_of_minus_infinity_hides_as_a_mask_does(library):
    inputs, mask = draw_inputs(B, H), draw_mask(L, S)
    biased = attend(library, *inputs, bias=np.where(mask, 0.0, -INF))
    assert_array_equal(biased, attend(library, *inputs, mask=mask))


def test_heads_moved_to_the_front_are_not_contiguous(library):
    heads_last = [library.asarray(np.swapaxes(array, 1, 2)) for array in draw_inputs(B, H)]
    views = [library.xp.permute_dims(array, (0, 2, 1, 3)) for array in heads_last]
    output = library.to_numpy(scaled_dot_product_attention(*views))
    assert_allclose(output, attend(library, *draw_inputs(B, H)), atol=1e-14)


# -- dtype, device, inputs ------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("bias_dtype", ["float32", "float64"])
@pytest.mark.parametrize("scale", [None, np.float64(0.5)], ids=str)
def test_keeps_the_dtype_of_the_query(library, dtype, bias_dtype, scale):
    query, key, value = (library.asarray(array, dtype) for array in draw_inputs(B, H))
    settings = {
        "mask": library.asarray(draw_mask(L, S)),
        "bias": library.asarray(draw(L, S), bias_dtype),
        "scale": scale,
    }
    assert attention_weights(query, key, **settings).dtype == query.dtype
    assert scaled_dot_product_attention(query, key, value, **settings).dtype == query.dtype


def test_a_bias_of_another_dtype_is_cast(library):
    inputs, bias = draw_inputs(B, H), draw(L, S)
    query, key, value = (library.asarray(array, "float32") for array in inputs)
    outputs = [
        scaled_dot_product_attention(query, key, value, bias=library.asarray(bias, dtype))
        for dtype in ("float32", "float64")
    ]
    assert_array_equal(*map(library.to_numpy, outputs))


def test_keeps_the_device_of_array_api_strict():
    strict = pytest.importorskip("array_api_strict")
    device = strict.Device("device1")
    inputs = [strict.asarray(array, device=device) for array in draw_inputs(B, H)]
    mask = causal_mask(L, S, like=inputs[0])
    bias = strict.zeros((L, S), device=device)
    assert scaled_dot_product_attention(*inputs, mask=mask, bias=bias).device == device


def test_keeps_the_device_of_torch(torch):
    inputs = [torch.asarray(array).to("meta", torch.bfloat16) for array in draw_inputs(B, H)]
    mask = causal_mask(L, S, like=inputs[0])
    bias = torch.zeros(L, S, device="meta")
    output = scaled_dot_product_attention(*inputs, mask=mask, bias=bias)
    assert output.device == inputs[0].device
    assert output.dtype == torch.bfloat16


def test_leaves_its_inputs_alone(library):
    inputs = [*draw_inputs(B, H), draw_mask(L, S), draw(L, S)]
    arrays = [library.asarray(array) for array in inputs]
    query, key, value, mask, bias = arrays
    scaled_dot_product_attention(query, key, value, mask=mask, bias=bias)
    for array, before in zip(arrays, inputs, strict=True):
        assert_array_equal(library.to_numpy(array), before)


def test_reads_arrays_that_refuse_to_be_written():
    arrays = [*draw_inputs(B, H), draw_mask(L, S), draw(L, S)]
    for array in arrays:
        array.setflags(write=False)
    query, key, value, mask, bias = arrays
    scaled_dot_product_attention(query, key, value, mask=mask, bias=bias)


# -- gradients ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mask", [None, draw_mask(3, 5), np.zeros((3, 5), bool)], ids=str)
def test_gradients(torch, torch_device, mask):
    shapes = [(2, 3, 2), (2, 5, 2), (2, 5, 3), (3, 5)]
    inputs = [torch.asarray(draw(*s), device=torch_device).requires_grad_() for s in shapes]
    mask = None if mask is None else torch.asarray(mask, device=torch_device)

    def function(query, key, value, bias):
        return scaled_dot_product_attention(query, key, value, mask=mask, bias=bias)

    assert torch.autograd.gradcheck(function, inputs)
    assert torch.autograd.gradgradcheck(function, inputs)


def test_gradients_of_a_row_without_keys_do_not_disturb_the_others(torch, torch_device):
    mask = torch.asarray([[[True] * S], [[False] * S]], device=torch_device)
    inputs = [torch.asarray(a, device=torch_device).requires_grad_() for a in draw_inputs(2)]
    output = scaled_dot_product_attention(*inputs, mask=mask)
    gradients = torch.autograd.grad(output[0].square().sum(), inputs)
    alone = [array.detach()[:1].requires_grad_() for array in inputs]
    output = scaled_dot_product_attention(*alone)
    expected = torch.autograd.grad(output[0].square().sum(), alone)
    for gradient, other in zip(gradients, expected, strict=True):
        assert_allclose(gradient[0].cpu(), other[0].cpu(), atol=1e-14)
        assert_array_equal(gradient[1].cpu(), 0)


def test_gradients_through_views_equal_those_of_copies(torch, torch_device):
    def gradients(prepare):
        inputs = [
            torch.asarray(np.swapaxes(a, 1, 2), device=torch_device).requires_grad_()
            for a in draw_inputs(B, H)
        ]
        output = scaled_dot_product_attention(*(prepare(a.transpose(1, 2)) for a in inputs))
        direction = torch.asarray(draw(*output.mT.shape), device=torch_device).mT
        assert not direction.is_contiguous()
        return torch.autograd.grad(output, inputs, direction)

    for view, copy in zip(gradients(lambda a: a), gradients(lambda a: a.contiguous()), strict=True):
        torch.testing.assert_close(view, copy)


# -- witnesses ------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [None, 0.3, 0.0])
@pytest.mark.parametrize(
    "extra", [None, draw_mask(B, H, L, S), draw_mask(L, S), draw(L, S)], ids=["none", 4, 2, "bias"]
)
def test_agrees_with_torch(torch, torch_device, scale, extra):
    inputs = [torch.asarray(array, device=torch_device) for array in draw_inputs(B, H)]
    extras = {}
    if extra is not None:
        extra = torch.asarray(extra, device=torch_device)
        extras = {"mask" if extra.dtype == torch.bool else "bias": extra}
    ours = scaled_dot_product_attention(*inputs, **extras, scale=scale)
    native = torch.nn.functional.scaled_dot_product_attention
    theirs = native(*inputs, attn_mask=extra, scale=scale)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


def test_causal_in_torch_is_aligned_to_the_first_key(torch, torch_device):
    inputs = [torch.asarray(array, device=torch_device) for array in draw_inputs(B, H)]
    ours = scaled_dot_product_attention(*inputs, mask=causal_mask(L, S, offset=0, like=inputs[0]))
    theirs = torch.nn.functional.scaled_dot_product_attention(*inputs, is_causal=True)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


def test_gradients_agree_with_torch(torch, torch_device):
    inputs = [torch.asarray(a, device=torch_device).requires_grad_() for a in draw_inputs(B, H)]
    mask = torch.asarray(draw_mask(L, S), device=torch_device)
    ours = scaled_dot_product_attention(*inputs, mask=mask)
    theirs = torch.nn.functional.scaled_dot_product_attention(*inputs, attn_mask=mask)
    direction = torch.asarray(draw(*ours.shape), device=torch_device)
    for our, their in zip(
        torch.autograd.grad(ours, inputs, direction),
        torch.autograd.grad(theirs, inputs, direction),
        strict=True,
    ):
        torch.testing.assert_close(our, their, rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore:Dynamo detected a call to a .functools.lru_cache")
def test_compiles_without_a_graph_break(torch):
    if hasattr(scaled_dot_product_attention, "__wrapped__"):
        pytest.skip("the checks of jaxtyping are not for torch.compile")
    inputs = [torch.asarray(array) for array in draw_inputs(B, H)]
    mask, bias = torch.asarray(draw_mask(L, S)), torch.asarray(draw(L, S))
    compiled = torch.compile(scaled_dot_product_attention, fullgraph=True, backend="eager")
    torch.testing.assert_close(
        compiled(*inputs, mask=mask, bias=bias),
        scaled_dot_product_attention(*inputs, mask=mask, bias=bias),
    )
