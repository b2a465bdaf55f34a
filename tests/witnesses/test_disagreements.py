"""Where other libraries say something else: each answer asserted, so that none changes unseen.

``--report=FILE`` writes all of it as JSON.
"""

import math

import numpy as np
import pytest

from attnbook import causal_mask, scaled_dot_product_attention, softmax
from tests.witnesses.adapters import even, number, only, ours, tell, torch_sdpa

T, F = True, False
NAN, INF = math.nan, math.inf

LAST_KEY = (
    "We align to the last key, because one step of decoding must equal the last row of the whole; "
    "`causal_mask(..., offset=0)` aligns to the first."
)
COMPOSED = "Masks are arrays that compose with `&`; our causal one is aligned to the last key."
INF_MINUS_INF = "`-inf` minus `-inf` is NaN; we subtract 0 in such a row and divide by 1."
ZERO_TIMES_NAN = (
    "A weight of 0 times NaN is NaN; we replace what no query may look at before the product."
)
AMBIGUOUS = (
    "Broadcasting takes the first axis for the heads, whatever was meant; we refuse it where the "
    "scores have more axes, and ask to write them out."
)
NUMBERS = "We take bools as `mask`, to select, and numbers as `bias`, to add: the two never mix."

# -- causal ---------------------------------------------------------------------------------------

CAUSAL = [
    (2, 5, "[1, 1.5]", "[2.5, 3]"),
    (1, 5, "[1]", "[3]"),
    (5, 2, "[1, 1.5, 1.5, 1.5, 1.5]", "[0, 0, 0, 1, 1.5]"),
]


@pytest.mark.parametrize(("n_query", "n_key", "theirs", "we_say"), CAUSAL)
def test_causal_in_torch(sdpa, note, n_query, n_key, theirs, we_say):
    inputs = even(n_query, n_key)
    note(
        sdpa.name,
        f"`is_causal`, L = {n_query} and S = {n_key}",
        theirs=(tell(sdpa, *inputs, is_causal=True), theirs),
        ours=(tell(ours, *inputs, mask=causal_mask(n_query, n_key)), we_say),
        why=LAST_KEY,
    )


@pytest.mark.parametrize(("n_query", "n_key", "theirs", "we_say"), CAUSAL)
def test_causal_in_jax(jax_sdpa, note, n_query, n_key, theirs, we_say):
    inputs = even(n_query, n_key)
    note(
        jax_sdpa.name,
        f"`is_causal`, L = {n_query} and S = {n_key}",
        theirs=(tell(jax_sdpa, *inputs, is_causal=True), theirs),
        ours=(tell(ours, *inputs, mask=causal_mask(n_query, n_key)), we_say),
        why=LAST_KEY,
    )


def test_causal_with_a_mask_in_torch(sdpa, note):
    inputs, mask = even(2, 3), np.array([[T, T, T], [F, T, T]])
    # one backend refuses what another takes, and the one that torch chooses takes it
    theirs = "refuses" if "MATH" in sdpa.name else "[1, 2]"
    note(
        sdpa.name,
        "`is_causal` together with a mask",
        theirs=(tell(sdpa, *inputs, is_causal=True, attn_mask=mask), theirs),
        ours=(tell(ours, *inputs, mask=mask & causal_mask(2, 3)), "[1.5, 2.5]"),
        why=COMPOSED,
    )


def test_causal_with_a_mask_in_jax(jax_sdpa, note):
    inputs, mask = even(2, 3), np.array([[T, T, T], [F, T, T]])
    note(
        jax_sdpa.name,
        "`is_causal` together with a mask",
        theirs=(tell(jax_sdpa, *inputs, is_causal=True, mask=mask[None, None]), "[1, 2]"),
        ours=(tell(ours, *inputs, mask=mask & causal_mask(2, 3)), "[1.5, 2.5]"),
        why=COMPOSED,
    )


# -- nothing to look at ---------------------------------------------------------------------------


