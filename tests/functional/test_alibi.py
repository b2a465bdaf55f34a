import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnbook import (
    alibi_bias,
    alibi_slopes,
    attention_weights,
    causal_mask,
    scaled_dot_product_attention,
)
from tests.functional import oracle
from tests.functional.inputs import B, D, H, L, S, draw_inputs

# -- the formula ----------------------------------------------------------------------------------


@pytest.mark.parametrize("n_heads", [1, 2, 4, 8, 16, 64])
def test_slopes_of_a_power_of_two_equal_the_formula(n_heads):
    expected = [2 ** (-8 * h / n_heads) for h in range(1, n_heads + 1)]
    assert_array_equal(alibi_slopes(n_heads), expected, strict=True)


@pytest.mark.parametrize("n_heads", [3, 5, 6, 7, 12, 25, 112])
def test_slopes_of_other_numbers_equal_those_of_two_powers(n_heads):
    # slopes are told from each other by their place, as in the paper's code
    lower = max(2**k for k in range(8) if 2**k < n_heads)
    finer = [2 ** (-8 * h / (2 * lower)) for h in range(1, 2 * lower + 1)]
    expected = [*finer[1::2], *finer[0::2][: n_heads - lower]]
    assert_array_equal(alibi_slopes(n_heads), expected)


@pytest.mark.parametrize(
    ("n_heads", "slopes"),
    [
        (8, [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625]),
        (6, [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]),
        (1, [0.00390625]),
    ],
)
def test_slopes_that_are_exact(library, n_heads, slopes):
    actual = alibi_slopes(n_heads, like=library.asarray(0.0))
    assert_array_equal(library.to_numpy(actual), slopes)


@pytest.mark.parametrize("offset", [None, -S, -1, 0, 2, S])
@pytest.mark.parametrize(("n_query", "n_key"), [(L, L), (L, S), (S, L), (1, S)])
@pytest.mark.parametrize("n_heads", [H, 8])
def test_bias_equals_the_formula(n_heads, n_query, n_key, offset):
    slopes = alibi_slopes(n_heads)
    shift = n_key - n_query if offset is None else offset
    expected = [
        [[-slope * abs(i + shift - j) for j in range(n_key)] for i in range(n_query)]
        for slope in slopes
    ]
    bias = alibi_bias(n_heads, n_query, n_key, offset=offset)
    assert_array_equal(bias, np.array(expected), strict=True)


def test_attention_with_it_equals_the_formula(library):
    inputs, mask = draw_inputs(B, H), causal_mask(L, S)
    bias = np.array(
        [
            [[-slope * (i + S - L - j) for j in range(S)] for i in range(L)]
            for slope in (2**-4, 2**-8, 2**-2)
        ]
    )
    expected = oracle.by_head(oracle.attention, *inputs, mask=mask, bias=bias[None])
    query, key, value = map(library.asarray, inputs)
    output = scaled_dot_product_attention(
        query,
        key,
        value,
        mask=causal_mask(L, S, like=query),
        bias=alibi_bias(H, L, S, like=query)[None, ...],
    )
    assert_allclose(library.to_numpy(output), expected, rtol=0, atol=1e-12)


# -- properties -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n_heads", range(1, 35))
def test_no_two_heads_have_one_slope(n_heads):
    slopes = alibi_slopes(n_heads)
    assert slopes.shape == (n_heads,)
    assert len(set(slopes.tolist())) == n_heads
    assert np.all((slopes >= 2**-8) & (slopes < 1))


def test_one_step_of_decoding_is_the_last_row_of_the_whole():
    assert_array_equal(alibi_bias(H, 1, S), alibi_bias(H, S)[:, -1:])


@pytest.mark.parametrize("chunks", [[S], [3, 1, 1, 1, 1], [2, 3, 2]], ids=str)
def test_decoding_in_chunks_equals_the_whole(chunks):
    query, key, value = draw_inputs(H, n_query=S)
    whole = scaled_dot_product_attention(
        query, key, value, mask=causal_mask(S), bias=alibi_bias(H, S)
    )
    ends = np.cumsum(chunks).tolist()
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        chunk = scaled_dot_product_attention(
            query[:, start:end], key[:, :end], value[:, :end],
            mask=causal_mask(end - start, end), bias=alibi_bias(H, end - start, end),
        )  # fmt: skip
        assert_allclose(chunk, whole[:, start:end], rtol=0, atol=1e-14)


