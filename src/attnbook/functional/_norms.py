"""Refuse the arguments of a normalization that do not fit, in a sentence that says what to do."""

from types import ModuleType
from typing import Any

from attnbook.functional._checks import check_floating, check_one_library


def check_norm(x: Any, **learned: Any) -> ModuleType:
    """Return the library that x and the learned numbers share; refuse what does not fit."""
    learned = {name: array for name, array in learned.items() if array is not None}
    arrays = {"x": x} | learned
    xp = check_one_library(arrays)
    for name, array in arrays.items():
        check_floating(name, array)
    shape = tuple(x.shape)
    if not shape:
        raise ValueError("x is a single number without an axis to normalize over.")
    for name, array in learned.items():
        if tuple(array.shape) != shape[-1:]:
            raise ValueError(
                f"{name} has shape {tuple(array.shape)}, but needs one number for each component "
                f"of x {shape}: shape {shape[-1:]}."
            )
    return xp
