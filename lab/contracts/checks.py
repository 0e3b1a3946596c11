"""The laws of each kind of operator, as checks that take an operator and a case (a corpus and a question).

`laws_of` returns the laws of an operator.  The tests put the lab's own operators to the same checks.
"""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import lab.contracts.laws as laws
from lab import catalog, formats
from lab.algebra import (
    NEEDS,
    Corpus,
    Derivation,
    Document,
    Fusion,
    Hit,
    Lift,
    Operator,
    Query,
    Ranking,
    Retriever,
    Rewrite,
    Rewriter,
    Runner,
    Stage,
    Top,
    Turn,
)
from lab.contracts.laws import BrokenLaw, require
from lab.contracts.specimens import Case, search_with
from lab.errors import LabError, ParameterError, PipelineError
from lab.models.embedders import Embedder, neural_model
from lab.models.secrets import Secret
from lab.retrieve.explaining import Explains
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector

Check = Callable[[Any, Case], None]
NO_NUMBERS: tuple[object, ...] = (0, -1, 1.5, 2.0, "3", None, math.inf, math.nan, True)
"""Values that are not a number of documents."""
OTHERS: Mapping[str, Sequence[object]] = {
    "flag": [None, "x", 1],
    **dict.fromkeys(("text", "date", "prompt", "model"), [5, None, ["x"]]),
    **dict.fromkeys(("words", "lines"), [None, 5, "word", (5,), (None,)]),
    "numbers": [5, "1", ("x",), (None,), (math.nan,), (True,), (10**400,)],
    "spec": [5, None, "x y"],
}
"""Kind of knob to values that are not of that kind."""


def refused(action: Callable[[], object], action_name: str, kind: type[LabError] = ParameterError) -> str:
    """Returns the message of the error that an action raises.  Raises `BrokenLaw` if it raises no such error."""
    try:
        action()
    except kind as error:
        return str(error)
    except Exception as error:
        raise BrokenLaw(f"{action_name} raises {type(error).__name__}, not {kind.__name__}.") from error
    raise BrokenLaw(f"{action_name} is accepted. It must raise {kind.__name__}.")


# --------------------------------------------------------------------------------------- classes and their knobs


def check_class(cls: type[Operator]) -> None:
    """The class is a frozen dataclass with a docstring and a unique key, and the catalogue finds it."""
    name = cls.__name__
    require("__dataclass_fields__" in vars(cls), f"{name} is not decorated with @dataclass(frozen=True).")
    require(vars(cls)["__dataclass_params__"].frozen, f"{name} is not frozen.")
    doc = (cls.__doc__ or "").strip()
    require(bool(doc) and not doc.startswith(f"{name}("), f"{name} has no docstring that says what it is.")
    key = cls.key
    require(key.isidentifier() and key == key.casefold(), f"The key of {name} is “{key}”: use small letters.")
    operators = catalog.operators()
    require(operators.get(name) is cls, f"The catalogue does not find {name}.")
    require(catalog.among(operators, "operator", key) is cls, f"The key “{key}” leads to another class than {name}.")
    clashes = {"key", "portable", "family", "label"} & {field.name for field in dataclasses.fields(cls)}
    require(not clashes, f"{name} has a parameter “{min(clashes, default='')}”, which is the name of something else.")


def check_words(cls: type[Operator]) -> None:
    """The class has a sentence that says what it does, and every knob has a label and a help."""
    require(bool(cls.about), f"{cls.__name__} has no “about”: one sentence that says what it does.")
    sentence = not cls.about[:1].islower() and cls.about[-1:] in (".", "。")
    require(sentence, f"The “about” of {cls.__name__} is not a sentence: write it with a capital and a full stop.")
    for field in (field for field in dataclasses.fields(cls) if field.init):
        require("kind" in field.metadata, f"“{field.name}” is not a knob: write {field.name}: … = knob(…).")
        for word in ("label", "help"):
            require(bool(field.metadata[word]), f"The knob “{field.name}” has no {word}.")


def check_knobs(operator: Operator) -> None:
    """Every knob takes what its range allows, and refuses in words what it does not."""
    for field in dataclasses.fields(operator):
        if "kind" in field.metadata:
            check_range(operator, field)
            check_kind(operator, field)
            check_choices(operator, field)


