"""The upload panel of the corpus page: files or pasted text, columns, chunks with their borders, a name.

Nothing becomes the corpus before the visitor says so; an unreadable file is explained and the others stay.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, cast

import streamlit as st

from lab.algebra import Corpus, Document, Progress
from lab.corpus import beir, datasets, samples
from lab.corpus.beir import Collection
from lab.corpus.statistics import Statistics, statistics
from lab.derive.chunk import Chunk
from lab.errors import LabError, UploadError
from lab.models.endpoint import public
from lab.reading import clipboard
from lab.reading.clipboard import recognise
from lab.reading.headings import clauses, headings
from lab.reading.names import Names
from lab.reading.read import LIMITS, Columns, Problem, ReadResult, TablePreview, extensions, paste
from lab.reading.uploads import MB
from lab.text.naming import name_documents
from lab.ui import address, cache, escape
from lab.ui.documents import accounts, previewing
from lab.ui.documents.guarded_reading import read_files
from lab.ui.i18n import _, labelled, listed, say
from lab.ui.layout import frame
from lab.ui.layout.page import Page
from lab.ui.people import keeping
from lab.ui.people.visitor import Visitor
from lab.ui.work import work
from lab.words import Said

T = TypeVar("T")
_KEPT, _NAMED = "_upload", "_named_corpus"
_CLAUSES = 3
"""Clauses that make a text a contract or a law."""
LOOKED_AT = 200
"""Number of documents that are searched for headings."""


def statistics_of(corpus: Corpus) -> Statistics:
    """Returns lengths, fields and terms of a corpus, computed once."""
    with st.spinner(_("Analysing the corpus …")):
        return corpus.once(("statistics",), lambda: statistics(corpus))


def as_table(documents: Sequence[Document], fields: Sequence[str]) -> list[dict[str, object]]:
    """Returns documents as rows: id, title, text, length, and every metadata field."""

    def as_text(value: object) -> str:
        values = value if isinstance(value, (list, tuple)) else [] if value is None else [value]
        return listed(values)

    return [
        {"id": d.id, "title": d.title, "text": d.text[:400], "length": len(d.text)}
        | {name: as_text(d.metadata.get(name)) for name in fields}
        for d in documents
    ]


def places(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Returns the positions of the words in a text, ignoring case."""
    return sorted(m.span() for w in words if w for m in re.finditer(re.escape(w), text, re.IGNORECASE))


