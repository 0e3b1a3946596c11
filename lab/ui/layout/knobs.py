"""Widgets of parameters: each is drawn from its dataclass field, and its value is in the address.

A kind of knob (`lab.algebra.knobs.KINDS`) is a way to draw a widget and to read it: it holds a number, a word, a list
of words or a text, and the method of the kind makes the field's value of that.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from lab import catalog, formats
from lab.models.endpoint import public
from lab.ui import address
from lab.ui.i18n import _, language, listed, say
from lab.ui.layout import prompts
from lab.ui.lists import facets

COMMON = ("number", "choice", "flag", "text", "date", "words", "lines")
"""The kinds that a page shows by default."""
HEIGHT = 90
"""Pixels of a field of several lines."""
NARROW = 120
"""Pixels of a number among many: two fit side by side in the panel of a step, one if that is narrow."""
LONGEST_SLIDER = 200
"""Larger ranges of whole numbers are typed instead of a slider."""


@dataclass(frozen=True)
class Knob:
    """One field of a specification as a widget.

    ``value`` is what it starts with; ``offers`` are the words that this corpus proposes; ``prefix`` is put before the
    label if several techniques share a row.  While the visitor is ``building``, the value is theirs, and not a page's
    default.  ``names`` says what other software calls it.
    """

    key: str
    field: dataclasses.Field[Any]
    value: Any
    hint: Any
    offers: Sequence[str] = ()
    prefix: str = ""
    high: float | None = None
    building: bool = False
    names: str = ""

    @property
    def label(self) -> str:
        name = say(self.field.metadata.get("label") or self.field.name)
        return f"{self.prefix} · {name}" if self.prefix else name

    @property
    def help(self) -> str | None:
        """The help of the field; if the page's default differs from the technique's, it names both."""
        text = say(self.field.metadata.get("help", ""))
        usual_value = catalog.default(self.field)
        if (
            usual_value is not dataclasses.MISSING
            and usual_value != self.value
            and self.kind in ("number", "choice", "flag")
        ):
            start, usual = (self._word(v) for v in (self.value, usual_value))
            starts = _(
                "This page starts with {start}; the technique's own default is {usual}.", start=start, usual=usual
            )
            note = _("The technique's own default is {usual}.", usual=usual) if self.building else starts
            text = listed(filter(None, (text, note)), " ")
        text = prompts.help_of(text, self.field.metadata) if self.kind == "prompt" else text
        return listed(filter(None, (text, self.names)), " ").replace("{", "\\{") or None

    @property
    def kind(self) -> str:
        return str(self.field.metadata.get("kind") or "text")

    def _word(self, value: Any) -> str:
        if isinstance(value, bool):
            return _("on") if value else _("off")
        return _("none") if value is None else say(self.field.metadata["called"].get(value, str(value)))

    def draw(self) -> Any:
        """Draws the widget; returns the field's value.  Raises `ParameterError` if it is not valid."""
        return getattr(self, f"_{self.kind}")()

    def _number(self) -> Any:
        meta, whole = self.field.metadata, "int" in str(self.field.type)
        number, highest = int if whole else float, meta["high"] if self.high is None else self.high
        # bounds of a fraction may be written as integers; the widget wants one type
        low, high, value = (None if x is None else number(x) for x in (meta["low"], highest, self.value))
        step = number(meta["step"] or (1 if whole else 0.05))
        read = address.number(low, high, whole=whole)
        open_ = value is None or catalog.default(self.field) is None
        address.keep(self.key, value, address.optional(read) if open_ else read)
        if open_ or high is None or low is None or (whole and high > LONGEST_SLIDER):
            return st.number_input(
                self.label, low, high, step=step, placeholder=_("none"), key=self.key, help=self.help
            )
        return st.slider(self.label, low, high, step=step, key=self.key, help=self.help)

    def _choice(self) -> Any:
        labels = self.field.metadata["called"]
        address.keep(self.key, self.value, address.choice(list(labels)))
        return st.selectbox(
            self.label, list(labels), format_func=lambda x: say(labels[x]), key=self.key, help=self.help
        )

    def _flag(self) -> Any:
        return st.toggle(self.label, key=address.keep(self.key, self.value, address.flag), help=self.help)

    def _text(self) -> Any:
        if self.offers:
            return self._model()
        return st.text_input(self.label, key=address.keep(self.key, self.value), help=self.help)

    _date = _text

    def _prompt(self) -> Any:
        address.keep(self.key, self.value)
        text = st.text_area(self.label, height=HEIGHT, key=self.key, help=self.help)
        prompts.warn(text, self.field.metadata)
        return text

    def _model(self) -> Any:
        """Draws a name: one of those offered, or, except for strangers, another that is typed."""
        offers = [*self.offers, *self.field.metadata["offers"]]
        if not offers:
            return st.text_input(self.label, key=address.keep(self.key, self.value), help=self.help)
        address.keep(self.key, self.value, address.choice([*offers, self.value]) if public() else address.text())
        known = list(dict.fromkeys([*offers, self.value, st.session_state[self.key]]))
        return (
            st.selectbox(
                self.label,
                known,
                accept_new_options=not public(),
                format_func=lambda x: say(self.field.metadata["called"].get(x) or facets.named(x)) or _("(none)"),
                key=self.key,
                help=self.help,
            )
            or self.value
        )

    def _words(self) -> Any:
        if not self.offers:
            return self._typed(lambda text: catalog.convert(self.field.name, _split(text), self.hint))
        address.keep(self.key, list(self.value), address.several(self.offers))
        chosen = st.multiselect(self.label, self.offers, placeholder=_("Choose …"), key=self.key, help=self.help)
        return catalog.convert(self.field.name, chosen, self.hint)

    def _lines(self) -> Any:
        address.keep(self.key, self.text(self.value))
        text = st.text_area(self.label, height=HEIGHT, key=self.key, help=self.help)
        return tuple(x for x in text.splitlines() if x.strip())

    def _numbers(self) -> Any:
        def read(text: str) -> Any:
            empty = None if catalog.default(self.field) is None else ()
            return catalog.convert(self.field.name, text, self.hint) if text.strip() else empty

        return self._typed(read)

    def _spec(self) -> Any:
        def read(text: str) -> Any:
            return None if text.strip() in ("", "None") else formats.build(text)

        return self._known_or_typed(read) if hasattr(self.value, "named") else self._typed(read)

    def _known_or_typed(self, read: Callable[[str], Any]) -> Any:
        """Draws a value that is chosen by name, or typed."""
        family, start = type(self.value), self.text(self.value)
        every = [(name, family.named(name)) for name in family.names()]
        known = {self.text(x): x.called(language()) if hasattr(x, "called") else self._word(name) for name, x in every}
        address.keep(self.key, start)
        options = list(dict.fromkeys([*known, str(st.session_state[self.key] or start)]))
        own_label = _("your own") if _numbers(self.value) else ""
        chosen = st.selectbox(
            self.label,
            options,
            accept_new_options=True,
            format_func=lambda text: known.get(text, own_label or text),
            key=self.key,
            help=self.help,
        )
        text = chosen or start
        value = self.value if text == start else read(text)
        value = catalog.present_word(value, family.names()) if isinstance(value, str) else value
        self._one_by_one(family.named(value) if isinstance(value, str) else value)
        return value

    def _one_by_one(self, value: Any) -> None:
        """Draws the numbers behind a named value, so that they can be changed one by one into the visitor's own."""
        numbers = _numbers(value)
        if not numbers:
            return

        keys = {f.name: f"{self.key}.{f.name}" for f in numbers}

        def changed() -> None:
            # of all fields: the run of the change before may have been cut short
            values = {name: st.session_state[key] for name, key in keys.items()}
            address.put(self.key, formats.expression(dataclasses.replace(value, **values)))

        with st.expander(_("One by one"), icon=":material/tune:", key=f"{self.key}.each", on_change="rerun") as box:
            if not box.open:
                return
            row = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
            half = -(-len(numbers) // 2)
            for f in sorted(numbers, key=lambda f: numbers.index(f) % half):  # related numbers are side by side
                address.hold(keys[f.name], getattr(value, f.name))
                row.number_input(
                    say(f.metadata["label"]),
                    step=f.metadata["step"],
                    format="%.4g",
                    key=keys[f.name],
                    help=say(f.metadata["help"]),
                    on_change=changed,
                    width=NARROW,
                )

    def _private(self) -> Any:
        """Draws a value that belongs to the machine: it is never part of a link."""
        hidden = "Secret" in str(self.field.type)
        st.session_state.setdefault(self.key, "" if hidden else str(self.value))
        typed = st.text_input(self.label, type="password" if hidden else "default", key=self.key, help=self.help)
        return typed or self.value

    def _typed(self, read: Callable[[str], Any]) -> Any:
        """Draws a value as a line of text."""
        start = self.text(self.value)
        address.keep(self.key, start)
        text = st.text_input(self.label, key=self.key, help=self.help)
        return self.value if text == start else read(text)

    def text(self, value: Any) -> str:
        """Returns a typed value as its text."""
        if value is dataclasses.MISSING or value is None:
            return ""
        if self.kind == "spec":
            return formats.expression(value)
        return ("\n" if self.kind == "lines" else ", ").join(
            map(str, sorted(value) if isinstance(value, frozenset) else value)
        )


def _numbers(value: Any) -> list[dataclasses.Field[Any]]:
    return [f for f in dataclasses.fields(value) if f.metadata.get("kind") == "number"]


def _split(text: str) -> tuple[str, ...]:
    return tuple(w.strip() for w in text.replace("，", ",").split(",") if w.strip())
