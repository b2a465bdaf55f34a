"""A page with cells becomes a notebook that reads like the page, and runs."""

import nbformat
import pytest

pytest.importorskip("markdownify")

from bs4 import BeautifulSoup

from attnbook.sphinxext.notebooks.markdown import prepare, to_markdown
from attnbook.sphinxext.notebooks.notebook import write_notebook

FORMULA = (
    '<span class="katex"><math><annotation>{}</annotation></math>'
    '<span class="katex-html">x</span></span>'
)


def markdown(html: str) -> str:
    article = BeautifulSoup(f"<article>{html}</article>", "html.parser").article
    prepare(article)
    return to_markdown(article)


def inline(tex: str) -> str:
    return f'<span class="math">{FORMULA.format(tex)}</span>'


def test_formulas_are_tex_between_dollars():
    assert markdown(f"<p>The {inline('q_i * k_j')} of 5 $.</p>") == r"The $q_i * k_j$ of 5 \$."


def test_displayed_formula_keeps_its_number():
    block = f'<div class="math"><span class="eqno">(2)</span>{FORMULA.format("a = b")}</div>'
    assert markdown(f"<p>Then</p>{block}<p>so.</p>") == "Then\n\n$$\na = b \\tag{2}\n$$\n\nso."


def test_bar_in_a_formula_does_not_end_a_cell_of_a_table():
    table = f"<table><tr><th>a</th></tr><tr><td>{inline('|x|')}</td></tr></table>"
    assert r"| $\vert x\vert $ |" in markdown(table)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>a <strong>b</strong> c</p>", "a **b** c"),
        ("<p>把<strong>权重</strong>加起来</p>", "把**权重**加起来"),
        # Markdown shows ** there, instead of taking them for marks
        ("<p>把<em>权重（weight）</em>加</p>", "把<em>权重（weight）</em>加"),
        ("<p>见<strong>「权重」</strong>。</p>", "见<strong>「权重」</strong>。"),
        ("<p><strong>Fig. 1 </strong><span>What.</span></p>", "**Fig. 1** What."),
    ],
)
def test_emphasis_is_taken_for_emphasis(html, text):
    assert markdown(html) == text


def test_text_is_not_taken_for_markup():
    assert markdown("<p>a &lt;b&gt; *c* _d_ `e` \\f</p>") == r"a &lt;b> \*c\* \_d\_ \`e\` \\f"


def test_boxes_code_and_captions_have_forms_of_their_own():
    box = '<div class="admonition note"><p class="admonition-title">Note</p><p>Mind.</p></div>'
    assert markdown(box) == "> **Note**\n>\n> Mind."
    code = '<div class="highlight-python notranslate"><pre>f(x)\n</pre></div>'
    assert markdown(code) == "```python\nf(x)\n```"


CELL = """
<div class="cell {tags} docutils container"><div class="cell_input docutils container">
<div class="highlight-ipython3"><div class="highlight"><pre>{code}
</pre></div></div></div><div class="cell_output docutils container">{output}</div></div>
"""
PAGE = (
    "<html><head>{head}</head><body><article><section id='p'><h1>A page<a class='headerlink'"
    " href='#p'>#</a></h1><p>Take <a class='reference' href='other.html#x' title='t'>two</a> of "
    "<a href='../reference/bibliography.html#id7'>Li [2020]</a> or of "
    "<a href='https://example.org'>these</a>.</p>"
    + CELL.format(tags="", code="x = 2", output="")
    + CELL.format(
        tags="tag_hide-input",
        code="print(x)\nx &lt; 3",
        output='<div class="output stream"><pre><span></span>2\n\n</pre></div>'
        '<div class="output text_plain"><pre>True\n</pre></div>',
    )
    + CELL.format(
        tags="",
        code="y = x",
        output='<figure><img src="../_images/a.svg" alt="a plot"><figcaption><p><span '
        'class="caption-number">Fig. 1 </span><span>What to see.</span></p></figcaption></figure>',
    )
    + '<div class="mermaid-drawing"><svg id="diagram-d" viewBox="0 0 1 1" aria-label="a way">'
    "</svg></div><p>Done.</p></section></article></body></html>"
)
BIBLIOGRAPHY = """<article><h1>B</h1><div class="citation" id="id7"><span class="label">[L20]</span>
<span class="backrefs">(1)</span><p>Li. <em>Title</em>. 2020.</p></div>
<div class="citation" id="id8"><span class="label">[M]</span><p>Another.</p></div></article>"""


