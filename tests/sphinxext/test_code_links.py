"""Names in the code lead to the reference, wherever an import brings them from."""

import re

import pytest

from attnbook.sphinxext.code_links import public_paths

EXTENSIONS = ("myst_parser", "attnbook.sphinxext.code_links", "attnbook.sphinxext.source")
REFERENCE = """
## Reference

```{eval-rst}
.. py:function:: attnbook.softmax

.. py:function:: attnbook.causal_mask

.. py:function:: attnbook.attention_weights

.. py:class:: attnbook.nn.Layer
```
"""


def links(book, *blocks, language="python"):
    """Build a page of blocks; return the linked texts with where they lead."""
    page = "\n\n".join(f"```{language}\n{block}\n```" for block in blocks)
    built = book({"index.md": f"# T\n\n{page}\n\n{REFERENCE}"}).build(*EXTENSIONS)
    assert built.warnings == ""
    found = re.findall(r'<a class="code-link" href="#([^"]+)">(.*?)</a>', built.page(), re.S)
    return [(re.sub("<.*?>", "", text), target) for target, text in found]


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import attnbook\nattnbook.softmax(x)", [("attnbook.softmax", "attnbook.softmax")]),
        ("import attnbook as a\na.softmax(x)", [("a.softmax", "attnbook.softmax")]),
        (
            "from attnbook import softmax\nsoftmax(x)",
            [("softmax", "attnbook.softmax"), ("softmax", "attnbook.softmax")],
        ),
        (
            "from attnbook import softmax as s\ny = s(s(x))",
            [("softmax as s", "attnbook.softmax")] + 2 * [("s", "attnbook.softmax")],
        ),
        ("from attnbook import nn\nnn.Layer(3).run()", [("nn.Layer", "attnbook.nn.Layer")]),
        ("import attnbook\nattnbook.softmax.__doc__", [("attnbook.softmax", "attnbook.softmax")]),
        # a name stands for what it was last given
        ("from attnbook import nn\nnn = 3\nnn.Layer", []),
        ("from attnbook import nn\nfor nn in x: nn.Layer", []),
        ("import attnbook\ndef f(attnbook): return attnbook.softmax", []),
        ("import attnbook\ndef attnbook(): pass\nattnbook.softmax", []),
        ("import attnbook\nclass attnbook: pass\nattnbook.softmax", []),
        (
            "import attnbook\ndef f(attnbook): pass\nattnbook.softmax",
            [("attnbook.softmax", "attnbook.softmax")],
        ),
        (
            "import attnbook\nattnbook = attnbook.softmax",
            [("attnbook.softmax", "attnbook.softmax")],
        ),
        ("import attnbook\nf(attnbook=3, softmax=4)", []),
        # what the reference does not have, or another project
        ("import attnbook, numpy\nattnbook.nothing(numpy.softmax)", []),
        # characters that are longer in bytes or in HTML than they look
        (
            'import attnbook\n"注意力 <&>", attnbook.softmax',
            [("attnbook.softmax", "attnbook.softmax")],
        ),
        ("import attnbook\nattnbook.softmax(", []),
    ],
)
def test_names_are_followed_from_their_import(book, code, found):
    assert links(book, code) == found


def test_one_block_uses_what_another_imported(book):
    assert links(book, "import attnbook", "attnbook.softmax(x)") == [
        ("attnbook.softmax", "attnbook.softmax")
    ]


def test_other_languages_are_left_alone(book):
    code = "import attnbook\nattnbook.softmax(x)"
    assert links(book, code, language="text") == []


def test_code_still_reads_the_same(book):
    code = 'import attnbook\n\nx = attnbook.softmax(  # "<a>" & more\n    scores\n)'
    built = book({"index.md": f"# T\n\n```python\n{code}\n```\n\n{REFERENCE}"}).build(*EXTENSIONS)
    (block,) = re.findall(r"<pre>(.*?)</pre>", built.page(), re.S)
    text = re.sub("<.*?>", "", block).replace("&quot;", '"').replace("&lt;", "<")
    assert text.replace("&gt;", ">").replace("&amp;", "&").strip() == code


def test_page_in_another_folder_leads_there(book):
    built = book(
        {
            "index.md": f"# T\n\n```{{toctree}}\npart/page\n```\n{REFERENCE}",
            "part/page.md": "# P\n\n```python\nimport attnbook\nattnbook.softmax(x)\n```\n",
        }
    ).build(*EXTENSIONS)
    assert 'class="code-link" href="../index.html#attnbook.softmax"' in built.page("part/page")


def test_shown_source_links_what_it_calls_but_not_itself(book):
    name = "attnbook.scaled_dot_product_attention"
    page = f"# T\n\n```{{source}} {name}\n```\n\n```{{source}} attnbook.softmax\n```\n"
    reference = REFERENCE.replace("\n```\n", f"\n.. py:function:: {name}\n```\n")
    built = book({"index.md": page + reference}).build(*EXTENSIONS)
    assert built.warnings == ""
    linked = re.findall(r'class="code-link" href="#attnbook\.(\w+)"', built.page())
    # it is defined in the same file and needs no import
    assert linked == ["attention_weights"]


def test_what_is_public_elsewhere_is_found_there():
    assert list(public_paths("attnbook.functional.masks.causal_mask")) == [
        "attnbook.functional.masks.causal_mask",
        "attnbook.functional.causal_mask",
        "attnbook.causal_mask",
    ]
