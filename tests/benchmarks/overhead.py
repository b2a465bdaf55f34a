"""What the package's call costs beside the same lines written directly, on every library here.

``nox -s benchmark`` prints tables; ``--json FILE`` writes them. Each number is the least of many
repetitions in processor time of this process, which other programs on the machine disturb little;
the two sides take turns, so that a slow second meets both. Whole runs are repeated, and the median
of their ratios is reported. The process keeps to one processor where the system lets it: XLA shares
out even small loops, and threads that wait for each other spend time that no call needs.
"""

import argparse
import datetime
import importlib
import json
import math
import os
import platform
import statistics
import time
from pathlib import Path

import numpy as np
from array_api_compat import array_namespace

from attnbook import scaled_dot_product_attention
from attnbook.functional import _checks, _numbers, _precision

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


def parts_of(query, key, value):
    """Return what a call does beyond the direct lines, by name, each as a function to time."""
    xp = array_namespace(query)
    scores = xp.matmul(query, xp.matrix_transpose(key))
    row = scores[..., :1]

    def checks():
        # what each of the functions that attention is made of checks, from the outermost on
        _checks.check_attention(query, key, value)
        _checks.check_attention(query, key)
        _checks.check_attention(query, key)
        _numbers.check_scale(None, width=query.shape[-1])
        _checks.check_scores(scores)
        _checks.check_floating("scores", scores)
        _numbers.check_axis(-1, scores)

    def precision():
        for _ in ("masked_softmax", "softmax"):
            _precision.at_least_float32(scores)
            xp.astype(scores, scores.dtype, copy=False)

    def empty_rows():
        xp.where(row == -math.inf, 0.0, row)
        xp.where(row == 0.0, 1.0, row)

    return {
        "checks of library, dtype and shape": checks,
        "rows without a key": empty_rows,
        "room for 16 bits": precision,
    }


def measure_parts(rows, *, n_repetitions):
    """Yield what each part of a call takes at the smallest shape; the last is what is left."""
    for name, asarray, *_ in sides():
        if name not in ("numpy", "torch"):
            continue
        rng = np.random.default_rng(0)
        arrays = [asarray(rng.standard_normal(SHAPES[0], dtype=np.float32)) for _ in range(3)]
        parts = parts_of(*arrays)
        times = microseconds(list(parts.values()), (), n_repetitions=n_repetitions)
        (whole,) = (
            row["difference"] for row in rows if (row["library"], row["shape"]) == (name, SHAPES[0])
        )
        left = whole - sum(times)
        for part, time_ in zip([*parts, "calls through the standard"], [*times, left], strict=True):
            yield {"library": name, "part": part, "time": round(time_, 1)}


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
    print()
    parts = list(measure_parts(rows, n_repetitions=options.repetitions))
    for part in parts:
        print(f"{part['library']:10}{part['part']:36}{part['time']:8.1f}")
    print("microseconds of processor time a call, one thread")
    if options.json:
        content = {
            "date": datetime.date.today().isoformat(),
            "python": platform.python_version(),
            "machine": platform.machine(),
            "unit": "microseconds",
            "rows": rows,
            "parts": parts,
        }
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(content, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
