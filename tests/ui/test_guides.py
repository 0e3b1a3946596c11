"""Every page has its guide in both languages; figures in the embedder guide are those of the benchmark."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path

import places
import pytest
from night import NIGHT, for_each, sample, spread
from packed import packed

from benchmarks.quality import E5, E5_PIECES
from benchmarks.summary import Results
from lab import presets
from lab.algebra import Corpus, Document, Env, Query, Runner
from lab.corpus import beir, samples
from lab.corpus.beir import Collection
from lab.derive.context import ContextLine
from lab.derive.parts import ParentChild, Sentences
from lab.evaluate import experiment
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import run_many
from lab.evaluate.significance import ALPHA, Difference, compare
from lab.evaluate.thresholds import Threshold, results_of, separation
from lab.explain.bands import band_of, pairs_of, quantiles
from lab.explain.late import pooled
from lab.explain.moves import quality
from lab.explain.predicting import PREDICTORS, gains_of, outlook, predictors_of_run
from lab.explain.structures import curve, structures_of
from lab.fuse import ISR, RRF, CombMNZ, WeightedSum
from lab.models.lsa import LSA
from lab.models.static import BuiltIn
from lab.refine.boolean import Matching, Reading, parse
from lab.refine.decay import TimeDecay
from lab.refine.hybrid import HybridSimilarity
from lab.refine.proximity import Proximity
from lab.refine.reorder import ORDERS, LongContextReorder, attention, attention_on
from lab.retrieve.expanded import Expanded, lexicon
from lab.retrieve.fields import BM25F
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.store import ExactVector
from lab.retrieve.vector import Vector
from lab.rewrite.multi_query import MultiQuery
from lab.text import Analyzer
from lab.ui import cache
from lab.ui.i18n import translate
from lab.ui.lists import sources
from ui.test_i18n import messages

from .test_guide_figures import WRITTEN
from .test_guides_measured import gains, line, scores_of

ROOT = Path(__file__).parents[2]
PAGES = [p for p in places.PAGES if p.parent.name != "home"]


@for_each("page", PAGES)
def test_a_page_has_a_guide_in_both_languages(page: Path):
    for lang in ("en", "zh"):
        guide = page.with_name(f"guide.{lang}.md")
        assert guide.is_file()
        text = guide.read_text("utf-8")
        assert len(text) > 400
        assert not text.startswith("# "), "the dialog has a title of its own"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_a_guide_says_to_open_or_play_is_called_that(lang: str):
    titles = {lesson.title[lang] for lesson in cache.lessons() if lang in lesson.title}
    for file in (x for pack in places.PACKS for x in pack.rglob("lessons.toml")):
        titles |= {table["title"][lang] for table in tomllib.loads(file.read_text("utf-8"))["lesson"]}
    known = titles | {translate(text, lang) for text in messages()}
    opens = re.compile(r"\b(?:Open|Play) “([^”]+)”" if lang == "en" else "(?:打开|播放)“([^”]+)”")
    named = {
        (path.parent.name, name) for path in places.guides(lang) for name in opens.findall(path.read_text("utf-8"))
    }
    assert len(named) > 5
    assert {(page, name) for page, name in named if name.rstrip("，。,.") not in known} == set()


def test_both_embedder_guides_show_the_same_figures_and_those_of_the_benchmark():
    tables = {
        lang: [
            line
            for line in (ROOT / f"pages/start/vocabulary/embedders.{lang}.md").read_text("utf-8").splitlines()
            if line.startswith("|")
        ]
        for lang in ("en", "zh")
    }
    figures = {
        lang: [cell.strip(" *") for line in rows for cell in line.split("|") if cell.strip(" *").startswith(".")]
        for lang, rows in tables.items()
    }
    assert figures["en"] == figures["zh"]
    written = (ROOT / f"benchmarks/results/{name}.md" for name in ("embedders", "quality"))
    shown = "".join(file.read_text("utf-8") for file in written)
    assert figures["en"]
    for figure in figures["en"]:
        assert f"0{figure}" in shown
    assert json.loads((ROOT / "benchmarks/embedders.json").read_text("utf-8"))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide_of_compare_shows_the_figures_of_the_benchmark(lang: str):
    measured = json.loads((ROOT / "benchmarks/quality.json").read_text("utf-8"))["collections"]
    sections = told("retrieve/compare", lang).split("\n### ")
    head, _rule, *shown = rows(next(x for x in sections if x.startswith(("How good each list is", "各列表的效果"))))
    systems = (
        *(f"BM25, {x}" for x in ("plain words", "+ stems", "+ pairs", "+ letters and digits apart")),
        *(f"BM25, {x}" for x in ("+ question-word filter", "+ single characters", "all steps")),
        *("TF-IDF, all steps", "query likelihood, Dirichlet", "query likelihood, Jelinek–Mercer", "DFR InL2"),
        *("vectors, whole", "vectors, best+whole", "best offline"),
        *(E5, E5_PIECES, "preset best-neural", "preset best-neural-all"),
    )
    for row, system in zip(shown, systems, strict=True):
        found = [measured[name]["systems"].get(system) for name in head[1:]]
        assert row[1:] == [f"{x['mean']:.3f}" if x else "–" for x in found], system


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide_of_rewrite_shows_the_figures_of_the_benchmark(lang: str):
    section = (ROOT / "benchmarks/results/rewrite.md").read_text("utf-8").partition("## Query rewriting by rule")[2]
    head, _rule, *table = rows(section.partition("**nDCG@10**")[2].partition("**R@10**")[0])
    names = ("handbook", "devices", "cast_conv", "stard_pool", "xquad_en", "xquad_zh")
    places = [next(i for i, cell in enumerate(head) if cell.startswith(f"{name} (")) for name in names]
    measured = {row[0]: [row[i] for i in places] for row in table}
    heading = {"en": "### When a rule abstains", "zh": "### 规则什么时候不改"}[lang]
    shown = rows(told("query/rewrite", lang).partition(heading)[2])[2:7]
    rules = (
        "multi-query",
        "sub-questions",
        "step back, 5 + 3 documents",
        "query to document",
        "hypothetical documents",
    )
    assert [row[1:] for row in shown] == [measured[rule] for rule in rules]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide_of_rewrite_shows_what_typing_mistakes_cost(lang: str):
    section = (ROOT / "benchmarks/results/spelling.md").read_text("utf-8")
    letters, _, sound = section.partition("**One character of the same sound**")
    edited, homophones = ({row[0].partition(" (")[0]: row for row in rows(part)} for part in (letters, sound))
    wanted = [edited[name] for name in ("staff", "devices", "cast_conv", "xquad_en")]
    wanted += [homophones[name] for name in ("handbook", "stard_pool", "xquad_zh")]
    spelling = part("query/rewrite", lang, {"en": "Spelling", "zh": "拼写纠正"}[lang])
    assert [row[1:] for row in rows(spelling)[2:]] == [[*row[1:4], *row[5:10]] for row in wanted]
    touched = edited["xquad_en"][-1]
    assert f" {touched}." in spelling or f" {touched} 个" in spelling


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide_of_compare_shows_what_n_grams_reach(lang: str):
    section = (ROOT / "benchmarks/results/spelling.md").read_text("utf-8")
    letters, _, sound = section.partition("**One character of the same sound**")

    def row(text: str, name: str) -> list[str]:
        return next(x for x in rows(text) if x[0].startswith(f"{name} ("))

    staff, english, chinese = row(letters, "staff"), row(letters, "xquad_en"), row(sound, "handbook")
    wanted = [staff[1], staff[2], staff[8], staff[9], english[8], english[1], chinese[8], chinese[9]]
    heading = {"en": "Character n-grams", "zh": "字符 n 元组"}[lang]
    assert re.findall(r"0\.\d{3}", part("retrieve/compare", lang, heading)) == wanted


@pytest.mark.nightly
def test_the_guide_of_rewrite_says_what_multi_query_costs_vectors():
    searches = (Vector(), MultiQuery(abstains=False)(Vector()))
    expected = [figure for name in ("handbook", "devices") for figure in gains(name, searches)]
    for lang, start in (("en", "- **Vectors know synonyms already"), ("zh", "- **向量本来就认得同义词")):
        assert re.findall(r"0\.\d{3}", line(told("query/rewrite", lang), start)) == expected, lang


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide_of_granularity_shows_the_figures_of_the_benchmark(lang: str):
    measured = json.loads((ROOT / "benchmarks/derive.json").read_text("utf-8"))["collections"]
    head, _rule, *shown = rows(told("index/granularity", lang))
    systems = (
        *(f"BM25 | {x}" for x in ("whole passages", "children of 100", "summaries")),
        *(f"one vector an entry | {x}" for x in ("whole passages", "children of 100", "children of 50", "summaries")),
        "one vector an entry | children of 100, the sum",
        *(f"Vector as it is | {x}" for x in ("best sentence and whole", "best+whole, and children beside it")),
    )
    for row, system in zip(shown, systems, strict=True):
        assert row[1:] == [f"{measured[name]['systems'][system]['mean']:.3f}" for name in head[1:]], system


@pytest.mark.nightly
def test_the_guide_of_granularity_says_what_a_line_of_context_is_worth():
    expected = []
    for retriever in (BM25(), Vector(pieces="whole")):
        cuts = (ParentChild(titles=False), ContextLine("sentence"), ContextLine())
        for name in ("devices", "staff", "handbook"):
            expected += gains(name, tuple(cut(retriever) for cut in cuts))
    for lang, starts in (
        ("en", ("- BM25, devices:", "- Vectors, devices:")),
        ("zh", ("- BM25，设备：", "- 向量，设备：")),
    ):
        shown = "".join(x for x in told("index/granularity", lang).splitlines() if x.startswith(starts))
        assert re.findall(r"0\.\d{3}", shown) == expected, lang


@pytest.mark.nightly
def test_the_guide_of_granularity_counts_the_chunks_that_late_chunking_leaves_as_they_are():
    compared = 0
    for name in ("devices", "staff"):
        corpus = samples.load(name).corpus
        for cut in (ParentChild(), Sentences()):
            chunks = cut(corpus)
            for document in corpus:
                own = [d for d in chunks if d.metadata.get("parent") == document.id]
                result = pooled(BuiltIn().fit(corpus), document.text, own)
                assert (result.largest, result.differing) == (0.0, 0), document.id
                compared += result.chunks
    for lang in ("en", "zh"):
        sentence = line(told("index/granularity", lang), f"{compared:,}")
        assert re.findall(r"\d+\.\d+", sentence) == [str(result.largest)]


@pytest.mark.nightly
def test_the_guide_of_compare_says_what_a_weight_for_titles_is_worth_on_the_samples():
    searches = (*(BM25F(title=w) for w in (1.0, 2.0, 5.0)), BM25())
    for lang, *names in (("en", "staff", "devices", "handbook"), ("zh", "英文员工手册", "设备", "员工手册")):
        text = told("retrieve/compare", lang).partition("### BM25F")[2].partition("\n### ")[0]
        for name, called in zip(("staff", "devices", "handbook"), names, strict=True):
            shown = re.findall(r"0\.\d{3}", re.split(f"(?<!英文){called} (?=0\\.)", text)[1])
            assert shown[:4] == gains(name, searches), (lang, name)


@pytest.mark.nightly
def test_the_guide_of_compare_says_what_added_words_are_worth():
    searches = (BM25(), *(Expanded(weight=w) for w in (0.2, 0.5, 1.0)))
    expected = [figure for name in ("devices", "handbook", "staff") for figure in gains(name, searches)]
    bm25, _, middle, _ = scores_of("staff", searches)
    staff, runner = compare(bm25, middle, "nDCG@10"), Runner(samples.load("handbook").corpus)
    assert not runner(BM25(), Query("parking"), 10).hits
    assert runner(Expanded(), Query("parking"), 10).hits
    for lang, heading in (("en", "### Added words"), ("zh", "### 扩展词")):
        text = told("retrieve/compare", lang).partition(heading)[2].partition("\n### ")[0]
        assert re.findall(r"0\.\d{3}", line(text, {"en": "devices 0.", "zh": "设备 0."}[lang])) == expected, lang
        loses = line(text, {"en": "- **When it loses:", "zh": "- **什么时候坏："}[lang])
        counts = {
            "en": f"{staff.worse} of {len(staff)} questions worse and {staff.better} better (p = {staff.p:.3f})",
            "zh": f"{len(staff)} 个问题里的 {staff.worse} 个变差，只有 {staff.better} 个变好（p = {staff.p:.3f}）",
        }
        assert counts[lang] in loses
        assert staff.p < ALPHA, "the guide calls it significant"
        assert f"{round(len(lexicon().words), -3):,}" in text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide_of_dialogue_shows_the_figures_of_the_benchmark(lang: str):
    section = (ROOT / "benchmarks/results/dialogue.md").read_text("utf-8").partition("## Conversations\n")[2]
    measured = {name: f"{whole} ({a}, {b})" for name, whole, a, b in rows(section.partition("Branches")[0])[2:]}
    shown = rows(told("query/dialogue", lang))[2:]
    both = ("BM25", "BM25 and vectors")
    wanted = [[measured[f"{x}, the turn alone"], measured[f"{x}, with the conversation"]] for x in both]
    assert [row[1:] for row in shown] == [*wanted, [measured["BM25, the turn alone"], measured["BM25, by HQE"]]]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide_of_routing_shows_the_figures_of_the_benchmark(lang: str):
    readme = (ROOT / "benchmarks/results/routing.md").read_text("utf-8")
    measured = {name: figures[:2] for name, *figures in rows(readme) if len(figures) > 1}

    def row(begins: str, *words: str) -> list[str]:
        return next(own for name, own in measured.items() if name.startswith(begins) and all(w in name for w in words))

    def percent(cells: list[str], word: int) -> list[int]:
        return [round(100 * float(cell.split()[word])) for cell in cells]

    shipped, common = percent(row("one IDF", "shipped"), 0), percent(row("an IDF for each", "mean of 10"), 0)
    sure = row("20 examples", "shipped")
    guide = told("query/routing", lang).replace(" %", "%")
    shown = [int(n) for n in re.findall(r"(\d+)%", guide)]
    assert shown == [*shipped, *common, *percent(sure, 2), *percent(sure, 0)]


SAMPLES = {name: samples.load(name) for name in ("handbook", "devices")}


def told(page: str, lang: str) -> str:
    return places.guide(page, lang).read_text("utf-8")


def rows(text: str) -> list[list[str]]:
    """Returns the rows of all tables, each with its head and the line below it."""
    return [[x.strip() for x in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


@pytest.fixture(scope="module")
def shares() -> dict[str, list[str]]:
    """For each order and corpus the mean share of attention, and how many questions it is of."""
    found: dict[str, list[str]] = {}
    for c in SAMPLES.values():
        run, sums = Runner(c.corpus, explain=False), {order: list[float]() for order in ORDERS}
        for query in c.judged:
            ranking, grades = run(BM25(), query, 10), c.relevant(query.id)
            if any(grades.get(doc, 0) > 0 for doc in ranking.ids):
                for order, own in sums.items():
                    ids = LongContextReorder(order=order)(ranking).ids
                    own.append(attention_on([float(grades.get(d, 0) > 0) for d in ids], attention(len(ids))))
        for order, own in sums.items():
            found.setdefault(order, []).append(f"{sum(own) / len(own):.3f}")
        found.setdefault("n", []).append(str(len(sums["sides"])))
    return found


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide_of_reorder_shows_what_its_sentence_says(lang: str, shares: dict[str, list[str]]):
    line = next(x for x in told("refine/reorder", lang).splitlines() if shares["sides"][0] in x)
    figures = re.findall(r"0\.\d{3}", line)
    assert figures == [*shares["long-context"], *shares["best first"], *shares["sides"]]
    assert [n for n in re.findall(r"\d+", line) if n in shares["n"]] == shares["n"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide_of_reorder_calls_better_only_what_the_tests_do(lang: str):
    verdicts = list[tuple[bool, float]]()
    for order in ("sides", "best first"):
        for name in ("handbook", "devices"):
            c, away = SAMPLES[name], dict[str, float]()
            for query in c.judged:
                ranking, grades = Runner(c.corpus, explain=False)(BM25(), query, 10), c.relevant(query.id)
                if any(grades.get(doc, 0) > 0 for doc in ranking.ids):
                    orders = (LongContextReorder(order=of)(ranking).ids for of in ("long-context", order))
                    curve = attention(len(ranking))
                    first, second = (attention_on([float(grades.get(d, 0) > 0) for d in ids], curve) for ids in orders)
                    away[query.id] = second - first
            tested = Difference("long-context", order, "attention", away)
            verdicts.append((tested.significant, round(tested.p or 0, 2)))
    assert [significant for significant, _p in verdicts] == [True, True, False, True]
    line = next(x for x in told("refine/reorder", lang).splitlines() if "p < 0.001" in x)
    assert f"p = {verdicts[2][1]:.2f}" in line


SECTIONS = ("staff", "devices", "handbook")
"""The samples whose figures the sections on operators and proximity show, in their order."""
PLAIN_WORDS = Analyzer(pairs=False, bigrams=False, characters=False, numbers=False, joined=False, units=False)


def part(page: str, lang: str, heading: str) -> str:
    """The section of a guide with this heading."""
    return told(page, lang).partition(f"### {heading}\n")[2].partition("\n### ")[0]


@pytest.fixture(scope="module")
def conjunctions() -> list[tuple[int, int, int]]:
    """For each sample: for how many questions AND leaves nothing, of how many, and only irrelevant passages."""
    found = []
    for name in SECTIONS:
        c, empty, irrelevant, asked = samples.load(name), 0, 0, 0
        readings, matching = [Reading(d) for d in c.corpus], Matching()
        for q in c.judged:
            spans = PLAIN_WORDS.for_query(q.text).spans(q.text)
            words = [*dict.fromkeys(q.text[token.start : token.end] for token in spans)]
            if len(words) < 2:
                continue
            tree, grades = parse(" AND ".join(words)).tree, c.relevant(q.id)
            left = [r.document.id for r in readings if matching.holds(tree, r)]
            asked, empty = asked + 1, empty + (not left)
            irrelevant += bool(left) and not any(grades.get(doc, 0) > 0 for doc in left)
        found.append((empty, asked, irrelevant))
    return found


@pytest.mark.nightly
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide_of_filter_counts_the_questions_that_and_leaves_nothing_for(
    lang: str, conjunctions: list[tuple[int, int, int]]
):
    section = part("refine/filter", lang, {"en": "Operators", "zh": "运算符"}[lang])
    losing = section[section.index({"en": "- **It loses**", "zh": "- **什么时候坏"}[lang]) :]
    counted = [sorted(row[:2]) for row in conjunctions]
    numbers = [int(n) for n in re.findall(r"\d+", losing)]
    assert [sorted(numbers[i : i + 2]) for i in (0, 2, 4)] == counted
    assert numbers[6:] == [irrelevant for *_, irrelevant in conjunctions if irrelevant]
    assert [irrelevant > 0 for *_, irrelevant in conjunctions] == [True, False, False], "only staff is named"


def by_proximity(c: Collection) -> list[str]:
    """nDCG@10 of BM25's first 50, and with proximity of three weights."""
    first = BM25() % 50
    searches = {"": first, **{str(weight): first >> Proximity(weight) for weight in (0.3, 1.0, 3.0)}}
    runs = run_many(searches, c.corpus, c.judged)
    return [f"{measure_run(run, c.qrels, ['nDCG@10']).means['nDCG@10']:.3f}" for run in runs.values()]


