"""The witnesses as fixtures, and the notes that become the table of disagreements."""

import pytest

from attnbook.data.measured import libraries
from tests.report import PROPERTY
from tests.witnesses.adapters import (
    BACKENDS,
    ONNX_WAYS,
    jax_attention,
    onnx_attention,
    torch_sdpa,
)


@pytest.fixture(params=BACKENDS)
def sdpa(request, torch):
    return torch_sdpa(torch, request.param)


@pytest.fixture
def jax_sdpa(jax):
    return jax_attention(jax)


@pytest.fixture
def onnxruntime():
    pytest.importorskip("onnx")
    return pytest.importorskip("onnxruntime")


@pytest.fixture(params=ONNX_WAYS)
def onnx_sdpa(request, onnxruntime):
    return onnx_attention(request.param)


@pytest.fixture
def onnx_kernel(onnxruntime):
    return onnx_attention("kernel")


@pytest.fixture
def onnx_body(onnxruntime):
    return onnx_attention("function body")


@pytest.fixture
def note(record_property, request):
    """Assert what a library says and what we say, and record both for the reference page.

    `case` and `why` are Markdown, as they stand on the page.
    """

    def assert_and_record(library, case, *, theirs, ours, why):
        says, expected = theirs
        assert says == expected, f"{library} changed its answer to: {case}"
        we_say, wanted = ours
        assert we_say == wanted, f"we changed our answer to: {case}"
        assert says != we_say, f"{library} agrees by now: {case}"
        row = {"library": library, "case": case, "theirs": says, "ours": we_say, "why": why}
        record_property(PROPERTY, row)
        # a run that writes the report need not find itself in the old one
        if not request.config.getoption("--report"):
            assert row in libraries()["disagreements"], (
                f"the book does not know yet what {library} says to: {case}. "
                f"Run `nox -s measure`, and translate what is new on the page."
            )

    return assert_and_record
