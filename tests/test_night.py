"""The suite is a fixed sample of the long proofs: every kind of promise is in it."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
HELD = {
    "test_ablation.py": "ui/test_ablating.py",
    "test_answer.py": "ui/test_answer_page.py",
    "test_course.py": "ui/test_course_page.py",
    "test_dialogue.py": "ui/test_dialogue_page.py",
    "test_experiment.py": "ui/test_links.py",
    "test_external.py": "ui/test_external_lists.py",
    "test_granularity.py": "ui/test_granularity_page.py",
    "test_guarded_reading.py": "ui/test_guarded_reading.py",
    "test_kept_for_oneself.py": "ui/test_user_folder.py",
    "test_markup.py": "regressions/test_markdown_escapes.py",
    "test_memory.py": "ui/test_memory.py",
    "test_pipeline.py": "ui/test_pipeline_page.py",
    "test_routing.py": "ui/test_routing_page.py",
    "test_second_page.py": "ui/test_guarded_reading.py",
    "test_soak.py": "ui/test_keeping.py",
    "test_slow_model.py": "ui/test_streaming.py",
    "test_taking.py": "ui/test_downloads.py",
    "test_tries.py": "ui/test_tries.py",
    "test_two_processes.py": "ui/test_processes.py",
    "test_updating.py": "ui/test_pages.py",
}
"""Walks that are nightly, and the tests without a browser that hold the same in the suite."""


def in_suite(file: Path) -> bool:
    """Whether a file has a test without the mark `nightly`."""
    tests = [x for x in ast.parse(file.read_text("utf-8")).body if getattr(x, "name", "").startswith("test_")]
    return any("pytest.mark.nightly" not in map(ast.unparse, x.decorator_list) for x in tests)


def test_every_file_of_browser_tests_has_one_in_the_suite_or_names_the_tests_that_hold_the_same() -> None:
    files = sorted((ROOT / "tests" / "browser").glob("test_*.py"))
    assert len(files) > len(HELD)
    assert {file.name for file in files if not in_suite(file)} == HELD.keys()
    assert all(in_suite(ROOT / "tests" / other) for other in HELD.values())