def of_proximity(lang: str) -> tuple[list[str], list[str]]:
    """The figures of the guide where proximity wins, and where it loses."""
    section = part("refine/rerank", lang, {"en": "Proximity", "zh": "词项邻近度"}[lang])
    wins, _, loses = section.partition({"en": "- **It loses**", "zh": "- **什么时候坏"}[lang])
    return re.findall(r"0\.\d{3}", wins), re.findall(r"0\.\d{3}", loses)


@pytest.mark.nightly
def test_the_guide_of_rerank_shows_what_proximity_costs():
    wanted = [figure for name in sample(SECTIONS, 1) for figure in by_proximity(samples.load(name))]
    assert of_proximity("en")[1] == of_proximity("zh")[1]
    assert of_proximity("en")[1][: len(wanted)] == wanted


@pytest.mark.nightly
def test_the_guide_of_rerank_shows_what_proximity_gains_on_a_collection():
    folder = os.environ.get("LAB_COLLECTIONS")
    if not folder or not (Path(folder) / "xquad_en").is_dir():
        pytest.skip("LAB_COLLECTIONS names no folder with xquad_en")
    assert of_proximity("en")[0] == of_proximity("zh")[0] == by_proximity(beir.load(Path(folder) / "xquad_en"))


@pytest.mark.nightly
def test_the_guide_of_rerank_shows_what_the_tags_cost_with_the_candidates_that_it_names():
    """For the first sample; at night for both."""
    wanted = []
    for c in list(SAMPLES.values())[: None if NIGHT else 1]:
        run, first = Runner(c.corpus, explain=False), sources.first_stage([BM25(), Vector()], 50)
        for own in (HybridSimilarity(), HybridSimilarity(tag_source="own")):
            values = [quality([run(first >> own, q, 50)], dict(c.relevant(q.id)))[0] for q in c.judged]
            wanted.append(f"{sum(values) / len(values):.2f}")
    for lang in ("en", "zh"):
        figures = (re.findall(r"0\.\d\d(?!\d)", x) for x in told("refine/rerank", lang).splitlines())
        (shown,) = (x for x in figures if len(x) == 2 * len(SAMPLES) and x[:2] == wanted[:2])
        assert shown[: len(wanted)] == wanted


