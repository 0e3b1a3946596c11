"""A card shows the best passage of its text, and near its beginning what is marked there."""

from __future__ import annotations

from lab.algebra import Corpus, Document, Query, Ranking
from lab.models.static import BuiltIn
from lab.retrieve.explaining import word_marker
from lab.retrieve.vector import Vector
from lab.text import Analyzer
from lab.text.borders import sentences
from lab.ui.lists.show import Marker, around, compared, snippet

WIDTH = 220
ASH = "ash " * 100
MARK = word_marker("kiln glaze", Analyzer())


def said(text: str, mark: Marker = MARK, width: int = WIDTH) -> str:
    """The snippet as one text, what is marked in brackets."""
    return "".join(f"[{piece}]" if marked else piece for piece, marked in snippet(text, mark, width))


def test_without_a_mark_it_is_the_beginning():
    assert said(ASH) == ASH[:WIDTH] + "…"


def test_a_short_text_is_whole_wherever_its_marks_are():
    assert said("kiln " + "ash " * 30 + "kiln") == "[kiln] " + "ash " * 30 + "[kiln]"
    assert said("") == ""


def test_what_a_card_would_not_show_of_a_text_is_not_where_the_mark_is():
    assert said("ash " * 40 + "kiln") == "…" + "ash " * 32 + "[kiln]"
    assert said("窑" * 100 + "釉料", word_marker("釉料", Analyzer())) == "…" + "窑" * 64 + "[釉料]"


def test_marks_at_both_ends_show_the_end_with_more_of_them():
    assert said("kiln " + ASH + "glaze") == "…" + "ash " * 31 + "[glaze]"  # the longer word
    assert said("kiln glaze " + ASH + "kiln").startswith("[kiln] [glaze] ash")
    assert said("kiln " + ASH + "kiln").startswith("[kiln] ash")  # of equals the first


def test_two_different_words_are_worth_more_than_one_that_comes_again_and_again():
    text = "kiln " * 9 + ASH + "a kiln for every glaze " + ASH
    assert said(text).startswith("…" + "ash " * 5 + "a [kiln] for every [glaze] ash")


def test_the_best_passage_begins_behind_a_blank_or_a_sign_and_not_within_a_word():
    assert said("chimney " * 40 + "kiln " + ASH).startswith("…chimney chimney [kiln] ash")
    chinese = word_marker("釉料", Analyzer())
    told = said("窑炉在夜里慢慢冷却" * 30 + "。开窑以后，釉料要重新称量" + "，然后记录在册" * 40, chinese)
    assert told.startswith("…开窑以后，[釉料]要重新称量，")


def test_chinese_without_any_sign_is_cut_a_little_before_the_mark_and_where_a_card_shows_it():
    chinese = word_marker("釉料", Analyzer())
    told = said("窑" * 60 + "釉料" + "灰" * 300, chinese)
    assert told.startswith("窑")  # 62 characters fit on a card
    told = said("窑" * 300 + "釉料" + "灰" * 300, chinese)
    assert told.startswith("…" + "窑" * 11 + "[釉料]灰")
    assert len(told) == 1 + WIDTH + len("[]") + 1


def test_a_marked_sentence_longer_than_the_snippet_is_shown_from_its_beginning():
    text = "The ash is cold. " * 20 + "Open " + "the kiln and " * 30 + "wait. " + ASH
    own = max(sentences(text), key=lambda span: span[1] - span[0])
    pieces = around(text, lambda _: [own])
    assert pieces[0] == ["…", None]
    assert next(piece for piece, marked in pieces if marked).startswith("Open the kiln and")
    assert sum(len(piece) for piece, _marked in pieces[1:-1]) == WIDTH


def test_a_vector_list_shows_the_sentence_that_was_compared_also_far_down_in_a_text():
    far = "Ash is grey and light. " * 300 + "The kiln is opened when it is cold. " + "Ash is grey. " * 5
    own = Corpus("own", (Document("far", far, "Ash"), Document("near", "The kiln is cold.")))
    ranking = Vector(embedder=BuiltIn()).index(own).search(Query("When may I open the kiln?"))
    document = own.documents[0]
    [(start, end)] = compared(ranking, document)
    assert far[start:end] == "The kiln is opened when it is cold."
    pieces = around(far, lambda _: compared(ranking, document))
    assert ["The kiln is opened when it is cold.", True] in pieces


def test_where_the_title_was_compared_or_nothing_the_text_has_no_such_sentence():
    own = Corpus("own", (Document("a", "Ash is grey and light.", "When may I open the kiln?"),))
    index = Vector(embedder=BuiltIn()).index(own)
    ranking = index.search(Query("When may I open the kiln?"))
    assert compared(ranking, own.documents[0]) == []
    assert compared(Ranking(Query("kiln"), (), Vector(), corpus=own), own.documents[0]) == []
