"""A search and a ranking in a notebook: everything that was made is shown, nothing of a document is markup."""

from __future__ import annotations

import re

import pytest
from lxml import html
from night import for_each

from lab.algebra import Corpus, Document, Fallback, Pipeline, Runner, Top
from lab.fuse import RRF
from lab.presets import presets
from lab.refine.filters import ScoreThreshold
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.routing import Destination, Route, WordTable

HOSTILE = "<script>alert('x')</script><b onclick=\"y\">&amp;"
CORPUS = Corpus(
    f"corpus {HOSTILE}",
    (
        *(Document(f"d{i}", f"red fox number {i} " * (1 + i % 3), f"Fox {i}") for i in range(14)),
        Document(f"id {HOSTILE}", "red red red", f"title {HOSTILE}"),
    ),
)
SEARCH = RRF(weights=(2, 1))(BM25(k1=1.2), Vector() >> ScoreThreshold(minimum=0.99)) % 12


def drawn(shown: object) -> html.HtmlElement:
    return html.fragment_fromstring(shown._repr_html_())  # type: ignore[attr-defined]


def texts(shown: object) -> list[str]:
    return [text.strip() for text in drawn(shown).itertext() if text.strip()]


def boxes(shown: object) -> list[str]:
    """The names of the boxes of a picture."""
    return [found.text_content() for found in drawn(shown).xpath("//div/b[not(ancestor::table)]")]


def test_a_search_is_drawn_with_the_knobs_that_were_set():
    assert texts(SEARCH) == [
        "BM25", "k1=1.2", "Vector · Built-in bilingual", "→", "Score threshold", "minimum=0.99", "→", "RRF",
        "weights=(2, 1)", "→", "Top 12", "k=12",
    ]  # fmt: skip
    route = Route(WordTable(), (Destination("a", BM25()), Destination("b", MultiQuery()(TFIDF()))))
    told = texts(Fallback(Pipeline((BM25(),)), route))
    assert told == ["first", "BM25", "then", "Word table", "→", "BM25", "Multi-query", "→", "TF-IDF", "→", "RRF"]


@for_each("name", presets())
def test_every_preset_has_a_box_for_every_part(name):
    search = presets()[name].search
    assert boxes(search) == [part.operator.label for part in search.parts()]


def test_a_ranking_shows_how_it_came_about_and_its_first_hits():
    made = Runner(CORPUS)(SEARCH, "red fox", 12)
    told = texts(made)
    assert boxes(made) == [step.made_by.label for step in made.lineage()]
    facts = [text for text in told if re.search(r"\d+ hits · \d+\.\d ms", text)]
    assert [int(text.split()[0]) for text in facts] == [len(step) for step in made.lineage()]
    assert sum("dropped" in text for text in facts) == sum(bool(step.dropped) for step in made.lineage()) == 2
    rows = drawn(made).xpath("//tr")
    assert (len(rows), "… 2 more" in told) == (1 + 10, True)
    for rank, (row, hit) in enumerate(zip(rows[1:], made.source.hits, strict=False), 1):
        cells = [cell.text_content() for cell in row]
        assert cells[:2] == [str(rank), f"{hit.score:.4f}"]
        assert cells[2] == f"{hit.document.label} {hit.document.id}"
        addends = [float(part.split()[-1]) for part in cells[3].split(" + ")]
        assert sum(addends) == pytest.approx(hit.score, rel=2e-3)


def test_many_addends_are_summed_and_a_score_that_is_no_sum_has_none():
    hit = Runner(CORPUS)(Vector(), "red fox number seven and a blue bird", 1)
    cell = drawn(hit).xpath("//tr")[1][3].text_content()
    assert re.search(r" \+ \d+ more -?[\d.e-]+$", cell)
    assert sum(float(part.split()[-1]) for part in cell.split(" + ")) == pytest.approx(hit.hits[0].score, rel=2e-3)
    assert drawn(Runner(CORPUS, explain=False)(BM25(), "fox", 1)).xpath("//tr")[1][3].text_content() == "–"


def test_the_lists_of_wordings_are_told_apart():
    others = (Document(f"o{i}", f"a blue bird number {i}", "Bird") for i in range(40))
    corpus = Corpus("foxes and birds", (*CORPUS, *others))
    made = Runner(corpus)(MultiQuery(abstains=False)(BM25()), "crimson fox", 3)
    asked = [text for text in texts(made) if text.startswith("“") and "hits" in text]
    assert len(asked) == sum(parent.query.made_from is not None for parent in made.parents) > 0


def test_no_text_of_a_corpus_or_a_visitor_is_markup():
    made = Runner(CORPUS)(Pipeline((BM25(),), refine=(Top(3),), name=HOSTILE), f"red {HOSTILE}", 3)
    for shown in (made, Fallback(BM25(), Pipeline((BM25(),), name=HOSTILE) % 3)):
        tree = drawn(shown)
        assert {node.tag for node in tree.iter()} <= {"div", "b", "i", "span", "table", "tr", "td", "th"}
        assert all(set(node.keys()) <= {"style"} for node in tree.iter())
    assert f"title {HOSTILE} id {HOSTILE}" in drawn(made).text_content()


def test_text_takes_the_colour_of_the_notebook():
    styles = ";".join(node.get("style", "") for node in drawn(Runner(CORPUS)(SEARCH, "red fox", 3)).iter())
    assert set(re.findall(r"(?<![-\w])color:([^;]+)", styles)) == {"inherit"}
    assert set(re.findall(r"background:([^;]+)", styles)) == {"rgba(128,128,128,.09)", "transparent"}


def test_an_empty_ranking_says_so():
    made = Runner(CORPUS)(BM25(), "nobody", 3)
    assert (len(made), [text for text in texts(made) if text.startswith("0 hits")] != []) == (0, True)
