"""Every page, in both editions, from a server and from disk: all of it is there and drawn."""

import pytest

pytestmark = [pytest.mark.site, pytest.mark.browser]


@pytest.fixture
def log(visit, access, edition, page):
    return visit(access, edition, page)[0]


@pytest.fixture
def shown(visit, access, edition, page):
    return visit(access, edition, page)[1]


def test_asks_nothing_of_another_host(log):
    assert log.foreign == []


def test_misses_no_file(log):
    assert log.failed == []


def test_says_no_error_on_the_console(log):
    assert log.errors == []


def test_draws_every_diagram(shown):
    assert shown["undrawnDiagrams"] == []


def test_draws_every_formula(shown):
    assert shown["undrawnFormulas"] == []
    assert shown["formulaErrors"] == []
    assert shown["formulaSources"] == []


def test_draws_every_image_and_icon(shown):
    assert shown["undrawnImages"] == []
    assert shown["undrawnIcons"] == []


def test_keyboard_reaches_every_box_that_scrolls(shown):
    assert shown["unreachableBoxes"] == []


def test_does_not_scroll_sideways_on_a_phone(shown):
    assert shown["sidewaysOnPhone"] == 0
