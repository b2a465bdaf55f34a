"""Questions for attention: inputs of every small shape, with every mask over them."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

SIZES = st.integers(0, 5)
LEADING = st.lists(st.integers(0, 3), max_size=2).map(tuple)


class Question(NamedTuple):
    """What the properties are asked about."""

    query: np.ndarray
    key: np.ndarray
    value: np.ndarray
    mask: np.ndarray
    bias: np.ndarray

    @property
    def inputs(self):
        return self.query, self.key, self.value

    @property
    def extras(self):
        return {"mask": self.mask, "bias": self.bias}


def floats(shape, largest=10.0, dtype=np.float64):
    """Draw an array that refuses to be written to."""
    elements = st.floats(-largest, largest, width=8 * np.dtype(dtype).itemsize)
    return hnp.arrays(dtype, shape, elements=elements).map(read_only)


def read_only(array):
    array.flags.writeable = False
    return array


@st.composite
def questions(draw, *, leading=LEADING, n_keys=SIZES, largest=10.0):
    """Draw inputs of 2 to 4 axes, length and width 0 among them; any key may be hidden."""
    leading, n_query, n_key, width, value_width = (
        draw(strategy) for strategy in (leading, SIZES, n_keys, SIZES, SIZES)
    )
    return Question(
        draw(floats((*leading, n_query, width), largest)),
        draw(floats((*leading, n_key, width), largest)),
        draw(floats((*leading, n_key, value_width), largest)),
        draw(hnp.arrays(bool, (*leading, n_query, n_key)).map(read_only)),
        draw(floats((*leading, n_query, n_key), largest)),
    )


POISON = st.sampled_from([np.nan, np.inf, -np.inf, 1e308])
