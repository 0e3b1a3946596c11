"""Searches as files, links, expressions and programs: what is written is read again, and what is hostile is refused."""

from __future__ import annotations

import ast
import base64
import contextlib
import dataclasses
import io
import socket
import time
import tomllib
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import searches
from night import examples, for_each, sample
from specimens import TINY

from lab import catalog, formats, presets
from lab.algebra import Derivation, Fallback, Fusion, Lift, Pipeline, Rewriter, Runner, Searcher, Stage
from lab.corpus import samples
from lab.derive.chunk import Chunk
from lab.errors import LabError, PipelineError
from lab.formats import expression, from_link, from_toml, parse, to_link, to_python, to_toml
from lab.fuse import RRF, WeightedSum
from lab.models.lsa import LSA
from lab.refine.coverage import MaxSim
from lab.refine.diversity import MMR
from lab.refine.filters import KeywordExclusion, MinimumMatch, ScoreThreshold
from lab.refine.rerank import CrossEncoderReranker
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.routing import Destination, Route, Router, WordTable
from lab.text import Analyzer

NAMES: dict[str, Any] = {**catalog.operators(), **catalog.specifications()}


@pytest.fixture(autouse=True)
def nobody_is_contacted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that is read may open a connection."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("somebody was contacted")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@examples(30)
@given(search=searches(most=3))
def test_any_search_survives_a_file_a_link_an_expression_and_its_repr(search: Searcher) -> None:
    again = {
        "file": from_toml(to_toml(search)),
        "file with other line ends": from_toml(to_toml(search).replace("\n", "\r\n")),
        "link": from_link(to_link(search)),
        "expression": parse(expression(search)),
        "Python": eval(expression(search), NAMES),
        "repr": eval(repr(search), NAMES),
    }
    for way, found in again.items():
        assert found == search, way
        assert hash(found) == hash(search), way
        assert type(found) is type(search), way
    assert to_toml(again["repr"]) == to_toml(search)
    assert tomllib.loads(to_toml(search))["format"] == 1


@examples(10)
@given(search=searches(most=2, working=True))
def test_what_is_read_again_ranks_the_same(search: Searcher) -> None:
    runner = Runner(TINY)
    for again in (from_toml(to_toml(search)), parse(expression(search))):
        assert Runner(TINY)(again, "battery 电池 耳机") == runner(search, "battery 电池 耳机")


def test_a_file_is_the_one_in_the_design() -> None:
    text = """format = 1
name = "hybrid"
depth = 50

[[retrieve]]
type = "BM25"

[[retrieve]]                 # a list of its own making
retrieve = [{ type = "Vector" }]
derive = [{ type = "Chunk", size = 100 }]
refine = [{ type = "Lift" }]

[fuse]
type = "RRF"
weights = [0.5, 0.5]

[[refine]]
type = "MMR"
k = 10
"""
    lists = (BM25(), Pipeline((Vector(),), derive=(Chunk(size=100),), refine=(Lift(),)))
    expected = Pipeline(lists, fuse=RRF(weights=(0.5, 0.5)), refine=(MMR(k=10),), depth=50, name="hybrid")
    assert from_toml(text) == expected
    assert from_toml(to_toml(expected)) == expected


def test_a_file_says_only_what_differs_from_the_defaults_and_stays_readable() -> None:
    search = RRF()(BM25(k1=0.9), Vector()) >> MMR(k=8)
    assert to_toml(search) == (
        "format = 1\n\n"
        '[[retrieve]]\ntype = "BM25"\nk1 = 0.9\n\n[[retrieve]]\ntype = "Vector"\n\n[fuse]\ntype = "RRF"\n'
        '\n[[refine]]\ntype = "MMR"\nk = 8\n'
    )
    assert to_toml(BM25()) == 'format = 1\ntype = "BM25"\n'


