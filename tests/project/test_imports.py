"""Imports go one way, and the import surface of a course stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import attnbook

PACKAGE = Path(attnbook.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
OUTER = {"nn", "kernels", "viz", "data", "exercises"}
LAYERS = {
    "typing": set(),
    "functional": {"typing"},
    "__init__": {"functional"},
    **{part: {"typing", "functional"} for part in OUTER},
    "sphinxext": {"typing", "functional"} | OUTER,
}
"""What each part of the package may import from the others."""
FOREIGN = {"typing": {"jaxtyping"}, "functional": {"array_api_compat"}, "__init__": set()}
"""What the innermost parts may import from other projects."""


def part_of(path):
    """Name the part of the package that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports_of(path):
    """Yield the full name of everything a file imports, also inside functions."""
    package = ["attnbook", *path.relative_to(PACKAGE).parent.parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = [*base, *(node.module.split(".") if node.module else [])]
            yield from (".".join([*base, alias.name]) for alias in node.names)


def imported_parts(path):
    for name in imports_of(path):
        first, _, rest = name.partition(".")
        if first == "attnbook":
            part = rest.partition(".")[0]
            # "from attnbook import softmax" takes what __init__ takes from functional
            yield part if part in LAYERS else "functional"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_one_way(path):
    part = part_of(path)
    assert part in LAYERS, f"say in LAYERS what {part} may import"
    backwards = set(imported_parts(path)) - LAYERS[part] - {part}
    assert not backwards, f"{part} imports {sorted(backwards)}"


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if part_of(path) in FOREIGN],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_the_inner_parts_import_nothing_optional(path):
    roots = {name.partition(".")[0] for name in imports_of(path)}
    foreign = roots - set(sys.stdlib_module_names) - {"attnbook"} - FOREIGN[part_of(path)]
    assert not foreign, f"{part_of(path)} imports {sorted(foreign)}"


HEAVY = ["torch", "matplotlib", "jax", "sphinx", "IPython"]


def run(code):
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_importing_the_package_imports_nothing_heavy():
    run(f"import attnbook, sys; heavy = sys.modules.keys() & {HEAVY}; assert not heavy, heavy")


def test_computing_with_numpy_imports_nothing_heavy():
    run(
        "import sys\n"
        f"for name in {HEAVY}: sys.modules[name] = None\n"
        "import numpy as np, attnbook\n"
        "x = np.ones((3, 2))\n"
        "attnbook.scaled_dot_product_attention(x, x, x, mask=attnbook.causal_mask(3))\n"
    )


def test_the_surface_is_what_functional_exports():
    assert attnbook.__all__ == attnbook.functional.__all__
    for name in attnbook.__all__:
        assert getattr(attnbook, name) is getattr(attnbook.functional, name)
