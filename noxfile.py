"""What this project does to itself: ``nox -l`` lists it, ``nox`` alone checks a change."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
# pip finds a CPU wheel of torch where uv does not look
nox.options.default_venv_backend = "virtualenv"
nox.options.reuse_existing_virtualenvs = True
nox.options.sessions = ["lint", "tests", "doctests", "shapes"]

ROOT = Path(__file__).parent
SITE = "_build/html"
LOCALE = "docs/locale"
MEASURED = "src/attnbook/data/measured"
TORCH_INDEX = os.environ.get("ATTNBOOK_TORCH_INDEX", "https://download.pytorch.org/whl/cpu")
"""Where torch's CPU wheel is; on Linux, the default index sends a CUDA build of gigabytes."""
ONE_THREAD = {"OMP_NUM_THREADS": "1", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}
USES = {
    "lint": ["lint"],
    "test": ["torch", "test", "conformance", "shapes", "docs", "live", "browser", "books"],
    "docs": ["torch", "jax", "conformance", "docs", "live"],
    "backends": ["torch", "jax", "test", "conformance"],
}
"""Each use has a file of exact versions in ``constraints/`` and installs these groups."""
BACKENDS = {"torch": ["torch", "torch-meta"], "jax": ["jax"]}
"""Group → what its library is called in the tests, one name for each device without a GPU."""
LIBRARY_TESTS = [
    f"tests/{part}"
    for part in ("functional", "properties", "witnesses", "transforms", "conformance")
]
"""What runs on any array library."""


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, docstrings, and every file that has a schema."""
    install(session, "lint")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    # readers call what is outside sphinxext; Sphinx calls what is in it
    public = [path for path in (ROOT / "src").rglob("*.py") if "sphinxext" not in path.parts]
    session.run("python", "-m", "numpydoc", "lint", *map(str, sorted(public)))
    session.run("python", "tests/book/lint_chinese.py", "docs")
    session.run("validate-pyproject", "pyproject.toml")
    schema = next(Path(session.virtualenv.location).rglob("cffconvert/schemas/1.2.0/schema.json"))
    session.run(
        "check-jsonschema",
        "--schemafile",
        str(schema),
        "--default-filetype",
        "yaml",
        "CITATION.cff",
    )
    session.run("check-jsonschema", "--builtin-schema", "vendor.readthedocs", ".readthedocs.yaml")
    workflows = sorted(str(path) for path in (ROOT / ".github" / "workflows").glob("*.yml"))
    session.run("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows)


@nox.session
def tests(session: nox.Session) -> None:
    """Test the package, its Sphinx extensions and the project on this machine's CPU."""
    install(session, "test")
    npm(session, "katex", "purgecss")
    pytest(
        session,
        "-n",
        "2",
        "-m",
        "not browser and not site and not gpu and not slow",
        *session.posargs,
    )


@nox.session
def doctests(session: nox.Session) -> None:
    """Run the examples in the docstrings."""
    install(session, "test")
    pytest(
        session,
        "--doctest-modules",
        "src/attnbook",
        "--ignore=src/attnbook/sphinxext",
        *session.posargs,
    )


@nox.session
def shapes(session: nox.Session) -> None:
    """Run the functional tests with every shape annotation checked at each call."""
    install(session, "test")
    pytest(
        session,
        "tests/functional",
        "-m",
        "not bad_input and not gpu",
        "--jaxtyping-packages=attnbook.functional,beartype.beartype",
        *session.posargs,
    )


@nox.session
@nox.parametrize("library", [nox.param(name, id=name) for name in BACKENDS])
def backends(session: nox.Session, library: str) -> None:
    """Test the functions on one library, alone with NumPy, and write how it did to _build."""
    install(session, "backends", groups=[library, "test", "conformance"])
    pytest(
        session,
        *LIBRARY_TESTS,
        "-n",
        "2",
        "-m",
        "not gpu",
        *(f"--library={name}" for name in BACKENDS[library]),
        f"--report=_build/backends/{library}.json",
        *session.posargs,
    )


@nox.session
def minimums(session: nox.Session) -> None:
    """Test the functions on the lowest versions that pyproject.toml declares."""
    declared = nox.project.load_toml(ROOT / "pyproject.toml")
    extras, groups = declared["project"]["optional-dependencies"], declared["dependency-groups"]
    ranges = [*declared["project"]["dependencies"], *groups["jax"], *groups["test"]]
    session.install(*map(lowest, ranges))
    # elsewhere an old torch comes with gigabytes of CUDA
    if answers(TORCH_INDEX):
        session.install("--extra-index-url", TORCH_INDEX, *map(lowest, extras["torch"]))
    session.install("--no-deps", "-e", ".")
    # what others answer is noted for the newest versions alone, and an old library may well call
    # what a new one has deprecated
    parts = [path for path in LIBRARY_TESTS if "witnesses" not in path]
    options = ["-n", "2", "-m", "not gpu", "-W", "ignore::DeprecationWarning"]
    pytest(session, *parts, *options, *session.posargs)


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def pythons(session: nox.Session) -> None:
    """Test the functions on NumPy on every Python that is installed."""
    session.install("-e", ".", "--group", "test")
    pytest(session, *LIBRARY_TESTS, "-n", "2", "-m", "not gpu", *session.posargs)