@pytest.fixture(scope="module")
def reached() -> dict[tuple[str, str], list[int]]:
    """For each kind of question and list the rank of the first answer, where there is one."""
    found: dict[tuple[str, str], list[int]] = {}
    searches = {"BM25": BM25(), "built-in": Vector(), "LSA": Vector(LSA())}
    for c in SAMPLES.values():
        run = Runner(c.corpus, explain=False)
        for query in c.judged:
            grades, kind = c.relevant(query.id), str(query.metadata.get("type"))
            for name, search in searches.items() if kind in ("code", "synonym", "crosslingual") else ():
                ranks = (i for i, d in enumerate(run(search, query, 100).ids, 1) if grades.get(d, 0) >= c.answering)
                found.setdefault((kind, name), []).append(next(ranks, 0))
    return found


@pytest.mark.nightly
def test_the_guide_of_compare_counts_codes_synonyms_and_other_languages(reached: dict[tuple[str, str], list[int]]):
    def first(kind: str, name: str, k: int) -> int:
        return sum(0 < rank <= k for rank in reached[kind, name])

    en, zh = (told("retrieve/compare", lang) for lang in ("en", "zh"))
    codes, synonyms = len(reached["code", "BM25"]), len(reached["synonym", "BM25"])
    assert f"for {first('code', 'BM25', 1)} of the {codes} code questions" in en
    assert f"共 {codes} 个这类问题，BM25 有 {first('code', 'BM25', 1)} 个" in zh
    assert sorted(rank for rank in reached["code", "BM25"] if rank != 1) == [3, 5]
    assert f"the built-in model has {first('code', 'built-in', 1)} first" in en
    assert f"answers of {first('synonym', 'BM25', 3)} of the {synonyms} synonym questions among its first three" in en
    assert f"{synonyms} 个同义问题，BM25 有 {first('synonym', 'BM25', 3)} 个" in zh
    other = len(reached["crosslingual", "BM25"])
    assert f"none of the {other} cross-language ones" in en
    assert f"{other} 个跨语言问题" in zh
    assert not any(reached["crosslingual", "BM25"])
    for name, sentence in (("built-in", "has {} and {} among the first three"), ("LSA", "LSA has {} and {}")):
        assert sentence.format(first("synonym", name, 3), first("crosslingual", name, 3)) in en


