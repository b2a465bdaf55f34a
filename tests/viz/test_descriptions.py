"""Attention maps in words."""

import re

import numpy as np
import pytest

from attnbook import viz

LANGUAGES = ("en", "zh_CN")
WEIGHTS = np.array([[0.10, 0.20, 0.70], [0.55, 0.45, 0.0]])
QUERIES = ["$x_1$", "$x_2$"]
KEYS = ["$k_1$", "$k_2$", "$k_3$"]


def _one_row(weights, keys, language="en", query="$q$", **options):
    return viz.describe_map([weights], [query], keys, language=language, **options)


def test_small_maps_are_told_whole():
    assert viz.describe_map(WEIGHTS, QUERIES, KEYS) == (
        "Attention map, 2 queries by 3 keys. "
        "Row x1: most on k3 (0.70), then k2 0.20, k1 0.10. "
        "Row x2: most on k1 (0.55), then k2 0.45, k3 0.00."
    )
    assert viz.describe_map(WEIGHTS, QUERIES, KEYS, language="zh_CN") == (
        "注意力图，2 个查询，3 个键。"
        "x1 一行：最大的是 k3（0.70），其次 k2 0.20，k1 0.10。"
        "x2 一行：最大的是 k1（0.55），其次 k2 0.45，k3 0.00。"
    )


def test_one_row_is_one_sentence():
    words = ["猫", "追", "老鼠", "的"]
    weights = [0.45, 0.10, 0.40, 0.05]
    assert _one_row(weights, words, query="追") == (
        "Row 追, 4 keys: most on 猫 (0.45), then 老鼠 0.40, 追 0.10, 的 0.05."
    )
    assert _one_row(weights, words, "zh_CN", query="追") == (
        "「追」一行，4 个键：最大的是「猫」（0.45），其次「老鼠」0.40，「追」0.10，「的」0.05。"
    )


@pytest.mark.parametrize(
    ("weights", "english", "chinese"),
    [
        ([1 / 3] * 3, "all 3 keys alike (0.33 each)", "3 个键都一样（各 0.33）"),
        (
            [0.45, 0.10, 0.45],
            "most on k1 and k3 (0.45 each), then k2 0.10",
            "最大的是 k1、k3（各 0.45），其次 k2 0.10",
        ),
        (
            [0.8, 0.1, 0.1],
            "most on k1 (0.80), then k2 and k3 0.10 each",
            "最大的是 k1（0.80），其次 k2、k3 各 0.10",
        ),
    ],
)
def test_weights_written_alike_are_named_together(weights, english, chinese):
    assert _one_row(weights, KEYS) == f"Row q, 3 keys: {english}."
    assert _one_row(weights, KEYS, "zh_CN") == f"q 一行，3 个键：{chinese}。"


def test_alike_is_what_is_written_alike():
    assert "k1 to k3 (0.25 each)" in _one_row([0.2496, 0.2504, 0.2499, 0.24], [*KEYS, "$k_4$"])


def test_many_small_weights_are_the_others():
    keys = [f"$k_{i}$" for i in range(1, 6)]
    weights = [0.6, 0.1, 0.1, 0.1, 0.1]
    assert "most on k1 (0.60), then the other 4 keys 0.10 each." in _one_row(weights, keys)
    assert "最大的是 k1（0.60），其余 4 个各 0.10。" in _one_row(weights, keys, "zh_CN")


def test_rows_told_alike_are_told_once():
    weights = [[0.6, 0.4, 0, 0], *[[0.5, 0.5, 0, 0]] * 3]
    names = [f"$x_{i}$" for i in range(1, 5)]
    told = viz.describe_map(weights, names, names)
    assert told.endswith(" Rows x2 to x4: most on x1 and x2 (0.50 each), then x3 and x4 0.00 each.")
    told = viz.describe_map(weights, names, names, language="zh_CN")
    assert told.endswith("。x2 至 x4 各行：最大的是 x1、x2（各 0.50），其次 x3、x4 各 0.00。")


