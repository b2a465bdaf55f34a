"""Train small models side by side, so that a result can be told with its spread over seeds."""

from collections.abc import Sequence

import torch
from torch.func import functional_call, stack_module_state, vmap
from torch.nn.functional import cross_entropy

from attnbook.nn.attention_stack import AttentionStack
from attnbook.typing import Float, Integer

__all__ = ["accuracy", "train"]

_BATCH = 64
_LEARNING_RATE = 0.01


def train(
    models: Sequence[AttentionStack],
    tokens: Integer[torch.Tensor, "N L"],
    positions: Integer[torch.Tensor, "N"],
    answers: Integer[torch.Tensor, "N questions"],
    *,
    n_steps: int = 400,
    seed: int = 0,
) -> Float[torch.Tensor, "n_steps models"]:
    """Train models of one shape side by side, each on batches of its own.

    Each step draws 64 sentences for each model and takes one step of Adam [1]_, at the learning
    rate 0.01, on the cross-entropy of the answers. The models share nothing: the gradient of the
    summed loss is each model's own.

    Parameters
    ----------
    models : sequence of AttentionStack
        What to train, in place. They have the same sizes and differ in the numbers they start with.
    tokens : tensor (N, L)
        Sentences.
    positions : tensor (N)
        Where in each sentence the answers are read out.
    answers : tensor (N, questions)
        The right answers there.
    n_steps : int, default 400
        Number of steps.
    seed : int, default 0
        Fixes which sentences are drawn.

    Returns
    -------
    tensor (n_steps, models)
        The loss of every model at every step.

    See Also
    --------
    attnbook.nn.AttentionStack : The model.
    attnbook.nn.accuracy : Tells how many answers are right.

    References
    ----------
    .. [1] Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015,
       arXiv:1412.6980, algorithm 1 in section 2.

    Examples
    --------
    Which of two words is a sentence made of?

    >>> import torch
    >>> from attnbook.nn import AttentionStack, accuracy, train
    >>> _ = torch.manual_seed(0)
    >>> models = [AttentionStack(2, 3, answers=(1, 2)) for _ in range(2)]
    >>> tokens = torch.tensor([[0, 0, 0], [1, 1, 1]])
    >>> examples = tokens, torch.tensor([1, 1]), torch.tensor([[0], [1]])
    >>> losses = train(models, *examples, n_steps=30)
    >>> accuracy(models, *examples)
    tensor([1., 1.])
    """
    parameters, _ = stack_module_state(list(models))
    optimizer = torch.optim.Adam(parameters.values(), lr=_LEARNING_RATE)
    generator = torch.Generator().manual_seed(seed)
    losses = []

    def call(own: dict[str, torch.Tensor], batch: torch.Tensor) -> torch.Tensor:
        return functional_call(models[0], own, (batch,))

    for _ in range(n_steps):
        drawn = torch.randint(len(tokens), (len(models), _BATCH), generator=generator)
        read = _at(positions[drawn], vmap(call)(parameters, tokens[drawn]))
        loss = cross_entropy(read.flatten(0, 2), answers[drawn].flatten(), reduction="none")
        loss = loss.view(len(models), -1).mean(dim=-1)
        optimizer.zero_grad()
        loss.sum().backward()
        optimizer.step()
        losses.append(loss.detach())
    for i, model in enumerate(models):
        model.load_state_dict({name: stacked[i].detach() for name, stacked in parameters.items()})
    return torch.stack(losses)


def accuracy(
    models: Sequence[AttentionStack],
    tokens: Integer[torch.Tensor, "N L"],
    positions: Integer[torch.Tensor, "N"],
    answers: Integer[torch.Tensor, "N questions"],
) -> Float[torch.Tensor, "models"]:
    """Return the share of sentences in which a model answers every question right.

    Parameters
    ----------
    models : sequence of AttentionStack
        What to ask.
    tokens : tensor (N, L)
        Sentences.
    positions : tensor (N)
        Where in each sentence the answers are read out.
    answers : tensor (N, questions)
        The right answers there.

    Returns
    -------
    tensor (models)
        From 0 to 1, one number for each model.

    See Also
    --------
    attnbook.nn.train : Teaches the answers.
    """
    with torch.no_grad():
        guesses = [_at(positions, model(tokens)).argmax(dim=-1) for model in models]
    return (torch.stack(guesses) == answers).all(dim=-1).float().mean(dim=-1)


def _at(
    positions: Integer[torch.Tensor, "... N"],
    read: Float[torch.Tensor, "... N L questions answers"],
) -> Float[torch.Tensor, "... N questions answers"]:
    """Take from every sentence what is read out at one position."""
    return torch.take_along_dim(read, positions[..., None, None, None], dim=-3).squeeze(-3)
