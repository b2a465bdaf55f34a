"""What was measured on the machine of whoever ran ``nox -s measure`` last, kept with the package.

The files beside this one are written by programs: the tests count how each library did and note
where libraries disagree, and the benchmark times calls. Pages quote them, and a test whose note is
not in them fails.
"""

import json
from importlib.resources import files
from typing import Any

__all__ = ["libraries", "overhead"]


def libraries() -> dict[str, Any]:
    """Return how the tests went on each library, and where other libraries disagree.

    Returns
    -------
    dict
        ``date`` and ``python`` of the run; ``libraries``, for each by name its ``version``, how
        many tests ``passed`` and ``failed``, and how many were ``skipped`` for which reason; and
        ``disagreements``, each with the ``library`` it is about, the ``case``, what the library
        and what the package says, ``theirs`` and ``ours``, and ``why``.

    See Also
    --------
    attnbook.data.measured.overhead : What a call costs.

    Examples
    --------
    >>> from attnbook.data.measured import libraries
    >>> libraries()["libraries"]["numpy"]["failed"]
    0
    """
    return _read("libraries")


def overhead() -> dict[str, Any]:
    """Return what a call of attention costs beside the same lines written directly.

    Returns
    -------
    dict
        ``date``, ``python`` and ``machine`` of the run, the ``unit`` of time, and its two results.
        In ``rows``, for each ``library`` and ``shape`` of the inputs, stand the time of a call of
        the ``package`` and of the ``direct`` lines, their ``difference`` and their ``ratio``. In
        ``parts``, for each ``library`` stands the ``time`` that each ``part`` of a call takes at
        the smallest shape.

    See Also
    --------
    attnbook.data.measured.libraries : Where the call is tested.

    Examples
    --------
    >>> from attnbook.data.measured import overhead
    >>> overhead()["unit"]
    'microseconds'
    """
    return _read("overhead")


def _read(name: str) -> dict[str, Any]:
    return json.loads(files(__name__).joinpath(f"{name}.json").read_text("utf-8"))
