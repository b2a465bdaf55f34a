"""What a mask hides from everyone cannot leak, NaN and infinity included."""

import math

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from attnbook import attention_weights, causal_mask, padding_mask, scaled_dot_product_attention
from tests.functional.inputs import B, H, L, S, draw_inputs

LENGTHS = np.array([[4], [2]])
PADDING = padding_mask(LENGTHS, S)  # (B, 1, 1, S)
POISON = [math.nan, math.inf, -math.inf, 1e308]


def poisoned(array, poison):
    """Fill everything beyond the length of each batch entry."""
    array = array.copy()
    for entry, (length,) in zip(array, LENGTHS, strict=True):
        entry[..., length:, :] = poison
    return array


@pytest.mark.parametrize("poison", POISON)
@pytest.mark.parametrize("part", ["key", "value", "both"])
@pytest.mark.parametrize("causal", [False, True])
def test_padding_does_not_leak(library, poison, part, causal):
    query, key, value = draw_inputs(B, H, n_query=S)
    mask = PADDING & causal_mask(S) if causal else PADDING
    bad_key = poisoned(key, poison) if part != "value" else key
    bad_value = poisoned(value, poison) if part != "key" else value
    clean, dirty = (
        scaled_dot_product_attention(*map(library.asarray, inputs), mask=library.asarray(mask))
        for inputs in ((query, key, value), (query, bad_key, bad_value))
    )
    assert_array_equal(library.to_numpy(dirty), library.to_numpy(clean))


@pytest.mark.parametrize("poison", POISON)
def test_padding_does_not_leak_into_weights(library, poison):
    query, key, _ = draw_inputs(B, H)
    mask = library.asarray(PADDING)
    clean = attention_weights(library.asarray(query), library.asarray(key), mask=mask)
    dirty = attention_weights(
        library.asarray(query), library.asarray(poisoned(key, poison)), mask=mask
    )
    assert_array_equal(library.to_numpy(dirty), library.to_numpy(clean))


@pytest.mark.parametrize("mask_shape", [(S,), (1, S), (1, 1, S)])
def test_keys_hidden_by_a_mask_of_any_rank_do_not_leak(library, mask_shape):
    query, key, value = draw_inputs(H)
    mask = np.arange(S) < 4
    dirty_key, dirty_value = key.copy(), value.copy()
    dirty_key[:, 4:] = dirty_value[:, 4:] = math.nan
    clean, dirty = (
        scaled_dot_product_attention(
            *map(library.asarray, inputs), mask=library.asarray(mask.reshape(mask_shape))
        )
        for inputs in ((query, key, value), (query, dirty_key, dirty_value))
    )
    assert_array_equal(library.to_numpy(dirty), library.to_numpy(clean))


@pytest.mark.parametrize("poison", POISON)
def test_a_query_that_may_look_nowhere_does_not_leak(library, poison):
    query, key, value = draw_inputs(B, H)
    mask = np.ones((L, S), bool)
    mask[2] = False
    query[..., 2, :] = poison
    output = scaled_dot_product_attention(
        *map(library.asarray, (query, key, value)), mask=library.asarray(mask)
    )
    output = library.to_numpy(output)
    assert np.all(np.isfinite(output))
    assert_array_equal(output[..., 2, :], 0)


@pytest.mark.parametrize("poison", [math.nan, math.inf])
def test_padding_does_not_leak_into_gradients(torch, torch_device, poison):
    """Positions padded as queries, keys and values at once, as in self-attention."""
    mask = torch.asarray(PADDING & PADDING.swapaxes(-1, -2), device=torch_device)

    def gradients(prepare):
        inputs = [
            torch.asarray(prepare(array), device=torch_device).requires_grad_()
            for array in draw_inputs(B, H, n_query=S)
        ]
        output = scaled_dot_product_attention(*inputs, mask=mask)
        return torch.autograd.grad(output.square().sum(), inputs)

    dirty = gradients(lambda array: poisoned(array, poison))
    clean = gradients(lambda array: array)
    for gradient, expected in zip(dirty, clean, strict=True):
        assert_array_equal(gradient.cpu(), expected.cpu())
        for b, (length,) in enumerate(LENGTHS):
            assert_array_equal(gradient[b, :, length:].cpu(), 0)


def test_a_nan_that_some_query_may_look_at_is_not_hidden(library):
    query, key, value = draw_inputs(B, H)
    value[..., 0, 0] = math.nan
    output = scaled_dot_product_attention(*map(library.asarray, (query, key, value)))
    assert np.all(np.isnan(library.to_numpy(output)[..., 0]))
