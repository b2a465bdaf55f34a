"""The smallest network that attention alone makes: embeddings, layers of look-ups, a read-out."""

import torch
from torch import nn

from attnbook.nn.multi_head import MultiHeadAttention
from attnbook.typing import Bool, Float, Integer

__all__ = ["AttentionStack"]

# embeddings start small and the read-out at zero: no answer is preferred before training
_STANDARD_DEVIATION = 0.3


class AttentionStack(nn.Module):
    r"""Layers of self-attention with residual connections, and nothing between them.

    Parameters
    ----------
    n_tokens : int
        Size of the vocabulary.
    n_positions : int
        Length of the longest sentence.
    answers : tuple of int
        How many questions are read out at every position, and how many answers each may have.
    d_model : int, default 16
        Width of the vectors that pass from layer to layer.
    n_layers : int, default 1
        Number of layers.
    n_heads : int, default 1
        Number of heads in each layer, H. It divides `d_model`.

    Attributes
    ----------
    token : torch.nn.Embedding
        One vector for each word.
    position : torch.nn.Parameter (n_positions, d_model)
        One vector for each position, learned like the words.
    layers : torch.nn.ModuleList
        The attentions.
    read_out : torch.nn.Linear
        From the last vectors to a number for every answer.

    See Also
    --------
    attnbook.nn.train : Trains several of them side by side.
    attnbook.nn.MultiHeadAttention : One layer.

    Notes
    -----
    With :math:`x_i` the embedding of token i plus that of its position, each layer computes

    .. math:: x_i \leftarrow x_i + \operatorname{Attention}(x_i, x, x),

    and a linear map reads the answers. A Transformer has normalization and feed-forward layers as
    well [1]_; they are left out so that only attention carries anything from one position to
    another, and only attention can compute.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, arXiv:1706.03762, section 3.1.

    Examples
    --------
    >>> import torch
    >>> from attnbook.nn import AttentionStack
    >>> model = AttentionStack(n_tokens=10, n_positions=7, answers=(2, 5), n_layers=3)
    >>> tokens = torch.tensor([[1, 4, 9, 0]])
    >>> tuple(model(tokens).shape)
    (1, 4, 2, 5)
    >>> [tuple(weights.shape) for weights in model.weights(tokens)]
    [(1, 1, 4, 4), (1, 1, 4, 4), (1, 1, 4, 4)]
    """

    def __init__(  # noqa: D107  (the class says it)
        self,
        n_tokens: int,
        n_positions: int,
        answers: tuple[int, int],
        d_model: int = 16,
        n_layers: int = 1,
        n_heads: int = 1,
    ) -> None:
        super().__init__()
        n_questions, n_answers = self.answers = answers
        self.token = nn.Embedding(n_tokens, d_model)
        self.position = nn.Parameter(torch.empty(n_positions, d_model))
        self.layers = nn.ModuleList(
            MultiHeadAttention(d_model, n_heads, bias=False) for _ in range(n_layers)
        )
        self.read_out = nn.Linear(d_model, n_questions * n_answers)
        for embedding in (self.token.weight, self.position):
            nn.init.normal_(embedding, std=_STANDARD_DEVIATION)
        nn.init.zeros_(self.read_out.weight)
        nn.init.zeros_(self.read_out.bias)

    def embed(self, tokens: Integer[torch.Tensor, "... L"]) -> Float[torch.Tensor, "... L d_model"]:
        """Return what enters the first layer.

        Parameters
        ----------
        tokens : tensor (..., L)
            Words, as indices into the vocabulary.

        Returns
        -------
        tensor (..., L, d_model)
            Word plus position.

        Raises
        ------
        ValueError
            If a sentence is longer than there are positions.
        """
        length, n_positions = tokens.shape[-1], self.position.shape[0]
        if length > n_positions:
            raise ValueError(
                f"tokens has shape {tuple(tokens.shape)}: {length} positions, but the model "
                f"was made for n_positions={n_positions}."
            )
        return self.token(tokens) + self.position[:length]

    def forward(
        self,
        tokens: Integer[torch.Tensor, "... L"],
        *,
        mask: Bool[torch.Tensor, "..."] | None = None,
    ) -> Float[torch.Tensor, "... L questions answers"]:
        """Read out a number for every answer to every question, at every position.

        Parameters
        ----------
        tokens : tensor (..., L)
            Words, as indices into the vocabulary.
        mask : tensor (...), optional
            Bools that broadcast to (..., H, L, L), for every layer: True = this query may look at
            this key.

        Returns
        -------
        tensor (..., L, questions, answers)
            What a softmax over the answers turns into probabilities.
        """
        x = self.embed(tokens)
        for layer in self.layers:
            x = x + layer(x, mask=mask)
        return self.read_out(x).unflatten(-1, self.answers)

    def weights(
        self,
        tokens: Integer[torch.Tensor, "... L"],
        *,
        mask: Bool[torch.Tensor, "..."] | None = None,
    ) -> list[Float[torch.Tensor, "... H L L"]]:
        """Return the weights of every layer, as `forward` uses them.

        Parameters
        ----------
        tokens : tensor (..., L)
            Words, as indices into the vocabulary.
        mask : tensor (...), optional
            Bools that broadcast to (..., H, L, L), for every layer: True = this query may look at
            this key.

        Returns
        -------
        list of tensor (..., H, L, L)
            Weights that sum to one over the keys, the first layer's first.
        """
        x = self.embed(tokens)
        weights = []
        for layer in self.layers:
            weights.append(layer.weights(x, mask=mask))
            x = x + layer(x, mask=mask)
        return weights