@for_each(
    "text, search",
    [
        ("bm25", BM25()),
        ("bm25:k1=0.9,b=0.4", BM25(k1=0.9, b=0.4)),
        ("BM25()", BM25()),
        ("BM25(analyzer=Analyzer(mode='full'))", BM25(analyzer=Analyzer(mode="full"))),
        ("BM25(analyzer=Analyzer(stop_words=frozenset({'的'})))", BM25(analyzer=Analyzer(stop_words=frozenset("的")))),
        ("vector:embedder=lsa,embedder.size=8", Vector(LSA(8))),
        ("Vector(embedder=LSA(size=8))", Vector(LSA(8))),
        ("RRF(k=60)(BM25(b=0), Vector()) >> MMR(k=8) % 5", RRF(k=60)(BM25(b=0.0), Vector()) >> MMR(k=8) % 5),
        ("RRF()(2 * BM25(), Vector() * 0.5)", RRF(weights=(2.0, 0.5))(BM25(), Vector())),
        (
            "WeightedSum((2/3, 1/3))(BM25(), Vector(), depth=50)",
            WeightedSum((2 / 3, 1 / 3))(BM25(), Vector(), depth=50),
        ),
        ("BM25() >> ScoreThreshold(-0.5)", BM25() >> ScoreThreshold(-0.5)),
        ("(BM25() >> MinimumMatch(0.2)) % 5", BM25() >> MinimumMatch(0.2) % 5),
        ("MultiQuery(n=2)(BM25(), merge=BestScore())", MultiQuery(n=2)(BM25(), merge=catalog.fusions()["BestScore"]())),
        ("Chunk(size=100)(Vector())", Chunk(size=100)(Vector())),
        ("Fallback(BM25() >> MinimumMatch(0.3), Vector())", Fallback(BM25() >> MinimumMatch(0.3), Vector())),
        (
            "Route(WordTable((('vpn', 'it'),)), (Destination('it', BM25(), 'it'),))",
            Route(WordTable((("vpn", "it"),)), (Destination("it", BM25(), "it"),)),
        ),
        ("  tf-idf ", TFIDF()),
        ("max_sim", None),
    ],
)
def test_expressions_are_read_as_python_reads_them(text: str, search: Searcher | None) -> None:
    if search is None:
        with pytest.raises(PipelineError, match="is not a search"):
            parse(text)
        return
    assert parse(text) == search


def test_an_expression_may_be_any_part() -> None:
    assert formats.build("MMR(k=3)") == MMR(k=3)
    assert formats.build("RRF") == RRF()
    assert formats.build("query-coverage:weight=0.4") == catalog.stages()["QueryCoverage"](0.4)
    with pytest.raises(PipelineError, match="is not a search"):
        parse("MMR(k=3)")


# --------------------------------------------------------------------------------------------- hostile files


def refused(text: str) -> PipelineError:
    """The error of a file, which takes no time."""
    start = time.perf_counter()
    with pytest.raises(PipelineError) as told:
        from_toml(text)
    assert time.perf_counter() - start < 2
    assert len(str(told.value)) < 3000
    return told.value


