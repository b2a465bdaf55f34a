"""Multi-head attention as a torch module: parameters, then a call into the functional core."""

import torch
from torch import nn

from attnbook.functional import Projections, attention_weights, multi_head_attention, split_heads
from attnbook.functional._projections import check_heads
from attnbook.typing import Bool, Float

__all__ = ["MultiHeadAttention"]


class MultiHeadAttention(nn.Module):
    r"""Multi-head attention whose parameters are those of ``torch.nn.MultiheadAttention``.

    Parameters
    ----------
    d_model : int
        Width of the vectors that come in and go out.
    n_heads : int
        Number of heads, H. It divides `d_model`; each head has the width d_model / H.
    bias : bool, default True
        Whether the four projections add a learned vector. In the paper they do not.
    device : torch.device, optional
        Where the parameters live.
    dtype : torch.dtype, optional
        Their dtype.

    Attributes
    ----------
    in_proj_weight : torch.nn.Parameter (3*d_model, d_model)
        The matrices of query, key and value, each transposed, one below the other.
    in_proj_bias : torch.nn.Parameter (3*d_model)
        Their biases, or None.
    out_proj : torch.nn.Linear
        The projection that mixes the heads.

    Raises
    ------
    TypeError
        If `n_heads` is not an integer.
    ValueError
        If `d_model` does not divide into `n_heads` equal parts.

    See Also
    --------
    attnbook.multi_head_attention : What is computed, on arrays of any library.

    Notes
    -----
    The parameters have torch's names and shapes, so that a state dict of either module loads into
    the other, and torch's initialization: after one and the same ``torch.manual_seed`` both modules
    start with the same numbers. Left out are what torch's module can do beside: dropout on the
    weights, keys and values of another width, learned extra keys.

    Three habits differ. The batch comes first: inputs are (B, L, d_model) or (L, d_model). A mask
    says True where a query may look. A query that may look at no key gets the bias of the last
    projection, never NaN.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, arXiv:1706.03762, section 3.2.2.

    Examples
    --------
    >>> import torch
    >>> from attnbook.nn import MultiHeadAttention
    >>> attention = MultiHeadAttention(8, n_heads=2)
    >>> theirs = torch.nn.MultiheadAttention(8, num_heads=2, batch_first=True)
    >>> attention.load_state_dict(theirs.state_dict())
    <All keys matched successfully>
    >>> x = torch.randn(3, 5, 8)
    >>> torch.allclose(attention(x), theirs(x, x, x)[0], atol=1e-6)
    True
    """

    def __init__(  # noqa: D107  (the class says it)
        self,
        d_model: int,
        n_heads: int,
        *,
        bias: bool = True,
        device: torch.device | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        check_heads("d_model", d_model, n_heads)
        self.d_model, self.n_heads = d_model, n_heads
        where = {"device": device, "dtype": dtype}
        self.in_proj_weight = nn.Parameter(torch.empty(3 * d_model, d_model, **where))
        self.in_proj_bias = nn.Parameter(torch.empty(3 * d_model, **where)) if bias else None
        self.out_proj = nn.Linear(d_model, d_model, bias=bias, **where)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new numbers, as ``torch.nn.MultiheadAttention`` does when it is made."""
        # out_proj keeps what it drew when it was made, before in_proj: the order fixes the numbers
        nn.init.xavier_uniform_(self.in_proj_weight)
        if self.in_proj_bias is not None:
            nn.init.zeros_(self.in_proj_bias)
            nn.init.zeros_(self.out_proj.bias)

    @property
    def projections(self) -> Projections:
        """The parameters as the paper multiplies them.

        Returns
        -------
        Projections
            Views of the parameters, transposed: gradients flow back through them.
        """
        matrices = self.in_proj_weight.mT.chunk(3, dim=-1)
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        return Projections(*matrices, self.out_proj.weight.mT, *biases, self.out_proj.bias)

    def forward(
        self,
        query: Float[torch.Tensor, "... L d_model"],
        key: Float[torch.Tensor, "... S d_model"] | None = None,
        value: Float[torch.Tensor, "... S d_model"] | None = None,
        *,
        mask: Bool[torch.Tensor, "..."] | None = None,
    ) -> Float[torch.Tensor, "... L d_model"]:
        """Attend from query to key and collect value.

        Parameters
        ----------
        query : tensor (..., L, d_model)
            The positions that look.
        key : tensor (..., S, d_model), optional
            The positions that are looked at, by default those of `query`: self-attention.
        value : tensor (..., S, d_model), optional
            What is collected, by default `key`.
        mask : tensor (...), optional
            Bools that broadcast to (..., H, L, S): True = this query may look at this key.

        Returns
        -------
        tensor (..., L, d_model)
            One vector for each query.
        """
        key = query if key is None else key
        value = key if value is None else value
        return multi_head_attention(query, key, value, self.projections, self.n_heads, mask=mask)

    def weights(
        self,
        query: Float[torch.Tensor, "... L d_model"],
        key: Float[torch.Tensor, "... S d_model"] | None = None,
        *,
        mask: Bool[torch.Tensor, "..."] | None = None,
    ) -> Float[torch.Tensor, "... H L S"]:
        """Return the weights of every head, as `forward` uses them.

        Parameters
        ----------
        query : tensor (..., L, d_model)
            The positions that look.
        key : tensor (..., S, d_model), optional
            The positions that are looked at, by default those of `query`.
        mask : tensor (...), optional
            Bools that broadcast to (..., H, L, S): True = this query may look at this key.

        Returns
        -------
        tensor (..., H, L, S)
            Weights that sum to one over the keys. ``torch.nn.MultiheadAttention`` returns their
            mean over the heads unless it is told not to.
        """
        key = query if key is None else key
        w_query, w_key, _ = self.in_proj_weight.chunk(3)
        b_query, b_key, _ = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        query = split_heads(nn.functional.linear(query, w_query, b_query), self.n_heads)
        key = split_heads(nn.functional.linear(key, w_key, b_key), self.n_heads)
        return attention_weights(query, key, mask=mask)

    def extra_repr(self) -> str:
        """Say the sizes where the module is printed.

        Returns
        -------
        str
            What stands between the brackets.
        """
        return f"d_model={self.d_model}, n_heads={self.n_heads}"
