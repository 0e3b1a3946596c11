"""The objects that a conversation is about: names, and things that a turn joins by “and” or 和.

A comparison that names no sides (“which one lasts longer?”) takes them from the turns before, and “what about X?”
replaces its counterpart there by X.  Both rules apply only if the words of the turns say so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

from lab.algebra import Corpus
from lab.kept import Kept
from lab.models.embedders import encoder_of
from lab.models.static import BuiltIn
from lab.numeric import unit
from lab.patterns import lazy_pattern
from lab.rewrite.turn_words import ASKING_VERBS, COMPARED, FUNCTION_WORDS, LONGEST, frames, is_content
from lab.text import is_han, jieba_dictionary
from lab.text.writing import HAN

T = TypeVar("T")
MOST = 4
"""So many objects of a comparison at most."""
TEXTS = 500
"""The objects of so many turns are kept with their corpus."""
TITLED = 20_000
"""Of a corpus of at most so many documents, titles are known as names."""
NEAR = 0.25
"""The cosine of the built-in vectors from which two words are taken to be of one kind."""
FAR = 0.1
"""The cosine under which an English turn and all earlier ones are of different topics; chosen on CAsT's turns."""
LEAST_WORDS, RECENT = 2, 3
"""A turn of so many words of content may begin a topic; it is compared with so many turns before it."""
_LONGEST_TITLE, _LONGEST_OBJECT = 30, 40
_NOUNS_BEHIND, _WORDS_OF_ENGLISH = 2, 3
_PARTS = re.compile(rf"(?P<han>[{HAN}]+)|(?P<word>[^\W{HAN}_][^\W{HAN}]*(?:[-.'’+/][^\W{HAN}]+)*)|(?P<sign>\S)")
_ENGLISH_JOINTS = frozenset(["and", "or", "vs", "vs.", "versus", "&", "/"])
_CHINESE_JOINTS = frozenset(["和", "与", "跟", "同", "及", "以及", "或", "或者", "还是", "、"])
_NOUNS = ("n", "vn", "an", "b", "j", "l", "i", "s")
_NAMES = ("ns", "nr", "nt")
_NUMBERS = ("m", "q", "t")
_PREPOSITION = re.compile(r"\s*(in|at|on|for|from|to|with|by|near|during|after|before)\s", re.IGNORECASE)
_COMPARATIVE = re.compile(rf"{COMPARED}|better|worse|best|worst", re.IGNORECASE)
_HAD = lazy_pattern(
    r"(?:\b(?:have|has|had|with|supports?|includes?)\s+(?:an?\s+|the\s+)?|支持|配有|带有)$", re.IGNORECASE
)
"""Behind a thing, and before what it has: the Alpha watch has GPS."""
_TITLE_END = re.compile(r"\s*[:：(（\[【|—–-]\s*(?=\D)")


class Piece(NamedTuple):
    """A word of a turn: ``kind`` is one of ``name``, ``noun``, ``number``, ``verb``, ``joint`` and ``other``."""

    text: str
    start: int
    end: int
    kind: str
    tag: str = ""


class Object(NamedTuple):
    """Something that a turn is about, as it is written.

    ``named``: by a name, a code or a title of a passage; ``certain``: by more than a capital letter.
    """

    text: str
    named: bool
    certain: bool = False


def kept(corpus: Corpus | None, kind: str, key: Hashable, make: Callable[[], T]) -> T:
    """Returns a value that is computed from turns, cached with their corpus, if there is one."""
    if corpus is None:
        return make()
    cache: Kept[T] = corpus.once((kind, "of turns"), lambda: Kept(TEXTS))
    return cache.computed(key, make)


def pieces(text: str, *, begins: bool = True) -> list[Piece]:
    """Returns the words of a turn with their kinds: Chinese by jieba's tags, others by capitals and digits.

    ``begins``: the text begins a sentence, where a capital says nothing.
    """
    chinese = any(is_han(c) for c in text)
    pieces_found = list[Piece]()
    for m in _PARTS.finditer(text):
        if m.lastgroup == "han":
            at = m.start()
            for word, tag in jieba_dictionary().tag(m[0]):
                pieces_found.append(Piece(word, at, at + len(word), _chinese_kind(word, tag), tag))
                at += len(word)
        else:
            first = pieces_found[-1].text in ".?!。？！" if pieces_found else begins
            pieces_found.append(Piece(m[0], *m.span(), _kind(m[0], chinese=chinese, first=first)))
    return pieces_found


