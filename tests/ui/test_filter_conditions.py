"""Conditions on the page Filter: added by widgets made from the corpus's fields, counted, taken out, in the link."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lab.algebra import Corpus, Document
from lab.corpus.beir import Collection
from lab.retrieve.lexical import BM25
from lab.ui.layout import frame
from lab.ui.people.visitor import Visitor
from pages.refine.filter.access import after_the_cut

ROOT = Path(__file__).parents[2]
TEAMS, DAYS = ("HR", "IT", "Legal"), ("01/05/2024", "25/04/2024", "2023-11-30", "")
OWN = Collection(
    Corpus(
        "own",
        tuple(
            Document(f"d{i}", f"leave rules {i}", metadata={"views": 100 * i, "team": TEAMS[i % 3], "day": DAYS[i % 4]})
            for i in range(12)
        ),
    )
)
BARE = Collection(Corpus("bare", (Document("a", "leave rules"), Document("b", "leave days"))))
KEY = "filter.where.condition"


def opened(corpus: str = "own", condition: str = "", lang: str = "en") -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state[frame.VISITOR] = Visitor("")
    app.session_state[frame.VISITOR].store(frame.UPLOADS).update(own=OWN, bare=BARE)
    link = {"lang": lang, "corpus": corpus, "q": "leave rules", "filter.chain": "where", KEY: condition}
    for name, value in link.items():
        app.query_params[name] = value
    app.switch_page("pages/refine/filter/page.py").run()
    assert not app.exception, app.exception
    return app


def choose(app: AppTest, **widgets: object) -> AppTest:
    """Set widgets of the row by the last parts of their keys, one after the other."""
    for part, value in widgets.items():
        kinds = [*app.selectbox, *app.multiselect, *app.number_input, *app.text_input, *app.date_input]
        next(w for w in kinds if (w.key or "").startswith(f"filter.where.new.{part}")).set_value(value).run()
        assert not app.exception, app.exception
    return app


def add(app: AppTest) -> AppTest:
    app.button("filter.where.add").click().run()
    assert not app.exception, app.exception
    return app


def shown(app: AppTest) -> str:
    return "\n".join(x.value for x in [*app.markdown, *app.caption, *app.warning, *app.error, *app.info])


def kept(condition: str) -> int:
    from lab.algebra import Runner
    from lab.refine.where import Where
    from lab.retrieve.lexical import BM25

    return len(Runner(OWN.corpus)(BM25() >> Where(condition), "leave rules", 100))


def test_two_comparisons_are_added_by_widgets_and_counted_one_by_one():
    app = opened()
    add(choose(app, field="views", relation=">=", value=600))
    assert app.session_state[KEY] == "views >= 600"
    add(choose(app, field="team", value=["HR", "Legal"]))
    assert app.session_state[KEY] == "views >= 600 and team in (HR, Legal)"
    assert kept(app.session_state[KEY]) == 4
    told = shown(app)
    assert "candidates that do not fit: 6 of 12" in told
    assert "candidates that do not fit: 4 of 12" in told
    app.button("filter.where.remove.0").click().run()
    assert app.session_state[KEY] == "team in (HR, Legal)"
    assert app.query_params[KEY] == "team in (HR, Legal)"


def test_one_of_two_is_enough_with_or():
    app = opened(condition="views < 200")
    add(choose(app, field="team", value=["IT"], word="or"))
    assert app.session_state[KEY] == "views < 200 or team in (IT)"
    assert kept(app.session_state[KEY]) == 5


def test_days_with_two_readings_are_said_with_how_they_are_read():
    app = opened(condition="day >= 2024")
    told = shown(app)
    assert "01/05/2024" in told
    assert "day/month/year" in told
    assert "missing or unreadable for 3" in told


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("condition", ["views >> 3", "views > many", "(views > 3"])
def test_what_is_no_condition_is_said_and_nothing_is_removed(condition: str, lang: str):
    app = opened(condition=condition, lang=lang)
    assert app.error
    assert app.text_input(KEY).value == condition, "it stays to be mended"


def test_a_field_that_no_passage_has_is_named():
    assert "No passage of this corpus has the field colour" in shown(opened(condition="colour = red"))


def test_a_corpus_without_fields_says_so():
    assert "The passages of this corpus have no metadata fields." in shown(opened("bare"))


def test_more_than_fit_are_removed_behind_a_button():
    from lab.ui import components

    data: dict[str, object] = {}
    before = components.lists
    try:
        components.lists = lambda given, **_how: data.update(given)  # type: ignore[assignment]
        opened(condition="views > 99999")
    finally:
        components.lists = before
    gone = data["lists"][-1]  # type: ignore[index]
    assert (len(gone["hits"]), gone["end"], gone["more"]) == (10, "10 of 12", "2 more")


@pytest.mark.parametrize(
    ("found", "left", "said"), [(3, 1, "can infer"), (2, 1, "does not prove"), (2, 2, "reveals nothing")]
)
def test_only_a_list_that_was_cut_at_k_proves_that_passages_are_hidden(found: int, left: int, said: str) -> None:
    corpus = Corpus("own", tuple(Document(str(i), "kiln") for i in range(found)))
    cut = BM25().index(corpus).search("kiln", k=3)
    after = replace(cut, hits=cut.hits[:left])
    assert said in list(after_the_cut(cut, after, 3))[1]
