"""What stands around every page: corpus, embedder and language in the sidebar.

The frame is drawn once per run by app.py; pages ask `current` for it.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import streamlit as st

from lab import catalog
from lab.algebra import Corpus
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.engine import ENGINE
from lab.errors import LabError
from lab.evaluate.judging import with_judgments
from lab.models.embedders import Embedder
from lab.models.endpoint import public
from lab.ui import (
    address,
    cache,
    components,
    engines,
    escape,
    i18n,
    keeping,
    language_model,
    navigation,
    server,
    settings,
)
from lab.ui.i18n import LANGUAGES, _, browser_language, language, say
from lab.ui.keeping import Own
from lab.ui.visitor import Visitor, header

UPLOADS, JUDGMENTS, VISITOR = keeping.UPLOADS, keeping.JUDGMENTS, "_visitor"
_LOST, _MISSING, _CORPUS, _GRADES, _LOST_GRADES = (
    "_lost_corpus",
    "_missing_corpus",
    "_corpus",
    "_grades",
    "_lost_grades",
)
_AWAY, _DAMAGED, _STAYS = "_away_corpus", "_damaged_uploads", "_not_deleted"
ICON = str(Path(__file__).with_name("icon.png"))
"""The tab's picture: a file of ours, since Streamlit takes its own icons from another host."""
STYLE = f"<style>{Path(__file__).with_name('frame.css').read_text('utf-8')}</style>"
COOKIE_DAYS = 400
"""No browser keeps a cookie longer; each visit begins the days anew."""
DEFAULT_CORPUS = {"zh": "handbook", "en": "staff"}


@dataclass(frozen=True)
class Frame:
    """The visitor's choices: a corpus with its judgments, and an embedder."""

    collection: Collection
    embedder: Embedder
    answering: int = 2  # the least grade that says that a document answers: see `Collection.answering`

    @property
    def corpus(self) -> Corpus:
        return self.collection.corpus


def visitor() -> Visitor:
    """Who is at the browser of this session."""
    if VISITOR not in st.session_state:
        st.session_state[VISITOR] = cache.VISITORS.find_or_add(_cookie())
    found: Visitor = st.session_state[VISITOR]
    return found


def uploads() -> Own:
    """The corpora that this visitor has uploaded: the same in all tabs, seen by nobody else."""
    return Own(visitor())


def _name() -> str:
    """What the visitor's cookie is called: of several labs on one machine each has its own; labs that share a folder
    have the same, as several processes behind one address or whatever the user starts for themselves.
    """
    if keeping.is_users_own():
        return "retrieval_lab"
    host = header("Host")
    port = host.rpartition(":")[2] if host else str(st.get_option("server.port"))
    return f"retrieval_lab_{port}" if port.isdecimal() else "retrieval_lab"


def _cookie(what: str = "") -> str:
    """What the browser had kept when it connected: the visitor's token, or the name of their corpus."""
    kept: object = st.context.cookies.get(_name() + what)  # without a browser it may be anything
    return unquote(kept)[:200] if isinstance(kept, str) else ""


def _arrive() -> None:
    """Say that this session is the visitor's, and that of their browser."""
    if session := server.session_id():
        cache.VISITORS.arrive(visitor(), session)


def corpus_title(name: str) -> str:
    """What a corpus is called."""
    if name.startswith(ENGINE):
        return _("{name}, in Milvus", name=name.removeprefix(ENGINE))
    titles = {
        "handbook": _("Staff handbook (Chinese)"),
        "staff": _("Staff handbook (English)"),
        "devices": _("Device support"),
        "textbook-okapi": _("Textbook: Okapi"),
        "textbook-fusion": _("Textbook: fusion"),
        "textbook-filter": _("Textbook: filters"),
        "textbook-reorder": _("Textbook: reordering"),
        "textbook-paging": _("Textbook: paging"),
        "textbook-tags": _("Textbook: tags"),
    }
    if language_of := samples.language_of(name):
        spoken = _("Chinese") if language_of == "zh" else _("English")
        return _("{title} ({language})", title=titles[name.removesuffix(f"-{language_of}")], language=spoken)
    return titles.get(name, name)


