"""The frame of every page: corpus, embedder and language in the sidebar.

It is drawn once per run by app.py; pages call `current` for it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import cast
from urllib.parse import unquote

import streamlit as st

from lab import catalog, engine, packs
from lab.algebra import Corpus
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.errors import LabError
from lab.evaluate.judging import with_judgments
from lab.models.embedders import Embedder
from lab.models.endpoint import public
from lab.ui import address, cache, components, escape, i18n, navigation, server
from lab.ui.i18n import LANGUAGES, N_, _, both, browser_language, language, listed, say
from lab.ui.layout import finder, settings
from lab.ui.lists import retrievers
from lab.ui.models import engines, language_model
from lab.ui.people import company, keeping
from lab.ui.people.keeping import OwnCorpora
from lab.ui.people.visitor import Visitor, header

UPLOADS, JUDGMENTS, VISITOR = keeping.UPLOADS, keeping.JUDGMENTS, "_visitor"
COUNTED = "automatic counted"
"""Key in the store of judgments: whether grades of models and rules count."""
LEFT_OUT = "carried left out"
"""Key in the store of judgments: names of corpora in which grades given to other documents do not count."""
_LOST, _NEEDED, _MISSING, _CORPUS = "_lost_corpus", "_needed_pack", "_missing_corpus", "_corpus"
_GRADES, _LOST_GRADES = "_grades", "_lost_grades"
_BROWSER = "visitor-cookie"
_UPLOADS_COOKIE = "_streamlit_xsrf"
"""Streamlit's cookie without which it refuses files, unless `server.enableXsrfProtection` is off."""
_AWAY, _DAMAGED, _STAYS, _SMALL = "_away_corpus", "_damaged_uploads", "_not_deleted", "_small_sample"
ICON = str(Path(__file__).with_name("icon.png"))
"""The tab's picture: a file of ours, since Streamlit takes its own icons from another host."""
STYLE = f"<style>{Path(__file__).with_name('frame.css').read_text('utf-8')}</style>"
COOKIE_DAYS = 400
"""Days of a cookie, the most that browsers allow; each visit starts them again."""
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

    @property
    def is_sample(self) -> bool:
        """Whether the collection is a sample corpus as all visitors have it, without grades of this one."""
        return self.corpus.name in samples.every_name() and self.collection is cache.sample(self.corpus.name)


def visitor() -> Visitor:
    """Returns the visitor of this session's browser."""
    if VISITOR not in st.session_state:
        st.session_state[VISITOR] = cache.VISITORS.find_or_add(_cookie())
    return cast(Visitor, st.session_state[VISITOR])


def uploads() -> OwnCorpora:
    """Returns the corpora that this visitor has uploaded: the same in all tabs, visible to no other visitor."""
    return OwnCorpora(visitor())


def _name() -> str:
    """Returns the name of the visitor's cookie, different for each lab on one machine.

    Labs that share a folder have the same: several processes behind one address, or those that a user starts.
    """
    if keeping.is_users_own():
        return "retrieval_lab"
    host = header("Host")
    port = host.rpartition(":")[2] if host else str(st.get_option("server.port"))
    return f"retrieval_lab_{port}" if port.isdecimal() else "retrieval_lab"


def _cookie(what: str = "") -> str:
    """Returns the browser's cookie at the time it connected: the visitor's token, or the name of their corpus."""
    value: object = st.context.cookies.get(_name() + what)  # without a browser it may be anything
    return unquote(value)[:200] if isinstance(value, str) else ""


def _arrive() -> None:
    """Registers this session as one of the visitor's."""
    if session := server.session_id():
        cache.VISITORS.arrive(visitor(), session)


def corpus_title(name: str) -> str:
    """Returns the title of a corpus."""
    if store := engine.installed().get(engine.of(name)):
        return _("{name}, in {engine}", name=name.partition(":")[2], engine=store.TITLE)
    titles = {
        "handbook": _("Staff handbook (Chinese)"),
        "staff": _("Staff handbook (English)"),
        "devices": _("Device support"),
    }
    if code := samples.language_of(name):
        spoken = _("Chinese") if code == "zh" else _("English")
        return _("Textbook: {title} ({language})", title=both(samples.title(name)), language=spoken)
    return titles.get(name, name)


def collection(name: str) -> Collection:
    """Returns a corpus by its name."""
    uploaded = uploads().get(name)
    if uploaded is None and engine.of(name):
        return engines.collection(name)
    return cache.sample(name) if uploaded is None else uploaded


