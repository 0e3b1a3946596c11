"""Answers that are remembered, so that nothing is asked twice."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lab.core import Kept
from lab.models.chat import Completion, LanguageModel, Prompt, Stream, messages


class AnswerCache(Kept[Completion]):
    """Answers per prompt, the last ``size`` used; it belongs to one visitor, who drops it with the session."""

    def __init__(self, size: int = 500) -> None:
        super().__init__(size)


@dataclass(frozen=True)
class Remembering:
    """A model that is asked the same thing once: answers come from ``cache``, where they are there."""

    model: LanguageModel
    cache: AnswerCache = field(repr=False, compare=False)

    @property
    def label(self) -> str:
        return self.model.label

    def ask(self, prompt: Prompt, *, system: str = "", json: bool = False) -> Completion:
        key = (self.model, messages(prompt, system), json)
        kept = self.cache.get(key)
        if kept is not None:
            return replace(kept, remembered=True, seconds=0.0)
        answer = self.model.ask(prompt, system=system, json=json)
        self.cache.put(key, answer)
        return answer

    def stream(self, prompt: Prompt, *, system: str = "") -> Stream:
        key = (self.model, messages(prompt, system), False)
        kept = self.cache.get(key)
        if kept is not None:
            again = replace(kept, remembered=True, seconds=0.0)
            return Stream(iter([again.text]), lambda text, seconds: again)
        own = self.model.stream(prompt, system=system)

        def finish(text: str, seconds: float) -> Completion:
            assert own.answer is not None
            self.cache.put(key, own.answer)
            return own.answer

        return Stream(iter(own), finish)
