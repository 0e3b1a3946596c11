"""Step back: a more general question beside the specific one.

Source: H. Zheng et al., *Take a Step Back: Evoking Reasoning via Abstraction in Large Language Models*, 2023.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lab.algebra import Corpus, Fusion, Index, QueryVariant, Ranking, Rewrite, Top, knob
from lab.rewrite.base import Found
from lab.rewrite.objects import pieces
from lab.rewrite.sub_questions import FRAME
from lab.rewrite.wording import Wording, WordRule, shared_words
from lab.text import language_of
from lab.words import N_, Said

TEMPLATES = {"en": "What should one know about {words}?", "zh": "关于{words}，有哪些基本情况？"}
TOPICS = 3


@dataclass(frozen=True)
class StepBack(WordRule):
    """Takes ``abstract_k`` documents of the general question and ``concrete_k`` of the original.

    The rule drops the more specific half of the content words (codes, numbers and what fewest passages contain) and
    keeps the nouns that more passages contain, with the words that the five nearest documents share more often than
    chance would have it.  Without either there is no more general subject, and it says so.
    """

    label = Said("Step-back question")
    kind = Said("general question")
    about = Said("Asks the question and a more general one.")
    neighbours = 5

    abstract_k: int = knob(
        5,
        low=1,
        high=50,
        label=Said("Results of the step-back question"),
        help=Said("Results taken from the step-back question."),
    )
    concrete_k: int = knob(
        3, low=0, high=50, label=Said("Results of the question"), help=Said("Results taken from the question itself.")
    )

    def merge(self, rewrite: Rewrite, lists: Sequence[Ranking], index: Index | None, by: Fusion, depth: int) -> Ranking:
        """Returns the first ``concrete_k`` of the question itself and the first ``abstract_k`` of the general one."""
        if len(lists) == 1 + len(rewrite.queries):  # else the question itself was left out
            concrete, *abstract = lists
            lists = [Top(self.concrete_k)(concrete), *map(Top(self.abstract_k), abstract)]
        return super().merge(rewrite, lists, index, by, depth)

    def rule(self, query: str, corpus: Corpus, search: Found) -> tuple[QueryVariant, ...]:
        wording = Wording.of(corpus)
        words = wording.topics(query, corpus)
        common = sorted(words.values())[(len(words) - 1) // 2] if words else 0
        kept = {w: n for w, n in words.items() if n > common and w in _subjects(query, words)}
        dropped = {w: n for w, n in words.items() if n <= common}
        shared = wording.join(shared_words(query, search, wording, documents=self.neighbours, n=TOPICS), corpus)
        general = kept | {w: len(wording.docs(w)) for w in shared}
        if not general:
            return self.nearest_words(_subjects(query, words) or [query], wording)
        language = language_of(query)
        text = TEMPLATES[language].format(words=("、" if language == "zh" else ", ").join(general))
        message = N_("Too specific: {dropped}. More general, as more passages contain it: {general}.")
        why = Said(message, dropped=_counted(dropped), general=_counted(general))
        return (QueryVariant(text, self.kind, why, searched=" ".join(general)),)

    def nothing(self, query: str, corpus: Corpus) -> str:
        words = _counted(Wording.of(corpus).topics(query, corpus))
        message = N_(
            "There is no more general subject: no noun of the question is in more passages than the others ({words}), "
            "and the nearest passages share none. A language model may know one."
        )
        return Said(message, words=words)


def _counted(words: Mapping[str, int]) -> list[str]:
    return [f"{word} ({n})" for word, n in words.items()] or ["–"]


def _subjects(query: str, words: Iterable[str]) -> list[str]:
    """Returns the words that may be the subject of a question: no verbs, numbers or codes."""
    frames = [query[m.start() : m.end()].lower().split()[-1] for m in FRAME.finditer(query)]
    verbs = {p.text for p in pieces(query) if p.tag[:1] in set("vdarmqt") and p.tag not in ("vn", "an")}
    return [w for w in words if w not in verbs and w not in frames and not any(c.isdigit() for c in w)]
