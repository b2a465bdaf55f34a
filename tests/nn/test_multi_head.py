import copy
import math

import pytest

from attnbook import causal_mask, multi_head_attention, padding_mask

torch = pytest.importorskip("torch")

from attnbook.nn import MultiHeadAttention, mha_attn_mask  # noqa: E402  (needs torch)

B, L, S, H, WIDTH = 2, 5, 7, 3, 33
DOUBLE = {"dtype": torch.float64}


def draw(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), **DOUBLE)


def make_theirs(bias=True, seed=0):
    """Make torch's module, with biases that are not 0, as training would leave them."""
    torch.manual_seed(seed)
    theirs = torch.nn.MultiheadAttention(WIDTH, H, bias=bias, batch_first=True, **DOUBLE)
    if bias:
        torch.nn.init.normal_(theirs.in_proj_bias)
        torch.nn.init.normal_(theirs.out_proj.bias)
    return theirs


def make_ours(bias=True):
    ours = MultiHeadAttention(WIDTH, H, bias=bias, **DOUBLE)
    ours.load_state_dict(make_theirs(bias).state_dict())
    return ours


def assert_close(ours, theirs):
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


MASKS = {
    "none": None,
    "causal": causal_mask(L, S, like=torch.empty(0)),
    "padding": padding_mask(torch.tensor([S, 3])[:, None], S),
    "the last key of every sequence hidden": torch.arange(S) < S - 1,
    "both": causal_mask(L, S, like=torch.empty(0)) & padding_mask(torch.tensor([S, 4])[:, None], S),
    "by head": torch.rand(B, H, L, S, generator=torch.Generator().manual_seed(1)) < 0.7,
}
masks = pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
biases = pytest.mark.parametrize("bias", [True, False], ids=["biases", "no biases"])


def inverted(mask):
    return None if mask is None else mha_attn_mask(mask, (B, H, L, S))


# -- what it computes -----------------------------------------------------------------------------


@masks
@biases
def test_is_a_call_of_the_functional_core(mask, bias):
    ours = make_ours(bias)
    query, key, value = draw(B, L, WIDTH), draw(B, S, WIDTH, seed=1), draw(B, S, WIDTH, seed=2)
    output = ours(query, key, value, mask=mask)
    assert_close(output, multi_head_attention(query, key, value, ours.projections, H, mask=mask))


def test_projections_are_those_of_the_paper():
    ours, x = make_ours(), draw(B, L, WIDTH)
    linear = torch.nn.functional.linear(x, ours.in_proj_weight, ours.in_proj_bias)
    p = ours.projections
    pairs = ((p.w_query, p.b_query), (p.w_key, p.b_key), (p.w_value, p.b_value))
    for (matrix, bias), wanted in zip(pairs, linear.chunk(3, dim=-1), strict=True):
        assert_close(x @ matrix + bias, wanted)
    assert_close(x @ p.w_output + p.b_output, ours.out_proj(x))


@biases
def test_key_and_value_default_to_what_stands_before_them(bias):
    ours, query, key = make_ours(bias), draw(B, L, WIDTH), draw(B, S, WIDTH, seed=1)
    assert_close(ours(query), ours(query, query, query))
    assert_close(ours(query, key), ours(query, key, key))
    assert_close(ours.weights(query), ours.weights(query, query))


@masks
@biases
def test_weights_are_those_of_the_forward_pass(mask, bias):
    ours, query, key = make_ours(bias), draw(B, L, WIDTH), draw(B, S, WIDTH, seed=1)
    weights = ours.weights(query, key, mask=mask)
    assert weights.shape == (B, H, L, S)
    p = ours.projections
    value = key @ p.w_value if p.b_value is None else key @ p.w_value + p.b_value
    value = value.unflatten(-1, (H, -1)).transpose(1, 2)
    mixed = (weights @ value).transpose(1, 2).flatten(2)
    assert_close(ours.out_proj(mixed), ours(query, key, mask=mask))


