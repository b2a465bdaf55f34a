"""The sources of the pages: what keeps addresses stable, translations whole and numbers true."""

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
FENCE = re.compile(r"^(`{3,}|:{3,})[\s\S]*?^\1\s*$", re.M)


def page_id(path: Path) -> str:
    return path.relative_to(DOCS).with_suffix("").as_posix()


def blank(match: re.Match) -> str:
    """Replace text by its empty lines, so that line numbers stay."""
    return "\n" * match[0].count("\n")


def without_front_matter(path: Path) -> str:
    return re.sub(r"\A---\n[\s\S]*?\n---\n", blank, path.read_text("utf-8"))


def prose(path: Path) -> str:
    """Return a page without front matter and fenced blocks."""
    return FENCE.sub(blank, without_front_matter(path))


def lines(path: Path, pattern: str) -> list[str]:
    return [
        f"{page_id(path)}.md:{number}: {line}"
        for number, line in enumerate(prose(path).splitlines(), 1)
        if re.search(pattern, line)
    ]


@pytest.mark.parametrize("path", PAGES, ids=page_id)
def test_every_heading_has_a_label_of_its_own(path):
    text = prose(path).splitlines()
    for number, line in enumerate(text):
        if re.match(r"#{1,6} ", line):
            above = text[number - 1] if number else ""
            assert re.fullmatch(r"\([a-z0-9-]+\)=", above), (
                f"{page_id(path)}.md:{number + 1}: {line}"
            )


def test_labels_are_used_once():
    labels = Counter()
    for path in PAGES:
        labels.update(re.findall(r"^\(([a-z0-9-]+)\)=$", prose(path), re.M))
        body = without_front_matter(path)
        labels.update(re.findall(r"^ *:?(?:name|label): *([\w-]+)$", body, re.M))
    assert [label for label, uses in labels.items() if uses > 1] == []


@pytest.mark.parametrize("path", PAGES, ids=page_id)
def test_page_label_is_the_file_name(path):
    first = re.search(r"^\(([a-z0-9-]+)\)=$", prose(path), re.M)
    assert first
    assert first[1] == path.stem


@pytest.mark.parametrize("path", PAGES, ids=page_id)
def test_headings_do_not_begin_with_a_number(path):
    assert lines(path, r"^#+ \d") == []


@pytest.mark.parametrize("path", PAGES, ids=page_id)
def test_links_are_inline(path):
    # gettext loses the targets of reference links
    assert lines(path, r"^\[[^\]]+\]: |\]\[[^\]]*\]") == []


@pytest.mark.parametrize("path", PAGES, ids=page_id)
def test_glue_names_its_page(path):
    # the bare form is empty in translated paragraphs
    assert lines(path, r"\{glue[^}]*\}`(?![\w-]+\.md::)") == []


@pytest.mark.parametrize("path", PAGES, ids=page_id)
def test_captioned_tables_are_list_tables(path):
    # cells of {table} are not extracted for translation
    assert not re.search(r"^[`:]{3,}\{table\}", path.read_text("utf-8"), re.M)


@pytest.mark.parametrize("path", PAGES, ids=page_id)
def test_page_describes_itself(path):
    front = re.match(r"---\n([\s\S]*?)\n---\n", path.read_text("utf-8"))
    assert front
    description = yaml.safe_load(front[1])["myst"]["html_meta"]["description"]
    assert 40 <= len(description) <= 200
    assert description.endswith(".")


@pytest.mark.parametrize("path", PAGES, ids=page_id)
def test_figures_of_cells_have_name_caption_and_alt(path):
    for header in re.findall(
        r"^```\{code-cell\}[^\n]*\n---\n([\s\S]*?)\n---$", path.read_text("utf-8"), re.M
    ):
        options = yaml.safe_load(header).get("mystnb", {})
        if "figure" in options:
            assert options["figure"]["name"].startswith("fig-")
            assert options["figure"]["caption"].strip()
            assert options["image"]["alt"].strip()