@pytest.fixture(scope="module")
def fused() -> dict[str, list[tuple[str, dict[str, float]]]]:
    """For each sample corpus and judged question: its kind, and nDCG@10 of every fusion and of the vectors alone."""
    bm25, vector = BM25(), Vector()
    searches = {
        "RRF": RRF()(bm25, vector),
        "sum": WeightedSum()(bm25, vector),
        "CombMNZ": CombMNZ()(bm25, vector),
        "ISR": ISR()(bm25, vector),
        "vectors": vector,
        **{by: WeightedSum((0.5, 0.5), by)(bm25, vector) for by in ("min-max", "z-score", "3-sigma", "l2")},
        **{form: RRF(weights=(0.8, 0.2), form=form)(bm25, vector) for form in ("paper", "qdrant")},
    }
    found: dict[str, list[tuple[str, dict[str, float]]]] = {}
    for name, c in SAMPLES.items():
        run = Runner(c.corpus, explain=False)
        for q in c.judged:
            values = quality([run(search, q, 100) for search in searches.values()], dict(c.relevant(q.id)))
            found.setdefault(name, []).append((str(q.metadata.get("type")), dict(zip(searches, values, strict=True))))
    return found


def means(rows: list[tuple[str, dict[str, float]]], *names: str, kind: str = "") -> list[str]:
    """The mean of each, of all questions or those of a kind."""
    chosen = [own for of, own in rows if not kind or of == kind]
    return [f"{sum(own[name] for own in chosen) / len(chosen):.3f}" for name in names]


