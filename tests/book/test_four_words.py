"""What the page on four words says: its exact weights, its diagrams, and its trained results."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnbook import attention_weights, scaled_dot_product_attention
from attnbook.data.sentences import N_NOUNS, VOCABULARY, case_sentences, ordinal_sentences
from tests.book.test_pages import DOCS

SHARES = {"猫": 0.45, "追": 0.10, "老鼠": 0.40, "的": 0.05}
PAGE = (DOCS / "foundations" / "four-words.md").read_text("utf-8")

# -- the exact weights ----------------------------------------------------------------------------


def test_vectors_of_the_page_give_the_weights():
    parts = [float(n) for n in re.search(r"np\.log\(\[\[(.+?)\]\]\)", PAGE)[1].split(",")]
    query, key = 2 * np.log([parts]), np.eye(4)
    assert re.search(r'^sentence = \["(.+)"\]$', PAGE, re.M)[1].split('", "') == list(SHARES)
    assert_allclose(attention_weights(query, key)[0], list(SHARES.values()), rtol=0, atol=1e-12)
    output = scaled_dot_product_attention(query, key, np.eye(4))[0]
    assert_allclose(output, list(SHARES.values()), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["four-words.mmd", "four-words.zh_CN.mmd"])
def test_diagram_says_the_weights_of_the_page(name):
    text = (DOCS / "diagrams" / name).read_text("utf-8")
    message = re.search(r"^ *K-->>V: .*$", text, re.M)[0]
    weights = {word: float(share) for word, share in re.findall(r"(\w+) (0\.\d\d)", message)}
    assert weights == SHARES
    message = re.search(r"^ *V-->>Q: .*$", text, re.M)[0]
    recipe = {word: float(share) for share, word in re.findall(r"(0\.\d\d)·(\w+)", message)}
    assert recipe == SHARES


# -- the trained results, for seeds that the page does not use ------------------------------------

SEEDS = range(5, 11)


def make(torch, n_questions, **sizes):
    from attnbook.nn import AttentionStack

    models = []
    for seed in SEEDS:
        torch.manual_seed(seed)
        models.append(AttentionStack(len(VOCABULARY), 8, (n_questions, N_NOUNS), **sizes))
    return models


def examples(torch, drawn, n_questions):
    arrays = drawn.tokens, drawn.verb, drawn.answers[:, :n_questions]
    return [torch.from_numpy(array) for array in arrays]


def trained(torch, draw, n_questions, n_steps=200, **sizes):
    from attnbook.nn import train

    models = make(torch, n_questions, **sizes)
    sentences = draw(np.random.default_rng(1000), 4000)
    train(models, *examples(torch, sentences, n_questions), n_steps=n_steps, seed=1)
    return models


def right(torch, models, draw, n_questions, **options):
    from attnbook.nn import accuracy

    drawn = draw(np.random.default_rng(1001), 1000, **options)
    return accuracy(models, *examples(torch, drawn, n_questions)).numpy()


def verb_rows(torch, models, drawn, layer):
    tokens, verb = torch.from_numpy(drawn.tokens), torch.from_numpy(drawn.verb)
    with torch.no_grad():
        maps = torch.stack([model.weights(tokens)[layer] for model in models])
    return maps[:, torch.arange(len(verb)), 0, verb].numpy()


@pytest.mark.slow
def test_the_verb_finds_subject_and_object(torch):
    models = trained(torch, case_sentences, 2)
    assert right(torch, models, case_sentences, 2).min() > 0.99
    for opposites in (False, True):
        drawn = case_sentences(np.random.default_rng(1002), 1000, opposites=opposites)
        rows = verb_rows(torch, models, drawn, 0)
        on_both = np.take_along_axis(rows, drawn.roles[None], axis=-1).sum(axis=-1).mean(axis=-1)
        largest = np.sort(np.argsort(rows, axis=-1)[..., -2:], axis=-1)
        are_largest = (largest == np.sort(drawn.roles)).all(axis=-1).mean(axis=-1)
        assert on_both.min() > 0.85
        assert np.median(on_both) > 0.9
        assert are_largest.min() > 0.95
    # the map stays right where the answers do not
    assert np.median(right(torch, models, case_sentences, 2, opposites=True)) < 0.5


@pytest.mark.slow
def test_two_layers_answer(torch):
    models = trained(torch, ordinal_sentences, 1, n_layers=2)
    for opposites in (False, True):
        assert right(torch, models, ordinal_sentences, 1, opposites=opposites).min() > 0.98
        drawn = ordinal_sentences(np.random.default_rng(1003), 1000, opposites=opposites)
        seen = verb_rows(torch, models, drawn, 1).argmax(axis=-1)
        on_ordinal = (seen == drawn.roles[:, 0]).mean(axis=-1)
        on_noun = (seen == drawn.antecedents[:, 0]).mean(axis=-1)
        assert np.median(on_ordinal + on_noun) > 0.95
        assert np.median(on_ordinal) > 0.7


@pytest.mark.slow
@pytest.mark.parametrize("d_model", [16, 32])
def test_one_layer_with_one_head_guesses_however_long_it_is_trained(torch, d_model):
    models = trained(torch, ordinal_sentences, 1, n_steps=2000, d_model=d_model)
    assert right(torch, models, ordinal_sentences, 1).max() < 0.35


@pytest.mark.slow
def test_one_layer_with_four_heads_is_learned_in_some_long_runs(torch):
    models = trained(torch, ordinal_sentences, 1, n_steps=2000, d_model=32, n_heads=4)
    reached = right(torch, models, ordinal_sentences, 1)
    assert reached.max() > 0.9
    assert reached.min() < 0.8
