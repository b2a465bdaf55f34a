"""Sizes and random inputs: NumPy draws them, the tests convert them."""

import numpy as np

# distinct primes: no axis can stand in for another
B, H, L, S, D, DV = 2, 3, 5, 7, 11, 13


def draw(*shape, seed=0):
    """Draw standard normal numbers."""
    return np.random.default_rng([seed, *shape]).standard_normal(shape)


def draw_mask(*shape, seed=0):
    """Draw a mask that hides about half; its first query may look nowhere, its second anywhere."""
    mask = np.random.default_rng([seed, *shape]).random(shape) < 0.5
    if len(shape) > 1 and shape[-2] > 1:
        mask[..., 0, :] = False
        mask[..., 1, :] = True
    return mask


def draw_inputs(*leading, n_query=L, n_key=S):
    """Draw query (..., L, D), key (..., S, D) and value (..., S, Dv)."""
    return (
        draw(*leading, n_query, D, seed=1),
        draw(*leading, n_key, D, seed=2),
        draw(*leading, n_key, DV, seed=3),
    )
