"""Refuse projections that do not fit their inputs, in a sentence that says what to do."""

from typing import Any

from attnbook.functional._checks import check_one_dtype, check_one_library
from attnbook.functional._numbers import check_integer
from attnbook.functional._shapes import Shape, check_shapes


def check_heads(name: str, width: int, n_heads: Any) -> int:
    """Return the width of one head; refuse a number of heads that does not divide the width."""
    n_heads = check_integer("n_heads", n_heads)
    if n_heads < 1:
        raise ValueError(f"n_heads must be 1 or more, but is {n_heads}.")
    if width % n_heads:
        raise ValueError(
            f"{name} is {width}, which does not divide into {n_heads} heads of equal width."
        )
    return width // n_heads


def check_multi_head(
    inputs: dict[str, Any], projections: Any, n_heads: Any, *, mask: Any = None
) -> None:
    """Refuse query, key and value (`inputs`), projections and heads that do not fit together."""
    if not hasattr(projections, "_asdict"):
        raise TypeError(
            f"projections is a {type(projections).__name__}; make it one first: "
            f"Projections(w_query, w_key, w_value, w_output)."
        )
    arrays = {n: array for n, array in projections._asdict().items() if array is not None}
    arrays = inputs | arrays
    check_one_library(arrays | ({} if mask is None else {"mask": mask}))
    check_one_dtype(arrays)
    shapes = {name: tuple(array.shape) for name, array in arrays.items()}
    _check_ranks({name: shapes[name] for name in inputs})
    _check_widths(shapes)
    _check_biases(shapes)
    for name in inputs:
        check_heads(f"the width that w_{name} makes", shapes[f"w_{name}"][1], n_heads)
    # the leading axes and the lengths must fit as in any attention
    check_shapes({name: (*shapes[name][:-1], shapes[f"w_{name}"][1]) for name in inputs})


def _check_ranks(shapes: dict[str, Shape]) -> None:
    if min(map(len, shapes.values())) < 2:
        raise ValueError(
            f"the inputs need at least two axes, positions and width ({_list(shapes)})."
        )
    if len({len(shape) for shape in shapes.values()}) > 1:
        raise ValueError(
            f"the inputs differ in their number of axes ({_list(shapes)}); give all of them the "
            f"same leading axes, of length 1 where one entry serves all."
        )


def _check_widths(shapes: dict[str, Shape]) -> None:
    for name, shape in shapes.items():
        if name.startswith("w_") and len(shape) != 2:
            raise ValueError(f"{name} has shape {shape}, but needs two axes, width in and out.")
    for name in ("query", "key", "value"):
        matrix = f"w_{name}"
        if shapes[name][-1] != shapes[matrix][0]:
            raise ValueError(
                f"{name} has width {shapes[name][-1]}, its last axis, but {matrix} takes width "
                f"{shapes[matrix][0]} ({_list(shapes, name, matrix)}); the matrices are those of "
                f"x @ W, while torch's linear layers keep them transposed."
            )
    if shapes["w_query"][1] != shapes["w_key"][1]:
        raise ValueError(
            f"w_query and w_key make different widths ({_list(shapes, 'w_query', 'w_key')}); "
            f"a dot product needs equal ones."
        )
    if shapes["w_value"][1] != shapes["w_output"][0]:
        raise ValueError(
            f"w_output takes width {shapes['w_output'][0]}, but the heads side by side have the "
            f"width that w_value makes ({_list(shapes, 'w_value', 'w_output')})."
        )


def _check_biases(shapes: dict[str, Shape]) -> None:
    for name, shape in shapes.items():
        matrix = name.replace("b_", "w_")
        if name.startswith("b_") and shape != shapes[matrix][1:]:
            raise ValueError(
                f"{name} has shape {shape}, but needs one number for each column of {matrix} "
                f"({_list(shapes, matrix)})."
            )


def _list(shapes: dict[str, Shape], *names: str) -> str:
    return ", ".join(f"{name} {shapes[name]}" for name in names or shapes)