def collection(name: str) -> Collection:
    """A corpus by its name."""
    own = uploads().get(name)
    if own is None and name.startswith(ENGINE):
        return engines.collection(name)
    return cache.sample(name) if own is None else own


def _known() -> list[str]:
    """The names of all corpora."""
    return list(dict.fromkeys([*samples.every_name(), *uploads(), *_in_engine()]))


class _Corpora(Mapping[str, Corpus]):
    """The corpora that this visitor can search, by their names; none is read before it is asked for."""

    @property
    def names(self) -> list[str]:
        """Without the small samples: no question is sent to four documents."""
        return [name for name in _known() if name not in samples.textbook()]

    def __getitem__(self, name: str) -> Corpus:
        if name not in self.names:
            raise KeyError(name)
        return collection(name).corpus

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def corpora() -> Mapping[str, Corpus]:
    """The sample corpora and the visitor's own, by their names, as a run knows them (`lab.algebra.Runner`)."""
    return _Corpora()


def prepare() -> None:
    """Fill in the frame's values; the language is known after this."""
    address.begin()
    address.keep("lang", browser_language(), address.choice(list(LANGUAGES)))
    i18n.begin()
    address.speak(language())
    new = VISITOR not in st.session_state
    _arrive()
    _miss(_known(), new=new)
    if new:
        language_model.restore(visitor())
    # the language chooses the corpus of a new visitor; switching it later changes no experiment
    first = st.session_state.setdefault("_first_corpus", DEFAULT_CORPUS[language()])
    address.keep("corpus", first, address.choice(_known()))
    chosen = st.session_state["corpus"]
    if chosen not in samples.every_name() and not _there(chosen):
        address.put("corpus", first)
    uploads().used(chosen)
    address.always("corpus")
    settings.from_link(address.linked("embedder"))
    address.keep("embedder", "built-in", address.choice(list(settings.embedders())))
    address.keep("doc", "")


def _there(name: str) -> bool:
    """Whether a corpus can be read: a kept one may be damaged, and the engine of another may be away."""
    try:
        if uploads().get(name) is not None:
            return True
        if damage := uploads().damage(name):
            raise damage
        return name.startswith(ENGINE) and bool(collection(name))
    except LabError as error:
        st.session_state[_AWAY] = error
        return False


def _miss(known: Sequence[str], *, new: bool) -> None:
    """Note a corpus that somebody wants to see here and that is not here.

    It is one of a link; or this visitor's own, which their browser remembers, from before the server was started or
    their time was over; or one that they have just taken away in another tab.
    """
    own, linked = _cookie(_CORPUS) if new else st.session_state.get(_CORPUS, ""), address.linked("corpus")
    damaged = sum(not upload.sound for upload in uploads().listed())
    if damaged and (new or (own and own not in known)):
        st.session_state[_DAMAGED] = damaged
    elif own and own not in known:
        st.session_state[_LOST] = own, new
    elif new and linked and linked not in known:
        st.session_state[_MISSING] = linked
    given = _cookie(_GRADES) if new else ""
    if given.isdecimal() and int(given) and not graded():
        st.session_state[_LOST_GRADES] = int(given)


def _streamlits_own() -> None:
    """What Streamlit says in English of a field or an uploader, in the visitor's language."""
    if language() == "en":
        return
    field, zone = '[data-testid="InputInstructions"] > span', '[data-testid="stFileUploaderDropzone'
    words = {
        f"{field}:first-child:not(:only-child)": _("Press Enter to submit"),
        f'{zone}"] button p': _("Choose files"),
        f'{zone}Instructions"] span': _("Maximum per file: {n} MB", n=st.get_option("server.maxUploadSize")),
    }
    rules = (
        f'{at} {{ font-size: 0; }} {at}::after {{ content: "{said}"; font-size: 0.8rem; }}'
        for at, said in words.items()
    )
    st.html(f"<style>{' '.join(rules)}</style>")


