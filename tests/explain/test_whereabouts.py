"""Where a passage is: every answer against brute force, every cause, and every change tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np
import pytest
from night import NIGHT, sample, spread

from lab import formats
from lab.algebra import Corpus, Document, Env, Outcome, Pipeline, Query, Ranking, Runner, Searcher, Top, tie_key
from lab.corpus import samples
from lab.derive.chunk import Chunk
from lab.explain.bringing_in import Change, changes
from lab.explain.locating import locate
from lab.explain.whereabouts import similar_words, whereabouts
from lab.fuse import RRF
from lab.refine.coverage import QueryCoverage
from lab.refine.filters import KeywordExclusion, ScoreThreshold
from lab.refine.length import LengthFilter
from lab.retrieve.external import External
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.text import Analyzer

SHOWN, DEPTH = 10, 30
HYBRID = RRF()(BM25(), Vector(), depth=DEPTH)
FILTERED = HYBRID >> ScoreThreshold(minimum=0.012)
SEARCHES: tuple[Searcher, ...] = (BM25(), Vector(), HYBRID, FILTERED)


def asked(name: str, every: int) -> Iterator[Query]:
    yield from samples.load(name).judged[::every]


def expected(runner: Runner, query: Query) -> dict[Searcher, dict[str, tuple[int, float]]]:
    """Ranks and scores of every passage, computed from whole lists with plain arithmetic."""
    whole: dict[Searcher, dict[str, tuple[int, float]]] = {}
    for search in (BM25(), Vector()):
        index = search.index(runner.corpus)
        scores = {hit.document.id: hit.score for hit in index.search(query, k=len(runner.corpus))}
        ids = sorted(scores, key=lambda i: (-scores[i], tie_key(i)))
        whole[search] = {i: (rank, scores[i]) for rank, i in enumerate(ids, 1)}
    sums: dict[str, float] = {}
    for ranks in whole.values():
        for i, (rank, _) in ranks.items():
            if rank <= DEPTH:
                sums[i] = sums.get(i, 0.0) + 0.5 / (60 + rank)
    return {
        **whole,
        HYBRID: _ordered(sums, [*whole.values()]),
        FILTERED: _ordered(
            {i: score for i, score in sums.items() if score * _scale(runner, query, sums) >= 0.012}, [*whole.values()]
        ),
    }


def _scale(runner: Runner, query: Query, sums: dict[str, float]) -> float:
    hits = runner(HYBRID, query, 1).hits
    return hits[0].score / max(sums.values()) if hits else 1.0


def _ordered(
    scores: Mapping[str, float], lists: Sequence[Mapping[str, tuple[int, float]]]
) -> dict[str, tuple[int, float]]:
    def best(doc: str) -> int:
        return min(ranks[doc][0] for ranks in lists if ranks.get(doc, (DEPTH + 1,))[0] <= DEPTH)

    ids = sorted(scores, key=lambda i: (-round(scores[i], 12), best(i), tie_key(i)))
    return {i: (rank, scores[i]) for rank, i in enumerate(ids, 1)}


def holds(name: str, every: int) -> int:
    """Asks about the passages (in the suite: some of them) for some judged questions; returns how many answers were
    compared.
    """
    corpus, count, analyzer = samples.load(name).corpus, 0, BM25().analyzer
    for query in asked(name, every):
        runner = Runner(corpus)
        right = expected(runner, query)
        terms = set(analyzer.tokens(analyzer.without_asker(query.text)))
        for document in sample(corpus, 12):
            for search in SEARCHES:
                where = whereabouts(runner, search, query, document.id, SHOWN)
                rank, _score = right[search].get(document.id, (None, 0.0))
                assert where.final.rank == rank, (query.text, document.id, search.label)
                count += 1
                if rank is not None:
                    hit = where.final.hit
                    assert hit is not None
                    assert sum(x.score for x in where.final.compared) == pytest.approx(hit.score, abs=1e-6)
                    assert str(where.sentence).startswith(f"Rank {rank} of {len(right[search])}, score ")
                elif search == BM25():
                    assert (
                        "has no term of the question" in where.sentence or "The question has no term" in where.sentence
                    )
                    assert not terms & set(analyzer.tokens(document.content))
                elif search == HYBRID or document.id not in right[HYBRID]:
                    assert where.lists[1].rank == right[Vector()].get(document.id, (None,))[0]
                    assert (
                        f"Rank {where.lists[1].rank} of {len(right[Vector()])} in the whole list, which is cut"
                        in where.sentence
                    )
                else:
                    assert str(where.sentence).startswith("Score threshold removes it: Score ")
    return count


@pytest.mark.parametrize("name", spread(["devices", "handbook", "staff"], 1))
def test_some_questions_about_every_passage_of_a_sample(name: str) -> None:
    assert holds(name, 60) > 90


@pytest.mark.nightly
@pytest.mark.parametrize("name", samples.names())
def test_every_judged_question_about_every_passage_of_a_sample(name: str) -> None:
    assert holds(name, 1) >= len(SEARCHES) * len(samples.load(name).corpus)


# ------------------------------------------------------------------------------------------ the changes


def tried(runner: Runner, change: Change, doc: str) -> None:
    """The change shows the passage at the rank that it names."""
    ranking = runner(change.search, change.query, change.shown)
    assert ranking.rank(doc) == change.rank <= change.shown
    assert len(ranking.hits) <= change.shown


SPECIFICATIONS = (
    "BM25()",
    "RRF()(BM25(), Vector(), depth=20)",
    "WeightedSum(weights=(0.9, 0.1))(BM25(), Vector(), depth=200)",
    "RRF()(BM25(), Vector()) >> ScoreThreshold(minimum=0.014)",
    "Vector() >> ScoreThreshold(minimum=0.4)",
    "Vector() >> Top(k=5) >> MaxSim(0.4)",
    "Vector() >> MMR(k=8)",
    "Vector() >> LengthFilter(shortest=300)",
)


@pytest.mark.parametrize("text", spread(SPECIFICATIONS, 2))
@pytest.mark.parametrize(("name", "every"), [("staff", 53), pytest.param("devices", 7, marks=pytest.mark.nightly)])
def test_every_offered_change_shows_the_passage(text: str, name: str, every: int) -> None:
    search, corpus, kinds = formats.parse(text), samples.load(name).corpus, set[str]()
    draw = np.random.default_rng(7)
    for query in asked(name, every):
        runner = Runner(corpus)
        for i in draw.choice(len(corpus), 12 if NIGHT else 4, replace=False).tolist():
            doc = corpus.documents[i].id
            where = whereabouts(runner, search, query, doc, SHOWN)
            offered = changes(runner, search, query, where)
            assert not (offered and where.final.is_shown)
            for change in offered:
                tried(runner, change, doc)
                kinds.add(change.kind)
            if text.startswith("Vector()") and where.final.rank is None:
                assert offered, (query.text, doc)  # such a list has every passage: some change must show it
    assert kinds


def change_of(kind: str, runner: Runner, search: Searcher, query: str, doc: str) -> Change:
    (change,) = (
        x for x in changes(runner, search, query, whereabouts(runner, search, query, doc, SHOWN)) if x.kind == kind
    )
    tried(runner, change, doc)
    return change


def test_a_smaller_depth_would_not_do() -> None:
    runner, query = Runner(samples.load("staff").corpus), "how do I reset my password"
    search = Vector() >> LengthFilter(shortest=1)
    for rank in (101, 130, 200):
        doc = runner(Vector(), query, 240).ids[rank - 1]
        change = change_of("depth", runner, search, query, doc)
        assert isinstance(change.search, Pipeline)
        assert change.search.depth == rank
        assert runner(Pipeline(search.retrieve, refine=search.refine, depth=rank - 1), query, 240).rank(doc) is None


def test_a_threshold_that_removes_more_would_not_do() -> None:
    runner, query = Runner(samples.load("staff").corpus), "how do I reset my password"
    search = Vector() >> ScoreThreshold(minimum=0.4)
    for rank in (3, 8):
        hit = runner(Vector(), query, 100).hits[rank - 1]
        change = change_of("threshold", runner, search, query, hit.document.id)
        stage = change.search.refine[0]  # type: ignore[attr-defined]
        assert 0.98 * hit.score < stage.minimum <= hit.score
        assert change.shown == SHOWN


@pytest.mark.parametrize("at", [6, 9, 11])
def test_the_rank_of_a_cut_is_the_least_number_that_passes_it_on(at: int) -> None:
    runner, query = Runner(samples.load("staff").corpus), "how do I reset my password"
    search = BM25() >> Top(5) >> LengthFilter(shortest=1)
    doc = runner(BM25(), query, 240).ids[at - 1]
    where = whereabouts(runner, search, query, doc, SHOWN)
    assert where.sentence == f"Top 5 removes it: Rank {at}: only the first 5 are passed on."
    change = change_of("threshold", runner, search, query, doc)
    then = f". Results shown: {at}, rank: {at}." if at > SHOWN else f": rank {at}."
    assert change.sentence == f"Top 5 · Number of results: {at} in place of 5{then}"


def test_a_weight_tips_the_passage_in() -> None:
    runner, query = Runner(samples.load("staff").corpus), "how do I reset my password"
    bm25, vector = (runner(search, query, 100) for search in (BM25(), Vector()))
    drawn = [i for i in vector.ids[:6] if not bm25.rank(i)] + [i for i in bm25.ids[:4] if (vector.rank(i) or 99) > 15]
    assert drawn
    weighed = 0
    for doc in drawn:
        for weights in ((0.97, 0.03), (0.03, 0.97)):
            search = RRF(weights=weights)(BM25(), Vector())
            where = whereabouts(runner, search, query, doc, SHOWN)
            for change in changes(runner, search, query, where):
                tried(runner, change, doc)
                weighed += change.kind == "weight"
    assert weighed


@pytest.mark.parametrize(
    ("search", "query", "doc", "asks"),
    [
        (BM25(), "how to resett the pasword", "a", "password"),
        (BM25(), "gaurantee", "b", "guarantee"),
        (BM25() >> QueryCoverage(), "opning huors", "e", "opening hours"),
        (BM25(analyzer=Analyzer(pairs=False, bigrams=False, characters=False)), "邮建", "c", "邮件"),
    ],
)
def test_a_spelling_brings_the_passage_in(search: Searcher, query: str, doc: str, asks: str) -> None:
    documents = (
        Document("a", "Change your password under Settings."),
        Document("b", "The guarantee lasts two years."),
        Document("c", "退款会在三天内到账，退款单在邮件里。"),
        Document("d", "退款需要订单号。"),
        Document("e", "Opening hours: nine to five."),
    )
    change = change_of("spelling", Runner(Corpus("few", documents)), search, query, doc)
    assert asks in change.query.text.lower()


@pytest.mark.parametrize("query", ["how do I reset my password", "the opening hours", "退款"])
def test_a_word_that_the_corpus_has_is_no_misspelling(query: str) -> None:
    corpus = samples.load("staff").corpus
    runner = Runner(corpus)
    for document in corpus.documents[::4]:
        where = whereabouts(runner, BM25(), query, document.id, SHOWN)
        kinds = {change.kind for change in changes(runner, BM25(), query, where)}
        assert kinds <= {"results"}, document.id


def test_a_misspelt_word_of_the_passage_is_a_spelling() -> None:
    documents = (
        Document("a", "Chose a new pasword."),
        Document("b", "A password."),
        Document("c", "Passwords, too: password"),
    )
    change = change_of("spelling", Runner(Corpus("typed", documents)), BM25(), "password", "a")
    assert change.query.text == "pasword"


def test_a_threshold_of_the_second_fused_list_is_loosened() -> None:
    runner, query = Runner(samples.load("staff").corpus), "how do I reset my password"
    search = RRF()(BM25(), Vector() >> ScoreThreshold(minimum=0.2))
    hit = next(
        hit
        for hit in runner(Vector(), query, 100).hits
        if hit.score < 0.2 and not runner(BM25(), query).rank(hit.document.id)
    )
    where = whereabouts(runner, search, query, hit.document.id, SHOWN)
    assert "BM25: It has no term" in where.sentence
    assert "Vector · Built-in bilingual: Score threshold removes it: Score 0." in where.sentence
    change = change_of("threshold", runner, search, query, hit.document.id)
    least = change.search.retrieve[1].refine[0].minimum  # type: ignore[attr-defined]
    assert 0.98 * hit.score < least <= hit.score


class Counting(Top):
    """A step that is slow: its calls are counted."""

    calls: ClassVar[list[int]] = []

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        self.calls.append(len(ranking))
        return Outcome(ranking.hits, ())


def test_a_slow_step_behind_a_threshold_is_run_a_few_times() -> None:
    runner, query = Runner(samples.load("staff").corpus), "how do I reset my password"
    search = Vector() >> ScoreThreshold(minimum=0.4) >> Counting(k=100)
    doc = runner(Vector(), query, 100).ids[7]
    where = whereabouts(runner, search, query, doc, SHOWN)
    Counting.calls.clear()
    (change,) = (x for x in changes(runner, search, query, where) if x.kind == "threshold")
    assert len(Counting.calls) <= 4
    tried(runner, change, doc)


class Server:
    """A retriever of a plug-in that counts its questions."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, question: str, k: int) -> list[tuple[str, float]]:
        self.asked += 1
        return [(f"sh-{i:03d}", 1 / i) for i in range(1, min(k, 40) + 1)]


