"""Code is coloured as before, with fewer elements."""

import re

EXTENSIONS = ("myst_parser", "attnbook.sphinxext.code_links", "attnbook.sphinxext.highlighting")
THEME = {"html_theme": "pydata_sphinx_theme"}
CODE = 'import numpy as np\nx = np.ones((3, 2), "d")  # <three & two>\nfor row in x:\n    row + 1\n'
CONSOLE = ">>> 1 + 1\n2\n"


def highlighted(book, language, code, *extensions, **config):
    page = f"# T\n\n```{language}\n{code}```\n"
    built = book({"index.md": page}).build("myst_parser", *extensions, **{**THEME, **config})
    assert built.warnings == ""
    (block,) = re.findall(r"<pre>(.*?)</pre>", built.page(), re.S)
    return block


def read(block):
    """Return the text of a block, and each coloured piece of it with its class."""
    pieces = re.findall(r'<span class="(\w+)">([^<]*)</span>', block)
    return re.sub("<[^>]*>", "", block), pieces


def test_what_looks_like_text_is_text(book):
    sparing = highlighted(book, "python", CODE, "attnbook.sphinxext.highlighting")
    text, pieces = read(sparing)
    before, all_pieces = read(highlighted(book, "python", CODE))
    assert text == before
    coloured = {"kn", "k", "o", "mi", "s2", "c1", "ow"}
    assert [piece for piece in all_pieces if piece[0] in coloured] == pieces
    assert len(pieces) < len(all_pieces) / 2


def test_what_one_of_two_styles_colours_is_marked_up(book):
    options = {"html_theme_options": {"pygments_light_style": "default"}}
    block = highlighted(book, "python", CODE, "attnbook.sphinxext.highlighting", **options)
    # the style named colours the module that is imported
    assert '<span class="nn">numpy</span>' in block
    assert '<span class="p">' not in block


def test_prompts_and_outputs_stay_what_they_are(book):
    # the button that copies code leaves out what has these classes, whatever they look like
    options = {"pygments_light_style": "bw", "pygments_dark_style": "bw"}
    options = {"html_theme_options": options}
    block = highlighted(book, "pycon", CONSOLE, "attnbook.sphinxext.highlighting", **options)
    assert '<span class="gp">&gt;&gt;&gt; </span>' in block
    assert '<span class="go">2</span>' in block


def test_names_in_plain_text_are_linked(book):
    page = (
        "# T\n\n```python\nimport attnbook\ny = [attnbook.softmax(x) if a<b else 'é'] # é\n```\n\n"
        "```{eval-rst}\n.. py:function:: attnbook.softmax\n```\n"
    )
    built = book({"index.md": page}).build(*EXTENSIONS, **THEME)
    link = (
        '<a class="code-link" href="#attnbook.softmax">attnbook<span class="o">.</span>softmax</a>'
    )
    assert f"[{link}(x)" in built.page()
