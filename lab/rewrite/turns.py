"""Decides by rules what a turn of a conversation is for, and so how earlier turns are used.

A rule reads the turn, and of the turns before it what they showed and the objects that they named; it decides only
if the words say so, and everything else is a follow-up.  The reason is a sentence, and a user can correct the kind by
hand (`Contextual.intent`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lab.algebra import Corpus, Query, Turn
from lab.patterns import lazy_pattern
from lab.rewrite.objects import MOST, counterpart, joined, objects, pieces, shares_nothing
from lab.rewrite.turn_words import CLASS_WORDS, FUNCTION_WORDS, LONGEST, PROPERTY, phrases
from lab.words import N_, Said

KINDS = {
    "opening": Said("an opening"),
    "follow-up": Said("a follow-up"),
    "comparison": Said("a comparison"),
    "correction": Said("a correction"),
    "choice": Said("choosing among the shown results"),
    "change": Said("a change of topic"),
    "small-talk": Said("small talk"),
}
"""What a turn is for."""
_END = r"[\s,，.。!！?？~～、…:：;；]*"
_TALK, _CHANGE = phrases("small_talk", f"(?:(?:{{}}){_END})+"), phrases("change")
_CORRECTION, _NOT, _LEADING = phrases("correction"), phrases("gone"), phrases("leading", r"\s*(?:{})+")
_HINT_WORDS = "哪 谁 们 俩 两 二 三 几 区别 差别 不同 差异 which two both of they them compar differ"
_HINTS = _HINT_WORDS.split()
"""One of these is in all that compares without sides: looking for it takes less time than the patterns."""
_UNNAMED, _INSTEAD, _POINTS = phrases("unnamed"), phrases("instead"), phrases("points")
_TWO = lazy_pattern(r"[两俩二]|\b(?:two|both|either|neither)\b", re.IGNORECASE)
_CODE = lazy_pattern(r"[A-Za-z-]*\d[A-Za-z0-9-]*")
_NUMBERS = (
    "first 1st 一 1 one former 前",
    "second 2nd 二 2 two latter 后",
    "third 3rd 三 3 three",
    "fourth 4th 四 4 four",
    "fifth 5th 五 5 five",
    "last 最后",
)
_PLACES = {word: i for i, words in enumerate(_NUMBERS) for word in words.split()}
_LAST = len(_NUMBERS) - 1
_NTH = r"\b(?:the\s+)(first|second|third|fourth|fifth|last|former|latter|1st|2nd|3rd|4th|5th)"
_SHOWN = r"(?:one|result|passage|hit|document|entry|answer|of\s+(?:them|these|those))\b"
_BEHIND = r"(?=$|[\s,，。?？!！、；呢吧吗的是那里讲说多怎能可有])"
_CHOICE = lazy_pattern(
    rf"{_NTH}\s+{_SHOWN}|{_NTH}(?={_END}$|\s*[,，.;?!]|['’]s\b|\s+(?:please|then|instead|again)\b)"
    rf"|第([一二三四五1-5])(?:个|条|篇|项|段|种|份|款|间|家|台|本|张|处)(?:结果|文档|段落|答案|回答)?{_BEHIND}"
    rf"|\b(?:number|option|result|passage|hit)\s+([1-5]|one|two|three|four|five)(?={_END}$|\s*[,，.;?!])"
    rf"|([前后])(?:者|(?:一|面那|面的那)(?:个|条|篇|种|款|台|家|间|份|项)){_BEHIND}"
    rf"|(最后)一(?:个|条|篇|项|段|份|款)(?:结果|文档|段落)?{_BEHIND}",
    re.IGNORECASE,
)
_SIDE, _END_OF = r"[^,，.。;；:：?？!！]{1,60}?", r"(?=[,，.。;；:：?？!！]|$)"
_A, _B = rf"(?P<a>{_SIDE})", rf"(?P<b>{_SIDE})"
_ITEMS = rf"(?P<a>(?:(?:\w[\w'’-]*\s){{0,3}}\w[\w'’-]*,\s+){{0,3}}{_SIDE})"
"""One thing, or several with commas between them."""
_IN_LIST = lazy_pattern(r"\s*(?:、|,(?:\s*(?:and|or)\b)?|还是|[和与跟及]|\b(?:and|or|vs)\b)\s*")
_RESPECT = lazy_pattern(
    rf"\s+(?:in|by|on|for)\s+(?:\w+\s+){{0,4}}?{PROPERTY['en'].pattern}|在[一-鿿]{{1,6}}(?:上|方面)\Z|^[一-鿿]{{1,6}}方面",
    re.IGNORECASE,
)
"""In which respect things are compared, beside their names."""
_AND = "(?:和|与|跟|同|还是|或者?|、)"
_DIFFER = "(?:区别|不同|差别|不一样|差在哪|差多少)"
_WHICH = "(?:哪个|哪一个|哪款|哪种|哪台|哪家|谁)"
_NAME = r"(?-i:[a-z0-9-]*[A-Z][\w-]*(?:\s+[A-Z0-9][\w-]*)*)"
_OF = r"(?:['’]s(?:\s+\w+)?|\s+of\s+(?:the\s+)?\w+(?:\s+\w+)?)?"
_THING = rf"(?:(?:the|my|our)\s+)?{_NAME}{_OF}|(?:the|my|our)\s+\w+(?:\s+(?!of\b)\w+)?{_OF}|that{_OF}|it"
_MORE = r"(?:(?:any|much|a\s+lot|a\s+bit|far)\s+)?(?:more|less|fewer|better|worse|\w{2,}er)\b"
_CHOOSING = "(?:选择?|买|用|要|订|拿|走|坐|住|挑)"
_COMPARING = [
    lazy_pattern(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bcompar(?:e|ing|ed)\s+{_A}\s+(?:with|to|against|versus)\s+(?!respect|regard){_B}{_END_OF}",
        rf"\bcompar(?:e|ing)\s+{_ITEMS}\s*,?\s(?:and|with|to|against|versus|vs\.?)\s+{_B}{_END_OF}",
        rf"\bdifferen(?:ces?|t)\s+(?:is\s+)?(?:there\s+)?(?:in\s+(?:\w+\s+){{1,3}})?between\s+{_ITEMS},?\s+and\s+{_B}{_END_OF}",
        rf"^\W*between\s+{_A}\s+and\s+{_B},\s+(?:which|what|who)\b",
        rf"(?:^|[,.;:?!]|\bis\b|\bare\b)\s*{_A}\s+(?:vs\.?|versus)\s+{_B}{_END_OF}",
        rf"\b(?:which|what|who)\b[^,.;:?!]*[,:;–—-]\s*{_ITEMS},?\s+or\s+{_B}{_END_OF}",
        rf"^\W*{_ITEMS},?\s+or\s+{_B}\s*[,:;–—?-]\s*(?:which|what|who)\b",
        rf"^\W*(?:and\s+)?(?:is|are|was|does|do|did|has|have|can|will|would)\s+(?P<a>{_THING})\s+(?:\w+\s+){{0,3}}?{_MORE}"
        rf"[^,.;?!]{{0,40}}?\s+than\s+(?P<b>{_THING}){_END_OF}",
        rf"\bhow\s+(?:does|do|is|are)\s+{_A}\s+(?:differ(?:ent)?\s+from|compare\s+(?:to|with))\s+{_B}{_END_OF}",
        rf"\b(?:choose|choosing|decide|choice|decision)\s+between\s+{_A}\s+(?:and|or)\s+{_B}{_END_OF}",
        rf"\b(?:should|shall|do|would)\s+(?:i|we|you)\s+(?:rather\s+)?(?:take|buy|get|use|choose|pick|need|prefer|order)\s+{_ITEMS}"
        rf",?\s+or\s+{_B}{_END_OF}",
        rf"\b(?:advantages?|benefits?)\s+of\s+{_A}\s+over\s+{_B}{_END_OF}",
        rf"(?:比较|对比|比一比|比一下)(?:一下)?{_A}{_AND}{_B}(?=的|[,，。;；:：?？!！]|$)",
        rf"(?:^|[,，。;；:：?？!！]){_A}{_AND}{_B}[,，]?(?:{_WHICH}|相比|比起来|的?{_DIFFER}|有(?:什么|哪些|何)?{_DIFFER})",
        rf"^[和与跟同]{_B}(?:相比|比起来|比)[,，]\s*{_A}(?:怎么样|如何|有|更|是不是|好在|哪)",
        rf"(?:^|[,，。;；:：?？!！]){_A}(?:相比|相较)[于较]?{_B}(?:有|怎么样|如何|更|好在|哪)",
        rf"(?:^|[,，。;；:：?？!！]){_A}{_AND}{_B}(?:除了|之间|到底|究竟)[^。?？!！]{{0,12}}{_DIFFER}",
        rf"{_WHICH}[^,，。?？!！]*[,，:：]\s*{_A}{_AND}{_B}{_END_OF}",
        rf"(?:^|[,，。;；:：?？!！]){_A}{_AND}{_B}[,，][^。;；?？!！]{{0,20}}{_WHICH}",
        rf"(?:^|[,，。;；:：?？!！]){_A}(?<![对相])比(?![较如方例赛])(?P<b>[^,，。;；:：?？!！]{{1,40}})"
        rf"(?:更|还|要|会)?[\u4e00-\u9fff](?:[吗么]|多少|多久|几[\u4e00-\u9fff]){_END}$",
        rf"(?:该|应该|应当)?{_CHOOSING}{_A}还是(?:{_CHOOSING})?{_B}{_END_OF}",
        rf"(?:^|[,，。;；:：?？!！]在?){_A}{_AND}{_B}之间",
        rf"(?:^|[,，。;；:：?？!！]){_A}{_AND}{_B}(?:是不是)?(?:一样|相同)",
    )
]
"""Ways to compare two objects, “a” and “b”."""
_OWNED = lazy_pattern(
    r"(?P<thing>.+)的(?P<zh>[^的]+)|(?P<en>(?-i:[a-z][a-z ]*)) of (?:(?:the|an?|my|our) )?(?P<of>.+)"
    r"|(?P<whose>.+)['’]s(?: (?P<its>(?-i:[a-z][a-z ]*)))?",
    re.IGNORECASE,
)
RECENT = 2
"""In so many turns, two words that are no names and are joined by “and” are objects of a comparison."""
_POINTING = frozenset(["it", "this", "that", "one", "它", "这个", "那个", "这种", "那种"])
"""Words that may stand for the first object: what was said before tells which it is."""


@dataclass(frozen=True, slots=True)
class Meant:
    """The purpose of a turn, and the reason.

    ``sides`` are the objects of a comparison, named by the turn or by those before it.  ``gone`` is what a correction
    takes back, what another topic takes the place of, or a word that names nothing, as it is written; ``chosen`` is the
    id of the passage that was chosen.  ``why`` is a sentence.
    """

    kind: str
    why: str
    sides: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    chosen: str = ""


def earlier(query: Query) -> list[tuple[int, Turn]]:
    """Returns the user's earlier turns that are not empty, latest first, each with its position."""
    return [(i, turn) for i, turn in reversed([*enumerate(query.turns)]) if turn.role == "user" and turn.text.strip()]


