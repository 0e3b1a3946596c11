"""Texts that a language model writes about a whole corpus: after a click, with a forecast of what would be sent."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import NoReturn, Protocol
from zlib import crc32

import streamlit as st

from lab import catalog
from lab.algebra import Corpus, Env, Models, Runner, Searcher
from lab.derive.written import Written
from lab.errors import LabError
from lab.explain.indexing import unwritten
from lab.models.chat import LanguageModel, model_named
from lab.models.costs import Estimate
from lab.ui import escape
from lab.ui.i18n import _, say
from lab.ui.layout.frame import Frame
from lab.ui.models import costing, language_model
from lab.ui.work import once

NAMED = 3
"""Number of texts without a usable answer that are named."""


class Host(Protocol):
    """The page on which a model writes: see `lab.ui.layout.page.Page`."""

    frame: Frame

    @property
    def models_now(self) -> Models: ...
    @property
    def runner(self) -> Runner: ...
    def key(self, name: str) -> str: ...
    def work(self, key: str, label: str, make: Callable[[], object], *, about: Hashable) -> object: ...
    def stop(self) -> NoReturn: ...


def ready(p: Host, key: str, derivation: Written, corpus: Corpus, *, rule: bool = False) -> bool:
    """Returns whether the visitor's model has written everything that this derivation needs about a corpus.

    If not, it shows a forecast and a button; after its click the model writes, with a bar and a Stop button, and after
    a failure the button continues.  ``rule``: until then, the texts of the rule are searched.
    """
    model, name = model_named(p.models_now, "chat"), say(catalog.title(type(derivation)))
    assert model is not None
    about, started_key = (corpus.fingerprint, derivation, model), p.key(f"wanted.{key}")
    problem_key = p.key(f"problem.{key}")  # stays on the page until the next start
    attempt = st.session_state.get(p.key(f"attempt.{key}"), 0)
    if derivation.missing(corpus, model) and st.session_state.get(started_key) == about:
        try:
            p.work(
                f"write.{key}",
                _("The language model is writing …"),
                lambda: _write(p, derivation, corpus),
                about=(about, attempt),
            )
        except LabError as error:
            st.session_state[problem_key] = about, error
            st.session_state.pop(started_key)
    if st.session_state.get(problem_key, (None,))[0] == about and st.session_state.get(started_key) != about:
        escape.problem(st.session_state[problem_key][1])
    left = derivation.missing(corpus, model)
    if not left:
        _name_failures(p, key, derivation, corpus, model)
        return True
    estimate: Estimate = once(p.key(f"estimate.{key}"), (about, len(left)), lambda: derivation.estimate(corpus, model))
    numbers = {"n": estimate.requests, "all": len(corpus), "characters": estimate.characters, "tokens": estimate.tokens}
    message = (
        _("“{name}” was written by the rule.", name=name) if rule else _("“{name}” is not written yet.", name=name)
    )
    message += " " + _(
        "With the model: passages {all}, requests {n}, characters sent {characters:,}, tokens sent about "
        "{tokens:,}; its answers are added.",
        **numbers,
    )
    message += " " + costing.price(estimate)
    row = st.container(horizontal=True, vertical_alignment="center")
    row.markdown(message)
    if st.session_state.get(started_key) != about:
        label = _("Write with {model}", model=escape.plain(model.label, 40))
        row.button(
            label,
            key=p.key(f"write.{key}.start"),
            icon=":material/smart_toy:",
            on_click=st.session_state.update,
            args=({started_key: about, problem_key: (None,)},),
        )
    return False


def _name_failures(p: Host, key: str, derivation: Written, corpus: Corpus, model: LanguageModel) -> None:
    """Names the texts for which the model's answers cannot be used, with a button to ask again."""
    failures = derivation.failures(corpus, model)
    if not failures:
        return
    names = [escape.plain(failure.document.id, 60) for failure in failures[:NAMED]] + ["…"][: len(failures) - NAMED]
    reason = escape.plain(say(failures[0].problem.message), 300)
    numbers = {"n": len(failures), "all": len(derivation.units(corpus)), "name": say(catalog.title(type(derivation)))}
    message = _("“{name}”: without a text of the model {n} of {all}: {names}", names=names, **numbers)
    row = st.container(horizontal=True, vertical_alignment="center")
    row.warning(f"{message}\n\n{reason}", icon=":material/warning:")
    row.button(
        _("Request again"),
        key=p.key(f"write.{key}.again"),
        icon=":material/refresh:",
        on_click=_request_again,
        args=(p.key(f"attempt.{key}"), derivation, corpus, model),
    )


def _request_again(attempt_key: str, derivation: Written, corpus: Corpus, model: LanguageModel) -> None:
    """Forgets the answers that cannot be used, and starts the work again."""
    language_model.forget({failure.answer for failure in derivation.failures(corpus, model)})
    derivation.discard_failures(corpus, model)
    st.session_state[attempt_key] = st.session_state.get(attempt_key, 0) + 1


def hold(p: Host, searches: Iterable[Searcher]) -> None:
    """Ends the page if one of these searches waits for texts of a model, and says so for each of them."""
    searches = tuple(searches)
    while waiting := dict.fromkeys(unwritten(searches, p.frame.corpus, p.models_now)):
        ready_flags = [ready(p, _button_key(derivation, corpus), derivation, corpus) for derivation, corpus in waiting]
        if not all(ready_flags):
            p.stop()


def _button_key(derivation: Written, corpus: Corpus) -> str:
    """Returns a button key that stays the same in every run, though the list of derivations changes."""
    return f"{derivation.key}.{crc32(f'{derivation} {corpus.fingerprint}'.encode()):x}"


def _write(p: Host, derivation: Written, corpus: Corpus) -> None:
    derivation(corpus, env=Env(p.models_now, progress=p.runner.progress))