def as_zip(collection: Collection) -> bytes:
    """Returns the collection in the BEIR layout, zipped."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "collection")
        beir.write(collection, home)
        return Path(shutil.make_archive(str(home), "zip", home)).read_bytes()


# ---------------------------------------------------------------------------------------------- the panel


def panel(page: Page) -> None:
    """Draws the panel: upload or paste, check what was read, split it, name it, use it."""
    has_datasets = datasets.installed() and not public()
    st.caption(keeping.full_retention_text())
    frame.say_blocked()
    tabs = st.tabs([_("Files"), _("Paste text"), *(["ir_datasets"] if has_datasets else [])])
    with tabs[0]:
        uploaded = _files()
    with tabs[1]:
        pasted = _text()
    if has_datasets:
        with tabs[2]:
            _by_name()
    read = uploaded or pasted
    if read is None:
        st.session_state.pop(_KEPT, None)
        return
    name, result, columns = read
    _problems(result.problems)
    if not result.documents:
        message = _("Nothing could be read. See the remedies above, or add other files.")
        st.error(message, icon=":material/error:")
        return
    message = _("Documents read: {n}", n=f"{len(result.documents):,}")
    st.success(message + (f" · {result.encoding}" if result.encoding else ""), icon=":material/check:")
    accounts.draw(result, columns)
    known = escape.plain(frame.corpus_title(page.frame.corpus.name), 60)
    st.caption(_("Nothing has changed yet: the figures above and the list below still belong to “{name}”.", name=known))
    result = previewing.offer_duplicates(result)
    documents = _chunks(page, result)
    if documents:
        _use(name, documents, result)


def _once(name: str, key: Hashable, doing: str, make: Callable[[Progress], T]) -> T | None:
    """Returns the cached result for this key: an upload is read and split once, whatever else is clicked.

    None if the visitor has stopped it.
    """
    cached: dict[str, Any] = st.session_state.setdefault(_KEPT, {})
    if name not in cached or cached[name][0] != key:
        result = work(f"corpus.{name}", doing, make, about=key)
        if result is None:
            return None
        cached[name] = (key, result)
    return cast(T, cached[name][1])


def encoding_of_texts(key: str) -> str | None:
    """Returns the encoding that the visitor chooses for texts; None: it is detected."""
    automatic = _("found automatically")
    encodings = [automatic, "utf-8", "gb18030", "big5", "utf-16"]
    help_text = _("Very short texts can be misjudged: choose here if you see the wrong characters.")
    chosen = st.selectbox(_("Encoding of the texts"), encodings, key=key, help=help_text)
    return None if chosen == automatic else chosen


def _files() -> tuple[str, ReadResult, Mapping[str, Columns]] | None:
    """Returns the contents of the uploaded files, with a name and the columns of tables; None without files."""
    help_text = _(
        "A zip may contain a test collection in BEIR layout: corpus.jsonl, queries.jsonl, qrels/test.tsv; also "
        "conversations.jsonl and qrels/conversations.tsv. Texts may be in UTF-8, GB18030, Big5 or UTF-16."
    )
    label = _("Files: {formats}", formats=[*extensions()])
    files = st.file_uploader(label, accept_multiple_files=True, key="corpus.files", help=help_text)
    if not files:
        return None
    encoding = encoding_of_texts("corpus.encoding")
    file_ids = tuple(file.file_id for file in files)
    take_in = accounts.taken_in(file_ids)
    which = (file_ids, encoding, tuple(take_in.items()))

    def read(progress: Progress, columns: Mapping[str, Columns] = MappingProxyType({})) -> ReadResult:
        data = [(file.name, file.getvalue()) for file in files]
        return read_files(data, columns=columns, encoding=encoding, take_in=take_in, progress=progress)

    result = _once("read", which, _("Reading …"), read)
    if result is None:
        return None
    columns = {table.name: _columns(i, table, alone=len(result.tables) == 1) for i, table in enumerate(result.tables)}
    if columns != {table.name: table.guess for table in result.tables}:
        result = _once("columns", (which, tuple(columns.items())), _("Reading …"), lambda p: read(p, columns))
    if result is None:
        return None
    return Path(files[0].name).stem if len(files) == 1 else _("My documents"), result, columns


def _text() -> tuple[str, ReadResult, Mapping[str, Columns]] | None:
    """Returns the contents of the pasted text, with a name and the columns of tables; None without a text."""
    hint = _("Paste texts, a table, JSON, or Python lists of texts or documents.")
    text = st.text_area(_("Text"), key="corpus.paste", height=160, placeholder=hint)
    if not text.strip():
        return None
    guessed = recognise(text).kind
    kinds = {clipboard.PARAGRAPHS: _("Paragraphs"), clipboard.LINES: _("Lines"), clipboard.HEADINGS: _("Headings")}
    kinds |= {clipboard.TABLE: _("Rows of a table"), clipboard.JSON: "JSON", clipboard.PYTHON: "Python"}
    always = (clipboard.PARAGRAPHS, clipboard.LINES, *([clipboard.HEADINGS] if headings(text) else []))
    help_text = _(
        "What becomes a passage: a paragraph between blank lines, a line, a section under its heading (# Title, "
        "Chapter 1, 第一章, 1.2 Title), a row of a table, a record of JSON or an item of a Python list."
    )
    options = list(dict.fromkeys((guessed, *always)))
    kind = st.segmented_control(
        _("Read as"),
        options,
        default=guessed,
        format_func=kinds.__getitem__,
        key=f"corpus.paste.{guessed}",
        help=help_text,
        required=True,
    )
    kind = kind or guessed
    if kind == guessed:
        st.caption(_("Recognised as: {kind}. If that is wrong, choose another.", kind=kinds[guessed]))
    with escape.problems():
        result = paste(text, kind=kind)
        columns = {table.name: _columns(f"pasted.{i}", table, alone=True) for i, table in enumerate(result.tables)}
        if columns != {table.name: table.guess for table in result.tables}:
            result = paste(text, kind=kind, columns=columns)
        return _("Pasted text"), result, columns
    return None


def _by_name() -> None:
    """Opens a test collection by its name, which becomes the corpus at once."""
    with st.form("corpus.named", border=False):
        field, button = st.columns([3, 1], vertical_alignment="bottom")
        label, hint = _("Name of the test collection"), "beir/scifact/test"
        typed = field.text_input(label, key="corpus.dataset", placeholder=hint, max_chars=200)
        if button.form_submit_button(_("Open"), type="primary", width="stretch"):
            st.session_state[_NAMED] = typed.strip()
    help_text = _(
        "Loads ir_datasets collections stored on the server, up to {n} documents; downloads nothing.",
        n=f"{LIMITS.max_documents:,}",
    )
    st.caption(help_text)
    name = st.session_state.get(_NAMED)
    if not name:
        return

    def make(progress: Progress) -> Collection:
        return datasets.load(name, most=LIMITS.max_documents, progress=progress)

    try:
        collection = work("corpus.dataset", _("Reading …"), make, about=name)
        if collection is not None:
            _adopt(replace(collection, corpus=_corpus(name, collection.corpus.documents)))
    except LabError as error:
        del st.session_state[_NAMED]  # a long reading that fails must not start again by itself
        escape.problem(error)


def _columns(i: int | str, table: TablePreview, *, alone: bool) -> Columns:
    """Draws the choice of a table's columns: text, title, id and metadata."""
    guess, columns = table.guess, list(table.columns)
    cached: dict[str, Any] = st.session_state.setdefault(_KEPT, {})
    if cached.get(f"table.{i}") != (table.name, table.columns):  # choices for another table do not apply to this one
        cached[f"table.{i}"] = table.name, table.columns
        for name in ("text", "title", "id", "more", "meta"):
            st.session_state.pop(f"corpus.col.{name}.{i}", None)
    optional, none = ["", *columns], _("(none)")
    title = _("Columns of {file}", file=escape.plain(table.name, 60))
    with st.expander(title, icon=":material/table:", expanded=alone):
        rows = [dict(zip(columns, row, strict=False)) for row in table.rows]
        st.dataframe(rows, hide_index=True, key=f"corpus.preview.{i}", height=160)
        a, b, c = st.columns(3)
        text = _chosen(a.selectbox, _("Text"), columns, guess.text, f"corpus.col.text.{i}")
        title, ident = (
            _chosen(at.selectbox, label, optional, guessed or "", f"corpus.col.{name}.{i}", lambda x: x or none)
            for at, name, label, guessed in ((b, "title", _("Title"), guess.title), (c, "id", _("Id"), guess.id))
        )
        rest = [x for x in columns if x not in (text, title, ident)]
        help_text = _("Joined to the text, each under its name, so that searches find their words.")
        more = _chosen(
            st.multiselect, _("Also in the text"), rest, list(guess.more), f"corpus.col.more.{i}", help=help_text
        )
        rest = [x for x in rest if x not in more]
        meta = _chosen(st.multiselect, _("Metadata"), rest, list(guess.metadata), f"corpus.col.meta.{i}")
    return Columns(text=text, title=title or None, id=ident or None, metadata=tuple(meta), more=tuple(more))