@for_each(
    "text, line, words",
    [
        ('type = "BM26"', 2, "no searcher “BM26”. Did you mean “BM25”?"),
        ('type = "MMR"', 2, "no searcher “MMR”"),
        ('type = "Operator"', 2, "no searcher"),
        ('type = "__import__"', 2, "no searcher"),
        ('type = "os.system"', 2, "no searcher"),
        ("type = 5", 1, "must be a Searcher"),
        ('type = "BM25"\nk2 = 1', 3, "BM25 has no parameter “k2”."),
        ('type = "BM25"\nkey = "x"', 3, "has no parameter “key”"),
        ('type = "BM25"\nfamily = "x"', 3, "has no parameter “family”"),
        ('type = "BM25"\nanalyser = { mode = "full" }', 3, "Did you mean “analyzer”?"),
        ('type = "BM25"\nb = 7', 3, "b is 7.0, but must lie between 0.0 and 1.0"),
        ('type = "BM25"\nb = "much"', 3, "b is “much”, but must be a number"),
        ('type = "BM25"\nb = true', 3, "b is “True”, but must be a number"),
        ('type = "BM25"\nb = nan', 3, "b is nan"),
        ('type = "BM25"\nb = [1]', 3, "must be a number"),
        ('type = "BM25"\nb = 2025-01-01', 3, "must be a number"),
        ('type = "BM25"\nvariant = "best"', 3, "must be one of: okapi"),
        ('type = "BM25"\nanalyzer = "full"', 3, "Set its parts"),
        ('type = "BM25"\nanalyzer = { mod = "full" }', 3, "Did you mean “mode”?"),
        ('type = "TFIDF"\nsublinear = 1', 3, "must be true or false"),
        ('retrieve = [{ type = "BM25" }]\nrefine = [{ type = "MMMR" }]', 3, "Did you mean “MMR”?"),
        ('retrieve = [{ type = "BM25" }]\nrefine = [{ type = "BM25" }]', 3, "no stage “BM25”"),
        (
            '[[retrieve]]\ntype = "BM25"\n[[refine]]\ntype = "MMR"\n[[refine]]\ntype = "MMR"\nkk = 3',
            8,
            "no parameter “kk”",
        ),
        ('[[retrieve]]\ntype = "BM25"\n[fuse]\ntype = "RRF"\nweights = ["a"]', 6, "must be a number"),
        ('[[retrieve]]\ntype = "BM25"\n[fuse]\ntype = "RRF"\nweights = [1, 2]', 1, "Weights given: 2, lists: 1"),
        ('[[retrieve]]\ntype = "BM25"\n[[retrieve]]\ntype = "Vector"', 1, "No fusion merges the lists (2)"),
        ('[[retrieve]]\ntype = "BM25"\n[merge]\ntype = "MMR"', 5, "no fusion “MMR”"),
        ('[[retrieve]]\ntype = "BM25"\n[refined]\ntype = "MMR"', 4, "Did you mean “refine”?"),
        ("retrieve = []", 1, "no list to search"),
        ('retrieve = "BM25"', 2, "must be a list"),
        ("retrieve = [5]", 2, "must be a Searcher"),
        ('retrieve = { type = "BM25" }', 2, "must be a list"),
        ('type = "BM25"\nretrieve = []', 3, "has no parameter “retrieve”"),
        ('retrieve = [{ type = "BM25" }]\ndepth = 0', 3, "depth is 0"),
        ('retrieve = [{ type = "BM25" }]\ndepth = 1.5', 3, "whole number"),
        ('retrieve = [{ type = "BM25" }]\nname = 5', 3, "must be a text"),
        ('retrieve = [{ type = "BM25" }]\nrefine = [{ type = "KeywordExclusion", words = [1] }]', 3, "must be a text"),
        ('retrieve = [{ type = "BM25" }]\nrefine = [{ type = "KeywordExclusion", patterns = ["("] }]', 3, "RE2"),
        ('type = "Fallback"\nfirst = { type = "BM25" }', 1, "needs the parameter “then”"),
        ('type = "Fallback"\nfirst = { type = "BM25" }\nthen = { type = "RRF" }', 4, "no searcher “RRF”"),
        ('type = "Fallback"\nfirst = { type = "BM25" }\nthen = 5', 4, "must be a"),
        ('type = "Route"\nrouter = { type = "WordTable" }\nroutes = [{ name = "x", serach = 1 }]', 4, "serach"),
        (
            'type = "Route"\nrouter = { type = "WordTable", table = [["a", "y"]] }\n'
            'routes = [{ name = "x", search = { type = "BM25" } }]',
            1,
            "a route “y”",
        ),
        ('type = "Route"\nrouter = { type = "WordTable", table = 5 }\nroutes = []', 3, "must be a list"),
        (
            'type = "Route"\nrouter = { type = "WordTable", table = ["ab"] }\nroutes = []',
            3,
            "not a pair of words and route",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_line_and_the_nearest_name(text: str, line: int, words: str) -> None:
    told = str(refused(f"format = 1\n{text}"))
    assert words in told, told
    assert told.startswith(f"Line {line}") or line == 1, told


@for_each("format", ["0", "2", "5", "-1", "99999999999999999999", "1.0", '"1"', "true", "[1]", "1979-05-27"])
def test_only_format_1_is_read_and_another_one_says_what_to_do(format: str) -> None:
    told = refused(f'format = {format}\ntype = "BM25"')
    assert str(told).startswith("Line 1, format: The format is ")
    assert "only format 1 can be read. Write format = 1" in str(told)


def test_a_file_without_a_format_says_how_to_begin_it() -> None:
    assert str(refused('type = "BM25"')) == (
        "format: The file does not name its format. Start the file with format = 1."
    )


@for_each(
    "text",
    [
        "",
        "[",
        "format = 1",
        "format = 1\nformat = 1",
        "= 1",
        "\x00",
        'format = 1\ntype = "BM25',
        "format = 1\n[[a]]\n[a]",
        "format = 1\n\ud800 = 1",
        "{}",
        "null",
        "<xml/>",
        "format = 1\nretrieve.0.type = 'BM25'",
    ],
)
def test_what_is_no_file_of_a_search_is_refused(text: str) -> None:
    refused(text)


@pytest.mark.parametrize("n", [30, 1_000, 20_000])
def test_deep_nesting_is_refused(n: int) -> None:
    deep = "retrieve = [{ " * n + 'type = "BM25"' + " }]" * n
    for text in (
        f"format = 1\n{deep}",
        "format = 1\n" + ".".join(["a"] * n) + " = 1",
        f"format = 1\n[{'.'.join(['retrieve'] * n)}]\ntype = 'BM25'",
        f"format = 1\ntype = 'BM25'\nb = {'[' * n}{']' * n}",
        f"format = 1\ntype = 'BM25'\nb = {'[' * n}",
    ):
        told = refused(text)
        assert "nested" in str(told) or "TOML" in str(told) or "longer" in str(told)


@pytest.mark.parametrize(
    "body",
    [
        "# " + "x" * 200_000,
        'type = "' + "B" * 99_000 + '"',
        'type = "Vector"\nembedder = { type = "Model2Vec", model = "' + "a" * 99_000 + '" }\nb = 1',
        "x = [\n[" + " " * 99_000 + "]\n]",
        "x = [\n" + "[" * 10 + " " * 90_000 + "a\n]",
        "x" * 99_000 + " = 1",
        "a" + " " * 99_000 + "= 1",
        "\n" * 99_000 + "a = 1",
        "name = '''\n" + "\n[a.\n" * 9_000 + "'''\nretrieve = []",
    ],
    ids=["long", "long type", "long model", "blanks", "blanks in brackets", "long key", "blank key", "lines", "quoted"],
)
def test_long_files_are_refused_in_no_time(body: str) -> None:
    refused("format = 1\n" + body)


def in_a_file(cls: type[Any], knob: str, value: str) -> str:
    """A file in which an operator has this value for a knob, in the place where it may stand."""
    own = f'{{ type = "{cls.__name__}", {knob} = {value} }}'
    if issubclass(cls, Searcher):
        return f"format = 1\nretrieve = [{own}]"
    if issubclass(cls, Router):
        route = '{ name = "a", search = { type = "BM25" } }'
        return f'format = 1\ntype = "Route"\nrouter = {own}\nroutes = [{route}]'
    fields = {Stage: f"refine = [{own}]", Fusion: f"fuse = {own}", Rewriter: f"rewrite = {own}"}
    place = next((text for base, text in fields.items() if issubclass(cls, base)), f"derive = [{own}]")
    return f'format = 1\nretrieve = [{{ type = "BM25" }}]\n{place}'


@for_each("number", sample(["-" + "9" * 400, "0x" + "f" * 4_000, "1e999", "nan"], 2))
def test_no_number_is_too_large_to_be_refused(number: str) -> None:
    kinds = (Searcher, Stage, Fusion, Rewriter, Derivation, Router)
    for cls in catalog.operators().values():
        for f in dataclasses.fields(cls) if issubclass(cls, kinds) else ():
            for value in (number, f"[[{number}], {{ a = {number} }}]"):
                with pytest.raises(PipelineError):
                    from_toml(in_a_file(cls, f.name, value))


PLACES = [
    "https://example.org/m",
    "http://x",
    "file:///etc",
    "/etc/passwd",
    "~/m",
    "./m",
    "../m",
    "\\\\host\\m",
    "C:\\m",
    "C:/m",
    " /etc",
]


@for_each("model", PLACES)
def test_an_address_or_a_folder_is_refused_in_both_directions(model: str) -> None:
    reranked = BM25() >> CrossEncoderReranker(model)
    for write in (to_toml, to_link):
        with pytest.raises(PipelineError, match="an address or a folder"):
            write(reranked)
    quoted = model.replace("\\", "\\\\")
    text = (
        f'format = 1\nretrieve = [{{ type = "BM25" }}]\n[[refine]]\ntype = "CrossEncoderReranker"\nmodel = "{quoted}"'
    )
    told = refused(text)
    assert str(told).startswith("Line 5")
    with pytest.raises(PipelineError, match="an address or a folder"):
        parse(f"BM25() >> CrossEncoderReranker({model!r})")
    with pytest.raises(PipelineError):
        parse(f"Vector(embedder=Model2Vec(model={model!r}))")
    with pytest.raises(PipelineError):
        parse(f"vector:embedder=model2vec,embedder.model={model}")


def test_keys_addresses_and_models_have_no_place() -> None:
    for inner in ('type = "EndpointEmbedder"', 'type = "EndpointEmbedder", secret = "sk-1"', 'type = "EndpointModel"'):
        assert "sk-1" not in str(refused(f'format = 1\ntype = "Vector"\nembedder = {{ {inner} }}'))
    for text in (
        "Vector(embedder=EndpointEmbedder())",
        "Vector(embedder=EndpointEmbedder(base_url='http://x'))",
        "EndpointModel()",
        "vector:embedder=endpoint-embedder",
        "vector:embedder=endpoint-embedder,embedder.base_url=http://x",
        "endpoint-embedder",
    ):
        with pytest.raises(PipelineError):
            parse(text)
    refused('format = 1\ntype = "ChromaVector"\nurl = "http://x"')
    refused('format = 1\ntype = "Vector"\nembedder = "EndpointEmbedder"')


def test_nothing_is_dropped_silently() -> None:
    for search in (BM25() >> MMR(), Fallback(BM25(), Vector()), RRF()(BM25(), Vector())):
        text = to_toml(search)
        for extra in ("surplus = 1", "_x = 1", '"" = 1', "Type = 1", "depths = 3"):
            refused(text.replace("format = 1", f"format = 1\n{extra}", 1))
    refused('format = 1\nretrieve = [{ type = "BM25", type2 = 1 }]')
    refused('format = 1\nretrieve = [{ type = "BM25" }, 5]')


# --------------------------------------------------------------------------------------------- hostile links


def test_a_broken_link_is_refused() -> None:
    good = to_link(RRF()(BM25(), Vector()) >> MMR())
    assert from_link(good) == RRF()(BM25(), Vector()) >> MMR()
    assert set(good) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    for bad in (
        "",
        "x",
        good[:-3],
        good[3:],
        good + "!",
        good + "AAAA",
        "%00",
        "你好",
        good.upper(),
        good[:20],
        "=" * 50,
    ):
        with pytest.raises(PipelineError):
            from_link(bad)
    for i in range(0, len(good), 5):
        changed = good[:i] + ("A" if good[i] != "A" else "B") + good[i + 1 :]
        with contextlib.suppress(PipelineError):
            assert isinstance(from_link(changed), Searcher)


@pytest.mark.parametrize("size", [100_001, 50_000_000])
def test_a_link_that_is_a_bomb_is_refused_before_it_goes_off(size: int) -> None:
    bomb = zlib.compress(b"#" * size, 9)
    link = base64.urlsafe_b64encode(bomb).decode().rstrip("=")
    start = time.perf_counter()
    with pytest.raises(PipelineError, match="contains no readable search"):
        from_link(link)
    with pytest.raises(PipelineError):
        from_link("A" * 200_000)
    assert time.perf_counter() - start < 1
    twice = base64.urlsafe_b64encode(zlib.compress(bomb, 9)).decode()
    with pytest.raises(PipelineError):
        from_link(twice)


# --------------------------------------------------------------------------------------- hostile expressions


@for_each(
    "text",
    [
        "__import__('os').system('true')",
        "__import__('os')",
        "BM25().__class__",
        "BM25.__init__",
        "BM25()[0]",
        "().__class__",
        "eval('1')",
        "exec",
        "open('/etc/passwd')",
        "print(1)",
        "lambda: 1",
        "[x for x in ()]",
        "{x: 1 for x in ()}",
        "f'{1}'",
        "BM25() if True else Vector()",
        "BM25() and Vector()",
        "not BM25()",
        "BM25() == BM25()",
        "(x := BM25())",
        "await BM25()",
        "BM25(*[1])",
        "BM25(**{})",
        "RRF()(*[BM25()])",
        "RRF()(BM25(), **{'depth': 1})",
        "BM25()()",
        "Vector()(BM25())",
        "MMR()(BM25())",
        "BM25() + Vector()",
        "BM25() | Vector()",
        "BM25() << MMR()",
        "~BM25()",
        "-BM25()",
        "-'a'",
        "1/0",
        "'a'/2",
        "BM25(k1=1/0)",
        "BM25(k1=9**9**9)",
        "BM25(k1=1e999)",
        "BM25(k1='a'/2)",
        "BM25() >> 5",
        "BM25() >> BM25()",
        "5 >> MMR()",
        "BM25() % 'x'",
        "BM25() % -1",
        "BM25() % 2.5",
        "BM25() % None",
        "BM25() * 'x'",
        "2 * 3",
        "BM25() * BM25()",
        "RRF()(BM25() * 'x', Vector())",
        "RRF()(BM25(), depth='x')",
        "RRF()(BM25(), k=1)",
        "RRF()(BM25(), BM25(), depth=0)",
        "RRF()()",
        "RRF()(5)",
        "RRF()([BM25()])",
        "RRF()(RRF())",
        "MultiQuery()()",
        "MultiQuery()(5)",
        "MultiQuery()(BM25(), merge=5)",
        "Chunk()()",
        "Chunk()(5)",
        "Chunk()('x')",
        "Chunk()(BM25(), env=1)",
        "BM25(b=b'x')",
        "BM25(b=1j)",
        "BM25(b=...)",
        "BM25(b=None)",
        "BM25(b={})",
        "BM25(b={[]: 1})",
        "BM25(b={{}: 1})",
        "{1: 2, **{}}",
        "BM25(b=Vector())",
        "BM25(analyzer=5)",
        "BM25(analyzer=MMR())",
        "BM25(analyzer={'mode': 5})",
        "BM25(1, 2, 3, 4, 5, 6, 7, 8, 9)",
        "BM25(k1=1, k1=2)",
        "BM25(",
        "BM25()) ",
        "",
        " ",
        "\x00",
        "\n",
        "bm26",
        "bm25:",
        "bm25:k1",
        "bm25:k1=x",
        "bm25:=1",
        "bm25:k1=1,,b=2,x=1",
        "mmr",
        "...",
        "None",
        "True",
        "5",
        "'BM25'",
        "os",
        "Operator()",
        "Stage()",
        "Analyzer()",
        "Destination('x', 5)",
        "Route(5, 5)",
        "Route(WordTable(), 'ab')",
        "WordTable(5)",
        "WordTable(('ab',))",
        "Pipeline()",
        "Pipeline(5)",
        "Pipeline('ab')",
        "Pipeline((BM25(),), refine=5)",
        "Pipeline((BM25(),), fuse='x')",
        "Fallback()",
        "Fallback(5, 6)",
        "KeywordExclusion((1,))",
        "KeywordExclusion('a')",
        "BM25() >> KeywordExclusion((1,))",
        "BM25() >> MetadataFilter(sources=5)",
        "ScoreThreshold",
        "BM25() >> ScoreThreshold('x')",
        "BM25() >> ScoreThreshold(None)",
        "RRF(weights=5)(BM25())",
        "RRF(weights='ab')(BM25())",
        "RRF(weights=(None,))(BM25())",
        "ChromaVector(where='{')",
        "ChromaVector(url='http://x')",
        "BM25()\nVector()",
        "BM25();Vector()",
        "import os",
        "BM25() # comment\n",
        "ＢＭ２５()()",
    ],
)
def test_what_has_no_place_in_a_search_is_refused(text: str) -> None:
    if text in (
        "BM25() # comment\n",
        "bm25:",
    ):  # Python's own comments are harmless; nothing after the colon is nothing
        assert parse(text) == BM25()
        return
    with pytest.raises(PipelineError) as told:
        parse(text)
    assert str(told.value)


@for_each(
    "text",
    [
        "(" * 1_000 + "BM25()" + ")" * 1_000,
        "(" * 100_000,
        "RRF()(" * 1_000 + "BM25()" + ")" * 1_000,
        "[" * 1_000 + "]" * 1_000,
        "-" * 50_000 + "1",
        "BM25()" + " >> MMR()" * 5_000,
        "BM25()" + ".x" * 20_000,
        "BM25()" + "()" * 20_000,
        "1" + "+1" * 40_000,
        "not " * 20_000 + "1",
        "x" * 200_000,
        " " * 200_000,
        " " * 99_000 + "(",
        "a " * 49_000 + "(",
        "bm25:" + "k1=1," * 50_000,
        "BM25(k1=" + "9" * 90_000 + ")",
        "CrossEncoderReranker('" + "a" * 99_000 + "')",
        "lambda " * 10_000,
        "{" * 5_000,
    ],
)
def test_long_and_deep_expressions_are_refused_in_no_time(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(PipelineError) as told:
        parse(text)
    assert time.perf_counter() - start < 2
    assert len(str(told.value)) < 3000


@examples(150)
@given(text=st.text(alphabet="BM25()>%*,[]{}=:.'\"_ -/\n#abk1Vectorx", max_size=40) | st.text(max_size=30))
def test_any_text_is_a_search_or_a_pipeline_error(text: str) -> None:
    for read in (parse, from_toml, from_link, formats.read, lambda t: from_toml(f"format = 1\ntype = {t}")):
        try:
            found = read(text)
        except PipelineError:
            continue
        assert isinstance(found, Searcher)


@examples(60)
@given(data=st.data())
def test_any_change_of_a_file_is_a_search_or_a_pipeline_error(data: st.DataObject) -> None:
    text = to_toml(data.draw(st.sampled_from([p.search for p in presets.presets().values()])))
    i = data.draw(st.integers(0, len(text) - 1))
    new = data.draw(
        st.sampled_from(["", "0", '"', "[", "]", "{", "}", "=", "\n", "-", ".", "x", "true", "[]", "{}", "nan"])
    )
    changed = text[:i] + new + text[i + data.draw(st.integers(0, 3)) :]
    with contextlib.suppress(PipelineError):
        assert isinstance(from_toml(changed), Searcher)


# ------------------------------------------------------------------------------------------------- programs


def test_a_program_prints_what_the_searches_find() -> None:
    found = samples.load("devices")
    all_of = {
        "words": BM25(k1=0.9),
        'it\'s "both"': RRF()(BM25(analyzer=Analyzer(stop_words=frozenset({"the", "的"}))), Vector())
        >> MaxSim(0.4) % 2,
        "wordings": MultiQuery(n=2)(BM25()) >> KeywordExclusion(words=("beta",)),
    }
    text = to_python(
        all_of,
        corpus=["from lab import samples", 'corpus = samples.load("devices").corpus'],
        query="headset 'E21'",
        k=3,
    )
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(text, {})
    printed = out.getvalue()
    runner = Runner(found.corpus)
    for name, search in all_of.items():
        assert name in printed
        ranking = runner(search, "headset 'E21'", 3)
        assert ranking.hits
        for hit in ranking:
            assert hit.document.id in printed
    assert "Rank 3: only the first 2 are passed on." in printed


def test_every_kind_of_error_says_what_to_do() -> None:
    for text in ("x", "BM25(", "format = 2", "format = 1\ntype = 'x'"):
        for read in (parse, from_toml):
            with pytest.raises(LabError) as told:
                read(text)
            assert told.value.remedy, text


# ------------------------------------------------------------------------------- however it is written


@for_each("search", [*(p.search for p in presets.presets().values()), BM25(), Vector() % 3])
def test_a_search_is_read_however_it_is_written(search: Searcher) -> None:
    for text in (
        to_toml(search),
        to_link(search),
        expression(search),
        f"\n{to_toml(search)}\n",
        f"  {to_link(search)} ",
    ):
        assert formats.read(text) == search
    assert formats.read("# mine\r\n" + to_toml(search).replace("\n", "\r\n")) == search


@for_each(
    "text, said",
    [
        ('format = 1\n[[retrieve]]\ntype = "BM52"\n', "Line 3, retrieve.0.type: There is no"),
        ('format = 1\n[[retrieve]]\ntype = "BM25"\nk = 3\n', "Line 4, retrieve.0.k: BM25 has no parameter “k”"),
        ('type = "BM25"', "The file does not name its format"),
        ("RRF()(BM52())", "Did you mean “BM25”"),
        ("eNqrVipILCrJTE5VsqpWKsnMTVWyUjJUqq0FAHH5CDI", "link"),
        ("hello = 3 and", "This is not TOML"),
        ("", "cannot be read"),
        ("RRF(BM25(", "'(' was never closed. Write"),
        ("{BM25()", "'{' was never closed. Write"),
        ("BM25(k1=1 b=2)", "cannot be read: invalid syntax. Write"),
    ],
)
def test_what_is_no_search_is_said_with_its_line_and_the_nearest_name(text: str, said: str) -> None:
    with pytest.raises(PipelineError) as told:
        formats.read(text)
    assert said in str(told.value)


@pytest.mark.parametrize("query", ['it\'s "quoted"', "电池\n", "{x}"])
def test_a_program_for_langchain_holds_the_search_and_the_question(query: str) -> None:
    search = presets.presets()["best"].search
    code = formats.to_langchain(search, corpus=["from lab.corpus import samples", "corpus = 1"], query=query, k=3)
    tree = ast.parse(code)
    (made,) = [x.value for x in tree.body if isinstance(x, ast.Assign) and ast.unparse(x.targets[0]) == "search"]
    assert parse(ast.unparse(made)) == search
    assert repr(query) in code
    asking = formats.to_langchain(MultiQuery(model="chat")(BM25()), corpus=[], query=query, k=3)
    assert "models={'chat': from_environment()}" in asking
    assert "from_environment" not in code


def test_the_program_for_langchain_prints_the_list() -> None:
    pytest.importorskip("langchain_core")
    search, query = presets.presets()["diverse"].search, "battery empty in the morning"
    lines = ["from lab.corpus import samples", "corpus = samples.load('devices').corpus"]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(formats.to_langchain(search, corpus=lines, query=query, k=5), {})
    found = Runner(samples.load("devices").corpus)(search, query, 5)
    assert [row.split()[:2] for row in out.getvalue().splitlines()] == [[str(i), x] for i, x in enumerate(found.ids, 1)]
