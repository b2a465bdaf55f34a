"""What a page weighs: one style sheet with the rules that some page needs, and fonts cut to it.

The theme and the extensions bring a style sheet each, together 500 KB of rules, most of them for
components and icons that the book never shows, and a font with all icons. A build joins the
sheets into ``styles.css``, which is what its pages load. When all editions are built, PurgeCSS
takes out of it the rules that no page and no script can need, and the fonts keep the glyphs of
the icons that are left and of the characters on the pages. What was cut has a digest of its
content in its address, so that a browser may keep it for ever and a rebuild cuts only what changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import posixpath
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from attnbook.sphinxext.math import node_binary

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

SHEET = "styles.css"

UNCUT = "styles.uncut.css"
"""Every rule of every sheet: what Sphinx's own pages load until the book is whole."""

FIRST = ("_static/basic.css", "_static/styles/pydata-sphinx-theme.css")
"""What the theme's layout puts before the sheets that Sphinx knows of."""

PURGECSS = Path("node_modules", "purgecss", "bin", "purgecss.js")

KEPT = ("bs-tooltip-auto",)
"""Names that scripts put together from parts, where PurgeCSS does not find them."""

ADDRESS = re.compile(r"url\((?![\"']?(?:data:|#))[\"']?([^)\"']+)[\"']?\)")
LINK = re.compile(r'(?<=_static/)styles(?:\.uncut)?\.css(?:\?v=\w+)?(?=")')
OLD_FORMATS = re.compile(r",\s*url\([^)]*\.(?:woff|ttf)\)\s*format\([^)]*\)")
WORD = re.compile(r"[A-Za-z0-9_-]+")
ICON = re.compile(r"\\([ef][0-9a-f]{3})\b|([\ue000-\uf8ff])")
"""The number of a character for private use, or the character itself."""


def join_sheets(app: Sphinx, exception: Exception | None) -> None:
    """Write all style sheets of an edition into one."""
    if exception or app.builder.name != "html":
        return
    names = [*FIRST, *(str(sheet.filename) for sheet in app.builder._css_files)]
    parts = [read_sheet(Path(app.outdir), name) for name in dict.fromkeys(names)]
    text = "\n".join(['@charset "UTF-8";', *parts])
    Path(app.outdir, "_static", UNCUT).write_text(text, "utf-8")


def read_sheet(folder: Path, name: str) -> str:
    """Return a style sheet as it reads in the folder ``_static``."""
    base = posixpath.dirname(posixpath.relpath(name, "_static"))
    text = OLD_FORMATS.sub("", (folder / name).read_text("utf-8"))
    text = re.sub(r'@charset "[^"]*";|/\*# sourceMappingURL.*?\*/', "", text)
    return with_addresses(text, lambda path: posixpath.normpath(posixpath.join(base, path)))


def with_addresses(text: str, change: Callable[[str], str]) -> str:
    """Change every address of a file in a style sheet."""
    return ADDRESS.sub(lambda found: f"url({change(found[1])})", text)


def slim(site: Path) -> None:
    """Cut the style sheets and fonts of all editions to what their pages need.

    Parameters
    ----------
    site : pathlib.Path
        Folder that holds the folders of the editions.

    Raises
    ------
    FileNotFoundError
        If PurgeCSS is not installed.
    """
    pages = {path: path.read_text("utf-8") for path in sorted(site.rglob("*.html"))}
    sheets = sorted(site.glob(f"*/_static/{UNCUT}"))
    scripts = sorted(site.glob("*/_static/**/*.js"))
    texts = [LINK.sub(SHEET, text) for text in pages.values()]
    characters = set().union(*texts)
    rules = [sheet.read_text("utf-8") for sheet in sheets]
    # of the words in pages and scripts, only those that a rule names decide what is cut
    words = words_of(*texts, *(path.read_text("utf-8") for path in scripts)) & words_of(*rules)
    mark = f"/* {digest(*rules, *sorted(words), *sorted(characters))} */\n"
    if not all(is_marked(sheet.with_name(SHEET), mark) for sheet in sheets):
        for static, text in purge(site).items():
            cut = cut_fonts(static, text, characters)
            (static / SHEET).write_text(f"{cut}\n{mark}", "utf-8")
    for sheet in sheets:
        link = f"{SHEET}?v={digest(sheet.with_name(SHEET).read_text('utf-8'))}"
        for path, text in pages.items():
            if path.is_relative_to(sheet.parents[1]) and LINK.sub(link, text) != text:
                written = path.stat().st_mtime_ns
                path.write_text(LINK.sub(link, text), "utf-8")
                # what is made from the page need not be made anew
                os.utime(path, ns=(written, written))


def words_of(*texts: str) -> set[str]:
    """Return what PurgeCSS takes for the name of a class, an element or an attribute."""
    return {word for text in texts for word in WORD.findall(text)}


def is_marked(sheet: Path, mark: str) -> bool:
    """Tell whether a sheet was cut for the same pages, rules and scripts."""
    return sheet.is_file() and sheet.read_text("utf-8").endswith(mark)


def purge(site: Path) -> dict[Path, str]:
    """Return what is left of each edition's sheet: the folder it is in → its rules."""
    script = PURGECSS.resolve()
    if not script.is_file():
        raise FileNotFoundError(
            f"PurgeCSS is not at {script}: run `npm ci --omit=dev` in the project's root"
        )
    command = [node_binary(), str(script), "--safelist", *KEPT]
    command += ["--css", f"*/_static/{UNCUT}", "--content", "**/*.html", "*/_static/**/*.js"]
    ran = subprocess.run(command, cwd=site, stdout=subprocess.PIPE, check=True, encoding="utf-8")
    return {site / Path(sheet["file"]).parent: sheet["css"] for sheet in json.loads(ran.stdout)}


def cut_fonts(static: Path, text: str, characters: set[str]) -> str:
    """Cut the fonts of a sheet and return the sheet that names the cut ones.

    Parameters
    ----------
    static : pathlib.Path
        Folder of the sheet; the cut fonts go to ``fonts`` in it.
    text : str
        The rules. The icons that they name stay in every font.
    characters : set of str
        What else stays.

    Returns
    -------
    str
        The rules with the addresses of the cut fonts, which hold a digest of their content.
    """
    icons = {icon or chr(int(code, 16)) for code, icon in ICON.findall(text)}
    kept = "".join(sorted(icons | characters))
    folder = static / "fonts"
    folder.mkdir(exist_ok=True)
    unused = set(folder.iterdir())

    def cut(path: str) -> str:
        source = static / path
        target = folder / f"{source.stem}-{digest(kept, source.read_bytes().hex())}.woff2"
        if not target.is_file():
            cut_font(source, target, kept)
        unused.discard(target)
        return target.relative_to(static).as_posix()

    text = with_addresses(text, cut)
    for font in unused:
        font.unlink()
    return text


def cut_font(source: Path, target: Path, characters: str) -> None:
    """Write a font that has only the glyphs of some characters."""
    with TTFont(source, recalcTimestamp=False) as font:
        cutter = Subsetter(Options(notdef_outline=True))
        cutter.populate(text=characters)
        cutter.subset(font)
        font.flavor = "woff2"
        font.save(target)


def digest(*texts: str) -> str:
    """Return a short digest of texts, for an address."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:8]


def setup(app: Sphinx) -> dict[str, object]:
    """Join the sheets after the last extension has put its own in place."""
    app.connect("build-finished", join_sheets, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
