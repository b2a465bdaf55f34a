"""Multi-head attention: project, split into heads, attend, merge, project again."""

from typing import NamedTuple

from array_api_compat import array_namespace

from attnbook.functional._projections import check_multi_head
from attnbook.functional.attention import scaled_dot_product_attention
from attnbook.functional.heads import merge_heads, split_heads
from attnbook.typing import Array, Bool, Float

__all__ = ["Projections", "multi_head_attention"]


class Projections(NamedTuple):
    r"""The learned matrices of multi-head attention, as the paper multiplies them: x @ W.

    Attributes
    ----------
    w_query : array (d_model, H*D)
        :math:`W^Q` of all heads side by side: columns h·D to (h + 1)·D belong to head h.
    w_key : array (d_model, H*D)
        :math:`W^K` of all heads, likewise.
    w_value : array (d_model, H*Dv)
        :math:`W^V` of all heads, likewise.
    w_output : array (H*Dv, d_model)
        :math:`W^O`, which mixes the heads.
    b_query : array (H*D), optional
        Numbers added to the projected queries. The paper has none.
    b_key : array (H*D), optional
        Numbers added to the projected keys. They change no weight, because they add the same to
        all scores of a query; PyTorch has them.
    b_value : array (H*Dv), optional
        Numbers added to the projected values.
    b_output : array (d_model), optional
        Numbers added at the end.

    See Also
    --------
    attnbook.multi_head_attention : Takes them.
    attnbook.split_heads : Cuts what they make into heads.

    Notes
    -----
    The paper gives head h matrices of its own, :math:`W^Q_h, W^K_h, W^V_h` [1]_; here they stand
    side by side, and one product computes all heads. PyTorch keeps each of them transposed, as its
    linear layers compute x @ W.T.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, arXiv:1706.03762, section 3.2.2.

    Examples
    --------
    Two heads of width 1, each of which reads one of two components:

    >>> import numpy as np
    >>> from attnbook import Projections
    >>> same = np.eye(2)
    >>> Projections(same, same, same, same).w_query[:, 0]
    array([1., 0.])
    """

    w_query: Float[Array, "d_model H*D"]
    w_key: Float[Array, "d_model H*D"]
    w_value: Float[Array, "d_model H*Dv"]
    w_output: Float[Array, "H*Dv d_model"]
    b_query: Float[Array, "H*D"] | None = None
    b_key: Float[Array, "H*D"] | None = None
    b_value: Float[Array, "H*Dv"] | None = None
    b_output: Float[Array, "d_model"] | None = None


def multi_head_attention(
    query: Float[Array, "... L d_model"],
    key: Float[Array, "... S d_model"],
    value: Float[Array, "... S d_model"],
    projections: Projections,
    n_heads: int,
    *,
    mask: Bool[Array, "..."] | None = None,
) -> Float[Array, "... L d_model"]:
    r"""Attend several times side by side, each head with projections of its own.

    Parameters
    ----------
    query : array (..., L, d_model)
        The L positions that look, not yet projected.
    key : array (..., S, d_model)
        The S positions that are looked at, not yet projected; for self-attention the same array
        as `query`. Its leading axes broadcast with those of `query`.
    value : array (..., S, d_model)
        What the queries collect from, not yet projected; nearly always the same array as `key`.
    projections : Projections
        The learned matrices, for x @ W, and their optional biases.
    n_heads : int
        Number of heads, H. It divides the widths that the projections make.
    mask : array (...), optional
        Bools that broadcast to (..., H, L, S): True = this query may look at this key. One mask
        for each sequence of a batch is (B, 1, L, S); (B, L, S) is refused, because its first axis
        might as well count heads.

    Returns
    -------
    array (..., L, d_model)
        One vector for each query, of the dtype, library and device of `query`. A query that may
        look at no key gets `b_output`, or 0 where there is none.

    Raises
    ------
    TypeError
        If the arrays come from more than one library, or have more than one dtype or one that is
        not real and floating, or `mask` is not bool, or `n_heads` is not an integer.
    ValueError
        If the shapes do not fit, the widths do not divide into heads, or an axis of `mask` could
        mean several things.

    See Also
    --------
    attnbook.Projections : The matrices.
    attnbook.split_heads : One wide vector into heads.
    attnbook.scaled_dot_product_attention : What every head computes.

    Notes
    -----
    With the matrices of head h the columns that belong to it [1]_,

    .. math::

        \operatorname{head}_h &= \operatorname{Attention}(Q W^Q_h, K W^K_h, V W^V_h), \\
        \operatorname{MultiHead}(Q, K, V) &=
            \operatorname{Concat}(\operatorname{head}_1, \dots, \operatorname{head}_H) \, W^O .

    The dot products are divided by the root of the width of one head, not of the model.

    A position that no query may look at does not reach the result, not even NaN or infinity in it.
    For gradients it must be finite all the same: the gradient of a projection is a sum over all
    positions, and 0 times NaN is NaN.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, arXiv:1706.03762, section 3.2.2.

    Examples
    --------
    The first head matches and copies the first component, the second head the second. Each
    component of the result was weighed by its own head:

    >>> import numpy as np
    >>> from attnbook import Projections
    >>> from attnbook import multi_head_attention
    >>> x = np.array([[np.log(3.0), 0.0], [0.0, np.log(3.0)]])
    >>> same = np.eye(2)
    >>> projections = Projections(same / np.log(3.0), same, same / np.log(3.0), same)
    >>> multi_head_attention(x, x, x, projections, n_heads=2)
    array([[0.75, 0.5 ],
           [0.5 , 0.75]])
    """
    inputs = {"query": query, "key": key, "value": value}
    check_multi_head(inputs, projections, n_heads, mask=mask)
    query = split_heads(_project(query, projections.w_query, projections.b_query), n_heads)
    key = split_heads(_project(key, projections.w_key, projections.b_key), n_heads)
    value = split_heads(_project(value, projections.w_value, projections.b_value), n_heads)
    output = scaled_dot_product_attention(query, key, value, mask=mask)
    return _project(merge_heads(output), projections.w_output, projections.b_output)


def _project(
    x: Float[Array, "... L _"], matrix: Float[Array, "_ _"], bias: Float[Array, "_"] | None
) -> Float[Array, "... L _"]:
    projected = array_namespace(x).matmul(x, matrix)
    return projected if bias is None else projected + bias