def _chosen(
    widget: Callable[..., Any], label: str, options: list[str], start: Any, key: str, say_it: Any = str, **more: Any
) -> Any:
    """Draws a choice of columns; a click on the account may have chosen before, and columns used elsewhere are left."""
    now = st.session_state.get(key, start)
    fitting = [x for x in now if x in options] if isinstance(now, list) else now if now in options else options[0]
    if st.session_state.get(key) != fitting:
        st.session_state[key] = fitting
    return widget(label, options, key=key, format_func=say_it, **more)


def _problems(problems: Sequence[Problem]) -> None:
    """Lists the problems, file by file, with their remedies."""
    if not problems:
        return
    with st.container(border=True):
        st.markdown(":material/warning: " + _("**Remarks on the files: {n}**", n=len(problems)))
        for problem in problems[:40]:
            where = " · ".join(x for x in (problem.file, say(problem.place)) if x)
            remedy = f" *{escape.plain(say(problem.remedy))}*" if problem.remedy else ""
            st.markdown("- " + labelled(escape.plain(where), escape.plain(say(problem.message))) + remedy)


def _chunks(page: Page, result: ReadResult) -> list[Document]:
    """Returns the documents, long ones split; a preview shows each file and the borders of its chunks."""
    judged = bool(result.qrels or result.turn_qrels)
    useless = (
        _("Judgments refer to whole documents: splitting a test collection makes them useless.") if judged else None
    )
    if not st.toggle(_("Split long documents into chunks"), value=not judged, key="corpus.cut", help=useless):
        previewing.preview(result, result.documents, None)
        return list(result.documents)
    at = _once("headed", result.documents, _("Reading …"), lambda _progress: _borders(result.documents))
    start = Chunk(at=at) if at else Chunk()
    chunker = page.knobs(start, "at", "size", "overlap", "unit", into=st.columns(4, vertical_alignment="bottom"))
    key = (result.documents, chunker)
    n = _once("at_least", key, _("Splitting …"), lambda _progress: chunker.at_least(result.documents)) or 0
    if n > LIMITS.max_documents:
        message = _(
            "With these settings the corpus would have {n} passages or more; the maximum is {limit}. Choose a "
            "larger size, a smaller overlap, or fewer documents.",
            n=f"{n:,}",
            limit=f"{LIMITS.max_documents:,}",
        )
        st.error(message, icon=":material/content_cut:")
        return []

    def cut(progress: Progress) -> list[Document]:
        return chunker.chunk_all(result.documents, progress=progress)

    documents = _once("cut", key, _("Splitting …"), cut)
    if documents is None:
        return []
    count = f"{len(documents):,}"
    st.caption(_("Chunks: {n}. In the preview, the overlap of two chunks is darker.", n=count))
    previewing.preview(result, documents, chunker if isinstance(chunker, Chunk) else None)
    return documents


