"""The picture of attention weights."""

import warnings

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from attnbook import viz
from attnbook.viz import style

WEIGHTS = np.array([[0.10, 0.20, 0.70], [0.55, 0.45, 0.0]])
QUERIES = ["one", "two"]
KEYS = ["red", "green", "blue"]


@pytest.fixture(autouse=True)
def _restore_matplotlib():
    plt.switch_backend("svg")
    with mpl.rc_context(), warnings.catch_warnings():
        viz.use_book_style()
        yield
    plt.close("all")


def _numbers(ax):
    return {tuple(map(int, text.get_position()[::-1])): text.get_text() for text in ax.texts}


def test_rows_are_queries_and_columns_are_keys():
    ax = viz.attention_map(WEIGHTS, QUERIES, KEYS)
    ax.figure.draw_without_rendering()
    rows = {label.get_text(): label.get_position()[1] for label in ax.get_yticklabels()}
    columns = {label.get_text(): label.get_position()[0] for label in ax.get_xticklabels()}
    assert rows == {"one": 0, "two": 1}
    assert columns == {"red": 0, "green": 1, "blue": 2}
    # as in a matrix: the first row on top, the names of the columns above it
    assert ax.yaxis_inverted()
    assert ax.xaxis.get_ticks_position() == "top"


def test_every_cell_shows_its_weight():
    assert _numbers(viz.attention_map(WEIGHTS, QUERIES, KEYS)) == {
        (0, 0): "0.10",
        (0, 1): "0.20",
        (0, 2): "0.70",
        (1, 0): "0.55",
        (1, 1): "0.45",
        (1, 2): "0.00",
    }


def test_words_and_numbers_are_text_in_the_file():
    drawn = style.figure_svg(viz.attention_map(WEIGHTS, QUERIES, KEYS).figure)
    for word in (*QUERIES, *KEYS, "0.70"):
        assert f"{word}</text>" in drawn


def test_a_large_map_has_a_colour_bar_and_no_numbers():
    weights = np.full((9, 9), 1 / 9)
    ax = viz.attention_map(weights, list("abcdefghi"), list("abcdefghi"))
    assert not ax.texts
    assert len(ax.figure.axes) == 2


@pytest.mark.parametrize("scale", [1.0, 0.1])
def test_colours_run_from_zero_to_one(scale):
    (image,) = viz.attention_map(WEIGHTS * scale, QUERIES, KEYS).images
    assert image.get_clim() == (0, 1)
    assert image.get_cmap().name == "cividis"


def _luminance(colour):
    """Return the relative luminance of WCAG 2.2."""
    rgb = np.array(mpl.colors.to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def test_numbers_can_be_read_on_their_colour():
    colours = mpl.colormaps["cividis"]
    for weight in np.linspace(0, 1, 201):
        (number,) = viz.attention_map(np.array([[weight]]), ["q"], ["k"]).texts
        one, other = sorted(map(_luminance, (number.get_color(), colours(weight)[:3])))
        assert (other + 0.05) / (one + 0.05) >= 4.5
        plt.close("all")


def test_masked_cells_are_hatched_and_have_neither_colour_nor_number():
    mask = np.array([[True, False, True], [True, True, False]])
    ax = viz.attention_map(WEIGHTS, QUERIES, KEYS, mask=mask)
    hatched = {tuple(int(c + 0.5) for c in patch.get_xy()[::-1]) for patch in ax.patches}
    assert hatched == {(0, 1), (1, 2)}
    assert all(patch.get_hatch() and not patch.get_fill() for patch in ax.patches)
    assert set(_numbers(ax)) == {(0, 0), (0, 2), (1, 0), (1, 1)}
    (image,) = ax.images
    np.testing.assert_array_equal(np.ma.getmaskarray(image.get_array()), ~mask)


def test_a_mask_of_keys_broadcasts():
    ax = viz.attention_map(WEIGHTS, QUERIES, KEYS, mask=np.array([[True, True, False]]))
    assert len(ax.patches) == 2


def test_what_is_masked_may_hold_anything():
    weights = np.array([[0.5, 0.5, np.nan], [1.0, 0.0, np.inf]])
    viz.attention_map(weights, QUERIES, KEYS, mask=np.array([True, True, False]))


def test_a_row_without_any_key_is_hatched_whole():
    mask = np.array([[True, True, True], [False, False, False]])
    ax = viz.attention_map(WEIGHTS, QUERIES, KEYS, mask=mask)
    assert len(ax.patches) == 3


def test_draws_where_it_is_told():
    _, (left, right) = plt.subplots(1, 2)
    assert viz.attention_map(WEIGHTS, QUERIES, KEYS, ax=right) is right
    assert not left.images


def test_takes_arrays_of_every_library():
    torch = pytest.importorskip("torch")
    strict = pytest.importorskip("array_api_strict")
    expected = _numbers(viz.attention_map(WEIGHTS, QUERIES, KEYS))
    carries_gradient = torch.tensor(WEIGHTS, requires_grad=True)
    half = torch.tensor(WEIGHTS, dtype=torch.bfloat16)
    for weights in (carries_gradient, half, strict.asarray(WEIGHTS), WEIGHTS.tolist()):
        assert _numbers(viz.attention_map(weights, QUERIES, KEYS)) == expected


def test_does_not_write_to_its_input():
    weights = WEIGHTS.copy()
    viz.attention_map(weights, QUERIES, KEYS, mask=np.array([True, False, True]))
    np.testing.assert_array_equal(weights, WEIGHTS)


def test_the_same_map_is_the_same_file():
    maps = (viz.attention_map(WEIGHTS, QUERIES, KEYS) for _ in range(2))
    first, second = (style.figure_svg(ax.figure) for ax in maps)
    assert first == second


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": WEIGHTS[None]}, r"one row for each query .* shape \(1, 2, 3\)"),
        ({"weights": np.ones((0, 3))}, r"one row for each query .* shape \(0, 3\)"),
        ({"query_labels": ["one"]}, r"1 query labels and 3 key labels .* \(2, 3\)"),
        ({"key_labels": KEYS[:2]}, r"2 query labels and 2 key labels .* \(2, 3\)"),
        ({"weights": WEIGHTS * 3}, r"between 0 and 1, got values from 0 to 2.1"),
        ({"weights": WEIGHTS - 0.2}, r"between 0 and 1, got values from -0.2"),
        ({"weights": WEIGHTS * np.nan}, r"between 0 and 1, got values from nan"),
        ({"mask": np.ones((3, 2), bool)}, r"shape \(3, 2\) does not fit .* \(2, 3\)"),
        ({"mask": np.ones((1, 2, 3), bool)}, r"shape \(1, 2, 3\) does not fit .* \(2, 3\)"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    arguments = {"weights": WEIGHTS, "query_labels": QUERIES, "key_labels": KEYS} | change
    with pytest.raises(ValueError, match=message):
        viz.attention_map(**arguments)


def test_a_mask_of_numbers_is_refused():
    with pytest.raises(TypeError, match=r"must be boolean .* float64"):
        viz.attention_map(WEIGHTS, QUERIES, KEYS, mask=np.zeros((2, 3)))