def check_range(operator: Operator, field: dataclasses.Field[Any]) -> None:
    """A number outside the range is refused with the range; its ends are taken."""
    low, high = field.metadata["low"], field.metadata["high"]
    limits = [limit for limit in (low, high) if limit is not None]
    for value in [*([] if low is None else [low - 1]), *([] if high is None else [high + 1])]:
        words = refused(lambda: _with(operator, field, value), f"{field.name}={value}")  # noqa: B023 - called at once
        complete = all(part in words for part in (field.name, str(value), *map(str, limits)))
        require(complete, f"The refusal of {field.name}={value} does not name parameter, value and range: “{words}”")
    for limit in limits:
        try:
            is_same = getattr(_with(operator, field, limit), field.name) == limit
            require(is_same, f"{field.name}={limit} becomes another value.")
        except ParameterError as error:  # two knobs that must agree, k and fetch_k for instance
            require(field.name in str(error), f"{field.name}={limit} is within the range, but refused: {error}")
    if limits:
        for wrong in (math.nan, "1", True, [1], 10**400):
            refused(lambda: _with(operator, field, wrong), f"{field.name}={str(wrong)[:9]}")  # noqa: B023


def check_kind(operator: Operator, field: dataclasses.Field[Any]) -> None:
    """A value of another kind is refused in words."""
    for wrong in OTHERS.get(field.metadata["kind"], ()):
        if wrong is not None or field.default is not None:
            assignment = f"{field.name}={str(wrong)[:9]!r}"
            refused(lambda: _with(operator, field, wrong), assignment, LabError)  # noqa: B023


def check_choices(operator: Operator, field: dataclasses.Field[Any]) -> None:
    """An unknown choice is refused with the known ones."""
    if choices := field.metadata["choices"]:
        words = refused(lambda: _with(operator, field, "no such thing"), f"{field.name}='no such thing'")
        require(all(choice in words for choice in choices), f"The refusal does not name the choices: “{words}”")


def _with(operator: Operator, field: dataclasses.Field[Any], value: object) -> Any:
    return dataclasses.replace(operator, **{field.name: value})


# ------------------------------------------------------------------------------------------------ specifications


def check_value(operator: Operator) -> None:
    """A specification is a frozen value: equal and hashed by its fields, copied, pickled, printed, with a label."""
    for field in dataclasses.fields(operator):
        try:
            setattr(operator, field.name, getattr(operator, field.name))
        except dataclasses.FrozenInstanceError:
            continue
        raise BrokenLaw(f"“{field.name}” can be set.")
    twin = dataclasses.replace(operator)
    require(
        twin == operator and hash(twin) == hash(operator), "An equal specification is not equal, or not in its hash."
    )
    if not any(isinstance(getattr(operator, field.name), Secret) for field in dataclasses.fields(operator)):
        require(copy.deepcopy(operator) == operator, "A copy is not equal.")
        require(pickle.loads(pickle.dumps(operator)) == operator, "Pickled and loaded again, it is not equal.")
    again = eval(repr(operator), names())  # the repr of a class that was loaded to be run
    require(again == operator and hash(again) == hash(operator), f"Its repr does not make it again: {operator!r}.")
    require(operator.key == type(operator).key, "Its key is not the key of its class.")
    require(bool(operator.label.strip()) and "\n" not in operator.label, "Its label is empty, or has several lines.")


def names() -> dict[str, Any]:
    """Returns every name that the repr of a specification may have, that of a neural model left out included."""
    return {type(neural_model()).__name__: type(neural_model()), **catalog.operators(), **catalog.specifications()}


def check_writing(operator: Operator) -> None:
    """A specification survives a file, a link and an expression; one with an address or a key is refused there."""
    search = search_with(operator)
    if not operator.portable:
        words = refused(lambda: formats.to_table(search or operator), "Writing it down", PipelineError)
        require("no addresses or keys" in words, f"The refusal to write it down does not say why: “{words}”")
        return
    if search is None:  # not a part of a search, such as an answer or a citation rule
        require(formats.build(formats.expression(operator)) == operator, "Its expression does not make it again.")
        return
    ways: Mapping[str, Callable[[], Any]] = {
        "A file": lambda: formats.from_toml(formats.to_toml(search)),
        "A link": lambda: formats.from_link(formats.to_link(search)),
        "An expression": lambda: formats.parse(formats.expression(search)),
        "A table": lambda: formats.from_table(formats.to_table(search)),
        "Python": lambda: eval(formats.expression(search), names()),
    }
    for way, read in ways.items():
        again = read()
        require(again == search and hash(again) == hash(search), f"{way} gives another search than was written.")
        require(formats.to_toml(again) == formats.to_toml(search), f"{way} gives a search that is written otherwise.")


