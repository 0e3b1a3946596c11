"""Caches answers, so that no question is asked twice, and defers questions until a page is drawn."""

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
    """The ``size`` most recently used answers by prompt; the cache belongs to one visitor and ends with the session.

    ``asking`` are the prompts being answered now: a second request for one of them waits for the same answer.
    """

    def __init__(self, size: int = 500) -> None:
        super().__init__(size)
        self.asking: dict[Hashable, Future[Completion]] = {}


_ALL = "all"


class Standing:
    """A proxy for another model; proxies for the same model are equal, however they ask it."""

    model: LanguageModel | Standing

    @property
    def label(self) -> str:
        return self.model.label

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
    """A model that answers each question once: later answers come from ``cache``.

    A question in ``failed`` is not asked again, and after an `OutOfReach` no question is; a new instance asks again.
    """

    model: LanguageModel
    cache: AnswerCache = field(repr=False, compare=False)
    failed: Kept[ModelError] = field(default_factory=lambda: Kept(1000), repr=False, compare=False)

    def known(self, prompt: Prompt, *, system: str = "", shape: Shape | None = None) -> Completion | ModelError | None:
        """Returns the cached answer, or an earlier failure of this question or the model; None without either."""
        key = (self.model, messages(prompt, system), shape)
        return self._cached(key) or self.failed.get(_ALL) or self.failed.get(key)

    def _cached(self, key: Hashable) -> Completion | None:
        cached = self.cache.get(key)
        return replace(cached, remembered=True, seconds=0.0) if cached else None

    def ask(self, prompt: Prompt, *, system: str = "", shape: Shape | None = None) -> Completion:
        key = (self.model, messages(prompt, system), shape)
        with self.cache.lock:
            if (cached := self._cached(key)) is not None:
                return cached
            other = self.cache.asking.get(key)
            future = self.cache.asking.setdefault(key, Future())
        if other is not None:
            return other.result()
        try:
            answer = self._once(key, lambda: self.model.ask(prompt, system=system, shape=shape))
            self.cache.put(key, answer)
            future.set_result(answer)
            return answer
        except BaseException as error:
            future.set_exception(error)
            raise
        finally:
            self.cache.asking.pop(key, None)

    def _once(self, key: Hashable, ask: Callable[[], T]) -> T:
        """Calls ``ask``, or raises the earlier failure of this question or of the model."""
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
        if (cached := self._cached(key)) is not None:
            return Stream(iter([cached.text]), lambda text, seconds: cached)
        stream = self._once(key, lambda: self.model.stream(prompt, system=system))

        def finish(text: str, seconds: float) -> Completion:
            assert stream.answer is not None
            if not stream.answer.broken:  # the next try may give all of it
                self.cache.put(key, stream.answer)
            return stream.answer

        return Stream(iter(stream), finish)


Asked = tuple[tuple[Message, ...], Shape | None]
"""A conversation to send, and the shape of its answer."""


class NotAsked(ModelError):
    """An answer is missing because the question has not been asked yet."""


@dataclass(frozen=True, eq=False)
class Deferred(Standing):
    """A model for a page that is drawn without waiting: it returns cached answers, and notes others in ``wanted``.

    ``seen`` are all questions of the page, ``failed`` the questions among them that failed before.
    """

    model: Remembering
    wanted: dict[Asked, None] = field(default_factory=dict, repr=False, compare=False)
    seen: set[Asked] = field(default_factory=set, repr=False, compare=False)
    failed: set[Asked] = field(default_factory=set, repr=False, compare=False)

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