def _borders(documents: Sequence[Document]) -> str:
    """Returns where the first of these documents are best split: at clauses, at headings, else at sentences."""
    if sum(len(clauses(d.text)) for d in documents[:LOOKED_AT]) >= _CLAUSES:
        return "clause"
    return "heading" if any(headings(d.text) for d in documents[:LOOKED_AT]) else "size"


def _room(corpus: Corpus) -> None:
    """Raises `UploadError` if this visitor's uploads exceed half of the space, or everybody's the whole."""
    limit = keeping.megabytes()

    def used_megabytes(visitors: Iterable[Visitor]) -> float:
        stores: Iterable[dict[str, Collection]] = (visitor.store(frame.UPLOADS) for visitor in visitors)
        return sum(collection.corpus.bytes for store in stores for collection in list(store.values())) / MB

    new = corpus.bytes / MB
    if used_megabytes([frame.visitor()]) + new > limit / 2:
        message = Said(
            "Your uploads and their indexes would take {n} MB; the limit per visitor is {limit} MB.",
            n=round(used_megabytes([frame.visitor()]) + new),
            limit=round(limit / 2),
        )
        raise UploadError(message, Said("Remove a corpus that you no longer need, or upload a part."))
    if used_megabytes(cache.VISITORS) + new > limit:
        message = Said("Other visitors' uploads fill the lab's space of {limit} MB.", limit=round(limit))
        raise UploadError(message, Said("Try again in a few minutes, when other visitors have left."))


def _use(name: str, documents: list[Document], result: ReadResult) -> None:
    """Draws the field for the corpus's name, and makes it the current one."""
    with st.form("corpus.use", border=False):
        field, button = st.columns([3, 1], vertical_alignment="bottom")
        typed = field.text_input(_("Name of the corpus"), value=name, max_chars=60)
        go = button.form_submit_button(_("Search this corpus"), type="primary", width="stretch")
    if not go:
        return
    with escape.problems():
        collection = beir.collection(_corpus(typed.strip() or name, documents), result.queries, result.qrels)
        collection = beir.with_subtopics(collection, result.subtopics)
        _adopt(beir.with_conversations(collection, result.turns, result.turn_qrels))


def _corpus(name: str, documents: Sequence[Document]) -> Corpus:
    """Returns a corpus under a name that no other has.  Raises `CorpusError`."""
    unique = Names([*samples.every_name(), *frame.uploads()], pattern="{} {}").free(name)
    return Corpus(unique, name_documents(documents))


def _adopt(collection: Collection) -> None:
    """Makes this the visitor's corpus, and the current one.  Raises `UploadError` if there is no space."""
    unique = collection.name
    _room(collection.corpus)
    try:
        frame.uploads()[unique] = collection
    except OSError:  # its message contains a path of this machine
        frame.uploads().in_memory(unique, collection)
        message = _("The lab's disk cannot store it: “{name}” is deleted when you leave.", name=escape.plain(unique))
        st.toast(message, icon=":material/warning:", duration="long")
    st.session_state["_uploaded_once"] = True
    for key in (_KEPT, _NAMED):
        st.session_state.pop(key, None)
    address.put("corpus", unique)
    address.put("doc", "")
    address.put("corpus.fold.add", False)
    for problem in collection.problems:
        st.toast(escape.plain(say(problem)), icon=":material/warning:", duration="long")
    st.toast(_("All pages now search “{name}”.", name=escape.plain(unique)), icon=":material/check:")
    st.rerun()
