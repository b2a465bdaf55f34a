"""The toy language: each sentence is well formed, and what is said of it is true of it."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from attnbook.data.sentences import (
    N_NOUNS,
    VOCABULARY,
    case_sentences,
    ordinal_sentences,
    words,
)

N = 997
KINDS = pytest.mark.parametrize("draw", [case_sentences, ordinal_sentences])


def sentences(draw, **options):
    return draw(np.random.default_rng(7), N, **options)


def read(sentence):
    """Answer who chases whom from the words alone, as a reader would."""
    nouns = [word.strip("→") for word in sentence if word.strip("→") in VOCABULARY[:N_NOUNS]]
    chaser, chased = (
        next(word for word in sentence if test(word))
        for test in (lambda word: word.endswith("→"), lambda word: word.startswith("→"))
    )
    stems = [word.strip("→") for word in (chaser, chased)]
    named = [nouns["①②③④".index(stem)] if stem in "①②③④" else stem for stem in stems]
    return [VOCABULARY.index(noun) for noun in named]


def test_vocabulary_has_every_word_once():
    assert len(set(VOCABULARY)) == len(VOCABULARY) == 3 * N_NOUNS + 2 + 2 * 4


@KINDS
def test_answers_are_what_a_reader_finds(draw):
    drawn = sentences(draw)
    for tokens, answers in zip(drawn.tokens, drawn.answers, strict=True):
        assert read(words(tokens)) == answers.tolist()


@KINDS
def test_positions_point_at_what_they_say(draw):
    drawn = sentences(draw)
    for n, tokens in enumerate(drawn.tokens):
        sentence = words(tokens)
        assert sentence[drawn.verb[n]] == "追"
        chaser, chased = drawn.roles[n]
        assert sentence[chaser].endswith("→")
        assert sentence[chased].startswith("→")
        named = [VOCABULARY.index(sentence[k].strip("→")) for k in drawn.antecedents[n]]
        assert named == drawn.answers[n].tolist()


def test_case_sentences_have_their_words():
    drawn = sentences(case_sentences)
    assert drawn.tokens.shape == (N, 8)
    for tokens in drawn.tokens:
        sentence = words(tokens)
        stems = [word.strip("→") for word in sentence]
        nouns = [stem for stem in stems if stem in VOCABULARY[:N_NOUNS]]
        assert len(nouns) == len(set(nouns)) == 5
        assert sorted(sentence).count("·") == 2
        assert sum("→" in word for word in sentence) == 2


def test_ordinal_sentences_name_four_nouns_first():
    drawn = sentences(ordinal_sentences)
    assert drawn.tokens.shape == (N, 7)
    assert (drawn.tokens[:, :4] < N_NOUNS).all()
    assert all(len(set(nouns)) == 4 for nouns in drawn.tokens[:, :4].tolist())
    assert (drawn.roles >= 4).all()
    assert (drawn.antecedents[:, 0] != drawn.antecedents[:, 1]).all()


@KINDS
@pytest.mark.parametrize("opposites", [False, True])
def test_opposites_are_drawn_when_asked_for_and_never_else(draw, opposites):
    chaser, chased = sentences(draw, opposites=opposites).answers.T
    assert ((np.abs(chaser - chased) == N_NOUNS // 2) == opposites).all()


@KINDS
def test_no_place_is_preferred(draw):
    drawn = sentences(draw)
    # the range is that of five standard deviations around equal shares
    for column in (*drawn.roles.T, *drawn.antecedents.T, drawn.verb):
        places, counts = np.unique(column, return_counts=True)
        expected = N / len(places)
        assert len(places) in (3, 4, 8)
        assert (np.abs(counts - expected) < 5 * np.sqrt(expected)).all()


@KINDS
def test_every_noun_takes_every_part(draw):
    drawn = sentences(draw)
    for column in drawn.answers.T:
        assert_array_equal(np.unique(column), np.arange(N_NOUNS))
    bare = drawn.tokens[drawn.tokens < N_NOUNS]
    counts = np.bincount(bare, minlength=N_NOUNS)
    assert (np.abs(counts - bare.size / N_NOUNS) < 5 * np.sqrt(bare.size / N_NOUNS)).all()


@KINDS
def test_a_seed_fixes_the_sentences(draw):
    for one, other in zip(sentences(draw), sentences(draw), strict=True):
        assert_array_equal(one, other)


@KINDS
def test_none_may_be_drawn(draw):
    assert draw(np.random.default_rng(7), 0).tokens.shape[0] == 0


def test_words_take_torch_too(torch):
    assert words(torch.tensor([8, 24, 17])) == ["A→", "追", "→B"]
