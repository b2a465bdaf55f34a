"""Every page knows its twin, and the front page knows every edition."""

import re
import subprocess
import sys

import pytest

from attnbook.sphinxext.editions import EDITIONS
from attnbook.sphinxext.root import write_front_page

LAYOUT = """
{%- for edition in edition_links %}
<a class="{{ 'here' if edition.current else 'there' }}" href="{{ edition.href }}">
  {{- edition.hreflang }}</a>
{%- endfor %}
"""


@pytest.mark.parametrize("code", list(EDITIONS))
def test_links_lead_to_the_same_page_of_each_edition(book, code):
    built = book(
        {
            "index.md": "# T\n\n```{toctree}\npart/page\n```\n",
            "part/page.md": "# P\n",
            "templates/layout.html": LAYOUT,
        }
    ).build(
        "myst_parser", "attnbook.sphinxext.editions", language=code, templates_path=["templates"]
    )
    assert '" href="../en/index.html">en</a>' in built.page()
    page = built.page("part/page")
    assert '" href="../../en/part/page.html">en</a>' in page
    assert '" href="../../zh-CN/part/page.html">zh-CN</a>' in page
    assert page.count('class="here"') == 1
    assert f'class="here" href="../../{EDITIONS[code].tag}/part/page.html"' in page


@pytest.mark.parametrize("site", ["https://example.org/book", "https://example.org/book/"])
def test_canonical_address_is_in_the_edition(book, site):
    built = book({"index.md": "# T\n"}).build(
        "myst_parser", "attnbook.sphinxext.editions", language="zh_CN", html_baseurl=site
    )
    address = "https://example.org/book/zh-CN/index.html"
    assert f'<link rel="canonical" href="{address}" />' in built.page()


def test_addresses_for_search_engines_are_whole(book):
    layout = "{% for edition in edition_links %}<{{ edition.address }}>{% endfor %}"
    made = book({"index.md": "# T\n", "templates/layout.html": layout})
    options = {"language": "zh_CN", "templates_path": ["templates"]}
    extensions = ("myst_parser", "attnbook.sphinxext.editions")
    made.build(*extensions, html_baseurl="https://example.org/book", **options)
    folder = "https://example.org/book"
    assert f"<{folder}/en/index.html><{folder}/zh-CN/index.html>" in made.page()
    made.build(*extensions, **options)
    assert "<><>" in made.page()


HIDDEN = """
---
file_format: mystnb
kernelspec:
  name: python3
---

# Page

```{code-cell}
:tags: [hide-input]

1 + 1
```
"""


def test_hidden_code_is_named_in_the_language_of_the_edition(book):
    built = book({"index.md": HIDDEN}).build(
        "myst_nb", "attnbook.sphinxext.editions", language="zh_CN", nb_execution_mode="off"
    )
    (summary,) = re.findall(r"<summary.*?</summary>", built.page(), re.S)
    assert "显示代码" in summary
    assert "收起代码" in summary
    assert "aria-label" not in summary


def test_front_page_links_to_every_edition_and_says_so(tmp_path):
    for edition in EDITIONS.values():
        (tmp_path / edition.tag).mkdir()
        (tmp_path / edition.tag / "index.html").write_text("")
    ran = subprocess.run(
        [sys.executable, "-m", "attnbook.sphinxext.root", str(tmp_path)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    page = (tmp_path / "index.html").read_text("utf-8")
    for edition in EDITIONS.values():
        assert f'href="{edition.tag}/index.html" hreflang="{edition.tag}"' in page
        assert edition.invitation in page
        assert (tmp_path / edition.tag / "index.html").as_uri() in ran.stdout
    assert (tmp_path / "index.html").as_uri() in ran.stdout


def test_front_page_needs_every_edition(tmp_path):
    with pytest.raises(FileNotFoundError, match="holds no built edition"):
        write_front_page(tmp_path)
    assert not (tmp_path / "index.html").exists()