# --------------------------------------------------------------------------------------------------- retrievers


def check_search(retriever: Retriever, case: Case, counts: Sequence[int] = (1, 3, 9)) -> None:
    """A search gives a proper ranking."""
    corpus, query = case
    before, index = _values(corpus), retriever.index(corpus)
    for k in counts:
        ranking = index.search(query, k=k)
        laws.check_ranking(ranking, corpus)
        require(_values(corpus) == before, "The search changed the corpus.")
        require(ranking.query == Query(query), "The ranking names another question.")
        require(ranking.made_by == retriever, "The ranking names another retriever as its maker.")
        require(ranking.parents == () and ranking.dropped == (), "The ranking of a retriever has parents or drops.")
        require(len(ranking) <= k, f"{k} documents were asked for, and {len(ranking)} returned.")
        laws.check_match(index, query, ranking)
        laws.check_documents(ranking.hits, corpus)
        laws.check_order(ranking.hits)
        if isinstance(index, Explains):
            laws.check_explanation(index, Query(query), ranking)


def _values(corpus: Corpus) -> list[tuple[str, str, str, dict[str, Any]]]:
    return [(d.id, d.text, d.title, dict(d.metadata)) for d in corpus]


def check_search_repeats(retriever: Retriever, case: Case) -> None:
    """Searching twice gives the same list, also on a fresh copy of the corpus."""
    corpus, query = case
    index = retriever.index(corpus)
    first = index.search(query, k=5)
    require(index.search(query, k=5) == first, "Searching twice gives two lists.")
    fresh = Corpus(corpus.name, corpus.documents)  # nothing remembered
    require(retriever.index(fresh).search(query, k=5) == first, "A fresh copy of the corpus gives another list.")


def check_unexplained(retriever: Retriever, case: Case) -> None:
    """``explain=False`` changes nothing but ``why``."""
    index = retriever.index(case.corpus)
    explained, plain = index.search(case.query), index.search(case.query, explain=False)
    same = [(h.document, h.score) for h in explained] == [(h.document, h.score) for h in plain]
    require(same, "explain=False changes documents or scores.")
    require(all(len(h.why) == 0 for h in plain), "explain=False still gives reasons.")


def check_prefix(retriever: Retriever, case: Case) -> None:
    """A shorter list is the beginning of a longer one, and a list that may continue has its number in ``asked``."""
    index = retriever.index(case.corpus)
    longest = index.search(case.query, k=1000)
    require(len(longest) <= len(case.corpus), "The list is longer than the corpus.")
    if retriever.approximate:
        return
    for k in range(1, len(case.corpus) + 2):
        shorter = index.search(case.query, k=k)
        require(shorter.hits == longest.hits[:k], f"The first {k} are not the beginning of the whole list.")
        advice = "Give the ranking asked=k if the list may go on, else 0"
        if len(longest) > k:
            require(shorter.asked == k, f"A list that was cut at {k} says asked={shorter.asked}. {advice}.")
        elif len(longest) < k:
            require(shorter.asked == 0, f"A list that is whole says asked={shorter.asked}. {advice}.")


def check_copies(retriever: Retriever, case: Case, copies: int = 3) -> None:
    """Equal documents have equal scores, and the order of the corpus does not decide between them."""
    text, other = [*(d.text for d in case.corpus), "battery", "年假"][:2]
    check_ties(retriever, text, other, case.query, copies)


def check_ties(retriever: Retriever, text: str, other: str, query: str, copies: int) -> None:
    """Copies of a text have equal scores, and the same order in a corpus that is written the other way round."""
    documents = [Document(f"z{9 - i}", text) if i % 2 == 0 else Document(f"a{i}", other) for i in range(2 * copies)]
    ranking, reverse = (
        retriever.index(Corpus("copies", tuple(rows))).search(f"{text} {query}")
        for rows in (documents, documents[::-1])
    )
    copies_found = [h for h in ranking if h.document.text == text]
    if text != other:
        require(len(copies_found) in (0, copies), f"Of {copies} equal documents {len(copies_found)} are in the list.")
    require(len({h.score for h in copies_found}) <= 1, "Equal documents have different scores.")
    in_reverse = [h.document for h in reverse if h.document.text == text]
    require(
        in_reverse == [h.document for h in copies_found],
        "The order of the corpus decides between equal documents: use `in_order`.",
    )


