"""Images say how large they are, and those further down wait until they are near."""

import re

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20" viewBox="0 0 30 20"/>'
PAGE = """
# Page

![one](one.svg)

![two](one.svg)

```{image} one.svg
:width: 50%
```
"""


def images(book, **options):
    built = book({"index.md": PAGE, "one.svg": SVG}).build(
        "myst_parser", "attnbook.sphinxext.images", **options
    )
    assert built.warnings == ""
    return re.findall(r"<img [^>]*>", built.page())


def test_images_say_their_size(book):
    one, two, given = images(book)
    for image in (one, two):
        assert 'width="30"' in image
        assert 'height="20"' in image
    assert 'width="30"' not in given


def test_all_images_but_the_first_wait(book):
    assert ['loading="lazy"' in image for image in images(book)] == [False, True, True]


def test_a_book_in_one_page_waits_for_nothing(book):
    assert ["loading" in image for image in images(book, builder="singlehtml")] == [False] * 3
