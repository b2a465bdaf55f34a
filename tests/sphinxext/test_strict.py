"""The same build, run twice, says the same twice."""

EXTENSIONS = ("myst_parser", "attnbook.sphinxext.strict")


def test_build_that_warned_warns_again(book):
    made = book({"index.md": "# T\n\n{ref}`nowhere`\n"})
    assert "nowhere" in made.build(*EXTENSIONS).warnings
    assert "nowhere" in made.build(*EXTENSIONS).warnings


def test_build_without_warning_is_kept(book):
    made = book({"index.md": "# T\n"})
    made.build(*EXTENSIONS)
    assert (made.folder / "_build" / "doctrees" / "environment.pickle").is_file()
