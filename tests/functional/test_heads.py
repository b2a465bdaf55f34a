import numpy as np
import pytest
from numpy.testing import assert_array_equal

from attnbook import merge_heads, split_heads
from tests.functional.inputs import B, D, H, L, draw

LEADING = [(), (B,), (2, 1, 7)]

# -- the formula ----------------------------------------------------------------------------------


@pytest.mark.parametrize("leading", LEADING, ids=str)
def test_split_equals_the_formula(library, leading):
    x = draw(*leading, L, H * D)
    heads = library.to_numpy(split_heads(library.asarray(x), H))
    assert heads.shape == (*leading, H, L, D)
    for h in range(H):
        for i in range(L):
            for d in range(D):
                assert_array_equal(heads[..., h, i, d], x[..., i, h * D + d])


@pytest.mark.parametrize("leading", LEADING, ids=str)
def test_merge_equals_the_formula(library, leading):
    heads = draw(*leading, H, L, D)
    x = library.to_numpy(merge_heads(library.asarray(heads)))
    assert x.shape == (*leading, L, H * D)
    for h in range(H):
        for i in range(L):
            for d in range(D):
                assert_array_equal(x[..., i, h * D + d], heads[..., h, i, d])


# -- properties and edges -------------------------------------------------------------------------


@pytest.mark.parametrize("n_heads", [1, H, D, H * D])
def test_each_undoes_the_other(library, n_heads):
    x = draw(B, L, H * D)
    heads = split_heads(library.asarray(x), n_heads)
    assert_array_equal(library.to_numpy(merge_heads(heads)), x)
    again = split_heads(merge_heads(heads), n_heads)
    assert_array_equal(library.to_numpy(again), library.to_numpy(heads))


def test_a_reshape_alone_would_mix_heads_and_positions():
    x = draw(L, H * D)
    assert not np.array_equal(split_heads(x, H), x.reshape(H, L, D))


@pytest.mark.parametrize("shape", [(0, H * D), (L, 0), (0, L, H * D), (0, 0, 0)], ids=str)
def test_axes_of_length_zero(library, shape):
    heads = split_heads(library.asarray(np.zeros(shape)), H)
    assert tuple(heads.shape) == (*shape[:-2], H, shape[-2], shape[-1] // H)
    assert tuple(merge_heads(heads).shape) == shape


@pytest.mark.bad_input  # for the annotation, which says int to be read easily
def test_a_number_of_heads_may_be_an_integer_of_numpy(library):
    x = library.asarray(draw(L, H * D))
    assert tuple(split_heads(x, np.int64(H)).shape) == (H, L, D)


def test_views_that_are_not_contiguous(library):
    x = draw(L, B, H * D)
    view = library.xp.permute_dims(library.asarray(x), (1, 0, 2))
    heads = split_heads(view, H)
    assert_array_equal(library.to_numpy(heads), split_heads(np.swapaxes(x, 0, 1), H))
    assert_array_equal(library.to_numpy(merge_heads(heads)), np.swapaxes(x, 0, 1))


# -- dtype, device, inputs, gradients -------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_keeps_the_dtype(library, dtype):
    x = library.asarray(draw(L, H * D), dtype)
    assert split_heads(x, H).dtype == x.dtype
    assert merge_heads(split_heads(x, H)).dtype == x.dtype


def test_keeps_the_device_of_array_api_strict():
    strict = pytest.importorskip("array_api_strict")
    device = strict.Device("device1")
    heads = split_heads(strict.zeros((L, H * D), device=device), H)
    assert heads.device == merge_heads(heads).device == device


def test_keeps_the_device_of_torch(torch):
    heads = split_heads(torch.zeros(L, H * D, device="meta"), H)
    assert heads.device.type == merge_heads(heads).device.type == "meta"


def test_leaves_its_input_alone(library):
    x = library.asarray(draw(L, H * D))
    merge_heads(split_heads(x, H))
    assert_array_equal(library.to_numpy(x), draw(L, H * D))


def test_gradients_go_home(torch, torch_device):
    x = torch.asarray(draw(B, L, H * D), device=torch_device).requires_grad_()
    direction = torch.asarray(draw(B, L, H * D, seed=1), device=torch_device)
    (gradient,) = torch.autograd.grad(merge_heads(split_heads(x, H)), x, direction)
    assert_array_equal(gradient.cpu(), direction.cpu())


# -- messages -------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_heads", [2, H * D + 1])
def test_refuses_heads_that_do_not_divide_the_width(library, n_heads):
    message = rf"the width of x, its last axis, is 33, .* not divide into {n_heads} heads"
    with pytest.raises(ValueError, match=message):
        split_heads(library.asarray(draw(L, H * D)), n_heads)


@pytest.mark.parametrize("n_heads", [0, -3])
def test_refuses_fewer_than_one_head(n_heads):
    with pytest.raises(ValueError, match=f"n_heads must be 1 or more, but is {n_heads}"):
        split_heads(draw(L, H * D), n_heads)


@pytest.mark.bad_input
@pytest.mark.parametrize("n_heads", [3.0, True, None, "3"])
def test_refuses_a_number_of_heads_that_is_no_integer(n_heads):
    with pytest.raises(TypeError, match=f"n_heads must be an integer, but is {n_heads!r}"):
        split_heads(draw(L, H * D), n_heads)


@pytest.mark.bad_input
def test_refuses_too_few_axes(library):
    with pytest.raises(ValueError, match=r"x has shape \(33,\), but needs at least two axes"):
        split_heads(library.asarray(draw(H * D)), H)
    with pytest.raises(ValueError, match=r"x has shape \(5, 11\), .* is x\[None, \.\.\.\]"):
        merge_heads(library.asarray(draw(L, D)))


@pytest.mark.bad_input
def test_refuses_what_is_no_array():
    with pytest.raises(TypeError, match="x is a list, not an array"):
        split_heads([[1.0, 2.0]], 2)
    with pytest.raises(TypeError, match="x is a list, not an array"):
        merge_heads([[[1.0, 2.0]]])
