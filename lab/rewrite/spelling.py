"""Corrects words that the corpus does not have to the nearest words that it has.

A word stays if the corpus has it or its stem, and if it is one piece of the built-in model's vocabulary: a good word
that is merely missing from the corpus would else become another good word (safe, same).  Codes, digits and short words
stay as well.  Chinese has no words without postings, since characters are always there: so a run of characters that
the corpus does not have is compared with the words of the corpus, by sound or by one character.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec

from lab.algebra import (
    ALONE,
    Corpus,
    Env,
    Progress,
    Query,
    QueryVariant,
    Rewrite,
    Rewriter,
    knob,
)
from lab.fuse import RRF
from lab.models.static import load_built_in
from lab.rewrite.nearest import (
    PARTICLES,
    SHORTEST_HAN,
    WORDS,
    Alike,
    CorpusWords,
    Near,
    common_sound,
    runs_of,
    sounds_alike,
)
from lab.text import QUESTIONS, cutting, is_han, known_word
from lab.text.quantities.numbers import HAN_NUMERAL
from lab.words import N_, Said, joined

PRECISE = cutting(mode="precise", single=True, simplified=True)
COUNTED = re.compile(
    rf"[\d{HAN_NUMERAL}]+[年月日号天时点分秒周岁元块角个次位名人章节条款项页楼层届期度米里斤倍成%]|\d.?"
)
"""A number in digits or Han characters, with what it counts."""
LARGEST = 20_000
"""Passages of a corpus whose words are counted only to offer a correction."""
CODE = Said("a code")
CAPITALS = Said("an abbreviation")
SHORT = Said("too short")
KNOWN = Said("a known word")
FAR = Said("no similar word in the corpus")


@dataclass(frozen=True, slots=True)
class Correction:
    """A misspelt word of the question, ``text[start:end]``, and the corpus word that replaces it."""

    start: int
    end: int
    word: str
    near: Near
    by: str
    """``edit`` (letters), ``sound`` or ``character`` (one Chinese character is another)."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """The result of `Spelling` for one text: corrections in order, and unknown words kept, with reasons."""

    text: str
    corrections: tuple[Correction, ...]
    kept: tuple[tuple[str, Said], ...] = ()

    @property
    def pieces(self) -> tuple[tuple[str, Correction | None], ...]:
        """Splits the text into pieces: unchanged text, and corrected words with their corrections."""
        pieces, at = list[tuple[str, Correction | None]](), 0
        for correction in self.corrections:
            pieces += [(self.text[at : correction.start], None), (correction.word, correction)]
            at = correction.end
        return tuple((piece, correction) for piece, correction in [*pieces, (self.text[at:], None)] if piece)

    @property
    def result(self) -> str:
        """Returns the corrected text; initial capitals are preserved."""
        return "".join(
            _as_written(correction.near.word, piece) if correction else piece for piece, correction in self.pieces
        )


def _as_written(word: str, before: str) -> str:
    return word.upper() if len(before) > 1 and before.isupper() else word.capitalize() if before[:1].isupper() else word


@dataclass(frozen=True)
class Spelling(Rewriter):
    """Corrects words that the corpus does not have by its own nearest words.

    Letters: within one edit, or two from ``far`` letters on; the least distance first, then the word of more
    passages.  Chinese: runs of two to four characters that the corpus does not have, and that differ from a word of the
    corpus in one character: of the same ``sound`` (needs the extra ``pinyin``), or ``one``, a common character of the
    same sound, in words of three or more any.
    """

    merged_by = RRF()

    label = Said("Spelling")
    about = Said("Replaces words that the corpus does not have by its nearest words.")

    ask: str = knob(
        "instead",
        choices={"instead": Said("instead of the question"), "beside": Said("beside the question")},
        label=Said("Ask the corrected question"),
        help=Said("Instead: one list. Beside: the lists of both are merged."),
    )
    shortest: int = knob(
        4, low=2, high=10, label=Said("Shortest word"), help=Said("Words with fewer letters are not corrected.")
    )
    far: int = knob(
        8,
        low=0,
        high=20,
        label=Said("Two edits from"),
        help=Said("Letters of a word that may be two edits away. 0: never two."),
    )
    known: bool = knob(
        True,
        label=Said("Keep known words"),
        help=Said("Words in the built-in model's vocabulary are not corrected, even if the corpus lacks them."),
    )
    sound: str = knob(
        "off",
        choices={"off": Said("off"), "same": Said("same sound"), "near": Said("similar sound")},
        label=Said("Chinese by sound"),
        help=Said("Corrects a character that sounds like the right one. Needs the package pypinyin."),
    )
    one: bool = knob(
        True,
        label=Said("Chinese by one character"),
        help=Said("One wrong character: of the same sound in words of two, any in longer words."),
    )
    borders: bool = knob(
        False,
        label=Said("Keep word boundaries"),
        help=Said("Chinese is corrected only between the tokenizer's word boundaries: fewer repairs, fewer mistakes."),
    )

    @property
    def keeps_original(self) -> bool:  # type: ignore[override]
        return self.ask == "beside"

    def rewrite(self, query: Query, corpus: Corpus, env: Env = ALONE) -> Rewrite:
        start = time.perf_counter()
        variants, unchanged, corrected = tuple[QueryVariant, ...](), "", None
        if not query.blank:
            corrected = self.correct(query.text, corpus, env.progress)
            weights = [(self.correct(text, corpus).result, weight) for text, weight in query.weights]
            if corrected.corrections or [text for text, _ in weights] != [text for text, _ in query.weights]:
                variant = QueryVariant(
                    corrected.result, Said("correction"), _corrections_as_text(corrected), weights=tuple(weights)
                )
                variants = (variant,)
            else:
                unchanged = self._unchanged(corrected, corpus)
        seconds = time.perf_counter() - start
        return Rewrite(query, variants, self, "rule", unchanged=unchanged, evidence=corrected, seconds=seconds)

    def correct(self, text: str, corpus: Corpus, progress: Progress | None = None) -> Corrected:
        """Returns the corrections of one text.  Raises `MissingExtra` for ``sound`` without pypinyin."""
        if self.sound != "off":
            sounds_alike(near=self.sound == "near")
        if corpus.elsewhere:
            return Corrected(text, ())
        words = CorpusWords.of(corpus, progress)
        corrections, unchanged = list[Correction](), dict[str, Said]()
        for word, start, end in _words(text):
            reason = self._reason(text, word, start, end, words)
            if reason is None:
                continue
            near = [] if reason else words.near(word, 2 if 0 < self.far <= len(word) else 1)
            if near:
                corrections.append(Correction(start, end, text[start:end], near[0], "edit"))
            else:
                unchanged[text[start:end]] = reason or FAR
        if self.sound != "off" or self.one:
            corrections += self._chinese(text, words)
        return Corrected(text, tuple(sorted(corrections, key=lambda c: c.start)), tuple(unchanged.items()))

    def _reason(self, text: str, word: str, start: int, end: int, words: CorpusWords) -> Said | None:
        """Returns why a word is not corrected; empty if it may be, None for a word that the corpus has."""
        if words.knows(word):
            return None
        if not word.isalpha():
            return CODE
        if len(word) < self.shortest:
            return SHORT
        if text[start:end].isupper() and not text.isupper():
            return CAPITALS
        contracted = word.endswith("n") and text[end : end + 2].lower() in ("'t", "’t")
        return KNOWN if contracted or (self.known and _one_piece(word)) else Said()

    def _chinese(self, text: str, words: CorpusWords) -> Iterator[Correction]:
        """Corrections of runs of Han characters: by sound first, longer runs first; none overlaps another.

        A run may contain a word of the dictionary (路由 in 路由气) if only its other character changes, by sound;
        else it is two adjacent words, not a misspelling.  What is behind a number (2日, 三个) belongs to it.
        """
        read = PRECISE.read(text)
        plain = read.text
        if not any(map(is_han, plain)):  # then jieba's dictionary is not needed
            return
        tokens = [*PRECISE.spans(plain)]
        known = [t for t in tokens if len(t.text) > 1 and known_word(t.text)]
        taken = {i for t in known for i in range(t.start, t.end)}
        unsure = {i for i, c in enumerate(plain) if c in PARTICLES} - taken
        unsure |= {i for m in COUNTED.finditer(plain) for i in range(*m.span())}
        borders = {at for t in tokens for at in (t.start, t.end)} if self.borders else set(range(len(plain) + 1))
        runs = [(a, b) for a, b in runs_of(plain, borders) if unsure.isdisjoint(range(a, b))]
        free = [(a, b) for a, b in runs if taken.isdisjoint(range(a, b))]
        around = [
            (t.start - before, t.end + 1 - before)
            for before in (0, 1)
            for t in known
            if t.text not in QUESTIONS and plain[t.start - 1 if before else t.end : t.end + 1][:1] not in PARTICLES
        ]
        around = [run for run in runs if run in around]
        ways = list[tuple[str, Alike, list[tuple[int, int]]]]()
        if self.sound != "off":
            ways.append(("sound", sounds_alike(near=self.sound == "near"), free))
        if self.one:
            ways.append(("character", lambda *_: True, [(a, b) for a, b in free if b - a > SHORTEST_HAN]))
            ways.append(("sound", common_sound, [*around, *free]))
        covered = set[int]()
        for by, alike, places in ways:
            for start, end in places:
                positions = range(start, end)
                if covered.isdisjoint(positions) and (near_words := words.near_run(plain[start:end], alike)):
                    covered.update(positions)
                    a, b = read.place(start, end)
                    yield Correction(a, b, text[a:b], near_words[0], by)

    def _unchanged(self, corrected: Corrected, corpus: Corpus) -> str:
        """Explains why nothing is corrected."""
        if corpus.elsewhere:
            return Said(
                "The texts of this corpus are in {engine}, so its words are not known here.", engine=corpus.elsewhere
            )
        if not CorpusWords.of(corpus).has_letters and any(True for _ in _words(corrected.text)):
            return Said("The corpus has no words of letters, so there is nothing to correct them by.")
        if corrected.kept:
            return kept_words(corrected)
        if any(map(is_han, corrected.text)):
            return Said(
                "No word of the question looks misspelt. Rarer Chinese sounds are compared only if that is chosen."
            )
        return Said("The corpus has every word of the question.")


def kept_words(corrected: Corrected) -> Said:
    """Returns the unknown words that stay as they are, each with the reason."""
    words = joined((Said("“{word}” ({reason})", word=word, reason=reason) for word, reason in corrected.kept), ", ")
    return Said("Words that stay as they are: {words}.", words=words)


def offered(text: str, corpus: Corpus) -> Corrected | None:
    """Returns the correction to offer beside a list of this corpus; None if there is nothing to correct.

    Correction by sound needs pypinyin.  A large corpus is used only if its words are already counted, which happens
    when somebody corrects its questions.
    """
    large = len(corpus) > LARGEST and not CorpusWords.at_hand(corpus)
    spelling = Spelling(sound="same" if any(map(is_han, text)) and find_spec("pypinyin") else "off")
    # without a correction the built-in model is not needed: it only keeps more words
    if corpus.elsewhere or large or not replace(spelling, known=False).correct(text, corpus).corrections:
        return None
    corrected = spelling.correct(text, corpus)
    return corrected if corrected.corrections else None


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    """Yields the words of letters or digits with their positions; hyphenated words are split into parts."""
    parts = False
    for token in WORDS.spans(text):
        if token.kind == "word" and not any(map(is_han, token.text)):
            parts = "-" in token.text and token.text.replace("-", "").isalpha()
        if token.kind == ("part" if parts else "word") and not any(map(is_han, token.text)):
            yield token.text, token.start, token.end


def _one_piece(word: str) -> bool:
    """Returns whether the built-in model has this word as one piece of its vocabulary."""
    model = load_built_in().model
    (encoding,) = model.tokenizer.encode_batch_fast([word], add_special_tokens=False)
    return len(encoding.ids) == 1 and encoding.ids[0] != model.unk_token_id


def _corrections_as_text(corrected: Corrected) -> str:
    """Returns the corrections in a sentence, each with its distance and the number of passages."""
    templates = {
        "edit": N_("{word} → {near} (edits: {n}, passages: {passages})"),
        "sound": N_("{word} → {near} (by sound, passages: {passages})"),
        "character": N_("{word} → {near} (one character, passages: {passages})"),
    }
    each = (
        Said(templates[c.by], word=c.word, near=c.near.word, n=c.near.distance, passages=c.near.passages)
        for c in corrected.corrections
    )
    return Said("{changes}.", changes=joined(each, "; "))
