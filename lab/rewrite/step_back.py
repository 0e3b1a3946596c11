"""Step back: a more general question beside the specific one.

Source: H. Zheng et al., *Take a Step Back: Evoking Reasoning via Abstraction in Large Language Models*, 2023.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lab.algebra import Corpus, Fusion, Index, QueryVariant, Ranking, Rewrite, Top, knob
from lab.rewrite.base import Found, Rewording
from lab.rewrite.wording import Wording, shared_words
from lab.text import language_of
from lab.words import N_, Said

TEMPLATES = {"en": "What should one know about {words}?", "zh": "关于{words}，有哪些基本情况？"}
MANY = 3
"""Number of content words of which a single one says nothing."""
TOPICS = 3
NEIGHBOURS = 5


@dataclass(frozen=True)
class StepBack(Rewording):
    """Takes ``abstract_k`` documents of the general question and ``concrete_k`` of the original.

    The rule drops the more specific half of the content words (codes, numbers and what is rarest in the corpus)
    and lifts the rest to what the five nearest documents share: the words that several of them have and few others.
    If no passage has more than one of three or more content words, the match may be chance, and the rule abstains;
    a passage in another language does not count, as it cannot have them.
    """

    label = Said("Step-back question")
    kind = Said("general question")
    about = Said("Asks the question and a more general one.")

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

    def obstacle(self, query: str, corpus: Corpus) -> str:
        wording = Wording.of(corpus)
        words = list(dict.fromkeys(t.text for t in wording.content(query)))
        best, together = wording.together(words)
        if len(words) < MANY or len(together) != 1:
            return ""
        if language_of(corpus.documents[best].content) != language_of(query):
            return ""
        message = N_(
            "The rule abstains: no passage has more than one of the {n} content words of the question. “{word}” may be "
            "there by chance."
        )
        return Said(message, n=len(words), word=together[0])

    def rule(self, query: str, corpus: Corpus, search: Found) -> tuple[QueryVariant, ...]:
        wording = Wording.of(corpus)
        words = wording.topics(query, corpus)
        known = [w for w, n in words.items() if n and not any(c.isdigit() for c in w)]
        common = sorted(known, key=words.__getitem__, reverse=True)[: max(1, len(words) // 2)]
        common_words = [w for w in words if w in common]
        topics = wording.join(shared_words(query, search, wording, documents=NEIGHBOURS, n=TOPICS), corpus)
        if not common_words + topics:
            return ()
        separator = "、" if language_of(query) == "zh" else ", "
        text = TEMPLATES[language_of(query)].format(words=separator.join(common_words + topics))
        dropped = [w for w in words if w not in common_words]
        message = N_("Removed as too specific: {dropped}; added from the nearest documents: {topics}.")
        why = Said(message, dropped=dropped or "–", topics=[*topics] or "–")
        return (QueryVariant(text, self.kind, why, searched=" ".join(common_words + topics)),)