def test_a_single_sequence_needs_no_batch():
    ours, x = make_ours(), draw(B, L, WIDTH)
    assert_close(ours(x[0]), ours(x)[0])
    assert ours.weights(x[0]).shape == (H, L, L)


def test_a_query_without_keys_gets_the_last_bias():
    ours = make_ours()
    output = ours(draw(B, L, WIDTH), mask=torch.arange(L)[:, None] != torch.full((1, L), 2))
    assert_close(output[:, 2], ours.out_proj.bias.expand(B, WIDTH))


# -- torch's module -------------------------------------------------------------------------------


@masks
@biases
def test_state_dict_of_torch_loads_and_gives_equal_outputs(mask, bias):
    theirs, ours = make_theirs(bias), MultiHeadAttention(WIDTH, H, bias=bias, **DOUBLE)
    assert str(ours.load_state_dict(theirs.state_dict())) == "<All keys matched successfully>"
    query, key, value = draw(B, L, WIDTH), draw(B, S, WIDTH, seed=1), draw(B, S, WIDTH, seed=2)
    output, weights = theirs(
        query, key, value, attn_mask=inverted(mask), average_attn_weights=False
    )
    looking = torch.ones(B, L, dtype=torch.bool)
    if mask is not None:
        # torch makes nan of a query without keys
        looking = mask.expand(B, H, L, S).any(-1).all(1)
    assert looking.sum() > L
    assert_close(ours(query, key, value, mask=mask)[looking], output[looking])
    rows = looking[:, None].expand(B, H, L)
    assert_close(ours.weights(query, key, mask=mask)[rows], weights[rows])


@biases
def test_state_dict_loads_into_torch_and_gives_equal_outputs(bias):
    theirs, ours = make_theirs(bias, seed=1), make_ours(bias)
    assert str(theirs.load_state_dict(ours.state_dict())) == "<All keys matched successfully>"
    x = draw(B, L, WIDTH)
    assert_close(theirs(x, x, x)[0], ours(x))


@biases
def test_state_dicts_have_the_same_names_in_the_same_order(bias):
    assert list(make_ours(bias).state_dict()) == list(make_theirs(bias).state_dict())
    assert [n for n, _ in make_ours(bias).named_parameters()] == [
        n for n, _ in make_theirs(bias).named_parameters()
    ]


@biases
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_same_seed_gives_the_same_start(bias, dtype):
    torch.manual_seed(5)
    ours = MultiHeadAttention(WIDTH, H, bias=bias, dtype=dtype)
    drawn_after_ours = torch.rand(1)
    torch.manual_seed(5)
    theirs = torch.nn.MultiheadAttention(WIDTH, H, bias=bias, dtype=dtype)
    assert torch.equal(drawn_after_ours, torch.rand(1))
    for name, parameter in ours.state_dict().items():
        assert torch.equal(parameter, theirs.state_dict()[name]), name


@biases
def test_gradients_agree_with_torch(bias):
    theirs, ours = make_theirs(bias), make_ours(bias)
    x, direction = draw(B, L, WIDTH), draw(B, L, WIDTH, seed=1)
    ours(x).backward(direction)
    theirs(x, x, x)[0].backward(direction)
    for (name, our), their in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(our.grad, their.grad, rtol=0, atol=1e-11, msg=name)


# -- a module among modules -----------------------------------------------------------------------


@biases
def test_a_sequence_of_padding_only_does_not_disturb_the_gradients_of_the_others(bias):
    query, key = draw(B, L, WIDTH), draw(B, S, WIDTH, seed=1)
    mask = padding_mask(torch.tensor([4, 0])[:, None], S)

    def gradients(n_sequences):
        """Differentiate a loss of the first sequence alone."""
        ours = make_ours(bias)
        output = ours(query[:n_sequences], key[:n_sequences], mask=mask[:n_sequences])
        return torch.autograd.grad(output[0].square().sum(), list(ours.parameters()))

    for gradient, expected in zip(gradients(2), gradients(1), strict=True):
        assert gradient.isfinite().all()
        assert_close(gradient, expected)


