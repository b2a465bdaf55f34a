"""ONNX's operators, composed of nothing but the package's public pieces.

Each takes a library's namespace, the inputs by position and the attributes by name, and returns the
outputs by position. What is written here is the operator's own vocabulary: its layouts, its
defaults, where it counts positions from. What is computed is computed by the package.
"""

import math

from attnbook import (
    KVCache,
    append_kv,
    attention_scores,
    causal_mask,
    gelu,
    gelu_tanh,
    layer_norm,
    masked_softmax,
    merge_heads,
    padding_mask,
    repeat_kv_heads,
    rms_norm,
    rotary_half_split,
    rotary_interleaved,
    scaled_dot_product_attention,
    sliding_window_mask,
    softcap,
    softmax,
    split_heads,
)


def attention(
    xp,
    query,
    key,
    value,
    attn_mask=None,
    past_key=None,
    past_value=None,
    nonpad_kv_seqlen=None,
    *,
    q_num_heads=None,
    kv_num_heads=None,
    scale=None,
    softcap=0.0,
    qk_matmul_output_mode=0,
    softmax_precision=None,  # the package computes in float32 at least
    **sides,
):
    """https://onnx.ai/onnx/operators/onnx__Attention.html."""
    heads_last = query.ndim == 3
    if heads_last:
        query = split_heads(query, q_num_heads)
        key, value = (split_heads(x, kv_num_heads) for x in (key, value))
    cache = KVCache(key, value)
    if past_key is not None:
        cache = append_kv(KVCache(past_key, past_value), key, value)
    n_past = cache.key.shape[-2] - key.shape[-2]
    key, value = (repeat_kv_heads(x, query.shape[1]) for x in cache)

    mask, bias = read_mask(xp, attn_mask, key.shape[-2])
    seen = visible(xp, query, key, n_past, nonpad_kv_seqlen, **sides)
    mask = seen if mask is None else mask & seen
    stages = scores_to_weights(
        xp, attention_scores(query, key, scale=scale), softcap, mask=mask, bias=bias
    )
    if softcap:
        output = xp.matmul(stages[-1], value)
    else:
        output = scaled_dot_product_attention(query, key, value, mask=mask, bias=bias, scale=scale)
    output = merge_heads(output) if heads_last else output
    return output, *cache, stages[qk_matmul_output_mode]


def read_mask(xp, attn_mask, n_key):
    """Split a mask of bools or numbers into mask and bias; keys beyond its end are hidden."""
    if attn_mask is None:
        return None, None
    is_bool = xp.isdtype(attn_mask.dtype, "bool")
    short = n_key - attn_mask.shape[-1]
    if short:
        rest = xp.full(
            (*attn_mask.shape[:-1], short),
            False if is_bool else -math.inf,
            dtype=attn_mask.dtype,
            device=attn_mask.device,
        )
        attn_mask = xp.concat((attn_mask, rest), axis=-1)
    if attn_mask.ndim == 3:
        # three axes are heads, queries, keys
        attn_mask = attn_mask[None, ...]
    return (attn_mask, None) if is_bool else (None, attn_mask)


def visible(
    xp,
    query,
    key,
    n_past,
    lengths,
    *,
    is_causal=0,
    left_window_size=-1,
    right_window_size=-1,
):
    """Say who may look at whom for reasons of position: (1 or B, 1, L, S)."""
    n_query, n_key = query.shape[-2], key.shape[-2]
    ends = [n_past + n_query] if lengths is None else [int(length) for length in lengths]
    masks = []
    for end in ends:
        # the queries are the last positions before the end, which may lie before the first key
        where = {"offset": end - n_query, "like": query}
        past = causal_mask(n_query, n_key, **where)
        seen = past | ~past
        if is_causal:
            seen = seen & past
        if left_window_size >= 0:
            near = sliding_window_mask(n_query, n_key, window=left_window_size + 1, **where)
            seen = seen & (near | ~past)
        if right_window_size >= 0:
            near = sliding_window_mask(n_query, n_key, window=right_window_size + 1, **where)
            seen = seen & (near | past)
        masks.append(seen)
    seen = xp.stack(masks)[:, None, :, :]
    return seen if lengths is None else seen & padding_mask(lengths[:, None], n_key)


