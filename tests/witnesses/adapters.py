"""Call other people's attention on NumPy arrays in our layout, (..., L, D)."""

import contextlib
import importlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from attnbook import scaled_dot_product_attention
from tests.witnesses.onnx_models import run

BACKENDS = ["default", "MATH", "FLASH_ATTENTION"]
"""What torch has for the CPU; the others need a GPU."""
ONNX_WAYS = {"kernel": np.float32, "function body": np.float64}
"""ONNX Runtime has a kernel of its own for float32; for float64 it runs the small model of simpler
operators by which ONNX defines Attention."""


@dataclass(frozen=True)
class Witness:
    """A function of another library, called on NumPy arrays of four axes."""

    name: str
    call: Any

    def __call__(self, *inputs, **settings):
        return self.call(*inputs, **settings)


def torch_sdpa(torch, backend):
    """torch's function on one of its backends, or on the one it chooses itself."""

    def call(*inputs, **settings):
        settings = {n: torch.asarray(np.array(a)) if np.ndim(a) else a for n, a in settings.items()}
        with only(torch, backend):
            output = torch.nn.functional.scaled_dot_product_attention(
                *(torch.asarray(np.array(array)) for array in inputs), **settings
            )
        return output.numpy()

    return Witness(f"torch SDPA, {backend}", call)


def only(torch, backend):
    """Leave torch one backend; "default" leaves it all of them."""
    if backend == "default":
        return contextlib.nullcontext()
    attention = importlib.import_module("torch.nn.attention")
    return attention.sdpa_kernel(getattr(attention.SDPBackend, backend))


def jax_attention(jax):
    """JAX's function, whose layout is (B, L, H, D)."""

    def call(*inputs, **settings):
        settings = {n: jax.numpy.asarray(a) if np.ndim(a) else a for n, a in settings.items()}
        output = jax.nn.dot_product_attention(
            *(jax.numpy.asarray(np.swapaxes(array, 1, 2)) for array in inputs), **settings
        )
        return np.swapaxes(np.asarray(output), 1, 2)

    return Witness("jax.nn.dot_product_attention", call)


def onnx_attention(way):
    """ONNX's operator in ONNX Runtime, whose ways differ by dtype."""
    dtype = ONNX_WAYS[way]

    def call(query, key, value, *, mask=None, lengths=None, **attributes):
        inputs = [array.astype(dtype) for array in (query, key, value)]
        if mask is not None and mask.dtype != bool:
            mask = mask.astype(dtype)
        # between the mask and the lengths stands a cache
        extras = [mask] if lengths is None else [mask, None, None, lengths]
        return run("Attention", [*inputs, *extras], **attributes)[0]

    return Witness(f"onnxruntime Attention, {way}", call)


def ours(*inputs, **settings):
    """The package, on NumPy."""
    return scaled_dot_product_attention(*inputs, **settings)


def even(n_query, n_key, *, n_heads=1):
    """Make inputs whose scores are all 0 and whose values are 1, 2, …: exact means."""
    value = np.broadcast_to(np.arange(1.0, n_key + 1)[:, None], (1, n_heads, n_key, 2))
    return np.zeros((1, n_heads, n_query, 2)), np.zeros((1, n_heads, n_key, 2)), value.copy()


def tell(function, *inputs, **settings):
    """Say in a word what a call gives: the first column of its output, or that it refuses."""
    try:
        output = np.asarray(function(*inputs, **settings), np.float64)
    except (TypeError, ValueError, RuntimeError, AssertionError):
        return "refuses"
    return "[" + ", ".join(map(number, output[..., 0].ravel().tolist())) + "]"


def number(x):
    """Write a number short; the means of 1, 2, … that we expect are exact all the same."""
    return "NaN" if math.isnan(x) else f"{x:.4g}"