def _in_engine() -> dict[str, int]:
    """The collections of the engine, if one is named, and how many passages each has."""
    return engines.sizes() if os.environ.get(engines.SETTING) else {}


def draw() -> None:
    """The sidebar's lower part: corpus, embedder, language."""
    _streamlits_own()
    small = [x for x in samples.textbook() if samples.language_of(x) == language() or x == st.session_state["corpus"]]
    sizes = {name: len(collection(name).corpus) for name in (*samples.names(), *small)}
    sizes |= {one.name: one.passages for one in uploads().listed() if one.sound} | _in_engine()
    corpora = {name: _("{title} ({n})", title=corpus_title(name), n=n) for name, n in sizes.items()}
    models = {name: say(cache.label(embedder)) for name, embedder in settings.embedders().items()}
    with st.sidebar:
        for problem in catalog.plugins().problems:
            if not (public() and problem.plugin):  # strangers learn nothing of what is installed
                escape.problem(problem)
        told = _("Every page searches this corpus. Add your own on the page “{page}”.", page=navigation.title("corpus"))
        st.selectbox(
            _("Corpus"),
            list(corpora),
            key="corpus",
            format_func=corpora.__getitem__,
            help=told,
            on_change=address.put,
            args=("doc", ""),
        )
        told = _(
            "Turns texts into vectors. The built-in bilingual model works offline; LSA is fitted on the corpus; "
            "multilingual-e5-small is a neural model from a package (extra e5), precomputed for the samples."
        )
        st.selectbox(_("Embedding model"), list(models), key="embedder", format_func=models.__getitem__, help=told)
        settings.button()
        language_model.button(visitor())
        label = _("Language") + (" / 语言" if language() == "en" else "")
        st.selectbox(label, list(LANGUAGES), key="lang", format_func=LANGUAGES.__getitem__)
    _remember()
    _remarks()
    if away := st.session_state.pop(_AWAY, None):
        escape.problem(away)
    if lost := st.session_state.pop(_LOST, None):
        name, over = lost
        told = _("Your corpus “{name}” is no longer available; a sample corpus is shown.", name=escape.plain(name, 120))
        reason = keeping.told() if over else _("It was removed in another tab.")
        remedy = _("Add the files again on the page “{page}”.", page=navigation.title("corpus"))
        st.warning(f"{told} {reason} {remedy}", icon=":material/history_toggle_off:")
    if n := st.session_state.pop(_LOST_GRADES, 0):
        told = _("Your grades ({n}) are no longer available: they are deleted together with uploads.", n=n)
        st.warning(f"{told} {keeping.told()}", icon=":material/history_toggle_off:")
    if missing := st.session_state.pop(_MISSING, None):
        told = _(
            "This link needs the corpus “{name}”, which only its uploader can see. Ask for the files and "
            "add them on the page “{page}”. Showing a sample instead.",
            page=navigation.title("corpus"),
            name=escape.plain(missing, 120),
        )
        st.warning(told, icon=":material/link_off:")


def _remarks() -> None:
    """Shows what the lab's disk could not read, write or delete for this visitor."""
    if n := st.session_state.pop(_DAMAGED, 0):
        message = _(
            "Damaged uploads: {n}. Delete them on the page “{page}” and add the files again.",
            page=navigation.title("corpus"),
            n=n,
        )
        st.warning(message, icon=":material/warning:")
    if name := st.session_state.pop(_STAYS, ""):
        message = _(
            "“{name}” could not be deleted because the lab's disk is not writable. Try again later, or "
            "ask the person who runs the lab.",
            name=escape.plain(name, 120),
        )
        st.error(message, icon=":material/warning:")
    if keeping.cannot_write(visitor()):
        message = _("The lab's disk cannot be written: your latest grades are kept for this visit only.")
        st.warning(message, icon=":material/warning:")
    if keeping.cannot_read(visitor()):
        message = _("The lab's disk cannot be read: your saved grades are left out.")
        st.warning(message, icon=":material/warning:")
    current()  # places the grades: those that it cannot place are counted
    lines, n = keeping.unreadable_lines(visitor()), keeping.count_left_out(visitor())
    if lines:
        message = _(
            "Saved grades that cannot be read: {n} (first: line {line}). They are left out.",
            n=len(lines),
            line=lines[0],
        )
        st.warning(message, icon=":material/warning:")
        st.button(
            _("Delete unreadable grades"),
            key="grades.unreadable",
            icon=":material/delete:",
            on_click=keeping.change,
            args=(visitor(), lambda judgments: judgments),
        )
    if n:
        message = _("Saved grades that cannot be used: {n}. They are left out.", n=n)
        st.warning(message, icon=":material/warning:")