def meant(query: Query, corpus: Corpus | None = None, *, intent: str = "") -> Meant:
    """Decides by rules what this turn is for; with ``intent``, a kind set by hand, only its details are decided.

    ``corpus`` says which shown passages still exist.
    """
    text, before = query.text.strip()[:LONGEST], earlier(query)
    kind = intent or ("" if before else "opening")
    if not text or (not intent and _TALK.fullmatch(text)):
        return Meant("small-talk", Said("The turn asks nothing: nothing is searched."))
    given = Said("Set by hand.") if intent else Said("There are no earlier turns.")
    if kind in ("opening", "change", "small-talk"):
        sides = () if intent else _sides(text)
        return Meant("comparison", _compared(sides), sides) if sides else Meant(kind, given)
    if not kind and (match := _CHANGE.search(text)):
        return Meant("change", Said("“{words}”: earlier conditions are dropped.", words=match[0].strip()))
    chosen, reason = _chosen(text, before, corpus) if kind in ("", "choice", "correction") else ("", "")
    corrects = _CORRECTION.search(text)
    if kind == "correction" or (not kind and corrects):
        dropped = () if chosen else _corrected(text, [turn.text for _i, turn in before], corpus)
        why = (
            given
            if intent
            else Said("“{words}”: the turn corrects the question.", words=corrects[0].strip() if corrects else "")
        )
        return Meant("correction", reason or why, gone=dropped, chosen=chosen)
    if chosen:
        return Meant("choice", reason, chosen=chosen)
    if kind in ("", "comparison"):
        if sides := _sides(text):
            return Meant("comparison", _compared(sides), sides)
        if sides := _sides_before(text, before, corpus, stated=kind == "comparison"):
            return Meant("comparison", _compared(sides, before=True), sides, gone=_class_words(text))
    if not kind and (new := _instead(text)):
        dropped = counterpart(new, [turn.text for _i, turn in before], corpus)
        if dropped:
            reason = Said("“{new}” takes the place of “{old}”.", new=new, old=" ".join(dropped))
            return Meant("follow-up", reason, gone=dropped)
    if not kind and _is_unrelated(text, before, corpus):
        return Meant("change", Said("The turn shares nothing with the earlier ones and what they showed."))
    follows = Said("No sign of a new topic: the turn follows up on the earlier ones.")
    return Meant(kind or "follow-up", given if intent else follows)


