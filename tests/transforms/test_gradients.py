"""The gradient of every public function that has one equals finite differences, in float64.

``test_calls.py`` sees to it that none is left out; ``test_jax.py`` does the same in JAX.
"""

import pytest

from tests.transforms.calls import DIFFERENTIABLE


@pytest.mark.parametrize("call", DIFFERENTIABLE.values(), ids=DIFFERENTIABLE)
def test_gradcheck(torch, torch_device, call):
    leaves, others = (
        [torch.asarray(array.copy(), device=torch_device) for array in arrays]
        for arrays in (call.arrays, call.others)
    )
    leaves = [leaf.requires_grad_() for leaf in leaves]

    def function(*leaves):
        return call.function(*leaves, *others)

    assert torch.autograd.gradcheck(function, leaves)
