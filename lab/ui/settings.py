"""Models that the visitor adds: embedders by name, by folder, or behind an OpenAI-compatible address.

They live in the visitor's session.  `public` is the switch for an app that strangers can reach: no folders
of the machine, no addresses to call from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import streamlit as st

from lab.core import Corpus, Document
from lab.errors import LabError
from lab.models.embedders import Embedder
from lab.models.endpoint import EndpointEmbedder, public
from lab.models.neural import OFFERED, STATIC, Model2Vec, SentenceTransformer
from lab.models.secrets import Secret
from lab.ui import address, cache, guide
from lab.ui.escape import problem
from lab.ui.i18n import _

ADDED = "added_embedders"
ENDPOINTS: Mapping[str, str] = {
    "OpenAI": "https://api.openai.com/v1",
    "Ollama": "http://localhost:11434/v1",
    "vLLM": "http://localhost:8000/v1",
    "LM Studio": "http://localhost:1234/v1",
}
_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")


def embedders() -> dict[str, Embedder]:
    """Every embedder of this visitor by its short name: the two that need nothing, then what was added."""
    return {**cache.ready_embedders(), **st.session_state.get(ADDED, {})}


def add(embedder: Embedder) -> None:
    """Add an embedder for this visitor."""
    st.session_state.setdefault(ADDED, {})[embedder.name] = embedder


def from_link(name: str) -> None:
    """An embedder that a link names: added where its name says all that is needed."""
    kind, _slash, model = name.partition("/")
    known = {"model2vec": Model2Vec, "sentence-transformer": SentenceTransformer}
    if name not in embedders() and kind in known and _HUB_NAME.fullmatch(model):
        add(known[kind](model))


def button() -> None:
    """The button below the picker that opens the dialog."""
    if st.button(_("Add an embedder …"), key="embedder.add", type="tertiary", icon=":material/add:"):
        dialog()


def dialog() -> None:
    """Choose, load and add an embedder; what goes wrong is said here, and nothing is lost."""

    @st.dialog(_("Add an embedder"), width="medium")
    def show() -> None:
        kinds = {
            "sentence": "sentence-transformers",
            "static": "model2vec",
            "endpoint": _("OpenAI-compatible endpoint"),
        }
        kind = st.segmented_control(
            _("Kind"),
            list(kinds),
            default="sentence",
            format_func=kinds.__getitem__,
            key="embedder.kind",
            required=True,
        )
        made: Embedder | None = None
        if public():
            st.info(
                _(
                    "This lab is open to the public (LAB_PUBLIC): models from the hub only, no folders and no addresses of your own."
                ),
                icon=":material/public:",
            )
        if kind == "endpoint":
            preset = st.selectbox(_("Server"), [*ENDPOINTS, _("another")], key="embedder.preset")
            url = st.text_input(
                _("Address"), value=ENDPOINTS.get(preset, ""), key=f"embedder.url.{preset}", disabled=public()
            )
            model = st.text_input(
                _("Model"), value="text-embedding-3-small" if preset == "OpenAI" else "", key=f"embedder.model.{preset}"
            )
            key = st.text_input(
                _("Key"),
                type="password",
                key="embedder.key",
                help=_(
                    "Stays in the memory of the server for this visit; it is in no link and no export. Local servers need none."
                ),
            )
            if model and url:
                made = EndpointEmbedder(model.strip(), ENDPOINTS["OpenAI"] if public() else url.strip(), Secret(key))
        else:
            offered = list(OFFERED if kind == "sentence" else STATIC)
            name = st.selectbox(
                _("Model"),
                offered,
                index=0,
                accept_new_options=True,
                key=f"embedder.name.{kind}",
                help=_("A name on the hub, or a folder on the machine that runs the lab. Type your own.")
                if not public()
                else _("A name on the hub."),
            )
            if name and public() and not _HUB_NAME.fullmatch(name):
                st.warning(_("Only names of the form owner/name are allowed here."))
            elif name:
                made = SentenceTransformer(name) if kind == "sentence" else Model2Vec(name)
        guide.folded("embedders", _("Which embedder?"))
        if (
            st.button(_("Load and use"), type="primary", disabled=made is None, key="embedder.load")
            and made is not None
        ):
            try:
                with st.spinner(_("Loading the model … (the first time it is downloaded)"), show_time=True):
                    encoder = made.fit(Corpus("probe", (Document("1", "probe"),)))
                    encoder.queries(["probe"])
            except LabError as error:
                problem(error)
                return
            add(made)
            address.put("embedder", made.name)
            st.rerun()

    show()
