import pytest

from attnbook import causal_mask, gelu, padding_mask

torch = pytest.importorskip("torch")

from attnbook.nn import TransformerBlock, mha_attn_mask  # noqa: E402  (needs torch)

B, L, H, WIDTH = 2, 5, 3, 12
DOUBLE = {"dtype": torch.float64}
LIKE = torch.empty(0)
MASKS = {
    "none": None,
    "causal": causal_mask(L, like=LIKE),
    "padding": padding_mask(torch.tensor([L, 3])[:, None], L),
}
norms = pytest.mark.parametrize("norm_first", [True, False], ids=["pre-norm", "post-norm"])
masks = pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)


def draw(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), **DOUBLE)


def make_theirs(norm_first, activation="relu", d_feedforward=4 * WIDTH):
    """Make torch's layer, with gains and biases as training would leave them."""
    theirs = torch.nn.TransformerEncoderLayer(
        WIDTH,
        H,
        d_feedforward,
        dropout=0,
        activation=activation,
        batch_first=True,
        norm_first=norm_first,
        **DOUBLE,
    )
    for seed, parameter in enumerate(theirs.parameters()):
        parameter.data = draw(*parameter.shape, seed=seed) / 2
    return theirs


@norms
@masks
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_equal_to_torchs_layer(norm_first, mask, activation):
    theirs = make_theirs(norm_first, activation, d_feedforward=7)
    function = {"relu": torch.relu, "gelu": gelu}[activation]
    ours = TransformerBlock(WIDTH, H, 7, activation=function, norm_first=norm_first, **DOUBLE)
    ours.load_state_dict(theirs.state_dict())
    x = draw(B, L, WIDTH, seed=20)
    inverted = None if mask is None else mha_attn_mask(mask, (B, H, L, L))
    torch.testing.assert_close(ours(x, mask=mask), theirs(x, inverted), rtol=0, atol=1e-12)


@norms
def test_gradients_equal_torchs(norm_first):
    theirs = make_theirs(norm_first)
    ours = TransformerBlock(WIDTH, H, norm_first=norm_first, **DOUBLE)
    ours.load_state_dict(theirs.state_dict())
    for block in (ours, theirs):
        block(draw(B, L, WIDTH, seed=20)).pow(3).sum().backward()
    expected = dict(theirs.named_parameters())
    for name, parameter in ours.named_parameters():
        torch.testing.assert_close(parameter.grad, expected[name].grad, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_the_residual_of_pre_norm_carries_what_came_in(scale):
    """Both parts silenced, the block is the identity, however large its input (pytorch #61165)."""
    block = TransformerBlock(WIDTH, H, **DOUBLE)
    for last in (block.self_attn.out_proj, block.linear2):
        torch.nn.init.zeros_(last.weight)
        torch.nn.init.zeros_(last.bias)
    x = scale * draw(B, L, WIDTH) + 7
    assert torch.equal(block(x), x)


def test_what_pre_norm_adds_does_not_depend_on_the_size_of_its_input():
    """Only what a part reads is normalized: its share stays, while the residual grows."""
    block = TransformerBlock(WIDTH, H, **DOUBLE)
    torch.nn.init.zeros_(block.linear2.weight)
    torch.nn.init.zeros_(block.linear2.bias)
    x = draw(B, L, WIDTH)
    added = [block(scale * x) - scale * x for scale in (1e3, 2e3)]
    torch.testing.assert_close(*added, rtol=0, atol=1e-6)
    assert added[0].abs().max() > 1e-2


def test_post_norm_normalizes_what_goes_out():
    y = TransformerBlock(WIDTH, H, norm_first=False, **DOUBLE)(1e3 * draw(B, L, WIDTH))
    zero, one = torch.zeros(B, L, **DOUBLE), torch.ones(B, L, **DOUBLE)
    torch.testing.assert_close(y.mean(-1), zero, rtol=0, atol=1e-12)
    torch.testing.assert_close(y.var(-1, correction=0), one, rtol=0, atol=1e-3)


@norms
def test_hidden_positions_change_nothing(norm_first):
    block = TransformerBlock(WIDTH, H, norm_first=norm_first, **DOUBLE)
    x, mask = draw(L, WIDTH), causal_mask(L, like=LIKE)
    changed = torch.cat([x[:3], draw(2, WIDTH, seed=1)])
    assert torch.equal(block(x, mask=mask)[:3], block(changed, mask=mask)[:3])


def test_the_feed_forward_network_is_four_times_as_wide():
    block = TransformerBlock(WIDTH, H)
    assert tuple(block.linear1.weight.shape) == (4 * WIDTH, WIDTH)
    assert "norm_first=True" in repr(block)


def test_heads_must_divide_the_width():
    with pytest.raises(ValueError, match="d_model"):
        TransformerBlock(WIDTH, 5)