@pytest.fixture
def make(tmp_path):
    def write(head: str = "", edition: str = "en"):
        folder = tmp_path / edition
        for name, text in {
            "index.html": "<article><h1>The book<a>#</a></h1></article>",
            "part/page.html": PAGE.replace("{head}", head),
            "reference/bibliography.html": BIBLIOGRAPHY,
            "_images/a.svg": "<svg/>",
        }.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, "utf-8")
        return write_notebook(folder, "part/page", "1.2")

    return write


@pytest.fixture
def notebook(make):
    made = nbformat.read(make(), as_version=4)
    nbformat.validate(made)
    return made


def test_cells_stand_where_the_page_has_them(notebook):
    kinds = [cell.cell_type for cell in notebook.cells]
    assert kinds == ["markdown", "markdown", "code", "code", "code", "markdown", "markdown"]
    assert [c.source for c in notebook.cells if c.cell_type == "code"] == [
        "x = 2",
        "print(x)\nx < 3",
        "y = x",
    ]


def test_begins_with_title_and_what_it_takes_to_run(notebook):
    title, _, note = notebook.cells[0].source.split("\n")
    assert title == "# A page"
    assert "*The book* (attnbook 1.2)" in note
    assert '`pip install ".[torch,viz]"`' in note


def test_outputs_are_those_of_the_page(notebook):
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert [output.output_type for output in outputs] == [
        "stream",
        "execute_result",
        "display_data",
    ]
    assert outputs[0].text == "2\n"
    assert outputs[1].data["text/plain"] == "True"
    assert outputs[2].data == {"image/svg+xml": "<svg/>", "text/plain": "a plot"}


def test_hidden_code_is_hidden(notebook):
    hidden = [
        c.metadata.get("jupyter", {}).get("source_hidden", False) for c in notebook.cells[2:5]
    ]
    assert hidden == [False, True, False]


def test_captions_and_drawings_follow_their_cell(notebook):
    cell = notebook.cells[5]
    assert cell.source.startswith("**Fig. 1** What to see.")
    assert "![a way](attachment:diagram-d.svg)" in cell.source
    assert list(cell.attachments["diagram-d.svg"]) == ["image/svg+xml"]


def test_lists_the_works_that_it_cites(notebook):
    assert notebook.cells[-1].source == "## References\n\n- Li. *Title*. 2020."


def test_links_within_the_book_lead_to_where_it_is_published(make, notebook):
    assert "Take two of Li [2020] or of [these](https://example.org)." in notebook.cells[1].source
    published = '<link rel="canonical" href="https://example.org/en/part/page.html">'
    cells = nbformat.read(make(published), as_version=4).cells
    assert "[two](https://example.org/en/part/other.html#x)" in cells[1].source


def test_same_page_gives_the_same_bytes(make):
    assert make().read_bytes() == make().read_bytes()


def test_runs(notebook, tmp_path):
    from nbclient import NotebookClient

    expected = [dict(output) for cell in notebook.cells for output in cell.get("outputs", [])][:2]
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert outputs[0].text == expected[0]["text"]
    assert outputs[1].data == expected[1]["data"]


SOURCE = """
---
file_format: mystnb
kernelspec:
  name: python3
---

# Page

```{code-cell}
1 + 1
```
"""
LAYOUT = "{% if notebook is defined %}<a href='{{ notebook }}'>get</a>{% endif %}{{ body }}"


def test_build_writes_and_links_the_notebooks_of_pages_with_cells(book, monkeypatch):
    from attnbook.sphinxext import notebooks

    written = []
    monkeypatch.setattr(notebooks, "write_notebook", lambda _, page, __: written.append(page))
    built = book(
        {
            "index.md": "# T\n\n```{toctree}\npart/page\n```\n",
            "part/page.md": SOURCE,
            "templates/page.html": LAYOUT,
        }
    ).build(
        "myst_nb",
        "attnbook.sphinxext.notebooks",
        nb_execution_mode="force",
        templates_path=["templates"],
    )
    assert written == ["part/page"]
    assert "<a href='page.ipynb'>" in built.page("part/page")
    assert ".ipynb" not in built.page()