def _known() -> list[str]:
    return list(dict.fromkeys([*samples.every_name(), *uploads(), *_in_engine()]))


class _Corpora(Mapping[str, Corpus]):
    """The corpora that this visitor can search, by their names; each is read only when it is needed.

    The small samples are not listed: a question is routed to four documents only by a lesson or a link that names them.
    """

    def __getitem__(self, name: str) -> Corpus:
        if name not in _known():
            raise KeyError(name)
        return collection(name).corpus

    def __iter__(self) -> Iterator[str]:
        return (name for name in _known() if name not in samples.textbook())

    def __len__(self) -> int:
        return sum(1 for _name in self)


def corpora() -> Mapping[str, Corpus]:
    """Returns the sample corpora and the visitor's own, by name, as a run knows them (`lab.algebra.Runner`)."""
    return _Corpora()


def prepare() -> None:
    """Fills in the frame's values; the language is known after this."""
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
    if chosen not in samples.every_name() and not _is_readable(chosen):
        address.put("corpus", first)
    uploads().used(chosen)
    address.always("corpus")
    settings.from_link(address.linked("embedder"))
    address.keep("embedder", "built-in", address.choice(list(settings.embedders())))
    address.keep("doc", "")


def _is_readable(name: str) -> bool:
    """Returns whether a corpus can be read: an upload may be damaged, and an engine unreachable."""
    try:
        if uploads().get(name) is not None:
            return True
        if damage := uploads().damage(name):
            raise damage
        return bool(engine.of(name) and collection(name))
    except LabError as error:
        st.session_state[_AWAY] = error
        return False


def _miss(known: Sequence[str], *, new: bool) -> None:
    """Remembers that the linked or last-used corpus is missing.

    The last-used corpus is the visitor's own, known to their browser: it may be from before the server was started, or
    have expired, or have been removed in another tab.
    """
    last_corpus, linked = _cookie(_CORPUS) if new else st.session_state.get(_CORPUS, ""), address.linked("corpus")
    damaged = sum(not upload.sound for upload in uploads().listed())
    if damaged and (new or (last_corpus and last_corpus not in known)):
        st.session_state[_DAMAGED] = damaged
    elif last_corpus and last_corpus not in known:
        st.session_state[_LOST] = last_corpus, new
    elif new and (parts := [pack for name, pack in packs.left_out().items() if name.casefold() in address.words()]):
        st.session_state[_NEEDED] = parts[0]
    elif new and linked and linked not in known:
        st.session_state[_MISSING] = linked
    n_grades = _cookie(_GRADES) if new else ""
    if n_grades.isdecimal() and int(n_grades) and not graded():
        st.session_state[_LOST_GRADES] = int(n_grades)


def _streamlits_own() -> None:
    """Translates Streamlit's own English texts of fields and uploaders."""
    if language() == "en":
        return
    field, zone = '[data-testid="InputInstructions"] > span', '[data-testid="stFileUploaderDropzone'
    words = {
        f"{field}:first-child:not(:only-child)": _("Press Enter to submit"),
        f'{zone}"] button p': _("Choose files"),
        '[data-key="__select_all__"] [data-item-hl]': _("Select all"),
        '[data-key="__select_matches__"] [data-item-hl]': _("Select all matches"),
        f'{zone}Instructions"] span': _("Maximum per file: {n} MB", n=st.get_option("server.maxUploadSize")),
    }
    rules = (
        f'{at} {{ font-size: 0; }} {at}::after {{ content: "{text}"; font-size: 0.8rem; }}'
        for at, text in words.items()
    )
    st.html(f"<style>{' '.join(rules)}</style>")


def _in_engine() -> dict[str, int]:
    """Returns the corpora of engines with their numbers of passages; a lab without an engine asks none."""
    return engines.sizes() if engine.addressed() else {}


def _take_small() -> None:
    address.put("corpus", st.session_state[_SMALL])
    address.put("doc", "")