def _is_unrelated(text: str, before: Sequence[tuple[int, Turn]], corpus: Corpus | None) -> bool:
    """Returns whether a turn is complete by itself and shares no content with earlier turns and what they showed.

    Without shown passages nothing says so.
    """
    shown = [doc for _i, turn in before[:RECENT] for doc in turn.shown]
    if corpus is None or not shown or _POINTS.search(text):
        return False
    passages = [f"{document.title} {document.text}" for doc in shown if (document := corpus.get(doc))]
    return shares_nothing(text, [turn.text for _i, turn in before], passages, corpus)


def _compared(sides: Sequence[str], *, before: bool = False) -> str:
    names = [f"“{side}”" for side in sides]
    if before:
        return Said("The turn compares what earlier turns named: {names}. Each is searched separately.", names=names)
    return Said("The turn compares {names}: each is searched separately.", names=names)


def _sides_before(
    text: str, before: Sequence[tuple[int, Turn]], corpus: Corpus | None, *, stated: bool = False
) -> tuple[str, ...]:
    """Returns the objects of a comparison that names none: a group joined in an earlier turn, or else earlier names.

    Groups of names come before groups of other words, later turns before earlier ones.  ``stated``: somebody has said
    that the turn compares.
    """
    if not stated and not (any(map(text.lower().__contains__, _HINTS)) and _UNNAMED.search(text)):
        return ()
    texts = [turn.text for _i, turn in before]
    sides = next(
        (
            sides_found
            for sides_found in map(_sides, texts)
            if sides_found and _POINTING.isdisjoint(side.lower() for side in sides_found)
        ),
        (),
    )
    if sides:
        return sides
    groups = [group for text in texts for group in joined(text, corpus)]
    named_group = next((group for group in groups if all(side.named for side in group)), None)
    if named_group is None and len(single := _one_by_one(texts, corpus)) > 1:
        return single[-2:] if _TWO.search(text) else single
    group = named_group or next((group for text in texts[:RECENT] for group in joined(text, corpus)), [])
    return tuple(side.text for side in group)


