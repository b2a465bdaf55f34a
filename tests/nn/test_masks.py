import numpy as np
import pytest

from attnbook import causal_mask, padding_mask, scaled_dot_product_attention

torch = pytest.importorskip("torch")

from attnbook.nn import (  # noqa: E402  (needs torch)
    MultiHeadAttention,
    mha_attn_mask,
    mha_key_padding_mask,
    sdpa_attn_mask,
)

B, H, L, S, D = 2, 3, 5, 7, 11
WIDTH = H * D
DOUBLE = {"dtype": torch.float64}


def draw(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), **DOUBLE)


def draw_mask(*shape):
    """Hide about half; every query keeps the first key."""
    mask = torch.rand(shape, generator=torch.Generator().manual_seed(len(shape))) < 0.5
    if shape:
        mask[..., 0] = True
    return mask | torch.tensor(not shape)


def assert_close(ours, theirs):
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


def make_pair():
    torch.manual_seed(0)
    theirs = torch.nn.MultiheadAttention(WIDTH, H, batch_first=True, **DOUBLE)
    torch.nn.init.normal_(theirs.out_proj.bias)
    ours = MultiHeadAttention(WIDTH, H, **DOUBLE)
    ours.load_state_dict(theirs.state_dict())
    return ours, theirs


def inputs():
    return draw(B, L, WIDTH), draw(B, S, WIDTH, seed=1), draw(B, S, WIDTH, seed=2)


SHAPES = [
    (), (S,), (1, S), (L, 1), (L, S), (1, 1, S), (1, 1, L, S), (B, 1, 1, S), (B, 1, L, S),
    (1, H, L, S), (1, H, 1, S), (B, H, 1, S), (B, H, L, S),
]  # fmt: skip
shapes = pytest.mark.parametrize("shape", SHAPES, ids=str)

# -- scaled_dot_product_attention -----------------------------------------------------------------


@shapes
def test_sdpa_reads_it_as_we_do(shape):
    mask = draw_mask(*shape)
    query, key, value = draw(B, H, L, D), draw(B, H, S, D, seed=1), draw(B, H, S, D, seed=2)
    theirs = torch.nn.functional.scaled_dot_product_attention(
        query, key, value, attn_mask=sdpa_attn_mask(mask)
    )
    assert_close(scaled_dot_product_attention(query, key, value, mask=mask), theirs)


def test_a_row_without_keys_is_zero_in_sdpa_too():
    mask = torch.tensor([True, False, True])[:, None].expand(3, S)
    query, key, value = draw(B, H, 3, D), draw(B, H, S, D, seed=1), draw(B, H, S, D, seed=2)
    theirs = torch.nn.functional.scaled_dot_product_attention(
        query, key, value, attn_mask=sdpa_attn_mask(mask)
    )
    assert not theirs[:, :, 1].any()
    assert_close(scaled_dot_product_attention(query, key, value, mask=mask), theirs)


def test_sdpa_reads_a_mask_for_each_sequence_as_one_for_each_head():
    mask = draw_mask(H, L, S)
    arrays = draw(H, H, L, D), draw(H, H, S, D, seed=1), draw(H, H, S, D, seed=2)
    theirs = torch.nn.functional.scaled_dot_product_attention(
        *arrays, attn_mask=sdpa_attn_mask(mask)
    )
    assert_close(scaled_dot_product_attention(*arrays, mask=mask[None]), theirs)
    with pytest.raises(ValueError, match="ambiguous"):
        scaled_dot_product_attention(*arrays, mask=mask)


# -- MultiheadAttention, attn_mask ----------------------------------------------------------------


@shapes
@pytest.mark.parametrize("need_weights", [True, False])
def test_mha_reads_the_inverse(shape, need_weights):
    mask, (ours, theirs) = draw_mask(*shape), make_pair()
    hidden = mha_attn_mask(mask, (B, H, L, S))
    output, _ = theirs(*inputs(), attn_mask=hidden, need_weights=need_weights)
    assert_close(ours(*inputs(), mask=mask), output)


@shapes
def test_mha_mask_is_as_small_as_torch_allows(shape):
    hidden = mha_attn_mask(draw_mask(*shape), (B, H, L, S))
    shared = all(n == 1 for n in shape[:-2])
    assert hidden.shape == ((L, S) if shared else (B * H, L, S))


def test_mha_mask_puts_the_heads_of_one_sequence_together():
    mask = draw_mask(B, H, L, S)
    hidden = mha_attn_mask(mask, (B, H, L, S))
    for b, h in np.ndindex(B, H):
        assert torch.equal(hidden[b * H + h], ~mask[b, h])


