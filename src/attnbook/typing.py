"""Say which library an array comes from (any), what it holds, and what its axes mean.

An annotation reads ``Float[Array, "... L D"]``: an array of any library, of a floating dtype, whose
last two axes are ``L`` and ``D`` and whose leading axes are free. Within one call a letter stands
for one size: two arguments that both say ``D`` must agree. The letters are those of `AXES`, the
same in signatures, docstrings, tests and pages. Nothing is checked at run time unless jaxtyping's
import hook is on, as it is in one session of the tests.
"""

from typing import Any, TypeAlias

from jaxtyping import Bool, Float, Integer, Real

__all__ = ["AXES", "Array", "Bool", "Float", "Integer", "Real"]

# any object with a shape and a dtype: naming the classes would import their libraries
Array: TypeAlias = Any

AXES: dict[str, str] = {
    "B": "batch",
    "H": "query heads",
    "G": "key/value heads",
    "L": "query length",
    "S": "key length",
    "D": "width of query and key",
    "Dv": "width of value",
}
"""The alphabet of axes: each letter and what it counts."""