def _one_by_one(texts: Sequence[str], corpus: Corpus | None) -> tuple[str, ...]:
    """Returns the objects that several turns named (the last one first), each once, the earliest first."""
    objects_by_text = dict[str, str]()
    for i in reversed(range(len(texts))):
        new = _instead(texts[i])
        if new and counterpart(new, texts[i + 1 :], corpus):  # then a capital is enough for both
            last = [o for text in texts[i + 1 :] for o in objects(text, corpus)][:1]
            objects_by_text |= {o.text.lower(): o.text for o in [*last, *objects(new, corpus, begins=False)]}
        objects_by_text |= {o.text.lower(): o.text for o in objects(texts[i], corpus) if o.certain}
    return tuple([*objects_by_text.values()][-MOST:])


def _class_words(text: str) -> tuple[str, ...]:
    """Returns the generic words of a turn (such as “product”), which are not its topic."""
    return tuple(word for word in CLASS_WORDS if re.search(rf"\b{word}\b" if word.isascii() else word, text, re.I))


def _at(query: Query, i: int) -> tuple[str, list[tuple[int, Turn]]]:
    """Returns the text of the i-th turn and the turns before it, latest first."""
    return query.turns[i].text.strip()[:LONGEST], earlier(replace(query, turns=query.turns[:i]))