def _chinese_kind(word: str, tag: str) -> str:
    if word in _CHINESE_JOINTS:
        return "joint"
    if word in FUNCTION_WORDS:
        return "other"
    if tag.startswith(_NAMES):
        return "name" if len(word) > 1 else "noun"
    if tag.startswith(_NOUNS):
        return "noun"
    if tag.startswith(_NUMBERS):
        return "number"
    return "verb" if tag.startswith("v") and len(word) > 1 else "other"


def _kind(word: str, *, chinese: bool, first: bool) -> str:
    if word.lower() in _ENGLISH_JOINTS or word in _CHINESE_JOINTS or word in ",，":
        return "joint"
    word = word.replace("’", "'")
    if not word[0].isalnum() or word.lower() in FUNCTION_WORDS or word.lower().split("'")[0] in FUNCTION_WORDS:
        return "other"
    if word.isdigit():
        return "number"
    if any(c.isdigit() for c in word) or chinese or (any(c.isupper() for c in word) and not first):
        return "name"
    return "other" if word.lower() in ASKING_VERBS or _COMPARATIVE.fullmatch(word) else "noun"


def objects(text: str, corpus: Corpus | None = None, *, begins: bool = True) -> list[Object]:
    """Returns the objects that a turn names, in order, each once: noun runs with a name, and passage titles."""
    text = text[:LONGEST]
    return kept(corpus, "objects", (text, begins), lambda: _objects(text, corpus, begins))


def _objects(text: str, corpus: Corpus | None, begins: bool) -> list[Object]:
    every, chinese = enumerate(_named_runs(pieces(text, begins=begins))), any(map(is_han, text))
    runs = [(a, b) for i, (a, b) in every if not i or not _HAD.search(text, 0, a)]
    certain = {(a, b): chinese or any(map(str.isdigit, text[a:b])) for a, b in runs}
    certain |= dict.fromkeys(_titled(text, corpus), True)
    each = dict[str, Object]()
    for a, b in sorted(certain):
        if not any((a, b) != (c, d) and c <= a and b <= d for c, d in certain):
            each[text[a:b].lower()] = Object(text[a:b], True, certain[a, b])
    return [*each.values()]


def joined(text: str, corpus: Corpus | None = None) -> list[list[Object]]:
    """Returns the groups of objects that a turn joins by “and”, “or”, 和, 与: two or more each."""
    text = text[:LONGEST]
    return kept(corpus, "joined", text, lambda: _joined(text, corpus))


def _joined(text: str, corpus: Corpus | None) -> list[list[Object]]:
    every, groups, at = pieces(text), list[list[Object]](), 0
    names = {*_named_runs(every), *_titled(text, corpus)}
    while at < len(every):
        joins = every[at].kind == "joint" and every[at].text not in ",，"
        left, right = (_before(every, at), _behind(every, at)) if joins else (None, None)
        if not left or not right or (_span(every, left) not in names and _is_predicate(every, left.start, every[at])):
            at += 1
            continue
        group = [left, right]
        while (i := group[0].start) > 0 and every[i - 1].kind == "joint" and (more := _before(every, i - 1)):
            group.insert(0, more)  # A, B and C
        while (at := group[-1].stop) < len(every) and every[at].kind == "joint" and (more := _behind(every, at)):
            group.append(more)
        spans = [(a, b) for a, b in (_span(every, run) for run in group) if b - a <= _LONGEST_OBJECT]
        groups.append([Object(text[a:b], any(a <= c and d <= b for c, d in names)) for a, b in spans][:MOST])
    return groups


def _span(every: Sequence[Piece], run: range) -> tuple[int, int]:
    return every[run.start].start, every[run.stop - 1].end


def _is_predicate(every: Sequence[Piece], first: int, joint: Piece) -> bool:
    """Returns whether the English words from here on are a predicate: “nice and quiet” after “is” or “very”."""
    before = every[first - 1].text.lower() if first and joint.text.lower() == "and" else ""
    return before in ("is", "are", "was", "were", "be", "very", "so", "too", "quite", "really", "it's", "it’s")