def test_starts_within_the_bound_of_glorot():
    ours = MultiHeadAttention(WIDTH, H)
    assert ours.in_proj_weight.abs().max() <= math.sqrt(6 / (4 * WIDTH))
    assert not ours.in_proj_bias.any()
    assert not ours.out_proj.bias.any()


def test_resetting_draws_new_numbers():
    ours = make_ours()
    before = ours.in_proj_weight.detach().clone()
    ours.reset_parameters()
    assert not torch.equal(ours.in_proj_weight, before)
    assert not ours.out_proj.bias.any()


def test_every_parameter_learns():
    ours = make_ours()
    ours(draw(B, L, WIDTH), draw(B, S, WIDTH, seed=1)).square().sum().backward()
    for name, parameter in ours.named_parameters():
        assert parameter.grad.abs().sum() > 0, name


def test_moves_between_devices_and_dtypes():
    ours = make_ours().to("meta", torch.bfloat16)
    output = ours(torch.empty(B, L, WIDTH, device="meta", dtype=torch.bfloat16))
    assert output.device.type == "meta"
    assert output.dtype == torch.bfloat16
    made_there = MultiHeadAttention(WIDTH, H, device="meta", dtype=torch.float16)
    assert {(p.device.type, p.dtype) for p in made_there.parameters()} == {("meta", torch.float16)}


def test_copies():
    ours, x = make_ours(), draw(B, L, WIDTH)
    assert_close(copy.deepcopy(ours)(x), ours(x))


@pytest.mark.parametrize("gradients", [True, False], ids=["gradients", "no gradients"])
@masks
def test_training_and_evaluation_are_one(mask, gradients):
    ours, inputs = make_ours(), (draw(B, L, WIDTH), draw(B, S, WIDTH, seed=1))
    with torch.set_grad_enabled(gradients):
        training, again = (ours.train()(*inputs, mask=mask) for _ in range(2))
        evaluation = ours.eval()(*inputs, mask=mask)
    assert training.shape == (B, L, WIDTH)
    torch.testing.assert_close(evaluation, training, rtol=0, atol=0)
    # nothing is dropped at random
    torch.testing.assert_close(again, training, rtol=0, atol=0)


def test_says_its_sizes_in_print():
    assert "d_model=33, n_heads=3" in repr(MultiHeadAttention(WIDTH, H))


@pytest.mark.filterwarnings("ignore:Dynamo detected a call to a .functools.lru_cache")
def test_compiles_without_a_graph_break():
    ours, x = make_ours(), draw(B, L, WIDTH)
    assert_close(torch.compile(ours, fullgraph=True, backend="eager")(x), ours(x))


# -- messages -------------------------------------------------------------------------------------


def test_refuses_heads_that_do_not_divide_the_width():
    with pytest.raises(ValueError, match="d_model is 33, which does not divide into 4 heads"):
        MultiHeadAttention(WIDTH, 4)
    with pytest.raises(TypeError, match="n_heads must be an integer"):
        MultiHeadAttention(WIDTH, 3.0)


def test_refuses_inputs_of_another_width():
    with pytest.raises(ValueError, match=r"query has width 32, .* w_query takes width 33"):
        make_ours()(draw(B, L, 32))


def test_refuses_what_torch_can_hold_and_this_module_cannot():
    theirs = torch.nn.MultiheadAttention(WIDTH, H, add_bias_kv=True)
    with pytest.raises(RuntimeError, match="bias_k"):
        MultiHeadAttention(WIDTH, H).load_state_dict(theirs.state_dict())
    theirs = torch.nn.MultiheadAttention(WIDTH, H, kdim=8, vdim=8)
    with pytest.raises(RuntimeError, match="q_proj_weight"):
        MultiHeadAttention(WIDTH, H).load_state_dict(theirs.state_dict())
