"""Sentences of a toy language, drawn at random, with the right answer to "who chases whom?".

The language has eight nouns, A to H. An ending says what a noun does: ``A→`` chases, ``→A`` is
chased, and a bare ``A`` is only there. So do the endings of the ordinals ① to ④, which stand for
the first to the fourth noun of their sentence. There is one verb, 追 (to chase), and one filler.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from attnbook.typing import Array, Integer

__all__ = ["N_NOUNS", "VOCABULARY", "Sentences", "case_sentences", "ordinal_sentences", "words"]

_Ints: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]

_NOUNS = tuple("ABCDEFGH")
_ORDINALS = tuple("①②③④")


def _with_endings(stems: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{stem}→" for stem in stems) + tuple(f"→{stem}" for stem in stems)


VOCABULARY = (*_NOUNS, *_with_endings(_NOUNS), "追", "·", *_with_endings(_ORDINALS))
"""Every word of the language; a token is an index into it."""

N_NOUNS = len(_NOUNS)
_HALF = N_NOUNS // 2
_N_ORDINALS = len(_ORDINALS)
_CHASER, _CHASED = VOCABULARY.index("A→"), VOCABULARY.index("→A")
_VERB, _FILLER = VOCABULARY.index("追"), VOCABULARY.index("·")
_ORDINAL_CHASER, _ORDINAL_CHASED = VOCABULARY.index("①→"), VOCABULARY.index("→①")

_N_BYSTANDERS, _N_FILLERS = 3, 2


class Sentences(NamedTuple):
    """Sentences as arrays, one row for each, with where the answers stand in them.

    Of each pair along the last axis, the first belongs to the one who chases and the second to the
    one who is chased.

    See Also
    --------
    attnbook.data.sentences.case_sentences : Makes sentences whose nouns carry the endings.
    attnbook.data.sentences.ordinal_sentences : Makes sentences whose ordinals carry them.
    """

    tokens: Integer[Array, "N L"]
    """The words, as indices into `VOCABULARY`."""
    verb: Integer[Array, "N"]
    """The position of the verb."""
    roles: Integer[Array, "N 2"]
    """The positions of its subject and its object: the two words with an ending."""
    antecedents: Integer[Array, "N 2"]
    """The positions of the nouns that these stand for; a noun stands for itself."""
    answers: Integer[Array, "N 2"]
    """Which nouns they are, from 0 to `N_NOUNS` - 1."""


def case_sentences(
    rng: np.random.Generator, n_sentences: int, *, opposites: bool = False
) -> Sentences:
    """Draw sentences of eight words in any order, in which endings say who chases whom.

    A sentence holds the verb, a noun that chases, one that is chased, three more nouns and two
    fillers, all eight shuffled: no position says anything, only the ending does.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where the random numbers come from.
    n_sentences : int
        How many sentences to draw, N.
    opposites : bool, default False
        Whether the two nouns are opposites, four letters apart (A and E, B and F, …), or never.
        Trained on one kind, a model can be asked about pairs that it has never met.

    Returns
    -------
    Sentences
        Eight tokens each.

    See Also
    --------
    attnbook.data.sentences.ordinal_sentences : The answer takes one more look-up.
    attnbook.data.sentences.words : Writes the tokens out.

    Examples
    --------
    >>> import numpy as np
    >>> from attnbook.data.sentences import case_sentences, words
    >>> drawn = case_sentences(np.random.default_rng(0), 1)
    >>> " ".join(words(drawn.tokens[0]))
    '· E →D 追 F C · G→'
    >>> drawn.verb[0], drawn.roles[0], drawn.answers[0]
    (np.int64(3), array([7, 2]), array([6, 3]))
    """
    nouns = _nouns(rng, n_sentences, 2 + _N_BYSTANDERS, opposites)
    verb = np.full((n_sentences, 1), _VERB)
    fillers = np.full((n_sentences, _N_FILLERS), _FILLER)
    pair = nouns[:, :2] + np.array([_CHASER, _CHASED])
    tokens = np.concatenate([pair, verb, nouns[:, 2:], fillers], axis=1)
    places = _shuffled(rng, n_sentences, tokens.shape[1])
    return Sentences(
        tokens=_put(tokens, places),
        verb=places[:, 2],
        roles=places[:, :2],
        antecedents=places[:, :2],
        answers=nouns[:, :2],
    )


def ordinal_sentences(
    rng: np.random.Generator, n_sentences: int, *, opposites: bool = False
) -> Sentences:
    """Draw sentences that name four nouns and then say that the third chases the first, or so.

    The four bare nouns come first. The verb and two different ordinals follow in any order, one
    ordinal with the ending of who chases, the other with that of who is chased. Who chases is
    found in two look-ups: which ordinal has the ending, and which noun stands at its place.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where the random numbers come from.
    n_sentences : int
        How many sentences to draw, N.
    opposites : bool, default False
        Whether chaser and chased are opposites, four letters apart, or never.

    Returns
    -------
    Sentences
        Seven tokens each.

    See Also
    --------
    attnbook.data.sentences.case_sentences : The answer takes one look-up.
    attnbook.data.sentences.words : Writes the tokens out.

    Examples
    --------
    >>> import numpy as np
    >>> from attnbook.data.sentences import ordinal_sentences, words
    >>> drawn = ordinal_sentences(np.random.default_rng(0), 1)
    >>> " ".join(words(drawn.tokens[0]))
    'C D F G ④→ 追 →②'
    >>> drawn.roles[0], drawn.antecedents[0], drawn.answers[0]
    (array([4, 6]), array([3, 1]), array([6, 3]))
    """
    nouns = _nouns(rng, n_sentences, _N_ORDINALS, opposites)
    antecedents = _shuffled(rng, n_sentences, _N_ORDINALS)
    ordinals = antecedents[:, :2] + np.array([_ORDINAL_CHASER, _ORDINAL_CHASED])
    verb = np.full((n_sentences, 1), _VERB)
    places = _shuffled(rng, n_sentences, 3)
    clause = _put(np.concatenate([ordinals, verb], axis=1), places)
    return Sentences(
        tokens=np.concatenate([_put(nouns, antecedents), clause], axis=1),
        verb=_N_ORDINALS + places[:, 2],
        roles=_N_ORDINALS + places[:, :2],
        antecedents=antecedents[:, :2],
        answers=nouns[:, :2],
    )


def words(tokens: Integer[Array, "L"]) -> list[str]:
    """Write one sentence out, a word for each token.

    Parameters
    ----------
    tokens : array (L)
        Indices into `VOCABULARY`.

    Returns
    -------
    list of str
        The words.

    See Also
    --------
    attnbook.data.sentences.case_sentences : Draws such sentences.

    Examples
    --------
    >>> from attnbook.data.sentences import words
    >>> words([8, 24, 17])
    ['A→', '追', '→B']
    """
    return [VOCABULARY[int(token)] for token in tokens]


def _nouns(rng: np.random.Generator, n_sentences: int, n_nouns: int, opposites: bool) -> _Ints:
    """Draw nouns that differ: who chases, who is chased, and bystanders."""
    steps = [_HALF] if opposites else [step for step in range(1, N_NOUNS) if step != _HALF]
    chaser = rng.integers(N_NOUNS, size=(n_sentences, 1))
    chased = (chaser + rng.choice(steps, size=(n_sentences, 1))) % N_NOUNS
    order = _shuffled(rng, n_sentences, N_NOUNS)
    others = order[(order != chaser) & (order != chased)].reshape(n_sentences, N_NOUNS - 2)
    return np.concatenate([chaser, chased, others], axis=1)[:, :n_nouns]


def _shuffled(rng: np.random.Generator, n_rows: int, n: int) -> _Ints:
    """Return rows that hold 0 … n - 1, each in an order of its own."""
    return rng.permuted(np.tile(np.arange(n), (n_rows, 1)), axis=1)


def _put(tokens: _Ints, places: _Ints) -> _Ints:
    """Move each token of a row to its place."""
    moved = np.empty_like(tokens)
    np.put_along_axis(moved, places, tokens, axis=1)
    return moved
