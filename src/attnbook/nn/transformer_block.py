"""A layer of a Transformer: attention, then a feed-forward network, each beside a residual."""

from collections.abc import Callable

import torch
from torch import nn

from attnbook.functional import layer_norm
from attnbook.nn.multi_head import MultiHeadAttention
from attnbook.typing import Bool, Float

__all__ = ["TransformerBlock"]


class TransformerBlock(nn.Module):
    r"""Self-attention and a feed-forward network, each added to what came in.

    Parameters
    ----------
    d_model : int
        Width of the vectors that pass from block to block.
    n_heads : int
        Number of heads, H. It divides `d_model`.
    d_feedforward : int, optional
        Width between the two linear maps of the feed-forward network, by default 4 * `d_model`, as
        in the paper [1]_.
    activation : callable, default torch.relu
        What stands between the two maps, such as `attnbook.gelu`.
    norm_first : bool, default True
        Whether each part reads normalized vectors (pre-norm) or its sum with what came in is
        normalized (post-norm, as in the paper).
    device : torch.device, optional
        Where the parameters live.
    dtype : torch.dtype, optional
        Their dtype.

    Attributes
    ----------
    self_attn : MultiHeadAttention
        The attention.
    linear1, linear2 : torch.nn.Linear
        The feed-forward network.
    norm1, norm2 : torch.nn.LayerNorm
        Gain and bias of the two normalizations.

    Raises
    ------
    TypeError
        If `n_heads` is not an integer.
    ValueError
        If `d_model` does not divide into `n_heads` equal parts.

    See Also
    --------
    attnbook.nn.AttentionStack : Attention and residuals alone.
    attnbook.layer_norm : What normalizes.

    Notes
    -----
    Post-norm is the block of the paper [1]_:

    .. math::

        y = \operatorname{LN}(x + \operatorname{Attention}(x)), \qquad
        z = \operatorname{LN}(y + \operatorname{FFN}(y)).

    Pre-norm normalizes what a part reads and leaves alone what it is added to [2]_:

    .. math::

        y = x + \operatorname{Attention}(\operatorname{LN}(x)), \qquad
        z = y + \operatorname{FFN}(\operatorname{LN}(y)).

    The sum must start from :math:`x` itself. With :math:`\operatorname{LN}(x)` in its place all
    shapes still fit, but nothing passes through the block unchanged.

    Parameters have the names and shapes of ``torch.nn.TransformerEncoderLayer``, so that a state
    dict of either loads into the other. There is no dropout.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, arXiv:1706.03762, sections 3.1 and
       3.3.
    .. [2] Xiong et al., "On Layer Normalization in the Transformer Architecture", 2020,
       arXiv:2002.04745, section 3.

    Examples
    --------
    >>> import torch
    >>> from attnbook.nn import TransformerBlock
    >>> block = TransformerBlock(8, n_heads=2)
    >>> theirs = torch.nn.TransformerEncoderLayer(
    ...     8, nhead=2, dim_feedforward=32, dropout=0, batch_first=True, norm_first=True
    ... )
    >>> block.load_state_dict(theirs.state_dict())
    <All keys matched successfully>
    >>> x = torch.randn(3, 5, 8)
    >>> torch.allclose(block(x), theirs(x), atol=1e-6)
    True
    """

    def __init__(  # noqa: D107  (the class says it)
        self,
        d_model: int,
        n_heads: int,
        d_feedforward: int | None = None,
        *,
        activation: Callable[[torch.Tensor], torch.Tensor] = torch.relu,
        norm_first: bool = True,
        device: torch.device | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        where = {"device": device, "dtype": dtype}
        d_feedforward = 4 * d_model if d_feedforward is None else d_feedforward
        self.activation, self.norm_first = activation, norm_first
        self.self_attn = MultiHeadAttention(d_model, n_heads, **where)
        self.linear1 = nn.Linear(d_model, d_feedforward, **where)
        self.linear2 = nn.Linear(d_feedforward, d_model, **where)
        self.norm1 = nn.LayerNorm(d_model, **where)
        self.norm2 = nn.LayerNorm(d_model, **where)

    def forward(
        self,
        x: Float[torch.Tensor, "... L d_model"],
        *,
        mask: Bool[torch.Tensor, "..."] | None = None,
    ) -> Float[torch.Tensor, "... L d_model"]:
        """Let every position look at the others, then change each by itself.

        Parameters
        ----------
        x : tensor (..., L, d_model)
            One vector for each position.
        mask : tensor (...), optional
            Bools that broadcast to (..., H, L, L): True = this query may look at this key.

        Returns
        -------
        tensor (..., L, d_model)
            One vector for each position.
        """
        if self.norm_first:
            x = x + self.self_attn(_normalize(x, self.norm1), mask=mask)
            return x + self._feed_forward(_normalize(x, self.norm2))
        x = _normalize(x + self.self_attn(x, mask=mask), self.norm1)
        return _normalize(x + self._feed_forward(x), self.norm2)

    def _feed_forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear2(self.activation(self.linear1(x)))

    def extra_repr(self) -> str:
        """Say how it differs from the others where the module is printed.

        Returns
        -------
        str
            What stands between the brackets.
        """
        return f"norm_first={self.norm_first}"


def _normalize(x: torch.Tensor, norm: nn.LayerNorm) -> torch.Tensor:
    return layer_norm(x, norm.weight, norm.bias, eps=norm.eps)