def test_a_row_without_keys_in_jax(jax_sdpa, note):
    inputs, mask = even(2, 3), np.array([[T, F, F], [F, F, F]])
    note(
        jax_sdpa.name,
        "a query that the mask leaves no key",
        theirs=(tell(jax_sdpa, *inputs, mask=mask[None, None]), "[1, 2]"),
        ours=(tell(ours, *inputs, mask=mask), "[1, 0]"),
        why="A large negative constant hides all keys alike, so they are averaged; we select, and "
        "who may look nowhere gets 0.",
    )


def test_a_row_of_minus_infinity_in_jax(jax_sdpa, note):
    inputs, bias = even(2, 3), np.array([[0.0, -INF, -INF], [-INF, -INF, -INF]])
    note(
        jax_sdpa.name,
        "a query for which the bias is `-inf` at every key",
        theirs=(tell(jax_sdpa, *inputs, bias=bias[None, None]), "[1, NaN]"),
        ours=(tell(ours, *inputs, bias=bias), "[1, 0]"),
        why=INF_MINUS_INF,
    )


def test_a_length_of_zero_in_jax(jax, jax_sdpa, note):
    inputs, none = even(2, 3), jax.numpy.zeros(1, "int32")
    note(
        jax_sdpa.name,
        "a sequence of length 0, by `key_value_seq_lengths`",
        theirs=(tell(jax_sdpa, *inputs, key_value_seq_lengths=none), "[2, 2]"),
        ours=(tell(ours, *inputs, mask=np.zeros((2, 3), bool)), "[0, 0]"),
        why="Padding then is averaged as if it were words; we give 0.",
    )


def test_softmax_of_minus_infinity_in_torch(torch, note):
    scores = np.full((1, 3), -INF)
    note(
        "torch.softmax",
        "scores that are all `-inf`",
        theirs=(tell(lambda x: torch.asarray(x).softmax(-1).mT, scores), "[NaN, NaN, NaN]"),
        ours=(tell(lambda x: softmax(x).T, scores), "[0, 0, 0]"),
        why=INF_MINUS_INF,
    )


def test_softmax_of_minus_infinity_in_jax(jax, note):
    scores = np.full((1, 3), -INF)
    note(
        "jax.nn.softmax",
        "scores that are all `-inf`",
        theirs=(tell(lambda x: jax.nn.softmax(jax.numpy.asarray(x)).T, scores), "[NaN, NaN, NaN]"),
        ours=(tell(lambda x: softmax(x).T, scores), "[0, 0, 0]"),
        why=INF_MINUS_INF,
    )


# -- what is hidden from everyone -----------------------------------------------------------------


def poisoned(part, poison):
    """Make three keys of which the third is hidden and holds something bad."""
    query, key, value = even(1, 3)
    {"key": key, "value": value}[part][0, 0, 2] = poison
    return query, key, value


HIDDEN = np.array([[T, T, F]])


@pytest.mark.parametrize("part", ["key", "value"])
@pytest.mark.parametrize("poison", [NAN, INF])
def test_hidden_nan_and_infinity_in_torch(sdpa, note, part, poison):
    inputs = poisoned(part, poison)
    note(
        sdpa.name,
        f"{number(poison)} in a {part} that the mask hides from everyone",
        theirs=(tell(sdpa, *inputs, attn_mask=HIDDEN), "[NaN]"),
        ours=(tell(ours, *inputs, mask=HIDDEN), "[1.5]"),
        why=ZERO_TIMES_NAN,
    )


@pytest.mark.parametrize("poison", [NAN, INF])
def test_hidden_nan_and_infinity_in_jax(jax_sdpa, note, poison):
    inputs = poisoned("value", poison)
    note(
        jax_sdpa.name,
        f"{number(poison)} in a value that the mask hides from everyone",
        theirs=(tell(jax_sdpa, *inputs, mask=HIDDEN[None, None]), "[NaN]"),
        ours=(tell(ours, *inputs, mask=HIDDEN), "[1.5]"),
        why=ZERO_TIMES_NAN,
    )


