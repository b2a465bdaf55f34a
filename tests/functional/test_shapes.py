"""Shapes that do not fit are refused in a sentence that names the axis and shows the shapes."""

import re

import numpy as np
import pytest

from attnbook import attention_weights, scaled_dot_product_attention
from tests.functional.inputs import DV, B, D, H, L, S

pytestmark = pytest.mark.bad_input

SHAPES = {
    "width": (
        (B, L, D), (B, S, D + 2), (B, S, DV),
        "query and key differ in width D, their last axis: 11 and 13 "
        "(query (2, 5, 11), key (2, 7, 13), value (2, 7, 13))",
    ),
    "length": (
        (B, L, D), (B, S, D), (B, S + 4, DV),
        "key and value differ in length S, their axis -2: 7 and 11 "
        "(query (2, 5, 11), key (2, 7, 11), value (2, 11, 13)); every key needs a value",
    ),
    "batch": (
        (B, L, D), (B + 1, S, D), (B + 1, S, DV),
        "query (2) and key (3) and value (3) differ in axis -3 "
        "(query (2, 5, 11), key (3, 7, 11), value (3, 7, 13)); "
        "leading axes must be equal, or 1",
    ),
    "heads that divide": (
        (B, 4, L, D), (B, 2, S, D), (B, 2, S, DV),
        "query (4) and key (2) and value (2) differ in axis -3 (query (2, 4, 5, 11), key (2, 2, "
        "7, 11), value (2, 2, 7, 13)); for heads to share keys and values, repeat each key and "
        "value head 2 times along axis -3 (repeat, not tile)",
    ),
    "heads that do not divide": (
        (B, 4, L, D), (B, 3, S, D), (B, 3, S, DV),
        "4 query heads cannot share 3 key/value heads evenly",
    ),
    "heads of key and value": (
        (B, 4, L, D), (B, 4, S, D), (B, 2, S, DV),
        "query (4) and key (4) and value (2) differ in axis -3",
    ),
    "no heads": (
        (B, 4, L, D), (B, 0, S, D), (B, 0, S, DV),
        "4 query heads cannot share 0 key/value heads evenly",
    ),
    "first of many axes": (
        (2, 1, H, L, D), (3, 1, H, S, D), (3, 1, H, S, DV),
        "query (2) and key (3) and value (3) differ in axis -5",
    ),
    "vector query": (
        (D,), (S, D), (S, DV),
        "query has shape (11,), but needs at least two axes, positions and width; "
        "a single vector is query[None, :]",
    ),
    "vector value": (
        (L, D), (S, D), (S,),
        "value has shape (7,), but needs at least two axes",
    ),
    "missing heads": (
        (B, H, L, D), (B, S, D), (B, S, DV),
        "key has shape (2, 7, 11), which is ambiguous next to 4 axes (query (2, 3, 5, 11), "
        "key (2, 7, 11), value (2, 7, 13)): its first axis may be any of the leading axes. "
        "If that axis is the batch, write the missing axes out: key[:, None]",
    ),
    "missing heads of value": (
        (B, H, L, D), (B, H, S, D), (B, S, DV),
        "value has shape (2, 7, 13), which is ambiguous next to 4 axes",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("query", "key", "value", "message"), SHAPES.values(), ids=SHAPES)
def test_refuses_inputs_that_do_not_fit(library, query, key, value, message):
    inputs = (library.asarray(np.zeros(shape)) for shape in (query, key, value))
    with pytest.raises(ValueError, match=re.escape(message)):
        scaled_dot_product_attention(*inputs)


def test_weights_refuse_without_mentioning_a_value(library):
    query, key = library.asarray(np.zeros((B, L, D))), library.asarray(np.zeros((B, S, D + 2)))
    with pytest.raises(ValueError, match=r"11 and 13 \(query \(2, 5, 11\), key \(2, 7, 13\)\)"):
        attention_weights(query, key)


EXTRAS = {
    "short": (
        (L, S - 1),
        "has shape (5, 6), which does not fit scores (2, 3, 5, 7): "
        "its axis -1 is 6 and needs to be 7 or 1",
    ),
    "transposed": (
        (S, L),
        "has shape (7, 5), which does not fit scores (2, 3, 5, 7): its axis -2 is 7 and needs to "
        "be 5 or 1",
    ),
    "heads": (
        (B, H + 1, L, S),
        "its axis -3 is 4 and needs to be 3 or 1",
    ),
    "too many axes": (
        (1, B, H, L, S),
        "has shape (1, 2, 3, 5, 7), more axes than the scores (2, 3, 5, 7)",
    ),
    "batch or heads": (
        (B, L, S),
        "has shape (2, 5, 7), which is ambiguous for scores (2, 3, 5, 7): its first axis may be "
        "any of their leading axes. If that axis is the batch, write the missing axes out: "
        "{name}[:, None]",
    ),
    "batch or heads, for padding": (
        (B, 1, S),
        "write the missing axes out: {name}[:, None]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ["mask", "bias"])
@pytest.mark.parametrize(("shape", "message"), EXTRAS.values(), ids=EXTRAS)
def test_refuses_masks_and_biases_that_do_not_fit(library, name, shape, message):
    inputs = (library.asarray(np.zeros((B, H, *s))) for s in ((L, D), (S, D), (S, DV)))
    extra = library.asarray(np.ones(shape), {"mask": "bool", "bias": "float64"}[name])
    with pytest.raises(ValueError, match=f"^{name} .*" + re.escape(message.format(name=name))):
        scaled_dot_product_attention(*inputs, **{name: extra})


def test_refuses_a_batch_of_masks_even_where_the_sizes_agree(library):
    """With as many heads as batch entries a mask (B, L, S) would fit both ways."""
    query, key = (library.asarray(np.zeros((H, H, n, D))) for n in (L, S))
    mask = library.asarray(np.ones((H, L, S), bool))
    with pytest.raises(ValueError, match=r"ambiguous for scores .* mask\[:, None\]"):
        attention_weights(query, key, mask=mask)


def test_names_every_missing_axis(library):
    query, key = (library.asarray(np.zeros((B, H, 1, n, D))) for n in (L, S))
    mask = library.asarray(np.ones((B, L, S), bool))
    with pytest.raises(ValueError, match=r"mask\[:, None, None\]"):
        attention_weights(query, key, mask=mask)


@pytest.mark.parametrize(("query", "key"), [((1, D), (S, D)), ((L, D), (1, D))])
def test_a_mask_never_adds_queries_or_keys(library, query, key):
    mask = library.asarray(np.ones((L, S), bool))
    with pytest.raises(ValueError, match=r"mask has shape \(5, 7\), which does not fit scores"):
        attention_weights(
            library.asarray(np.zeros(query)), library.asarray(np.zeros(key)), mask=mask
        )


def test_a_mask_never_adds_batch_entries(library):
    query, key = (library.asarray(np.zeros((1, n, D))) for n in (L, S))
    mask = library.asarray(np.ones((B, L, S), bool))
    with pytest.raises(ValueError, match="its axis -3 is 2 and needs to be 1"):
        attention_weights(query, key, mask=mask)
