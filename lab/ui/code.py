"""An experiment as runnable Python that uses `lab`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from lab.core import Operator, Ranking, Retriever
from lab.corpus import samples
from lab.ui.frame import Frame


def corpus_lines(f: Frame) -> list[str]:
    """How to get the corpus: a sample by its name, an upload from a file."""
    if f.corpus.name in samples.names():
        return ["from lab.corpus import samples", "", f"corpus = samples.load({f.corpus.name!r}).corpus"]
    return [
        "from lab.corpus import beir",
        "",
        f"corpus = beir.load({f.corpus.name!r}).corpus  # the file or folder that you uploaded",
    ]


def imports(operators: Sequence[Operator]) -> list[str]:
    """Import lines for these operators and the specifications inside them."""
    homes: dict[str, set[str]] = {}

    def add(thing: object) -> None:
        cls = type(thing)
        if isinstance(thing, tuple):
            for value in thing:
                add(value)
        elif dataclasses.is_dataclass(thing) and cls.__module__.startswith("lab."):
            homes.setdefault(cls.__module__, set()).add(cls.__name__)
            for field in dataclasses.fields(thing):
                if field.repr:  # what is not in the repr (a key) is not in the code
                    add(getattr(thing, field.name))

    for operator in operators:
        add(operator)
    return [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(homes.items())]


def searches(f: Frame, operators: Sequence[Retriever], query: str, k: int) -> str:
    """Every list of a page, printed."""
    body = [
        "",
        f"query = {query!r}",
        "for retriever in (",
        *(f"    {op!r}," for op in operators),
        "):",
        f"    ranking = retriever.index(corpus).search(query, k={k})",
        "    print(retriever.label)",
        '    print(ranking.to_frame()[["rank", "id", "title", "score"]].to_string(index=False))',
    ]
    return "\n".join([*imports(operators), *corpus_lines(f), *body]) + "\n"


def fusion(f: Frame, retrievers: Sequence[Retriever], operator: Operator, query: str, k: int) -> str:
    """Lists, and what becomes of them when they are fused."""
    body = [
        "",
        f"query = {query!r}",
        "retrievers = [",
        *(f"    {op!r}," for op in retrievers),
        "]",
        f"rankings = [r.index(corpus).search(query, k={2 * max(k, 10)}) for r in retrievers]",
        f"fused = {operator!r}(rankings)",
        f'print(fused.top({k}).to_frame()[["rank", "id", "title", "score", "why"]].to_string(index=False))',
    ]
    return "\n".join([*imports([*retrievers, operator]), *corpus_lines(f), *body]) + "\n"


def stages(f: Frame, retriever: Retriever, operators: Sequence[Operator], query: str, k: int) -> str:
    """One list, and the stages after it."""
    body = [
        "",
        f"ranking = {retriever!r}.index(corpus).search({query!r}, k={k})",
        "refined = ranking.then(",
        *(f"    {op!r}," for op in operators),
        ")",
        'print(refined.to_frame()[["rank", "id", "title", "score", "why"]].to_string(index=False))',
        "for drop in refined.dropped:",
        "    print(drop.document.id, drop.reason)",
    ]
    return "\n".join([*imports([retriever, *operators]), *corpus_lines(f), *body]) + "\n"


def refinements(f: Frame, before: Ranking, operators: Sequence[Operator], query: str) -> str:
    """A first stage of one list or several fused ones, and several stages tried on it, each by itself."""
    fusion_of = before.made_by if before.parents else None
    retrievers = [r.made_by for r in before.parents] or [before.made_by]
    body = ["", f"query = {query!r}", "rankings = ["]
    body += [f"    {r!r}.index(corpus).search(query, k={len(before)})," for r in retrievers]
    body += [
        "]",
        f"first = {fusion_of!r}(rankings)" if fusion_of else "first = rankings[0]",
        f"first = first.top({max(len(before), 1)})",
        "for stage in (",
    ]
    body += [f"    {op!r}," for op in operators]
    body += [
        "):",
        "    print(stage.label)",
        '    print(first.then(stage).to_frame()[["rank", "id", "title", "score"]].head(10).to_string(index=False))',
    ]
    made = [*retrievers, *operators, *([fusion_of] if fusion_of else [])]
    return "\n".join([*imports(made), *corpus_lines(f), *body]) + "\n"


def rewrites(
    f: Frame, retriever: Retriever, techniques: Sequence[Operator], fusion: Operator, query: str, k: int
) -> str:
    """Every technique by its rule, and the merged list of each."""
    body = [
        "from lab.rewrite.base import apply",
        "from lab.rewrite.searching import search",
        "",
        f"index = {retriever!r}.index(corpus)",
        "for technique in (",
        *(f"    {op!r}," for op in techniques),
        "):",
        f"    rewrite = apply(technique, {query!r}, corpus)",
        "    print(technique.label, [g.text for g in rewrite.queries])",
        f"    merged = search(rewrite, index, k={max(k, 10)}, fusion={fusion!r}).merged",
        '    print(merged.to_frame()[["rank", "id", "title", "score"]].to_string(index=False))',
    ]
    return "\n".join([*imports([retriever, *techniques, fusion]), *corpus_lines(f), *body]) + "\n"
