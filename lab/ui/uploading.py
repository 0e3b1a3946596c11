"""The upload panel of the corpus page: files or pasted text, columns, chunks with their borders, a name.

Nothing becomes the corpus before the visitor says so; a bad file is explained and the good ones stay.
"""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from lab.core import Corpus, Document
from lab.corpus import beir, samples
from lab.corpus.beir import Collection
from lab.corpus.statistics import Statistics, statistics
from lab.derive.chunk import Chunk
from lab.errors import LabError
from lab.reading.names import Names
from lab.reading.read import EXTENSIONS, Columns, Problem, ReadResult, TablePreview, paste, read_files
from lab.ui import address, components, escape, frame
from lab.ui.i18n import _, say

if TYPE_CHECKING:
    import pandas as pd

    from lab.ui.page import Page


@st.cache_resource(max_entries=16, show_spinner=False)
def _statistics(fingerprint: str, _corpus: Corpus) -> Statistics:
    return statistics(_corpus)


def statistics_of(corpus: Corpus) -> Statistics:
    """Lengths, fields and terms of a corpus, computed once."""
    with st.spinner(_("Looking through the corpus …")):
        return _statistics(corpus.fingerprint, corpus)


def as_table(documents: Sequence[Document], fields: Sequence[str]) -> pd.DataFrame:
    """Documents as rows: id, title, text, length, and every metadata field."""
    import pandas as pd

    rows = [
        {"id": d.id, "title": d.title, "text": d.text[:400], "length": len(d.text)}
        | {
            name: ", ".join(map(str, v))
            if isinstance(v := d.metadata.get(name), (list, tuple))
            else ""
            if v is None
            else str(v)
            for name in fields
        }
        for d in documents
    ]
    return pd.DataFrame(rows)


