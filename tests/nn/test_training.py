"""Training side by side is training alone, several times."""

import pytest

torch = pytest.importorskip("torch")

from torch.nn.functional import cross_entropy  # noqa: E402

from attnbook.nn import AttentionStack, accuracy, train  # noqa: E402

N, L, N_TOKENS, ANSWERS = 13, 5, 7, (2, 3)


@pytest.fixture
def examples():
    generator = torch.Generator().manual_seed(0)
    tokens = torch.randint(N_TOKENS, (N, L), generator=generator)
    positions = torch.randint(L, (N,), generator=generator)
    answers = torch.randint(ANSWERS[1], (N, ANSWERS[0]), generator=generator)
    return tokens, positions, answers


def stacks(n):
    torch.manual_seed(3)
    return [AttentionStack(N_TOKENS, L, ANSWERS, n_layers=2, n_heads=2) for _ in range(n)]


def by_hand(model, examples, batches):
    """Train one model in the plainest way."""
    tokens, positions, answers = examples
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    losses = []
    for batch in batches:
        read = model(tokens[batch])[torch.arange(len(batch)), positions[batch]]
        loss = cross_entropy(read.flatten(0, 1), answers[batch].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


def test_side_by_side_equals_one_by_one(examples):
    together, alone = stacks(3), stacks(3)
    losses = train(together, *examples, n_steps=5, seed=4)
    generator = torch.Generator().manual_seed(4)
    drawn = torch.stack([torch.randint(N, (3, 64), generator=generator) for _ in range(5)])
    for i, model in enumerate(alone):
        torch.testing.assert_close(losses[:, i], by_hand(model, examples, drawn[:, i]))
        for ours, theirs in zip(together[i].parameters(), model.parameters(), strict=True):
            torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_what_comes_back_is_the_loss_of_every_model_at_every_step(examples):
    losses = train(stacks(2), *examples, n_steps=3)
    assert losses.shape == (3, 2)
    assert not losses.requires_grad
    # at the first step no answer is preferred
    torch.testing.assert_close(losses[0], torch.full((2,), 3.0).log())


def test_a_seed_fixes_the_training(examples):
    one, other, another = (train(stacks(2), *examples, n_steps=3, seed=s) for s in (0, 0, 1))
    assert torch.equal(one, other)
    assert not torch.equal(one, another)


def test_learns_by_heart(examples):
    models = stacks(2)
    train(models, *examples, n_steps=300)
    assert accuracy(models, *examples).tolist() == [1, 1]


def test_accuracy_counts_sentences_whose_answers_are_all_right(examples):
    tokens, positions, _ = examples
    (model,) = stacks(1)
    torch.nn.init.normal_(model.read_out.weight)
    guesses = torch.stack([model(tokens[n])[positions[n]].argmax(dim=-1) for n in range(N)])
    assert accuracy([model], tokens, positions, guesses) == 1
    one_wrong = guesses.clone()
    one_wrong[:4, 1] = (one_wrong[:4, 1] + 1) % ANSWERS[1]
    expected = torch.tensor([(N - 4) / N])
    torch.testing.assert_close(accuracy([model], tokens, positions, one_wrong), expected)