def test_an_external_retriever_is_asked_for_no_change() -> None:
    server = Server()
    runner = Runner(samples.load("staff").corpus, models={"mine": server})
    search = External("mine") >> ScoreThreshold(minimum=0.1)
    where = whereabouts(runner, search, "pasword", "sh-030", SHOWN)
    before = server.asked
    assert str(where.sentence).startswith("Score threshold removes it")
    assert changes(runner, search, "pasword", where) == ()
    assert server.asked == before


# ------------------------------------------------------------------------------------------ the causes


TEXT = (
    "The first rule is about holidays. " * 4
    + "Whoever travels keeps every receipt for the accounts office. "
    + "More. " * 30
)
BASE = Corpus("base", (Document("one", TEXT, "Travel"), Document("two", "Nothing of the kind, about dogs.", "Dogs")))


def test_the_border_of_a_chunk_cuts_the_sentence() -> None:
    sentence = "Whoever travels keeps every receipt for the accounts office."
    search = Chunk(size=30, overlap=0)(BM25())
    where = whereabouts(Runner(BASE), search, "zebra", "one", 5, text=sentence)
    assert str(where.sentence).endswith("No chunk has the whole sentence: a border cuts it.")
    where = whereabouts(Runner(BASE), search, "zebra", "one", 5, text="Travel")
    assert "border" not in where.sentence
    where = whereabouts(Runner(BASE), Pipeline((BM25(),), derive=(Chunk(size=30, overlap=0),)), "receipt", "one", 5)
    assert where.final.rank == 1
    assert where.final.document.metadata["parent"] == "one"


