"""What a language model writes about a whole corpus: it begins with a click, and what it would send is said before."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import NoReturn, Protocol
from zlib import crc32

import streamlit as st

from lab import catalog
from lab.algebra import Corpus, Env, Models, Runner, Searcher
from lab.derive.written import Estimate, Written
from lab.errors import LabError
from lab.explain.indexing import unwritten
from lab.models.chat import model_named
from lab.ui import escape
from lab.ui.frame import Frame
from lab.ui.i18n import _, say
from lab.ui.work import once


class Host(Protocol):
    """What is needed of the page on which a model writes: see `lab.ui.page.Page`."""

    frame: Frame

    @property
    def models_now(self) -> Models: ...
    @property
    def runner(self) -> Runner: ...
    def key(self, name: str) -> str: ...
    def work(self, key: str, label: str, make: Callable[[], object], *, about: Hashable) -> object: ...
    def stop(self) -> NoReturn: ...


def ready(p: Host, key: str, own: Written, corpus: Corpus, *, rule: bool = False) -> bool:
    """Whether the visitor's model has written all that this needs about a corpus.

    If not: what it would be sent, and a button; from its click on the model writes, with a bar and a Stop, and after a
    failure the button asks for the rest.  ``rule``: meanwhile the rule's texts are searched.
    """
    model, name = model_named(p.models_now, "chat"), say(catalog.title(type(own)))
    assert model is not None
    about, wanted = (corpus.fingerprint, own, model), p.key(f"wanted.{key}")
    if own.missing(corpus, model) and st.session_state.get(wanted) == about:
        try:
            p.work(f"write.{key}", _("The language model is writing …"), lambda: _write(p, own, corpus), about=about)
        except LabError as error:
            escape.problem(error)
            st.session_state.pop(wanted)
    left = own.missing(corpus, model)
    if not left:
        return True
    told: Estimate = once(p.key(f"estimate.{key}"), (about, len(left)), lambda: own.estimate(corpus, model))
    numbers = {"n": told.requests, "all": len(corpus), "characters": told.characters, "tokens": told.tokens}
    said = _("“{name}” was written by the rule.", name=name) if rule else _("“{name}” is not written yet.", name=name)
    said += " " + _(
        "With the model: passages {all}, requests {n}, characters sent {characters:,}, tokens sent about "
        "{tokens:,}; its answers are added.",
        **numbers,
    )
    row = st.container(horizontal=True, vertical_alignment="center")
    row.markdown(said)
    if st.session_state.get(wanted) != about:
        named = _("Write with {model}", model=escape.plain(model.label, 40))
        row.button(
            named,
            key=p.key(f"write.{key}.start"),
            icon=":material/smart_toy:",
            on_click=st.session_state.update,
            args=({wanted: about},),
        )
    return False


def hold(p: Host, searches: Iterable[Searcher]) -> None:
    """End the page here where one of these searches waits for what a model has not written yet; it says so for each."""
    searches = tuple(searches)
    while waiting := dict.fromkeys(unwritten(searches, p.frame.corpus, p.models_now)):
        told = [ready(p, _named(own, corpus), own, corpus) for own, corpus in waiting]
        if not all(told):
            p.stop()


def _named(own: Written, corpus: Corpus) -> str:
    """What names a button in every run: which one it is may change while others are written."""
    return f"{own.key}.{crc32(f'{own} {corpus.fingerprint}'.encode()):x}"


def _write(p: Host, own: Written, corpus: Corpus) -> None:
    own(corpus, env=Env(p.models_now, progress=p.runner.progress))