@nox.session
def benchmark(session: nox.Session) -> None:
    """Measure what a call of the package costs beside the same lines written directly."""
    install(session, "backends")
    session.run("python", "tests/benchmarks/overhead.py", *session.posargs, env=ONE_THREAD)


@nox.session(name="build-benchmark")
def build_benchmark(session: nox.Session) -> None:
    """Measure what building the book takes beside the bare execution of its cells (minutes)."""
    install(session, "docs")
    npm(session, "katex", "purgecss")
    session.run("python", "tests/benchmarks/build.py", *session.posargs)


@nox.session
def mutants(session: nox.Session) -> None:
    """Seed known bugs into a copy of the functions, and name those that too few tests notice."""
    install(session, "test")
    session.run("python", "-m", "tests.mutants.run", *session.posargs, env=ONE_THREAD)


@nox.session
def measure(session: nox.Session) -> None:
    """Write anew what the reference shows as measured: the libraries, then the overhead."""
    install(session, "backends")
    # with the GPU tests, which a machine without one skips and the page says so
    pytest(session, *LIBRARY_TESTS, "-n", "2", f"--report={MEASURED}/libraries.json")
    file = f"{MEASURED}/overhead.json"
    overhead = ("python", "tests/benchmarks/overhead.py", "--json", file)
    session.run(*overhead, *session.posargs, env=ONE_THREAD)


@nox.session
def docs(session: nox.Session) -> None:
    """Build both editions to _build/html; every warning is an error."""
    install(session, "docs")
    npm(session, "katex", "purgecss")
    session.run("python", "-m", "attnbook.sphinxext.build", *session.posargs)


@nox.session
def live(session: nox.Session) -> None:
    """Show an edition in the browser while it is written: English, or ``-- zh_CN``."""
    install(session, "docs")
    npm(session, "katex")
    session.run("python", "-m", "attnbook.sphinxext.live", *session.posargs)


@nox.session
def books(session: nox.Session) -> None:
    """Make PDF and EPUB of what `docs` built (needs Chromium and Chinese fonts)."""
    install(session, "test", groups=["torch", "docs", "browser", "books"])
    npm(session, "katex", "mermaid", "@fontsource/source-serif-4")
    # the date in the books is the commit's: the same commit gives the same bytes
    committed = ["git", "log", "-1", "--format=%ct"]
    seconds = session.run(*committed, external=True, silent=True, success_codes=[0, 128])
    if seconds.strip().isdigit():
        session.env.setdefault("SOURCE_DATE_EPOCH", seconds.strip())
    session.run("python", "-m", "attnbook.sphinxext.books", SITE, "_build/books")


@nox.session
def diagrams(session: nox.Session) -> None:
    """Draw the Mermaid diagrams that changed (needs Chromium and Chinese fonts)."""
    install(session, "test")
    npm(session, "katex", "mermaid")
    session.run(
        "python", "-m", "attnbook.sphinxext.mermaid.draw", "docs/diagrams", *session.posargs
    )


@nox.session
def cards(session: nox.Session) -> None:
    """Draw the pictures that are shown with a shared link (needs Chromium and Chinese fonts)."""
    install(session, "test")
    session.run("python", "-m", "attnbook.sphinxext.card", "docs/_static")


@nox.session
def messages(session: nox.Session) -> None:
    """Bring the Chinese catalogues up to date with the English pages."""
    install(session, "docs")
    npm(session, "katex")
    sphinx(session, "gettext", "_build/gettext", "-d", "_build/doctrees/gettext")
    session.run(
        "sphinx-intl",
        "update",
        "-p",
        "_build/gettext",
        "-d",
        LOCALE,
        "-l",
        "zh_CN",
        "-w",
        "0",
        "--no-obsolete",
    )


@nox.session
def anchors(session: nox.Session) -> None:
    """List the new addresses of the built site, which from then on must stay."""
    install(session, "docs")
    session.run("python", "-m", "attnbook.sphinxext.anchors", SITE, "docs/anchors")


@nox.session
def site(session: nox.Session) -> None:
    """Audit in Chromium what readers meet: every page of the built site, and drawing diagrams."""
    install(session, "test")
    npm(session, "katex", "mermaid", "axe-core", "vnu-jar", "lighthouse")
    # in two processes: each of them has a browser of its own open all the time
    pytest(session, "tests/sphinxext", "-m", "browser", *session.posargs)
    pytest(session, "tests/site", "-m", "site", f"--site={SITE}", "-n", "2", *session.posargs)
    # alone on the machine: speed is measured
    session.run("python", "-m", "tests.site.lighthouse", SITE, "--sample", "4")


