"""PyTorch: modules that keep parameters and call the functional core, and its kinds of masks."""

from attnbook.nn.attention_stack import AttentionStack
from attnbook.nn.masks import mha_attn_mask, mha_key_padding_mask, sdpa_attn_mask
from attnbook.nn.multi_head import MultiHeadAttention
from attnbook.nn.training import accuracy, train
from attnbook.nn.transformer_block import TransformerBlock

__all__ = [
    "AttentionStack",
    "MultiHeadAttention",
    "TransformerBlock",
    "accuracy",
    "mha_attn_mask",
    "mha_key_padding_mask",
    "sdpa_attn_mask",
    "train",
]