def places(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Where the words stand in a text, without regard to case."""
    found = [(m.start(), m.end()) for w in words if w for m in re.finditer(re.escape(w), text, re.IGNORECASE)]
    return sorted(found)


def as_zip(collection: Collection) -> bytes:
    """The collection in the BEIR layout, zipped."""
    out = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        beir.write(collection, Path(folder))
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder).as_posix())
    return out.getvalue()


def remove(name: str) -> None:
    """Forget an uploaded corpus."""
    frame.uploads().pop(name, None)
    address.put("corpus", frame.DEFAULT_CORPUS["en"])


# ---------------------------------------------------------------------------------------------- the panel


def panel(page: Page) -> None:
    """Upload or paste, look at what was read, cut it, name it, use it."""
    upload, typed = st.tabs([_("Files"), _("Paste text")])
    result: ReadResult | None = None
    with upload:
        files = st.file_uploader(
            _("Files: {formats}", formats=", ".join(EXTENSIONS)),
            accept_multiple_files=True,
            key="corpus.files",
            help=_(
                "A zip may hold a whole test collection in the BEIR layout: corpus.jsonl, queries.jsonl, "
                "qrels/test.tsv. Texts may be UTF-8, GB18030, Big5 or UTF-16."
            ),
        )
        if files:
            automatic = _("found automatically")
            chosen = st.selectbox(
                _("Encoding of the texts"),
                [automatic, "utf-8", "gb18030", "big5", "utf-16"],
                key="corpus.encoding",
                help=_("Very short texts can be misjudged: choose here if you see the wrong characters."),
            )
            encoding = None if chosen == automatic else chosen
            with st.spinner(_("Reading …"), show_time=True):
                pairs = [(file.name, file.getvalue()) for file in files]
                first = read_files(pairs, encoding=encoding)
            columns = _columns(first.tables)
            result = read_files(pairs, columns=columns, encoding=encoding) if columns else first
            name = Path(files[0].name).stem if len(files) == 1 else _("My documents")
    with typed:
        text = st.text_area(
            _("Text"),
            key="corpus.paste",
            height=160,
            placeholder=_("Paste a text here; blank lines part it into passages."),
        )
        lines = st.toggle(_("Every line is a passage"), key="corpus.paste.lines")
        if text.strip() and not files:
            try:
                result = paste(text, lines=lines)
            except LabError as error:
                escape.problem(error)
            name = _("Pasted text")
    if result is None:
        return
    _problems(result.problems)
    if not result.documents:
        st.error(
            _("Nothing could be read. What to do is said above; other files can be added at once."),
            icon=":material/error:",
        )
        return
    encodings = f" · {result.encoding}" if result.encoding else ""
    st.success(
        _(
            "{n} documents were read, {chars} characters",
            n=len(result.documents),
            chars=f"{sum(len(d.text) for d in result.documents):,}",
        )
        + encodings,
        icon=":material/check:",
    )
    documents = _chunks(page, result)
    if documents:
        _use(name, documents, result)


def _columns(tables: Sequence[TablePreview]) -> dict[str, Columns]:
    """Which columns of every table are the text, the title, the id and the metadata."""
    chosen: dict[str, Columns] = {}
    for i, table in enumerate(tables):
        with st.expander(
            _("Columns of {file}", file=escape.plain(table.file, 60)),
            icon=":material/table:",
            expanded=len(tables) == 1,
        ):
            st.dataframe(
                [dict(zip(table.columns, row, strict=False)) for row in table.rows],
                hide_index=True,
                key=f"corpus.preview.{i}",
                height=160,
            )
            none = _("(none)")
            options = [none, *table.columns]
            a, b, c = st.columns(3)
            text = a.selectbox(
                _("Text"), table.columns, index=table.columns.index(table.guess.text), key=f"corpus.col.text.{i}"
            )
            title = b.selectbox(
                _("Title"),
                options,
                index=options.index(table.guess.title) if table.guess.title else 0,
                key=f"corpus.col.title.{i}",
            )
            ident = c.selectbox(
                _("Id"), options, index=options.index(table.guess.id) if table.guess.id else 0, key=f"corpus.col.id.{i}"
            )
            rest = [x for x in table.columns if x not in (text, title, ident)]
            meta = st.multiselect(
                _("Metadata"), rest, default=[x for x in rest if x in table.guess.metadata], key=f"corpus.col.meta.{i}"
            )
        chosen[table.file] = Columns(
            text=text, title=None if title == none else title, id=None if ident == none else ident, metadata=tuple(meta)
        )
    return chosen


def _problems(problems: Sequence[Problem]) -> None:
    """What was wrong, file by file, with the remedy."""
    if not problems:
        return
    with st.container(border=True):
        st.markdown(":material/warning: " + _("**{n} remarks on what was read**", n=len(problems)))
        for problem in problems[:40]:
            where = " · ".join(x for x in (problem.file, say(problem.place)) if x)
            st.markdown(
                f"- {escape.plain(where)}: {escape.plain(say(problem.message))} *{escape.plain(say(problem.remedy))}*"
                if problem.remedy
                else f"- {escape.plain(where)}: {escape.plain(say(problem.message))}"
            )


def _chunks(page: Page, result: ReadResult) -> list[Document]:
    """Cut long documents; a preview shows the borders live."""
    judged = bool(result.qrels)
    cut = st.toggle(
        _("Cut long documents into chunks"),
        value=not judged,
        key="corpus.cut",
        help=_("Judgments name whole documents: cutting a test collection makes them useless.") if judged else None,
    )
    if not cut:
        return list(result.documents)
    a, b, c = st.columns(3, vertical_alignment="bottom")
    with a:
        size = page.knob(
            Chunk,
            "size",
            _("Chunk size"),
            _("At most so long; cuts are made at paragraphs, then sentences, then clauses."),
        )
    with b:
        overlap = page.knob(Chunk, "overlap", _("Overlap"), _("So much of the chunk before is repeated."))
    with c:
        unit = page.knob(
            Chunk,
            "unit",
            _("Counted in"),
            format_func={"characters": _("characters"), "tokens": _("tokens (estimated)")}.__getitem__,
        )
    try:
        chunker = Chunk(int(size), int(overlap), unit)
    except LabError as error:
        escape.problem(error)
        return []
    with st.spinner(_("Cutting …"), show_time=True):
        documents = chunker.chunk_all(result.documents)
    longest = max(result.documents, key=lambda d: len(d.text))
    st.caption(
        _(
            "{n} passages after cutting. The longest document, with its borders; darker is the overlap:",
            n=len(documents),
        )
    )
    components.passage(
        {
            "title": longest.label,
            "facts": "",
            "text": bordered(longest.text[:6000], chunker.spans(longest.text[:6000])),
        },
        key="corpus.borders",
    )
    return documents


def bordered(text: str, spans: Sequence[tuple[int, int]]) -> list[list[object]]:
    """A text in pieces coloured by chunk: ``a`` and ``b`` in turn, ``over`` where two chunks overlap."""
    edges = sorted({0, len(text), *(e for span in spans for e in span)})
    out: list[list[object]] = []
    for a, b in zip(edges, edges[1:], strict=False):
        inside = [i for i, (start, end) in enumerate(spans) if start <= a and b <= end]
        kind = "over" if len(inside) > 1 else ("a", "b")[inside[0] % 2] if inside else None
        out.append([text[a:b], kind])
    return out


def _use(name: str, documents: list[Document], result: ReadResult) -> None:
    """Name the corpus and make it the current one."""
    with st.form("corpus.use", border=False):
        field, button = st.columns([3, 1], vertical_alignment="bottom")
        typed = field.text_input(_("Name of the corpus"), value=name, max_chars=60)
        go = button.form_submit_button(_("Search this corpus"), type="primary", width="stretch")
    if not go:
        return
    unique = Names([*samples.names(), *frame.uploads()], pattern="{} {}").free(typed.strip() or name)
    try:
        corpus = Corpus(unique, tuple(documents))
    except LabError as error:
        escape.problem(error)
        return
    frame.uploads()[unique] = beir.collection(corpus, result.queries, result.qrels)
    st.session_state["_uploaded_once"] = True
    address.put("corpus", unique)
    address.put("doc", "")
    st.toast(_("“{name}” is the corpus of all pages now.", name=escape.plain(unique)), icon=":material/check:")
    st.rerun()
