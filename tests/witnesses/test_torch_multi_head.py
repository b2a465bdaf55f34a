"""torch.nn.MultiheadAttention agrees in training, in evaluation and on its fast path."""

import numpy as np
import pytest

from attnbook import Projections, causal_mask, multi_head_attention
from tests.functional.inputs import B, D, L, S, draw, draw_mask

# torch's fast path takes even numbers of heads only
H = 4
WIDTH = H * D


@pytest.fixture(params=["training", "evaluation", "fast path"])
def layer(request, torch):
    """A layer with random projections, in one of the states that torch runs different code in."""
    layer = torch.nn.MultiheadAttention(WIDTH, H, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        for i, parameter in enumerate(layer.parameters()):
            parameter.copy_(torch.asarray(draw(*parameter.shape, seed=i)) / 4)
    layer.train(request.param == "training")
    # it is taken in evaluation, for self-attention, where no gradient is asked for
    with torch.set_grad_enabled(request.param != "fast path"):
        yield layer


def projections_of(layer):
    matrices = [*layer.in_proj_weight.chunk(3), layer.out_proj.weight]
    biases = [*layer.in_proj_bias.chunk(3), layer.out_proj.bias]
    return Projections(*(matrix.mT for matrix in matrices), *biases)


MASKS = {"none": None, "causal": causal_mask(L), "random": draw_mask(L, L) | np.eye(L, dtype=bool)}


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("need_weights", [True, False])
def test_agrees_on_self_attention(torch, layer, mask, need_weights):
    x = torch.asarray(draw(B, L, WIDTH))
    mask = None if mask is None else torch.asarray(mask)
    hidden = None if mask is None else ~mask
    theirs, _ = layer(x, x, x, attn_mask=hidden, need_weights=need_weights)
    ours = multi_head_attention(x, x, x, projections_of(layer), H, mask=mask)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("need_weights", [True, False])
def test_agrees_on_padding_at_the_end_of_every_sequence(torch, layer, need_weights):
    # the output keeps its length, in evaluation too
    x, seen = torch.asarray(draw(B, L, WIDTH)), torch.arange(L) < L - 1
    theirs, _ = layer(x, x, x, key_padding_mask=(~seen).expand(B, L), need_weights=need_weights)
    ours = multi_head_attention(x, x, x, projections_of(layer), H, mask=seen)
    assert theirs.shape == (B, L, WIDTH)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


def test_agrees_on_cross_attention(torch, layer):
    query, key, value = (torch.asarray(draw(B, n, WIDTH, seed=i)) for i, n in enumerate((L, S, S)))
    theirs, _ = layer(query, key, value)
    ours = multi_head_attention(query, key, value, projections_of(layer), H)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)
