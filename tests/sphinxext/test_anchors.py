"""What was published stays where it was, or leads on to where it is now."""

import shutil

import pytest

from attnbook.sphinxext.anchors import Anchor, extend, read_anchors, read_inventory

EXTENSIONS = ("myst_parser", "attnbook.sphinxext.editions", "attnbook.sphinxext.anchors")
INDEX = """
(index)=
# First

```{toctree}
masks
part/heads
```

```{glossary}
KV cache
  What is kept.
```
"""
MASKS = """
(masks)=
# Masks

(makers)=
## Makers

```{math}
:label: eq-mask
x = 1
```

```{figure} mask.svg
:name: fig-mask
A mask.
```
"""
HEADS = "(heads)=\n# Heads\n\n(new-makers)=\n## Makers of heads\n"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
FILES = {"index.md": INDEX, "masks.md": MASKS, "part/heads.md": HEADS, "mask.svg": SVG}
LIST = """
index std:doc index
index#index std:label index
index#term-KV-cache std:term KV cache
masks std:doc masks
masks#equation-eq-mask std:label eq-mask
masks#fig-mask std:label fig-mask
masks#makers std:label makers
masks#masks std:label masks
"""


def built(book, changes=None, **config):
    """Build a book whose addresses are listed, after changes to its files."""
    files = FILES | {"anchors/en.txt": LIST} | (changes or {})
    return book(files).build(*EXTENSIONS, html_math_renderer="mathjax", **config)


def test_nothing_lost_nothing_said(book):
    assert built(book).warnings == ""


def test_inventory_holds_everything_that_can_be_referred_to(book):
    made = built(book)
    found = read_inventory(made.app.outdir / "objects.inv")
    assert found >= read_anchors(made.folder / "anchors" / "en.txt")
    assert {anchor.address for anchor in found - read_anchors(made.folder / "anchors/en.txt")} == {
        "part/heads",
        "part/heads#heads",
        "part/heads#new-makers",
    }


@pytest.mark.parametrize(
    ("old", "new", "address", "advice"),
    [
        ("(makers)=\n", "", "masks#makers", "put (makers)= above its new place"),
        (":name: fig-mask\n", "", "masks#fig-mask", "put (fig-mask)= above"),
        (":label: eq-mask\n", "", "masks#equation-eq-mask", "put (eq-mask)= above"),
    ],
)
def test_lost_place_is_named(book, old, new, address, advice):
    warnings = built(book, {"masks.md": MASKS.replace(old, new)}).warnings
    assert f"{address} has disappeared, and others may refer to it: {advice}" in warnings
    assert f"say in docs/redirects.txt where it is now: {address} page#place" in warnings


def test_lost_term_is_named(book):
    warnings = built(book, {"index.md": INDEX.replace("KV cache", "cache")}).warnings
    assert "index#term-KV-cache has disappeared" in warnings


def test_name_that_is_lost_alone_is_named(book):
    # the address is still there, under another name
    listed = LIST + "masks#makers std:label old-makers\n"
    warnings = built(book, {"anchors/en.txt": listed}).warnings
    assert "masks#makers has disappeared" in warnings
    assert "no longer called old-makers (std:label)" in warnings


RENAMED = {"part/masks.md": MASKS.replace("mask.svg", "../mask.svg")}


def rename(book, redirects):
    """Build the book with its page of masks in another folder."""
    files = FILES | RENAMED | {"anchors/en.txt": LIST, "redirects.txt": redirects}
    files["index.md"] = INDEX.replace("\nmasks\n", "\npart/masks\n")
    del files["masks.md"]
    return book(files).build(*EXTENSIONS, html_math_renderer="mathjax")


def test_lost_page_is_named_once(book):
    warnings = rename(book, "").warnings
    assert warnings.count("has disappeared") == 1
    assert "masks has disappeared" in warnings
    assert "say in docs/redirects.txt which page has its subject now: masks new-page" in warnings


def test_page_that_moved_takes_its_places_along(book):
    assert rename(book, "# a comment\nmasks part/masks\n").warnings == ""