@pytest.mark.nightly
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide_of_fusion_shows_what_each_fusion_reaches(
    lang: str, fused: dict[str, list[tuple[str, dict[str, float]]]]
):
    lines, every = told("combine/fusion", lang).splitlines(), rows(told("combine/fusion", lang))
    formulas, further = every[2:6], every[8:12]
    names = ("RRF", "sum", "CombMNZ", "ISR")
    assert [row[0] for row in formulas] == ["RRF", {"en": "Weighted sum", "zh": "加权求和"}[lang], "CombMNZ", "ISR"]
    assert [row[1] for row in formulas] == means(fused["handbook"], *names)
    assert [row[2] for row in formulas] == means(fused["devices"], *names)
    normalised = ("min-max", "z-score", "3-sigma", "l2")
    assert [row[1] for row in further] == means(fused["handbook"], *normalised)
    assert [row[2] for row in further] == means(fused["devices"], *normalised)
    stretched = next(
        line for line in lines if line.startswith(("- **It loses** if the weight", "- **什么时候坏：** 权重"))
    )
    assert re.findall(r"0\.\d{3}", stretched)[:2] == means(fused["devices"], "qdrant", "paper")
    of_others = [kind for kind, _ in fused["devices"]].count("crosslingual")
    line = next(line for line in lines if f" {of_others} " in line and "CombMNZ" in line)
    figures = means(fused["devices"], "CombMNZ", "sum", "ISR", "vectors", kind="crosslingual")
    assert sorted(re.findall(r"0\.\d{3}", line)) == sorted(figures)
    assert re.findall(r"0\.\d{3}", line)[-2:] == figures[-2:]


