import numpy as np
import pytest
from numpy.testing import assert_array_equal

from attnbook import causal_mask, padding_mask, scaled_dot_product_attention
from tests.functional import oracle
from tests.functional.inputs import B, H, L, S, draw_inputs

# -- causal_mask: the formula ---------------------------------------------------------------------


@pytest.mark.parametrize("offset", [-S, -1, 0, 2, S])
@pytest.mark.parametrize(("n_query", "n_key"), [(L, L), (L, S), (S, L), (1, S)])
def test_causal_equals_the_formula(n_query, n_key, offset):
    expected = oracle.causal_mask(n_query, n_key, offset)
    assert_array_equal(causal_mask(n_query, n_key, offset=offset), expected, strict=True)


@pytest.mark.parametrize("n_query", [1, 2, 5, 7])
@pytest.mark.parametrize("n_key", [1, 2, 5, 7])
def test_causal_is_aligned_to_the_last_key(n_query, n_key):
    expected = oracle.causal_mask(n_query, n_key, n_key - n_query)
    assert_array_equal(causal_mask(n_query, n_key), expected)


def test_causal_is_square_unless_told():
    assert_array_equal(causal_mask(L), oracle.causal_mask(L, L, 0))


# -- causal_mask: properties and edges ------------------------------------------------------------


def test_one_step_of_decoding_is_the_last_row_of_the_whole():
    assert_array_equal(causal_mask(1, S), causal_mask(S)[-1:])


def test_equals_the_lower_triangle():
    assert_array_equal(causal_mask(L, S, offset=2), np.tri(L, S, 2, dtype=bool))


@pytest.mark.parametrize("shape", [(0, 0), (0, S), (L, 0)])
def test_causal_of_length_zero(shape):
    assert causal_mask(*shape).shape == shape


def test_takes_the_library_and_device_of_like(library):
    mask = causal_mask(L, S, like=library.asarray(0.0))
    assert_array_equal(library.to_numpy(mask), causal_mask(L, S), strict=True)


def test_causal_keeps_the_device_of_array_api_strict():
    strict = pytest.importorskip("array_api_strict")
    device = strict.Device("device1")
    assert causal_mask(L, like=strict.zeros(1, device=device)).device == device


def test_causal_keeps_the_device_of_torch(torch):
    assert causal_mask(L, like=torch.zeros(1, device="meta")).device.type == "meta"


@pytest.mark.bad_input  # for the annotation, which says int to be read easily
def test_sizes_may_be_integers_of_numpy():
    assert_array_equal(causal_mask(np.int64(L), np.int64(S), offset=np.int64(1)).shape, (L, S))


# -- padding_mask ---------------------------------------------------------------------------------

LENGTHS = [[0, 1, 3], [6, 7, 8]]


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8"])
def test_padding_equals_the_formula(library, dtype):
    mask = library.to_numpy(padding_mask(library.asarray(LENGTHS, dtype), S))
    expected = [[[[j < length for j in range(S)]] for length in row] for row in LENGTHS]
    assert_array_equal(mask, np.array(expected), strict=True)


def test_small_dtypes_count_long_sequences():
    assert padding_mask(np.array(100, np.int8), 300).sum() == 100


def test_a_negative_length_hides_everything(library):
    assert not library.to_numpy(padding_mask(library.asarray([-1]), S)).any()


@pytest.mark.parametrize("shape", [(), (0,), (B, 0)])
@pytest.mark.parametrize("n_key", [0, S])
def test_padding_of_length_zero(library, shape, n_key):
    lengths = library.asarray(np.zeros(shape), "int64")
    assert padding_mask(lengths, n_key).shape == (*shape, 1, n_key)


def test_padding_keeps_the_device_of_array_api_strict():
    strict = pytest.importorskip("array_api_strict")
    device = strict.Device("device1")
    assert padding_mask(strict.asarray([1, 2], device=device), S).device == device


def test_padding_keeps_the_device_of_torch(torch):
    lengths = torch.zeros(B, dtype=torch.int64, device="meta")
    assert padding_mask(lengths, S).device.type == "meta"


def test_padding_leaves_the_lengths_alone(library):
    lengths = library.asarray(LENGTHS)
    padding_mask(lengths, S)
    assert_array_equal(library.to_numpy(lengths), LENGTHS)


# -- together -------------------------------------------------------------------------------------


def test_masks_compose(library):
    lengths = library.asarray(LENGTHS)
    mask = padding_mask(lengths, S) & causal_mask(L, S, like=lengths)
    expected = np.array(oracle.causal_mask(L, S, S - L)) & (
        np.arange(S) < np.array(LENGTHS)[..., None, None]
    )
    assert_array_equal(library.to_numpy(mask), expected)


def test_lengths_with_an_axis_for_the_heads_fit_the_scores(library):
    query, key, value = map(library.asarray, draw_inputs(B, H))
    lengths = library.asarray([S - 1, 2])
    mask = padding_mask(lengths[:, None], S)
    together = scaled_dot_product_attention(query, key, value, mask=mask)
    for b, length in enumerate([S - 1, 2]):
        alone = scaled_dot_product_attention(
            query[b, ...], key[b, :, :length, :], value[b, :, :length, :]
        )
        np.testing.assert_allclose(
            library.to_numpy(together[b, ...]), library.to_numpy(alone), atol=1e-14
        )


# -- messages -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1,), "n_query must be 0 or more, but is -1"),
        ((L, -2), "n_key must be 0 or more, but is -2"),
    ],
)
def test_causal_refuses_negative_sizes(arguments, message):
    with pytest.raises(ValueError, match=message):
        causal_mask(*arguments)


@pytest.mark.bad_input
@pytest.mark.parametrize(
    ("arguments", "settings", "message"),
    [
        ((2.0,), {}, r"n_query must be an integer, but is 2\.0 \(float\)"),
        ((2, 3.0), {}, r"n_key must be an integer, but is 3\.0 \(float\)"),
        ((2, True), {}, r"n_key must be an integer, but is True \(bool\)"),
        ((None,), {}, r"n_query must be an integer, but is None"),
        ((2,), {"offset": 0.5}, r"offset must be an integer, but is 0\.5"),
        ((2,), {"like": [0.0]}, "like is a list, not an array"),
    ],
)
def test_causal_refuses(arguments, settings, message):
    with pytest.raises(TypeError, match=message):
        causal_mask(*arguments, **settings)


@pytest.mark.bad_input
@pytest.mark.parametrize("dtype", ["float64", "bool"])
def test_padding_refuses_lengths_that_are_no_integers(library, dtype):
    with pytest.raises(TypeError, match=f"lengths has dtype .*{dtype}, but needs an integer dtype"):
        padding_mask(library.asarray([1, 0], dtype), S)


@pytest.mark.bad_input
def test_padding_refuses_lists_and_sizes_that_are_no_integers():
    with pytest.raises(TypeError, match="lengths is a list, not an array"):
        padding_mask([1, 2], S)
    with pytest.raises(TypeError, match=r"n_key must be an integer, but is 3\.0"):
        padding_mask(np.array([1, 2]), 3.0)


def test_padding_refuses_a_negative_size():
    with pytest.raises(ValueError, match="n_key must be 0 or more, but is -1"):
        padding_mask(np.array([1, 2]), -1)
