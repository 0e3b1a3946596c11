"""Answers that are remembered, so that nothing is asked twice."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from lab.core import Kept
from lab.errors import ModelError
from lab.models.chat import Completion, LanguageModel, OutOfReach, Prompt, Stream, messages

T = TypeVar("T")


class AnswerCache(Kept[Completion]):
    """Answers per prompt, the last ``size`` used; it belongs to one visitor, who drops it with the session."""

    def __init__(self, size: int = 500) -> None:
        super().__init__(size)


_ALL = "all"


@dataclass(frozen=True)
class Remembering:
    """A model that is asked the same thing once: answers come from ``cache``, where they are there.

    What failed is not asked again by the same object, and after an `OutOfReach` nothing is: whoever makes one for each
    run of a page asks once per run, and anew in the next.
    """

    model: LanguageModel
    cache: AnswerCache = field(repr=False, compare=False)
    failed: Kept[ModelError] = field(default_factory=lambda: Kept(1000), repr=False, compare=False)

    @property
    def label(self) -> str:
        return self.model.label

    def ask(self, prompt: Prompt, *, system: str = "", json: bool = False) -> Completion:
        key = (self.model, messages(prompt, system), json)
        kept = self.cache.get(key)
        if kept is not None:
            return replace(kept, remembered=True, seconds=0.0)
        answer = self._once(key, lambda: self.model.ask(prompt, system=system, json=json))
        self.cache.put(key, answer)
        return answer

    def _once(self, key: Hashable, ask: Callable[[], T]) -> T:
        """What is asked for, or the failure that it or the whole model has met before."""
        known = self.failed.get(_ALL) or self.failed.get(key)
        if known is not None:
            raise known.with_traceback(None)
        try:
            return ask()
        except ModelError as error:
            self.failed.put(_ALL if isinstance(error, OutOfReach) else key, error)
            raise

    def stream(self, prompt: Prompt, *, system: str = "") -> Stream:
        key = (self.model, messages(prompt, system), False)
        kept = self.cache.get(key)
        if kept is not None:
            again = replace(kept, remembered=True, seconds=0.0)
            return Stream(iter([again.text]), lambda text, seconds: again)
        own = self._once(key, lambda: self.model.stream(prompt, system=system))

        def finish(text: str, seconds: float) -> Completion:
            assert own.answer is not None
            self.cache.put(key, own.answer)
            return own.answer

        return Stream(iter(own), finish)