def test_the_guide_of_fusion_says_where_middling_ranks_lead_and_where_membership_changes_nothing():
    run, asked = Runner(SAMPLES["handbook"].corpus), "什么东西不用审批就能买"
    (answer,) = (
        d for d, g in SAMPLES["handbook"].relevant(SAMPLES["handbook"].query_by_text(asked).id).items() if g > 1
    )
    lists = BM25(), Vector()
    assert [run(search, asked).rank(answer) for search in lists] == [4, 3]
    assert [run(fusion(*lists), asked).rank(answer) for fusion in (CombMNZ(), ISR())] == [1, 5]
    corpus = Corpus("both", tuple(Document(str(i), "red " * (i + 1) + "fox") for i in range(5)))
    both = [Runner(corpus)(fusion(BM25(), TFIDF()), "red fox").ids for fusion in (CombMNZ(), WeightedSum())]
    assert both[0] == both[1]
    assert len(both[0]) == 5


@pytest.mark.nightly
def test_the_guide_of_fusion_shows_what_lsa_reaches_on_a_collection():
    folder = os.environ.get("LAB_COLLECTIONS")
    if not folder or not (Path(folder) / "cmrc2018").is_dir():
        pytest.skip("LAB_COLLECTIONS names no folder with cmrc2018")
    c = beir.load(Path(folder) / "cmrc2018")
    run, lsa = Runner(c.corpus, explain=False), Vector(LSA())
    searches = (lsa, BM25(), RRF()(BM25(), lsa), WeightedSum((0.7, 0.3))(BM25(), lsa))
    figures = []
    for search in searches:
        values = [quality([run(search, q, 100)], dict(c.relevant(q.id)))[0] for q in c.judged[:400]]
        figures.append(f"{sum(values) / len(values):.3f}")
    for lang in ("en", "zh"):
        line = next(x for x in told("combine/fusion", lang).splitlines() if "cmrc2018" in x and "128" in x)
        assert re.findall(r"0\.\d{3}", line) == figures


@pytest.mark.nightly
def test_the_guide_of_rerank_shows_what_time_decay_reaches_on_the_samples():
    decayed = (TimeDecay(half_life=days, weight=weight) for weight in (0.1, 0.3) for days in (90, 365, 1460))
    searches = (BM25(), *(BM25() >> stage for stage in decayed))
    figures = [gains(name, searches) for name in ("devices", "handbook", "staff")]
    expected = [x for row in figures for x in row[:4]] + [x for row in figures for x in row[4:]]
    for lang in ("en", "zh"):
        assert re.findall(r"0\.\d{3}", line(told("refine/rerank", lang), "90 / 365 / 1,460")) == expected


# ---------------------------------------------------------------------------- the questions that come up in class


def answers(readme: str) -> list[str]:
    """The ten answers of a README."""
    section = re.split(r"\n## (?:Ten questions|课堂上常问)[^\n]*\n", (ROOT / readme).read_text("utf-8"))[1]
    return re.findall(r"^\d+\. (.*)$", section.partition("\n## ")[0], re.MULTILINE)


def numbers(answer: str) -> list[str]:
    """The numbers of an answer, in order of size: both languages have them, each where it reads well.

    Names, what is quoted, and what both say in words of their own (10,000 chunks, an interval of 95 %) are none.
    """
    bare = re.sub(r"“[^”]*”|`[^`]*`|nDCG@\d+|[A-Za-z]+\d+|10,000|95 ?%", "", answer)
    return sorted(re.findall(r"-?\d+(?:\.\d+)?", bare))


README = ("README.md", "README.zh.md")


@pytest.mark.parametrize("readme", README)
def test_there_are_ten_questions_each_with_an_answer(readme: str):
    told = answers(readme)
    assert len(told) == 10
    assert all(re.fullmatch(r"\*\*.+[?？]\*\* ?.{20,}", x) for x in told)


@pytest.mark.nightly
@pytest.mark.parametrize("readme", README)
def test_the_answers_on_codes_languages_and_synonyms_are_counted(readme, reached):
    for answer, kind, k in zip(answers(readme), ("code", "crosslingual", "synonym"), (1, 3, 3), strict=False):
        lists = reached[kind, "BM25"], reached[kind, "built-in"]
        expected = [len(lists[0]), *(sum(0 < rank <= k for rank in own) for own in lists)]
        assert numbers(answer) == sorted(map(str, expected))


