"""The formulas as nested loops over Python floats, straight from the paper.

Nothing here is shared with the package: no array operation, no maximum subtracted, no broadcasting.
NumPy appears only to walk over batches and heads.
"""

import cmath
import math

import numpy as np


def softmax(scores):
    """Vaswani et al. 2017, section 3.2.1; a row of -inf only has no weights to give."""
    powers = [math.exp(score) for score in scores]
    total = sum(powers)
    return [power / total if total > 0 else 0.0 for power in powers]


def attention_weights(query, key, mask=None, bias=None, scale=None):
    """Weights of one head: lists of rows in, lists of rows out."""
    if scale is None:
        scale = 1 / math.sqrt(len(query[0]))
    weights = []
    for i in range(len(query)):
        scores = []
        for j in range(len(key)):
            score = 0.0
            for d in range(len(query[i])):
                score += query[i][d] * key[j][d]
            score *= scale
            if bias is not None:
                score += bias[i][j]
            if mask is not None and not mask[i][j]:
                score = -math.inf
            scores.append(score)
        weights.append(softmax(scores))
    return weights


def attention(query, key, value, mask=None, bias=None, scale=None):
    """Output of one head."""
    output = []
    for row in attention_weights(query, key, mask, bias, scale):
        summed = [0.0] * len(value[0])
        for j in range(len(value)):
            for d in range(len(value[j])):
                summed[d] += row[j] * value[j][d]
        output.append(summed)
    return output


def causal_mask(n_query, n_key, offset):
    """Query i sees the keys 0 … i + offset."""
    mask = [[False] * n_key for _ in range(n_query)]
    for i in range(n_query):
        for j in range(n_key):
            if j <= i + offset:
                mask[i][j] = True
    return mask


def softcap(score, cap):
    """Gemma Team 2024, section 2."""
    return cap * math.tanh(score / cap)


def layer_norm(row, gain, bias, eps):
    """Ba et al. 2016, section 3, with the eps of everyone's code."""
    mean = sum(row) / len(row)
    variance = sum((a - mean) ** 2 for a in row) / len(row)
    return [
        g * (a - mean) / math.sqrt(variance + eps) + b
        for a, g, b in zip(row, gain, bias, strict=True)
    ]


def rms_norm(row, gain, eps):
    """Zhang and Sennrich 2019, section 4, with the eps of everyone's code."""
    mean_square = sum(a * a for a in row) / len(row)
    return [g * a / math.sqrt(mean_square + eps) for a, g in zip(row, gain, strict=True)]


def gelu(x):
    """Hendrycks and Gimpel 2016, section 2; from the tail, which loses no digits."""
    return x * math.erfc(-x / math.sqrt(2)) / 2


def gelu_tanh(x):
    """Hendrycks and Gimpel 2016, section 2."""
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def rotary(row, position, pairs, base):
    """Su et al. 2021, section 3.2.2: pairs of components are complex numbers, turned."""
    turned = list(row)
    for i, (a, b) in enumerate(pairs):
        theta = base ** (-2 * i / (2 * len(pairs)))
        z = complex(row[a], row[b]) * cmath.exp(1j * position * theta)
        turned[a], turned[b] = z.real, z.imag
    return turned


def by_head(function, *arrays, mask=None, bias=None, scale=None):
    """Run a function of one head on every batch entry and head of NumPy arrays."""
    leading = np.broadcast_shapes(*(array.shape[:-2] for array in arrays))
    arrays = [np.broadcast_to(array, leading + array.shape[-2:]) for array in arrays]
    n_query, n_key = arrays[0].shape[-2], arrays[1].shape[-2]
    extras = {
        name: np.broadcast_to(array, (*leading, n_query, n_key))
        for name, array in {"mask": mask, "bias": bias}.items()
        if array is not None
    }
    results = [
        function(
            *(array[at].tolist() for array in arrays),
            **{name: array[at].tolist() for name, array in extras.items()},
            scale=scale,
        )
        for at in np.ndindex(leading)
    ]
    return np.array(results).reshape(*leading, n_query, -1)
