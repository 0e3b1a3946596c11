"""Suggested questions: the first question of an unknown corpus, and the menu beside the field."""

from __future__ import annotations

import streamlit as st

from lab import packs
from lab.explain.kinds import LARGEST, questions_by_kind
from lab.explain.questions import LARGE, suggest_questions
from lab.text import cut, script, well_formed
from lab.text.borders import sentences
from lab.ui import address
from lab.ui.i18n import _, language, say
from lab.ui.layout import frame
from lab.words import Said

WORDS = 40
"""Maximum characters of a first question made from an untitled text."""
MANY = 300
"""Maximum number of a corpus's own questions in the menu, evenly spread over all of them."""
MADE = 10
"""Number of questions generated for a corpus without questions."""
OPENINGS = {
    ("staff", "granularity"): "Which trade union represents us?",
    ("staff", "routing"): "dental treatment is not covered by what",
    ("staff", "pipeline"): "price of a parking space",
    ("staff", "reorder"): "cash for petrol",
    ("staff", "vector_store"): "parcels that may not be sent to the office",
    ("handbook", "mmr"): "领薪水的日子",
    ("handbook", "pipeline"): "在哪儿吃午饭",
    ("handbook", "tokenizer"): "内部推荐奖励多少钱",
    ("handbook", "vector_store"): "食堂哪天不开",
}
"""Judged questions with which a page opens on a sample, because its answer moves there with the page's defaults."""
OPENINGS |= {(corpus, page.name): text for page in packs.pages() for corpus, text in page.questions.items()}
SHOWN = 120
"""Maximum columns of a question in the menu."""


def example(f: frame.Frame) -> str:
    """Returns the first question of the corpus, a generated one, its first title, or the first words of its text."""
    if question := next(iter(offered(f)), ""):
        return question
    first = f.corpus.documents[0] if len(f.corpus) else None
    if first is None or first.title:
        return well_formed(first.label) if first else ""
    start, end = next(iter(sentences(first.text[: address.LONGEST_QUESTION])), (0, 0))
    words = " ".join(first.text[start:end].split()) or first.id
    return well_formed(words if len(words) <= WORDS else words[: WORDS + 1].rpartition(" ")[0] or words[:WORDS])


def readable(text: str) -> bool:
    """Returns whether a question is in the reader's language, or in none."""
    return script(text) in (language(), "other", "")


def offered(f: frame.Frame) -> list[str]:
    """Returns questions for this corpus, those in the reader's language first: its own, else generated ones."""
    questions = [query.text for query in f.collection.queries if query.text.strip()]
    questions.sort(key=readable, reverse=True)
    if questions or len(f.corpus) > LARGE or f.corpus.elsewhere:
        return questions if len(questions) <= MANY else [questions[i * len(questions) // MANY] for i in range(MANY)]
    return [*suggest_questions(f.collection, MADE)]


def by_kind(f: frame.Frame) -> dict[str, Said]:
    """Returns a question of each kind with the name of the kind; none for a corpus that is large or elsewhere."""
    if len(f.corpus) > LARGEST or f.corpus.elsewhere:
        return {}
    return questions_by_kind(f.collection, language())


def suggested(key: str, f: frame.Frame, now: str) -> None:
    """Draws a menu of questions: this visit's, newest first, then one of each kind, then the corpus's."""
    recent, kinds = frame.visitor().questions, by_kind(f)
    options = [q for q in dict.fromkeys([*recent, *kinds, *offered(f)]) if q != now]
    if not options:
        return

    def ask() -> None:
        chosen, st.session_state[key] = st.session_state[key], None
        if chosen:
            address.put(address.QUESTION, chosen)

    def label(question: str) -> str:
        kind = f" · {say(kinds[question])}" if question in kinds else ""
        return ("↺ " if question in recent else "") + cut(question, SHOWN) + kind

    st.selectbox(
        _("Suggestions"),
        options,
        index=None,
        key=key,
        placeholder=_("Suggestions"),
        format_func=label,
        on_change=ask,
        label_visibility="collapsed",
    )