@pytest.fixture(scope="module")
def leads() -> dict[str, tuple[str, ...]]:
    """On each sample: what RRF gains over BM25, its interval, and the number of questions that would show it."""
    found = {}
    for name in ("handbook", "devices", "staff"):
        c = samples.load(name)
        table = experiment([BM25(), RRF()(BM25(), Vector())], c, ["nDCG@10"], baseline=0)
        row = table.iloc[1]
        figures = [f"{row[f'nDCG@10 {x}']:.3f}" for x in ("difference", "low", "high")]
        found[name] = (*figures, str(int(row["nDCG@10 questions needed"])))
    return found


@pytest.mark.parametrize("readme", spread(README, 1))
@pytest.mark.nightly
def test_the_answers_on_fusing_are_measured(readme, leads):
    handbook, handbook_low, _high, some = leads["handbook"]
    other, low, high, many = leads["staff" if readme == "README.md" else "devices"]
    fusing, how_many = answers(readme)[3:5]
    assert numbers(fusing) == sorted([handbook, other, low, high])
    assert float(low) < 0 < float(high), "nothing is shown"
    assert float(handbook_low) > 0
    assert numbers(how_many) == sorted([handbook, some, other, many])


@pytest.mark.parametrize("readme", README)
def test_the_answer_on_two_units_has_the_scores_of_its_question(readme):
    answer = answers(readme)[5]
    run, asked = Runner(SAMPLES["devices"].corpus), re.findall(r"“([^”]*)”", answer)[-1]
    assert numbers(answer) == sorted(f"{run(x, Query(asked)).hits[0].score:.2f}" for x in (BM25(), Vector()))


@pytest.mark.parametrize("readme", README)
def test_the_answers_of_arithmetic_are_right(readme):
    of_k, of_repeats = answers(readme)[6:8]
    k, k1 = RRF().k, BM25().k1
    first, alike = 1 / (k + 1), k + 2
    assert 2 / (k + alike - 1) > first == 2 / (k + alike)
    assert numbers(of_k) == sorted(map(str, (k, 1, k + 1, alike - 1, alike)))
    assert numbers(of_repeats) == sorted([str(k1), f"{1 / (1 + k1):.2f}", f"{10 / (10 + k1):.2f}"])


@pytest.mark.parametrize("readme", README)
def test_the_answer_on_not_is_what_both_lists_begin_with(readme):
    run, (asked, title) = Runner(SAMPLES["devices"].corpus), re.findall(r"“([^”]{9,})”", answers(readme)[8])
    assert [run(x, Query(asked)).hits[0].document.title for x in (BM25(), Vector())] == [title, title]


@pytest.mark.parametrize("readme", README)
def test_the_answer_on_size_is_that_of_the_benchmarks(readme):
    retrieved, million = (
        Results((ROOT / f"benchmarks/results/{x}.md").read_text("utf-8")) for x in ("retrieve", "million")
    )
    ours, theirs = (
        retrieved.cell("query, ms", system, under="### 10,000 chunks") for system in ("lab BM25", "rank-bm25 (jieba)")
    )
    asked = million.cell("a question, ms", "BM25, no reasons read")
    first = samples.load("staff" if readme == "README.md" else "handbook")  # the corpus that this language opens with
    expected = sorted([str(len(first.corpus)), ours, theirs, asked])
    assert numbers(answers(readme)[9]) == expected


def test_the_pictures_of_both_readmes_are_there_and_small():
    shown = [re.findall(r"!\[[^\]]+\]\((.*?)\)", (ROOT / x).read_text("utf-8")) for x in README]
    assert [x.replace(".en.", ".") for x in shown[0]] == [x.replace(".zh.", ".") for x in shown[1]]
    for picture in (ROOT / x for one in shown for x in one):
        most = 2_000_000 if picture.name.startswith("minute.") else 150_000  # a moving one is as long as a minute
        assert 10_000 < picture.stat().st_size <= most, picture.name


@pytest.mark.parametrize("lang", spread(["zh", "en"], 1))
def test_the_guide_of_evaluate_shows_what_a_threshold_promises_and_keeps(lang: str):
    guide, c = (ROOT / f"pages/whole/evaluate/guide.{lang}.md").read_text("utf-8"), samples.load("devices")
    run, ids = run_many({"": BM25()}, c.corpus, c.judged)[""], tuple(q.id for q in c.judged)
    score, best = (Threshold(kind, tuple(results_of(run, c, c.judged, kind)), ids, 0.5) for kind in ("score", "best"))
    choice, by_score, splits = best.choose(), score.choose(), best.repeated
    pairs = [f"{separation(t.results):.0%}" for t in (score, best)]
    figures = [f"{choice.here.precision:.2f}", f"{splits.low:.2f}", f"{splits.high:.2f}", *pairs]
    section = next(part for part in guide.split("\n### ") if part.startswith(("Threshold", "阈值")))
    assert set(figures) | {str(by_score.silent), str(by_score.asked)} <= set(re.findall(r"\d+(?:\.\d+)?%?", section))


