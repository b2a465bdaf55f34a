"""What does not fit is refused by a sentence of ours, never by the library underneath."""

from pathlib import Path

import array_api_strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnbook import layer_norm, rms_norm, scaled_dot_product_attention
from attnbook.functional import _checks
from tests.properties.strategies import SIZES, floats, questions

pytestmark = pytest.mark.bad_input
# what is wrong with them does not depend on the rest of them
few = settings(max_examples=10)
CORE = Path(_checks.__file__).parent


def assert_refused(function, *arguments, **settings):
    """Our checks stand in files of their own."""
    with pytest.raises((TypeError, ValueError)) as caught:
        function(*arguments, **settings)
    path = Path(caught.traceback[-1].path)
    assert path.parent == CORE and path.name.startswith("_"), caught.value


def longer(array, axis):
    """Give one axis a length that is neither its own nor 1."""
    shape = list(array.shape)
    shape[axis] += 2
    return np.zeros(shape, array.dtype)


SPOILERS = {
    "a key of another width": lambda q: {"key": longer(q.key, -1)},
    "a value of another length": lambda q: {"value": longer(q.value, -2)},
    "a mask of another length": lambda q: {"mask": longer(q.mask, -1)},
    "a bias of another length": lambda q: {"bias": longer(q.bias, -2)},
    "a mask with an axis more": lambda q: {"mask": q.mask[None]},
    "a bias with an axis more": lambda q: {"bias": q.bias[None]},
    "a mask of numbers": lambda q: {"mask": q.mask.astype(int)},
    "a bias of bools": lambda q: {"bias": q.mask},
    "whole numbers": lambda q: {name: getattr(q, name).astype(int) for name in q._fields[:3]},
    "a value of another dtype": lambda q: {"value": q.value.astype(np.float32)},
    "a key of another library": lambda q: {"key": array_api_strict.asarray(q.key)},
    "a mask of another library": lambda q: {"mask": array_api_strict.asarray(q.mask)},
    "a list": lambda q: {"query": q.query.tolist()},
    "a yes for a scale": lambda q: {"scale": True},
    "an array for a scale": lambda q: {"scale": np.ones(q.query.shape[-1:])},
}


@pytest.mark.parametrize("spoil", SPOILERS.values(), ids=SPOILERS)
@few
@given(question=questions())
def test_one_thing_that_does_not_fit_is_enough(spoil, question):
    assert_refused(scaled_dot_product_attention, **question._asdict() | spoil(question))


@pytest.mark.parametrize("name", ["query", "key", "value", "mask", "bias"])
@few
@given(question=questions(leading=st.tuples(st.sampled_from([0, 2, 3]), st.integers(0, 3))))
def test_an_axis_that_counts_batches_or_heads(name, question):
    array = getattr(question, name)
    one_head = np.zeros((array.shape[0], *array.shape[2:]), array.dtype)
    assert_refused(scaled_dot_product_attention, **question._asdict() | {name: one_head})


@pytest.mark.parametrize("norm", [layer_norm, rms_norm])
@few
@given(x=st.tuples(SIZES, SIZES).flatmap(floats))
def test_learned_numbers_of_another_shape(norm, x):
    width = x.shape[-1]
    for shape in ((), (width + 2,), (1, width)):
        assert_refused(norm, x, np.ones(shape))
