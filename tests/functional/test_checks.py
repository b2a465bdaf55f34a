"""Arguments that are not what their names say are refused in a sentence."""

import numpy as np
import pytest

from attnbook import attention_weights, causal_mask, scaled_dot_product_attention
from tests.functional.inputs import B, H, L, S, draw, draw_inputs

pytestmark = pytest.mark.bad_input


@pytest.mark.parametrize("name", ["query", "key", "value"])
@pytest.mark.parametrize("dtype", ["int64", "bool", "complex128"])
def test_refuses_inputs_that_are_not_floating(library, name, dtype):
    inputs = dict(zip(("query", "key", "value"), map(library.asarray, draw_inputs()), strict=True))
    inputs[name] = library.asarray(np.ones(inputs[name].shape), dtype)
    message = f"{name} has dtype .*{dtype}, but needs a real floating dtype; convert it"
    with pytest.raises(TypeError, match=message):
        scaled_dot_product_attention(**inputs)


@pytest.mark.parametrize("name", ["query", "key", "value", "mask", "bias"])
@pytest.mark.parametrize("number", [[[0.0]], 0.5, "0"], ids=["list", "float", "str"])
def test_refuses_what_is_no_array(name, number):
    inputs = dict(zip(("query", "key", "value"), draw_inputs(), strict=True))
    inputs[name] = number
    message = rf"{name} is a {type(number).__name__}, not an array; .*numpy\.asarray\({name}\)"
    with pytest.raises(TypeError, match=message):
        scaled_dot_product_attention(**inputs)


def test_refuses_a_mix_of_dtypes(library):
    query, key, value = draw_inputs()
    message = r"more than one dtype \(query .*float32, key .*float64, value .*float64\)"
    with pytest.raises(TypeError, match=message):
        scaled_dot_product_attention(
            library.asarray(query, "float32"), library.asarray(key), library.asarray(value)
        )
    with pytest.raises(TypeError, match=r"query .*float32, key .*float64\)"):
        attention_weights(library.asarray(query, "float32"), library.asarray(key))


@pytest.mark.parametrize("name", ["key", "value", "mask", "bias"])
def test_refuses_a_mix_of_libraries(torch, name):
    inputs = dict(zip(("query", "key", "value"), draw_inputs(), strict=True))
    inputs |= {"mask": causal_mask(L, S), "bias": draw(L, S)}
    inputs[name] = torch.asarray(inputs[name])
    message = rf"more than one library \(query from numpy, .*{name} from torch"
    with pytest.raises(TypeError, match=message):
        scaled_dot_product_attention(**inputs)


def test_says_how_to_make_a_mask_of_the_right_library(torch):
    inputs = map(torch.asarray, draw_inputs())
    message = r"mask from numpy\).* causal_mask\(\.\.\., like=query\)"
    with pytest.raises(TypeError, match=message):
        scaled_dot_product_attention(*inputs, mask=causal_mask(L, S))


@pytest.mark.parametrize("dtype", ["float64", "int64", "uint8"])
def test_refuses_a_mask_of_numbers(library, dtype):
    mask = library.asarray(causal_mask(L, S), dtype)
    message = f"mask has dtype .*{dtype}, but needs bool .*bias=.*mask != 0"
    with pytest.raises(TypeError, match=message):
        scaled_dot_product_attention(*map(library.asarray, draw_inputs()), mask=mask)


def test_refuses_a_bias_of_bools(library):
    bias = library.asarray(causal_mask(L, S))
    with pytest.raises(TypeError, match=r"bias has dtype .*bool, .* use mask="):
        scaled_dot_product_attention(*map(library.asarray, draw_inputs()), bias=bias)


@pytest.mark.parametrize("dtype", ["int64", "complex128"])
def test_refuses_a_bias_that_is_not_floating(library, dtype):
    bias = library.asarray(np.ones((L, S)), dtype)
    with pytest.raises(TypeError, match=f"bias has dtype .*{dtype}, but needs a real floating"):
        scaled_dot_product_attention(*map(library.asarray, draw_inputs()), bias=bias)


@pytest.mark.parametrize("scale", ["0.1", True, False, np.ones(1), 1j], ids=repr)
def test_refuses_a_scale_that_is_no_number(scale):
    message = f"scale is a {type(scale).__name__}, but needs to be a number"
    with pytest.raises(TypeError, match=message):
        scaled_dot_product_attention(*draw_inputs(B, H), scale=scale)


@pytest.mark.parametrize("scale", [2, np.float32(2), np.int64(2)], ids=repr)
def test_takes_any_real_number_as_scale(scale):
    query, key, _ = draw_inputs(B, H)
    weights = attention_weights(query, key, scale=scale)
    np.testing.assert_array_equal(weights, attention_weights(query, key, scale=2.0))