def test_a_filter_is_named_with_its_reason_and_left_out_if_no_value_helps() -> None:
    runner, search = Runner(BASE), BM25() >> KeywordExclusion(("receipt",))
    where = whereabouts(runner, search, "holidays", "one", 5)
    assert str(where.sentence).startswith("Keywords removes it: It contains the word “receipt”")
    (change,) = changes(runner, search, "holidays", where)
    assert change.sentence == "Without Keywords: rank 1."


def test_a_shorter_minimum_keeps_a_short_text() -> None:
    runner, search = Runner(BASE), BM25() >> LengthFilter(shortest=100)
    change = change_of("threshold", runner, search, "dogs", "two")
    least = change.search.refine[0].shortest  # type: ignore[attr-defined]
    assert runner(BM25() >> LengthFilter(shortest=least + 1), "dogs", 5).rank("two") is None


def test_a_question_without_terms_and_an_empty_one() -> None:
    assert (
        whereabouts(Runner(BASE), BM25(), "?!", "one", 5).sentence
        == "The question has no term that this list searches."
    )
    assert whereabouts(Runner(BASE), BM25(), "", "one", 5).final.rank is None


def test_similar_words_are_similar() -> None:
    assert similar_words("pasword reset", "Your password expires. Sets of rules.") == (("pasword", "password"),)
    assert similar_words("退货", "退款三天") == (("退货", "退款"),)
    assert similar_words("the same", "the same") == ()
    assert similar_words("of", "") == ()


