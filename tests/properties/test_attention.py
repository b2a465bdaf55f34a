"""What must hold of attention for every input, found by trying to break it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnbook import attention_weights, causal_mask, scaled_dot_product_attention
from tests.properties.strategies import POISON, floats, questions

attend = scaled_dot_product_attention
SEEDS = st.integers(0, 2**32 - 1)


def assert_close(actual, expected):
    assert_allclose(actual, expected, rtol=1e-9, atol=1e-9)


# -- order and number of the keys and queries -----------------------------------------------------


@given(questions(), SEEDS)
def test_order_of_the_keys_does_not_matter(question, seed):
    query, key, value, mask, bias = question
    order = np.random.default_rng(seed).permutation(key.shape[-2])
    shuffled = attend(
        query, key[..., order, :], value[..., order, :], mask=mask[..., order],
        bias=bias[..., order],
    )  # fmt: skip
    assert_close(shuffled, attend(*question.inputs, **question.extras))


@given(questions(), SEEDS)
def test_the_answers_come_in_the_order_of_the_queries(question, seed):
    query, key, value, mask, bias = question
    order = np.random.default_rng(seed).permutation(query.shape[-2])
    shuffled = attend(
        query[..., order, :], key, value, mask=mask[..., order, :], bias=bias[..., order, :]
    )
    assert_close(shuffled, attend(*question.inputs, **question.extras)[..., order, :])


@given(questions())
def test_every_key_twice_changes_nothing(question):
    query, key, value, mask, bias = question
    doubled = attend(
        query, np.repeat(key, 2, -2), np.repeat(value, 2, -2), mask=np.repeat(mask, 2, -1),
        bias=np.repeat(bias, 2, -1),
    )  # fmt: skip
    assert_close(doubled, attend(*question.inputs, **question.extras))


@given(questions(), st.data())
def test_one_step_of_decoding_is_the_last_row_of_the_whole(question, data):
    _, key, value, _, _ = question
    query = data.draw(floats(key.shape))
    n = key.shape[-2]
    whole = attend(query, key, value, mask=causal_mask(n))
    end = data.draw(st.integers(0, n))
    start = data.draw(st.integers(0, end))
    chunk = attend(
        query[..., start:end, :], key[..., :end, :], value[..., :end, :],
        mask=causal_mask(end - start, end),
    )  # fmt: skip
    assert_close(chunk, whole[..., start:end, :])


# -- scores ---------------------------------------------------------------------------------------


@given(questions(), st.floats(-1e3, 1e3))
def test_a_constant_added_to_all_scores_changes_nothing(question, constant):
    shifted = attend(*question.inputs, mask=question.mask, bias=question.bias + constant)
    assert_close(shifted, attend(*question.inputs, **question.extras))


@given(questions(), st.data())
def test_a_vector_added_to_all_keys_changes_nothing(question, data):
    # it adds the same number to all scores of a query
    query, key, value, mask, bias = question
    step = data.draw(floats(key.shape[-1:]))
    assert_close(
        attend(query, key + step, value, mask=mask, bias=bias),
        attend(*question.inputs, **question.extras),
    )


@given(questions(), st.floats(-3, 3))
def test_a_factor_may_stand_at_the_query_the_key_or_the_scale(question, factor):
    query, key, value, mask, bias = question
    expected = attend(query, key, value, mask=mask, bias=bias, scale=factor)
    for inputs in ((factor * query, key), (query, factor * key)):
        assert_close(attend(*inputs, value, mask=mask, bias=bias, scale=1.0), expected)


# -- weights and values ---------------------------------------------------------------------------


@given(questions(largest=1e3))
def test_weights_are_shares_of_what_is_visible(question):
    weights = attention_weights(question.query, question.key, **question.extras)
    assert np.all(weights >= 0)
    assert_array_equal(weights[~question.mask], 0)
    assert_allclose(weights.sum(-1), question.mask.any(-1), rtol=1e-12)


@given(questions(), st.floats(-3, 3), st.floats(-3, 3), st.data())
def test_linear_in_the_values(question, a, b, data):
    query, key, value, mask, bias = question
    other = data.draw(floats(value.shape))
    mixed = attend(query, key, a * value + b * other, mask=mask, bias=bias)
    parts = (attend(query, key, v, mask=mask, bias=bias) for v in (value, other))
    assert_close(mixed, a * next(parts) + b * next(parts))


@given(questions(n_keys=st.integers(1, 5)))
def test_the_answer_lies_between_the_values(question):
    output = attend(*question.inputs, bias=question.bias)
    value = question.value
    assert np.all(output >= value.min(-2, keepdims=True) - 1e-9)
    assert np.all(output <= value.max(-2, keepdims=True) + 1e-9)


# -- what is hidden -------------------------------------------------------------------------------


@given(questions())
def test_hidden_keys_count_as_absent(question):
    query, key, value, mask, bias = question
    seen = np.arange(key.shape[-2]) % 2 == 0
    hidden = attend(query, key, value, mask=mask & seen, bias=bias)
    absent = attend(
        query, key[..., seen, :], value[..., seen, :], mask=mask[..., seen], bias=bias[..., seen]
    )
    assert_close(hidden, absent)


@given(questions(), POISON)
def test_keys_that_no_query_may_look_at_cannot_leak(question, poison):
    query, key, value, mask, bias = question
    unseen = ~mask.any(-2)
    bad_key, bad_value = key.copy(), value.copy()
    bad_key[unseen] = bad_value[unseen] = poison
    dirty = attend(query, bad_key, bad_value, mask=mask, bias=bias)
    assert_array_equal(dirty, attend(*question.inputs, **question.extras))


@given(questions(), POISON)
def test_queries_that_may_look_nowhere_cannot_leak(question, poison):
    query, key, value, mask, bias = question
    blind = ~mask.any(-1)
    bad_query = query.copy()
    bad_query[blind] = poison
    dirty = attend(bad_query, key, value, mask=mask, bias=bias)
    assert_array_equal(dirty, attend(*question.inputs, **question.extras))
    assert_array_equal(dirty[blind], 0)


@given(questions(), POISON)
def test_a_bias_where_the_mask_hides_cannot_leak(question, poison):
    bias = np.where(question.mask, question.bias, poison)
    dirty = attend(*question.inputs, mask=question.mask, bias=bias)
    assert_array_equal(dirty, attend(*question.inputs, **question.extras))


@given(questions(n_keys=st.integers(1, 5)), POISON.filter(lambda x: not np.isfinite(x)), st.data())
def test_a_value_that_is_seen_at_all_spoils_only_its_own_column(question, poison, data):
    # the rule: what some query may look at must be finite, for all queries' sake
    query, key, value, _, bias = question
    bad = value.copy()
    bad[..., 0, :1] = poison
    dirty = attend(query, key, bad, bias=bias)
    assert not np.isfinite(dirty[..., :1]).any()
    assert_array_equal(dirty[..., 1:], attend(query, key, value, bias=bias)[..., 1:])
