"""One style sheet for each edition, cut to what its pages need, and the icons with it."""

import re
from pathlib import Path
from types import SimpleNamespace

import pydata_sphinx_theme
import pytest
from fontTools.ttLib import TTFont

from attnbook.sphinxext import weight

ICON_FONT = "vendor/fontawesome/webfonts/fa-solid-900.woff2"
ICON = '.fa-star{--fa:"\\f005"}.fa-heart{--fa:"\\f004"}'
PAGE = (
    '<link rel="stylesheet" href="_static/styles.uncut.css" /><p class="used fa-star">text &lt;</p>'
)


def copy_font(path: Path) -> None:
    """Copy the theme's icon font."""
    theme = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme" / "static"
    path.parent.mkdir(parents=True)
    path.write_bytes((theme / "vendor/fontawesome/webfonts/fa-solid-900.woff2").read_bytes())


def characters(path: Path) -> list[int]:
    """Return the characters that a font draws."""
    with TTFont(path) as font:
        return sorted(font.getBestCmap())


@pytest.fixture
def site(tmp_path):
    """Return a site of one edition, joined and not yet cut."""
    static = tmp_path / "en" / "_static"
    copy_font(static / ICON_FONT)
    rules = [
        "/*! licence */",
        f"@font-face{{font-family:I;src:url({ICON_FONT})}}",
        '.used{color:red}.unused{color:red}.from-script{--icon:"\uf00c"}',
        "p{background:url(\"data:image/svg+xml,%3Csvg xmlns='u'/%3E\")}.bs-tooltip-auto{top:0}",
        ICON,
    ]
    (static / weight.UNCUT).write_text("\n".join(rules), "utf-8")
    (static / "script.js").write_text('classList.add("from-script")', "utf-8")
    (tmp_path / "en" / "index.html").write_text(PAGE, "utf-8")
    return tmp_path


def test_rules_that_no_page_and_no_script_needs_are_gone(site):
    weight.slim(site)
    sheet = (site / "en/_static/styles.css").read_text("utf-8")
    assert ".unused" not in sheet
    assert ".fa-heart" not in sheet
    for kept in ("/*! licence */", ".used", ".from-script", ".fa-star", ".bs-tooltip-auto"):
        assert kept in sheet


def test_font_has_the_icons_that_are_left_and_the_characters_of_the_pages(site):
    weight.slim(site)
    (font,) = (site / "en/_static/fonts").iterdir()
    drawn = set(map(chr, characters(font)))
    assert {"\uf005", "\uf00c", *"text"} <= drawn
    assert not {"\uf004", *"ZQ&"} & drawn
    assert f"url(fonts/{font.name})" in (site / "en/_static/styles.css").read_text("utf-8")


def test_address_of_what_was_cut_changes_with_its_content(site):
    page, static = site / "en/index.html", site / "en/_static"
    weight.slim(site)
    first, fonts = page.read_text("utf-8"), sorted(static.glob("fonts/*"))
    assert re.search(r'href="_static/styles\.css\?v=[0-9a-f]{8}"', first)
    page.write_text(first.replace("used", "unused"), "utf-8")
    weight.slim(site)
    assert page.read_text("utf-8").replace("unused", "used") != first
    assert sorted(static.glob("fonts/*")) == fonts
    page.write_text(first.replace("used", "used Q"), "utf-8")
    weight.slim(site)
    assert len(list(static.glob("fonts/*"))) == 1
    assert sorted(static.glob("fonts/*")) != fonts


def test_nothing_is_cut_again_for_the_same_pages(site, monkeypatch):
    page = site / "en/index.html"
    weight.slim(site)
    first = page.read_text("utf-8")
    monkeypatch.setattr(weight, "purge", lambda site: pytest.fail("cut again"))
    # Sphinx has written the page anew
    page.write_text(PAGE, "utf-8")
    weight.slim(site)
    assert page.read_text("utf-8") == first
    # words that no rule names, of characters that the font has already
    page.write_text(PAGE.replace("text", "text texttext"), "utf-8")
    weight.slim(site)
    assert page.read_text("utf-8") == first.replace("text", "text texttext")


def test_drawings_in_the_sheet_stay(site):
    weight.slim(site)
    assert "svg xmlns='u'/%3E\")" in (site / "en/_static/styles.css").read_text("utf-8")


def test_missing_purgecss_is_named(site, monkeypatch):
    monkeypatch.setattr(weight, "PURGECSS", Path("nowhere", "purgecss.js"))
    with pytest.raises(FileNotFoundError, match=r"PurgeCSS is not at .*npm ci"):
        weight.slim(site)


def test_sheets_are_joined_in_their_order_with_addresses_that_hold(tmp_path):
    sheets = {
        "basic.css": '@charset "utf-8";\n.basic{}',
        "styles/pydata-sphinx-theme.css": (
            '.theme{src:url("../vendor/a.woff2")}\n/*# sourceMappingURL=a.map */'
        ),
        "katex/katex.min.css": (
            ".math{src:url(fonts/M.woff2) format('woff2'),url(fonts/M.woff) format('woff'),"
            "url(fonts/M.ttf) format('truetype')}"
        ),
        "book.css": ".book{background:url(data:image/png;base64,AAAA)}",
    }
    for name, text in sheets.items():
        path = tmp_path / "_static" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    known = [SimpleNamespace(filename=f"_static/{name}") for name in list(sheets)[2:]]
    builder = SimpleNamespace(name="html", _css_files=known)
    weight.join_sheets(SimpleNamespace(outdir=tmp_path, builder=builder), None)
    joined = (tmp_path / "_static" / weight.UNCUT).read_text("utf-8")
    assert re.findall(r"\.(\w+)\{", joined) == ["basic", "theme", "math", "book"]
    assert joined.startswith('@charset "UTF-8";')
    assert joined.count("@charset") == 1
    assert "url(vendor/a.woff2)" in joined
    assert "{src:url(katex/fonts/M.woff2) format('woff2')}" in joined
    assert "url(data:image/png;base64,AAAA)" in joined
    assert "sourceMappingURL" not in joined