def test_place_that_the_page_left_behind_is_named(book):
    warnings = rename(book, "masks part/heads\n").warnings
    assert "part/heads#makers has disappeared" in warnings
    assert "WARNING: masks has disappeared" not in warnings


def test_place_may_move_by_itself(book):
    moved = {
        "masks.md": MASKS.replace("(makers)=\n", ""),
        "redirects.txt": "masks#makers part/heads#new-makers\n",
    }
    assert built(book, moved).warnings == ""


@pytest.mark.parametrize(
    ("redirect", "complaint"),
    [
        ("masks#makers part/heads#new-makers", "masks#makers is still there and cannot be moved"),
        ("old part/tails", "old leads to part/tails, which is not there"),
        ("old masks#tails", "old leads to masks#tails, which is not there"),
    ],
)
def test_redirect_that_makes_no_sense_is_a_warning(book, redirect, complaint):
    assert complaint in built(book, {"redirects.txt": redirect}).warnings


def test_other_builders_write_no_redirects(book):
    files = {"redirects.txt": "old masks\n"}
    assert (built(book, files).app.outdir / "old.html").is_file()
    other = built(book, files, builder="epub")
    assert list(other.app.outdir.rglob("*old*")) == []


def site_of(book, tmp_path, zh=FILES):
    """Build two editions into one site."""
    site = tmp_path / "site"
    for language, tag, files in (("en", "en", FILES), ("zh_CN", "zh-CN", zh)):
        made = book(files).build(*EXTENSIONS, html_math_renderer="mathjax", language=language)
        shutil.copytree(made.app.outdir, site / tag)
        made.app.doctreedir.joinpath("environment.pickle").unlink()
    return site


def test_new_addresses_are_added_and_old_ones_kept(book, tmp_path):
    site, lists = site_of(book, tmp_path), tmp_path / "lists"
    lists.mkdir()
    lists.joinpath("en.txt").write_text("# comment\n\ngone#x std:label a name of words\n")
    assert extend(site, lists) == 22
    listed = read_anchors(lists / "en.txt")
    assert Anchor("gone#x", "std:label", "a name of words") in listed
    assert Anchor("masks#equation-eq-mask", "std:label", "eq-mask") in listed
    assert not any(anchor.name in {"genindex", "search", "modindex"} for anchor in listed)
    assert extend(site, lists) == 0


def test_editions_with_different_addresses_are_refused(book, tmp_path):
    zh = FILES | {"part/heads.md": HEADS.replace("new-makers", "other")}
    with pytest.raises(ValueError, match="not in every edition: part/heads#new-makers"):
        extend(site_of(book, tmp_path, zh), tmp_path)


@pytest.mark.browser
@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("access", ["file", "http"])
def test_browser_follows_what_moved(book, access, language):
    from playwright.sync_api import sync_playwright

    from tests.site.browser import launch, serve

    redirects = """
    old/masks part/masks
    old/masks#gone part/heads#new-makers
    index#makers part/heads#new-makers
    """
    files = FILES | RENAMED | {"redirects.txt": redirects}
    files["index.md"] = INDEX.replace("\nmasks\n", "\npart/masks\n")
    del files["masks.md"]
    made = book(files).build(*EXTENSIONS, html_math_renderer="mathjax", language=language)
    assert made.warnings == ""
    with serve(made.app.outdir) as http, sync_playwright() as playwright:
        site = {"file": made.app.outdir.as_uri(), "http": http}[access]
        browser = launch(playwright)
        for scripts in (True, False):
            tab = browser.new_context(java_script_enabled=scripts).new_page()
            for old, new in {
                "old/masks.html": "part/masks.html",
                "old/masks.html#makers": "part/masks.html#makers",
                "old/masks.html#gone": "part/heads.html#new-makers",
                "index.html#makers": "part/heads.html#new-makers",
            }.items():
                tab.goto(f"{site}/{old}")
                if scripts:
                    tab.wait_for_url(f"{site}/{new}")
                elif old.startswith("index"):
                    # without a script the link can be clicked
                    assert tab.locator(".moved a").get_attribute("href") == new
                else:
                    # and the page is found, if not always the place
                    tab.wait_for_url(lambda url: url.split("#")[0] == f"{site}/part/masks.html")
        browser.close()
