import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnbook import KVCache, append_kv, causal_mask, scaled_dot_product_attention
from tests.functional.inputs import DV, B, D, H, L, S, draw, draw_inputs


def draw_cache(library, n_key=S):
    return KVCache(library.asarray(draw(B, H, n_key, D)), library.asarray(draw(B, H, n_key, DV)))


# -- the formula ----------------------------------------------------------------------------------


@pytest.mark.parametrize("n_old", [0, 1, S])
@pytest.mark.parametrize("n_new", [0, 1, L])
def test_the_new_positions_follow_the_old(library, n_old, n_new):
    key, value = draw(B, H, n_new, D, seed=1), draw(B, H, n_new, DV, seed=1)
    old = draw_cache(library, n_old)
    cache = append_kv(old, library.asarray(key), library.asarray(value))
    assert isinstance(cache, KVCache)
    for whole, past, new in zip(cache, old, (key, value), strict=True):
        whole, past = library.to_numpy(whole), library.to_numpy(past)
        assert whole.shape[-2] == n_old + n_new
        for j in range(n_old + n_new):
            expected = past[..., j, :] if j < n_old else new[..., j - n_old, :]
            assert_array_equal(whole[..., j, :], expected)


# -- properties -----------------------------------------------------------------------------------


@pytest.mark.parametrize("chunks", [[S], [3, 1, 1, 1, 1], [1] * S, [2, 3, 2], [6, 1]], ids=str)
def test_decoding_with_a_cache_equals_the_whole(library, chunks):
    query, key, value = map(library.asarray, draw_inputs(B, H, n_query=S))
    whole = scaled_dot_product_attention(query, key, value, mask=causal_mask(S, like=query))
    cache = KVCache(key[..., :0, :], value[..., :0, :])
    start = 0
    for n in chunks:
        end = start + n
        cache = append_kv(cache, key[..., start:end, :], value[..., start:end, :])
        mask = causal_mask(n, end, like=query)
        chunk = scaled_dot_product_attention(query[..., start:end, :], *cache, mask=mask)
        expected = library.to_numpy(whole)[..., start:end, :]
        assert_allclose(library.to_numpy(chunk), expected, rtol=0, atol=1e-14)
        start = end


# -- dtype, device, inputs, gradients -------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_keeps_the_dtype(library, dtype):
    key, value = library.asarray(draw(S, D), dtype), library.asarray(draw(S, DV), dtype)
    cache = append_kv(KVCache(key, value), key, value)
    assert cache.key.dtype == cache.value.dtype == key.dtype


def test_keeps_the_device_of_array_api_strict():
    strict = pytest.importorskip("array_api_strict")
    device = strict.Device("device1")
    key = strict.zeros((S, D), device=device)
    assert append_kv(KVCache(key, key), key, key).key.device == device


def test_keeps_the_device_of_torch(torch):
    key = torch.zeros(S, D, device="meta", dtype=torch.bfloat16)
    cache = append_kv(KVCache(key, key), key, key)
    assert cache.value.device.type == "meta"
    assert cache.value.dtype == torch.bfloat16


def test_leaves_the_old_cache_alone(library):
    old = draw_cache(library)
    cache = append_kv(old, old.key, old.value)
    assert cache is not old
    assert_array_equal(library.to_numpy(old.key), draw(B, H, S, D))
    assert_array_equal(library.to_numpy(old.value), draw(B, H, S, DV))


def test_gradients_reach_old_and_new(torch, torch_device):
    shapes = [(2, 3, 2), (2, 3, 5), (2, 1, 2), (2, 1, 5)]
    inputs = [torch.asarray(draw(*s), device=torch_device).requires_grad_() for s in shapes]

    def function(old_key, old_value, key, value):
        return tuple(append_kv(KVCache(old_key, old_value), key, value))

    assert torch.autograd.gradcheck(function, inputs)


# -- witnesses ------------------------------------------------------------------------------------


def test_agrees_with_torch(torch, torch_device):
    key, value = (torch.asarray(draw(B, H, S, n), device=torch_device) for n in (D, DV))
    cache = append_kv(KVCache(key[:, :, :3], value[:, :, :3]), key[:, :, 3:], value[:, :, 3:])
    torch.testing.assert_close(tuple(cache), (key, value), rtol=0, atol=0)


# -- messages -------------------------------------------------------------------------------------

SHAPES = {
    "width": (
        (B, S, D), (B, S, DV), (B, L, D + 2), (B, L, DV),
        r"cache.key has shape \(2, 7, 11\) and key \(2, 5, 13\); only their number of positions",
    ),
    "heads": (
        (B, H, S, D), (B, H, S, DV), (B, 1, L, D), (B, 1, L, DV),
        r"cache.key has shape \(2, 3, 7, 11\) and key \(2, 1, 5, 11\); only",
    ),
    "width of value": (
        (S, D), (S, DV), (L, D), (L, DV + 1),
        r"cache.value has shape \(7, 13\) and value \(5, 14\); only",
    ),
    "a key without value": (
        (S, D), (S, DV), (L, D), (L - 1, DV),
        r"^key and value differ in more than their width .* key \(5, 11\), value \(4, 13\)\)",
    ),
    "an old key without value": (
        (S, D), (S - 1, DV), (L, D), (L, DV),
        r"^cache.key and cache.value differ in more than their width",
    ),
    "vectors": (
        (D,), (DV,), (D,), (DV,),
        r"need at least two axes, positions and width \(cache.key \(11,\)",
    ),
}  # fmt: skip


@pytest.mark.bad_input
@pytest.mark.parametrize("case", SHAPES.values(), ids=SHAPES)
def test_refuses_shapes_that_do_not_fit(library, case):
    *shapes, message = case
    old_key, old_value, key, value = (library.asarray(np.zeros(shape)) for shape in shapes)
    with pytest.raises(ValueError, match=message):
        append_kv(KVCache(old_key, old_value), key, value)


@pytest.mark.bad_input
def test_refuses_what_is_no_cache_and_mixes(library):
    key, value = library.asarray(draw(S, D)), library.asarray(draw(S, DV))
    with pytest.raises(TypeError, match=r"cache is a tuple; make it one first: KVCache\(key, val"):
        append_kv((key, value), key, value)
    with pytest.raises(TypeError, match=r"one dtype \(cache.key .*float64, .* value .*float32\)"):
        append_kv(KVCache(key, value), key, library.asarray(draw(S, DV), "float32"))
    with pytest.raises(TypeError, match="cache.key has dtype .*int64, but needs a real floating"):
        integers = library.asarray(np.zeros((S, D)), "int64")
        append_kv(KVCache(integers, integers), integers, integers)
