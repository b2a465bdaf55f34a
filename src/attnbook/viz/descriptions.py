"""Attention maps in words: alternative texts made from the weights, in the book's languages."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from attnbook.viz._inputs import check_map, to_numpy
from attnbook.viz._languages import Chinese, English, Share, is_readable
from attnbook.viz.maps import MOST_WITH_NUMBERS

_SIGNS = {"Vert": "‖", "cdot": "·", "top": "ᵀ", "infty": "∞"}


def describe_map(
    weights: Any,
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    *,
    mask: Any = None,
    language: str = "en",
) -> str:
    """Say what a map of attention weights shows, with its numbers, as an alternative text.

    Each row begins with the key that has most of it. Where `attention_map` writes numbers into its
    cells, all weights follow, from the largest down; of larger maps the largest alone is named.
    Weights that are written alike are named together, and so are rows.

    Parameters
    ----------
    weights : array (L, S)
        Weights between 0 and 1, from any array library.
    query_labels : sequence of str
        One word for each of the L rows. Formulas are read as they look: ``$x_1$`` is x1.
    key_labels : sequence of str
        One word for each of the S columns.
    mask : bool array (L, S), optional
        True where the query may look at the key, or any shape that broadcasts to (L, S). The other
        cells are named as hidden.
    language : {"en", "zh_CN"}, default "en"
        The edition of the book that the text is for.

    Returns
    -------
    str
        Whole sentences.

    Raises
    ------
    TypeError
        If ``mask`` is not boolean.
    ValueError
        If the language is not one of the book's, the shapes or the numbers of labels do not fit,
        or a weight is outside 0 to 1.

    See Also
    --------
    attention_map : Draws what is said here.

    Examples
    --------
    >>> from attnbook import viz
    >>> weights = [[1.0, 0.0], [0.3, 0.7]]
    >>> causal = [[True, False], [True, True]]
    >>> viz.describe_map(weights, ["a", "b"], ["a", "b"], mask=causal)
    'Attention map, 2 queries by 2 keys. Row a: only a (1.00); b hidden. Row b: most on b (0.70), then a 0.30.'
    >>> viz.describe_map([[0.3, 0.7]], ["追"], ["猫", "$k_2$"], language="zh_CN")
    '「追」一行，2 个键：最大的是 k2（0.70），其次「猫」0.30。'
    """  # noqa: E501  (a doctest's result is one line)
    if language not in _LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(_LANGUAGES)}, got {language!r}")
    weights = to_numpy(weights)
    visible = check_map(weights, query_labels, key_labels, mask)
    words = _LANGUAGES[language]
    queries = [words.quote(_read(label)) for label in query_labels]
    keys = _tell_apart([words.quote(_read(label)) for label in key_labels], words)

    # padding: the same keys in every row, named once
    padded = len(queries) > 1 and visible.any() and (visible == visible[0]).all()
    rows = []
    for row, may_look in zip(weights, visible, strict=True):
        shares = _shares(row, may_look, whole=max(weights.shape) <= MOST_WITH_NUMBERS)
        hidden = [] if padded else np.flatnonzero(~may_look)
        rows.append(words.row(shares, hidden, keys))
    if len(rows) == 1:
        return words.single(queries[0], len(keys), rows[0])
    common = np.flatnonzero(~visible[0]) if padded else []
    return words.several(queries, keys, rows, common)


def _shares(row: np.ndarray, may_look: np.ndarray, *, whole: bool) -> list[Share]:
    def written(key: int) -> str:
        return f"{float(row[key]):z.2f}"

    visible = np.flatnonzero(may_look).tolist()
    ranked = sorted(visible, key=lambda key: float(written(key)), reverse=True)
    groups = [(weight, list(keys)) for weight, keys in groupby(ranked, key=written)]
    shares = [Share(*group, rest=group is groups[-1]) for group in groups]
    return shares if whole else shares[:1]


def _read(label: str) -> str:
    """Return a label as it looks, without the marks of a formula."""
    return re.sub(r"\$([^$]*)\$", lambda formula: _read_formula(formula[1]), label).strip()


def _read_formula(formula: str) -> str:
    formula = re.sub(r"\\([A-Za-z]+)", lambda command: _sign(command[1]), formula)
    return re.sub(r"\\.|[_^{}\s]", "", formula)


def _sign(command: str) -> str:
    size = "CAPITAL" if command[0].isupper() else "SMALL"
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {command.upper()}")
    except KeyError:
        return _SIGNS.get(command, command)


def _tell_apart(names: list[str], words: English | Chinese) -> list[str]:
    count = Counter(names)
    return [
        name if count[name] == 1 and is_readable(name) else words.numbered(name, i)
        for i, name in enumerate(names, 1)
    ]


_LANGUAGES = {"en": English(), "zh_CN": Chinese()}
