"""Every page with cells can be taken home as a notebook: whole, in its language, and it runs."""

import re
from importlib.util import find_spec

import nbformat
import pytest

pytestmark = pytest.mark.site

HAN = re.compile("[\u4e00-\u9fff]")
# a role, a label or an option of MyST that Jupyter would show as it stands
MYST = re.compile(r"\{[a-z:]+\}`|^\([\w-]+\)=|^:::|^```\{", re.M)
PRIVATE = re.compile("[\ue000-\uf8ff]")


@pytest.fixture
def built(read, site, edition, written_page):
    return read(site / edition / f"{written_page}.html")


@pytest.fixture
def notebook(built, site, edition, written_page):
    if not built.select("article div.cell"):
        pytest.skip("no cells")
    path = site / edition / f"{written_page}.ipynb"
    made = nbformat.read(path, as_version=4)
    nbformat.validate(made)
    return made


def prose(notebook) -> str:
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def code(notebook) -> list[str]:
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def test_page_links_to_its_notebook_if_it_has_cells(built, written_page):
    links = [link["href"] for link in built.select("a.notebook-link[download]")]
    name = f"{written_page.rpartition('/')[2]}.ipynb"
    assert links == ([name] if built.select("article div.cell") else [])


def test_has_every_cell_and_its_outputs(notebook, built):
    cells = built.select("article div.cell")
    assert len(code(notebook)) == len(cells)
    outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    shown = [len(cell.select(".cell_output .output, .cell_output img")) for cell in cells]
    assert list(map(len, outputs)) == shown
    assert all(map(str.strip, code(notebook)))


def test_prose_is_that_of_the_edition_and_nothing_but_markdown(notebook, built, edition):
    text = prose(notebook)
    assert MYST.findall(text) == []
    assert PRIVATE.findall(text) == []
    assert "<span" not in text
    assert len(re.findall(r"^#+ ", text, re.M)) >= len(built.select("article :is(h1, h2, h3)"))
    assert (len(HAN.findall(text)) > len(text) / 5) == (edition == "zh-CN")


def test_formulas_are_all_there(notebook, built):
    # in the prose, the boxes and the captions; a formula in an output is part of a picture
    shown = [f.get_text().strip() for f in built.select("article .katex annotation")]
    text = prose(notebook).replace(r"\vert ", "|")
    assert [tex for tex in shown if tex not in text] == []


def test_says_nothing_of_the_machine_that_built_it(notebook):
    assert not re.search(r"/(?:root|work|tmp|home|opt)/\w|127\.0\.0\.1", nbformat.writes(notebook))


def test_editions_have_the_same_code(site, written_page):
    paths = [site / edition / f"{written_page}.ipynb" for edition in ("en", "zh-CN")]
    if not any(path.is_file() for path in paths):
        pytest.skip("no cells")
    english, chinese = (nbformat.read(path, as_version=4) for path in paths)
    assert code(english) == code(chinese)


def test_runs(site, written_page, tmp_path):
    from nbclient import NotebookClient

    path = site / "en" / f"{written_page}.ipynb"
    if not path.is_file():
        pytest.skip("no cells")
    notebook = nbformat.read(path, as_version=4)
    before = list(map(printed, notebook.cells))
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    asks_jax = any("jax" in source for source in code(notebook))
    # a page that asks every library that is there prints less where one is not
    if find_spec("jax") or not asks_jax:
        assert list(map(printed, notebook.cells)) == before


def printed(cell) -> str:
    """Return what a cell printed, which may have come in several pieces; times are never equal."""
    text = "".join(output.get("text", "") for output in cell.get("outputs", []))
    return re.sub(r" *[\d.]+ ms", " ms", text).strip("\n")