def _before(every: Sequence[Piece], at: int) -> range | None:
    """Returns the run of nouns that ends before the conjunction at this position."""
    i = at
    while i > 0 and _goes_on(every, i - 1, i if i < at else None) and not _long_enough(every[i:at]):
        i -= 1
    while i < at and every[i].kind == "number" and every[i].tag.startswith("q"):
        i += 1
    if i == at and at > 0 and every[at - 1].kind == "verb":
        i -= 1
    return range(i, at) if _says(every[i:at]) else None


def _behind(every: Sequence[Piece], at: int) -> range | None:
    """Returns the run of nouns after the conjunction at this position, without articles."""
    begin = at + 1
    while begin < len(every) and every[begin].text.lower() in ("the", "a", "an", "my", "our", "your", "和", "与"):
        begin += 1
    i = begin
    while i < len(every) and _goes_on(every, i, i - 1 if i > begin else None) and not _long_enough(every[begin:i]):
        i += 1
    if i == begin and i < len(every) and every[i].kind == "verb":
        i += 1
    return range(begin, i) if _says(every[begin:i]) else None


def _goes_on(every: Sequence[Piece], i: int, neighbour: int | None) -> bool:
    """Returns whether a word belongs to the run of nouns that its neighbour is in."""
    word, other = every[i], every[i if neighbour is None else neighbour]
    return word.kind in ("name", "noun", "number") and max(word.start, other.start) - min(word.end, other.end) <= 1


def _long_enough(run: Sequence[Piece]) -> bool:
    """Returns whether an English run already has as many words as a name: no tags mark its end."""
    return len(run) >= _WORDS_OF_ENGLISH and not any(is_han(p.text[0]) for p in run)


def _says(run: Sequence[Piece]) -> bool:
    return any(p.kind in ("name", "noun", "verb") for p in run)


def _named_runs(every: Sequence[Piece]) -> Iterator[tuple[int, int]]:
    """Yields (start, end) of noun runs that contain a name or a code; English runs begin with it."""
    i = 0
    while i < len(every):
        end = i
        while end < len(every) and _goes_on(every, end, end - 1 if end > i else None):
            end += 1
        run = every[i:end]
        if run and not any(is_han(p.text[0]) for p in run):
            names = [j for j, p in enumerate(run) if p.kind == "name"]
            run = run[names[0] : names[-1] + 1 + _NOUNS_BEHIND] if names else []
        first = next((j for j, p in enumerate(run) if p.kind != "number"), 0)
        if any(p.kind == "name" for p in run) and run[-1].end - run[first].start <= _LONGEST_OBJECT:
            yield run[first].start, run[-1].end
        i = max(end, i + 1)


def _titled(text: str, corpus: Corpus | None) -> Iterator[tuple[int, int]]:
    """Yields (start, end) of each passage title in a text, or of the part of a title before its colon."""
    if corpus is None or len(corpus) > TITLED:
        return
    known = corpus.once(("titles of turns",), lambda: _titles(corpus))
    places = [p for p in pieces(text) if p.text[0].isalnum()]
    for i, first in enumerate(places):
        for last in places[i:]:
            if last.end - first.start > _LONGEST_TITLE:
                break
            if text[first.start : last.end].lower() in known:
                yield first.start, last.end


def _titles(corpus: Corpus) -> frozenset[str]:
    parts = (part.strip().lower() for d in corpus for part in (d.title, _TITLE_END.split(d.title)[0]))
    return frozenset(p for p in parts if 1 < len(p) <= _LONGEST_TITLE and p not in FUNCTION_WORDS)


# ------------------------------------------------------------------------------------------------- counterparts


def counterpart(
    new: str, before: Sequence[str], corpus: Corpus | None = None, *, alike: bool = False
) -> tuple[str, ...]:
    """Returns what “what about ``new``?” replaces in the earlier turns (latest first); empty if it only adds.

    A named object replaces the object of the last turn that has one; after a preposition (“in Europe”), the object
    after the same preposition.  Otherwise it replaces the word of the last turn that is a name of the same kind (a
    place, a person), ends like it (病假, 年假), qualifies the same word (annual leave, parental leave) or, unless it
    must be ``alike`` in form, is near it (`NEAR`).
    """
    return kept(corpus, "counterparts", (alike, new, *before), lambda: _counterpart(new, before, corpus, alike))


