"""A corpus that grows: what is added, how large it gets, and which orders of searches flip."""

from dataclasses import replace

import pytest

from lab.algebra import Corpus, Document, Query
from lab.corpus.beir import Collection
from lab.errors import EvaluationError, ParameterError
from lab.evaluate import evaluate
from lab.evaluate.growing import Growth, Lead, find_flip, grow, growing
from lab.evaluate.runs import Gathered
from lab.evaluate.significance import Difference
from lab.retrieve.lexical import BM25, TFIDF

OWN = Corpus("own", (Document("d1", "a red fox"), Document("d2", "a blue bird sings"), Document("other/e1", "snow")))
QUERIES = (Query("red fox", id="q1"), Query("bird", id="q2"), Query("snow", id="q3"))
QRELS = {"q1": {"d1": 2, "other/e3": 1}, "q2": {"d2": 1}, "q3": {"other/e1": 1}}
FOXES = Collection(OWN, QUERIES, QRELS, subtopics={"q1": {"s": {"other/e4": 1}}})
OTHER = Corpus("other", tuple(Document(f"e{i}", f"A red fox {i}. Snow falls on fox {i}.") for i in range(1, 8)))
SEARCHES = {"BM25": BM25(), "TF-IDF": TFIDF()}


def steps(corpora, sizes, **how):
    return tuple(grow(SEARCHES, corpora, sizes, ["nDCG@10", "R@2"], **how))


def test_added_passages_take_no_id_that_the_corpus_or_its_judgments_use_and_change_none_of_these():
    corpora = growing(FOXES, [OTHER, replace(OTHER, name="other")])
    ids = [document.id for document in corpora.added]
    assert len(set(ids)) == len(ids) == 14
    assert not {"d1", "d2", "other/e1", "other/e3", "other/e4"} & set(ids)
    grown = corpora.at(9)
    assert (grown.qrels, grown.queries, grown.subtopics) == (FOXES.qrels, FOXES.queries, FOXES.subtopics)
    assert grown.corpus.documents[:3] == OWN.documents


def test_sizes_are_exact_and_each_contains_the_smaller_ones():
    corpora = growing(FOXES, [OTHER], seed=3)
    assert corpora.limits == (3, 10)
    assert corpora.sizes() == (3, round(3 * (10 / 3) ** (1 / 3)), round(3 * (10 / 3) ** (2 / 3)), 10)
    assert corpora.sizes("10, 5,") == (3, 5, 10)
    small, large = (corpora.at(size).corpus.documents for size in (5, 10))
    assert (len(small), len(large)) == (5, 10)
    assert large[:5] == small
    done = steps(corpora, (3, 5, 10))
    assert [(step.size, len(step.experiment.collection.corpus)) for step in done] == [(3, 3), (5, 5), (10, 10)]
    assert all(step.bytes > 0 and step.ready.keys() == SEARCHES.keys() for step in done)


@pytest.mark.parametrize("text", ["2", "11", "many", "3.5", "-4", "1,000"])
def test_a_size_outside_the_limits_is_refused_with_them(text):
    with pytest.raises(ParameterError, match="is not a size between 3 and 10"):
        growing(FOXES, [OTHER]).sizes(text)


