"""Which Chromium is started, and what is said where there is none."""

import pytest

from attnbook.sphinxext.browser import find_chromium


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Return a maker of programs, in the one folder on the path."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("ATTNBOOK_CHROMIUM", raising=False)

    def make(name):
        path = tmp_path / name
        path.touch(mode=0o755)
        return str(path)

    return make


def test_takes_the_first_on_the_path(program):
    chrome = program("google-chrome")
    assert find_chromium() == chrome
    chromium = program("chromium")
    assert find_chromium() == chromium


def test_takes_the_one_that_is_named(program, monkeypatch):
    program("chromium")
    named = program("my-chrome")
    monkeypatch.setenv("ATTNBOOK_CHROMIUM", named)
    assert find_chromium() == named


def test_says_what_to_install(program):
    with pytest.raises(FileNotFoundError, match="apt-get install chromium"):
        find_chromium()


def test_takes_no_other_than_the_one_that_is_named(program, monkeypatch):
    program("chromium")
    monkeypatch.setenv("ATTNBOOK_CHROMIUM", "no-such-browser")
    with pytest.raises(FileNotFoundError, match="no Chromium: no-such-browser is not there"):
        find_chromium()