def _counterpart(new: str, before: Sequence[str], corpus: Corpus | None, alike: bool) -> tuple[str, ...]:
    if preposition := _PREPOSITION.match(new):
        behind = re.compile(rf"\b{preposition[1]}\s+(?:the\s+)?$", re.IGNORECASE)
        candidates = ((o.text, text) for text in before for o in objects(text, corpus) if o.text not in new)
        return next(((o,) for o, text in candidates if behind.search(text[: text.index(o)])), ())
    head = [p for p in pieces(new, begins=False) if p.kind in ("name", "noun", "verb")]
    if not head:
        return ()
    if any(2 * len(o.text) > len(new) for o in objects(new, corpus, begins=False)):
        named = (
            o.text for text in before for o in reversed(objects(text, corpus)) if o.text.lower() not in new.lower()
        )
        if old := next(named, ""):
            return _different(old, new)
    turns = [[p for p in pieces(text) if p.kind in ("name", "noun", "verb")] for text in before]
    for words in turns:
        if same := _of_one_kind(head[-1], words, new):
            return same
    if alike:
        return ()
    others = next(filter(None, ([p for p in words if p.text.lower() not in new.lower()] for words in turns)), [])
    return _nearest(head[-1], others, corpus)


def _different(old: str, new: str) -> tuple[str, ...]:
    """Returns the words of ``old`` that its replacement ``new`` does not contain; of “X 的 Y” those of X, unless
    ``new`` has a 的, too."""
    words = pieces(old if "的" in new else old.rpartition("的")[0] or old)
    return tuple(p.text for p in words if p.kind != "other" and p.text.lower() not in new.lower())


def _of_one_kind(head: Piece, words: Sequence[Piece], new: str) -> tuple[str, ...]:
    """Returns the word of a turn that is a name of the kind of ``head``, ends like it, or qualifies the same word."""
    others = [p for p in words if p.text.lower() not in new.lower()]
    if head.tag.startswith(_NAMES) and (same := [p for p in others if p.tag[:2] == head.tag[:2]]):
        return (same[-1].text,)
    for before, word in pairwise(words):  # “annual leave”, then “parental leave”
        if word.text.lower() == head.text.lower() and before in others and word.start - before.end <= 1:
            return (before.text,)
    if is_han(head.text) and (same := [p for p in others if is_han(p.text) and p.text[-1] == head.text[-1]]):
        return (same[-1].text,)
    return ()


def _nearest(head: Piece, words: Sequence[Piece], corpus: Corpus | None) -> tuple[str, ...]:
    """Returns the word whose vector is nearest to that of ``head``, if it is near."""
    if corpus is None or not words:
        return ()
    encoder = encoder_of(BuiltIn(), corpus)
    near = unit(encoder.queries([p.text for p in words])) @ unit(encoder.queries([head.text]))[0]
    best = int(near.argmax())
    return (words[best].text,) if near[best] >= NEAR else ()


def shares_nothing(text: str, before: Sequence[str], passages: Sequence[str], corpus: Corpus) -> bool:
    """Returns whether a turn with content of its own shares none with earlier turns and the passages they showed."""
    key = (text, *before, "", *passages)
    return kept(corpus, "unrelated", key, lambda: _shares_nothing(text, before, passages, corpus))


def _shares_nothing(text: str, before: Sequence[str], passages: Sequence[str], corpus: Corpus) -> bool:
    spans = frames(text)
    words = [p for p in pieces(text) if p.text[0].isalnum() and is_content(p.text.lower(), p.start, spans)]
    if len(words) < LEAST_WORDS or not any(p.kind in ("name", "noun") for p in words):
        return False
    told = " ".join([*before, *passages]).lower()
    if any(p.text.lower() in told for p in words):
        return False
    encoder = encoder_of(BuiltIn(), corpus)
    new = unit(encoder.queries([text]))[0]
    if any(map(is_han, text)):
        return float((unit(encoder.queries([*before[:RECENT]])) @ new).max()) < NEAR
    if float((unit(encoder.queries([*before])) @ new).max()) >= FAR:
        return False
    return float((unit(encoder.documents([*passages])) @ new).max()) < NEAR
