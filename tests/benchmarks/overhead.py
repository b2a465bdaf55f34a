"""What the package's call costs beside the same lines written directly, on every library here.

``nox -s benchmark`` prints the table; ``--json FILE`` writes it. Each number is the least of many
repetitions in processor time of this process, which other programs on the machine disturb little;
the two sides take turns, so that a slow second meets both. Whole runs are repeated, and the median
of their ratios is reported. The process keeps to one processor where the system lets it: XLA shares
out even small loops, and threads that wait for each other spend time that no call needs.
"""

import argparse
import importlib
import json
import math
import os
import platform
import statistics
import time
from pathlib import Path

import numpy as np

from attnbook import scaled_dot_product_attention

SHAPES = [(1, 1, 4, 8), (2, 4, 16, 16), (2, 8, 64, 32)]
SECONDS = 0.002
"""About how long one repetition takes: many calls when they are short."""


def with_numpy(query, key, value):
    scores = (query * (1 / math.sqrt(query.shape[-1]))) @ np.swapaxes(key, -1, -2)
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return (powers / np.sum(powers, axis=-1, keepdims=True)) @ value


def with_torch(query, key, value):
    scores = (query * (1 / math.sqrt(query.shape[-1]))) @ key.mT
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    return (powers / powers.sum(-1, keepdim=True)) @ value


def with_jax(query, key, value):
    scores = (query * (1 / math.sqrt(query.shape[-1]))) @ key.mT
    xp = importlib.import_module("jax.numpy")
    powers = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    return (powers / xp.sum(powers, axis=-1, keepdims=True)) @ value


def waiting(function):
    """JAX returns before it is done."""
    return lambda *arrays: function(*arrays).block_until_ready()


def sides():
    """Yield library, its asarray, and the two functions to compare."""
    yield "numpy", np.asarray, scaled_dot_product_attention, with_numpy
    if torch := installed("torch"):
        torch.set_num_threads(1)
        yield "torch", torch.asarray, scaled_dot_product_attention, with_torch
    if jax := installed("jax"):
        asarray = jax.numpy.asarray
        yield "jax", asarray, waiting(scaled_dot_product_attention), waiting(with_jax)
        jitted = (waiting(jax.jit(f)) for f in (scaled_dot_product_attention, with_jax))
        yield "jax.jit", asarray, *jitted


def installed(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def microseconds(functions, arrays, *, n_repetitions):
    """Return the least time of one call of each function; the functions take turns."""
    best = [math.inf] * len(functions)
    start = time.process_time_ns()
    for _ in range(10):
        functions[0](*arrays)
    n_calls = max(1, round(SECONDS * 1e10 / max(time.process_time_ns() - start, 1)))
    for _ in range(n_repetitions):
        for i, function in enumerate(functions):
            start = time.process_time_ns()
            for _ in range(n_calls):
                function(*arrays)
            best[i] = min(best[i], (time.process_time_ns() - start) / n_calls / 1e3)
    return best


def measure(*, n_runs, n_repetitions):
    """Yield a row for each library and shape."""
    for name, asarray, package, direct in sides():
        for shape in SHAPES:
            rng = np.random.default_rng(0)
            arrays = [asarray(rng.standard_normal(shape, dtype=np.float32)) for _ in range(3)]
            np.testing.assert_allclose(package(*arrays), direct(*arrays), rtol=1e-4, atol=1e-6)
            runs = [
                microseconds((package, direct), arrays, n_repetitions=n_repetitions)
                for _ in range(n_runs)
            ]
            yield {
                "library": name,
                "shape": shape,
                "package": round(statistics.median(run[0] for run in runs), 1),
                "direct": round(statistics.median(run[1] for run in runs), 1),
                "difference": round(statistics.median(run[0] - run[1] for run in runs), 1),
                "ratio": round(statistics.median(run[0] / run[1] for run in runs), 2),
            }


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--repetitions", type=int, default=30)
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        # before the first use of JAX, which counts the processors once
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(f"{'library':10}{'(B, H, L, D)':18}{'package':>9}{'direct':>9}{'more':>8}{'ratio':>7}")
    rows = []
    for row in measure(n_runs=options.runs, n_repetitions=options.repetitions):
        rows.append(row)
        print(
            f"{row['library']:10}{row['shape']!s:18}{row['package']:9.1f}{row['direct']:9.1f}"
            f"{row['difference']:8.1f}{row['ratio']:7.2f}",
            flush=True,
        )
    print("microseconds of processor time a call, one thread")
    if options.json:
        machine = {"python": platform.python_version(), "machine": platform.machine()}
        content = {"unit": "microseconds", **machine, "rows": rows}
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(content, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
