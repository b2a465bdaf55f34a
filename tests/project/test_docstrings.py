"""What a docstring says about shapes, references and neighbours is what the code says."""

import importlib
import inspect
import re
import types
from typing import get_args, get_type_hints

import pytest

import attnbook
from attnbook.typing import AXES

docscrape = pytest.importorskip("numpydoc.docscrape")

PUBLIC = [getattr(attnbook.functional, name) for name in attnbook.functional.__all__]
FUNCTIONS = [thing for thing in PUBLIC if inspect.isfunction(thing)]
TUPLES = [thing for thing in PUBLIC if inspect.isclass(thing)]
SIZES = {"d_model"}
"""Widths that are no letter of the alphabet: heads have not been cut yet."""
WITHOUT_REFERENCE = {"padding_mask"}
"""Names that come from no paper."""

functions = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)


def annotations_of(function):
    """Yield (name, annotation without None, default) of every parameter and of the result."""
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        yield name, without_none(hints[name]), parameter.default
    yield "return", hints["return"], inspect.Parameter.empty


def without_none(hint):
    if isinstance(hint, types.UnionType):
        (hint,) = (kind for kind in get_args(hint) if kind is not type(None))
    return hint


def described(name, hint, default):
    """Write the type slot that an annotation calls for."""
    axes = getattr(hint, "dim_str", None)
    if axes is not None:
        slot = f"array ({', '.join(axes.split())})"
    else:
        # an array of any shape and dtype is annotated Array, which is Any
        slot = getattr(hint, "__name__", "array").replace("Any", "array")
    if default is None:
        return f"{slot}, optional"
    return slot if default is inspect.Parameter.empty else f"{slot}, default {default!r}"


@functions
def test_shapes_equal_the_annotations(function):
    doc = docscrape.FunctionDoc(function)
    slots = {parameter.name: parameter.type for parameter in doc["Parameters"]}
    (result,) = doc["Returns"]
    expected = {name: described(name, *rest) for name, *rest in annotations_of(function)}
    assert slots | {"return": result.type} == expected


@pytest.mark.parametrize("kind", TUPLES, ids=lambda kind: kind.__name__)
def test_shapes_of_fields_equal_the_annotations(kind):
    slots = {field.name: field.type for field in docscrape.ClassDoc(kind)["Attributes"]}
    hints = get_type_hints(kind, include_extras=True)
    defaults = {name: kind._field_defaults.get(name, inspect.Parameter.empty) for name in hints}
    assert slots == {n: described(n, without_none(hints[n]), defaults[n]) for n in hints}


@functions
def test_axes_are_of_the_alphabet(function):
    known = {"...", "1", *AXES, *SIZES, *inspect.signature(function).parameters}
    for name, hint, _ in annotations_of(function):
        axes = set(getattr(hint, "dim_str", "").split())
        assert axes <= known, f"{name} has axes {sorted(axes - known)}"


@functions
def test_every_function_has_an_example(function):
    examples = "\n".join(docscrape.FunctionDoc(function)["Examples"])
    assert f"import {function.__name__}\n" in examples
    assert f">>> {function.__name__}(" in examples


@functions
def test_references_name_paper_and_section(function):
    doc = docscrape.FunctionDoc(function)
    references = " ".join(doc["References"])
    if function.__name__ in WITHOUT_REFERENCE:
        assert not references
        return
    entries = re.split(r"\.\. \[\d+\]", references)[1:]
    assert entries, "no reference"
    for number, entry in enumerate(entries, 1):
        assert re.search(r"section \d+(\.\d+)*", entry), entry
        assert re.search(r"arXiv:\d{4}\.\d{5}|\b(19|20)\d\d\b", entry), entry
        assert f"[{number}]_" in " ".join(doc["Notes"]), "a reference that is not cited"


@functions
def test_see_also_names_what_exists(function):
    neighbours = [
        name for group, _ in docscrape.FunctionDoc(function)["See Also"] for name, _ in group
    ]
    assert neighbours
    for name in neighbours:
        module, _, attribute = name.rpartition(".")
        assert module == "attnbook", f"write {name} as the reader imports it"
        assert callable(getattr(importlib.import_module(module), attribute))


@functions
def test_six_parameters_are_enough(function):
    assert len(inspect.signature(function).parameters) <= 6