def test_gradients_beside_a_hidden_nan_in_torch(torch, sdpa, note):
    def gradient(function, name):
        query, key, value = map(torch.asarray, poisoned("key", NAN))
        query.requires_grad_()
        with only(torch, sdpa.name.rpartition(" ")[2]):
            function(query, key, value, **{name: torch.asarray(HIDDEN)}).sum().backward()
        return query.grad

    native = torch.nn.functional.scaled_dot_product_attention
    note(
        sdpa.name,
        "gradient of the query beside NaN in a hidden key",
        theirs=(tell(gradient, native, "attn_mask"), "[NaN]"),
        ours=(tell(gradient, scaled_dot_product_attention, "mask"), "[0]"),
        why=ZERO_TIMES_NAN,
    )


def test_gradients_beside_a_hidden_nan_in_jax(jax, jax_sdpa, note):
    query, key, value = map(jax.numpy.asarray, poisoned("key", NAN))
    mask = jax.numpy.asarray(HIDDEN)

    def gradient(function):
        return jax.grad(lambda query: function(query).sum())(query)

    def native(query):
        arrays = (array.swapaxes(1, 2) for array in (query, key, value))
        return jax.nn.dot_product_attention(*arrays, mask=mask[None, None])

    def package(query):
        return scaled_dot_product_attention(query, key, value, mask=mask)

    note(
        jax_sdpa.name,
        "gradient of the query beside NaN in a hidden key",
        theirs=(tell(gradient, native), "[NaN]"),
        ours=(tell(gradient, package), "[0]"),
        why=ZERO_TIMES_NAN,
    )


# -- masks and biases -----------------------------------------------------------------------------

# two sequences, two heads, one query, two keys
TWO = (
    np.zeros((2, 2, 1, 2)),
    np.zeros((2, 2, 2, 2)),
    np.array([[1.0], [2.0]]) + np.zeros((2, 2, 2, 2)),
)
BY_SEQUENCE = np.array([[[T, F]], [[F, T]]])


def test_a_mask_for_each_sequence_in_torch(sdpa, note):
    if "FLASH" in sdpa.name:
        assert tell(sdpa, *TWO, attn_mask=BY_SEQUENCE) == "refuses"
        return
    note(
        sdpa.name,
        "a mask `(B, L, S)` where there are as many heads as sequences",
        theirs=(tell(sdpa, *TWO, attn_mask=BY_SEQUENCE), "[1, 2, 1, 2]"),
        ours=(tell(ours, *TWO, mask=BY_SEQUENCE), "refuses"),
        why=AMBIGUOUS,
    )


def test_a_mask_for_each_sequence_in_jax(jax_sdpa, note):
    note(
        jax_sdpa.name,
        "a mask `(B, L, S)` where there are as many heads as sequences",
        theirs=(tell(jax_sdpa, *TWO, mask=BY_SEQUENCE), "[1, 2, 1, 2]"),
        ours=(tell(ours, *TWO, mask=BY_SEQUENCE), "refuses"),
        why=AMBIGUOUS,
    )


def test_a_mask_of_zeros_and_ones_in_torch(sdpa, note):
    inputs, mask = even(1, 3), np.array([[1.0, 0.0, 0.0]])
    note(
        sdpa.name,
        "a mask of the floats 1, 0, 0",
        theirs=(tell(sdpa, *inputs, attn_mask=mask), "[1.636]"),
        ours=(tell(ours, *inputs, mask=mask), "refuses"),
        why=NUMBERS,
    )


def test_a_bias_of_bools_in_jax(jax_sdpa, note):
    inputs, bias = even(1, 3), np.array([[T, F, F]])
    note(
        jax_sdpa.name,
        "a bias of the bools True, False, False",
        theirs=(tell(jax_sdpa, *inputs, bias=bias[None, None]), "[1.636]"),
        ours=(tell(ours, *inputs, bias=bias), "refuses"),
        why=NUMBERS,
    )


# -- shapes and precision -------------------------------------------------------------------------


def test_values_of_another_width_in_jax(jax_sdpa, note):
    query, key, value = even(1, 3)
    note(
        jax_sdpa.name,
        "values of another width than the keys",
        theirs=(tell(jax_sdpa, query, key, value[..., :1]), "refuses"),
        ours=(tell(ours, query, key, value[..., :1]), "[2]"),
        why="The formula needs no equal widths, and the paper calls them $d_k$ and $d_v$.",
    )


