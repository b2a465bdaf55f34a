"""What must be true of the files of the project, whatever they say."""

import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def tracked() -> list[Path]:
    """Return the files of the project: what git tracks, and what it would track."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = [ROOT / line for line in listed.stdout.splitlines()]
    return [path for path in paths if path.is_file()]


def readme_commands() -> list[str]:
    return re.findall(r"^```sh\n(.+)\n```$", (ROOT / "README.md").read_text("utf-8"), re.M)


def read_pins(use: str) -> dict[str, str]:
    """Return the exact versions of a use by name."""
    text = (ROOT / "constraints" / f"{use}.txt").read_text("utf-8")
    return dict(re.findall(r"^([\w.-]+)==(.+)$", text, re.M))


def test_readme_gives_the_build_first_and_the_tests_second():
    build, test, *_ = readme_commands()
    assert build.endswith(".venv/bin/nox -s docs")
    assert test.endswith(".venv/bin/nox")
    # a system Python that refuses installs is never asked to install
    assert all(command.startswith("python3 -m venv .venv && ") for command in (build, test))


def test_checks_before_landing_run_the_readme_test_command():
    assert f"\n{readme_commands()[1]}\n" in (ROOT / ".ci" / "run").read_text("utf-8")


def test_building_page_repeats_the_readme_commands():
    page = (ROOT / "docs" / "develop" / "building.md").read_text("utf-8")
    # in lines that fit the page
    blocks = [" ".join(block.split()) for block in re.findall(r"```sh\n([^`]+)```", page)]
    assert blocks[:2] == readme_commands()[:2]


@pytest.mark.parametrize("path", sorted((ROOT / "constraints").glob("*.txt")), ids=lambda p: p.stem)
def test_constraints_are_versions_alone(path):
    lines = [line for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]
    assert lines
    for line in lines:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line), line


def test_constraints_satisfy_the_ranges_they_pin():
    import tomllib

    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    for use, names in {
        "test": ["test", "conformance", "shapes", "docs", "live", "browser", "books"],
        "docs": ["jax", "conformance", "docs", "live"],
        "backends": ["jax", "test", "conformance"],
    }.items():
        pins = {canonicalize_name(name): version for name, version in read_pins(use).items()}
        for requirement in map(Requirement, (spec for name in names for spec in groups[name])):
            version = pins[canonicalize_name(requirement.name)]
            assert requirement.specifier.contains(version), f"{use}: {requirement} {version}"


def test_pinned_versions_run_on_the_first_python_supported():
    """A distribution stays at one patch release of Python, whichever it began with."""
    from importlib import metadata

    from packaging.specifiers import SpecifierSet

    pins, installed = read_pins("test"), metadata.distributions()
    # those that another platform needs are not here
    needs = {d.name: d.metadata.get("Requires-Python", "") for d in installed if d.name in pins}
    assert len(needs) > 100
    assert [it for it in needs.items() if not SpecifierSet(it[1]).contains("3.11.0")] == []


def test_lock_of_javascript_holds_no_addresses():
    lock = json.loads((ROOT / "package-lock.json").read_text("utf-8"))
    assert lock["packages"]
    assert not any("resolved" in package for package in lock["packages"].values())
    wanted = json.loads((ROOT / "package.json").read_text("utf-8"))
    for name, version in (wanted["dependencies"] | wanted["devDependencies"]).items():
        assert lock["packages"][f"node_modules/{name}"]["version"] == version


def test_actions_are_pinned_to_commits():
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        uses = re.findall(r"uses: *(\S+)", path.read_text("utf-8"))
        assert uses
        for action in uses:
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action), f"{path.name}: {action}"


# written so that this file does not hold what it looks for
FOREIGN = re.compile(
    "|".join(["cdn" + r"\.jsdelivr", "unp" + "kg", "cdn" + "js", "fonts" + r"\.googleapis"])
)
MACHINE = re.compile(r"(?<![\w.*<{}-])/" + r"(?:root|work|tmp|home|opt)/\w")


@pytest.mark.parametrize("name", ["src", "docs", "conf.py", "noxfile.py"])
def test_nothing_that_makes_the_site_names_a_foreign_host(name):
    for path in tracked():
        if path.relative_to(ROOT).parts[0] == name and path.suffix != ".bib":
            assert not FOREIGN.search(path.read_text("utf-8", errors="ignore")), path


def test_no_file_holds_a_path_of_somebody_s_machine():
    for path in tracked():
        found = MACHINE.search(path.read_text("utf-8", errors="ignore"))
        assert not found, f"{path.relative_to(ROOT)}: {found[0]}"


def test_citation_is_of_this_version():
    import tomllib

    import yaml

    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"] == declared


def test_every_session_says_what_it_does():
    listed = re.findall(
        r"^@nox\.(?:session|parametrize).*\ndef (\w+)\(.*\) -> None:\n    (.*)$",
        (ROOT / "noxfile.py").read_text("utf-8"),
        re.M,
    )
    assert len(listed) >= 10
    for name, first in listed:
        assert re.match(r'"""\w.*\."""$', first), name
