"""The stack of attentions: what it computes, and that attention alone moves anything."""

import pytest

torch = pytest.importorskip("torch")

from attnbook import causal_mask, scaled_dot_product_attention  # noqa: E402
from attnbook.nn import AttentionStack  # noqa: E402

B, L, N_TOKENS, N_POSITIONS, ANSWERS, D_MODEL = 2, 5, 11, 7, (2, 3), 8


@pytest.fixture
def tokens():
    generator = torch.Generator().manual_seed(0)
    return torch.randint(N_TOKENS, (B, L), generator=generator)


def stack(n_layers=2, n_heads=1):
    torch.manual_seed(1)
    model = AttentionStack(N_TOKENS, N_POSITIONS, ANSWERS, D_MODEL, n_layers, n_heads).double()
    # as made, the read-out is zero and would hide every mistake before it
    torch.nn.init.normal_(model.read_out.weight)
    torch.nn.init.normal_(model.read_out.bias)
    return model


def by_formula(model, tokens, mask=None):
    x = model.token.weight[tokens] + model.position[: tokens.shape[-1]]
    for layer in model.layers:
        w_query, w_key, w_value = layer.in_proj_weight.chunk(3)
        attended = scaled_dot_product_attention(
            x @ w_query.T, x @ w_key.T, x @ w_value.T, mask=mask
        )
        x = x + attended @ layer.out_proj.weight.T
    read = x @ model.read_out.weight.T + model.read_out.bias
    return read.reshape(*tokens.shape, *ANSWERS)


@pytest.mark.parametrize("n_layers", [0, 1, 3])
def test_equals_the_formula(tokens, n_layers):
    model = stack(n_layers)
    torch.testing.assert_close(model(tokens), by_formula(model, tokens), rtol=0, atol=1e-12)


def test_equals_the_formula_under_a_mask(tokens):
    model, mask = stack(), causal_mask(L, like=tokens)
    expected = by_formula(model, tokens, mask)
    torch.testing.assert_close(model(tokens, mask=mask), expected, rtol=0, atol=1e-12)
    assert not torch.allclose(model(tokens), expected)


def test_prefers_no_answer_before_training(tokens):
    scores = AttentionStack(N_TOKENS, N_POSITIONS, ANSWERS)(tokens)
    assert scores.shape == (B, L, *ANSWERS)
    assert (scores == 0).all()


def test_weights_are_those_that_forward_uses(tokens):
    model = stack(n_layers=2, n_heads=2)
    mask = causal_mask(L, like=tokens)
    weights = model.weights(tokens, mask=mask)
    assert [tuple(w.shape) for w in weights] == [(B, 2, L, L)] * 2
    x = model.embed(tokens)
    for layer, w in zip(model.layers, weights, strict=True):
        torch.testing.assert_close(w.sum(dim=-1), torch.ones(B, 2, L).double())
        assert (w[..., ~mask] == 0).all()
        w_value = layer.in_proj_weight.chunk(3)[2]
        value = (x @ w_value.T).unflatten(-1, (2, -1)).transpose(-2, -3)
        x = x + (w @ value).transpose(-2, -3).flatten(-2) @ layer.out_proj.weight.T
    read = model.read_out(x).unflatten(-1, ANSWERS)
    torch.testing.assert_close(read, model(tokens, mask=mask), rtol=0, atol=1e-12)


def test_one_sentence_needs_no_batch(tokens):
    model = stack()
    torch.testing.assert_close(model(tokens[0]), model(tokens)[0])


def test_without_attention_no_word_reaches_another(tokens):
    model, changed = stack(), tokens.clone()
    changed[:, 0] = (changed[:, 0] + 1) % N_TOKENS
    alone = torch.eye(L, dtype=torch.bool)
    here, there = model(tokens, mask=alone), model(changed, mask=alone)
    torch.testing.assert_close(here[:, 1:], there[:, 1:], rtol=0, atol=0)
    assert not torch.allclose(model(tokens)[:, 1:], model(changed)[:, 1:])


def test_position_counts(tokens):
    model = stack()
    turned = model(tokens.flip(-1)).flip(-3)
    assert not torch.allclose(turned, model(tokens))


def test_a_seed_fixes_the_parameters():
    for one, other in zip(stack().parameters(), stack().parameters(), strict=True):
        assert torch.equal(one, other)


def test_refuses_sentences_that_are_too_long():
    with pytest.raises(ValueError, match="8 positions, but the model was made for n_positions=7"):
        stack()(torch.zeros(1, N_POSITIONS + 1, dtype=torch.int64))
