"""Gradients are finite for every finite input, and nothing flows to what is hidden."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attnbook import scaled_dot_product_attention
from tests.properties.strategies import POISON, questions

# the fixtures give the same library to every example
same_fixtures = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
LARGEST = {"float16": 10.0, "bfloat16": 1e3, "float32": 1e6, "float64": 1e30}


def gradients_of(torch, question, dtype):
    """Differentiate by query, key, value and bias."""
    dtype = getattr(torch, dtype)
    arrays = (*question.inputs, question.bias)
    leaves = [torch.asarray(a.copy()).to(dtype).requires_grad_() for a in arrays]
    *inputs, bias = leaves
    mask = torch.asarray(question.mask.copy())
    output = scaled_dot_product_attention(*inputs, mask=mask, bias=bias)
    direction = torch.ones_like(output)
    return [g.double().numpy() for g in torch.autograd.grad(output, leaves, direction)]


@pytest.mark.parametrize("dtype", LARGEST)
@same_fixtures
@given(data=st.data())
def test_finite_everywhere(torch, dtype, data):
    question = data.draw(questions(largest=LARGEST[dtype]))
    for gradient in gradients_of(torch, question, dtype):
        assert np.all(np.isfinite(gradient))


@same_fixtures
@given(question=questions())
def test_none_flows_to_what_is_hidden(torch, question):
    query, key, value, bias = gradients_of(torch, question, "float64")
    mask = question.mask
    assert not query[~mask.any(-1)].any()
    assert not key[~mask.any(-2)].any()
    assert not value[~mask.any(-2)].any()
    assert not bias[~mask].any()


@same_fixtures
@given(question=questions(), poison=POISON)
def test_nothing_hidden_can_leak_into_them(torch, question, poison):
    key, value = question.key.copy(), question.value.copy()
    unseen = ~question.mask.any(-2)
    key[unseen] = value[unseen] = poison
    dirty = gradients_of(torch, question._replace(key=key, value=value), "float64")
    clean = gradients_of(torch, question, "float64")
    for one, other in zip(dirty, clean, strict=True):
        np.testing.assert_array_equal(one, other)
