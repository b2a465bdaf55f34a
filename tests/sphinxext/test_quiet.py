"""The theme's scripts keep their notes to themselves."""

from pathlib import Path


def test_theme_notes_nothing_on_the_console(book):
    built = book({"index.rst": "Title\n=====\n"})
    built.build("attnbook.sphinxext.quiet", html_theme="pydata_sphinx_theme")
    folder = Path(built.app.outdir)
    script = (folder / "_static" / "scripts" / "pydata-sphinx-theme.js").read_text("utf-8")
    assert ",       void(`[PST]: Changed to" in script
    assert "console.error(" in script
    written = [*folder.rglob("_static/scripts/*.js"), *folder.glob("*.html")]
    assert [path.name for path in written if "console.log(" in path.read_text("utf-8")] == []