def draw(page: st.Page) -> None:
    """Draws the sidebar, in which this page is open: corpus, menu, embedder, language."""
    _streamlits_own()
    chosen = st.session_state["corpus"]
    small = [name for name in samples.textbook() if samples.language_of(name) == language() or name == chosen]
    sizes = {name: len(collection(name).corpus) for name in samples.names()}
    corpora = dict.fromkeys([*sizes, chosen if chosen in small else small[0]], _("Textbook samples"))
    sizes |= {upload.name: upload.passages for upload in uploads().listed() if upload.sound} | _in_engine()
    corpora |= {name: _("{title} · {n}", title=corpus_title(name), n=n) for name, n in sizes.items()}
    models = {name: say(cache.label(embedder)) for name, embedder in settings.embedders().items()}
    with st.sidebar:
        for problem in (*catalog.plugins().problems, *packs.PROBLEMS.values()):
            if not (public() and problem.plugin):  # strangers must not learn what is installed
                escape.problem(problem)
        st.selectbox(
            _("Corpus"),
            list(corpora),
            key="corpus",
            format_func=corpora.__getitem__,
            help=_(
                "Every page searches this corpus. Add your own on the page “{page}”.", page=navigation.title("corpus")
            ),
            on_change=address.put,
            args=("doc", ""),
        )
        if chosen in small:
            st.session_state[_SMALL] = chosen
            st.selectbox(
                _("Textbook samples"),
                small,
                key=_SMALL,
                format_func=lambda name: (
                    both(samples.title(name)) if samples.language_of(name) == language() else corpus_title(name)
                ),
                label_visibility="collapsed",
                on_change=_take_small,
            )
        finder.draw()
        navigation.menu(page)
        message = _(
            "Turns texts into vectors. The built-in bilingual model works offline; LSA is fitted on the corpus."
        )
        hints = dict.fromkeys(say(embedder.hint) for embedder in settings.embedders().values() if embedder.hint)
        message = listed((message, *hints), " ")
        st.selectbox(_("Embedding model"), list(models), key="embedder", format_func=models.__getitem__, help=message)
        settings.button(lambda: current().corpus)
        language_model.button(visitor())
        retrievers.button(visitor(), lambda: current().corpus)
        label = _("Language") + (" / 语言" if language() == "en" else "")
        st.selectbox(label, list(LANGUAGES), key="lang", format_func=LANGUAGES.__getitem__)
    _remember()
    _remarks()
    if away := st.session_state.pop(_AWAY, None):
        escape.problem(away)
    if lost := st.session_state.pop(_LOST, None):
        name, over = lost
        message = _(
            "Your corpus “{name}” is no longer available; a sample corpus is shown.", name=escape.plain(name, 120)
        )
        reason = keeping.retention_text() if over else _("It was removed in another tab.")
        remedy = _("Add the files again on the page “{page}”.", page=navigation.title("corpus"))
        st.warning(listed((message, reason, remedy), " "), icon=":material/history_toggle_off:")
    if n := st.session_state.pop(_LOST_GRADES, 0):
        message = _("Your grades ({n}) are no longer available: they are deleted together with uploads.", n=n)
        st.warning(listed((message, keeping.retention_text()), " "), icon=":material/history_toggle_off:")
    if pack := st.session_state.pop(_NEEDED, None):
        navigation.needs_pack(pack)
    if missing := st.session_state.pop(_MISSING, None):
        _offer_instead(missing[:120])


def _offer_instead(name: str) -> None:
    """Says that the linked corpus is not here, with a button for each sample whose name is near."""
    near = get_close_matches(name.casefold(), samples.every_name())
    message = _(
        N_(
            "There is no sample corpus “{name}”. Showing another one; samples with similar names are below. If "
            "somebody has uploaded “{name}”, only they can see it."
        )
        if near
        else N_(
            "This link needs the corpus “{name}”, which only its uploader can see. Ask for the files and "
            "add them on the page “{page}”. Showing a sample instead."
        ),
        page=navigation.title("corpus"),
        name=escape.plain(name),
    )
    st.warning(message, icon=":material/link_off:")
    row = st.container(horizontal=True)
    for sample in near:
        row.button(corpus_title(sample), key=f"corpus.near.{sample}", on_click=address.put, args=("corpus", sample))


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
    """Lets the browser keep the visitor's token and the name of their corpus, and show if the server is unreachable."""
    names, now = list(uploads()), st.session_state["corpus"]
    st.session_state[_CORPUS] = now if now in names else ""
    away_text = _(
        "The lab's server does not answer. This page stays as it is; changes are lost until the server is back."
    )
    corpus = now if now in names else names[-1] if names else ""
    cookie = {"name": _name(), "token": visitor().token, "corpus": corpus, "grades": str(graded() or "")}
    components.visitor(
        {
            **cookie,
            "seconds": _seconds(),
            "uploads": _UPLOADS_COOKIE if st.get_option("server.enableXsrfProtection") else "",
            "away": away_text,
            "wide": _("Wider than the window: scroll with the arrow keys"),
        },
        key=_BROWSER,
        use_token=_join_visitor,
    )


