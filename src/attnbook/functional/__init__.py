"""The mechanisms: pure functions over the array API, one small file each."""

from attnbook.functional.attention import attention_weights, scaled_dot_product_attention
from attnbook.functional.heads import merge_heads, split_heads
from attnbook.functional.masks import causal_mask, padding_mask, sliding_window_mask
from attnbook.functional.multi_head import Projections, multi_head_attention
from attnbook.functional.softmax import softmax

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
