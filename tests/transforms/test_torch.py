"""What torch does to functions, done to the package as it is: compile, export, vmap, grad."""

import pytest

import attnbook
from tests.transforms.calls import CALLS, DIFFERENTIABLE

pytestmark = [
    pytest.mark.filterwarnings("ignore:Dynamo detected a call to a .functools.lru_cache"),
    pytest.mark.skipif(
        hasattr(attnbook.softmax, "__wrapped__"),
        reason="the checks of jaxtyping are not for transforms",
    ),
]
calls = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
differentiable = pytest.mark.parametrize("call", DIFFERENTIABLE.values(), ids=DIFFERENTIABLE)


def convert(torch, arrays):
    return [torch.asarray(array.copy()) for array in arrays]


def assert_same(torch, actual, expected):
    torch.testing.assert_close(actual, expected, rtol=0, atol=1e-12)


@calls
def test_compiles_without_a_graph_break(torch, call):
    torch.compiler.reset()
    arrays = convert(torch, call.everything)
    compiled = torch.compile(call.function, fullgraph=True, backend="eager")
    assert_same(torch, compiled(*arrays), call.function(*arrays))


@differentiable
def test_compiles_with_its_gradients(torch, call):
    torch.compiler.reset()

    def gradients(function):
        arrays = convert(torch, call.everything)
        leaves = [array.requires_grad_() for array in arrays[: len(call.arrays)]]
        return torch.autograd.grad(total(function(*arrays)), leaves)

    compiled = torch.compile(call.function, fullgraph=True, backend="aot_eager")
    assert_same(torch, gradients(compiled), gradients(call.function))


@calls
@pytest.mark.parametrize("strict", [False, True], ids=["traced", "strict"])
def test_exports(torch, call, strict):
    arrays = tuple(convert(torch, call.everything))

    class Module(torch.nn.Module):
        def forward(self, *arrays):
            return call.function(*arrays)

    program = torch.export.export(Module(), arrays, strict=strict)
    assert_same(torch, program.module()(*arrays), call.function(*arrays))


def test_exports_for_any_length(torch):
    class Module(torch.nn.Module):
        def forward(self, query, key, value, mask):
            return attnbook.scaled_dot_product_attention(query, key, value, mask=mask)

    def inputs(n_query, n_key):
        arrays = (torch.randn(2, 3, n, 11) for n in (n_query, n_key, n_key))
        return (*arrays, attnbook.causal_mask(n_query, n_key, like=torch.ones(1)))

    n_query, n_key = torch.export.Dim("L"), torch.export.Dim("S")
    shapes = {"query": {2: n_query}, "key": {2: n_key}, "value": {2: n_key}}
    shapes["mask"] = {0: n_query, 1: n_key}
    program = torch.export.export(Module(), inputs(5, 7), dynamic_shapes=shapes)
    for lengths in ((5, 7), (13, 17), (19, 3)):
        arrays = inputs(*lengths)
        torch.testing.assert_close(program.module()(*arrays), Module()(*arrays))


@differentiable
def test_maps_over_a_batch(torch, call):
    arrays = convert(torch, call.everything)
    batched = [torch.stack([array, array.roll(1, 0)]) for array in arrays]
    together = torch.func.vmap(call.function)(*batched)
    for at in range(2):
        alone = call.function(*(array[at] for array in batched))
        assert_same(torch, tree_at(torch, together, at), alone)


@differentiable
def test_differentiates_as_a_function(torch, call):
    arrays = convert(torch, call.everything)
    by = tuple(range(len(call.arrays)))
    functional = torch.func.grad(lambda *arrays: total(call.function(*arrays)), by)(*arrays)
    leaves = [array.requires_grad_() for array in arrays[: len(call.arrays)]]
    backward = torch.autograd.grad(total(call.function(*arrays)), leaves)
    assert_same(torch, functional, backward)


@calls
def test_shapes_dtypes_and_device_without_numbers(torch, call):
    """A meta tensor holds no numbers: what looks at them, or forgets the device, fails."""
    arrays = convert(torch, call.everything)
    expected = call.function(*arrays)
    actual = call.function(*(array.to("meta") for array in arrays))
    for one, other in zip(leaves_of(actual), leaves_of(expected), strict=True):
        assert one.device.type == "meta"
        assert (one.shape, one.dtype) == (other.shape, other.dtype)


def leaves_of(result):
    return result if isinstance(result, tuple) else (result,)


def total(result):
    """Make one number of a result, in which every entry has a weight of its own."""
    return sum((leaf * leaf).sum() / (i + 1) for i, leaf in enumerate(leaves_of(result)))


def tree_at(torch, result, at):
    return torch.utils._pytree.tree_map(lambda array: array[at], result)
