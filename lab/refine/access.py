"""Permissions, decided after the cut: a list without the passages that some groups may not see.

What is shown then depends on what is hidden: fewer than k results show that hidden passages match, and the scores come
from an index that counts them.  `lab.derive.access` decides before the index.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lab.algebra import Env, Ranking, Value
from lab.derive.access import FIELD, GROUPS, WITHOUT, groups_of, visible
from lab.refine.filters import Filter, Judged
from lab.words import Said


@dataclass(frozen=True)
class Allowed(Filter):
    """Removes the passages that none of the ``groups`` may see.

    The case and the width of letters do not count.  Passages without the field are hidden unless ``missing`` is
    ``show``.
    """

    inputs = ("metadata",)
    label = Said("Permissions")
    about = Said("Removes passages that the reader's groups may not see, after the list was cut.")

    groups: tuple[str, ...] = GROUPS()
    field: str = FIELD()
    missing: str = WITHOUT()

    def judge(self, ranking: Ranking, env: Env) -> Judged:
        return Judged([self._reason(hit.document.metadata) for hit in ranking.hits])

    def _reason(self, metadata: Mapping[str, Value]) -> Said | None:
        if visible(metadata, self.groups, self.field, self.missing):
            return None
        named = groups_of(metadata, self.field)
        if not named:
            return Said("The field “{field}” is missing: hidden.", field=self.field)
        return Said(
            "{field} is “{value}”; groups of the reader: {groups}.",
            field=self.field,
            value=[*named],
            groups=[*self.groups] or "–",
        )
