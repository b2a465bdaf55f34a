import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnbook import softmax
from tests.functional import oracle
from tests.functional.inputs import B, L, S, draw

INF = math.inf

# -- the formula ----------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [-1, -2, -3, 0, 1, 2])
def test_equals_the_formula_along_every_axis(library, axis):
    scores = 3 * draw(B, L, S)
    rows = np.moveaxis(scores, axis, -1)
    expected = np.apply_along_axis(oracle.softmax, -1, rows)
    weights = library.to_numpy(softmax(library.asarray(scores), axis=axis))
    assert_allclose(np.moveaxis(weights, axis, -1), expected, rtol=0, atol=1e-12)


def test_runs_over_the_last_axis_unless_told(library):
    scores = library.asarray(draw(L, S))
    assert_array_equal(library.to_numpy(softmax(scores)), library.to_numpy(softmax(scores, axis=1)))


# -- properties -----------------------------------------------------------------------------------

SCORES = st.lists(st.floats(-700, 700), min_size=1, max_size=11)


@given(SCORES)
def test_weights_are_positive_and_sum_to_one(scores):
    weights = softmax(np.array(scores))
    assert np.all(weights >= 0)
    assert_allclose(weights.sum(), 1, rtol=1e-14)


@given(SCORES, st.floats(-1e3, 1e3))
def test_a_constant_added_to_all_scores_changes_nothing(scores, constant):
    scores = np.array(scores)
    assert_allclose(softmax(scores + constant), softmax(scores), rtol=1e-10, atol=1e-300)


@given(SCORES)
def test_larger_scores_get_no_smaller_weights(scores):
    order = np.argsort(scores)
    assert np.all(np.diff(softmax(np.array(scores))[order]) >= 0)


# -- edges ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "weights"),
    [
        pytest.param([1e4, 1e4], [0.5, 0.5], id="exponential too large for any dtype"),
        pytest.param([-1e4, -1e4], [0.5, 0.5], id="exponentials all too small"),
        pytest.param([1e300, -1e300], [1, 0], id="as far apart as floats go"),
        pytest.param([-INF, 0, 0], [0, 0.5, 0.5], id="one score hidden"),
        pytest.param([-INF, -INF, -INF], [0, 0, 0], id="all scores hidden"),
        pytest.param([-INF], [0], id="the only score hidden"),
        pytest.param([7], [1], id="one score"),
        pytest.param([], [], id="no score"),
    ],
)
def test_edges(library, scores, weights):
    scores = library.asarray(scores, "float64")
    assert_array_equal(library.to_numpy(softmax(scores)), weights)


@pytest.mark.parametrize("shape", [(0,), (0, S), (S, 0), (B, 0, S)])
@pytest.mark.parametrize("axis", [0, -1])
def test_empty_in_empty_out(library, shape, axis):
    assert softmax(library.asarray(np.zeros(shape)), axis=axis).shape == shape


def test_nan_is_not_hidden(library):
    weights = library.to_numpy(softmax(library.asarray([[math.nan, 0.0], [0.0, 0.0]])))
    assert_array_equal(weights, [[math.nan, math.nan], [0.5, 0.5]])


def test_reads_views_that_are_not_contiguous(library):
    scores = draw(S, L)
    view = library.xp.permute_dims(library.asarray(scores), (1, 0))[:, ::2]
    copy = library.asarray(scores.T[:, ::2])
    assert_array_equal(library.to_numpy(softmax(view)), library.to_numpy(softmax(copy)))


# -- dtype, device, inputs ------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_keeps_the_dtype(library, dtype):
    scores = library.asarray(draw(L, S), dtype)
    assert softmax(scores).dtype == scores.dtype


def test_keeps_the_device_of_array_api_strict():
    strict = pytest.importorskip("array_api_strict")
    device = strict.Device("device1")
    assert softmax(strict.zeros((L, S), device=device)).device == device


def test_keeps_the_device_of_torch(torch):
    scores = torch.zeros(L, S, device="meta", dtype=torch.bfloat16)
    weights = softmax(scores)
    assert weights.device == scores.device
    assert weights.dtype == scores.dtype


def test_leaves_the_scores_alone(library):
    scores = draw(L, S)
    array = library.asarray(scores)
    softmax(array)
    assert_array_equal(library.to_numpy(array), scores)


# -- gradients ------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1])
def test_gradients(torch, torch_device, axis):
    scores = torch.asarray(draw(L, S), device=torch_device).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: softmax(x, axis=axis), scores)
    assert torch.autograd.gradgradcheck(lambda x: softmax(x, axis=axis), scores)


def test_gradients_of_hidden_scores_are_zero(torch, torch_device):
    scores = torch.asarray([[-INF, -INF], [-INF, 2.0]], device=torch_device).requires_grad_()
    (
        softmax(scores) * torch.asarray([[1.0, 2.0], [3.0, 4.0]], device=torch_device)
    ).sum().backward()
    assert_array_equal(scores.grad.cpu().numpy(), np.zeros((2, 2)))


# -- witnesses ------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_agrees_with_torch(torch, torch_device, axis):
    scores = torch.asarray(30 * draw(B, L, S), device=torch_device)
    scores[1, 2, 3] = -INF
    torch.testing.assert_close(softmax(scores, axis=axis), scores.softmax(axis), rtol=0, atol=1e-12)


def test_gives_zero_where_torch_gives_nan(torch):
    scores = torch.full((S,), -INF)
    assert scores.softmax(-1).isnan().all()
    assert (softmax(scores) == 0).all()


# -- messages -------------------------------------------------------------------------------------


@pytest.mark.bad_input
@pytest.mark.parametrize("dtype", ["int64", "bool"])
def test_refuses_other_dtypes(library, dtype):
    with pytest.raises(TypeError, match=rf"scores has dtype .*{dtype}, but needs a real floating"):
        softmax(library.asarray([0, 1], dtype))


@pytest.mark.bad_input
def test_refuses_complex_numbers():
    with pytest.raises(TypeError, match="scores has dtype complex128, but needs a real floating"):
        softmax(np.array([1j]))


@pytest.mark.bad_input
def test_refuses_lists():
    with pytest.raises(TypeError, match=r"scores is a list, not an array; .*numpy\.asarray"):
        softmax([0.0, 1.0])


@pytest.mark.parametrize("axis", [2, -3])
def test_refuses_an_axis_out_of_range(library, axis):
    message = rf"axis {axis} is out of range: scores has shape \(5, 7\), .* numbered -2 to 1"
    with pytest.raises(ValueError, match=message):
        softmax(library.asarray(draw(L, S)), axis=axis)


def test_refuses_a_single_number(library):
    with pytest.raises(ValueError, match="a single number without an axis"):
        softmax(library.asarray(0.0))


@pytest.mark.bad_input
@pytest.mark.parametrize("axis", [1.0, True, None, (0, 1)])
def test_refuses_an_axis_that_is_no_integer(axis):
    with pytest.raises(TypeError, match="axis must be an integer, but is "):
        softmax(np.zeros((2, 2)), axis=axis)