def test_values_of_another_width_on_one_backend_of_torch(torch, note):
    query, key, value = even(1, 3)
    sdpa = torch_sdpa(torch, "FLASH_ATTENTION")
    note(
        sdpa.name,
        "values of another width than the keys",
        theirs=(tell(sdpa, query, key, value[..., :1]), "refuses"),
        ours=(tell(ours, query, key, value[..., :1]), "[2]"),
        why="The formula needs no equal widths, and the paper calls them $d_k$ and $d_v$.",
    )


def test_a_key_without_a_value_in_torch(sdpa, note):
    query, key, value = even(1, 3)
    if "MATH" in sdpa.name:
        assert tell(sdpa, query, key, value[..., :2, :]) == "refuses"
        return
    note(
        sdpa.name,
        "3 keys and 2 values",
        theirs=(tell(sdpa, query, key, value[..., :2, :]), "[1.5]"),
        ours=(tell(ours, query, key, value[..., :2, :]), "refuses"),
        why="It counts the values and passes over the third key; every key needs a value.",
    )


def test_one_set_of_keys_for_two_sequences_in_jax(jax_sdpa, note):
    query, key, value = even(1, 3)
    query = np.concatenate([query, query])
    note(
        jax_sdpa.name,
        "keys and values of batch 1 for queries of batch 2",
        theirs=(tell(jax_sdpa, query, key, value), "refuses"),
        ours=(tell(ours, query, key, value), "[2, 2]"),
        why="Leading axes broadcast, heads and batches alike.",
    )


def test_fewer_key_heads_in_jax(jax_sdpa, note):
    query = np.zeros((1, 4, 1, 2))
    key, value = np.zeros((1, 2, 1, 2)), np.array([1.0, 2.0])[None, :, None, None] * np.ones(2)
    note(
        jax_sdpa.name,
        "4 query heads and 2 key heads, without a word about it",
        theirs=(tell(jax_sdpa, query, key, value), "[1, 1, 2, 2]"),
        ours=(tell(ours, query, key, value), "refuses"),
        why="Sharing heads is asked for, by repeating them; the same numbers then.",
    )


def test_the_axis_of_the_heads_in_jax(jax, note):
    value = np.arange(1.0, 7.0).reshape(1, 2, 3, 1)
    zeros = np.zeros((1, 2, 3, 1))
    note(
        "jax.nn.dot_product_attention",
        "inputs of shape `(1, 2, 3, 1)`, as they are",
        theirs=(
            tell(jax.nn.dot_product_attention, zeros, zeros, value),
            "[2.5, 3.5, 4.5, 2.5, 3.5, 4.5]",
        ),
        ours=(tell(ours, zeros, zeros, value), "[2, 2, 2, 5, 5, 5]"),
        why="Its layout is `(B, L, H, D)`; ours is `(..., L, D)`, so that heads are a leading axis "
        "like any other.",
    )


def test_float64_in_jax(jax_sdpa, note):
    inputs = even(1, 3)

    def digits(function):
        return f"{abs(function(*inputs)[0, 0, 0, 0] - 2) < 1e-14}"

    note(
        jax_sdpa.name,
        "float64 in: is the mean of 1, 2, 3 equal to 2 within `1e-14`?",
        theirs=(digits(jax_sdpa), "False"),
        ours=(digits(ours), "True"),
        why="Its softmax is in float32 whatever comes in; ours in float32 at least.",
    )


# -- dropout --------------------------------------------------------------------------------------


def test_dropout_in_torch(sdpa, note):
    inputs = even(1, 3)
    if "FLASH" in sdpa.name:
        assert tell(sdpa, *inputs, dropout_p=1.0) == "refuses"
        return
    note(
        sdpa.name,
        "`dropout_p=1`, whether the model trains or is evaluated",
        theirs=(tell(sdpa, *inputs, dropout_p=1.0), "[0]"),
        ours=(tell(ours, *inputs), "[2]"),
        why="A function knows no model: who calls it has to give 0 in evaluation. Ours drops "
        "nothing; what a model drops, it drops around the call.",
    )
