"""The cases of the package ``onnx`` for the operators that this package has the pieces of."""

import importlib
import warnings
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

MODULES = {
    "Attention": "attention",
    "RotaryEmbedding": "rotaryembedding",
    "RMSNormalization": "rmsnormalization",
    "LayerNormalization": "layernormalization",
    "Gelu": "gelu",
    "Softmax": "softmax",
}


@dataclass(frozen=True)
class Case:
    """One call of an operator: inputs by position (None where left out), and what comes out."""

    name: str
    operator: str
    attributes: dict[str, Any]
    inputs: list[Any]
    outputs: list[Any]
    rtol: float
    atol: float


@cache
def load_cases():
    """Let onnx generate its cases and return them by name; it seeds each, so they stay the same."""
    import onnx.backend.test.case.node as node

    # onnx seeds the global generator
    state = np.random.get_state()
    try:
        # importing a module generates its cases, some of which divide by 0 on purpose
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for module in MODULES.values():
                importlib.import_module(f"{node.__name__}.{module}")
    finally:
        np.random.set_state(state)
    cases = [read(case) for case in node._NodeTestCases if "_expanded" not in case.name]
    return {case.name: case for case in cases if case.operator in MODULES}


def read(case):
    """Take a case apart."""
    from onnx.helper import get_attribute_value

    (node,), ((inputs, outputs),) = case.model.graph.node, case.data_sets
    attributes = {a.name: get_attribute_value(a) for a in node.attribute}
    return Case(
        name=case.name,
        operator=node.op_type,
        attributes=attributes,
        inputs=spread(node.input, inputs),
        outputs=spread(node.output, outputs),
        rtol=case.rtol,
        atol=case.atol,
    )


def spread(names, arrays):
    """Put None where a name is empty: that input or output is left out."""
    arrays = iter(arrays)
    return [next(arrays) if name else None for name in names]
