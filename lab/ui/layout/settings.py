"""Embedding models that the visitor adds: by name, by folder, or behind an OpenAI-compatible address.

They are kept in the visitor's session.  `public` is the switch for an app that strangers can reach: it loads no
folders and calls no addresses that they enter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from lab.algebra import Corpus, Document
from lab.corpus.statistics import main_script
from lab.models.embedders import Embedder
from lab.models.endpoint import EndpointEmbedder, public
from lab.models.hub import Wanted, downloads, is_name
from lab.models.neural import OFFERED, STATIC, Model2Vec, SentenceTransformer, known_prompts
from lab.models.secrets import Secret
from lab.models.servers import SERVERS
from lab.ui import address, cache, escape
from lab.ui.escape import plain, problems
from lab.ui.i18n import _, language
from lab.ui.layout import guide

ADDED = "added_embedders"
_LINKED = "_linked_embedder"


def embedders() -> dict[str, Embedder]:
    """Returns every embedder of this visitor by its short name: the ready ones, then those added."""
    return {**cache.ready_embedders(), **st.session_state.get(ADDED, {})}


def add(embedder: Embedder) -> None:
    st.session_state.setdefault(ADDED, {})[embedder.name] = embedder


def from_link(name: str) -> None:
    """Adds an embedder that a link names, if its name is enough to load it and the model is on this machine.

    Otherwise `button` offers it: a link never makes this machine download a model.
    """
    embedder = _embedder_from_link(name)
    if embedder is not None and name not in embedders():
        if downloads(embedder.model, Wanted(_offered(type(embedder)))):
            st.session_state[_LINKED] = name
        else:
            add(embedder)


def _embedder_from_link(name: str) -> Model2Vec | SentenceTransformer | None:
    """Returns the embedder of a link; None if it must not be loaded here."""
    kind, _slash, model = name.partition("/")
    kinds: Mapping[str, Callable[[str], Model2Vec | SentenceTransformer]] = {
        "model2vec": Model2Vec,
        "sentence-transformer": SentenceTransformer,
        "sentence-transformer-bare": partial(SentenceTransformer, prompts=False),
    }
    if kind not in kinds or not is_name(model):
        return None
    embedder = kinds[kind](model)
    return None if public() and model not in _offered(type(embedder)) else embedder


def _offered(kind: type[Embedder], spoken: str = "zh") -> tuple[str, ...]:
    """Returns the models of this kind that are known to work; unless Chinese is ``spoken``, those for Chinese last."""
    return STATIC if kind is Model2Vec else tuple(sorted(OFFERED, key=lambda name: "zh" in name and spoken != "zh"))


def button(corpus: Callable[[], Corpus]) -> None:
    """Draws the button that opens the dialog, and one for the embedder that a link names.

    The dialog offers models for the language of the corpus first; if it has several, for the visitor's.
    """
    linked = _embedder_from_link(st.session_state.get(_LINKED, ""))
    if linked is not None and linked.name not in embedders():
        help_text = _(
            "The link asks for this embedding model. It is not on this machine and would have to be downloaded."
        )
        label = _("Load {name}", name=plain(linked.model))
        if st.button(label, key="embedder.linked", type="tertiary", icon=":material/download:", help=help_text):
            _load(linked)
    if st.button(_("Add an embedding model …"), key="embedder.add", type="tertiary", icon=":material/add:"):
        st.dialog(_("Add an embedding model"), width="medium")(_form)(main_script(corpus()) or language())


def _load(embedder: Embedder) -> None:
    """Loads an embedder and uses it; errors are shown."""
    with problems():
        with st.spinner(_("Loading the model … (the first time, it is downloaded)"), show_time=True):
            embedder.fit(Corpus("probe", (Document("1", "probe"),))).queries(["probe"])
        add(embedder)
        address.put("embedder", embedder.name)
        st.rerun()


def _form(spoken: str) -> None:
    """Draws the dialog to choose, load and add an embedder for this language; an error keeps the entries."""
    kinds = {"sentence": "sentence-transformers", "static": "model2vec", "endpoint": _("OpenAI-compatible endpoint")}
    kind = st.segmented_control(
        _("Kind"), list(kinds), default="sentence", format_func=kinds.__getitem__, key="embedder.kind", required=True
    )
    if public():
        notice = _(
            "This lab is open to the public (LAB_PUBLIC): only the models in the list can be used, no folders or "
            "addresses of your own."
        )
        st.info(notice, icon=":material/public:")
    embedder = _by_address() if kind == "endpoint" else _by_name(kind, spoken)
    guide.folded("embedders", _("Which embedding model?"))
    if st.button(_("Load and use"), type="primary", disabled=embedder is None, key="embedder.load") and embedder:
        _load(embedder)


def _by_name(kind: str | None, spoken: str) -> Embedder | None:
    """Returns a model of the hub, or of a folder; in a public lab, one of those offered."""
    model_class: type[SentenceTransformer | Model2Vec] = SentenceTransformer if kind == "sentence" else Model2Vec
    anywhere = _("A name on the model hub, or a folder on the machine that runs the lab. You can type your own.")
    help_text = _("A name on the model hub.") if public() else anywhere
    name = st.selectbox(
        _("Model"),
        _offered(model_class, spoken),
        key=f"embedder.name.{kind}",
        help=help_text,
        accept_new_options=not public(),
    )
    if not name or model_class is Model2Vec:
        return model_class(name) if name else None
    known = known_prompts(name)
    help_text = _(
        "Before a question: {query}. Before a passage: {passage}.",
        query=_quoted(known.query),
        passage=_quoted(known.document),
    )
    no_prefixes = _("No built-in prefixes for this model; its own are used, if it has any.")
    prompts = st.toggle(
        _("Prefixes and instructions"), True, key="embedder.prompts", help=help_text if any(known) else no_prefixes
    )
    st.caption(escape.plain(help_text if any(known) else no_prefixes) if prompts else _("No text is added."))
    return SentenceTransformer(name, prompts=prompts)


def _quoted(prefix: str) -> str:
    return f"“{prefix}”" if prefix else _("no prefix")


def _by_address() -> Embedder | None:
    url, model, key = server("embedder", {"OpenAI": EndpointEmbedder().model})
    return EndpointEmbedder(model, url, key) if model and url else None


def server(form: str, models: Mapping[str, str], known: tuple[str, str] | None = None) -> tuple[str, str, Secret]:
    """Draws the fields of a form for an OpenAI-compatible server; returns address, model and key.

    ``models`` are the default model names by server; ``known`` are the address and the model that the form begins with,
    by default those of the first server.  In a public lab only known servers on other machines can be chosen.
    """
    closed = public()
    urls = {name: s.base_url for name, s in SERVERS.items() if not (closed and s.local)}
    names = [*urls, *([] if closed else [_("another")])]
    first = next((name for name, url in urls.items() if known and url == known[0]), names[-1] if known else names[0])
    name = st.selectbox(_("Server"), names, names.index(first), key=f"{form}.preset")
    preset = urls.get(name, "")
    own_url, own_model = known if known and name == first else (preset, models.get(name, ""))
    url = st.text_input(_("Address"), preset or own_url, key=f"{form}.url.{name}", disabled=closed)
    model = st.text_input(_("Model"), own_model, key=f"{form}.model.{name}")
    help_text = _(
        "Kept in the server's memory for this visit, and not in links or exports. Local servers do not need a key."
    )
    key = st.text_input(_("Key"), type="password", key=f"{form}.key", help=help_text)
    return preset if closed else url.strip(), model.strip(), Secret(key)
