"""The four steps of attention as one picture."""

import warnings

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import attnbook
from attnbook import viz
from attnbook.viz import style

RNG = np.random.default_rng(0)
# two queries, three keys, width five, values of width four
QUERY, KEY, VALUE = (RNG.standard_normal(shape) for shape in ((2, 5), (3, 5), (3, 4)))
QUERIES, KEYS = ["one", "two"], ["red", "green", "blue"]
MASK = np.array([[True, False, True], [True, True, False]])


@pytest.fixture(autouse=True)
def _restore_matplotlib():
    plt.switch_backend("svg")
    with mpl.rc_context(), warnings.catch_warnings():
        viz.use_book_style()
        yield
    plt.close("all")


def _steps(query=QUERY, key=KEY, value=VALUE, queries=QUERIES, keys=KEYS, **options):
    return viz.attention_steps(query, key, value, queries, keys, **options)


def _numbers(ax):
    """Return what is written, as a matrix; cells without a number are NaN."""
    cells = {tuple(map(int, text.get_position()[::-1])): text.get_text() for text in ax.texts}
    shape = ax.images[0].get_array().shape
    numbers = np.full(shape, np.nan)
    for cell, text in cells.items():
        numbers[cell] = float(text.replace("−", "-"))
    return numbers


def _hatched(ax):
    return {tuple(int(c + 0.5) for c in patch.get_xy()[::-1]) for patch in ax.patches}


def test_the_numbers_are_those_of_the_steps():
    scores, scaled, weights, output = map(_numbers, _steps())
    formula = np.array([[sum(q * k) for k in KEY] for q in QUERY])
    np.testing.assert_allclose(scores, formula, atol=0.005)
    np.testing.assert_allclose(scaled, formula / np.sqrt(5), atol=0.005)
    exponentials = np.exp(formula / np.sqrt(5))
    by_hand = exponentials / exponentials.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(weights, by_hand, atol=0.005)
    np.testing.assert_allclose(output, by_hand @ VALUE, atol=0.005)


def test_a_mask_hides_from_the_second_grid_on():
    scores, scaled, weights, output = _steps(mask=MASK)
    hidden = {(0, 1), (1, 2)}
    assert [_hatched(ax) for ax in (scores, scaled, weights, output)] == [
        set(),
        hidden,
        hidden,
        set(),
    ]
    for ax in (scaled, weights):
        np.testing.assert_array_equal(np.isnan(_numbers(ax)), ~MASK)
    expected = attnbook.attention_weights(QUERY, KEY, mask=MASK)[MASK]
    np.testing.assert_allclose(_numbers(weights)[MASK], expected, atol=0.005)
    expected = attnbook.scaled_dot_product_attention(QUERY, KEY, VALUE, mask=MASK)
    np.testing.assert_allclose(_numbers(output), expected, atol=0.005)


def test_a_query_without_any_key_gets_zeros():
    *_, weights, output = _steps(mask=np.array([[True], [False]]))
    assert _hatched(weights) == {(1, 0), (1, 1), (1, 2)}
    np.testing.assert_array_equal(_numbers(output)[1], 0)


def test_titles_are_the_formula():
    titles = [ax.get_title() for ax in _steps()]
    assert titles == [r"$QK^\top$", "÷√$d_k$", "softmax", "·$V$"]


def test_rows_are_queries_and_columns_keys_or_components():
    grids = _steps()
    for ax in grids:
        assert [label.get_text() for label in ax.get_yticklabels()] == QUERIES
    columns = [[label.get_text() for label in ax.get_xticklabels()] for ax in grids]
    assert columns == [KEYS, KEYS, KEYS, ["1", "2", "3", "4"]]


