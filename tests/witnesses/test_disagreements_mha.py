"""Where torch.nn.MultiheadAttention says something else than attention on the same arrays."""

import numpy as np
import pytest

from attnbook import attention_weights
from tests.witnesses.adapters import even, ours, tell


@pytest.fixture
def mha(torch):
    """torch's layer with projections that do nothing, and an output bias of one half."""
    return make_mha(torch)


def make_mha(torch, **options):
    layer = torch.nn.MultiheadAttention(4, 2, batch_first=True, dtype=torch.float64, **options)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.eye(4).repeat(3, 1))
        layer.in_proj_weight[:8] = 0  # all scores 0
        layer.out_proj.weight.copy_(torch.eye(4))
        layer.out_proj.bias.fill_(0.5)
    return layer


def attend(torch, layer, n_values=3, **settings):
    x = torch.asarray(even(n_values, n_values)[2][0]).repeat(1, 1, 2)  # (1, n_values, 4)
    settings = {n: torch.asarray(a) if np.ndim(a) else a for n, a in settings.items()}
    return layer(x, x, x, **settings)[0].detach()


def ours_with_bias(*inputs, mask):
    return ours(*inputs, mask=mask) + 0.5


def test_what_true_means_in_multihead_attention(torch, mha, note):
    above = np.triu(np.ones((3, 3), bool), 1)
    note(
        "torch.nn.MultiheadAttention",
        "a mask that is True above the diagonal",
        theirs=(tell(attend, torch, mha, attn_mask=above), "[1.5, 2, 2.5]"),
        ours=(tell(ours_with_bias, *even(3, 3), mask=above), "[3, 3.5, 0.5]"),
        why="True = masked in this layer, and may look in ours, in torch's function, JAX and ONNX.",
    )


@pytest.mark.parametrize("name", ["attn_mask", "key_padding_mask"])
def test_nothing_to_look_at_in_multihead_attention(torch, mha, note, name):
    hidden = np.ones((1, 3) if name == "key_padding_mask" else (3, 3), bool)
    note(
        "torch.nn.MultiheadAttention",
        f"every key hidden by `{name}`, with the weights returned",
        theirs=(tell(attend, torch, mha, **{name: hidden}), "[NaN, NaN, NaN]"),
        ours=(tell(ours_with_bias, *even(3, 3), mask=~hidden), "[0.5, 0.5, 0.5]"),
        why="NaN here, the bias of the last projection with `need_weights=False`; ours is always "
        "that bias.",
    )


def test_nothing_to_look_at_on_the_fast_path(torch, mha, note):
    mha.eval()
    hidden = np.ones((3, 3), bool)
    with torch.no_grad():
        theirs = tell(attend, torch, mha, attn_mask=hidden, need_weights=False)
    note(
        "torch.nn.MultiheadAttention",
        "every key hidden by `attn_mask`, in evaluation, without weights or gradients",
        theirs=(theirs, "[NaN, NaN, NaN]"),
        ours=(tell(ours_with_bias, *even(3, 3), mask=~hidden), "[0.5, 0.5, 0.5]"),
        why="A faster path, taken in evaluation only; training and evaluation are one in ours.",
    )


def test_the_weights_of_multihead_attention(torch, note):
    layer = torch.nn.MultiheadAttention(4, 2, batch_first=True, dtype=torch.float64)
    x = torch.zeros(1, 3, 4, dtype=torch.float64)
    heads = np.zeros((1, 2, 3, 2))
    note(
        "torch.nn.MultiheadAttention",
        "shape of the weights of 2 heads",
        theirs=(str(tuple(layer(x, x, x)[1].shape)), "(1, 3, 3)"),
        ours=(str(attention_weights(heads, heads).shape), "(1, 2, 3, 3)"),
        why="It averages them over the heads unless told; we keep every head.",
    )


def test_which_axis_is_the_batch_in_multihead_attention(torch, note):
    layer = torch.nn.MultiheadAttention(4, 2, dtype=torch.float64)
    x = np.zeros((3, 5, 4))
    note(
        "torch.nn.MultiheadAttention",
        "shape of the weights for inputs `(3, 5, 4)`",
        theirs=(str(tuple(layer(*map(torch.asarray, (x, x, x)))[1].shape)), "(5, 3, 3)"),
        ours=(str(attention_weights(x, x).shape), "(3, 5, 5)"),
        why="Its batch is the second axis unless `batch_first=True`; ours are the leading ones.",
    )


def test_a_mask_of_four_axes_in_multihead_attention(torch, mha, note):
    hidden = np.zeros((1, 1, 3, 3), bool)
    note(
        "torch.nn.MultiheadAttention",
        "a mask `(B, 1, L, S)`",
        theirs=(tell(attend, torch, mha, attn_mask=hidden), "refuses"),
        ours=(tell(ours_with_bias, *even(3, 3), mask=~hidden), "[2.5, 2.5, 2.5]"),
        why="It takes `(L, S)` or `(B·H, L, S)`; `attnbook.nn.mha_attn_mask` makes them.",
    )


def test_a_zero_key_in_multihead_attention(torch, note):
    note(
        "torch.nn.MultiheadAttention",
        "`add_zero_attn=True`",
        theirs=(tell(attend, torch, make_mha(torch, add_zero_attn=True)), "[2, 2, 2]"),
        ours=(tell(lambda *inputs: ours(*inputs) + 0.5, *even(3, 3)), "[2.5, 2.5, 2.5]"),
        why="It appends a key and a value of zeros, so the weights of the others sum to less "
        "than 1; with us one appends them oneself.",
    )
