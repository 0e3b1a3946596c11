"""The training of the learned mix, on two small collections."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from lab.corpus import beir, samples
from lab.refine.learned import Weights
from training import learned


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("collections")
    for name in samples.names():
        own = samples.load(name)
        few = {q.id: own.qrels[q.id] for q in learned.chosen(own, 8)}
        beir.write(dataclasses.replace(own, qrels=few), where / name)
    return where


@pytest.mark.nightly
def test_weights_are_learned_without_the_collection_that_they_are_measured_on(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, fitted = tmp_path / "learned.py", []
    own = learned.fit

    def fit(groups, **options):  # type: ignore[no-untyped-def]
        fitted.append([e.query for group in groups for e in group])
        return own(groups, **options)

    monkeypatch.setattr(learned, "fit", fit)
    monkeypatch.setattr(learned.learned, "__file__", str(file))
    learned.main(["--work", str(tmp_path / "work"), "--collections", str(folder), "--write"])
    names = samples.names()
    without = dict(zip(sorted(names), fitted, strict=False))
    read = {name: learned.read(folder / name, tmp_path / "work", 400) for name in names}
    for name, queries in without.items():
        others = [e.query for other in sorted(names) if other != name for e in read[other].examples]
        assert queries == others
    assert len(fitted[-1]) == sum(len(j.examples) for j in read.values())
    told = json.loads(file.with_suffix(".json").read_text("utf-8"))["built-in"]
    assert told["provenance"]["collections"] == dict.fromkeys(sorted(names), 8)
    assert told["provenance"]["left out"].keys() == set(names)
    assert Weights(**told["weights"]).at(0.5)["maxsim"] > 0
    assert "| mean |" in capsys.readouterr().out


def test_features_are_made_once_per_collection(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = samples.names()[0]
    learned.read(folder / name, tmp_path, 2)
    monkeypatch.setattr(learned, "examples", None)
    assert len(learned.read(folder / name, tmp_path, 2).examples) == 2
