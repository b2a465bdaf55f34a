"""What the page on the square root of d_k claims, measured another way."""

import itertools
import math

import numpy as np
import pytest

from attnbook import attention_weights

N_PAIRS = 4000
WIDTHS = [2**power for power in range(11)]


def _differences(width, *, scale):
    """Differences of two scores, read back from the weights of the package."""
    rng = np.random.default_rng(width)
    query = rng.standard_normal((N_PAIRS, 1, width))
    key = rng.standard_normal((N_PAIRS, 2, width))
    weights = attention_weights(query, key, scale=scale)[:, 0]
    return np.log(weights[:, 0]) - np.log(weights[:, 1])


def _assert_variance(numbers, expected):
    # the error comes from the numbers themselves, not from the formula on the page
    squares = numbers**2
    error = squares.std() / math.sqrt(len(squares))
    assert abs(squares.mean() - expected) < 3 * error
    # an error that excuses everything would be no test
    assert error < 0.1 * expected


# two independent scores of variance v differ by a variance of 2 v
@pytest.mark.parametrize("width", WIDTHS)
def test_variance_of_the_raw_scores_is_the_width(width):
    _assert_variance(_differences(width, scale=1.0), 2.0 * width)


@pytest.mark.parametrize("width", WIDTHS)
def test_variance_of_the_scaled_scores_is_one(width):
    _assert_variance(_differences(width, scale=None), 2.0)


@pytest.mark.parametrize(
    ("numbers", "kappa"),
    [((-1.0, 1.0), 1.0), ((-math.sqrt(3), 0.0, 0.0, 0.0, 0.0, math.sqrt(3)), 3.0)],
    ids=["coin", "three-points"],
)
@pytest.mark.parametrize("width", [1, 2])
def test_standard_error_of_the_page_by_enumeration(numbers, kappa, width):
    scores = np.array(
        [
            np.dot(components[:width], components[width:])
            for components in itertools.product(numbers, repeat=2 * width)
        ]
    )
    np.testing.assert_allclose(scores.mean(), 0, atol=1e-12)
    np.testing.assert_allclose((scores**2).mean(), width, rtol=1e-12)
    expected = 2 * width**2 + (kappa * kappa - 3) * width
    np.testing.assert_allclose((scores**2).var(), expected, rtol=1e-12, atol=1e-12)


def test_jacobian_of_softmax_by_differences():
    scores = np.array([0.3, -1.2, 0.8, 2.0])
    step = 1e-6

    def weights(scores):
        return attention_weights(np.array([[1.0]]), scores[:, None], scale=1.0)[0]

    columns = [
        (weights(scores + step * unit) - weights(scores - step * unit)) / (2 * step)
        for unit in np.eye(4)
    ]
    alpha = weights(scores)
    expected = np.diag(alpha) - np.outer(alpha, alpha)
    np.testing.assert_allclose(np.stack(columns, axis=-1), expected, rtol=0, atol=1e-9)
