"""An answer while a language model writes it: begun by a click, seen as it comes, stopped by a click, kept as it is.

What had come when it was stopped, or when it broke off, is kept and marked; the same prompt is not sent again unless
the visitor says so.
"""

from __future__ import annotations

import threading
import time
from typing import Any, cast

import streamlit as st

from lab.errors import ModelError
from lab.kept import Kept
from lab.models.chat import Completion, LanguageModel, Stream
from lab.models.memory import Standing
from lab.models.thoughts import visible, without_thoughts
from lab.ui import escape
from lab.ui.i18n import _
from lab.ui.models.language_model import GONE
from lab.words import Said

_WRITTEN = "_written_answers"
REMEMBERED = 40
"""So many answers of a visit are kept."""
SHOWN = 20_000
"""Characters of an answer that are shown while it is written."""
STOPPED = ModelError(Said("Stopped. This part had arrived."), Said("Ask again for the complete answer."))


class Writing:
    """One answer: what is ``said`` as far as it has come; when it is ``over``, the ``completion`` or the ``error``."""

    def __init__(self, model: LanguageModel, prompt: str) -> None:
        self.seen, self._stream, self._had = time.monotonic(), list[Stream](), ""
        self.completion: Completion | None = None
        self.error: ModelError | None = None
        self.over = threading.Event()
        threading.Thread(target=self._write, args=(model, prompt), daemon=True).start()

    def _write(self, model: LanguageModel, prompt: str) -> None:
        try:
            stream = model.stream(prompt)  # its deadline and its largest size are the model's own
            self._stream.append(stream)
            for _piece in stream:
                if self.over.is_set():  # stopped meanwhile
                    return
                if time.monotonic() - self.seen > GONE:  # nobody looks any more
                    self.stop()
            if not self.over.is_set():
                self.completion = stream.answer
        except ModelError as error:
            if not self.over.is_set():
                self.error = error
        finally:
            self.over.set()

    def stop(self) -> None:
        """Stops waiting for the model and keeps the text received so far."""
        if not self.over.is_set():
            self._had, self.error = self._text, STOPPED
            self.over.set()

    @property
    def said(self) -> str:
        """Returns the text received so far, without the model's thoughts."""
        text = self.completion.text if self.completion else self._had if self.error is STOPPED else self._text
        return (without_thoughts if self.over.is_set() else visible)(text).strip()

    @property
    def _text(self) -> str:
        return "".join(stream.text for stream in self._stream)


def written(prompt: str, model: Any) -> Writing | None:
    """What this model has written, or is writing, to this prompt; None where it was not asked."""
    return _kept().get((model, prompt))


def ask(prompt: str, model: LanguageModel) -> None:
    """Asks the model again even if it has answered this prompt.  Call it in a callback."""
    _kept().put((model, prompt), Writing(model.heart if isinstance(model, Standing) else model, prompt))


def watch(writing: Writing, key: str) -> None:
    """Draws the answer while it arrives, with a button that stops it; the page is redrawn at the end."""
    st.fragment(_coming, run_every=0.4)(writing, key)


def _coming(writing: Writing, key: str) -> None:
    writing.seen = time.monotonic()
    if writing.over.is_set():
        st.rerun()
    with st.container(border=True):
        row = st.container(horizontal=True, vertical_alignment="center")
        row.markdown(":material/smart_toy: " + _("The language model is writing …"))
        row.button(_("Stop"), key=f"{key}.stop", icon=":material/stop:", on_click=writing.stop)
        said = writing.said
        st.markdown(escape.plain(said[-SHOWN:]) + " ▌" if said else "▌")


def _kept() -> Kept[Writing]:
    return cast("Kept[Writing]", st.session_state.setdefault(_WRITTEN, Kept(REMEMBERED)))