def replaced_at(query: Query, i: int, corpus: Corpus | None = None) -> tuple[str, ...]:
    """Returns what the i-th turn took the place of in the turns before it, or took back."""
    text, before = _at(query, i)
    texts = [turn.text for _j, turn in before]
    if new := _instead(text):
        return counterpart(new, texts, corpus)
    return _corrected(text, texts, corpus) if texts and _CORRECTION.search(text) else ()


def chosen_at(query: Query, i: int, corpus: Corpus) -> str:
    """Returns the words of the chosen passage's title that no other title shown to the i-th turn has.

    Empty if the turn chose no passage, or one without a title: all words of a passage would say too much.
    """
    text, before = _at(query, i)
    chosen = _chosen(text, before, corpus)[0] if before else ""
    document = corpus.get(chosen) if chosen else None
    if document is None:
        return ""
    shown_ids = next(turn.shown for _, turn in before if turn.shown)
    others = " ".join(d.title for x in shown_ids if x != chosen and (d := corpus.get(x))).lower()
    return " ".join(p.text for p in pieces(document.title) if p.text.lower() not in others)


def changed_at(query: Query, i: int, corpus: Corpus | None = None) -> bool:
    """Returns whether the i-th turn began a new topic."""
    text, before = _at(query, i)
    return bool(before) and bool(_CHANGE.search(text) or _is_unrelated(text, before, corpus))


def _corrected(text: str, before: Sequence[str], corpus: Corpus | None) -> tuple[str, ...]:
    """Returns what a correction takes back: what it negates, the codes that it replaces, or else a counterpart."""
    dropped = [next(filter(None, m.groups())).strip() for m in _NOT.finditer(text)]
    new = _CORRECTION.sub(" ", text)
    for words in dropped:
        new = new.replace(words, " ")
    codes = {code.lower() for code in _CODE.findall(new)}
    if codes:
        dropped += [code for old in before for code in _CODE.findall(old) if code.lower() not in codes]
    if not dropped and (new := _without_articles(new.strip(" ,，.。!！?？:：;；"))):
        dropped += counterpart(new, before, corpus, alike=True)
    return tuple(dict.fromkeys(dropped))


