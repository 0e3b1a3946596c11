"""Which names lead to a folder, which to the hub, and what a lab for strangers says to both."""

from __future__ import annotations

from pathlib import Path

import pytest
from night import for_each

from lab.errors import ModelError
from lab.models import hub
from lab.models.hub import Wanted, downloads, folder_of, is_name

WANTED = Wanted(("lab/known", "lab/other"))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the hub was asked for; nothing is here."""
    names: list[str] = []

    def download(name: str, wanted: Wanted, progress: object) -> Path:
        names.append(name)
        return Path("downloaded")

    monkeypatch.setattr(hub, "_download", download)
    monkeypatch.setattr(hub, "downloaded", lambda name: None)
    return names


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a folder that is called like a model."""
    (tmp_path / "owner" / "model").mkdir(parents=True)
    (tmp_path / "single").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@for_each("name", ["owner/..", "owner/.", "../model", "./model", "../..", "a/b/c", "/etc", "a b/c", "x"])
def test_a_name_with_a_part_of_dots_is_no_name_of_the_hub(name: str) -> None:
    assert not is_name(name)


@for_each("name", ["owner/model", "BAAI/bge-small-zh-v1.5", "a.b/c..d", "a/..b"])
def test_dots_within_a_name_are_none_of_a_folder(name: str) -> None:
    assert is_name(name)


def test_a_name_of_the_hub_opens_no_folder_of_the_working_directory(here: Path, asked: list[str]) -> None:
    assert folder_of("./owner/model", WANTED) == Path("owner/model")
    assert folder_of(str(here), WANTED) == here
    assert not downloads("./owner/model", WANTED)
    assert not asked
    for name in ("owner/model", "single"):
        assert downloads(name, WANTED)
        assert folder_of(name, WANTED) == Path("downloaded")
    assert asked == ["owner/model", "single"]


@pytest.mark.parametrize("name", ["nobody/..", "nobody/.", "owner/../nobody"])
def test_a_part_of_dots_never_goes_to_the_hub(name: str, here: Path, asked: list[str]) -> None:
    with pytest.raises(ModelError, match="There is no folder"):
        folder_of(name, WANTED)
    assert not asked


def test_a_lab_for_strangers_loads_what_it_offers_and_does_not_say_which_folders_there_are(
    here: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_PUBLIC", "1")
    said = set()
    for name in ("/etc", "/nothere", "~", "./owner/model", "owner/..", "owner/model", "nobody/nothing", str(here), ""):
        assert not downloads(name, WANTED)
        with pytest.raises(ModelError) as caught:
            folder_of(name, WANTED)
        said.add(str(caught.value))
    assert len(said) == 1
    assert not asked
    assert downloads("lab/known", WANTED)
    assert folder_of("lab/known", WANTED) == Path("downloaded")
