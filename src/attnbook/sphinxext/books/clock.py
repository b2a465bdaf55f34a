"""The date that goes into the files: the same sources give the same bytes."""

from __future__ import annotations

import os
from datetime import UTC, datetime


def build_time() -> datetime:
    """Return the time that ``SOURCE_DATE_EPOCH`` names, as reproducible builds do it, or now."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    return datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