def check_nothing_found(retriever: Retriever, case: Case) -> None:
    """An empty question and an empty corpus find nothing."""
    index = retriever.index(case.corpus)
    for query in ("", " ", "\t\n　"):
        require(not index.search(query).hits, f"The empty question {query!r} finds something.")
    require(not retriever.index(Corpus("empty", ())).search(case.query).hits, "An empty corpus contains something.")


def check_one_document(retriever: Retriever, case: Case) -> None:
    """One document is a corpus, whatever its text."""
    for text in {case.query, *(d.text for d in case.corpus)}:
        index = retriever.index(Corpus("one", (Document("only", text),)))
        ranking = index.search(case.query)
        require([h.document.id for h in ranking] in ([], ["only"]), "A corpus of one document gives something else.")
        laws.check_scores(ranking.hits)
        laws.check_match(index, case.query, ranking)
        laws.check_addends(ranking.hits)


def check_k(retriever: Retriever, case: Case) -> None:
    """``k`` is a whole number from 1."""
    index = retriever.index(case.corpus)
    for k in NO_NUMBERS:
        words = refused(lambda: index.search("battery", k=k), f"k={k!r}")  # type: ignore[arg-type]  # noqa: B023
        require("k is" in words, f"The refusal of k={k!r} does not name k: “{words}”")


def check_word(retriever: Retriever, case: Case) -> None:
    """A word that one document has finds that document first, if the question is compared with the documents."""
    if not retriever.compares:
        return
    words = ("退货", "battery", "报销")
    index = retriever.index(Corpus("topics", tuple(Document(w, f"{w} {w} {i}") for i, w in enumerate(words))))
    for word in words:
        first = [h.document.id for h in index.search(word)][:1]
        require(
            first == [word],
            f"“{word}”, which one of three documents has, does not find that document first. Match words of two "
            "characters, too; or set compares = False if the question is not compared with the documents.",
        )


# ----------------------------------------------------------------------------------------- fusions and stages


LISTS = (BM25(), TFIDF(), Vector(), BM25(variant="lucene", k1=0.0))
"""The retrievers whose lists are fused and refined."""


def lists(case: Case, number: int) -> list[Ranking]:
    """Returns the lists of the first ``number`` retrievers."""
    return [retriever.index(case.corpus).search(case.query, k=5) for retriever in LISTS[:number]]


def check_fusion(fusion: Fusion, case: Case, numbers: Sequence[int] = (1, 2, 4)) -> None:
    """A fusion gives a proper ranking of all documents of its lists, and changes no list."""
    for number in numbers:
        rankings = lists(case, number)
        before = [laws.snapshot(r) for r in rankings]
        fused = fusion(rankings)
        require([laws.snapshot(r) for r in rankings] == before, "The fusion changed a list that it was given.")
        laws.check_ranking(fused, case.corpus)
        laws.check_documents(fused.hits, case.corpus)
        laws.check_order(fused.hits, *rankings)
        require(fused.query == Query(case.query) and fused.made_by == fusion, "The ranking names another maker.")
        require(fused.parents == tuple(rankings), "The ranking does not name its lists as parents.")
        fused_ids, list_ids = {h.document.id for h in fused}, {h.document.id for r in rankings for h in r}
        require(
            fused_ids == list_ids, f"{len(list_ids)} documents are in the lists, and {len(fused_ids)} in the fused one."
        )
        lineage = {id(r) for r in fused.lineage()}
        require(lineage == {id(fused), *map(id, rankings)}, "The lineage is not the fused list and its parents.")


def check_fusion_repeats(fusion: Fusion, case: Case) -> None:
    """Fusing the same lists twice gives the same list."""
    rankings = lists(case, 3)
    require(fusion(rankings) == fusion(rankings), "Fusing twice gives two lists.")


def check_turns(fusion: Fusion, case: Case) -> None:
    """Without weights, the order of the lists does not matter."""
    if getattr(fusion, "weights", ()):  # weights depend on the order
        return
    first, second, third = lists(case, 3)
    forwards, backwards = (
        {h.document.id: h.score for h in fusion(rs)} for rs in ([first, second, third], [third, first, second])
    )
    same = forwards.keys() == backwards.keys() and all(
        math.isclose(forwards[i], backwards[i], rel_tol=1e-12, abs_tol=1e-12) for i in forwards
    )
    require(same, "Without weights, the order of the lists changes the scores.")


