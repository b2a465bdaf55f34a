"""Boxes that may scroll say what they are; entries of a list are items of it."""

import re

import pytest

PAGE = """
Title
=====

.. code-block:: python

   x = 1

.. parsed-literal::

   *x* is 1

>>> x
1

.. container:: cell_output

   .. code-block:: none
      :class: output

      1

.. list-table::

   * - a
     - b

See [Two]_.

.. [Two] The second.
.. [Three] The third.
"""


@pytest.fixture
def page(book):
    built = book({"index.rst": PAGE}).build(
        "attnbook.sphinxext.accessibility", html_theme="pydata_sphinx_theme"
    )
    return built.page()


def test_code_and_output_are_named(page):
    boxes = re.findall(r"<pre\b[^>]*>", page)
    assert [re.findall(r'role="group" aria-label="(\w+)"', box) for box in boxes] == [
        ["Code"],
        ["Code"],
        ["Code"],
        ["Output"],
    ]


def test_box_around_a_table_is_named(page):
    (box,) = re.findall(r'<div class="pst-scrollable-table-container"[^>]*>', page)
    assert 'role="group" aria-label="Table"' in box


def test_references_are_a_list_of_items(page):
    assert page.count('<div role="list" class="citation-list">') == 1
    entries = re.findall(r'<div class="citation"[^>]*>', page)
    assert len(entries) == 2
    assert all('role="listitem"' in entry for entry in entries)