def scores_to_weights(xp, scores, cap, *, mask, bias):
    """Return what ONNX shows of the way: scores, capped, biased and masked, weights."""
    capped = softcap(scores, cap) if cap else scores
    hidden = capped if bias is None else capped + bias
    hidden = xp.where(mask, hidden, -math.inf)
    return scores, capped, hidden, masked_softmax(capped, mask=mask, bias=bias)


def rotary_embedding(
    xp,
    x,
    cos,
    sin,
    position_ids=None,
    *,
    interleaved=0,
    num_heads=0,
    rotary_embedding_dim=0,  # the width of cos says it already
):
    """https://onnx.ai/onnx/operators/onnx__RotaryEmbedding.html."""
    if position_ids is not None:
        cos, sin = (look_up(xp, table, position_ids) for table in (cos, sin))
    rotary = rotary_interleaved if interleaved else rotary_half_split
    heads = split_heads(x, num_heads) if x.ndim == 3 else x
    turned = rotary(heads, cos[:, None, :, :], sin[:, None, :, :])
    return (merge_heads(turned) if x.ndim == 3 else turned,)


def look_up(xp, table, positions):
    """Take the row of each position (B, L) from a table."""
    rows = xp.take(table, xp.reshape(positions, (-1,)), axis=0)
    return xp.reshape(rows, (*positions.shape, table.shape[-1]))


def rms_normalization(xp, x, gain, *, axis=-1, epsilon=1e-5, stash_type=1):
    """https://onnx.ai/onnx/operators/onnx__RMSNormalization.html."""
    rows, gain = as_rows(xp, x, axis), xp.reshape(gain, (-1,))
    return (xp.reshape(rms_norm(rows, gain, eps=epsilon), x.shape),)


def layer_normalization(xp, x, gain, bias=None, *, axis=-1, epsilon=1e-5, stash_type=1):
    """https://onnx.ai/onnx/operators/onnx__LayerNormalization.html."""
    rows, gain = as_rows(xp, x, axis), xp.reshape(gain, (-1,))
    bias = None if bias is None else xp.reshape(bias, (-1,))
    y = xp.reshape(layer_norm(rows, gain, bias, eps=epsilon), x.shape)
    shape = (*rows.shape[:-1], *[1] * (x.ndim - rows.ndim + 1))
    return y, *(xp.reshape(array, shape) for array in read_off(xp, rows, epsilon))


def as_rows(xp, x, axis):
    """Fold the axes from one on into one: the package normalizes over the last alone."""
    axis %= x.ndim
    return xp.reshape(x, (*x.shape[:axis], math.prod(x.shape[axis:])))


def read_off(xp, rows, epsilon):
    """Read mean and 1 / deviation off what the package returns: it is a line through two points."""
    wide = xp.astype(rows, xp.float64)
    y = layer_norm(wide, eps=epsilon)
    x_low, y_low = (xp.min(a, axis=-1, keepdims=True) for a in (wide, y))
    x_high, y_high = (xp.max(a, axis=-1, keepdims=True) for a in (wide, y))
    slope = (y_high - y_low) / (x_high - x_low)
    return (xp.astype(a, rows.dtype) for a in (x_high - y_high / slope, slope))


def gelu_operator(xp, x, *, approximate=b"none"):
    """https://onnx.ai/onnx/operators/onnx__Gelu.html."""
    return ({b"none": gelu, b"tanh": gelu_tanh}[approximate](x),)


def softmax_operator(xp, x, *, axis=-1):
    """https://onnx.ai/onnx/operators/onnx__Softmax.html."""
    return (softmax(x, axis=axis),)


OPERATORS = {
    "Attention": attention,
    "RotaryEmbedding": rotary_embedding,
    "RMSNormalization": rms_normalization,
    "LayerNormalization": layer_normalization,
    "Gelu": gelu_operator,
    "Softmax": softmax_operator,
}