def test_the_order_of_additions_is_drawn_by_the_seed():
    first, again, other = (growing(FOXES, [OTHER], seed=seed).added for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert {d.id for d in first} == {d.id for d in other}


def test_sentences_are_added_one_by_one_and_copies_are_left_out_and_counted():
    copy = replace(OTHER, documents=(*OTHER.documents, Document("x", "a red fox")))
    whole, cut = (growing(FOXES, [copy], sentences=sentences) for sentences in (False, True))
    assert (len(whole.added), whole.copies) == (7, 1)
    assert (len(cut.added), cut.copies) == (14, 1)
    assert {"A red fox 1.", "Snow falls on fox 1."} <= {document.text for document in cut.added}
    with pytest.raises(EvaluationError, match="no passage to add"):
        growing(FOXES, [OWN])
    with pytest.raises(EvaluationError, match="no passage to add"):
        growing(FOXES, [])


def test_the_first_size_is_a_plain_evaluation_to_the_last_digit():
    (first, _) = steps(growing(FOXES, [OTHER]), (3, 10))
    plain = evaluate(SEARCHES, FOXES, ["nDCG@10", "R@2"])
    for name in SEARCHES:
        assert first.experiment.runs[name].results == plain.runs[name].results
        assert first.experiment.scores[name].per_query == plain.scores[name].per_query


def test_stopped_work_keeps_its_answers_and_continues():
    class Stopped(Exception):
        pass

    def stop(done, total):
        assert total == 6
        if done == 5:
            raise Stopped

    corpora, into, done = growing(FOXES, [OTHER]), dict[int, Gathered](), []
    with pytest.raises(Stopped):
        done += grow(SEARCHES, corpora, (3, 10), ["nDCG@10"], into=into, progress=stop)
    assert [into[size].done for size in (3, 10)] == [3, 1]
    again = steps(corpora, (3, 10), into=into)
    assert [step.experiment.scores for step in again] == [step.experiment.scores for step in steps(corpora, (3, 10))]


def test_rows_have_the_figures_of_each_size_and_notes_say_what_they_cannot_show():
    growth = Growth(steps(growing(FOXES, [OTHER]), (3, 10)), "nDCG@10", copies=2)
    assert [(row["passages"], row["search"]) for row in growth.rows] == [(n, s) for n in (3, 10) for s in SEARCHES]
    assert growth.rows[0]["value"] == evaluate(SEARCHES, FOXES, ["nDCG@10"]).mean("BM25", "nDCG@10")
    assert growth.rows[2]["judged"] < growth.rows[0]["judged"]
    assert growth.notes[0] == "No order flips from size 3 to 10."
    assert "Left out because the corpus has the same text: 2." in growth.notes
    assert "Added passages are not judged" in " ".join(growth.notes)


def lead(size, *away, ties=None, significant=False):
    return Lead(size, Difference("a", "b", "AP", {str(i): x for i, x in enumerate(away)}, ties=ties), significant)


UP, DOWN, EVEN = (0.2, 0.1), (-0.2, -0.1), (0.1, -0.1)


@pytest.mark.parametrize(
    ("away", "at"),
    [
        ([UP, UP], None),
        ([UP, EVEN], None),
        ([EVEN, UP], None),
        ([EVEN, EVEN], None),
        ([UP], None),
        ([UP, DOWN], (1,)),
        ([UP, EVEN, DOWN], (2,)),
        ([UP, EVEN, UP], None),
        ([EVEN, DOWN, UP], (2,)),
        ([UP, DOWN, UP], (1, 2)),
    ],
)
def test_an_order_flips_where_the_sign_changes_and_no_difference_has_no_sign(away, at):
    flip = find_flip([lead(size, *values) for size, values in enumerate(away)])
    assert (flip and flip.at) == at


def test_a_difference_within_ties_is_no_order():
    tied = lead(2, *DOWN, ties=(-0.3, 0.1))
    assert find_flip([lead(1, *UP), tied]) is None
    assert find_flip([lead(1, *UP), lead(2, *DOWN, ties=(-0.3, -0.1))]).at == (2,)


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("after", [True, False])
def test_a_flip_names_both_leads_and_whether_they_are_significant(before, after):
    flip = find_flip([lead(1000, *UP, significant=before), lead(2000, *UP), lead(30_000, *DOWN, significant=after)])
    verdicts = {(1, 1): "Both leads are", (1, 0): "Only the first lead is", (0, 1): "Only the second lead is"}
    verdict = verdicts.get((before, after), "Neither lead is")
    assert flip.describe() == (
        f"The order flips: at size 1,000, b leads by 0.150; at size 30,000, a by 0.150. {verdict} significant."
    )
    assert [end["significant"] for end in flip.to_dict()["leads"]] == [before, after]


def test_significance_is_corrected_for_all_pairs_at_a_size():
    searches = {**SEARCHES, "b 0": BM25(b=0)}
    done = tuple(grow(searches, growing(FOXES, [OTHER]), (3, 10), ["nDCG@10"]))
    leads = Growth(done, "nDCG@10").leads
    assert list(leads) == [("BM25", "TF-IDF"), ("BM25", "b 0"), ("TF-IDF", "b 0")]
    assert {lead.difference.family for at in leads.values() for lead in at} == {3}
