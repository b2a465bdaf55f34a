"""Say where queries and keys stand in one sequence."""

from attnbook.functional._checks import check_like
from attnbook.functional._numbers import check_integer, check_size
from attnbook.typing import Array, Integer


def positions(
    n_query: int, n_key: int | None, offset: int | None, like: Array | None
) -> tuple[Integer[Array, "n_query 1"], Integer[Array, "1 n_key"]]:
    """Return the positions of the queries as a column and those of the keys as a row."""
    n_query = check_size("n_query", n_query)
    n_key = n_query if n_key is None else check_size("n_key", n_key)
    offset = n_key - n_query if offset is None else check_integer("offset", offset)
    xp, where = check_like(like)
    query_position = xp.arange(n_query, device=where)[:, None] + offset
    return query_position, xp.arange(n_key, device=where)[None, :]