def test_scores_share_one_scale_of_greys_and_weights_have_their_own():
    # all scores positive: the scaled ones lie below the smallest
    positive = _steps(np.abs(QUERY), np.abs(KEY))
    scores, scaled, weights, _ = (ax.images[0] for ax in positive)
    assert scores.get_clim() == scaled.get_clim()
    assert scores.get_clim()[0] <= scaled.get_array().min()
    assert weights.get_cmap().name == "cividis"
    # every grey carries black numbers: contrast of 7 to 1 at least
    darkest = np.array(scores.get_cmap()(1.0)[:3])
    luminance = (((darkest + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]
    assert (luminance + 0.05) / 0.05 > 7


def test_whole_numbers_are_written_whole():
    query, value = np.array([[2.0, 0, 0, 0]]), np.array([[1.0], [1.0]])
    grids = _steps(query, np.eye(2, 4), value, ["a"], ["x", "y"])
    written = [[text.get_text() for text in ax.texts] for ax in grids]
    assert written == [["2", "0"], ["1", "0"], ["0.73", "0.27"], ["1"]]


def test_negative_numbers_have_a_minus_sign():
    (scores, *_) = _steps(-np.ones((1, 1)), np.ones((1, 1)), np.ones((1, 1)), ["a"], ["b"])
    assert [text.get_text() for text in scores.texts] == ["−1"]


@pytest.mark.parametrize("width", [1, 4, 7])
def test_cells_are_equal_in_all_grids(width):
    grids = _steps(value=RNG.standard_normal((3, width)))
    grids[0].figure.draw_without_rendering()
    sizes = [np.diff(ax.transData.transform([[0, 0], [1, 1]]), axis=0)[0] for ax in grids]
    np.testing.assert_allclose(np.abs(sizes), np.abs(sizes[0][0]), rtol=0.06)


def test_equal_scores_can_be_drawn():
    scores, *_ = _steps(query=np.zeros((2, 5)))
    np.testing.assert_array_equal(_numbers(scores), 0)


def test_draws_where_it_is_told():
    left, right = plt.figure(figsize=(9, 4)).subfigures(1, 2)
    grids = _steps(fig=right)
    assert list(right.axes) == list(grids)
    assert not left.axes


def test_text_is_text_in_the_file():
    drawn = style.figure_svg(_steps()[0].figure)
    for word in (*QUERIES, *KEYS, "softmax"):
        assert f"{word}</text>" in drawn


def test_takes_tensors():
    torch = pytest.importorskip("torch")
    expected = [_numbers(ax) for ax in _steps()]
    tensors = (torch.tensor(array, requires_grad=True) for array in (QUERY, KEY, VALUE))
    for numbers, ax in zip(expected, _steps(*tensors), strict=True):
        np.testing.assert_array_equal(_numbers(ax), numbers)


def test_does_not_write_to_its_inputs():
    inputs = [array.copy() for array in (QUERY, KEY, VALUE)]
    _steps(*inputs, mask=MASK)
    for array, before in zip(inputs, (QUERY, KEY, VALUE), strict=True):
        np.testing.assert_array_equal(array, before)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"query": QUERY[None]}, r"query must have two axes, .* \(1, 2, 5\); pick one sequence"),
        ({"value": VALUE[:, :0]}, r"value must have two axes, .* none of them empty, .* \(3, 0\)"),
        ({"key": KEY[:, :4]}, "query and key differ in width"),
        ({"value": VALUE[:2]}, "key and value differ in length"),
        ({"queries": QUERIES[:1]}, r"1 query labels and 3 key labels .* \(2, 3\)"),
        ({"value": np.ones((3, 9))}, "up to 8 rows and columns, got 9; attention_map draws"),
        ({"query": np.ones((9, 5))}, "up to 8 rows and columns, got 9"),
        ({"mask": np.ones((3, 2), bool)}, r"shape \(3, 2\) does not fit .* \(2, 3\)"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        _steps(**change)
    assert not plt.get_fignums()


def test_whole_numbers_are_refused_as_the_package_refuses_them():
    with pytest.raises(TypeError, match="floating"):
        _steps(np.ones((2, 5), int), np.ones((3, 5), int), np.ones((3, 4), int))
