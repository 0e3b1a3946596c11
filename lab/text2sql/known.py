"""What anybody knows of values and names: men and women, states of a country, where a way begins and ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lab.text import half_width
from lab.text2sql.dictionary import known_word
from lab.text2sql.lexicon import lexicon
from lab.text2sql.schema import Column
from lab.text2sql.words import word_lists

ORIGIN = frozenset(
    """
    origin from departure source start sender 寄件 发件 出发 始发 起点 起飞 出 发货 起始
    """.split()  # noqa: SIM905
)
"""Words in the name of a column that says where a way begins."""
DESTINATION = frozenset(
    """
    destination to arrival target end receiver recipient 收件 到达 目的地 目的 终点 抵达 到 收货
    """.split()  # noqa: SIM905
)

_MALE, _FEMALE = (
    "male man men boy boys males 男 男性 男士 男生 男的",
    "female woman women girl girls females 女 女性 女士 女生 女的",
)
_CLOSED = {
    frozenset({"m", "f"}): {"m": _MALE, "f": _FEMALE},
    frozenset({"male", "female"}): {"male": _MALE, "female": _FEMALE},
    frozenset({"男", "女"}): {"男": _MALE, "女": _FEMALE},
}

OPPOSITES = {
    "open": "closed", "active": "inactive", "read": "unread", "enabled": "disabled", "public": "private",
    "paid": "unpaid",
}  # fmt: skip
"""What is not open is closed: for columns of yes and no."""


def words_for(values: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
    """Other words for the values of a column that has exactly these: those of a closed set; {} where it is none."""
    folded = {v.lower(): v for v in values}
    closed = _CLOSED.get(frozenset(folded), {})
    if closed:
        return {folded[v]: tuple(w for w in said.split() if w != v) for v, said in closed.items()}
    if len(values) > 1 and values <= set(word_lists()["states"]):
        return {v: (word_lists()["states"][v].lower(),) for v in values}
    return {}


def parts_of_names(c: Column) -> Iterable[tuple[str, str]]:
    """First and last words of values of two to four words, where only one value has them: Okafor, Mill."""
    if c.kind not in ("text", "category") or len(c.values) > 500 or not c.values:
        return
    owners: dict[str, set[str]] = {}
    spaced = [v for v in c.values if 2 <= len(v.split()) <= 4 and all(w[0].isupper() for w in v.split())]
    if len(spaced) < 0.5 * len(c.values):
        return
    for v in spaced:
        words = [half_width(w).strip() for w in v.split()]
        for w in {words[0], words[-1]}:
            if len(w) > 2 and w.isalpha():
                owners.setdefault(w, set()).add(v)
    for w, vs in owners.items():
        if len(vs) == 1 and not lexicon().get(w) and known_word([w]) is None:
            yield w, next(iter(vs))
