"""Every case that onnx generates for these operators passes, at onnx's own tolerances."""

from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose

pytest.importorskip("onnx", reason="onnx is not installed")

from tests.conformance.onnx_cases import load_cases
from tests.conformance.onnx_operators import OPERATORS

CASES = load_cases()
COUNTS = {
    "Attention": 93,
    "RotaryEmbedding": 8,
    "RMSNormalization": 19,
    "LayerNormalization": 19,
    "Gelu": 4,
    "Softmax": 7,
}
# two steps of bfloat16
RTOL = {"bfloat16": 2**-6}


def test_onnx_generates_the_cases_that_are_counted_here():
    assert Counter(case.operator for case in CASES.values()) == COUNTS
    assert sum(COUNTS.values()) == 150


def into(library, array):
    """Hand an input to a library, widened to float32 where 16 bits cannot be asked for.

    The tolerance is one step of float16, and onnx rounds to float16 after each operation, softmax
    included: code that rounds elsewhere is off by two steps in some draws. Rounded once, it is not.
    Some libraries have no bfloat16 at all.
    """
    if array is None:
        return None
    name = array.dtype.name
    if name == "float16" or (name == "bfloat16" and not hasattr(library.xp, name)):
        name = "float32"
    if array.dtype.name == "bfloat16":
        # only NumPy with ml_dtypes reads it
        array = array.astype(np.float32)
    return library.asarray(array, name)


def back(library, array, dtype):
    """Take a result back to NumPy, rounded to the dtype that it should have."""
    return library.to_numpy(library.xp.astype(array, library.xp.float32)).astype(dtype)


@pytest.mark.parametrize("name", CASES)
def test_case(library, name):
    if library.name == "torch-meta":
        pytest.skip("the cases say by numbers what is to be seen, and a meta tensor has none")
    case = CASES[name]
    inputs = [into(library, array) for array in case.inputs]
    outputs = OPERATORS[case.operator](library.xp, *inputs, **case.attributes)
    compared = [(o, t) for o, t in zip(outputs, case.outputs, strict=False) if t is not None]
    assert len(compared) == sum(output is not None for output in case.outputs)
    for ours, theirs in compared:
        assert ours.dtype == inputs[0].dtype
        assert ours.shape == theirs.shape
        # numpy cannot compare bfloat16
        ours, theirs = (a.astype(np.float32) for a in (back(library, ours, theirs.dtype), theirs))
        rtol = RTOL.get(case.outputs[0].dtype.name, case.rtol)
        assert_allclose(ours, theirs, rtol=rtol, atol=case.atol)