@pytest.mark.nightly
@pytest.mark.parametrize("lang", spread(["zh", "en"], 1))
def test_the_guide_of_compare_shows_what_the_predictors_of_a_list_are_worth(lang: str):
    sections = told("retrieve/compare", lang).split("\n### ")
    head, _line, *table = rows(next(x for x in sections if x.startswith(("Can this list", "这个列表可信"))))
    searches = {"bm25": BM25(), "vectors": Vector(), "hybrid": presets.find("hybrid")}
    for i, name in enumerate(head[1:], 1):
        c = samples.load(WRITTEN.get(name, name))
        runs, env = run_many(searches, c.corpus, c.judged), Env(explain=False, runner=Runner(c.corpus, explain=False))
        found = []
        for run in runs.values():
            values = predictors_of_run(run, runs["bm25"], runs["vectors"], c, c.judged, env)
            found.append(outlook(Query("x"), dict.fromkeys(PREDICTORS), values, gains_of(run, c, c.judged)))
        for j, row in enumerate(table):
            taus = [float(x) for x in row[i].replace("−", "-").split("/")]
            assert taus == pytest.approx([x.predictors[j].tau for x in found], abs=0.006), (name, row[0])


@pytest.mark.nightly
@pytest.mark.parametrize(("lang", "name"), spread([("zh", "handbook"), ("en", "staff")], 1))
def test_the_guide_of_vector_store_shows_the_cosine_bands_of_a_sample(lang: str, name: str):
    heading = {"en": "### Cosine bands", "zh": "### 余弦的范围"}[lang]
    text = told("retrieve/vector_store", lang).partition(heading)[2].partition("\n### ")[0]
    bands = {
        corpus: [
            band_of(embedder, pairs_of(samples.load(corpus)), samples.load(corpus).corpus)
            for embedder in (BuiltIn(), LSA(), *packed("E5Small"))
        ]
        for corpus in {name, "devices", "handbook"}
    }

    def figures(*values: float) -> str:
        return " / ".join(f"{x:.2f}".replace("-", "−") for x in values)

    wanted = []
    for band in bands[name]:
        low, _, middle, _, high = quantiles(band.related)
        least, _, _, _, most = quantiles(band.unrelated)
        shares = " / ".join(f"{100 * share:.1f}%" for share in band.reached(0.6))
        wanted.append([figures(low, middle, high), figures(least, most), f"{100 * band.overlap:.1f}%", shares])
    assert [row[1:] for row in rows(text)[2 : 2 + len(wanted)]] == wanted
    assert [band.meaning(0.6) for band in bands[name]][1:] == ["related", "nothing"][: len(wanted) - 1]
    related = bands[name][0].reached(0.6)[0]
    assert related < 0.1, "hardly any related pair reaches 0.6 under the built-in model"
    pairs = pairs_of(samples.load(name))
    assert f"{len(pairs.related)} " in text
    assert f"{len(pairs.unrelated):,} " in text
    assert all(f" {100 * band.overlap:.1f}%" in text.partition("|\n\n")[2] for band in bands["devices"][2:])
    assert f" {bands['handbook'][1].missing} " in text


WATCHED = {
    "en": ("staff", ("HR policy", "Finance policy", "IT service desk")),
    "zh": ("handbook", ("人事制度", "财务制度", "IT 服务台")),
}


@pytest.mark.nightly
@pytest.mark.parametrize("lang", spread(WATCHED, 1))
def test_the_guide_of_vector_store_shows_what_a_graph_and_cells_find_on_a_sample(lang: str):
    guide = told("retrieve/vector_store", lang)
    table = rows(guide)
    name, sources = WATCHED[lang]
    sample = samples.load(name)
    index = structures_of(ExactVector(space="ip", scale="unit"), sample.corpus)
    cases = [case for query in sample.queries if (case := index.ask(query))]
    assert f"{len(index)} " in guide
    assert str(len(cases)) in guide
    points = {
        f"{word} {point.breadth}": point
        for kind, word in (("graph", "ef"), ("cells", "nprobe"))
        for point in curve(cases, kind, "none")
    }
    shown = [row for row in table if row[0] in points]
    assert len(shown) == 6
    for row in shown:
        point = points[row[0]]
        assert row[1:] == [f"{point.recall:.2f}", f"{100 * point.share:.0f}%"], row[0]
    for source in sources:
        where = json.dumps({"source": source}, ensure_ascii=False)
        filtered = [case for query in sample.queries if (case := index.ask(query, where))]
        left = {
            how: sum(len(case.outcome(case.walk(10, how), how).found) for case in filtered) / len(filtered)
            for how in ("search", "after")
        }
        compared = sum(len(case.walk(10, "search").compared()) for case in filtered) / len(filtered) / len(index)
        passing = len(filtered[0].allowed or ())
        expected = [source, str(passing), f"{left['search']:.0f}", f"{left['after']:.1f}", f"{100 * compared:.0f}%"]
        assert expected in table
    long = structures_of(ExactVector(space="ip", scale="by length"), sample.corpus)
    last = curve([case for query in sample.queries if (case := long.ask(query))], "graph", "none")[-1]
    (line,) = [line for line in guide.splitlines() if f"{100 * last.share:.0f}%" in line and str(last.breadth) in line]
    assert f"{last.recall:.2f}" in line
    assert next(reversed([p.recall for p in curve(cases, "graph", "none")])) == 1
