"""Many visitors at once, without browsers: no exception, and nobody sees what is another's.

At night thirty of them for ten minutes, and the memory stays as it is; `python -m benchmarks.soak` prints the figures.
"""

from __future__ import annotations

import pytest

from benchmarks import soak


@pytest.mark.nightly
@pytest.mark.parametrize(("visitors", "seconds"), [(3, 3), (30, 600)], ids=["a moment", "ten minutes"])
def test_no_exception_and_nothing_of_another_visitor_however_many_there_are(visitors: int, seconds: float) -> None:
    told, logged = soak.run(visitors, seconds)
    assert logged == []
    assert told.errors == []
    assert told.strangers == []
    assert told.visitors >= visitors
    if seconds >= 600:
        assert told.flat() <= soak.FLAT
