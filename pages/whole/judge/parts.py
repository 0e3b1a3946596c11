"""The parts of the page Judge: a pool graded by keys, the agreement of two raters, grades out and in as files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from lab.algebra import Document, Ranking
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.errors import EvaluationError
from lab.evaluate.exchange import WRITERS
from lab.evaluate.judging import (
    Judgments,
    person,
    pool,
    qrels_text,
    queries_text,
    read_qrels,
    read_rated,
    unjudged,
    with_judgments,
)
from lab.lessons import Lesson
from lab.reading.ratings import is_rated
from lab.retrieve.explaining import Marker
from lab.ui import address, components, escape
from lab.ui.escape import plain
from lab.ui.i18n import _, _n, say
from lab.ui.layout import frame, tables
from lab.ui.layout.page import Page
from lab.ui.lists import gloss, grading, show
from lab.ui.people import keeping
from lab.words import Said


def received(sent: Any) -> None:
    """The clicks that a browser has sent, each once: those that came already are known by their number."""
    seen: dict[str, int] = frame.visitor().store(frame.JUDGMENTS).setdefault(keeping.SEEN, {})
    client, corpus = str(sent["client"])[:40], frame.current().corpus
    entries = list[tuple[str, Document, int | None, str]]()
    for click in sent["clicks"]:
        n, grade, document = int(click["n"]), click["grade"], corpus.get(str(click["doc"]))
        if n <= seen.get(client, 0):
            continue
        seen[client] = n
        question = str(click["question"])
        if document is not None and grading.is_grade(grade) and question.strip():
            entries.append((question, document, grade, person(str(click["rater"])[:60])))

    def with_clicks(judgments: Judgments) -> Judgments:
        for question, document, grade, name in entries:
            judgments = judgments.given(question, document, grade, name)
        return judgments

    if entries:
        grading.change(with_clicks)


def pooled(p: Page, question: str, documents: Sequence[Document], mark: Marker) -> None:
    grades = grading.judgments().on(p.frame.corpus).of(question, grading.rater())
    passages = [
        {
            "id": d.id,
            "title": d.label,
            "gloss": gloss.for_document(d),
            "text": show.segments(d.text, mark(d.text)),
            "grade": grades.get(d.id),
        }
        for d in documents
    ]
    words = {
        "label": _("Passages to judge"),
        "progress": _("{done} of {n} judged", done="{done}", n="{n}"),
        "passage": _("Passage {i} of {n}", i="{i}", n="{n}"),
        "grades": grading.grades(),
        "back": _("← Back"),
        "next": _("Next →"),
        "undo": _("Undo"),
        "keys": _("Keys: 0 to 3 judge, ← → move, U undoes"),
        "away": _("The keys do not work at the moment. Click here to judge with them."),
    }
    seen = dict(frame.visitor().store(frame.JUDGMENTS).get(keeping.SEEN, {}))
    data = {"question": question, "rater": grading.rater(), "passages": passages, "words": words, "seen": seen}
    pool = f"{p.frame.corpus.fingerprint}/{question}/{grading.rater()}/{'/'.join(sorted(d.id for d in documents))}"
    components.judge(data | {"pool": pool}, key=p.key("pool"), graded=received)


def next_question(p: Page, question: str) -> None:
    """How many questions of the corpus this rater has judged, and the way to the next one."""
    queries = p.frame.collection.queries
    grades = grading.judgments().on(p.frame.corpus).grades.get(grading.rater(), {})
    left = [q for q in queries if not grades.get(" ".join(q.text.split()).casefold())]
    row = st.container(horizontal=True, vertical_alignment="center")
    if queries:
        n_done = len(queries) - len(left)
        row.caption(_("Questions of this corpus with a grade of yours: {done} of {n}.", done=n_done, n=len(queries)))
    places = {q.text: i for i, q in enumerate(queries)}
    position = places.get(question, -1)
    after = [q for q in left if places[q.text] > position] or left
    if after and after[0].text != question:
        row.button(
            _("Next unjudged question"),
            key=p.key("next"),
            icon=":material/skip_next:",
            on_click=address.put,
            args=(address.QUESTION, after[0].text),
        )


def revealed(p: Page, question: str, rankings: Mapping[str, Ranking], k: int) -> None:
    """After the judging: which search had which of the graded passages, and where."""
    grades = grading.judgments().on(p.frame.corpus).of(question, grading.rater())
    columns: dict[str, Any] = {"passage": _("Passage"), "grade": _("Your grade")} | {name: name for name in rankings}
    rows = []
    for document in pool(rankings.values(), k):
        ranks = {name: ranking.rank(document.id) for name, ranking in rankings.items()}
        rows.append({"passage": document.label, "grade": grades.get(document.id), **ranks})
    rows.sort(key=lambda row: -1 if row["grade"] is None else row["grade"], reverse=True)
    tables.draw(_("Your grades, and which searches found the passages"), rows, key=p.key("revealed"), columns=columns)


# ---------------------------------------------------------------------------------------------- agreement, files


def agreement(p: Page, lesson: Lesson | None) -> None:
    """Draws the agreement of two raters and their disagreements; the raters of an open lesson come first."""
    judgments = grading.judgments().people
    if lesson is not None:
        judgments = lesson.judgments(p.frame.corpus).joined(judgments)
    placed = judgments.on(p.frame.corpus)
    names = [name for name in judgments.raters if placed.grades.get(name)]
    if len(names) < 2:
        st.caption(_("Rater agreement appears here once a second rater has judged."))
        return
    left, right = st.columns(2)
    with left:
        rater = p.choose("one", _("Rater"), names, names[0], format_func=grading.rater_label)
    with right:
        other_raters = [name for name in names if name != rater]
        other = p.choose("other", _("and"), other_raters, other_raters[0], format_func=grading.rater_label)
    both = placed.agreement(rater, other)
    st.markdown(plain(say(replace(both, one=grading.rater_label(rater), other=grading.rater_label(other)).told())))
    if both.apart:
        texts = {" ".join(j.question.split()).casefold(): j.question for j in judgments.current.values()}
        columns = {
            "passage": _("Passage"),
            "one": grading.rater_label(rater),
            "other": grading.rater_label(other),
            "question": _("Question"),
        }
        rows = []
        for question, doc in both.apart:
            document = p.frame.corpus.get(doc)
            title = document.label if document else doc
            rows.append(dict(zip(columns, (title, *both.pairs[question, doc], texts[question]), strict=True)))
        tables.draw(_("Disagreements of the raters"), rows, key=p.key("apart"), columns=columns)


def unplaced(p: Page) -> None:
    """The judgments that have no place in any corpus at hand: they are listed, and never thrown away."""
    judgments = grading.judgments()
    if not judgments:
        return
    uploads = [c for name in frame.uploads() if (c := frame.uploads().get(name)) is not None]
    corpora = [c.corpus for c in (*map(frame.collection, samples.names()), *uploads)]
    lost_by_corpus = [set(judgments.on(corpus).lost) for corpus in corpora]
    nowhere = [j for j in judgments.current.values() if all(j in lost_there for lost_there in lost_by_corpus)]
    if nowhere:
        st.warning(_("Grades of yours without a passage in the available corpora: {n}.", n=len(nowhere)))
        columns = {"question": _("Question"), "quote": _("Text"), "grade": _("Grade"), "rater": _("Rater")}
        rows = [(j.question, j.quote, j.grade, grading.rater_label(j.rater)) for j in nowhere]
        table = [dict(zip(columns, row, strict=True)) for row in rows]
        tables.draw(_("Grades without a passage"), table, key=p.key("lost"), columns=columns)


def files(p: Page) -> None:
    """Grades out, as qrels, as ratings for Quepid and OpenSearch and as every click; and in again."""
    everybody = "*"
    judgments = grading.judgments().people
    names = [everybody, *judgments.raters]
    words = {everybody: _("all (median)")} | {name: grading.rater_label(name) for name in names[1:]}
    whose = p.choose("whose", _("Grades by"), names, everybody, format_func=words.__getitem__)
    bare = replace(frame.collection(p.frame.corpus.name), qrels={})
    collection = with_judgments(bare, judgments, None if whose == everybody else whose)
    n = sum(map(len, collection.qrels.values()))
    st.caption(_("Grades for this corpus: {n}, questions: {m}", n=n, m=sum(map(bool, collection.qrels.values()))))
    judged = [q for q in collection.queries if collection.qrels.get(q.id)]
    row, stem = st.container(horizontal=True), f"{p.frame.corpus.name}-judged"

    def file(label: str, name: str, make: Callable[[], str]) -> None:
        key = p.key(f"get{name}")
        components.download(row, label, make, f"{stem}{name}", "text/plain", key=key, disabled=not judgments)

    with escape.problems():
        trec, beir = qrels_text(collection.qrels, on_blank="_"), qrels_text(collection.qrels, beir_layout=True)
        file(_("qrels (TREC)"), ".qrels", lambda: trec)
        file(_("qrels (BEIR)"), ".tsv", lambda: beir)
        file(_("Questions (queries.jsonl)"), "-queries.jsonl", lambda: queries_text(collection.queries))
        file(_("Every click (JSONL)"), "-clicks.jsonl", judgments.to_jsonl)
    with escape.problems():
        for label, form in (("Quepid (CSV)", "quepid"), ("Quepid (JSON)", "quepid-json"), ("OpenSearch", "opensearch")):
            write, end = WRITERS[form]
            spoken = {"say": say} if form == "opensearch" else {}
            text = write(replace(collection, queries=tuple(judged)), **spoken)
            file(label, end, partial(str, text))
    left = unjudged(p.frame.collection)
    if left:
        label = _n("{n} question without judgments", "{n} questions without judgments", len(left))
        make, file_name = (lambda: queries_text(left)), f"{stem}-unjudged.jsonl"
        components.download(row, label, make, file_name, "text/plain", key=p.key("get.unjudged"))
    _taken_in(p, frame.collection(p.frame.corpus.name))
    rater = grading.rater()
    if rater in grading.judgments().raters:
        st.button(
            _("Delete all grades of {name}", name=plain(grading.rater_label(rater))),
            key=p.key("forget"),
            on_click=lambda: grading.change(lambda judgments: judgments.without(rater)),
            icon=":material/delete:",
        )


def _taken_in(p: Page, c: Collection) -> None:
    label = _("Import: TREC or BEIR qrels, ratings of Quepid or OpenSearch, or clicks exported by the lab")
    for file in st.file_uploader(label, accept_multiple_files=True, key=p.key("in")):
        with escape.problems():
            text = _decoded(file.name, file.getvalue())
            remark, rater = Said(), file.name.rsplit(".", 1)[0]
            if is_rated(text):
                judgments, unknown, remark = read_rated(text, c, rater)
            elif text.lstrip().startswith("{"):
                judgments, unknown = Judgments.from_jsonl(text), tuple[tuple[str, str], ...]()
            else:
                judgments, unknown = read_qrels(text, c, rater)
            n = _("{name}, grades: {n}", name=plain(file.name, 40), n=len(judgments))
            st.markdown(n)
            if remark:
                st.caption(say(remark))
            if unknown:
                first = " ".join(unknown[0])
                st.warning(
                    plain(
                        _("Naming a missing question or passage: {n}, the first: {first}", n=len(unknown), first=first)
                    )
                )
            joined = partial(Judgments.joined, others=judgments)
            st.button(
                _("Import"),
                key=p.key(f"take.{file.name}"),
                on_click=grading.change,
                args=(joined,),
                disabled=not judgments,
            )


def _decoded(name: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise EvaluationError(Said("{file} is not UTF-8.", file=name), Said("Save the file as UTF-8.")) from None
