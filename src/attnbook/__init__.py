"""Attention, written once and held to its formula.

The names below are the whole import surface of a course. They are pure functions over the Python
array API standard: the library of the inputs (NumPy, PyTorch, JAX, …) is the library of the result.
Importing this package imports neither torch nor matplotlib.
"""

from attnbook.functional import (
    KVCache,
    Projections,
    alibi_bias,
    alibi_slopes,
    append_kv,
    attention_scores,
    attention_weights,
    causal_mask,
    gelu,
    gelu_tanh,
    layer_norm,
    masked_softmax,
    merge_heads,
    multi_head_attention,
    padding_mask,
    repeat_kv_heads,
    rms_norm,
    rotary_angles,
    rotary_half_split,
    rotary_interleaved,
    scaled_dot_product_attention,
    sliding_window_mask,
    softcap,
    softmax,
    split_heads,
)

__all__ = [
    "KVCache",
    "Projections",
    "alibi_bias",
    "alibi_slopes",
    "append_kv",
    "attention_scores",
    "attention_weights",
    "causal_mask",
    "gelu",
    "gelu_tanh",
    "layer_norm",
    "masked_softmax",
    "merge_heads",
    "multi_head_attention",
    "padding_mask",
    "repeat_kv_heads",
    "rms_norm",
    "rotary_angles",
    "rotary_half_split",
    "rotary_interleaved",
    "scaled_dot_product_attention",
    "sliding_window_mask",
    "softcap",
    "softmax",
    "split_heads",
]
