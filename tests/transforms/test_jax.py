"""What JAX does to functions, done to the package as it is: jit, vmap, grad and all of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import attnbook
from tests.transforms.calls import CALLS, DIFFERENTIABLE

pytestmark = pytest.mark.skipif(
    hasattr(attnbook.softmax, "__wrapped__"),
    reason="the checks of jaxtyping are not for transforms",
)
calls = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
differentiable = pytest.mark.parametrize("call", DIFFERENTIABLE.values(), ids=DIFFERENTIABLE)


def convert(jax, arrays):
    return [jax.numpy.asarray(array) for array in arrays]


def assert_same(actual, expected):
    for one, other in zip(leaves_of(actual), leaves_of(expected), strict=True):
        assert one.dtype == other.dtype
        assert_allclose(one, other, rtol=0, atol=1e-12)


def leaves_of(result):
    return result if isinstance(result, tuple) else (result,)


def total(result):
    return sum((leaf * leaf).sum() / (i + 1) for i, leaf in enumerate(leaves_of(result)))


@calls
def test_jit(jax, call):
    arrays = convert(jax, call.everything)
    assert_same(jax.jit(call.function)(*arrays), call.function(*arrays))


@differentiable
def test_vmap(jax, call):
    arrays = convert(jax, call.everything)
    batched = [jax.numpy.stack([array, jax.numpy.roll(array, 1, 0)]) for array in arrays]
    together = jax.jit(jax.vmap(call.function))(*batched)
    for at in range(2):
        alone = call.function(*(array[at] for array in batched))
        assert_same(jax.tree.map(lambda array, at=at: array[at], together), alone)


@differentiable
def test_grad_equals_that_of_torch(jax, torch, call):
    by = tuple(range(len(call.arrays)))
    gradient = jax.jit(jax.grad(lambda *arrays: total(call.function(*arrays)), by))
    ours = gradient(*convert(jax, call.everything))
    arrays = [torch.asarray(array.copy()) for array in call.everything]
    leaves = [array.requires_grad_() for array in arrays[: len(by)]]
    theirs = torch.autograd.grad(total(call.function(*arrays)), leaves)
    assert_same(ours, tuple(array.numpy() for array in theirs))


@differentiable
def test_grad_equals_finite_differences(jax, call):
    by = tuple(range(len(call.arrays)))

    def function(*arrays):
        return total(call.function(*arrays))

    arrays = convert(jax, call.everything)
    gradients = jax.jit(jax.grad(function, by))(*arrays)
    step = [np.random.default_rng(i).standard_normal(arrays[i].shape) for i in by]
    ahead, behind = (
        function(
            *(a + sign * 1e-5 * s for a, s in zip(arrays, step, strict=False)), *arrays[len(by) :]
        )
        for sign in (1, -1)
    )
    slope = sum(float((g * s).sum()) for g, s in zip(gradients, step, strict=True))
    assert_allclose((ahead - behind) / 2e-5, slope, rtol=1e-6, atol=1e-7)


def test_gradients_of_a_mapped_and_compiled_function(jax):
    call = CALLS["scaled_dot_product_attention"]
    query, key, value, _, mask = convert(jax, call.everything)

    def loss(query, key, value, mask):
        return attnbook.scaled_dot_product_attention(query, key, value, mask=mask).sum()

    gradients = jax.jit(jax.vmap(jax.vmap(jax.grad(loss, (0, 1, 2)))))(query, key, value, mask)
    for gradient in gradients:
        assert np.all(np.isfinite(gradient))
    # the first query of every mask may look nowhere
    assert not np.any(gradients[0][..., 0, :])