def test_ranges_are_of_labels_that_count_up():
    mask = [True, False, False, False, False, False, False]
    keys = ["$x_1$", "C", "A", "B", "$y_3$", "$y_2$", "$y_1$"]
    assert "C, A, B, y3, y2 and y1 hidden" in _one_row([1.0, 0, 0, 0, 0, 0, 0], keys, mask=mask)
    keys = ["$x_1$", *(f"$y_{{{i}}}$" for i in range(8, 14))]
    assert "y8 to y13 hidden" in _one_row([1.0, 0, 0, 0, 0, 0, 0], keys, mask=mask)


def test_hidden_keys_are_named():
    weights = np.array([[1.0, 0, 0], [0.5, 0.5, 0], [0.2, 0.2, 0.6]])
    mask = np.tri(3, dtype=bool)
    queries = [*QUERIES, "$x_3$"]
    assert viz.describe_map(weights, queries, KEYS, mask=mask).endswith(
        "Row x1: only k1 (1.00); k2 and k3 hidden. Row x2: k1 and k2 alike (0.50 each); k3 hidden. "
        "Row x3: most on k3 (0.60), then k1 and k2 0.20 each."
    )
    assert viz.describe_map(weights, queries, KEYS, mask=mask, language="zh_CN").endswith(
        "x1 一行：只有 k1（1.00）；k2、k3 被遮住。x2 一行：k1、k2 都一样（各 0.50）；k3 被遮住。"
        "x3 一行：最大的是 k3（0.60），其次 k1、k2 各 0.20。"
    )


def test_a_row_without_any_key_says_so():
    mask = np.array([[True], [False]])
    assert "Row x2: every key hidden." in viz.describe_map(WEIGHTS, QUERIES, KEYS, mask=mask)
    told = viz.describe_map(WEIGHTS, QUERIES, KEYS, mask=mask, language="zh_CN")
    assert "x2 一行：所有键都被遮住。" in told


def test_keys_hidden_from_every_row_are_named_once():
    mask = np.array([True, True, False])
    told = viz.describe_map(WEIGHTS, QUERIES, KEYS, mask=mask)
    assert told.count("k3") == 1
    assert "Hidden in every row: k3." in told
    told = viz.describe_map(WEIGHTS, QUERIES, KEYS, mask=mask, language="zh_CN")
    assert told.count("k3") == 1
    assert "每一行都被遮住的键：k3。" in told


def test_a_map_that_shows_nothing_says_so_in_each_row():
    told = viz.describe_map(WEIGHTS, QUERIES, KEYS, mask=np.array(False))
    assert "Rows x1 and x2: every key hidden." in told
    assert "Hidden in every row" not in told


def test_what_is_hidden_may_hold_anything():
    weights = [[0.5, 0.5, np.nan], [1.0, 0.0, np.inf]]
    told = viz.describe_map(weights, QUERIES, KEYS, mask=np.array([True, True, False]))
    assert not re.search("nan|inf", told)


def test_of_larger_maps_the_largest_key_is_named():
    weights = np.full((9, 9), 0.05) + 0.55 * np.eye(9)
    names = [f"$x_{i}$" for i in range(1, 10)]
    mask = np.tri(9, dtype=bool)
    told = viz.describe_map(weights, names, names, mask=mask)
    assert told.startswith("Attention map, 9 queries by 9 keys. Row x1: only x1 (0.60); x2 to x9")
    assert "Row x4: most on x4 (0.60); x5 to x9 hidden." in told
    assert "0.05" not in told
    told = viz.describe_map(weights, names, names, mask=mask, language="zh_CN")
    assert "x4 一行：最大的是 x4（0.60）；x5 至 x9 被遮住。" in told


def test_numbers_are_told_where_the_map_writes_them():
    for n_keys, told in (
        (8, "most on a (0.30), then the other 7 keys 0.10 each"),
        (9, "most on a (0.30)"),
    ):
        weights, keys = [0.3] + [0.1] * (n_keys - 1), list("abcdefghi")[:n_keys]
        assert _one_row(weights, keys) == f"Row q, {n_keys} keys: {told}."


