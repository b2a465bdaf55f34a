"""Run single operators of ONNX in ONNX Runtime, on its provider for the CPU."""

import importlib

OPSET = 24
"""The one whose Attention takes the number of real keys."""


def run(operator, inputs, *, n_outputs=1, **attributes):
    """Make a model of one node, run it and return its outputs; None leaves an input out."""
    helper = importlib.import_module("onnx.helper")
    names = ["" if array is None else f"input {i}" for i, array in enumerate(inputs)]
    feeds = {name: array for name, array in zip(names, inputs, strict=True) if name}
    results = [f"output {i}" for i in range(n_outputs)]
    element = {name: helper.np_dtype_to_tensor_dtype(array.dtype) for name, array in feeds.items()}
    graph = helper.make_graph(
        [helper.make_node(operator, names, results, **attributes)],
        "one node",
        [helper.make_tensor_value_info(n, element[n], array.shape) for n, array in feeds.items()],
        [helper.make_tensor_value_info(n, element[names[0]], None) for n in results],
    )
    opset = helper.make_opsetid("", OPSET)
    return execute(helper.make_model(graph, opset_imports=[opset], ir_version=10), feeds)


def execute(model, feeds):
    """Run a model; a refusal, at loading or at running, is a RuntimeError."""
    runtime = importlib.import_module("onnxruntime")
    state = runtime.capi.onnxruntime_pybind11_state
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    # what it refuses it also prints
    options.log_severity_level = 4
    try:
        session = runtime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return session.run(None, feeds)
    except (state.Fail, state.InvalidArgument, state.RuntimeException) as error:
        raise RuntimeError(str(error)) from error
