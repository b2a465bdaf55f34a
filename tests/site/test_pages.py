"""Every page, in both editions, light and dark, wide and narrow, from a server and from disk."""

import pytest

pytestmark = [pytest.mark.site, pytest.mark.browser]


@pytest.fixture
def faults(visit, access, edition, page):
    """Return a function that picks the faults of a kind, each after the view that shows it."""
    seen = visit(access, edition, page)
    return lambda kind: [f"{view}: {fault}" for view in seen for fault in seen[view][kind]]


def test_asks_nothing_of_another_host(faults):
    assert faults("foreign") == []


def test_misses_no_file(faults):
    assert faults("failed") == []


def test_says_nothing_on_the_console(faults):
    assert faults("said") == []


def test_draws_every_diagram(faults):
    assert faults("undrawnDiagrams") == []


def test_draws_every_formula(faults):
    assert faults("undrawnFormulas") == []
    assert faults("formulaErrors") == []
    assert faults("formulaSources") == []


def test_draws_every_image_and_icon(faults):
    assert faults("undrawnImages") == []
    assert faults("undrawnIcons") == []


def test_says_every_image_in_words(faults):
    assert faults("wordlessImages") == []


def test_cuts_off_no_text(faults):
    assert faults("cutOff") == []


def test_does_not_scroll_sideways(faults):
    assert faults("sideways") == []


def test_keyboard_reaches_every_box_that_scrolls(faults):
    assert faults("unreachableBoxes") == []


def test_names_every_box_that_the_keyboard_stops_at(faults):
    assert faults("namelessStops") == []


@pytest.mark.parametrize("access", ["http"])
def test_axe_finds_nothing_wrong(faults):
    assert faults("axe") == []
