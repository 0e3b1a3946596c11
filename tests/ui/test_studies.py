"""The results of studies: cached by search and question, so that only missing ones are searched."""

from __future__ import annotations

from types import SimpleNamespace

from lab.algebra import Corpus, Document, Query
from lab.retrieve.lexical import BM25
from lab.ui.study import measuring

CORPUS = Corpus("foxes", (Document("d1", "a red fox"), Document("d2", "a blue bird")))
OWN, SAMPLE = SimpleNamespace(is_sample=False), SimpleNamespace(is_sample=True)
QUERIES = (Query("fox", id="q1"), Query("bird", id="q2"), Query("red", id="q3"))


def test_a_study_searches_only_missing_questions_of_missing_searches_and_keeps_those_of_before(monkeypatch):
    state, searched, run = {}, [], BM25.run
    page = SimpleNamespace(key="evaluate.{}".format, model_labels=(), models={}, models_now={}, frame=OWN)
    monkeypatch.setattr(BM25, "run", lambda self, *how: searched.append((self.b, how[1].id)) or run(self, *how))
    monkeypatch.setattr(measuring, "st", SimpleNamespace(session_state=state))
    monkeypatch.setattr(measuring, "work", lambda name, doing, make, about: make(lambda done, total: None))

    def go_on(searches, queries=QUERIES):
        searched.clear()
        study = measuring.Study(page, "all", searches, CORPUS, queries)
        study.go_on("")
        assert not study.missing()
        return study.runs()

    go_on({"plain": BM25(b=0)}, QUERIES[:2])
    runs = go_on({"first": BM25(b=0)})
    assert searched == [(0, "q3")]
    assert [runs["first"].name, *runs["first"].results] == ["first", "q1", "q2", "q3"]
    go_on({"first": BM25(b=0), "second": BM25(b=1)})
    assert searched == [(1, "q1"), (1, "q2"), (1, "q3")]
    go_on({f"{n}": BM25(k1=n / 5) for n in range(1, 30)})
    assert len(state["_runs.evaluate.all"]) == 29
    go_on({"first": BM25(b=0)})
    assert len(searched) == 3
    assert len(state["_runs.evaluate.all"]) == measuring.KEPT


def test_visitors_share_the_runs_of_a_sample_but_not_those_of_their_own_models_and_retrievers(monkeypatch):
    corpus, searched, run = Corpus("foxes", CORPUS.documents), [], BM25.run
    monkeypatch.setattr(BM25, "run", lambda self, *how: searched.append(how[1].text) or run(self, *how))
    monkeypatch.setattr(measuring, "work", lambda name, doing, make, about: make(lambda done, total: None))

    def visit(frame=SAMPLE, queries=QUERIES, models=None, **searches):
        searched.clear()
        monkeypatch.setattr(measuring, "st", SimpleNamespace(session_state={}))
        models, name = models or {}, "evaluate.{}".format
        page = SimpleNamespace(key=name, model_labels=(), models=models, models_now=models, frame=frame)
        study = measuring.Study(page, "all", searches or {"first": BM25()}, corpus, queries)
        study.go_on("")
        assert not study.missing()
        return study.runs()

    assert len(visit()["first"]) == len(searched) == 3
    assert visit(second=BM25())["second"].results == visit()["first"].results
    assert searched == []
    visit(queries=(Query("hen", id="q1"), *QUERIES[1:]))
    assert searched == ["hen", "bird", "red"], "another question of the same name"
    for private in ({"frame": OWN}, {"models": {"chat": None}}):
        visit(**private)
        assert searched == ["fox", "bird", "red"]
