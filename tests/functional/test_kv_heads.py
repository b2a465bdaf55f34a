import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnbook import repeat_kv_heads, scaled_dot_product_attention
from tests.functional import oracle
from tests.functional.inputs import DV, B, D, L, S, draw, draw_mask

G, N_SHARING = 3, 5
H = G * N_SHARING

# -- the formula ----------------------------------------------------------------------------------


@pytest.mark.parametrize("leading", [(), (B,), (2, 1, 7)], ids=str)
@pytest.mark.parametrize("n_sharing", [1, N_SHARING])
def test_query_head_h_uses_head_h_over_the_number_that_share(library, leading, n_sharing):
    x = draw(*leading, G, S, D)
    repeated = library.to_numpy(repeat_kv_heads(library.asarray(x), G * n_sharing))
    assert repeated.shape == (*leading, G * n_sharing, S, D)
    for h in range(G * n_sharing):
        assert_array_equal(repeated[..., h, :, :], x[..., h // n_sharing, :, :])


# -- properties and edges -------------------------------------------------------------------------


def test_tiling_is_something_else():
    x = draw(G, S, D)
    assert not np.array_equal(repeat_kv_heads(x, H), np.tile(x, (N_SHARING, 1, 1)))


def test_one_head_for_all_equals_broadcasting(library):
    query, key, value = draw(B, H, L, D), draw(B, 1, S, D), draw(B, 1, S, DV)
    query, key, value = map(library.asarray, (query, key, value))
    shared = scaled_dot_product_attention(query, key, value)
    repeated = scaled_dot_product_attention(
        query, repeat_kv_heads(key, H), repeat_kv_heads(value, H)
    )
    assert_allclose(library.to_numpy(shared), library.to_numpy(repeated), rtol=0, atol=1e-14)


@pytest.mark.parametrize("shape", [(L, S), (B, 1, L, S), (1, H, L, S), (B, H, L, S)], ids=str)
def test_masks_and_biases_are_those_of_the_query_heads(library, shape):
    query, key, value = draw(B, H, L, D), draw(B, G, S, D), draw(B, G, S, DV)
    mask, bias = draw_mask(*shape), draw(*shape, seed=4)
    output = scaled_dot_product_attention(
        library.asarray(query),
        *(repeat_kv_heads(library.asarray(array), H) for array in (key, value)),
        mask=library.asarray(mask),
        bias=library.asarray(bias),
    )
    output = library.to_numpy(output)
    mask, bias = (np.broadcast_to(array, (B, H, L, S)) for array in (mask, bias))
    for b, h in np.ndindex(B, H):
        shared = key[b, h // N_SHARING], value[b, h // N_SHARING]
        alone = oracle.attention(query[b, h], *shared, mask[b, h], bias[b, h])
        assert_allclose(output[b, h], alone, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("shape", "n_heads"),
    [((0, G, S, D), H), ((G, 0, D), H), ((G, S, 0), H), ((G, S, D), 0), ((0, S, D), 0)],
    ids=str,
)
def test_axes_of_length_zero(library, shape, n_heads):
    repeated = repeat_kv_heads(library.asarray(np.zeros(shape)), n_heads)
    assert tuple(repeated.shape) == (*shape[:-3], n_heads, *shape[-2:])


def test_views_that_are_not_contiguous(library):
    view = library.xp.permute_dims(library.asarray(draw(S, G, D)), (1, 0, 2))
    expected = np.repeat(draw(S, G, D).swapaxes(0, 1), N_SHARING, axis=0)
    assert_array_equal(library.to_numpy(repeat_kv_heads(view, H)), expected)


# -- dtype, device, inputs, gradients -------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_keeps_the_dtype(library, dtype):
    x = library.asarray(draw(G, S, D), dtype)
    assert repeat_kv_heads(x, H).dtype == x.dtype


def test_keeps_the_device_of_array_api_strict():
    strict = pytest.importorskip("array_api_strict")
    device = strict.Device("device1")
    assert repeat_kv_heads(strict.zeros((G, S, D), device=device), H).device == device


def test_keeps_the_device_of_torch(torch):
    assert repeat_kv_heads(torch.zeros(G, S, D, device="meta"), H).device.type == "meta"


def test_leaves_its_input_alone(library):
    x = library.asarray(draw(G, S, D))
    repeat_kv_heads(x, H)
    assert_array_equal(library.to_numpy(x), draw(G, S, D))


def test_gradients(torch, torch_device):
    x = torch.asarray(draw(2, 3, 2), device=torch_device).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: repeat_kv_heads(x, 6), x)


def test_a_gradient_is_the_sum_over_the_heads_that_share(torch, torch_device):
    x = torch.asarray(draw(G, S, D), device=torch_device).requires_grad_()
    direction = torch.asarray(draw(H, S, D), device=torch_device)
    (gradient,) = torch.autograd.grad(repeat_kv_heads(x, H), x, direction)
    torch.testing.assert_close(gradient, direction.reshape(G, N_SHARING, S, D).sum(1))


# -- witnesses ------------------------------------------------------------------------------------


def test_agrees_with_torch(torch, torch_device):
    inputs = draw(B, H, L, D), draw(B, G, S, D), draw(B, G, S, DV)
    query, key, value = (torch.asarray(array, device=torch_device) for array in inputs)
    ours = scaled_dot_product_attention(query, repeat_kv_heads(key, H), repeat_kv_heads(value, H))
    native = torch.nn.functional.scaled_dot_product_attention
    theirs = native(query, key, value, enable_gqa=True)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)
    assert_array_equal(
        repeat_kv_heads(key, H).cpu(), key.repeat_interleave(N_SHARING, dim=-3).cpu()
    )


# -- messages -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_kv_heads", "n_heads"), [(3, 4), (3, 2), (0, 4)])
def test_refuses_heads_that_do_not_divide(library, n_kv_heads, n_heads):
    message = f"{n_heads} query heads cannot share {n_kv_heads} key/value heads evenly"
    with pytest.raises(ValueError, match=message):
        repeat_kv_heads(library.asarray(np.zeros((n_kv_heads, S, D))), n_heads)


@pytest.mark.bad_input
def test_refuses_what_is_no_head_or_no_number(library):
    with pytest.raises(ValueError, match=r"x has shape \(7, 11\), .* is x\[None, \.\.\.\]"):
        repeat_kv_heads(library.asarray(draw(S, D)), 2)
    with pytest.raises(TypeError, match="n_heads must be an integer, but is 6.0"):
        repeat_kv_heads(library.asarray(draw(G, S, D)), 6.0)
    with pytest.raises(ValueError, match="n_heads must be 0 or more, but is -3"):
        repeat_kv_heads(library.asarray(draw(G, S, D)), -3)
    with pytest.raises(TypeError, match="x is a list, not an array"):
        repeat_kv_heads([[[1.0]]], 2)


def test_attention_says_how_to_share(library):
    query, key, value = draw(B, H, L, D), draw(B, G, S, D), draw(B, G, S, DV)
    with pytest.raises(ValueError, match=rf"as repeat_kv_heads\(key, {H}\) does"):
        scaled_dot_product_attention(*map(library.asarray, (query, key, value)))
