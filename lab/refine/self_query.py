"""Conditions that a question states in words, as a filter on metadata fields: “reports from HR after 2024”.

The rule of `lab.refine.question_conditions` reads them.  A language model writes the same conditions in the language
of `lab.corpus.conditions`; they are parsed, and fields must exist.

Source: LangChain's ``SelfQueryRetriever``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from lab.algebra import Corpus, Env, Query, Ranking, Selection, knob
from lab.corpus.conditions import Condition, each_test, parse
from lab.corpus.fields import DAY, TEXT, FieldReading, field_reading, values_of
from lab.corpus.statistics import fields_of
from lab.errors import ParameterError
from lab.models.answers import Unreadable, json_object
from lab.models.chat import TEXT as JSON_TEXT
from lab.models.chat import Shape
from lab.models.consult import Reading, Request
from lab.models.prompting import TEMPLATE, Prompted, fill
from lab.refine.filters import Filter, Judged
from lab.refine.operators import asked_of
from lab.refine.question_conditions import QuestionConditions, Rule
from lab.refine.where import UNDECIDED, Where
from lab.text import language_of
from lab.text.quantities.dates import reference_date
from lab.words import Said

LISTED = 30
"""Values of a field that a model is shown."""


@dataclass(frozen=True)
class SelfQuery(Prompted, Filter):
    """Turns the conditions of the question into a filter on metadata fields.

    Without a model, a rule reads them (see above).  An answer of the model that is not a condition on fields of the
    corpus is not used; the rule's conditions then hold.  A rewritten question is judged by the conditions of the
    original one.  ``fields`` are the fields that a question may set; empty: all.  The evidence is a
    `QuestionConditions`.
    """

    inputs = ("question", "metadata")
    label = Said("Conditions in the question")
    about = Said("Turns conditions in the question into a filter on metadata fields (self-query).")
    shape = Shape.of("condition", condition=JSON_TEXT)
    selects = True

    fields: tuple[str, ...] = knob(
        (), Said("Fields"), Said("Fields that a question can set. Empty: all fields."), kind="words"
    )
    as_of: str = knob(
        "",
        Said("Reference date"),
        Said("What “today” means in “last year”. Empty: the latest date of the field."),
        kind="date",
    )
    undecided: str = UNDECIDED()
    template: str = TEMPLATE(
        help=Said("{question} and {fields} are filled in. Empty: the lab's prompt."), needs=("question", "fields")
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        reference_date(self.as_of)

    def select(self, query: Query, corpus: Corpus, env: Env) -> Selection | None:
        if corpus.elsewhere:
            return None
        conditions = self.read(asked_of(query), corpus, env)
        if conditions.condition is None:
            return Selection(None, conditions, lambda document: Said())
        where = Where(str(conditions.condition), undecided=self.undecided)  # not kept: it belongs to this question
        rows, checked = where.checked(corpus, [document.metadata for document in corpus])
        return Selection(rows, replace(conditions, checked=checked), partial(where.reason, corpus))

    def judge(self, ranking: Ranking, env: Env) -> Judged:
        conditions = self.read(asked_of(ranking.query), ranking.corpus, env)
        if conditions.condition is None:
            return Judged([None] * len(ranking.hits), conditions)
        judged = Where(str(conditions.condition), undecided=self.undecided).judge(ranking, env)
        return Judged(judged.reasons, replace(conditions, checked=judged.evidence))

    def read(self, question: str, corpus: Corpus, env: Env) -> QuestionConditions:
        """Returns the conditions of a question about this corpus: the model's, or else the rule's."""
        readings = self._readings(corpus)
        by_rule = Rule(question, corpus, readings, reference_date(self.as_of)).conditions
        if not self.model or not readings:
            return by_rule
        prompt = fill(
            self.prompt(language_of(question)),
            question=question,
            fields="\n".join(_described(reading, corpus) for reading in readings),
        )
        answer: Reading[Condition | tuple[()]] = self.consult(
            env, Request(prompt, partial(_read_answer, names=[r.name for r in readings])), self.shape
        )
        if answer.problem is not None:
            return replace(by_rule, problem=answer.problem)
        return QuestionConditions(answer.get() or None)

    def _readings(self, corpus: Corpus) -> list[FieldReading]:
        if corpus.elsewhere:
            return []
        names = [field.name for field in fields_of(corpus)]
        return [field_reading(corpus, name) for name in names if not self.fields or name in self.fields]


# ------------------------------------------------------------------------------------------------ by a model


def _described(reading: FieldReading, corpus: Corpus) -> str:
    """Returns the line about a field in the prompt: its name, its kind, and its values or their ends."""
    values = values_of(corpus, reading.name)
    if reading.kind == TEXT:
        shown = ", ".join(values[:LISTED]) + (", …" if len(values) > LISTED else "")
        return f"- {reading.name} (text): {shown}"
    return f"- {reading.name} ({'date' if reading.kind == DAY else 'number'}): {', '.join(values[:3])}, …"


def _read_answer(answer: str, names: Sequence[str]) -> Condition | tuple[()]:
    """Parses the model's condition; () if it says that there is none.  Raises `Unreadable`."""
    wanted = Said("a condition on the fields {names}", names=", ".join(names))
    text = json_object(answer).get("condition")
    if not isinstance(text, str):
        raise Unreadable(answer, wanted)
    if text.strip().lower() in ("", "none", "无", "no_condition"):
        return ()
    try:
        condition = parse(text)
    except ParameterError:
        raise Unreadable(answer, wanted) from None
    if any(test.field not in names for test in each_test(condition)):
        raise Unreadable(answer, wanted)
    return condition
