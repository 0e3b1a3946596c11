"""Days that programs count from 1970: in seconds, or in a thousandth, a millionth or a billionth of one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime

_TIME = re.compile(
    r"dat(?:e|um)|time|(?:^|[^a-z])(?:ts|at|on|when|epoch|created|updated|modified|published|posted)(?:[^a-z]|$)"
    "|日期|时间|時間|时刻|发布|更新|创建|修改",
    re.IGNORECASE,
)
"""Names of fields that hold a time."""
_STEPS = (1, 1_000, 1_000_000, 1_000_000_000)
"""Steps to a second."""
_FIRST, _LAST = 100_000_000, 4_102_444_800
"""Seconds since 1970 in the years from 1973 to 2099."""


def epoch_steps(name: str, numbers: Sequence[float]) -> int:
    """Returns the steps to a second if a field that is called a time counts them from 1970; 0 if it does not."""
    if not numbers or not _TIME.search(re.sub("([a-z])([A-Z])", r"\1_\2", name)):
        return 0
    return next((steps for steps in _STEPS if all(_FIRST <= n / steps < _LAST for n in numbers)), 0)


def epoch_day(number: float, steps: int) -> date | None:
    """Returns the day, in universal time, of a number that counts from 1970; None for another number."""
    return datetime.fromtimestamp(number / steps, UTC).date() if _FIRST <= number / steps < _LAST else None
