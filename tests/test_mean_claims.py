"""What a lesson says of two means is the verdict of the paired tests, with the numbers of its lists."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from lab import lessons
from lab.algebra import Corpus, Document, Query
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.evaluate.significance import Difference, compare
from lab.lessons import Lesson, Step
from lab.lessons.asking import predict
from lab.lessons.checking import MEASURE, Checker
from lab.lessons.course import course
from lab.retrieve.lexical import BM25
from tests.night import spread

LESSONS = [x for name in samples.names() for x in lessons.read(samples.folder(name))]
VERDICTS = {"mean_above", "mean_undecided", "p_of_lead"}
OTHERS = {"worse", "lead_kept", "judged", "class_significant", "class_misled", "first_place_decides"}
OTHERS |= {"precision_kept", "highest_precision", "kappa", "kappa_of_rule", "preferred_by_rule_only"}
ALL_QUESTIONS = re.compile(
    r"on average|\b[Oo]ver (?:all|the first)\b|\ball (?:judged )?questions\b|\bmeans? (?:of|nDCG|is|are|falls|rises)\b"
    r"|平均|全部已标注|全部问题|所有问题|全部算上"
)
COMPARED = re.compile(
    r"\b(?:better|worse|higher|lower|leads?|ahead|behind|gains?|loses?|raises?|helps?|differ)\b"
    r"|更好|更差|不如|更高|高 0|低 0|领先(?!幅度)|下降|变好|变差|好得多|优于|得益|差距|差别"
)
NOT_SHOWN = re.compile(
    r"not significant|significant either|differ significantly|(?:may|can) be chance|no significant|disagree"
    r"|interval of the difference contains 0|不显著|没有显著|出于偶然|只是偶然|说法不一|区间包含 0"
)


def kinds(expectations: Iterable[Mapping[str, Any]]) -> set[str]:
    """The kinds of these expectations, and their readings by name."""
    return {name for one in expectations for name in (*one, one.get("reading", ""))}


CLAIMS = [
    pytest.param(lesson, step, id=f"{lesson.corpus}-{lesson.id}-{i}")
    for lesson in LESSONS
    for i, step in enumerate(lesson.steps)
    if VERDICTS & kinds(step.expect)
]


def compares_means(text: str) -> bool:
    sentences = re.split(r"(?<=[.!?])\s|(?<=[。！？])", text)
    return any(ALL_QUESTIONS.search(sentence) and COMPARED.search(sentence) for sentence in sentences)


def test_whoever_compares_means_has_a_test_for_it():
    unproven = [
        f"{lesson.corpus}/{lesson.id}: {text}"
        for lesson in LESSONS
        for step in lesson.steps
        for text in step.text.values()
        if compares_means(text) and not (VERDICTS | OTHERS) & kinds(step.expect)
    ]
    assert unproven == []
    untested = [
        f"{lesson.corpus}/{lesson.id}: {title}"
        for lesson in LESSONS
        for title in lesson.title.values()
        if compares_means(title) and not (VERDICTS | OTHERS) & kinds(lesson.expect)
    ]
    assert untested == []


def differences(lesson: Lesson, step: Step) -> list[tuple[str, Difference]]:
    checker = Checker(lesson, samples.load(lesson.corpus))
    found = list[tuple[str, Difference]]()
    for expectation in step.expect:
        for kind in VERDICTS & kinds([expectation]):
            lead = kind == "p_of_lead"
            other, n = expectation["than" if lead else kind], [expectation["of"]] if lead else []
            away = compare(checker.scores(other), checker.scores(expectation["list"]), MEASURE)
            away = Difference(away.first, away.second, MEASURE, dict(list(away.away.items())[: n[0]])) if n else away
            found.append((kind, away))
    return found


@pytest.mark.parametrize(("lesson", "step"), spread(CLAIMS, 4))
def test_a_verdict_on_means_is_that_of_both_tests_and_its_numbers_are_measured(lesson: Lesson, step: Step):
    found = differences(lesson, step)
    for kind, away in found:
        assert away.significant == (kind == "mean_above"), (kind, away.p, away.randomised)
    leads = {f"{abs(away.mean):.3f}" for _kind, away in found}
    for title in lesson.title.values():
        assert set(re.findall(r"(?:lead of |领先 )(0\.\d{3})", title)) <= leads, title
    for text in step.text.values():
        undecided = [kind for kind, _away in found if kind != "mean_above"]
        assert bool(NOT_SHOWN.search(text)) == bool(undecided), text
        sizes = {f"{abs(away.mean):.{n}f}" for _kind, away in found for n in (2, 3)}
        ps = {f"{away.p:.2f}" for _kind, away in found if away.p is not None}
        assert set(re.findall(r"(?<!p = )(?<![\d.])0\.\d{2,3}(?!\d)", text)) <= sizes | {"0.05"}, (text, sizes)
        assert set(re.findall(r"p = (\d\.\d+)", text)) <= ps, (text, ps)
        counts = {str(n) for _kind, away in found for n in (away.better, away.worse, len(away))}
        told = re.findall(
            r"(\d+) (?:questions )?(?:are |gain|lose)?(?:better|worse|gain\b|lose\b)|(\d+) 个(?:问题)?[更变]", text
        )
        assert {a or b for a, b in told} <= counts, (text, counts)


@pytest.mark.parametrize(
    "title", [t for x in LESSONS for t in x.title.values() if re.search(r"MMR:|Fusing:|MMR：|融合：", t)]
)
def test_a_title_with_counts_says_that_they_decide_nothing(title: str):
    assert NOT_SHOWN.search(title)


def judged(n: int, better: int) -> Checker:
    """A collection of ``n`` questions: for ``better`` of them only the second list finds the answer first."""
    documents = [Document(f"d{i}", f"word{i}") for i in range(n)] + [
        Document(f"e{i}", f"word{i} word{i}") for i in range(n)
    ]
    queries = tuple(Query(f"word{i}", id=f"q{i}") for i in range(n))
    relevant = {f"q{i}": {f"e{i}" if i < better else f"d{i}": 1} for i in range(n)}
    lists = {"short": BM25(k1=0.1, b=1.0), "long": BM25(k1=2.0, b=0.0)}
    text = {"en": "Drawn", "zh": "抽到的"}
    lesson = Lesson("drawn", "evaluate", text, (Step(text),), "drawn", "word0", lists=lists)
    return Checker(lesson, Collection(Corpus("drawn", tuple(documents)), queries, relevant))


@pytest.mark.parametrize(("n", "better", "answer"), [(20, 12, 2), (20, 20, 1), (3, 3, 2), (20, 0, 0), (40, 22, 2)])
def test_below_significance_the_right_answer_is_no_difference(n: int, better: int, answer: int):
    checker = judged(n, better)
    asked = predict({"better": ["short", "long"]}, checker)
    away = compare(checker.scores("short"), checker.scores("long"), MEASURE)
    assert away.significant == (answer != 2)
    assert asked.answer == answer
    assert asked.options[2] == "No significant difference"
    assert " (p " in asked.found
    assert ("not significant" in asked.found) == (answer == 2)
    (above,) = checker({"list": "long", "mean_above": "short"}, "d0")
    (undecided,) = checker({"list": "long", "mean_undecided": "short"}, "d0")
    assert above.passed == (answer == 1)
    assert undecided.passed == (answer == 2)
    assert " (p " in above.found
    assert " (p " in undecided.found


def test_every_step_of_the_course_that_asks_which_is_better_is_on_measuring():
    asking = [
        (stage.id, lang) for stage in course() for lang, performed in stage.lessons.items() if "better" in performed.ask
    ]
    assert {stage for stage, _lang in asking} <= {"measuring"}
