"""Our masks (True = may look, shape broadcasts to (B, H, L, S)) as torch's functions read them.

Each function is named after the torch function and the argument that it makes.
"""

import torch

from attnbook.functional._shapes import check_fit
from attnbook.typing import Bool

__all__ = ["mha_attn_mask", "mha_key_padding_mask", "sdpa_attn_mask"]


def sdpa_attn_mask(mask: Bool[torch.Tensor, "..."]) -> Bool[torch.Tensor, "... L S"]:
    """Make the `attn_mask` of ``torch.nn.functional.scaled_dot_product_attention``.

    Parameters
    ----------
    mask : tensor (...)
        Bools, True = may look.

    Returns
    -------
    tensor (..., L, S)
        The same mask: True means the same there. Only a mask (S,) gets the axis of the queries
        that torch insists on.

    Raises
    ------
    TypeError
        If `mask` is not a tensor of bools.

    See Also
    --------
    attnbook.scaled_dot_product_attention : Takes the mask as it is.
    mha_attn_mask : The other torch convention.

    Notes
    -----
    A row without any key gives output 0 in torch too, since version 2.5. Torch lines axes up from
    the right without a word: it reads a mask (B, L, S) next to four-axis inputs as one for each
    head. Ours refuse it; write (B, 1, L, S) for both.

    Examples
    --------
    >>> import torch
    >>> from attnbook.nn import sdpa_attn_mask
    >>> sdpa_attn_mask(torch.tensor([True, True, False]))
    tensor([[ True,  True, False]])
    """
    _check_bool(mask)
    return torch.atleast_2d(mask)


def mha_attn_mask(
    mask: Bool[torch.Tensor, "..."], scores_shape: tuple[int, int, int, int]
) -> Bool[torch.Tensor, "... L S"]:
    """Make the `attn_mask` of ``torch.nn.MultiheadAttention``, where True means masked.

    Parameters
    ----------
    mask : tensor (...)
        Bools that broadcast to the scores, True = may look.
    scores_shape : tuple of int
        The shape (B, H, L, S) of the scores that the mask is for.

    Returns
    -------
    tensor (..., L, S)
        True = may *not* look: of shape (L, S) where the mask is the same for the whole batch and
        all heads, else (B*H, L, S), the heads of the first sequence first.

    Raises
    ------
    TypeError
        If `mask` is not a tensor of bools.
    ValueError
        If it does not broadcast to the scores, or one of its axes could mean several things.

    See Also
    --------
    mha_key_padding_mask : For a mask that hides the same keys from every query and head.
    attnbook.multi_head_attention : Takes the mask as it is.

    Notes
    -----
    A row without any key comes out of torch's module as NaN unless it is called with
    ``need_weights=False``; then, as from ours, it is the bias of the last projection.

    Examples
    --------
    >>> import torch
    >>> from attnbook import causal_mask
    >>> from attnbook.nn import mha_attn_mask
    >>> mha_attn_mask(causal_mask(2, like=torch.tensor(0)), (1, 1, 2, 2))
    tensor([[False,  True],
            [False, False]])
    """
    _check_bool(mask)
    check_fit("mask", tuple(mask.shape), tuple(scores_shape))
    *_, n_query, n_key = scores_shape
    if all(n == 1 for n in mask.shape[:-2]):
        rows = mask.reshape(mask.shape[-2:])
        return ~rows.expand(n_query, n_key)
    return ~mask.expand(scores_shape).flatten(0, 1)


def mha_key_padding_mask(mask: Bool[torch.Tensor, "... 1 S"]) -> Bool[torch.Tensor, "B S"]:
    """Make the `key_padding_mask` of ``torch.nn.MultiheadAttention``, where True means padding.

    Parameters
    ----------
    mask : tensor (..., 1, S)
        Bools, True = may look, that are the same for all heads and queries: (B, 1, 1, S) as from
        ``padding_mask(lengths[:, None], n_key)``, or (B, 1, S) as from
        ``padding_mask(lengths, n_key)``.

    Returns
    -------
    tensor (B, S)
        True = padding.

    Raises
    ------
    TypeError
        If `mask` is not a tensor of bools.
    ValueError
        If it has other axes, or differs between heads or queries.

    See Also
    --------
    mha_attn_mask : For a mask that differs between queries or heads.
    attnbook.padding_mask : Makes such masks.

    Notes
    -----
    A sequence that is nothing but padding comes out of torch's module as NaN unless it is called
    with ``need_weights=False``; then, as from ours, it is the bias of the last projection.

    Examples
    --------
    >>> import torch
    >>> from attnbook import padding_mask
    >>> from attnbook.nn import mha_key_padding_mask
    >>> mha_key_padding_mask(padding_mask(torch.tensor([3, 1]), 3))
    tensor([[False, False, False],
            [False,  True,  True]])
    """
    _check_bool(mask)
    if mask.ndim not in (3, 4) or any(n != 1 for n in mask.shape[1:-1]):
        raise ValueError(
            f"mask has shape {tuple(mask.shape)}, but a key_padding_mask is the same for all heads "
            f"and queries: (B, 1, S) or (B, 1, 1, S). For other masks use mha_attn_mask."
        )
    return ~mask.reshape(mask.shape[0], mask.shape[-1])


def _check_bool(mask: torch.Tensor) -> None:
    if not isinstance(mask, torch.Tensor):
        kind = type(mask).__name__
        raise TypeError(f"mask is a {kind}, not a tensor; convert it, torch.asarray(mask).")
    if mask.dtype != torch.bool:
        raise TypeError(f"mask has dtype {mask.dtype}, but needs bool (True = may look).")
