"""Models that the visitor adds: embedders by name, by folder, or behind an OpenAI-compatible address.

They live in the visitor's session.  `public` is the switch for an app that strangers can reach: no folders
of the machine, no addresses to call from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from lab.algebra import Corpus, Document
from lab.models.embedders import Embedder
from lab.models.endpoint import EndpointEmbedder, public
from lab.models.hub import Wanted, downloads, is_name
from lab.models.neural import OFFERED, STATIC, Model2Vec, SentenceTransformer, known_prompts
from lab.models.secrets import Secret
from lab.models.servers import SERVERS
from lab.ui import address, cache, escape, guide
from lab.ui.escape import plain, problems
from lab.ui.i18n import _

ADDED = "added_embedders"
_LINKED = "_linked_embedder"


def embedders() -> dict[str, Embedder]:
    """Every embedder of this visitor by its short name: the two that need nothing, then what was added."""
    return {**cache.ready_embedders(), **st.session_state.get(ADDED, {})}


def add(embedder: Embedder) -> None:
    """Add an embedder for this visitor."""
    st.session_state.setdefault(ADDED, {})[embedder.name] = embedder


def from_link(name: str) -> None:
    """An embedder that a link names: added where its name says all that is needed, and it is on this machine.

    Another one is offered by `button`: no link makes this machine download a model.
    """
    made = _named(name)
    if made is not None and name not in embedders():
        if downloads(made.model, Wanted(_offered(type(made)))):
            st.session_state[_LINKED] = name
        else:
            add(made)


def _named(name: str) -> Model2Vec | SentenceTransformer | None:
    """The embedder of a link; None for what may not be loaded here."""
    kind, _slash, model = name.partition("/")
    kinds: Mapping[str, Callable[[str], Model2Vec | SentenceTransformer]] = {
        "model2vec": Model2Vec,
        "sentence-transformer": SentenceTransformer,
        "sentence-transformer-bare": partial(SentenceTransformer, prompts=False),
    }
    if kind not in kinds or not is_name(model):
        return None
    made = kinds[kind](model)
    return None if public() and model not in _offered(type(made)) else made


def _offered(kind: type[Embedder]) -> tuple[str, ...]:
    """The models of this kind that are known to work."""
    return STATIC if kind is Model2Vec else tuple(OFFERED)


def button() -> None:
    """The button below the picker that opens the dialog, and one for the embedder that a link names."""
    linked = _named(st.session_state.get(_LINKED, ""))
    if linked is not None and linked.name not in embedders():
        told = _("The link asks for this embedding model. It is not on this machine and would have to be downloaded.")
        said = _("Load {name}", name=plain(linked.model))
        if st.button(said, key="embedder.linked", type="tertiary", icon=":material/download:", help=told):
            _load(linked)
    if st.button(_("Add an embedding model …"), key="embedder.add", type="tertiary", icon=":material/add:"):
        st.dialog(_("Add an embedding model"), width="medium")(_form)()


def _load(made: Embedder) -> None:
    """Load an embedder, then use it; what goes wrong is said."""
    with problems():
        with st.spinner(_("Loading the model … (the first time, it is downloaded)"), show_time=True):
            made.fit(Corpus("probe", (Document("1", "probe"),))).queries(["probe"])
        add(made)
        address.put("embedder", made.name)
        st.rerun()


def _form() -> None:
    """Choose, load and add an embedder; what goes wrong is said here, and nothing is lost."""
    kinds = {"sentence": "sentence-transformers", "static": "model2vec", "endpoint": _("OpenAI-compatible endpoint")}
    kind = st.segmented_control(
        _("Kind"), list(kinds), default="sentence", format_func=kinds.__getitem__, key="embedder.kind", required=True
    )
    if public():
        told = _(
            "This lab is open to the public (LAB_PUBLIC): only the models in the list can be used, no folders or "
            "addresses of your own."
        )
        st.info(told, icon=":material/public:")
    made = _by_address() if kind == "endpoint" else _by_name(kind)
    guide.folded("embedders", _("Which embedding model?"))
    if st.button(_("Load and use"), type="primary", disabled=made is None, key="embedder.load") and made:
        _load(made)


def _by_name(kind: str | None) -> Embedder | None:
    """A model of the hub, or a folder; in a public lab one of those that are offered."""
    made: type[SentenceTransformer | Model2Vec] = SentenceTransformer if kind == "sentence" else Model2Vec
    anywhere = _("A name on the model hub, or a folder on the machine that runs the lab. You can type your own.")
    told = _("A name on the model hub.") if public() else anywhere
    name = st.selectbox(
        _("Model"), _offered(made), key=f"embedder.name.{kind}", help=told, accept_new_options=not public()
    )
    if not name or made is Model2Vec:
        return made(name) if name else None
    known = known_prompts(name)
    told = _(
        "Before a question: {query}. Before a passage: {passage}.",
        query=_told(known.query),
        passage=_told(known.document),
    )
    own = _("No built-in prefixes for this model; its own are used, if it has any.")
    prompts = st.toggle(_("Prefixes and instructions"), True, key="embedder.prompts", help=told if any(known) else own)
    st.caption(escape.plain(told if any(known) else own) if prompts else _("No text is added."))
    return SentenceTransformer(name, prompts=prompts)


def _told(prefix: str) -> str:
    return f"“{prefix}”" if prefix else _("no prefix")


def _by_address() -> Embedder | None:
    url, model, key = server("embedder", {"OpenAI": EndpointEmbedder().model})
    return EndpointEmbedder(model, url, key) if model and url else None


def server(form: str, models: Mapping[str, str], known: tuple[str, str] | None = None) -> tuple[str, str, Secret]:
    """The fields of a form for an OpenAI-compatible server; gives address, model and key.

    ``models`` are the names to begin with, by server; ``known`` are the address and the name of the model that the form
    begins with, by default those of the first server.  In a public lab only servers that are on other machines
    can be chosen, at the addresses that they are known by.
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
    told = _(
        "Kept in the server's memory for this visit, and not in links or exports. Local servers do not need a key."
    )
    key = st.text_input(_("Key"), type="password", key=f"{form}.key", help=told)
    return preset if closed else url.strip(), model.strip(), Secret(key)
