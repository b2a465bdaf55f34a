"""The libraries that the functions are tested on, and the options that choose among them."""

import importlib
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import pytest

NAMESPACES = {
    "numpy": "array_api_compat.numpy",
    "array-api-strict": "array_api_strict",
    "torch": "array_api_compat.torch",
    "torch-cuda": "array_api_compat.torch",
}


@dataclass(frozen=True)
class Library:
    """One array library on one device, with the way into it from NumPy and back."""

    name: str
    xp: ModuleType
    device: Any = None

    def asarray(self, array, dtype=None):
        dtype = None if dtype is None else getattr(self.xp, dtype)
        return self.xp.asarray(np.array(array), dtype=dtype, device=self.device)

    def to_numpy(self, array):
        assert type(array) is type(self.asarray(0.0)), f"a {type(array)} came out of {self.name}"
        if self.name.startswith("torch"):
            array = array.detach().cpu()
        return np.asarray(array)


def pytest_addoption(parser):
    group = parser.getgroup("attnbook")
    group.addoption(
        "--library",
        action="append",
        choices=tuple(NAMESPACES),
        help="test on this array library only (may be given several times)",
    )
    group.addoption(
        "--require-gpu",
        action="store_true",
        help="fail, rather than skip, where there is no CUDA device",
    )


def pytest_generate_tests(metafunc):
    if "library" in metafunc.fixturenames:
        names = metafunc.config.getoption("--library") or NAMESPACES
        gpu = {"torch-cuda": pytest.mark.gpu}
        params = [pytest.param(name, marks=gpu.get(name, ())) for name in names]
        metafunc.parametrize("library", params, indirect=True)


@pytest.fixture
def library(request):
    name = request.param
    if request.config.getoption("--library"):
        xp = importlib.import_module(NAMESPACES[name])
    else:
        xp = pytest.importorskip(NAMESPACES[name])
    if name == "torch-cuda":
        require_gpu(request.config)
        return Library(name, xp, "cuda")
    return Library(name, xp)


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.fixture(params=["torch", pytest.param("torch-cuda", marks=pytest.mark.gpu)])
def torch_device(request, torch):
    """Give the CPU and, where there is one, a CUDA device."""
    if request.param == "torch-cuda":
        require_gpu(request.config)
        return torch.device("cuda")
    return torch.device("cpu")


def require_gpu(config):
    import torch

    if not torch.cuda.is_available():
        answer = pytest.fail if config.getoption("--require-gpu") else pytest.skip
        answer("torch finds no CUDA device")
