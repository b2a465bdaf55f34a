"""Refuse shapes that do not fit together, in a sentence that names the axis and what to do."""

from typing import TypeAlias

Shape: TypeAlias = tuple[int, ...]


def check_shapes(shapes: dict[str, Shape]) -> Shape:
    """Return the shape (..., L, S) of the scores of query and key; refuse what does not fit."""
    for name, shape in shapes.items():
        if len(shape) < 2:
            raise ValueError(
                f"{name} has shape {shape}, but needs at least two axes, positions and width; "
                f"a single vector is {name}[None, :]."
            )
    _check_inner_axes(shapes)
    query, key = shapes["query"], shapes["key"]
    if len({shape[:-2] for shape in shapes.values()}) == 1:
        return (*query[:-1], key[-2])
    _check_ranks(shapes)
    for axis in range(-max(map(len, shapes.values())), -2):
        _check_leading_axis(axis, shapes)
    return (*_broadcast(query[:-2], key[:-2]), query[-2], key[-2])


def check_fit(name: str, shape: Shape, target: Shape, *, what: str = "scores") -> None:
    """Refuse an array that does not broadcast to the shape of what it is laid over as it is."""
    n_missing = len(target) - len(shape)
    if n_missing < 0:
        raise ValueError(
            f"{name} has shape {shape}, more axes than the {what} {target} it is laid over."
        )
    if n_missing > 0 and any(n != 1 for n in shape[:-2]):
        raise ValueError(
            f"{name} has shape {shape}, which is ambiguous for {what} {target}: its first axis "
            f"may be any of their leading axes. {_write_out(name, n_missing)}"
        )
    for axis in range(-len(shape), 0):
        if shape[axis] not in (1, target[axis]):
            raise ValueError(
                f"{name} has shape {shape}, which does not fit {what} {target}: its axis {axis} "
                f"is {shape[axis]} and needs to be {target[axis]} or 1."
            )


def _check_inner_axes(shapes: dict[str, Shape]) -> None:
    query, key, value = shapes["query"], shapes["key"], shapes.get("value")
    if query[-1] != key[-1]:
        raise ValueError(
            f"query and key differ in width D, their last axis: {query[-1]} and {key[-1]} "
            f"({_list(shapes)}); a dot product needs equal widths, so project both to one."
        )
    if value is not None and key[-2] != value[-2]:
        raise ValueError(
            f"key and value differ in length S, their axis -2: {key[-2]} and {value[-2]} "
            f"({_list(shapes)}); every key needs a value of its own."
        )


def _check_ranks(shapes: dict[str, Shape]) -> None:
    n_axes = max(map(len, shapes.values()))
    for name, shape in shapes.items():
        n_missing = n_axes - len(shape)
        if n_missing > 0 and any(n != 1 for n in shape[:-2]):
            raise ValueError(
                f"{name} has shape {shape}, which is ambiguous next to {n_axes} axes "
                f"({_list(shapes)}): its first axis may be any of the leading axes. "
                f"{_write_out(name, n_missing)}"
            )


def _check_leading_axis(axis: int, shapes: dict[str, Shape]) -> None:
    sizes = {name: shape[axis] for name, shape in shapes.items() if len(shape) >= -axis}
    if len({n for n in sizes.values() if n != 1}) <= 1:
        return
    advice = "leading axes must be equal, or 1."
    if axis == -3 and len(shapes["query"]) > 3:
        advice = _advise_heads(sizes)
    raise ValueError(f"{_join(sizes)} differ in axis {axis} ({_list(shapes)}); {advice}")


def _advise_heads(sizes: dict[str, int]) -> str:
    n_heads, n_kv_heads = sizes["query"], sizes.get("key", 1)
    if n_kv_heads > 0 and n_heads % n_kv_heads == 0:
        return (
            f"for heads to share keys and values, repeat each key and value head "
            f"{n_heads // n_kv_heads} times along axis -3 (repeat, not tile), "
            f"as repeat_kv_heads(key, {n_heads}) does."
        )
    return f"{n_heads} query heads cannot share {n_kv_heads} key/value heads evenly."


def _write_out(name: str, n_missing: int) -> str:
    axes = ", None" * n_missing
    return f"If that axis is the batch, write the missing axes out: {name}[:{axes}]."


def _broadcast(left: Shape, right: Shape) -> Shape:
    width = max(len(left), len(right))
    left, right = ((1,) * (width - len(shape)) + shape for shape in (left, right))
    return tuple(n if m == 1 else m for m, n in zip(left, right, strict=True))


def _list(shapes: dict[str, Shape]) -> str:
    return ", ".join(f"{name} {shape}" for name, shape in shapes.items())


def _join(sizes: dict[str, int]) -> str:
    return " and ".join(f"{name} ({n})" for name, n in sizes.items())