def check_empty_lists(fusion: Fusion, case: Case) -> None:
    """Empty lists make an empty list; no list is refused."""
    fused = fusion(lists(Case(Corpus("empty", ()), "battery"), 3))
    require(fused.hits == (), "Empty lists make a list that is not empty.")
    require(len(fused.parents) == 3, "Empty lists are no parents.")
    refused(lambda: fusion([]), "Fusing no list")


def _with_documents(ranking: Ranking, change: Callable[[Document], Document]) -> Ranking:
    corpus = Corpus(ranking.corpus.name, tuple(map(change, ranking.corpus.documents)))
    hits = (dataclasses.replace(hit, document=change(hit.document)) for hit in ranking.hits)
    return dataclasses.replace(ranking, hits=tuple(hits), corpus=corpus)


def _with_other_scores(ranking: Ranking) -> Ranking:
    """Returns the list in the same order, with scores that fall at another pace."""
    hits = (Hit(hit.document, 1 / rank**3) for rank, hit in enumerate(ranking.hits, 1))
    return dataclasses.replace(ranking, hits=tuple(hits))


WITHOUT: Mapping[str, Callable[[Ranking], Ranking]] = {
    "question": lambda r: dataclasses.replace(r, query=dataclasses.replace(r.query, text="charging 电池", weights=())),
    "turns": lambda r: dataclasses.replace(
        r, query=dataclasses.replace(r.query, turns=(Turn("battery", shown=tuple(r.ids)),))
    ),
    "scores": _with_other_scores,
    "texts": lambda r: _with_documents(r, lambda d: dataclasses.replace(d, text=f"text {len(d.id)}", title="")),
    "metadata": lambda r: _with_documents(r, lambda d: dataclasses.replace(d, metadata={})),
}
"""A list without, or with another, of each thing that a stage may read."""


def check_stage(stage: Stage, case: Case, counts: Sequence[int] = (1, 4, 9)) -> None:
    """A stage gives a proper ranking: every document of its input is kept, or dropped with a reason."""
    for retriever in (BM25(), Vector()):
        for k in counts:
            check_refined(stage, retriever.index(case.corpus).search(case.query, k=k))


def check_refined(stage: Stage, before: Ranking) -> Ranking:
    """Checks the ranking that a stage makes from this one, and returns it."""
    before_values = laws.snapshot(before)
    after = stage(before)
    require(laws.snapshot(before) == before_values, "The stage changed the list that it was given.")
    laws.check_ranking(after, before.corpus)
    require(after.query == before.query, "The ranking names another question.")
    require(after.made_by == stage, "The ranking names another stage.")
    require(len(after.parents) == 1 and after.parents[0] is before, "The ranking does not name the list before it.")
    if not stage.makes_documents:
        laws.check_nothing_lost(before, after)
    return after


def check_stage_twice(stage: Stage, case: Case) -> None:
    """A stage takes what a stage gives, and gives the same for the same list."""
    before = BM25().index(case.corpus).search(case.query)
    after = check_refined(stage, check_refined(stage, before))
    require(len(list(after.lineage())) == 3, "Two stages in a row do not have three lists in their lineage.")
    before = Vector().index(case.corpus).search(case.query)
    require(stage(before) == stage(before), "Refining twice gives two lists.")


def check_stage_inputs(stage: Stage, case: Case) -> None:
    """A stage that says what it reads depends on nothing else: without all other things it gives the same list."""
    if stage.inputs is None:
        return
    unknown = set(stage.inputs) - set(NEEDS)
    require(not unknown, f"It reads “{min(unknown, default='')}”, which is not one of: {', '.join(NEEDS)}.")
    before = Vector().index(case.corpus).search(case.query)
    after = stage(before)
    for name, without in WITHOUT.items():
        if name not in stage.inputs:
            other = stage(without(before))
            same = other.ids == after.ids and [d.document.id for d in other.dropped] == [
                d.document.id for d in after.dropped
            ]
            require(same, f"It depends on {NEEDS[name]}, which “inputs” does not name.")


def check_stage_of_nothing(stage: Stage, case: Case) -> None:
    """An empty list gives an empty list, and a stage may be followed by another."""
    for corpus in (case.corpus, Corpus("empty", ())):
        after = check_refined(stage, BM25().index(corpus).search(""))
        require(after.hits == () and after.dropped == (), "An empty list becomes one that is not empty.")
    before = Vector().index(case.corpus).search(case.query)
    after = before.then(stage, Top(1))
    require(after == Top(1)(stage(before)), "Followed by another stage, it gives something else.")


