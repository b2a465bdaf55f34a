"""Layer normalization and its simpler sibling, held to the same rules."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnbook import layer_norm, rms_norm
from tests.functional import oracle
from tests.functional.inputs import B, D, L, draw

GAIN, BIAS = draw(D, seed=1), draw(D, seed=2)

norms = pytest.mark.parametrize("norm", [layer_norm, rms_norm], ids=lambda norm: norm.__name__)


def call(library, norm, x, *learned, **settings):
    """Call the package on the library's arrays; NumPy in, NumPy out."""
    arrays = (None if array is None else library.asarray(array) for array in (x, *learned))
    return library.to_numpy(norm(*arrays, **settings))


# -- the formula ----------------------------------------------------------------------------------


@pytest.mark.parametrize("leading", [(), (L,), (B, L), (2, 1, 7)], ids=str)
@pytest.mark.parametrize("eps", [1e-5, 0.5, np.float64(1e-6)])
@pytest.mark.parametrize("gain", [None, GAIN], ids=["no gain", "gain"])
@pytest.mark.parametrize("bias", [None, BIAS], ids=["no bias", "bias"])
def test_layer_norm_equals_the_formula(library, leading, eps, gain, bias):
    x = 3 * draw(*leading, D) + 2
    g, b = (np.full(D, n) if a is None else a for a, n in ((gain, 1.0), (bias, 0.0)))
    expected = np.apply_along_axis(
        lambda row: oracle.layer_norm(row.tolist(), g.tolist(), b.tolist(), float(eps)), -1, x
    )
    actual = call(library, layer_norm, x, gain, bias, eps=eps)
    assert_allclose(actual, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("leading", [(), (L,), (B, L), (2, 1, 7)], ids=str)
@pytest.mark.parametrize("eps", [1e-5, 0.5, np.float64(1e-6)])
@pytest.mark.parametrize("gain", [None, GAIN], ids=["no gain", "gain"])
def test_rms_norm_equals_the_formula(library, leading, eps, gain):
    x = 3 * draw(*leading, D) + 2
    g = np.ones(D) if gain is None else gain
    expected = np.apply_along_axis(
        lambda row: oracle.rms_norm(row.tolist(), g.tolist(), float(eps)), -1, x
    )
    assert_allclose(call(library, rms_norm, x, gain, eps=eps), expected, rtol=0, atol=1e-12)


# -- properties -----------------------------------------------------------------------------------


def test_layer_norm_gives_mean_zero_and_variance_one(library):
    y = call(library, layer_norm, 3 * draw(B, L, D) + 2, eps=1e-15)
    assert_allclose(y.mean(-1), 0, atol=1e-14)
    assert_allclose(y.var(-1), 1, rtol=1e-13)


def test_rms_norm_gives_mean_square_one_and_keeps_direction(library):
    x = 3 * draw(B, L, D) + 2
    y = call(library, rms_norm, x, eps=1e-15)
    assert_allclose((y**2).mean(-1), 1, rtol=1e-13)
    assert_allclose(np.std(y / x, axis=-1), 0, atol=1e-14)


def test_layer_norm_ignores_shift_and_scale(library):
    x = draw(B, L, D)
    moved = call(library, layer_norm, 7 * x - 5, GAIN, BIAS, eps=1e-12)
    assert_allclose(moved, call(library, layer_norm, x, GAIN, BIAS, eps=1e-12), atol=1e-10)


def test_rms_norm_ignores_scale_but_not_shift(library):
    x = draw(B, L, D)
    y = call(library, rms_norm, x, GAIN, eps=1e-12)
    assert_allclose(call(library, rms_norm, 7 * x, GAIN, eps=1e-12), y, atol=1e-10)
    assert not np.allclose(call(library, rms_norm, x + 5, GAIN), y)


def test_of_centred_vectors_both_are_one(library):
    x = draw(B, L, D)
    x -= x.mean(-1, keepdims=True)
    assert_allclose(call(library, rms_norm, x), call(library, layer_norm, x), rtol=0, atol=1e-14)


@norms
def test_each_vector_is_normalized_alone(library, norm):
    x = draw(B, L, D)
    together = call(library, norm, x, GAIN)
    for at in np.ndindex(B, L):
        assert_allclose(call(library, norm, x[at], GAIN), together[at], rtol=0, atol=1e-14)


# -- edges ----------------------------------------------------------------------------------------


@norms
def test_zeros_stay_zeros(library, norm):
    assert_array_equal(call(library, norm, np.zeros((L, D)), GAIN), np.zeros((L, D)))


def test_layer_norm_of_equal_components_is_the_bias(library):
    y = call(library, layer_norm, np.full((L, D), 3.0), GAIN, BIAS)
    assert_array_equal(y, np.broadcast_to(BIAS, (L, D)))


def test_layer_norm_survives_a_large_mean(library):
    # the mean of squares minus the square of the mean has no digit left here
    y = call(library, layer_norm, np.array([[1e9 - 1, 1e9 + 1]]), eps=1e-12)
    assert_allclose(y, [[-1, 1]], rtol=1e-6)


@norms
@pytest.mark.parametrize("shape", [(0,), (L, 0), (0, D), (0, 0)], ids=str)
def test_lengths_of_zero(library, norm, shape):
    assert call(library, norm, np.zeros(shape), np.ones(shape[-1])).shape == shape


def test_width_one(library):
    assert_array_equal(call(library, layer_norm, np.array([[5.0]])), [[0]])
    assert_allclose(call(library, rms_norm, np.array([[-5.0]])), [[-1]], rtol=1e-6)


@norms
def test_nan_spoils_its_own_vector_alone(library, norm):
    x = draw(L, D)
    x[2, 3] = math.nan
    y = call(library, norm, x)
    assert_array_equal(np.isnan(y), np.broadcast_to((np.arange(L) == 2)[:, None], (L, D)))


@norms
def test_views_that_are_not_contiguous(library, norm):
    view = library.xp.permute_dims(library.asarray(draw(D, L)), (1, 0))
    expected = call(library, norm, np.array(draw(D, L).T))
    assert_allclose(library.to_numpy(norm(view)), expected, rtol=0, atol=1e-14)


# -- dtype, device, inputs ------------------------------------------------------------------------


@norms
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("gain_dtype", ["float32", "float64"])
def test_keeps_the_dtype_of_x(library, norm, dtype, gain_dtype):
    x, gain = library.asarray(draw(L, D), dtype), library.asarray(GAIN, gain_dtype)
    assert norm(x, gain, eps=np.float64(1e-5)).dtype == x.dtype


@norms
def test_keeps_the_device_of_array_api_strict(norm):
    strict = pytest.importorskip("array_api_strict")
    device = strict.Device("device1")
    x, gain = strict.ones((L, D), device=device), strict.ones(D, device=device)
    assert norm(x, gain).device == device


@norms
def test_keeps_the_device_of_torch(torch, norm):
    x = torch.zeros(L, D, device="meta", dtype=torch.bfloat16)
    y = norm(x, torch.zeros(D, device="meta"))
    assert y.device.type == "meta"
    assert y.dtype == torch.bfloat16


@norms
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sixteen_bits_are_rounded_once(torch, norm, dtype):
    # the squares of most of these are beyond float16
    x = (300 * torch.asarray(draw(B, L, D))).to(getattr(torch, dtype))
    exact = norm(x.double())
    error, least = (
        np.abs((a.double() - exact).numpy()).max() for a in (norm(x), exact.to(x.dtype))
    )
    assert error <= 1.01 * least


@norms
def test_leaves_its_inputs_alone(library, norm):
    x, gain = library.asarray(draw(L, D)), library.asarray(GAIN)
    norm(x, gain)
    assert_array_equal(library.to_numpy(x), draw(L, D))
    assert_array_equal(library.to_numpy(gain), GAIN)


# -- gradients ------------------------------------------------------------------------------------


@norms
def test_gradients(torch, torch_device, norm):
    inputs = [draw(2, 3, 5), draw(5, seed=1), draw(5, seed=2)][: 3 if norm is layer_norm else 2]
    inputs = [torch.asarray(array, device=torch_device).requires_grad_() for array in inputs]
    assert torch.autograd.gradcheck(norm, inputs)
    assert torch.autograd.gradgradcheck(norm, inputs)


@norms
def test_gradients_at_zero_are_finite(torch, torch_device, norm):
    x = torch.zeros(L, D, device=torch_device, requires_grad=True)
    direction = torch.asarray(draw(L, D), device=torch_device, dtype=x.dtype)
    (gradient,) = torch.autograd.grad(norm(x), x, direction)
    assert gradient.isfinite().all()


# -- witnesses ------------------------------------------------------------------------------------


@pytest.mark.parametrize("eps", [1e-5, 0.5])
def test_layer_norm_agrees_with_torch(torch, torch_device, eps):
    x, gain, bias = (torch.asarray(a, device=torch_device) for a in (draw(B, L, D), GAIN, BIAS))
    theirs = torch.nn.functional.layer_norm(x, (D,), gain, bias, eps)
    torch.testing.assert_close(layer_norm(x, gain, bias, eps=eps), theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("eps", [1e-5, 0.5])
def test_rms_norm_agrees_with_torch(torch, torch_device, eps):
    x, gain = (torch.asarray(a, device=torch_device) for a in (draw(B, L, D), GAIN))
    theirs = torch.nn.functional.rms_norm(x, (D,), gain, eps)
    torch.testing.assert_close(rms_norm(x, gain, eps=eps), theirs, rtol=0, atol=1e-12)


# -- messages -------------------------------------------------------------------------------------


@pytest.mark.bad_input
@norms
def test_refuses_learned_numbers_that_do_not_fit(library, norm):
    x = library.asarray(draw(B, L, D))
    for shape in [(L,), (1,), (L, D), ()]:
        with pytest.raises(ValueError, match=r"gain has shape .* one number for each component"):
            norm(x, library.asarray(np.ones(shape)))


@pytest.mark.bad_input
def test_refuses_a_bias_that_does_not_fit(library):
    with pytest.raises(ValueError, match=r"bias has shape \(5,\), .* of x \(5, 11\): shape \(11,"):
        layer_norm(library.asarray(draw(L, D)), bias=library.asarray(draw(L)))


@norms
@pytest.mark.parametrize("eps", [0.0, -1e-5, math.nan, math.inf])
def test_refuses_an_eps_that_is_not_above_zero(norm, eps):
    with pytest.raises(ValueError, match="eps must be finite and above 0, but is "):
        norm(draw(L, D), eps=eps)


@pytest.mark.bad_input
@norms
def test_refuses_what_is_no_vector(library, norm):
    with pytest.raises(ValueError, match="x is a single number without an axis"):
        norm(library.asarray(1.0))
    with pytest.raises(TypeError, match="x has dtype .*int64, but needs a real floating"):
        norm(library.asarray([1, 2], "int64"))
    with pytest.raises(TypeError, match="gain has dtype .*bool, but needs a real floating"):
        norm(library.asarray(draw(L, 2)), library.asarray([True, False]))
    with pytest.raises(TypeError, match="eps is a NoneType, but needs to be a number"):
        norm(library.asarray(draw(L, D)), eps=None)
    with pytest.raises(TypeError, match="x is a list, not an array"):
        norm([1.0, 2.0])


@pytest.mark.bad_input
@norms
def test_refuses_a_mix_of_libraries(torch, norm):
    with pytest.raises(TypeError, match=r"one library \(x from torch, gain from numpy\)"):
        norm(torch.zeros(L, D), GAIN)
