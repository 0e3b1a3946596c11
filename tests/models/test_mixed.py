"""Two models in one index: the other model is as good by itself, and only the mixture is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from lab.corpus import samples
from lab.models.embedders import vectors_of
from lab.models.mixed import MixedModels, rotation
from lab.models.static import BuiltIn
from lab.numeric import unit
from lab.retrieve.fingerprint import SAME_MODEL, agreement, sampled

CORPUS = samples.load("devices").corpus


def test_a_rotation_changes_no_cosine_and_no_length_among_its_own_vectors() -> None:
    plain, turned = (np.asarray(vectors_of(e, CORPUS), np.float64) for e in (BuiltIn(), MixedModels(1.0)))
    assert rotation(4) @ rotation(4).T == pytest.approx(np.eye(4))
    assert np.abs(unit(plain) @ unit(plain).T - unit(turned) @ unit(turned).T).max() < 1e-5
    assert plain.shape == turned.shape
    assert np.linalg.norm(plain, axis=1) == pytest.approx(np.linalg.norm(turned, axis=1), rel=1e-5)


def test_a_share_of_the_passages_is_turned_always_the_same_and_no_question_is() -> None:
    plain = vectors_of(BuiltIn(), CORPUS)
    counts = []
    for share in (0.0, 0.2, 0.5, 1.0):
        encoder = MixedModels(share).fit(CORPUS)
        rows = encoder.documents([d.content for d in CORPUS])
        turned = ~np.isclose(rows, plain, atol=1e-6).all(axis=1)
        assert turned.tolist() == [encoder.is_other(d.content) for d in CORPUS]
        counts.append(int(turned.sum()))
        assert encoder.queries(["reset"]) == pytest.approx(BuiltIn().fit(CORPUS).queries(["reset"]))
    assert counts[0] == 0
    assert counts == sorted(counts)
    assert counts[-1] == len(CORPUS)


def test_the_fingerprint_knows_the_mixture_by_a_sample() -> None:
    places = sampled(len(CORPUS))
    fresh, stored = (vectors_of(e, CORPUS)[places] for e in (BuiltIn(), MixedModels(0.5)))
    cosines = agreement(stored, fresh)
    assert 0 < sum(cosine < SAME_MODEL for cosine in cosines) < len(places)