# ------------------------------------------------------------------------------------ derivations and rewriters


def check_derivation(derivation: Derivation, case: Case) -> None:
    """Every derived document has an origin, and a list of them is brought back to documents of the corpus."""
    laws.check_derived(derivation, case.corpus)
    for by in ("best", "sum"):
        search = dataclasses.replace(derivation(BM25()), refine=(Lift(by=by),))
        ranking = Runner(case.corpus)(search, case.query, 5)
        laws.check_ranking(ranking, case.corpus)
        laws.check_documents(ranking.hits, case.corpus)


def check_rewriter(rewriter: Rewriter, case: Case) -> None:
    """A rewriter keeps the question, gives the same wordings again, and its search gives a proper ranking."""
    query = Query(case.query)
    rewrite = rewriter.rewrite(query, case.corpus)
    require(isinstance(rewrite, Rewrite), f"The result is a {type(rewrite).__name__}, not a Rewrite.")
    require(rewrite.original == query, "The rewrite names another question.")
    require(rewrite.made_by == rewriter, "The rewrite names another rewriter.")
    for variant in rewrite.queries:
        require(bool(variant.kind), f"The wording “{variant.text[:40]}” does not say of which kind it is.")
    again = rewriter.rewrite(query, case.corpus)
    require(
        [v.query for v in again.queries] == [v.query for v in rewrite.queries], "Rewriting twice gives two results."
    )
    if rewriter.merged_by is None and rewrite.queries:  # a pipeline has to name a fusion
        return
    ranking = Runner(case.corpus)(rewriter(BM25()), query, 5)
    laws.check_ranking(ranking, case.corpus)
    laws.check_documents(ranking.hits, case.corpus)
    laws.check_order(ranking.hits, *ranking.parents)


# ------------------------------------------------------------------------------------------------------- tables

SPECIFICATION: Mapping[str, Callable[[Any], None]] = {
    "It is a frozen value that can be printed, copied and compared": check_value,
    "It survives files, links and expressions": check_writing,
}
CLASS: Mapping[str, Callable[[Any], None]] = {
    "It is a frozen dataclass with a docstring and a unique key": check_class,
    "It says what it does, and what each knob is": check_words,
}
KNOBS = "Every knob takes its range and refuses everything else in words"
RETRIEVER: Mapping[str, Check] = {
    "A search gives a proper ranking": check_search,
    "The same search gives the same list": check_search_repeats,
    "Without reasons the list is the same": check_unexplained,
    "A shorter list is the beginning of a longer one": check_prefix,
    "Equal documents tie, and the order of the corpus does not decide": check_copies,
    "An empty question and an empty corpus find nothing": check_nothing_found,
    "One document is a corpus": check_one_document,
    "k is a whole number from 1": check_k,
    "A word of one document finds it first": check_word,
}
FUSION: Mapping[str, Check] = {
    "A fusion gives a proper ranking": check_fusion,
    "The same lists give the same fused list": check_fusion_repeats,
    "Without weights the order of the lists does not matter": check_turns,
    "Documents with the same ranks and scores tie exactly": laws.check_exact_ties,
    "Empty lists make an empty list": check_empty_lists,
}
STAGE: Mapping[str, Check] = {
    "A stage gives a proper ranking": check_stage,
    "A stage takes what a stage gives": check_stage_twice,
    "A stage reads what it says": check_stage_inputs,
    "Nothing in, nothing out": check_stage_of_nothing,
}
DERIVATION: Mapping[str, Check] = {"Every derived document has its origin": check_derivation}
REWRITER: Mapping[str, Check] = {"A rewriter keeps the question and gives wordings": check_rewriter}


def laws_of(operator: Operator) -> Mapping[str, Check]:
    """Returns the checks of an operator's kind, each under the sentence that it checks."""
    kinds = {Retriever: RETRIEVER, Fusion: FUSION, Stage: STAGE, Derivation: DERIVATION, Rewriter: REWRITER}
    laws_of_kind = next((checks for kind, checks in kinds.items() if isinstance(operator, kind)), {})
    if isinstance(operator, Embedder):
        return {f"Vector search: {law}": _of_vectors(check) for law, check in RETRIEVER.items()}
    return laws_of_kind


def _of_vectors(check: Check) -> Check:
    return lambda embedder, case: check(Vector(embedder=embedder), case)
