"""No public function is left out of the transforms and the gradients."""

import attnbook
from tests.transforms.calls import CALLS, DIFFERENTIABLE, ELSEWHERE, WITHOUT_GRADIENT


def test_every_public_name_stands_in_a_call():
    assert set(ELSEWHERE.values()) <= set(CALLS)
    assert sorted({*CALLS, *ELSEWHERE} - {"masks"}) == sorted(attnbook.__all__)


def test_every_public_name_is_differentiated_or_has_no_gradient():
    differentiated = {n for n in attnbook.__all__ if ELSEWHERE.get(n, n) in DIFFERENTIABLE}
    assert sorted([*differentiated, *WITHOUT_GRADIENT]) == sorted(attnbook.__all__)
