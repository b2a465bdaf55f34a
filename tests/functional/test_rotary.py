import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnbook import attention_scores, rotary_angles, rotary_half_split, rotary_interleaved
from tests.functional import oracle
from tests.functional.inputs import B, D, H, L, S, draw

# pairs are turned: an even width, and one component more that stays
R = D - 1
LAYOUTS = {
    "half-split": (rotary_half_split, [(i, i + R // 2) for i in range(R // 2)]),
    "interleaved": (rotary_interleaved, [(2 * i, 2 * i + 1) for i in range(R // 2)]),
}
POSITIONS = np.array([0, 1, 2, 17, 4095])

layouts = pytest.mark.parametrize(("rotary", "pairs"), LAYOUTS.values(), ids=LAYOUTS)


def turn(library, rotary, x, positions, *, width=R, base=10_000.0):
    """Call the package on the library's arrays; NumPy in, NumPy out."""
    angles = rotary_angles(np.asarray(positions), width, base=base)
    cos, sin = library.asarray(np.cos(angles)), library.asarray(np.sin(angles))
    return library.to_numpy(rotary(library.asarray(x), cos, sin))


# -- the formula ----------------------------------------------------------------------------------


@layouts
@pytest.mark.parametrize("base", [10_000.0, 500_000.0, 2.0])
def test_equals_the_formula(library, rotary, pairs, base):
    x = draw(B, H, L, D)
    expected = np.empty_like(x)
    for b, h, i in np.ndindex(B, H, L):
        row, position = x[b, h, i].tolist(), int(POSITIONS[i])
        expected[b, h, i] = oracle.rotary(row, position, pairs, base)
    turned = turn(library, rotary, x, POSITIONS, base=base)
    assert_allclose(turned, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float64"])
def test_angles_equal_the_formula(library, dtype):
    positions = library.asarray(POSITIONS, dtype)
    angles = library.to_numpy(rotary_angles(positions, R, base=50.0))
    assert angles.shape == (L, R // 2)
    # integers take the library's default, which is float32 in torch
    rtol = 1e-14 if angles.dtype == np.float64 else 1e-6
    for i, j in np.ndindex(angles.shape):
        assert_allclose(angles[i, j], POSITIONS[i] * 50.0 ** (-2 * j / R), rtol=rtol)


@layouts
def test_every_sequence_may_have_positions_of_its_own(library, rotary, pairs):
    x, positions = draw(B, H, L, D), np.stack([POSITIONS, POSITIONS[::-1]])
    turned = turn(library, rotary, x, positions[:, None, :])
    for b in range(B):
        alone = turn(library, rotary, x[b], positions[b])
        assert_allclose(turned[b], alone, rtol=0, atol=1e-14)


# -- properties -----------------------------------------------------------------------------------


@layouts
def test_keeps_norms(library, rotary, pairs):
    x = draw(B, H, L, D)
    turned = turn(library, rotary, x, POSITIONS)
    norms = [np.linalg.norm(array, axis=-1) for array in (turned, x)]
    assert_allclose(*norms, rtol=1e-14)


@layouts
@pytest.mark.parametrize("shift", [1, 100, -3])
def test_scores_depend_on_the_distance_alone(library, rotary, pairs, shift):
    query, key = draw(H, L, D), draw(H, S, D, seed=1)

    def scores(shift):
        turned_query = turn(library, rotary, query, np.arange(L) + shift)
        turned_key = turn(library, rotary, key, np.arange(S) + shift)
        return attention_scores(turned_query, turned_key)

    assert_allclose(scores(shift), scores(0), rtol=0, atol=1e-12)
    assert not np.allclose(scores(0), attention_scores(query, key))


def test_the_layouts_agree_after_one_permutation(library):
    x = draw(B, H, L, D)
    order = [*range(0, R, 2), *range(1, R, 2), R]
    half_split = turn(library, rotary_half_split, x[..., order], POSITIONS)
    interleaved = turn(library, rotary_interleaved, x, POSITIONS)
    assert_allclose(half_split, interleaved[..., order], rtol=0, atol=1e-14)
    assert not np.allclose(turn(library, rotary_half_split, x, POSITIONS), interleaved)


@layouts
def test_turning_twice_adds_the_angles(library, rotary, pairs):
    x = draw(L, D)
    twice = turn(library, rotary, turn(library, rotary, x, POSITIONS), 3 * np.ones(L))
    assert_allclose(twice, turn(library, rotary, x, POSITIONS + 3), rtol=0, atol=1e-12)


# -- edges ----------------------------------------------------------------------------------------


@layouts
@pytest.mark.parametrize("width", [0, 2, 4, R])
def test_what_is_beyond_the_turned_width_stays(library, rotary, pairs, width):
    x = draw(H, L, D)
    turned = turn(library, rotary, x, POSITIONS, width=width)
    assert_array_equal(turned[..., width:], x[..., width:])
    # position 0 turns nothing, every other turns everything
    assert_array_equal(turned[..., 0, :], x[..., 0, :])
    assert np.all(turned[..., 1:, :width] != x[..., 1:, :width])


@layouts
@pytest.mark.parametrize("shape", [(0, L, D), (0, D)], ids=str)
def test_lengths_of_zero(library, rotary, pairs, shape):
    assert turn(library, rotary, np.ones(shape), np.arange(shape[-2])).shape == shape


@layouts
def test_one_angle_for_all_positions(library, rotary, pairs):
    x = draw(H, L, D)
    shared, repeated = (turn(library, rotary, x, np.full(n, 7)) for n in (1, L))
    assert_array_equal(shared, repeated)


def test_positions_may_be_scaled():
    angles = rotary_angles(np.array([0.5, 1.0]), 4)
    assert_allclose(angles, [[0.5, 0.005], [1.0, 0.01]], rtol=1e-15)


# -- dtype, device, inputs ------------------------------------------------------------------------


@layouts
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("table_dtype", ["float32", "float64"])
def test_keeps_the_dtype_of_x(library, rotary, pairs, dtype, table_dtype):
    x, table = library.asarray(draw(L, D), dtype), library.asarray(draw(L, 5), table_dtype)
    assert rotary(x, table, table).dtype == x.dtype


def test_angles_keep_the_dtype_of_float_positions(library):
    for dtype in ("float32", "float64"):
        positions = library.asarray(POSITIONS, dtype)
        assert rotary_angles(positions, R).dtype == positions.dtype


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_angles_of_sixteen_bit_positions_have_thirty_two(torch, dtype):
    # both dtypes hold these numbers, but not the angles that the slower pairs turn by
    positions = torch.tensor([0, 1, 3, 100, 2048], dtype=getattr(torch, dtype))
    angles = rotary_angles(positions, 6)
    assert angles.dtype == torch.float32
    for position, row in zip(positions.tolist(), angles.tolist(), strict=True):
        expected = [position * 10_000 ** (-2 * j / 6) for j in range(3)]
        assert_allclose(row, expected, rtol=1e-6)


@layouts
def test_keeps_the_device_of_array_api_strict(rotary, pairs):
    strict = pytest.importorskip("array_api_strict")
    device = strict.Device("device1")
    angles = rotary_angles(strict.arange(L, device=device), R)
    assert angles.device == device
    x = strict.zeros((L, D), device=device)
    assert rotary(x, strict.cos(angles), strict.sin(angles)).device == device


@layouts
def test_keeps_the_device_of_torch(torch, rotary, pairs):
    angles = rotary_angles(torch.arange(L, device="meta"), R)
    x = torch.zeros(L, D, device="meta", dtype=torch.bfloat16)
    turned = rotary(x, angles.cos(), angles.sin())
    assert turned.device.type == angles.device.type == "meta"
    assert turned.dtype == torch.bfloat16


@layouts
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sixteen_bits_are_rounded_once(torch, rotary, pairs, dtype):
    x = torch.asarray(draw(H, L, D)).to(getattr(torch, dtype))
    angles = rotary_angles(torch.asarray(POSITIONS, dtype=torch.float64), R)
    exact = rotary(x.double(), angles.cos(), angles.sin())
    turned = rotary(x, angles.cos(), angles.sin())
    error, least = (np.abs((a.double() - exact).numpy()).max() for a in (turned, exact.to(x.dtype)))
    assert error <= 1.01 * least


@layouts
def test_leaves_its_inputs_alone(library, rotary, pairs):
    inputs = draw(L, D), draw(L, 5), draw(L, 5, seed=1)
    arrays = [library.asarray(array) for array in inputs]
    rotary(*arrays)
    for array, before in zip(arrays, inputs, strict=True):
        assert_array_equal(library.to_numpy(array), before)


# -- gradients ------------------------------------------------------------------------------------


@layouts
def test_gradients(torch, torch_device, rotary, pairs):
    inputs = draw(2, 3, 5), draw(3, 2), draw(3, 2, seed=1)
    inputs = [torch.asarray(array, device=torch_device).requires_grad_() for array in inputs]
    assert torch.autograd.gradcheck(rotary, inputs)
    assert torch.autograd.gradgradcheck(rotary, inputs)


def test_gradients_of_angles(torch, torch_device):
    positions = torch.asarray([0.5, 2.0], dtype=torch.float64, device=torch_device)
    assert torch.autograd.gradcheck(lambda p: rotary_angles(p, 4), positions.requires_grad_())


# -- witnesses ------------------------------------------------------------------------------------


def test_agrees_with_complex_numbers_of_torch(torch, torch_device):
    """The original LLaMA code multiplies complex numbers."""
    x = torch.asarray(draw(B, H, L, R), device=torch_device)
    positions = torch.asarray(POSITIONS, dtype=torch.float64, device=torch_device)
    angles = rotary_angles(positions, R)
    pairs = torch.view_as_complex(x.reshape(B, H, L, R // 2, 2))
    theirs = torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)
    ours = rotary_interleaved(x, angles.cos(), angles.sin())
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


def test_agrees_with_the_rotated_half_of_hugging_face(torch, torch_device):
    """Their cosines stand twice side by side, and one half changes sign."""
    x = torch.asarray(draw(B, H, L, R), device=torch_device)
    positions = torch.asarray(POSITIONS, dtype=torch.float64, device=torch_device)
    angles = rotary_angles(positions, R)
    twice = torch.cat((angles, angles), dim=-1)
    rotated = torch.cat((-x[..., R // 2 :], x[..., : R // 2]), dim=-1)
    theirs = x * twice.cos() + rotated * twice.sin()
    ours = rotary_half_split(x, angles.cos(), angles.sin())
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


# -- messages -------------------------------------------------------------------------------------

SHAPES = {
    "one per pair": ((L, D), (L, D), (L, D), "last axis needs one number for each pair of comp"),
    "no axis": ((L, D), (), (), r"cos has shape \(\), but its last axis needs"),
    "cos and sin": ((L, D), (L, 5), (L, 4), r"cos and sin differ in shape: \(5, 5\) and \(5, 4\)"),
    "length": (
        (L, D), (S, 5), (S, 5),
        r"cos has shape \(7, 5\), which does not fit the pairs of x, \(5, 5\): its axis -2 is 7",
    ),
    "batch or heads": (
        (B, H, L, D), (B, L, 5), (B, L, 5),
        r"cos has shape \(2, 5, 5\), which is ambiguous for the pairs of x, .* cos\[:, None\]",
    ),
    "a vector": ((D,), (5,), (5,), r"x has shape \(11,\), but needs two axes"),
}  # fmt: skip


@pytest.mark.bad_input
@layouts
@pytest.mark.parametrize("case", SHAPES.values(), ids=SHAPES)
def test_refuses_shapes_that_do_not_fit(library, rotary, pairs, case):
    *shapes, message = case
    with pytest.raises(ValueError, match=message):
        rotary(*(library.asarray(np.ones(shape)) for shape in shapes))


@pytest.mark.bad_input
@layouts
def test_refuses_other_dtypes_and_libraries(torch, rotary, pairs):
    with pytest.raises(TypeError, match="cos has dtype int64, but needs a real floating dtype"):
        rotary(draw(L, D), np.ones((L, 5), np.int64), np.ones((L, 5), np.int64))
    with pytest.raises(TypeError, match=r"one library \(x from torch, cos from numpy"):
        rotary(torch.zeros(L, D), draw(L, 5), draw(L, 5))


@pytest.mark.bad_input
def test_refuses_angles_of_what_is_no_position(library):
    positions = library.asarray(POSITIONS)
    with pytest.raises(ValueError, match="width must be even to be cut into pairs, but is 7"):
        rotary_angles(positions, 7)
    with pytest.raises(ValueError, match="width must be 0 or more, but is -2"):
        rotary_angles(positions, -2)
    with pytest.raises(TypeError, match=r"width must be an integer, but is 4.0"):
        rotary_angles(positions, 4.0)
    for base in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ValueError, match="base must be finite and above 0"):
            rotary_angles(positions, 4, base=base)
    with pytest.raises(TypeError, match="base is a str, but needs to be a number"):
        rotary_angles(positions, 4, base="1")
    with pytest.raises(TypeError, match="positions has dtype .*bool, but needs a real floating"):
        rotary_angles(library.asarray([True]), 4)
    with pytest.raises(TypeError, match="positions is a list, not an array"):
        rotary_angles([0, 1], 4)
