import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnbook import gelu, gelu_tanh
from tests.functional import oracle
from tests.functional.inputs import B, D, L, draw

forms = pytest.mark.parametrize("form", [gelu, gelu_tanh], ids=lambda form: form.__name__)
GRID = np.concatenate([np.linspace(-8, 8, 4001), draw(999)])

# -- the formula ----------------------------------------------------------------------------------


# computed with 40 digits
DIGITS = {
    -30.0: -1.4720141781444561e-196,
    -8.0: -4.9767684594174273e-15,
    -5.5: -1.0444259356238246e-7,
    -3.0: -0.0040496940948902836,
    -1.0: -0.15865525393145705,
    -0.25: -0.10032341857926907,
    0.5: 0.34573123063700655,
    2.0: 1.9544997361036416,
}


def test_gelu_equals_the_formula(library):
    actual = library.to_numpy(gelu(library.asarray(GRID)))
    # the oracle rounds x / sqrt(2), which moves a tail by x² roundings
    assert_allclose(actual, np.vectorize(oracle.gelu)(GRID), rtol=2e-14)


def test_gelu_is_exact_to_the_last_digits(library):
    x, expected = np.array([*DIGITS]), [*DIGITS.values()]
    actual = library.to_numpy(gelu(library.asarray(x)))
    assert_allclose(actual[1:], expected[1:], rtol=3e-15)
    # one half plus half the error function has been 0 since -8.3
    assert_allclose(actual[0], expected[0], rtol=1e-13)


def test_gelu_tanh_equals_the_formula(library):
    actual = library.to_numpy(gelu_tanh(library.asarray(GRID)))
    assert_allclose(actual, np.vectorize(oracle.gelu_tanh)(GRID), rtol=1e-13, atol=1e-15)


# -- properties -----------------------------------------------------------------------------------


@forms
def test_mirrored_gates_add_up_to_one(library, form):
    """As Φ(x) + Φ(-x) = 1."""
    there, back = (library.to_numpy(form(library.asarray(x))) for x in (GRID, -GRID))
    assert_allclose(there - back, GRID, rtol=0, atol=2e-15)


def test_the_forms_differ_by_less_than_half_a_thousandth(library):
    x = library.asarray(GRID)
    gap = np.abs(library.to_numpy(gelu(x)) - library.to_numpy(gelu_tanh(x))).max()
    assert 0.0004 < gap < 0.0005


# -- edges ----------------------------------------------------------------------------------------

EDGES = [0.0, -0.0, math.inf, -math.inf, math.nan, 1e300, -1e300, 40.0, -40.0, 41.0, -41.0]


@forms
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_edges(library, form, dtype):
    largest = 1e300 if dtype == "float64" else 1e30
    x = np.clip(EDGES, -largest, largest)
    x[2:4] = math.inf, -math.inf
    actual = library.to_numpy(form(library.asarray(x, dtype)))
    expected = np.where(x > 0, x, 0) + np.where(np.isnan(x), x, 0)
    assert_allclose(actual, expected, rtol=1e-6, atol=1e-300)


@forms
@pytest.mark.parametrize("shape", [(), (0,), (L, 0), (B, L, D)], ids=str)
def test_any_shape(library, form, shape):
    assert tuple(form(library.asarray(np.zeros(shape))).shape) == shape


@forms
def test_views_that_are_not_contiguous(library, form):
    view = library.xp.permute_dims(library.asarray(draw(D, L)), (1, 0))[:, ::2]
    copy = library.asarray(draw(D, L).T[:, ::2])
    assert_allclose(library.to_numpy(form(view)), library.to_numpy(form(copy)), rtol=1e-14)


# -- dtype, device, inputs ------------------------------------------------------------------------


@forms
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_keeps_the_dtype(library, form, dtype):
    x = library.asarray(draw(L, D), dtype)
    assert form(x).dtype == x.dtype


@forms
def test_float32_is_as_exact_as_float32(library, form):
    x = GRID.astype(np.float32)
    exact = form(x.astype(np.float64))
    assert_allclose(library.to_numpy(form(library.asarray(x, "float32"))), exact, rtol=1e-5)


@forms
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sixteen_bits_are_rounded_once(torch, form, dtype):
    x = torch.asarray(GRID).to(getattr(torch, dtype))
    exact = form(x.double())
    error, least = (
        np.abs((a.double() - exact).numpy()).max() for a in (form(x), exact.to(x.dtype))
    )
    assert error <= 1.01 * least


@forms
def test_keeps_the_device_of_array_api_strict(form):
    strict = pytest.importorskip("array_api_strict")
    device = strict.Device("device1")
    assert form(strict.zeros((L, D), device=device)).device == device


@forms
def test_keeps_the_device_of_torch(torch, form):
    y = form(torch.zeros(L, D, device="meta", dtype=torch.bfloat16))
    assert y.device.type == "meta"
    assert y.dtype == torch.bfloat16


@forms
def test_leaves_its_input_alone(library, form):
    x = library.asarray(draw(L, D))
    form(x)
    assert_array_equal(library.to_numpy(x), draw(L, D))


# -- gradients ------------------------------------------------------------------------------------


@forms
def test_gradients(torch, torch_device, form):
    x = torch.asarray([*draw(31), 0.0, 6.0, -6.0, 20.0, -20.0], device=torch_device)
    x.requires_grad_()
    assert torch.autograd.gradcheck(form, x)
    assert torch.autograd.gradgradcheck(form, x)


@forms
def test_gradients_at_the_edges_are_those_of_the_limit(torch, torch_device, form):
    x = torch.asarray([0.0, math.inf, -math.inf, 1e9, -1e9], device=torch_device).requires_grad_()
    form(x).backward(torch.ones_like(x))
    assert_array_equal(x.grad.cpu(), [0.5, 1, 0, 1, 0])


# -- witnesses ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("form", "name"), [(gelu, "none"), (gelu_tanh, "tanh")])
def test_agrees_with_torch(torch, torch_device, form, name):
    x = torch.asarray(GRID, device=torch_device).requires_grad_()
    ours, theirs = form(x), torch.nn.functional.gelu(x, approximate=name)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=2e-15)
    our, their = (torch.autograd.grad(y.sum(), x)[0] for y in (ours, theirs))
    torch.testing.assert_close(our, their, rtol=0, atol=1e-13)


# -- messages -------------------------------------------------------------------------------------


@pytest.mark.bad_input
@forms
def test_refuses_other_dtypes(library, form):
    with pytest.raises(TypeError, match="x has dtype .*int64, but needs a real floating"):
        form(library.asarray([0, 1], "int64"))


@pytest.mark.bad_input
@forms
def test_refuses_lists(form):
    with pytest.raises(TypeError, match="x is a list, not an array"):
        form([0.0, 1.0])
