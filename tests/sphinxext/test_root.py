"""What stands beside the editions: where to go from a wrong address, and what the site holds."""

from xml.etree import ElementTree

import pytest

from attnbook.sphinxext.editions import EDITIONS
from attnbook.sphinxext.root import write_root

ADDRESS = "https://example.org/book/"
PAGES = ["index.html", "part/a&b.html"]
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
XHTML = "{http://www.w3.org/1999/xhtml}"


def build(folder, address=ADDRESS):
    """Write the pages of every edition, as much of them as matters here."""
    for edition in EDITIONS.values():
        for page in PAGES:
            path = folder / edition.tag / page
            path.parent.mkdir(parents=True, exist_ok=True)
            escaped = f"{address}{edition.tag}/{page}".replace("&", "&amp;")
            path.write_text(
                f'<link rel="canonical" href="{escaped}" />' if address else "<p></p>", "utf-8"
            )
    moved = folder / "en" / "moved.html"
    moved.write_text('<meta name="robots" content="noindex">', "utf-8")
    write_root(folder)


def test_sitemap_lists_every_page_of_every_edition_with_its_twins(tmp_path):
    build(tmp_path)
    urls = ElementTree.parse(tmp_path / "sitemap.xml").getroot()
    expected = [f"{ADDRESS}{edition.tag}/{page}" for page in PAGES for edition in EDITIONS.values()]
    assert [url.find(f"{SITEMAP}loc").text for url in urls] == expected
    for url in urls:
        twins = {link.get("hreflang"): link.get("href") for link in url.iter(f"{XHTML}link")}
        assert set(twins) == {edition.tag for edition in EDITIONS.values()}
        assert url.find(f"{SITEMAP}loc").text in twins.values()
    assert f"Sitemap: {ADDRESS}sitemap.xml" in (tmp_path / "robots.txt").read_text("utf-8")


def test_without_an_address_there_is_no_sitemap(tmp_path):
    build(tmp_path, address="")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["404.html", "en", "zh-CN"]


@pytest.mark.parametrize(("address", "root"), [(ADDRESS, "/book/"), ("", "/")])
def test_page_of_wrong_addresses_starts_from_the_root(tmp_path, address, root):
    build(tmp_path, address=address)
    page = (tmp_path / "404.html").read_text("utf-8")
    assert f'<base href="{root}">' in page
    assert "example.org" not in page
    for edition in EDITIONS.values():
        assert f'<section lang="{edition.tag}">' in page
        for text in (edition.not_found, edition.not_found_why, edition.search):
            assert text in page
