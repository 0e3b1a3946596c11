"""Expectations of one list: ranks, scores and their components, its length, the texts in it."""

from __future__ import annotations

from collections.abc import Sequence

from lab.algebra import Ranking
from lab.lessons.checking.case import Case, Reading, Result, is_reordered, rank_phrase
from lab.refine.diversity import Replay
from lab.refine.reorder import attention
from lab.words import N_, Said, joined, ngettext


class Ranks(Case):
    """Ranks, scores and texts."""

    OF_LISTS = frozenset(("results",))

    def expect_rank(self, value: int) -> Result:
        """``rank = 1``: the document has this rank."""
        expected = Said("position {rank}", rank=value) if is_reordered(self.search) else Said("rank {rank}", rank=value)
        return self.placed(self.rank == value, expected)

    def expect_max_rank(self, value: int) -> Result:
        """``max_rank = 3``: the document is among the first three."""
        return self.placed(self.before(value + 1), Said("rank {rank} or better", rank=value))

    def expect_min_rank(self, value: int) -> Result:
        """``min_rank = 4``: the document is not among the first three; it may be absent."""
        return self.placed(not self.before(value), Said("rank {rank} or worse", rank=value))

    def expect_absent(self, value: bool) -> Result:
        """``absent = true``: the document is not in the list (``false``: it is)."""
        return self.placed((self.rank is None) == value, Said("not in the list") if value else Said("in the list"))

    def expect_above(self, value: str) -> Result:
        """``above = "d7"``: the document is ranked above this other one, which may be absent."""
        other = self.ranking.rank(self.known(value).id)
        values = {"title": self.title(value), "found": rank_phrase(other)}
        return self.placed(self.before(other), Said("above “{title}”, which {found}", **values))

    def expect_ties(self, value: str) -> Result:
        """``ties = "d7"``: the document and this other one have the same score (to within rounding)."""
        a, b = (hit.score if hit else None for hit in (self.hit, self.ranking.hit(self.known(value).id)))
        passed = a is not None and b is not None and abs(a - b) <= 1e-9 * max(1, abs(a))
        titles = {"title": self.title(self.doc), "other": self.title(value)}
        scores = {"a": "–" if a is None else round(a, 6), "b": "–" if b is None else round(b, 6)}
        finding = Said("“{title}” has the score {a}, “{other}” {b}", **titles, **scores)
        return self.told(passed, finding, Said("the same score"))

    def expect_score(self, value: float) -> Result:
        """``score = 0.81``: the document has this score, to the digits that are written."""
        digits = len(repr(float(value)).partition(".")[2])
        passed = self.hit is not None and round(self.hit.score, digits) == value
        score = "–" if self.hit is None else round(self.hit.score, max(digits, 4))
        finding = Said("“{title}” has the score {a}", title=self.title(self.doc), a=score)
        return self.told(passed, finding, Said("the score {value}", value=value))

    def expect_better_than(self, value: str) -> Result:
        """``better_than = "vector"``: the document is nearer to the top here than in this other list."""
        other = self.lists(value).rank(self.doc)
        expected = Said(
            "a better rank than in {list}, where it {found}", list=self.called(value), found=rank_phrase(other)
        )
        return self.placed(self.before(other), expected)

    def expect_blocked_by(self, value: str) -> Result:
        """``blocked_by = "d7"``: MMR left the document out, and of its picks this other one is most similar to it."""
        replay, other = self.ranking.evidence, self.known(value)
        places = {d.id: i for i, d in enumerate(replay.documents)} if isinstance(replay, Replay) else {}
        expected = Said("most similar to “{title}”", title=other.label)
        if not isinstance(replay, Replay) or self.doc not in places or self.rank is not None:
            return self.placed(False, expected)
        lost = replay.offer(len(replay.rows) - 1, places[self.doc])
        numbers = {"title": self.title(self.doc), "cosine": f"{lost.redundancy:.3f}"}
        nearest = "–" if lost.blocker is None else lost.blocker.label
        finding = Said("“{title}” has a cosine of {cosine} with “{other}”", other=nearest, **numbers)
        return self.told(lost.blocker is not None and lost.blocker.id == other.id, finding, expected)

    def expect_matched(self, value: Sequence[str]) -> Result:
        """``matched = ["leave"]``: the document's score has these components; ``[]``: it has no components."""
        why = {str(c.source): c for c in self.hit.why} if self.hit else {}
        passed = set(value) <= set(why) if value else not why
        title = self.title(self.doc)
        if why:
            addends = [joined((why[name].source, f"{why[name].value:.4g}"), " ") for name in (value if passed else why)]
            finding = Said("the score of “{title}” has the components {addends}", title=title, addends=addends)
        else:
            finding = Said("“{title}” has no score components", title=title)
        return self.told(passed, finding, Said("score components {wanted}", wanted=[*value] or "–"))

    def read_components(self, *names: str) -> Reading:
        """``of = ["809"]``: how many of these are components of the document's score."""
        components = {str(c.source) for c in self.hit.why} if self.hit else set(names)
        finding = Said("score components of “{title}”: {n}", title=self.title(self.doc), n=len(components))
        return len(components & set(names)), finding

    def expect_top(self, value: Sequence[str]) -> Result:
        """``top = ["d3", "d9"]``: the list begins with exactly these documents, in this order."""

        def titles(ids: Sequence[str]) -> Said:
            return joined([f"“{self.title(doc)}”" for doc in ids] or ["–"], ", ")

        first = self.ranking.ids[: len(value)]
        passed = first == [self.known(doc).id for doc in value]
        return self.told(passed, Said("it begins with {titles}", titles=titles(first)), titles(value))

    def read_results(self) -> Reading:
        """The number of documents in the list, however many were requested."""
        n = len(self.ranking)
        return n, ngettext("it has {n} document", "it has {n} documents", n)

    def expect_attention_above(self, value: str) -> Result:
        """``attention_above = "reversed"``: the document's position counts more than the one in that other list.

        Positions are weighted by the illustrative curve of `lab.refine.reorder.attention`, at its default shape.
        """

        def attention_at(ranking: Ranking) -> float:
            rank = ranking.rank(self.known(self.doc).id)
            return 0.0 if rank is None else float(attention(len(ranking))[rank - 1])

        weight, other = attention_at(self.ranking), attention_at(self.lists(value))
        numbers = {
            "title": self.title(self.doc),
            "a": round(weight, 3),
            "b": round(other, 3),
            "than": self.called(value),
        }
        finding = Said("the rank of “{title}” counts {a}, in {than} {b}", **numbers)
        return self.told(weight > other, finding, Said("more"))

    def expect_holds(self, value: str) -> Result:
        """``holds = "within 90 days"``: the document's text, as it is in this list, has these words."""
        return self._text(self.hit is not None and value in self.hit.document.text, value, Said("kept"))

    def expect_lacks(self, value: str) -> Result:
        """``lacks = "within 90 days"``: the document is in the list, but its text there has lost these words."""
        is_missing = self.hit is not None and value not in self.hit.document.text
        return self._text(is_missing and value in self.known(self.doc).text, value, Said("lost"))

    def _text(self, passed: bool, value: str, expected: Said) -> Result:
        contains = self.hit is not None and value in self.hit.document.text
        template = N_("“{title}” contains “{text}”") if contains else N_("“{title}” does not contain “{text}”")
        return self.told(passed, Said(template, text=value, title=self.title(self.doc)), expected)
