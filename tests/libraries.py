"""The libraries that the functions are tested on: how to find them, and the way in and back."""

import contextlib
import importlib
import importlib.metadata
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest


class Place(NamedTuple):
    """Where arrays are made: a module that follows the standard, and a device of it."""

    module: str
    device: str | None = None

    @property
    def distribution(self):
        """The name under which the library is installed."""
        return self.module.rpartition(".")[2].replace("_", "-")


PLACES = {
    "numpy": Place("array_api_compat.numpy"),
    "array-api-strict": Place("array_api_strict"),
    "torch": Place("array_api_compat.torch"),
    "torch-meta": Place("array_api_compat.torch", "meta"),
    "torch-cuda": Place("array_api_compat.torch", "cuda"),
    "jax": Place("jax"),
    "cupy": Place("array_api_compat.cupy"),
}
GPU = {"torch-cuda", "cupy"}
NO_NUMBERS = "it ran, but a meta tensor has no numbers to compare"


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
        if self.name == "torch-meta":
            assert array.device.type == "meta", f"on the way it moved to {array.device}"
            pytest.skip(NO_NUMBERS)
        if self.name.startswith("torch"):
            array = array.detach().cpu()
        return self.xp.asnumpy(array) if self.name == "cupy" else np.asarray(array)


def find(name, config):
    """Return the library; without it skip the test, or fail it where `config` asks for it."""
    place = PLACES[name]
    try:
        module = importlib.import_module(place.module)
    except ImportError as error:
        give_up(f"{place.distribution} is not installed ({error})", name, config)
    if name in GPU:
        require_gpu(config, name)
    # jax follows the standard in jax.numpy
    return Library(name, module.numpy if name == "jax" else module, place.device)


def require_gpu(config, name="torch-cuda"):
    """Skip or fail the test where there is no CUDA device."""
    if name == "cupy":
        import cupy

        n_devices = cupy.cuda.runtime.getDeviceCount()
    else:
        import torch

        n_devices = torch.cuda.device_count()
    if not n_devices:
        give_up(f"{PLACES[name].distribution} finds no CUDA device", name, config)


def give_up(reason, name, config):
    """Skip, or fail where the command line asked for the library by name."""
    asked_for = name in (config.getoption("--library") or ())
    if asked_for or (name in GPU and config.getoption("--require-gpu")):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def version(name):
    """Return the version of a library that is installed, or None."""
    distribution = PLACES[name].distribution
    with contextlib.suppress(ImportError):
        if distribution == "cupy":
            # its wheels carry the version of CUDA in their name
            return importlib.import_module("cupy").__version__
        return importlib.metadata.version(distribution)
    return None
