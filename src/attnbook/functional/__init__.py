"""The mechanisms: pure functions over the array API, one small file each."""

from attnbook.functional.alibi import alibi_bias, alibi_slopes
from attnbook.functional.attention import attention_weights, scaled_dot_product_attention
from attnbook.functional.gelu import gelu, gelu_tanh
from attnbook.functional.heads import merge_heads, split_heads
from attnbook.functional.kv_cache import KVCache, append_kv
from attnbook.functional.kv_heads import repeat_kv_heads
from attnbook.functional.layer_norm import layer_norm
from attnbook.functional.masks import causal_mask, padding_mask, sliding_window_mask
from attnbook.functional.multi_head import Projections, multi_head_attention
from attnbook.functional.rms_norm import rms_norm
from attnbook.functional.rotary import rotary_angles, rotary_half_split, rotary_interleaved
from attnbook.functional.scores import attention_scores, masked_softmax
from attnbook.functional.softcap import softcap
from attnbook.functional.softmax import softmax

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
