"""Where ONNX Runtime says something else: its kernel, or the function body that defines ONNX."""

import math

import numpy as np
import pytest

from attnbook import causal_mask, padding_mask, softmax
from tests.witnesses.adapters import even, number, ours, tell
from tests.witnesses.onnx_models import run

# these are the very cases of the other libraries
from tests.witnesses.test_disagreements import (
    AMBIGUOUS,
    BY_SEQUENCE,
    CAUSAL,
    HIDDEN,
    LAST_KEY,
    NUMBERS,
    TWO,
    ZERO_TIMES_NAN,
    poisoned,
)

T, F = True, False
NAN, INF = math.nan, math.inf

BROADCASTING = "A mask broadcasts to `(..., L, S)`, on every library alike."
PADDED = (
    "Since opset 24 the columns that a mask lacks are filled up with False, so that one column "
    "does not broadcast either; we broadcast one, and refuse the rest."
)

# -- causal ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_query", "n_key", "theirs", "we_say"), CAUSAL)
def test_causal(onnx_sdpa, note, n_query, n_key, theirs, we_say):
    inputs = even(n_query, n_key)
    note(
        onnx_sdpa.name,
        f"`is_causal`, L = {n_query} and S = {n_key}",
        theirs=(tell(onnx_sdpa, *inputs, is_causal=True), theirs),
        ours=(tell(ours, *inputs, mask=causal_mask(n_query, n_key)), we_say),
        why=LAST_KEY,
    )


def test_causal_with_a_mask(onnx_sdpa, note):
    inputs, mask = even(2, 3), np.array([[T, T, T], [F, T, T]])
    note(
        onnx_sdpa.name,
        "`is_causal` together with a mask",
        theirs=(tell(onnx_sdpa, *inputs, is_causal=True, mask=mask), "[1, 2]"),
        ours=(tell(ours, *inputs, mask=mask & causal_mask(2, 3)), "[1.5, 2.5]"),
        why="Masks are arrays that compose with `&`; our causal one is aligned to the last key.",
    )


def test_causal_with_lengths(onnx_sdpa, note):
    inputs, lengths = even(2, 3), np.array([2])
    mask = padding_mask(lengths, 3) & causal_mask(2, 3)
    note(
        onnx_sdpa.name,
        "`is_causal` with `nonpad_kv_seqlen=2`, L = 2 and S = 3",
        theirs=(tell(onnx_sdpa, *inputs, lengths=lengths, is_causal=True), "[1, 1.5]"),
        ours=(tell(ours, *inputs, mask=mask), "[1.5, 1.5]"),
        why="It aligns to the last key that is real, for each sequence `offset=length - L`; our "
        "masks know nothing of each other.",
    )


# -- what is hidden from everyone -----------------------------------------------------------------


@pytest.mark.parametrize("part", ["key", "value"])
@pytest.mark.parametrize("poison", [NAN, INF])
def test_hidden_nan_and_infinity(onnx_sdpa, note, part, poison):
    inputs = poisoned(part, poison)
    note(
        onnx_sdpa.name,
        f"{number(poison)} in a {part} that the mask hides from everyone",
        theirs=(tell(onnx_sdpa, *inputs, mask=HIDDEN), "[NaN]"),
        ours=(tell(ours, *inputs, mask=HIDDEN), "[1.5]"),
        why=ZERO_TIMES_NAN,
    )


def test_softmax_of_minus_infinity(onnxruntime, note):
    scores = np.full((1, 3), -INF)
    note(
        "onnxruntime Softmax",
        "scores that are all `-inf`",
        theirs=(tell(lambda x: run("Softmax", [x])[0].T, scores), "[NaN, NaN, NaN]"),
        ours=(tell(lambda x: softmax(x).T, scores), "[0, 0, 0]"),
        why="`-inf` minus `-inf` is NaN; we subtract 0 in such a row and divide by 1.",
    )


# -- masks ----------------------------------------------------------------------------------------


def test_a_mask_for_each_sequence(onnx_sdpa, note):
    note(
        onnx_sdpa.name,
        "a mask `(B, L, S)` where there are as many heads as sequences",
        theirs=(tell(onnx_sdpa, *TWO, mask=BY_SEQUENCE), "[1, 2, 1, 2]"),
        ours=(tell(ours, *TWO, mask=BY_SEQUENCE), "refuses"),
        why=AMBIGUOUS,
    )


def test_a_mask_of_zeros_and_ones(onnx_sdpa, note):
    inputs, mask = even(1, 3), np.array([[1.0, 0.0, 0.0]])
    note(
        onnx_sdpa.name,
        "a mask of the floats 1, 0, 0",
        theirs=(tell(onnx_sdpa, *inputs, mask=mask), "[1.636]"),
        ours=(tell(ours, *inputs, mask=mask), "refuses"),
        why=NUMBERS,
    )


@pytest.mark.parametrize(
    ("name", "mask"),
    [("(S,)", np.array([T, F, F])), ("(1, 1, 1, S)", np.array([[[[T, F, F]]]]))],
)
def test_a_mask_without_rows_in_the_kernel(onnx_kernel, onnx_body, note, name, mask):
    inputs = even(2, 3)
    assert tell(onnx_body, *inputs, mask=mask) == "[1, 1]"
    note(
        onnx_kernel.name,
        f"a mask `{name}`, the same for all queries",
        theirs=(tell(onnx_kernel, *inputs, mask=mask), "refuses"),
        ours=(tell(ours, *inputs, mask=mask), "[1, 1]"),
        why=BROADCASTING,
    )