# ------------------------------------------------------------------------------------------ which passage


NAMED = Corpus(
    "named",
    (
        Document("A-1", "Pay within 30 days.\nThen we send a reminder.", "Invoices"),
        Document("A-2", "The reminder costs nothing. 本公司在三天内退款，", "Reminders"),
        Document("A-3", "费用由买方承担。 Pay within 30 days.", "Reminders"),
    ),
)


@pytest.mark.parametrize(
    ("text", "ids", "by"),
    [
        ("A-2", ["A-2"], "id"),
        (" a-2 ", ["A-2"], "id"),
        ("invoices", ["A-1"], "title"),
        ("Reminders", ["A-2", "A-3"], "title"),
        ("within 30 days. Then we", ["A-1"], "text"),
        ("WITHIN  30\ndays", ["A-1", "A-3"], "text"),
        ("三天内 退款", ["A-2"], "text"),
        ("Invoices Pay within", ["A-1"], "text"),
        ("a zebra", [], ""),
        ("", [], ""),
        ("  ", [], ""),
    ],
)
def test_an_id_a_title_or_a_sentence_names_a_passage(text: str, ids: list[str], by: str) -> None:
    located = locate(text, NAMED)
    assert ([d.id for d in located.documents], located.by) == (ids, by)


def test_a_sentence_between_two_passages_names_both() -> None:
    located = locate("三天内退款，费用由买方承担。", NAMED)
    assert [d.id for d in located.border] == ["A-2", "A-3"]
    assert located.sentence == "No passage contains all of it: its beginning is in A-2, its end in A-3."
    assert not locate("三天内退款，运费由卖方承担。", NAMED).border


def test_passages_that_share_words_are_offered() -> None:
    located = locate("When is the reminder sent?", NAMED)
    assert located.sentence == "No passage has this id, this title or this text."
    assert located.near[0].id == "A-2"
    assert locate("x", Corpus("empty", ())).near == ()


@pytest.mark.parametrize("name", samples.names())
def test_every_passage_of_a_sample_is_named_by_its_id_and_by_its_text(name: str) -> None:
    corpus = samples.load(name).corpus
    for document in corpus.documents[::9]:
        assert locate(document.id, corpus).documents == (document,)
        assert document in locate(document.text[len(document.text) // 3 :], corpus).documents
