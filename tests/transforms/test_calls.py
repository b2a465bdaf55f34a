"""No public function is left out of the transforms."""

import attnbook
from tests.transforms.calls import CALLS, ELSEWHERE


def test_every_public_name_stands_in_a_call():
    assert set(ELSEWHERE.values()) <= set(CALLS)
    assert sorted({*CALLS, *ELSEWHERE} - {"masks"}) == sorted(attnbook.__all__)
