import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnbook import causal_mask, padding_mask, scaled_dot_product_attention, sliding_window_mask
from tests.functional.inputs import B, H, L, S, draw_inputs


def by_loops(n_query, n_key, window, offset):
    """Query i, which stands at i + offset, sees the keys less than `window` away."""
    mask = [[False] * n_key for _ in range(n_query)]
    for i in range(n_query):
        for j in range(n_key):
            if -window < i + offset - j < window:
                mask[i][j] = True
    return mask


# -- the formula ----------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [-S, -1, 0, 2, S])
@pytest.mark.parametrize("window", [0, 1, 2, 3, S, 100])
@pytest.mark.parametrize(("n_query", "n_key"), [(L, L), (L, S), (S, L), (1, S)])
def test_equals_the_formula(n_query, n_key, window, offset):
    mask = sliding_window_mask(n_query, n_key, window=window, offset=offset)
    assert_array_equal(mask, by_loops(n_query, n_key, window, offset), strict=True)


@pytest.mark.parametrize("n_query", [1, 2, 5, 7])
@pytest.mark.parametrize("n_key", [1, 2, 5, 7])
def test_is_aligned_to_the_last_key(n_query, n_key):
    expected = by_loops(n_query, n_key, 2, n_key - n_query)
    assert_array_equal(sliding_window_mask(n_query, n_key, window=2), expected)


def test_is_square_unless_told():
    assert_array_equal(sliding_window_mask(L, window=2), by_loops(L, L, 2, 0))


# -- properties and edges -------------------------------------------------------------------------


def test_looks_both_ways_alike():
    mask = sliding_window_mask(S, window=3)
    assert_array_equal(mask, mask.T)


def test_a_window_of_one_is_the_own_position():
    assert_array_equal(sliding_window_mask(L, window=1), np.eye(L, dtype=bool))


def test_a_wide_window_hides_nothing():
    assert sliding_window_mask(L, S, window=S).all()
    assert not sliding_window_mask(S, window=S - 1).all()


@pytest.mark.parametrize("window", [1, 2, 4])
def test_with_the_past_only_it_is_the_last_keys(window):
    mask = sliding_window_mask(S, window=window) & causal_mask(S)
    assert_array_equal(mask.sum(axis=-1), np.minimum(np.arange(S) + 1, window))


@pytest.mark.parametrize("chunks", [[3, 1, 1, 1, 1], [2, 5], [1] * S, [6, 1]], ids=str)
@pytest.mark.parametrize("window", [1, 2, 5])
def test_decoding_in_chunks_equals_the_whole(library, chunks, window):
    query, key, value = (library.asarray(array) for array in draw_inputs(B, H, n_query=S))

    def attend(start, end):
        mask = sliding_window_mask(end - start, end, window=window, like=query)
        mask = mask & causal_mask(end - start, end, like=query)
        keys, values = key[..., :end, :], value[..., :end, :]
        output = scaled_dot_product_attention(query[..., start:end, :], keys, values, mask=mask)
        return library.to_numpy(output)

    whole = attend(0, S)
    ends = np.cumsum(chunks).tolist()
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        assert_allclose(attend(start, end), whole[..., start:end, :], atol=1e-14)


def test_composes_with_padding(library):
    lengths = library.asarray([S, 4])
    mask = padding_mask(lengths, S) & sliding_window_mask(L, S, window=2, like=lengths)
    expected = np.array(by_loops(L, S, 2, S - L)) & (np.arange(S) < np.array([[[S]], [[4]]]))
    assert_array_equal(library.to_numpy(mask), expected)


@pytest.mark.parametrize("shape", [(0, 0), (0, S), (L, 0)])
def test_of_length_zero(shape):
    assert sliding_window_mask(*shape, window=2).shape == shape


def test_takes_the_library_and_device_of_like(library):
    mask = sliding_window_mask(L, S, window=2, like=library.asarray(0.0))
    expected = sliding_window_mask(L, S, window=2)
    assert_array_equal(library.to_numpy(mask), expected, strict=True)


def test_keeps_the_device_of_array_api_strict():
    strict = pytest.importorskip("array_api_strict")
    like = strict.zeros(1, device=strict.Device("device1"))
    assert sliding_window_mask(L, window=2, like=like).device == like.device


def test_keeps_the_device_of_torch(torch):
    like = torch.zeros(1, device="meta")
    assert sliding_window_mask(L, window=2, like=like).device.type == "meta"


# -- messages -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_query": -1, "window": 1}, "n_query must be 0 or more, but is -1"),
        ({"n_query": L, "n_key": -2, "window": 1}, "n_key must be 0 or more, but is -2"),
        ({"n_query": L, "window": -1}, "window must be 0 or more, but is -1"),
    ],
)
def test_refuses_negative_sizes(arguments, message):
    with pytest.raises(ValueError, match=message):
        sliding_window_mask(**arguments)


@pytest.mark.bad_input
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"window": 2.0}, r"window must be an integer, but is 2\.0 \(float\)"),
        ({"window": None}, "window must be an integer, but is None"),
        ({"window": 2, "n_key": 3.0}, r"n_key must be an integer, but is 3\.0 \(float\)"),
        ({"window": 2, "offset": 0.5}, r"offset must be an integer, but is 0\.5"),
        ({"window": 2, "like": [0.0]}, "like is a list, not an array"),
    ],
)
def test_refuses(settings, message):
    with pytest.raises(TypeError, match=message):
        sliding_window_mask(L, **settings)


def test_does_not_guess_a_window():
    with pytest.raises(TypeError, match="window"):
        sliding_window_mask(L)