@pytest.mark.parametrize(
    ("label", "read"),
    [
        ("$x_1$", "x1"),
        ("$x_{10}$", "x10"),
        (r"$\alpha$", "α"),
        (r"$|\Delta|$", "|Δ|"),
        (r"$\alpha \, \Vert v \Vert$", "α‖v‖"),
        (r"$\alpha$ = 1/8", "α = 1/8"),
        ("A→", "A→"),
    ],
)
def test_formulas_are_read_as_they_look(label, read):
    assert _one_row([1.0], ["k"], query=label).startswith(f"Row {read}, 1 key:")


def test_words_are_set_off():
    assert _one_row([0.7, 0.3], ["cat", "the"], query="sleeps") == (
        'Row "sleeps", 2 keys: most on "cat" (0.70), then "the" 0.30.'
    )
    assert _one_row([0.7, 0.3], ["cat", "猫"], "zh_CN", query="sleeps") == (
        "「sleeps」一行，2 个键：最大的是「cat」（0.70），其次「猫」0.30。"
    )
    assert "是「猫」「追」（各 0.50）" in _one_row([0.5, 0, 0.5], ["猫", "k", "追"], "zh_CN")


def test_equal_words_are_told_apart_by_their_place():
    weights, keys = [0.7, 0.2, 0.1], ["x", "y", "x"]
    assert "x (key 1) (0.70), then y 0.20, x (key 3) 0.10" in _one_row(weights, keys)
    told = _one_row(weights, keys, "zh_CN")
    assert "最大的是 x（第 1 个键）（0.70），其次 y 0.20，x（第 3 个键）0.10" in told


def test_a_sign_that_is_not_read_out_is_a_number():
    mask = np.array([True, False])
    assert "key 2 hidden" in _one_row([1.0, 0.0], ["a", "–"], mask=mask)
    assert "第 2 个键被遮住" in _one_row([1.0, 0.0], ["a", "–"], "zh_CN", mask=mask)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_minus_zero(language):
    assert "-" not in _one_row([1.001, -0.001], ["a", "b"], language)


def test_chinese_keeps_to_the_book_s_typography():
    autocorrect = pytest.importorskip("autocorrect_py")
    words = ["猫", "A→", "the", "–", "$k_5$", "追", "猫", "x"]
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.ones(8), 8)
    mask = rng.random((8, 8)) < 0.7
    told = viz.describe_map(weights, words, words, mask=mask, language="zh_CN")
    assert autocorrect.format(told) == told
    assert not re.search(r" [，。；：、）」]|[，。；：、（「] ", told)


def test_takes_arrays_of_every_library():
    torch = pytest.importorskip("torch")
    strict = pytest.importorskip("array_api_strict")
    expected = viz.describe_map(WEIGHTS, QUERIES, KEYS)
    for weights in (
        torch.tensor(WEIGHTS, requires_grad=True),
        torch.tensor(WEIGHTS, dtype=torch.bfloat16),
        strict.asarray(WEIGHTS),
        WEIGHTS.astype("float32"),
    ):
        assert viz.describe_map(weights, QUERIES, KEYS) == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"language": "zh"}, r"language must be one of en, zh_CN, got 'zh'"),
        ({"weights": WEIGHTS[None]}, r"one row for each query .* shape \(1, 2, 3\)"),
        ({"key_labels": KEYS[:2]}, r"2 query labels and 2 key labels .* \(2, 3\)"),
        ({"weights": WEIGHTS * 3}, r"between 0 and 1, got values from 0 to 2.1"),
        ({"mask": np.ones((3, 2), bool)}, r"shape \(3, 2\) does not fit .* \(2, 3\)"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    arguments = {"weights": WEIGHTS, "query_labels": QUERIES, "key_labels": KEYS} | change
    with pytest.raises(ValueError, match=message):
        viz.describe_map(**arguments)


def test_a_mask_of_numbers_is_refused():
    with pytest.raises(TypeError, match=r"must be boolean .* float64"):
        viz.describe_map(WEIGHTS, QUERIES, KEYS, mask=np.zeros((2, 3)))
