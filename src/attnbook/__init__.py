"""Attention, written once and held to its formula.

The names below are the whole import surface of a course. They are pure functions over the Python
array API standard: the library of the inputs (NumPy, PyTorch, JAX, …) is the library of the result.
Importing this package imports neither torch nor matplotlib.
"""

from attnbook.functional import (
    Projections,
    attention_weights,
    causal_mask,
    merge_heads,
    multi_head_attention,
    padding_mask,
    scaled_dot_product_attention,
    sliding_window_mask,
    softmax,
    split_heads,
)

__all__ = [
    "Projections",
    "attention_weights",
    "causal_mask",
    "merge_heads",
    "multi_head_attention",
    "padding_mask",
    "scaled_dot_product_attention",
    "sliding_window_mask",
    "softmax",
    "split_heads",
]