@nox.session
def lighthouse(session: nox.Session) -> None:
    """Audit every page of the built site with Lighthouse, on a phone and on a desk."""
    install(session, "test")
    npm(session, "katex", "mermaid", "lighthouse")
    report = "_build/lighthouse.json"
    session.run("python", "-m", "tests.site.lighthouse", SITE, "--report", report, *session.posargs)


@nox.session
def shots(session: nox.Session) -> None:
    """Take a picture of every page of the built site: edition × theme × width."""
    install(session, "test")
    session.run("python", "tests/site/shots.py", SITE, "_build/shots", *session.posargs)


@nox.session
def gpu(session: nox.Session) -> None:
    """Run the tests that need a CUDA device; without one they fail rather than skip."""
    install(session, "test")
    pytest(session, "-m", "gpu", "--require-gpu", *session.posargs)


@nox.session(reuse_venv=False)
@nox.parametrize("use", [nox.param(name, id=name) for name in USES])
def constraints(session: nox.Session, use: str) -> None:
    """Write the exact versions of a use to constraints/, from the newest that fit the ranges."""
    path = ROOT / "constraints" / f"{use}.txt"
    path.unlink(missing_ok=True)
    install(session, use)
    frozen = session.run("python", "-m", "pip", "freeze", "--exclude-editable", silent=True)
    # "+cpu" names a build, not a version: elsewhere the same version has other builds
    lines = [line.split("+")[0] for line in frozen.splitlines() if "==" in line]
    path.write_text("\n".join([f"# exact versions of `{use}`: nox -s constraints", *lines, ""]))


def install(session: nox.Session, use: str, *, groups: list[str] | None = None) -> None:
    """Install groups of a use (all) under its constraints, and the package as it stands here.

    The package is installed where it stands, so that only another choice of what it needs is a
    reason to ask pip again, which takes longer than a rebuild and needs a network.
    """
    pins = ROOT / "constraints" / f"{use}.txt"
    pinned = ["-c", str(pins)] if pins.is_file() else []
    groups = groups or USES[use]
    files = [path.read_text("utf-8") for path in (ROOT / "pyproject.toml", pins) if path.is_file()]
    wanted = "\n".join([*groups, *files])
    installed = Path(session.virtualenv.location, "attnbook-installed.txt")
    if installed.is_file() and installed.read_text("utf-8") == wanted:
        return
    if "torch" in groups and not has_torch(session):
        index = ["--extra-index-url", TORCH_INDEX] if answers(TORCH_INDEX) else []
        session.install(*pinned, *index, "--group", "torch")
    session.install(*pinned, "-e", ".", *(arg for group in groups for arg in ("--group", group)))
    if use == "lint":
        session.install(*pinned, "--no-deps", "--group", "citation")
    installed.write_text(wanted, "utf-8")


def lowest(spec: str) -> str:
    """Turn the range "name>=1.2" into its lowest version."""
    name, _, version = spec.partition(">=")
    return f"{name}=={version}"


def has_torch(session: nox.Session) -> bool:
    """Tell whether the session's environment holds torch already."""
    return any(Path(session.virtualenv.location).rglob("site-packages/torch/version.py"))


def answers(index: str) -> bool:
    """Tell whether a package index can be reached; the build goes on without it."""
    try:
        with urllib.request.urlopen(f"{index}/torch/", timeout=10):
            return True
    except (urllib.error.URLError, OSError):
        print(f"{index} does not answer: torch comes from pip's own index instead")
        return False


def npm(session: nox.Session, *packages: str) -> None:
    """Install the pinned JavaScript that the build uses, unless it is there."""
    locked = json.loads((ROOT / "package-lock.json").read_text("utf-8"))["packages"]
    tools = any("dev" in locked[f"node_modules/{package}"] for package in packages)
    for package in packages:
        manifest = ROOT / "node_modules" / package / "package.json"
        version = json.loads(manifest.read_text("utf-8"))["version"] if manifest.is_file() else None
        if version != locked[f"node_modules/{package}"]["version"]:
            # nothing here needs the script of a package, and one of them would download a Java
            session.run("npm", "ci", "--ignore-scripts", *([] if tools else ["--omit=dev"]))
            return


def sphinx(session: nox.Session, builder: str, target: str, *options: str) -> None:
    """Run Sphinx with ``conf.py`` from the root on ``docs/``."""
    session.run(
        "python",
        "-m",
        "sphinx",
        "-c",
        ".",
        "-b",
        builder,
        "-n",
        "-W",
        "--keep-going",
        *options,
        "docs",
        target,
    )


def pytest(session: nox.Session, *args: str) -> None:
    """Run pytest on one thread a process, as the pages are executed."""
    session.run("python", "-m", "pytest", *args, env=ONE_THREAD)