def test_a_mask_of_one_column(onnx_sdpa, note):
    inputs, mask = even(2, 3), np.array([[T], [F]])
    kernel = "kernel" in onnx_sdpa.name
    note(
        onnx_sdpa.name,
        "a mask `(L, 1)`, the same for all keys",
        theirs=(tell(onnx_sdpa, *inputs, mask=mask), "refuses" if kernel else "[1, 0]"),
        ours=(tell(ours, *inputs, mask=mask), "[2, 0]"),
        why=BROADCASTING if kernel else PADDED,
    )


def test_a_mask_that_is_too_short(onnx_kernel, onnx_body, note):
    inputs, mask = even(2, 3), np.ones((2, 2), bool)
    assert tell(onnx_kernel, *inputs, mask=mask) == "refuses"
    note(
        onnx_body.name,
        "a mask of 2 columns for 3 keys",
        theirs=(tell(onnx_body, *inputs, mask=mask), "[1.5, 1.5]"),
        ours=(tell(ours, *inputs, mask=mask), "refuses"),
        why=PADDED,
    )


# -- scale and shapes -----------------------------------------------------------------------------


def test_a_scale_of_zero_in_the_kernel(onnx_kernel, onnx_body, note):
    inputs = even(1, 3)
    assert tell(onnx_body, *inputs, scale=0.0) == "[2]"
    note(
        onnx_kernel.name,
        "`scale=0`",
        theirs=(tell(onnx_kernel, *inputs, scale=0.0), "refuses"),
        ours=(tell(ours, *inputs, scale=0.0), "[2]"),
        why="0 is a number like any other: all keys alike, so their mean.",
    )


def test_a_negative_scale(onnx_sdpa, note):
    inputs = even(1, 3)
    theirs = "refuses" if "kernel" in onnx_sdpa.name else "[NaN]"
    note(
        onnx_sdpa.name,
        "`scale=-1`",
        theirs=(tell(onnx_sdpa, *inputs, scale=-1.0), theirs),
        ours=(tell(ours, *inputs, scale=-1.0), "[2]"),
        why="It multiplies query and key by the root of the scale each; we multiply the query.",
    )


def test_float64(onnx_body, note):
    inputs = np.full((1, 1, 1, 3), math.log(3)), np.zeros((1, 1, 2, 3)), 10 * even(1, 2)[2]
    inputs[1][..., 0, :] = 1 / math.sqrt(3)  # scores log 3 and 0, weights 3/4 and 1/4

    def digits(function):
        return f"{abs(function(*inputs)[0, 0, 0, 0] - 12.5) < 1e-12}"

    note(
        onnx_body.name,
        "float64 in: is 3/4 of 10 and 1/4 of 20 equal to 12.5 within 1e-12?",
        theirs=(digits(onnx_body), "False"),
        ours=(digits(ours), "True"),
        why="ONNX keeps the scale in float32 whatever comes in; ours is a Python float.",
    )


def test_no_keys(onnx_sdpa, note):
    inputs = even(2, 0)
    note(
        onnx_sdpa.name,
        "L = 2 and S = 0",
        theirs=(tell(onnx_sdpa, *inputs), "refuses"),
        ours=(tell(ours, *inputs), "[0, 0]"),
        why="Who has nothing to look at gets 0, hidden or absent; a cache starts empty.",
    )


def test_no_queries_in_the_kernel(onnx_kernel, onnx_body, note):
    inputs = even(0, 3)
    assert tell(onnx_body, *inputs) == "[]"
    note(
        onnx_kernel.name,
        "L = 0 and S = 3",
        theirs=(tell(onnx_kernel, *inputs), "refuses"),
        ours=(tell(ours, *inputs), "[]"),
        why="No questions, no answers: the output is empty.",
    )


def test_one_set_of_keys_for_two_sequences_in_the_kernel(onnx_kernel, onnx_body, note):
    query, key, value = even(1, 3)
    query = np.concatenate([query, query])
    assert tell(onnx_body, query, key, value) == "[2, 2]"
    note(
        onnx_kernel.name,
        "keys and values of batch 1 for queries of batch 2",
        theirs=(tell(onnx_kernel, query, key, value), "refuses"),
        ours=(tell(ours, query, key, value), "[2, 2]"),
        why="Leading axes broadcast, heads and batches alike.",
    )


def test_fewer_key_heads(onnx_sdpa, note):
    query = np.zeros((1, 4, 1, 2))
    key, value = np.zeros((1, 2, 1, 2)), np.array([1.0, 2.0])[None, :, None, None] * np.ones(2)
    note(
        onnx_sdpa.name,
        "4 query heads and 2 key heads, without a word about it",
        theirs=(tell(onnx_sdpa, query, key, value), "[1, 1, 2, 2]"),
        ours=(tell(ours, query, key, value), "refuses"),
        why="Sharing heads is asked for, by repeating them; the same numbers then.",
    )