def test_the_mask_itself_is_left_alone():
    mask = draw_mask(L, S)
    before = mask.clone()
    mha_attn_mask(mask, (B, H, L, S)).fill_(True)
    mha_key_padding_mask(mask[:, None]).fill_(True)
    assert torch.equal(mask, before)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("gradients", [True, False])
def test_a_row_without_keys_is_nan_in_mha_unless_no_weights_are_needed(training, gradients):
    ours, theirs = make_pair()
    mask = torch.ones(L, S, dtype=torch.bool)
    mask[2] = False
    hidden = mha_attn_mask(mask, (B, H, L, S))
    with torch.set_grad_enabled(gradients):
        expected = ours(*inputs(), mask=mask)
        assert_close(expected[:, 2], ours.out_proj.bias.expand(B, WIDTH))
        theirs.train(training)
        with_weights, _ = theirs(*inputs(), attn_mask=hidden)
        without, _ = theirs(*inputs(), attn_mask=hidden, need_weights=False)
    assert with_weights[:, 2].isnan().all()
    others = torch.arange(L) != 2
    assert_close(with_weights[:, others], expected[:, others])
    assert_close(without, expected)


# -- MultiheadAttention, key_padding_mask ---------------------------------------------------------


@pytest.mark.parametrize("heads_axis", [True, False])
def test_mha_reads_the_inverse_of_padding(heads_axis):
    ours, theirs = make_pair()
    lengths = torch.tensor([S, 3])
    mask = padding_mask(lengths[:, None], S)
    hidden = mha_key_padding_mask(mask if heads_axis else padding_mask(lengths, S))
    assert hidden.shape == (B, S)
    output, _ = theirs(*inputs(), key_padding_mask=hidden)
    assert_close(ours(*inputs(), mask=mask), output)


def test_padding_and_the_future_go_together():
    ours, theirs = make_pair()
    padding = padding_mask(torch.tensor([S, 4])[:, None], S)
    causal = causal_mask(L, S, like=padding)
    output, _ = theirs(
        *inputs(),
        attn_mask=mha_attn_mask(causal, (B, H, L, S)),
        key_padding_mask=mha_key_padding_mask(padding),
    )
    assert_close(ours(*inputs(), mask=padding & causal), output)


def test_a_sequence_of_padding_only_is_nan_in_mha_unless_no_weights_are_needed():
    ours, theirs = make_pair()
    mask = padding_mask(torch.tensor([S, 0])[:, None], S)
    hidden = mha_key_padding_mask(mask)
    with_weights, _ = theirs(*inputs(), key_padding_mask=hidden)
    without, _ = theirs(*inputs(), key_padding_mask=hidden, need_weights=False)
    expected = ours(*inputs(), mask=mask)
    assert with_weights[1].isnan().all()
    assert_close(with_weights[0], expected[0])
    assert_close(without, expected)


# -- devices --------------------------------------------------------------------------------------


def test_masks_stay_on_their_device():
    mask = torch.ones(L, S, dtype=torch.bool, device="meta")
    made = [
        sdpa_attn_mask(mask),
        mha_attn_mask(mask, (B, H, L, S)),
        mha_attn_mask(mask[None, None].expand(B, 1, L, S), (B, H, L, S)),
        mha_key_padding_mask(mask[:, None]),
    ]
    assert {array.device.type for array in made} == {"meta"}


# -- messages -------------------------------------------------------------------------------------

MAKERS = {
    "sdpa_attn_mask": sdpa_attn_mask,
    "mha_attn_mask": lambda mask: mha_attn_mask(mask, (B, H, L, S)),
    "mha_key_padding_mask": mha_key_padding_mask,
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_refuses_what_is_no_mask(make):
    with pytest.raises(TypeError, match=r"dtype torch.float32, but needs bool \(True = may look"):
        make(torch.zeros(B, 1, S))
    with pytest.raises(TypeError, match="mask is a ndarray, not a tensor"):
        make(np.ones((B, 1, S), bool))


def test_refuses_an_ambiguous_mask_for_mha():
    with pytest.raises(ValueError, match=r"mask has shape \(2, 5, 7\), which is ambiguous"):
        mha_attn_mask(draw_mask(B, L, S), (B, H, L, S))
    with pytest.raises(ValueError, match="does not fit scores"):
        mha_attn_mask(draw_mask(L, S + 1), (B, H, L, S))


@pytest.mark.parametrize("shape", [(S,), (L, S), (B, L, S), (B, H, 1, S), (B, 1, L, S)], ids=str)
def test_refuses_padding_that_differs_between_heads_or_queries(shape):
    with pytest.raises(ValueError, match="key_padding_mask is the same for all heads"):
        mha_key_padding_mask(draw_mask(*shape))