def test_under_a_causal_mask_it_may_be_counted_from_the_first_key():
    # the form in which many write it: it differs by a number for each query, which softmax drops
    query, key, _ = draw_inputs(H)
    mask = causal_mask(L, S)
    from_first = alibi_slopes(H)[:, None, None] * np.arange(S)
    assert_allclose(
        attention_weights(query, key, mask=mask, bias=alibi_bias(H, L, S)),
        attention_weights(query, key, mask=mask, bias=from_first),
        rtol=1e-12,
    )


def test_depends_on_the_distance_alone():
    bias = alibi_bias(H, S)
    assert_array_equal(bias[:, 1:, 1:], bias[:, :-1, :-1])
    assert_array_equal(bias, np.swapaxes(bias, 1, 2))


def test_of_equal_scores_the_nearer_gets_more():
    zeros = np.zeros((H, S, D))
    weights = attention_weights(zeros, zeros, mask=causal_mask(S), bias=alibi_bias(H, S))
    assert np.all(np.diff(weights[:, -1]) > 0)


# -- edges ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(0, L, S), (H, 0, S), (H, L, 0), (0, 0, 0)], ids=str)
def test_sizes_of_zero(library, shape):
    assert alibi_bias(*shape, like=library.asarray(0.0)).shape == shape


def test_is_square_unless_told():
    assert_array_equal(alibi_bias(H, L), alibi_bias(H, L, L))


def test_its_own_position_costs_a_plain_zero():
    own = np.diagonal(alibi_bias(H, L), axis1=1, axis2=2)
    assert_array_equal(own, 0)
    assert not np.signbit(own).any()


# -- dtype and device -----------------------------------------------------------------------------


def test_takes_the_library_and_default_dtype_of_like(library):
    for like in (library.asarray(0, "int32"), library.asarray(0.0, "float32")):
        bias = alibi_bias(8, L, S, like=like)
        assert bias.dtype == library.xp.asarray(0.5).dtype
        assert_array_equal(library.to_numpy(bias), alibi_bias(8, L, S))


def test_is_cast_to_the_dtype_of_the_scores(library):
    query, key, _ = (library.asarray(array, "float32") for array in draw_inputs(H))
    assert attention_weights(query, key, bias=alibi_bias(H, L, S, like=query)).dtype == query.dtype


def test_keeps_the_device_of_array_api_strict():
    strict = pytest.importorskip("array_api_strict")
    device = strict.Device("device1")
    assert alibi_bias(H, L, like=strict.zeros(1, device=device)).device == device


def test_keeps_the_device_of_torch(torch):
    assert alibi_bias(H, L, like=torch.zeros(1, device="meta")).device.type == "meta"


# -- messages -------------------------------------------------------------------------------------


@pytest.mark.bad_input
def test_refuses_sizes_that_are_no_sizes():
    with pytest.raises(TypeError, match=r"n_heads must be an integer, but is 2\.0 \(float\)"):
        alibi_slopes(2.0)
    with pytest.raises(ValueError, match="n_heads must be 0 or more, but is -1"):
        alibi_bias(-1, L)
    with pytest.raises(ValueError, match="n_query must be 0 or more, but is -1"):
        alibi_bias(H, -1)
    with pytest.raises(TypeError, match="offset must be an integer"):
        alibi_bias(H, L, S, offset=0.5)


@pytest.mark.bad_input
def test_refuses_a_like_that_is_no_array():
    with pytest.raises(TypeError, match="like is a list, not an array"):
        alibi_slopes(H, like=[0.0])


def test_one_for_each_head_is_ambiguous_next_to_a_batch(library):
    query, key, _ = map(library.asarray, draw_inputs(B, H))
    with pytest.raises(ValueError, match=r"bias has shape \(3, 5, 7\), which is ambiguous"):
        attention_weights(query, key, bias=alibi_bias(H, L, S, like=query))
