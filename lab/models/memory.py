"""Answers that are remembered, so that nothing is asked twice, and questions that wait until a page is drawn."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import TypeVar

from lab.errors import ModelError
from lab.kept import Kept
from lab.models.chat import Completion, LanguageModel, Message, OutOfReach, Prompt, Shape, Stream, messages
from lab.words import Said

T = TypeVar("T")


class AnswerCache(Kept[Completion]):
    """Answers per prompt, the last ``size`` used; it belongs to one visitor, who drops it with the session.

    ``asking`` are the prompts that are with a model just now: who asks the same meanwhile gets the same answer.
    """

    def __init__(self, size: int = 500) -> None:
        super().__init__(size)
        self.asking: dict[Hashable, Future[Completion]] = {}


_ALL = "all"


class Standing:
    """What stands for another model: equal are those that stand for the same one, however they ask it."""

    model: LanguageModel | Standing

    @property
    def heart(self) -> LanguageModel:
        """The model that answers."""
        return self.model.heart if isinstance(self.model, Standing) else self.model

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Standing) and self.heart == other.heart

    def __hash__(self) -> int:
        return hash(self.heart)


@dataclass(frozen=True, eq=False)
class Remembering(Standing):
    """A model that is asked the same thing once: answers come from ``cache``, where they are there.

    What failed is not asked again as long as ``failed`` knows it, and after an `OutOfReach` nothing is: whoever makes
    a new one asks anew.
    """

    model: LanguageModel
    cache: AnswerCache = field(repr=False, compare=False)
    failed: Kept[ModelError] = field(default_factory=lambda: Kept(1000), repr=False, compare=False)

    @property
    def label(self) -> str:
        return self.model.label

    def known(self, prompt: Prompt, *, system: str = "", shape: Shape | None = None) -> Completion | ModelError | None:
        """The answer that is there already, or the failure that this or the whole model has met before."""
        key = (self.model, messages(prompt, system), shape)
        kept = self.cache.get(key)
        return replace(kept, remembered=True, seconds=0.0) if kept else self.failed.get(_ALL) or self.failed.get(key)

    def ask(self, prompt: Prompt, *, system: str = "", shape: Shape | None = None) -> Completion:
        key = (self.model, messages(prompt, system), shape)
        with self.cache.lock:
            kept = self.cache.get(key)
            if kept is not None:
                return replace(kept, remembered=True, seconds=0.0)
            other = self.cache.asking.get(key)
            own = self.cache.asking.setdefault(key, Future())
        if other is not None:
            return other.result()
        try:
            answer = self._once(key, lambda: self.model.ask(prompt, system=system, shape=shape))
            self.cache.put(key, answer)
            own.set_result(answer)
            return answer
        except BaseException as error:
            own.set_exception(error)
            raise
        finally:
            self.cache.asking.pop(key, None)

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
        key = (self.model, messages(prompt, system), None)
        kept = self.cache.get(key)
        if kept is not None:
            again = replace(kept, remembered=True, seconds=0.0)
            return Stream(iter([again.text]), lambda text, seconds: again)
        own = self._once(key, lambda: self.model.stream(prompt, system=system))

        def finish(text: str, seconds: float) -> Completion:
            assert own.answer is not None
            if not own.answer.broken:  # the next try may give all of it
                self.cache.put(key, own.answer)
            return own.answer

        return Stream(iter(own), finish)


Asked = tuple[tuple[Message, ...], Shape | None]
"""A conversation that is sent, and the shape of the answer."""


class NotAsked(ModelError):
    """An answer that is not there: nobody has asked for it yet."""


@dataclass(frozen=True, eq=False)
class Deferred(Standing):
    """A model for a page that is drawn at once: it gives what is known, and notes in ``wanted`` what is to be asked.

    ``seen`` are all that the page asked of it, ``failed`` those of them that failed before.
    """

    model: Remembering
    wanted: dict[Asked, None] = field(default_factory=dict, repr=False, compare=False)
    seen: set[Asked] = field(default_factory=set, repr=False, compare=False)
    failed: set[Asked] = field(default_factory=set, repr=False, compare=False)

    @property
    def label(self) -> str:
        return self.model.label

    def ask(self, prompt: Prompt, *, system: str = "", shape: Shape | None = None) -> Completion:
        key = (messages(prompt, system), shape)
        self.seen.add(key)
        known = self.model.known(prompt, system=system, shape=shape)
        if isinstance(known, Completion):
            return known
        if known is not None:
            self.failed.add(key)
            raise known.with_traceback(None)
        self.wanted[key] = None
        raise NotAsked(
            Said("The model has not been asked yet."), Said("The answer appears here as soon as it arrives.")
        )

    def stream(self, prompt: Prompt, *, system: str = "") -> Stream:
        return self.model.stream(prompt, system=system)
