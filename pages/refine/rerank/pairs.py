"""The built-in cross-encoder on a page: the attention between the words of a pair, and the score without each word."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import streamlit as st
from scipy.special import expit

from lab.algebra import Hit, Ranking, Stage
from lab.explain.reading import PairReading, read
from lab.models.cross_encoders import TEXTBOOK, load_textbook
from lab.refine.rerank import CrossEncoderReranker
from lab.ui.figures import charts
from lab.ui.i18n import _
from lab.ui.layout.page import Page
from lab.ui.work import once

COLUMNS, BARS = 8, 12


def is_textbook(stage: object) -> bool:
    """Whether this is the cross-encoder that comes with the lab."""
    return isinstance(stage, CrossEncoderReranker) and stage.model == TEXTBOOK


def about(stages: Iterable[Stage]) -> None:
    """Says what the built-in model is good for, if one of the rerankers takes it."""
    if any(map(is_textbook, stages)):
        text = _("Textbook cross-encoder: knows word order and negation in short sentences. Not for your documents.")
        st.caption(text)


def picture(page: Page, ranking: Ranking, hit: Hit, colour: str) -> None:
    """Draws how the model has read the question with this result."""
    query, text = ranking.query.text, hit.document.content
    pair = once(page.key("pair"), (query, text), lambda: read(load_textbook(), query, text))
    st.caption(_("Logit {logit:.2f}, sigmoid {sigmoid:.3f}.", logit=pair.score, sigmoid=expit(pair.score)))
    if not pair.attention.size:
        return
    attention(pair, colour)
    changes = pair.changes[:BARS]
    names = [
        _("question {place}: {word}", place=place, word=word)
        if asked
        else _("passage {place}: {word}", place=place, word=word)
        for asked, place, word, _change in changes
    ]
    st.markdown(_("**Change of the logit without the word**"))
    charts.draw(charts.bars([change for *_word, change in changes], names, colour, digits=2), page.key("without"))
    st.caption(_("Each pair is read again without the word. The changes do not add up to the score."))


def attention(pair: PairReading, colour: str) -> None:
    """Draws how much the words of the question attend to those of the passage that get most of it."""
    most = np.sort(np.argsort(-pair.attention.sum(axis=0), kind="stable")[:COLUMNS])
    table = charts.table_map(pair.attention[:, most].tolist(), pair.question, [pair.passage[i] for i in most], colour)
    charts.draw(table, "rerank.attention")
    st.caption(
        _(
            "Rows: words of the question. How much each one attends to words of the passage, mean over layers and "
            "heads. Attention does not explain the score."
        )
    )
