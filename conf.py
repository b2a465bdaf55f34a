"""Sphinx's configuration of the book; the sources are in ``docs/``.

One edition is one build: ``-D language=zh_CN`` makes the Chinese one. ``nox -s docs`` makes both.
"""

import os
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "src"))

from attnbook.sphinxext.execution import cache_folder  # noqa: E402  (needs the path above)

# -- the book -----------------------------------------------------------------------------------

project = "attnbook"
author = "The attnbook authors"
copyright = "2026, the attnbook authors. Text: CC BY 4.0. Code: MIT"
release = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
version = release
root_doc = "index"
exclude_patterns = ["diagrams", "locale", "_static", "_templates"]
nitpicky = True

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "attnbook.sphinxext.accessibility",
    "attnbook.sphinxext.alt",
    "attnbook.sphinxext.anchors",
    "attnbook.sphinxext.bibliography",
    "attnbook.sphinxext.books",
    "attnbook.sphinxext.cite",
    "attnbook.sphinxext.code_links",
    "attnbook.sphinxext.docstrings",
    "attnbook.sphinxext.editions",
    "attnbook.sphinxext.execution",
    "attnbook.sphinxext.highlighting",
    "attnbook.sphinxext.images",
    "attnbook.sphinxext.inline_code",
    "attnbook.sphinxext.math",
    "attnbook.sphinxext.measured",
    "attnbook.sphinxext.mermaid",
    "attnbook.sphinxext.messages",
    "attnbook.sphinxext.notebooks",
    "attnbook.sphinxext.quiet",
    "attnbook.sphinxext.redirects",
    "attnbook.sphinxext.search",
    "attnbook.sphinxext.sharing",
    "attnbook.sphinxext.source",
    "attnbook.sphinxext.strict",
    "attnbook.sphinxext.weight",
]

# -- languages ----------------------------------------------------------------------------------

language = "en"
locale_dirs = ["locale"]
gettext_compact = False
gettext_location = False

# -- text ---------------------------------------------------------------------------------------

# three dots are those of a shape: they stay
smartquotes_action = "qD"
myst_enable_extensions = ["amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
numfig = True
math_numfig = False
bibtex_bibfiles = ["docs/references.bib"]
bibtex_reference_style = "author_year"

# -- cells --------------------------------------------------------------------------------------

nb_execution_mode = "cache"
nb_execution_cache_path = str(cache_folder(ROOT / "_build", ROOT / "src" / "attnbook"))
nb_execution_timeout = 120
# attnbook.sphinxext.cells has executed all pages before; if it missed one, no error may get lost
nb_execution_raise_on_error = True
nb_merge_streams = True
# figures take part in the translation too: their alternative texts are messages
nb_mime_priority_overrides = [("gettext", "image/svg+xml", 10)]
# otherwise every page asks a CDN for require.js
nb_ipywidgets_js = {}

# -- formulas -----------------------------------------------------------------------------------

html_math_renderer = "katex-at-build"

# -- reference ----------------------------------------------------------------------------------

autodoc_typehints = "none"
autodoc_preserve_defaults = True
numpydoc_show_class_members = False

# -- site ---------------------------------------------------------------------------------------

html_theme = "sphinx_book_theme"
html_title = "attnbook"
# Read the Docs says where it publishes; where nothing does, CITATION.cff may
html_baseurl = os.environ.get("ATTNBOOK_URL") or os.environ.get("READTHEDOCS_CANONICAL_URL", "")
html_static_path = ["docs/_static"]
templates_path = ["docs/_templates"]
html_favicon = "docs/_static/favicon.svg"
html_css_files = ["book.css"]
html_js_files = ["print.js", "preview.js", "more.js"]
html_show_sourcelink = False
html_copy_source = False
# images have a size so that nothing moves, not because they are shrunk
html_scaled_image_link = False
html_theme_options = {
    "article_footer_items": ["cite"],
    "article_header_end": ["notebook-link", "edition-switch", "article-header-buttons"],
    # who made it stands in the line on rights
    "footer_content_items": ["copyright.html"],
    "show_navbar_depth": 2,
    "show_toc_level": 2,
    "use_download_button": False,
    "use_fullscreen_button": False,
    "use_source_button": False,
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