def say_blocked() -> None:
    """Says what the browser refuses here, usually inside a page of another site, with a link to a tab of its own."""
    messages = {
        "uploads": _(
            "Your browser refuses cookies here, usually because the lab is inside a page of another site: files cannot "
            "be uploaded. Paste their text, or open the lab in its own tab."
        ),
        "memory": _(
            "Your browser stores nothing here, usually because the lab is inside a page of another site: uploads and "
            "grades last until you reload. Open the lab in its own tab to keep them."
        ),
    }
    if message := messages.get(components.blocked(_BROWSER)):
        st.warning(message, icon=":material/tab:")
        st.link_button(_("Open in its own tab"), str(st.context.url or "/"), icon=":material/open_in_new:")


def _seconds() -> int:
    """Returns how long the browser keeps the token: as long as the disk its data; 0: until the browser is closed."""
    return 0 if keeping.folder() is None else int(min(keeping.days(), COOKIE_DAYS) * 86_400)


def forget(name: str) -> None:
    """Removes an uploaded corpus; pages that searched it show the sample corpus of the language."""
    try:
        del uploads()[name]
    except KeyError:  # it was removed in another tab
        pass
    except OSError:  # its message contains a path of this machine
        st.session_state[_STAYS] = name
        return
    company.forget(visitor(), name)
    if st.session_state["corpus"] == name:
        st.session_state[_CORPUS] = ""
        address.put("corpus", DEFAULT_CORPUS[language()])


def forget_all() -> None:
    """Deletes all data in the folder of this machine's user; the sample corpus is shown."""
    shows_upload = st.session_state["corpus"] in uploads()
    try:
        keeping.delete_all(visitor(), cache.VISITORS)
    except OSError:  # its message contains a path of this machine
        st.session_state[_STAYS] = _("Uploads and grades")
        return
    company.forget(visitor())
    st.session_state[_CORPUS] = ""
    if shows_upload:
        address.put("corpus", DEFAULT_CORPUS[language()])
    st.toast(_("All stored data is deleted."), icon=":material/delete_forever:")


def _join_visitor(token: str) -> None:
    """Joins the visitor with the one of a token that the browser has from a tab opened at the same time."""
    other, this_visitor = cache.VISITORS.find_or_add(token), visitor()
    if other.token == token and other is not this_visitor:
        keeping.same(other, this_visitor)
        st.session_state[VISITOR] = other
        if (linked := address.linked("corpus")) in uploads():
            address.put("corpus", linked)


def automatic_counted() -> bool:
    """Returns whether grades of models and rules count in this visitor's measures."""
    return bool(visitor().store(JUDGMENTS).get(COUNTED))


def carried_left_out(name: str) -> bool:
    """Returns whether the visitor leaves out grades that another corpus has brought to this one."""
    return name in visitor().store(JUDGMENTS).get(LEFT_OUT, ())


def leave_out_carried(name: str, on: bool) -> None:
    """Leaves out grades that another corpus has brought to this one, or counts them again."""
    left_out = visitor().store(JUDGMENTS).setdefault(LEFT_OUT, set())
    left_out.add(name) if on else left_out.discard(name)


def graded() -> int:
    """Returns how many grades this visitor has given."""
    return len(keeping.judgments(visitor()).history)


def judged(unjudged: Collection) -> Collection:
    """Returns a corpus with the visitor's grades, which precede its own judgments.

    Grades of models and rules count only where the visitor has switched them on, and never for a pair that people have
    graded; grades given to passages of other documents do not if the visitor has left them out.
    """
    store, every = visitor().store(JUDGMENTS), keeping.judgments(visitor())
    if not every.history:
        return unjudged
    name, switches = unjudged.name, (automatic_counted(), carried_left_out(unjudged.name))
    made = store.setdefault("made", {})
    cached = made.get(name)
    if cached is None or cached[0] is not every or cached[1] is not unjudged or cached[3] != switches:
        try:
            judgments = every.without_carried(unjudged.corpus) if switches[1] else every
            collection = with_judgments(unjudged, judgments.people)
            if switches[0]:
                collection = with_judgments(collection, judgments.automatic, only_new=True)
            cached = made[name] = (every, unjudged, collection, switches)
        except Exception:  # no grade may cost a page, whatever is wrong with it
            logging.getLogger("retrieval_lab").exception("grades that cannot be placed")
            keeping.leave_out_grades(visitor())
            return unjudged
    return cast(Collection, cached[2])


def current() -> Frame:
    """Returns the visitor's choices."""
    chosen = collection(st.session_state["corpus"])
    return Frame(judged(chosen), settings.embedders()[st.session_state["embedder"]], chosen.answering)
