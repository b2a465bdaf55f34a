"""One call of every public function, as a function of arrays alone, which is what transforms take.

The arrays are NumPy's; a test converts them. What is no array (sizes, numbers of heads, a library)
is fixed in the function.
"""

from typing import NamedTuple

import numpy as np
from array_api_compat import array_namespace

import attnbook
from tests.functional.inputs import DV, B, D, H, L, S, draw, draw_inputs, draw_mask

WIDTH = 17  # d_model, one more prime


class Call(NamedTuple):
    """A function of arrays, and the arrays: those that one may differentiate by come first."""

    function: object
    arrays: tuple
    others: tuple = ()

    @property
    def everything(self):
        return (*self.arrays, *self.others)


def attend(query, key, value, bias, mask):
    return attnbook.scaled_dot_product_attention(query, key, value, mask=mask, bias=bias)


def weigh(query, key, bias, mask):
    return attnbook.attention_weights(query, key, mask=mask, bias=bias, scale=0.3)


def attend_in_heads(query, key, value, *rest):
    *projections, mask = rest
    projections = attnbook.Projections(*projections)
    return attnbook.multi_head_attention(query, key, value, projections, H, mask=mask)


def append(old_key, old_value, key, value):
    return attnbook.append_kv(attnbook.KVCache(old_key, old_value), key, value)


def turn(function):
    def turned(x, positions):
        xp, angles = array_namespace(x), attnbook.rotary_angles(positions, 2 * D)
        return function(x, xp.cos(angles), xp.sin(angles))

    return turned


def mask_all(lengths):
    mask = attnbook.causal_mask(L, S, like=lengths) & attnbook.padding_mask(lengths, S)
    return mask & attnbook.sliding_window_mask(L, S, window=3, like=lengths)


def project():
    rows = (WIDTH, WIDTH, WIDTH, H * DV)
    columns = (H * D, H * D, H * DV, WIDTH)
    matrices = (draw(r, c, seed=i) / 4 for i, (r, c) in enumerate(zip(rows, columns, strict=True)))
    return (*matrices, *(draw(c, seed=i) for i, c in enumerate(columns)))


QUERY, KEY, VALUE = draw_inputs(B, H)
MASK, BIAS = draw_mask(B, H, L, S), draw(B, H, L, S, seed=4)
X = draw(B, H, L, D)
PAIRS, POSITIONS = draw(B, H, L, 2 * D), np.arange(0.0, L)
WIDE = tuple(draw(B, n, WIDTH, seed=i) for i, n in enumerate((L, S, S)))

CALLS = {
    "alibi_bias": Call(lambda like: attnbook.alibi_bias(H, L, S, like=like), (), (X,)),
    "append_kv": Call(append, (KEY, VALUE, KEY, VALUE)),
    "attention_scores": Call(attnbook.attention_scores, (QUERY, KEY)),
    "attention_weights": Call(weigh, (QUERY, KEY, BIAS), (MASK,)),
    "gelu": Call(attnbook.gelu, (X,)),
    "gelu_tanh": Call(attnbook.gelu_tanh, (X,)),
    "layer_norm": Call(attnbook.layer_norm, (X, draw(D, seed=1), draw(D, seed=2))),
    "masked_softmax": Call(
        lambda scores, bias, mask: attnbook.masked_softmax(scores, mask=mask, bias=bias),
        (draw(B, H, L, S), BIAS),
        (MASK,),
    ),
    "masks": Call(mask_all, (), (np.array([3, S]),)),
    "merge_heads": Call(attnbook.merge_heads, (X,)),
    "multi_head_attention": Call(attend_in_heads, (*WIDE, *project()), (MASK,)),
    "repeat_kv_heads": Call(lambda x: attnbook.repeat_kv_heads(x, 2 * H), (X,)),
    "rms_norm": Call(attnbook.rms_norm, (X, draw(D, seed=1))),
    "rotary_angles": Call(lambda x: attnbook.rotary_angles(x, 2 * D), (POSITIONS,)),
    "rotary_half_split": Call(turn(attnbook.rotary_half_split), (PAIRS,), (POSITIONS,)),
    "rotary_interleaved": Call(turn(attnbook.rotary_interleaved), (PAIRS,), (POSITIONS,)),
    "scaled_dot_product_attention": Call(attend, (QUERY, KEY, VALUE, BIAS), (MASK,)),
    "softcap": Call(lambda scores: attnbook.softcap(scores, 2.0), (X,)),
    "softmax": Call(lambda scores: attnbook.softmax(scores, axis=-2), (X,)),
    "split_heads": Call(lambda x: attnbook.split_heads(x, H), (draw(B, L, H * D),)),
}
ELSEWHERE = {
    "KVCache": "append_kv",
    "Projections": "multi_head_attention",
    "alibi_slopes": "alibi_bias",
    "causal_mask": "masks",
    "padding_mask": "masks",
    "sliding_window_mask": "masks",
}
"""Names that stand in another's call."""
WITHOUT_GRADIENT = {
    "alibi_bias": "constants, made of sizes",
    "alibi_slopes": "constants, made of sizes",
    "causal_mask": "bools",
    "padding_mask": "bools",
    "sliding_window_mask": "bools",
}
"""Names that nothing can be differentiated by, and what they give instead."""
DIFFERENTIABLE = {name: call for name, call in CALLS.items() if call.arrays}
