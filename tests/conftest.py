"""The options that choose among the libraries, and the fixtures that hand them to tests."""

import contextlib

import hypothesis
import pytest

from tests.libraries import GPU, PLACES, find, require_gpu
from tests.report import Tally, library_of

# the same examples in every run, and no deadline: the machine may be busy
hypothesis.settings.register_profile("ci", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("ci")


def pytest_addoption(parser):
    group = parser.getgroup("attnbook")
    group.addoption(
        "--library",
        action="append",
        choices=tuple(PLACES),
        help="test on this library, and fail where it is absent (may be given several times)",
    )
    group.addoption(
        "--require-gpu",
        action="store_true",
        help="fail, rather than skip, where there is no CUDA device",
    )
    group.addoption(
        "--report",
        metavar="FILE",
        help="write how each library did, and where libraries disagree, as JSON",
    )


def pytest_configure(config):
    # workers of pytest-xdist send what they saw to the process that counts
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Tally(config.getoption("--report")), "attnbook-tally")


def pytest_generate_tests(metafunc):
    if "library" in metafunc.fixturenames:
        names = metafunc.config.getoption("--library") or PLACES
        params = [pytest.param(n, marks=[pytest.mark.gpu] * (n in GPU)) for n in names]
        metafunc.parametrize("library", params, indirect=True)


def pytest_collection_modifyitems(items):
    for item in items:
        if name := library_of(item):
            item.user_properties.append(("library", name))


@pytest.fixture
def library(request):
    library = find(request.param, request.config)
    with float64_in_jax() if library.name == "jax" else contextlib.nullcontext():
        yield library


@pytest.fixture
def torch(request):
    find("torch", request.config)
    return pytest.importorskip("torch")


@pytest.fixture
def jax(request):
    find("jax", request.config)
    with float64_in_jax():
        yield pytest.importorskip("jax")


@pytest.fixture(params=["torch", pytest.param("torch-cuda", marks=pytest.mark.gpu)])
def torch_device(request, torch):
    """Give the CPU and, where there is one, a CUDA device."""
    if request.param == "torch-cuda":
        require_gpu(request.config)
        return torch.device("cuda")
    return torch.device("cpu")


@contextlib.contextmanager
def float64_in_jax():
    """Let JAX keep float64, which it makes float32 unless told."""
    import jax

    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        yield
    finally:
        jax.config.update("jax_enable_x64", before)