def _remember() -> None:
    """Let the browser keep the visitor's token and the name of their corpus, and say there where no server answers."""
    mine, now = list(uploads()), st.session_state["corpus"]
    st.session_state[_CORPUS] = now if now in mine else ""
    told = _("The lab's server does not answer. This page stays as it is; changes are lost until the server is back.")
    corpus = now if now in mine else mine[-1] if mine else ""
    kept = {"name": _name(), "token": visitor().token, "corpus": corpus, "grades": str(graded() or "")}
    components.visitor(
        {**kept, "seconds": _seconds(), "away": told, "wide": _("Wider than the window: scroll with the arrow keys")},
        key="visitor-cookie",
        use_token=_found,
    )


def _seconds() -> int:
    """How long the browser keeps the token: as long as the disk keeps what it finds; 0: until the browser is closed."""
    return 0 if keeping.folder() is None else int(min(keeping.days(), COOKIE_DAYS) * 86_400)


def forget(name: str) -> None:
    """Take an uploaded corpus away; where it was searched, the sample corpus of the language is shown."""
    try:
        del uploads()[name]
    except KeyError:  # it was removed in another tab
        pass
    except OSError:  # its message contains a path of this machine
        st.session_state[_STAYS] = name
        return
    if st.session_state["corpus"] == name:
        st.session_state[_CORPUS] = ""
        address.put("corpus", DEFAULT_CORPUS[language()])


def forget_all() -> None:
    """Delete all that the user of this machine keeps in their own folder; the sample corpus is shown."""
    own = st.session_state["corpus"] in uploads()
    try:
        keeping.delete_all(visitor(), cache.VISITORS)
    except OSError:  # its message contains a path of this machine
        st.session_state[_STAYS] = _("Uploads and grades")
        return
    st.session_state[_CORPUS] = ""
    if own:
        address.put("corpus", DEFAULT_CORPUS[language()])
    st.toast(_("All stored data is deleted."), icon=":material/delete_forever:")


def _found(token: str) -> None:
    """The browser has another token already, of a tab that was opened at the same time: it is the same visitor."""
    other, own = cache.VISITORS.find_or_add(token), visitor()
    if other.token == token and other is not own:
        keeping.same(other, own)
        st.session_state[VISITOR] = other


def graded() -> int:
    """How many grades this visitor has given."""
    return len(keeping.judgments(visitor()).history)


def judged(own: Collection) -> Collection:
    """A corpus with the grades that this visitor has given, where they come before its own judgments."""
    kept, told = visitor().store(JUDGMENTS), keeping.judgments(visitor())
    if not told.history:
        return own
    made = kept.get("made")
    if made is None or made[0] is not told or made[1] is not own:
        try:
            made = kept["made"] = (told, own, with_judgments(own, told))
        except Exception:  # no grade may cost a page, whatever is wrong with it
            logging.getLogger("retrieval_lab").exception("grades that cannot be placed")
            keeping.leave_out_grades(visitor())
            return own
    merged: Collection = made[2]
    return merged


def current() -> Frame:
    """The visitor's choices."""
    own = collection(st.session_state["corpus"])
    return Frame(judged(own), settings.embedders()[st.session_state["embedder"]], own.answering)