def _instead(text: str) -> str:
    """Returns X in a turn such as “what about X?” or 那 X 呢; empty for any other turn."""
    match = _INSTEAD.search(text.strip()[:LONGEST]) if "呢" in text or "about" in text else None  # it takes its time
    return _without_articles(next(filter(None, match.groups()))) if match else ""


def named_objects(text: str, corpus: Corpus) -> str:
    """Returns the objects that a turn names, or the one that it asks about instead."""
    return " ".join(o.text for o in objects(text, corpus)) or _instead(text)


def _sides(text: str) -> tuple[str, ...]:
    """Returns the compared objects in their order; empty if no pattern fits."""
    text = text.replace("vs.", "vs")
    for pattern in _COMPARING:
        if match := pattern.search(text):
            listed = (
                re.search("、|, | vs .* vs ", text[match.start("a") : match.end("b")]) is not None
            )  # three and more
            sides = _owners([_without_articles(match[name]) for name in ("a", "b")], listed=listed)
            if (
                len(sides) > 1
                and sides[1].lower() not in FUNCTION_WORDS
                and _POINTING.issuperset({sides[0].lower()} & FUNCTION_WORDS)
                and not (listed and any(side.lower().split()[0] in FUNCTION_WORDS for side in sides))
            ):
                return sides
    return ()


def _owned(side: str, other: str) -> tuple[str, str]:
    """Returns the thing and its property if a side is one, such as 白鹭的重量 or “weight of the egret”."""
    match = _OWNED.fullmatch(side)
    if match is None or (
        match["zh"] and not (PROPERTY["zh"].search(match["zh"]) or other.endswith(match["thing"][-1]))
    ):
        return side, ""
    return match["thing"] or match["of"] or match["whose"], match["zh"] or match["en"] or match["its"] or ""


def _owners(sides: Sequence[str], *, listed: bool) -> tuple[str, ...]:
    """Returns the things of which one property is compared: of 苍鹭和白鹭的重量 the birds; else the sides.

    ``listed``: the second side may be several things.
    """
    owned = [_owned(side, other) for side, other in zip(sides, reversed(sides), strict=True)]
    if owned[1][1] and PROPERTY["en"].search(sides[0]) and not owned[0][1]:  # compare price and weight of A and B
        return tuple(map(_without_articles, _IN_LIST.split(owned[1][0])))[:MOST]
    if len({name for _, name in owned} - {"", "that", "those"}) == 1:
        sides = [thing for thing, _ in owned]
    last = _IN_LIST.split(sides[1])
    codes = all(re.search("[A-Z0-9]", part) for part in last)
    parts = [*(_IN_LIST.split(sides[0]) if listed else sides[:1]), *(last if listed or codes else sides[1:])]
    return tuple(dict.fromkeys(filter(None, map(_without_articles, parts))))[:MOST]


def _without_articles(text: str) -> str:
    """Returns an object of a comparison without leading articles and surrounding whitespace."""
    leading = _LEADING.match(text := _RESPECT.sub("", text))
    return (text[leading.end() :] if leading else text).strip().removesuffix("的")


def _chosen(text: str, before: Sequence[tuple[int, Turn]], corpus: Corpus | None) -> tuple[str, str]:
    """Returns the passage meant by “the first one” in the last turn that showed any, and the reason."""
    match = _CHOICE.search(text)
    shown_ids = next((turn.shown for _, turn in before if turn.shown), ())
    if match is None or not shown_ids:
        return "", ""
    n = _PLACES[next(filter(None, match.groups())).lower()]
    n = len(shown_ids) - 1 if n == _LAST else n
    if n >= len(shown_ids):
        return "", ""
    document = corpus.get(shown_ids[n]) if corpus is not None else None
    message = N_("“{words}” is the passage “{title}”, shown at position {n}.")
    title = document.label if document else shown_ids[n]
    return shown_ids[n], Said(message, words=match[0].strip(), title=title, n=n + 1)
