import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnbook import softcap
from tests.functional import oracle
from tests.functional.inputs import B, L, S, draw

# -- the formula ----------------------------------------------------------------------------------


@pytest.mark.parametrize("cap", [0.5, 50.0, np.float64(30)])
def test_equals_the_formula(library, cap):
    scores = 10 * draw(B, L, S)
    expected = np.vectorize(oracle.softcap)(scores, float(cap))
    capped = library.to_numpy(softcap(library.asarray(scores), cap))
    assert_allclose(capped, expected, rtol=1e-14)


# -- properties and edges -------------------------------------------------------------------------

SCORES = st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=11)


@given(SCORES, st.floats(1e-3, 1e3))
def test_keeps_order_and_bound_and_sign(scores, cap):
    scores = np.sort(scores)
    capped = softcap(scores, cap)
    assert np.all(np.abs(capped) <= cap)
    assert np.all(np.diff(capped) >= 0)
    assert_array_equal(np.sign(capped), np.sign(np.where(capped == 0, 0, scores)))


def test_leaves_small_scores_nearly_as_they_are(library):
    scores = draw(L, S)
    capped = library.to_numpy(softcap(library.asarray(scores), 1e6))
    assert_allclose(capped, scores, rtol=1e-10)


def test_infinity_becomes_the_cap_and_nan_stays(library):
    scores = library.asarray([-math.inf, math.inf, math.nan, 0.0])
    assert_array_equal(library.to_numpy(softcap(scores, 3.0)), [-3, 3, math.nan, 0])


@pytest.mark.parametrize("shape", [(), (0,), (S, 0)], ids=str)
def test_any_shape(library, shape):
    assert tuple(softcap(library.asarray(np.zeros(shape)), 1.0).shape) == shape


# -- dtype, device, inputs ------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_keeps_the_dtype(library, dtype):
    scores = library.asarray(draw(L, S), dtype)
    assert softcap(scores, np.float64(2)).dtype == scores.dtype


def test_keeps_the_device_of_array_api_strict():
    strict = pytest.importorskip("array_api_strict")
    device = strict.Device("device1")
    assert softcap(strict.zeros((L, S), device=device), 2.0).device == device


def test_keeps_the_device_of_torch(torch):
    capped = softcap(torch.zeros(L, S, device="meta", dtype=torch.bfloat16), 2.0)
    assert capped.device.type == "meta"
    assert capped.dtype == torch.bfloat16


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sixteen_bits_are_rounded_once(torch, dtype):
    scores = torch.asarray(10 * draw(B, L, S)).to(getattr(torch, dtype))
    exact = softcap(scores.double(), 3.0)
    assert_array_equal(softcap(scores, 3.0).float(), exact.to(scores.dtype).float())


def test_leaves_the_scores_alone(library):
    scores = library.asarray(draw(L, S))
    softcap(scores, 0.5)
    assert_array_equal(library.to_numpy(scores), draw(L, S))


# -- gradients, witnesses -------------------------------------------------------------------------


def test_gradients(torch, torch_device):
    scores = torch.asarray(draw(L, S), device=torch_device).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: softcap(x, 0.7), scores)
    assert torch.autograd.gradgradcheck(lambda x: softcap(x, 0.7), scores)


def test_agrees_with_torch(torch, torch_device):
    scores = torch.asarray(10 * draw(L, S), device=torch_device)
    torch.testing.assert_close(softcap(scores, 5.0), torch.tanh(scores / 5) * 5)


# -- messages -------------------------------------------------------------------------------------


@pytest.mark.parametrize("cap", [0, -1.0, math.inf, math.nan])
def test_refuses_a_cap_that_is_no_bound(cap):
    with pytest.raises(ValueError, match="cap must be finite and above 0, but is "):
        softcap(draw(L, S), float(cap))


@pytest.mark.bad_input
@pytest.mark.parametrize("cap", ["1", True, None, np.ones(1)], ids=repr)
def test_refuses_a_cap_that_is_no_number(cap):
    with pytest.raises(TypeError, match=f"cap is a {type(cap).__name__}, but needs to be a number"):
        softcap(draw(L, S), cap)


@pytest.mark.bad_input
def test_refuses_other_dtypes(library):
    with pytest.raises(TypeError, match="scores has dtype .*int64, but needs a real floating"):
        softcap(library.asarray([0, 1], "int64"), 1.0)
