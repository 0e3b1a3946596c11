"""A file of lessons is refused with a sentence, whatever stands in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from regressions import load_cases, written_out

from lab.errors import CorpusError
from lab.lessons import FILE, read


@pytest.mark.parametrize("case", load_cases("lesson_files"))
def test_a_file_of_lessons_is_refused_with_a_sentence(case: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(written_out(case["text"]), "utf-8")
    with pytest.raises(CorpusError) as refused:
        read(tmp_path)
    assert case["says"] in str(refused.value)
    assert refused.value.remedy
