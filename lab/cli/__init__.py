"""The command line: start the app, search a corpus, answer a question, write a run, evaluate, ablate, sweep searches.

The same code as the pages, plug-ins included (``--plugin``).  What is wrong with the input is one line on stderr and
exit status 2; Ctrl-C gives 130; a reader that goes away (``| head``) is no error.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

from lab import __version__, home, plugins
from lab.algebra import Corpus, Models, Operator, Progress, Query, Ranking, Searcher, at_least
from lab.cli.printing import (
    PROGRAM,
    Figures,
    bar,
    head,
    print_ablation,
    print_evaluation,
    print_json,
    print_ranking,
    print_sweep,
    print_table,
    say,
    say_problems,
    say_sharing,
    say_unknown,
    show,
)
from lab.errors import CorpusError, LabError, ParameterError, PipelineError, PluginError
from lab.words import Said

O = TypeVar("O", bound=Operator)  # noqa: E741 - the O of Operator

if TYPE_CHECKING:
    from lab.corpus.beir import Collection
    from lab.corpus.conversations import Conversation
    from lab.evaluate.sweeping import Axis
    from lab.models.chat import LanguageModel

SEARCHES = """\
a search is a retriever, an expression, a preset or a TOML file:
  --retriever bm25    --retriever bm25:k1=0.9,b=0.4    --retriever vector:embedder=lsa
  --retriever "RRF()(BM25(), Vector()) >> MMR(k=8)"
  --pipeline best     --pipeline hybrid.toml
  --retriever "StripOperators() >> BM25() >> Operators()"   (as --operators, 100 results deep)
a step that asks a language model (MultiQuery(model="chat")) uses the one set in the environment:
LAB_LLM_BASE_URL, LAB_LLM_KEY, LAB_LLM_MODEL, or OPENAI_BASE_URL and OPENAI_API_KEY
"""
ENGINES = ("milvus",)
READY = ("wordings", "parts", "background", "draft", "intent", "history", "adapted")
"""The ready prompts of `lab.answer.searched.presets`, which the help names without reading them."""
SHARE = "--share"
LONGEST_NAME = 1000
"""Characters of an expression that names a search."""
PLUGINS = """\
techniques of your own, with the app and with every command:
  --plugin FILE.py    may be repeated; LAB_PLUGINS names such files, too
"""
EPILOG = f"""\
without a command, the app starts, for this machine only.  With --share, others in your
network can open it at the printed address.  Options such as --server.port 8600 are
passed to Streamlit.

{SEARCHES}
{PLUGINS}"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and give its exit status: 0, 1 for a floor that was missed, 2 for wrong input.

    130 is Ctrl-C, 141 a closed pipe.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows ?, and nothing breaks
    try:
        files, words = _plugin_files(words)
        with plugins.adding_files(files):
            return _run(words)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Python flushes stdout once more at the end: give it a place where nothing breaks
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (LabError, OSError) as error:
        say(" ".join(str(error).split()))
        return 2


def _run(words: Sequence[str]) -> int:
    """Start the app, or run a command.  What a plug-in raises becomes an error that names it."""
    if plugins.file_names():
        from lab.models.endpoint import public

        if public():
            raise PluginError(plugins.FILES_REFUSED, Said("Leave out --plugin, and unset LAB_PLUGINS."))
    if not words or (words[0].startswith("-") and words[0] not in ("-h", "--help", "--version")):
        return start_app(words)
    options = _parser().parse_args(words)
    from lab import catalog

    for problem in catalog.plugins().problems:
        say(str(problem))
    try:
        status: int = options.command(options) or 0
    except BrokenPipeError:
        raise
    except Exception as error:
        if (failure := catalog.name_plugin(error)) is error:
            raise
        raise failure from error
    sys.stdout.flush()
    return status


def _plugin_files(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The files of every --plugin, and the other words; those after -- are no options."""
    files, others, left = list[str](), list[str](), iter(words)
    for word in left:
        option, equals, file = word.partition("=")
        if option == "--plugin":
            files.append(file if equals else next(left, ""))
            if not files[-1] or files[-1].startswith("-"):
                raise ParameterError(Said("No file is named after --plugin."), Said("Write --plugin FILE.py."))
        else:
            others.append(word)
            if word == "--":
                others += left
    return files, others


# ------------------------------------------------- commands: their docstrings are what ``--help`` says of them


def start_app(options: Sequence[str]) -> int:
    """Start the app, from any folder; ``options`` are Streamlit's, but for ``--share``."""
    script = home.root() / "app.py"
    if not script.is_file():
        missing = Said("The app's files are missing ({path}).", path=str(script))
        raise CorpusError(missing, Said("Reinstall retrieval-lab."))
    from lab.ui.launch import start

    if SHARE not in options:
        return start(script, options)
    if any(option.startswith("--server.address") for option in options):
        both = Said("--share listens at all addresses of this machine, --server.address at one.")
        raise ParameterError(both, Said("Give one of the two."))
    return start(script, [option for option in options if option != SHARE], share=say_sharing)


def search(options: argparse.Namespace) -> None:
    """Searches one question and prints the list of documents.

    Routes can lead to other corpora: to sample corpora by name, and to those given with --other. The route that was
    taken, and the reason for a fallback, are printed on the standard error.
    """
    from lab.algebra import Runner
    from lab.explain.decisions import decisions

    corpus = _collection(options.corpus, engine=options.engine).corpus
    name, searcher = _one_search(options, "bm25")
    _check_fields(options.where, corpus)
    others = _others(searcher, options.other)
    if options.operators:
        searcher = _keeping_to_operators(searcher, options.query, corpus)
    runner = Runner(corpus, others=others, models=_models(searcher), progress=bar(name))
    ranking = runner(searcher, options.query, options.k)
    for said in decisions(ranking):
        say(said)
    _say_tested(ranking)
    _say_given(ranking)
    if options.json:
        print_json({"search": name, **ranking.to_dict()})
    elif not ranking.hits and options.where.strip():
        sys.stderr.write(f"No passage of {corpus.name} matches “{options.query}” and the condition.\n")
    elif not ranking.hits:
        sys.stderr.write(f"Nothing in {corpus.name} matches “{options.query}”.\n")
    else:
        print_ranking(ranking)


def _keeping_to_operators(searcher: Searcher, question: str, corpus: Corpus) -> Searcher:
    """The search that keeps to the operators of the question; how they were read is printed on the standard error."""
    from lab.refine.boolean import ONLY_EXCLUDES, parse
    from lab.refine.operators import field_names
    from lab.rewrite.operators import DEPTH, with_operators

    asked = parse(question, field_names(corpus))
    if asked.only_excludes:
        raise ParameterError(ONLY_EXCLUDES)
    for told in (asked.reading, *asked.remarks):
        if told:
            say(told)
    if asked.signs and len(corpus) > DEPTH:
        say(f"results of each list that are filtered: {DEPTH:,}")
    return with_operators(searcher)


def answer(options: argparse.Namespace) -> int:
    """Answers one question with sentences quoted from the passages, with footnotes.

    The exit status is 3 if the passages do not answer; the reason and the nearest sentence are printed on the standard
    error. With --model, the language model set in the environment answers, and a citation rule adds the footnotes.
    """
    from lab.algebra import Runner
    from lab.answer.again import AskAgain
    from lab.answer.answered import answer as answered
    from lab.answer.answered import of_model
    from lab.answer.citations import CitationRule
    from lab.answer.context import Context
    from lab.answer.extract import Extractive
    from lab.answer.model import ModelAnswer
    from lab.answer.searched import Searched, presets
    from lab.models.chat import whole
    from lab.models.endpoint_chat import from_environment
    from lab.text import language_of

    options.searches = options.searches or [(_named, "best")]
    name, searcher = _one_search(options)
    context, rule = _made(options.context, Context), _made(options.cite, CitationRule)  # type: ignore[type-abstract]
    corpus, others = _collection(options.corpus, engine=options.engine).corpus, _others(searcher, options.other)
    _check_fields(options.where, corpus)
    runner = Runner(corpus, others=others, models=_models(searcher), progress=bar(name))
    made = answered(
        runner,
        searcher,
        options.query,
        again=AskAgain(rounds=options.rounds),
        k=options.k,
        context=context,
        rule=rule,
        extract=_made(options.extract, Extractive),
    )
    did = Searched.of(runner(searcher, options.query, options.k))
    ready = presets()[options.ready].template[language_of(options.query)] if options.ready else ""
    request = ModelAnswer(template=ready).request(options.query, made.passages, did)
    if options.prompt:
        print(request.text)
        return 0
    if options.model:
        model = from_environment()
        if model is None:
            missing = Said("No language model is set in the environment variables.")
            raise ParameterError(missing, Said("Set LAB_LLM_BASE_URL and LAB_LLM_MODEL, or leave out --model."))
        told = whole(model.ask(request.text)).text
        made = of_model(told, options.query, made.passages, rule, corpus, by=model.label)
    if options.json:
        print_json({"search": name, **made.to_dict()})
    elif made.says:
        print(made.to_markdown(), end="")
    if made.says:
        return 0
    say(" ".join(str(made.reason).split()))
    for i, sentence in enumerate(made.sentences[:1]):
        place = next(iter(made.sources(i)), None)
        where = f" ({made.passages[place.passage].id})" if place else ""
        say(f"the nearest sentence, which is no answer{where}: {' '.join(sentence.split())}")
    return 3


def run(options: argparse.Namespace) -> None:
    """Searches every question of a corpus and writes a TREC run."""
    from lab.evaluate import runs, trec

    name, searcher = _one_search(options)
    collection, asked = _asked(options)
    start = time.perf_counter()
    made = runs.run_many(
        {name: searcher}, collection.corpus, asked, k=options.k, models=_models(searcher), progress=bar(name)
    )[name]
    say_problems(made)
    trec.write_trec(made, sys.stdout if options.output == "-" else options.output)
    lines = sum(map(len, made.results.values()))
    seconds = time.perf_counter() - start
    sys.stderr.write(f"{name}: {len(made)} queries, {lines} lines, {seconds:.1f} s, {options.output}\n")


def evaluate(options: argparse.Namespace) -> int:
    """Evaluates searches or runs on a corpus with judgments and compares them with the baseline.

    With --conversations, the turns of conversations are searched instead, each with the passages that the search has
    shown before, and the first measure is reported per turn. Conversations are in conversations.jsonl, their judgments
    in qrels/conversations.tsv. Or --queries names a file with ids like those of TREC CAsT (2021_106_3, 2022_149_3-1),
    judged in qrels/test.tsv: the conversation is the id up to its second underscore. If ids name branches (3-1), a
    second row reports these separately.
    """
    from lab import catalog
    from lab.algebra import Runner
    from lab.evaluate import experiments, trec
    from lab.evaluate.measures import measures_in

    floors = _floors(options)
    measures = tuple(dict.fromkeys([*measures_in(options.measures), *floors]))
    searches: dict[str, experiments.System] = {**_searches(options)}
    if not searches and not options.run:
        remedy = Said("Give --pipeline, --retriever or --run at least once.")
        raise ParameterError(Said("No search was given to evaluate."), remedy)
    models = _models(*(s for s in searches.values() if isinstance(s, Searcher)))
    for file in options.run:
        searches[Path(file).name] = trec.read_trec(file, name=Path(file).name)
    meant = catalog.plain(options.baseline or next(iter(searches)))
    named = next((name for name in searches if catalog.plain(name) == meant), options.baseline)
    baseline = experiments.chosen(searches, named)
    talk = _talk(options) if options.conversations else None
    collection, asked = (talk.collection, talk.collection.judged) if talk else _asked(options, judged=True)
    ready, runner = dict[str, float](), Runner(collection.corpus, models=models, explain=False)
    for name, searcher in searches.items():
        if isinstance(searcher, Searcher):
            start = time.perf_counter()
            runner(searcher, asked[0], options.k)
            ready[name] = time.perf_counter() - start
    progress = bar(", ".join(searches))
    systems = _held(talk, searches, options, models, progress) if talk else searches
    made = experiments.evaluate(
        systems,
        collection,
        measures,
        baseline=baseline,
        limit=len(asked),
        k=options.k,
        models=models,
        progress=progress,
    )
    for note in made.notes:
        say(note)
    found = {**head(collection, asked), **made.to_dict(), "baseline": baseline}
    for row in found["searches"]:
        row["ready_seconds"] = ready.get(row["name"])
    if talk:
        found |= {"conversations": len(talk.groupings[""]), "shown": options.shown, "measure": measures[0]}
        for row in found["searches"]:
            row["depths"] = talk.depths(row["name"], made.scores[row["name"]], measures[0])
    show(options, [Figures(found, made.table, made.per_query)], print_evaluation)
    reached = {name: made.scores[name].means for name in systems if not options.baseline or name != baseline}
    return _missed(floors, reached)


_APART = ", branches apart"


class _Talk(NamedTuple):
    """Conversations to be held: their turns as a collection; the groupings by what a search's name ends with then."""

    collection: Collection
    groupings: dict[str, tuple[Conversation, ...]]

    def depths(self, name: str, scores: Any, measure: str) -> list[dict[str, Any]]:
        """A measure by the depth of the turn, ready for JSON."""
        from lab.evaluate.conversations import by_depth

        apart = _APART in self.groupings and name.endswith(_APART)
        return [asdict(d) for d in by_depth(scores, self.groupings[_APART if apart else ""], measure)]


def _talk(options: argparse.Namespace) -> _Talk:
    """The conversations of the collection, or those that the ids of --queries name; the first --limit of them."""
    from lab.corpus.conversations import by_ids

    if options.limit is not None:
        at_least("limit", options.limit, 1)
    named = options.queries != "queries.jsonl"
    collection = _collection(options.corpus, queries=options.queries)
    whole = (by_ids(collection.queries) if named else collection.conversations)[: options.limit]
    if not whole:
        remedy = Said("Give a corpus with conversations.jsonl, or --queries with a file whose ids name conversations.")
        raise CorpusError(Said("{name} has no conversations.", name=options.corpus), remedy)
    spoken = collection if named else collection.spoken
    spoken = replace(spoken, queries=tuple(turn for one in whole for turn in one))
    if not spoken.judged:
        remedy = Said("Add qrels/{file}.", file="test.tsv" if named else "conversations.tsv")
        raise CorpusError(Said("{name} has no judgments.", name=collection.name), remedy)
    say_unknown(spoken)
    apart = by_ids(spoken.queries, apart=True) if named else whole
    return _Talk(spoken, {"": whole} if apart == whole else {"": whole, _APART: apart})


def _held(
    talk: _Talk, searches: Mapping[str, Any], options: argparse.Namespace, models: Models, progress: Progress | None
) -> dict[str, Any]:
    """The runs of every grouping, by the names of the searches; runs from elsewhere as they are."""
    from lab.evaluate.conversations import run_many

    own = {name: search for name, search in searches.items() if isinstance(search, Searcher)}
    corpus = talk.collection.corpus
    shown, k = options.shown, options.k
    runs = {
        end: run_many(own, corpus, talks, shown=shown, k=k, models=models, progress=progress)
        for end, talks in talk.groupings.items()
    }
    return {
        name + end: runs[end][name] if name in own else search
        for name, search in searches.items()
        for end in (talk.groupings if name in own else ("",))
    }


def ablate(options: argparse.Namespace) -> int:
    """Evaluates a search as a whole, without each of its parts, and with each part alone."""
    floors, searches = _floor(options), _some_searches(options)
    collection, asked = _asked(options, judged=True)
    made = [_ablated(options, name, searcher, collection, asked) for name, searcher in searches.items()]
    show(options, made, print_ablation)
    return _missed(floors, {f.found["search"]: {options.measure: f.found["value"]} for f in made})


def _ablated(
    options: argparse.Namespace, name: str, searcher: Searcher, collection: Collection, asked: Sequence[Query]
) -> Figures:
    import pandas as pd

    from lab.evaluate import ablation

    made = ablation.ablate(
        searcher,
        collection.corpus,
        asked,
        collection.qrels,
        measure=options.measure,
        k=options.k,
        models=_models(searcher),
        progress=bar(name),
    )
    if made.unwritten:
        say(f"{len(made.unwritten)} of {made.queries} questions were not rewritten")

    def each() -> Any:
        runs = {"": made.scores, **{v.cut.run: v.scores for v in made.variants}}
        told = ((of, scores.per_query[options.measure]) for of, scores in runs.items())
        rows = [(of or name, q, options.measure, value) for of, values in told for q, value in values.items()]
        return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])

    found = {**head(collection, asked), "search": name, **made.to_dict()}
    return Figures(found, lambda: pd.DataFrame(found["variants"]), each)


def sweep(options: argparse.Namespace) -> int:
    """Evaluates a search for many values of one or two parameters.

    The best value is chosen on one half of the questions and reported on the other. Without --knob, lists the
    parameters that can be swept, with the values to try. --at-least applies to the current value.
    """
    from lab.evaluate import sweeping

    floors, searches = _floor(options), _some_searches(options)
    if not options.knob:
        for name, searcher in searches.items():
            known = sweeping.knobs(searcher).values()
            rows = [(a.path, a.label, str(a.current), " ".join(map(str, a.values))) for a in known]
            if len(searches) > 1:
                print(f"{name}:")
            print_table([("knob", "", "now", "values"), *rows], left=4)
        return 0
    axes = {
        name: [
            sweeping.axis(searcher, path.strip(), values if equals else None)
            for path, equals, values in (text.partition("=") for text in options.knob)
        ]
        for name, searcher in searches.items()
    }
    collection, asked = _asked(options, judged=True)
    made = [_swept(options, name, searches[name], axes[name], collection, asked) for name in searches]
    show(options, [figures for figures, _ in made], print_sweep)
    return _missed(floors, {figures.found["search"]: {options.measure: now} for figures, now in made})


def _swept(
    options: argparse.Namespace,
    name: str,
    searcher: Searcher,
    axes: Sequence[Axis],
    collection: Collection,
    asked: Sequence[Query],
) -> tuple[Figures, float]:
    """The figures of a sweep, and the measure of the present setting."""
    import pandas as pd

    from lab.evaluate import sweeping

    made = sweeping.sweep(
        searcher,
        collection,
        axes,
        measure=options.measure,
        limit=options.limit,
        k=options.k,
        models=_models(searcher),
        progress=bar(name),
    )
    found = {**head(collection, asked), "search": name, **made.to_dict(options.seed)}

    def table() -> Any:
        paths = [a.path for a in axes]
        rows = [(*p.values, made.mean(p), *(made.bounds(p) or (None, None)), p.ms) for p in made.points]
        return pd.DataFrame(rows, columns=[*paths, options.measure, "low", "high", "ms median"])

    def each() -> Any:
        told = ((p.values, p.scores.per_query[options.measure]) for p in made.points)
        rows = [(*values, q, value) for values, own in told for q, value in own.items()]
        return pd.DataFrame(rows, columns=[*(a.path for a in axes), "qid", options.measure])

    return Figures(found, table, each), made.mean(made.now)


def index(options: argparse.Namespace) -> None:
    """Writes a folder or a .jsonl file into an engine, in which search and evaluate find it by name.

    Memory stays bounded for any size: the file is read twice, a block at a time. A fill that was killed resumes where
    it stopped, without duplicates. LAB_MILVUS_URI names the engine.
    """
    from lab import engine
    from lab.retrieve.lexical import BM25
    from lab.retrieve.milvus import MilvusVector

    def made(text: str, kind: type[O]) -> O | None:
        return None if text == "none" else _made(text, kind)

    start = time.perf_counter()
    filled = engine.fill(
        options.corpus,
        name=options.name,
        bm25=made(options.bm25, BM25),
        vector=made(options.vectors, MilvusVector),
        replace=options.replace,
        progress=bar(options.name or str(options.corpus)),
    )
    told = {"name": filled.name, "passages": filled.passages, "seconds": round(time.perf_counter() - start, 1)}
    if options.json:
        print_json(told)
    else:
        print(f"{filled.name}: {filled.passages} passages in {options.engine}, {told['seconds']} s")


def techniques(options: argparse.Namespace) -> None:
    """Lists the techniques, each in a sentence; for the given names, every parameter with default and range."""
    from lab import catalog

    known = catalog.operators()
    chosen = [catalog.among(known, "technique", name) for name in options.names] or list(known.values())
    heads = [{"name": c.__name__, "title": catalog.title(c), "about": c.about} for c in chosen]
    if options.json:
        more = [{"knobs": catalog.told(c)} if options.names else {} for c in chosen]
        print_json({"techniques": [head | own for head, own in zip(heads, more, strict=True)]})
    elif not options.names:
        print_table([list(head.values()) for head in heads], left=3)
    else:
        for cls in chosen:
            print(f"{catalog.title(cls)}: {cls.about}\n" if cls.about else f"{catalog.title(cls)}\n")
            knobs = catalog.told(cls)
            rows = [[f"  {k['name']}", k["default"], k["range"], f"{k['label']}. {k['help']}"] for k in knobs]
            print_table(rows or [["  no knobs"]], left=4)
            print()


# ----------------------------------------------------------------------------------------------- options


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, where argparse would print the usage as well."""
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def _parser() -> argparse.ArgumentParser:
    plain = argparse.RawDescriptionHelpFormatter
    said = "See why a document is ranked where it is."
    parser = _Parser(prog=PROGRAM, description=said, epilog=EPILOG, formatter_class=plain)
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(
        title="commands",
        metavar="search | answer | run | evaluate | ablate | sweep | index | techniques",
        required=True,
    )

    def command(does: Callable[..., int | None], what: str, k: int = 100, corpus: str = "") -> Any:
        """A command with what all of them take."""
        made = commands.add_parser(
            does.__name__, formatter_class=plain, help=what, description=does.__doc__, epilog=f"{SEARCHES}\n{PLUGINS}"
        )
        made.set_defaults(command=does)
        add = made.add_argument
        text = "a sample corpus by name, a folder in the BEIR layout, a file, or ir_datasets:NAME" + (
            corpus and f" ({corpus})"
        )
        add("--corpus", "--data", metavar="CORPUS", required=not corpus, default=corpus, help=text)
        text = "read the corpus from this engine, by its name or by the folder that it was filled from (see index)"
        add("--engine", choices=ENGINES, help=text)
        search_option = partial(add, action="append", dest="searches", default=[], metavar="SEARCH")
        search_option("--pipeline", type=lambda text: (_named, text), help="a preset by name, or a TOML file")
        search_option("--retriever", type=lambda text: (_told, text), help="a retriever by name, or an expression")
        text = "a parameter, such as k1=0.9 or analyzer.mode=bigram; rows=@FILE takes the lines of a file"
        add("--param", action="append", default=[], metavar="NAME=VALUE", help=text)
        text = 'keep passages whose metadata fits, such as "views > 1000 and category in (HR, IT)"'
        add("--where", default="", metavar="CONDITION", help=text)
        add("-k", type=int, default=k, help=f"number of results ({k})")
        if does is not run:
            add("--json", action="store_true", help="print JSON")
        if does not in (run, search, answer):
            add("--csv", action="store_true", help="print CSV")
            add("--per-query", action="store_true", help="print the figures of each question, too (CSV: only these)")
        if does in (evaluate, ablate, sweep):
            text = 'exit with status 1 if the measure is lower ("nDCG@10=0.75"); may be repeated'
            add("--at-least", action="append", default=[], metavar="MEASURE=VALUE", help=text)
        if does not in (search, answer):
            add("--queries", default="queries.jsonl", metavar="FILE", help="the file of queries (queries.jsonl)")
            text = "only the first N judged questions" + (" or conversations" if does is evaluate else "")
            add("--limit", type=int, metavar="N", help=text)
        return add

    add = command(search, "search a corpus", k=10)
    add("query", help="what to search for")
    text = 'keep to "phrases", +must, -not, AND, OR, NOT, brackets and field:word in the query; else they are words'
    add("--operators", action="store_true", help=text)
    text = "another corpus for routes that name it, written like CORPUS; may be repeated"
    add("--other", action="append", default=[], metavar="CORPUS", help=text)
    add = command(answer, "answer a question with its sources", k=50)
    add("query", help="the question")
    add("--other", action="append", default=[], metavar="CORPUS", help=text)
    add("--context", default="Context()", metavar="CONTEXT", help='the context: "Context(budget=1000, most=5)"')
    add("--extract", default="Extractive()", metavar="ANSWER", help='the answer: "Extractive(at_most=1)"')
    add("--cite", default="BestSentence()", metavar="RULE", help='the citation rule: "RAGFlowCitations(threshold=0.5)"')
    add(
        "--rounds",
        type=int,
        default=1,
        metavar="N",
        help="search again for missing words of the question, at most N rounds (1)",
    )
    add("--model", action="store_true", help="let the language model set in the environment answer")
    add("--prompt", action="store_true", help="print the prompt without calling a model")
    add(
        "--ready",
        default="",
        choices=READY,
        metavar="NAME",
        help=f"a ready prompt that tells the model what the search did: {', '.join(READY)}",
    )
    add = command(run, "write a TREC run")
    add("--output", required=True, metavar="FILE", help="file for the run (- for the standard output)")
    add = command(evaluate, "measure searches")
    add("--run", action="append", default=[], metavar="FILE", help="a TREC run from elsewhere; may be repeated")
    add("--conversations", action="store_true", help="evaluate conversations turn by turn")
    add("--shown", type=int, default=3, metavar="N", help="passages of each earlier turn that count as shown (3)")
    add("--measures", default="nDCG@10 RR@10 R@10 AP", help='ir-measures names ("nDCG@10 RR@10 R@10 AP")')
    text = "name of the search or run that the others are compared with (the first); --at-least does not apply to it"
    add("--baseline", metavar="NAME", help=text)
    add = command(ablate, "evaluate a search without each of its parts", corpus="devices")
    add("--measure", default="nDCG@10", help="an ir-measures name (nDCG@10)")
    add = command(sweep, "evaluate many values of a parameter", corpus="devices")
    add("--measure", default="nDCG@10", help="an ir-measures name (nDCG@10)")
    text = "a parameter by its path, with or without values (fuse.weights, refine.1.k=5,10,20); once or twice"
    add("--knob", action="append", default=[], metavar="PATH[=VALUES]", help=text)
    add("--seed", type=int, default=0, help="seed of the random split (0)")
    made = commands.add_parser(
        "index", formatter_class=plain, help="write a corpus into an engine", description=index.__doc__, epilog=PLUGINS
    )
    made.set_defaults(command=index)
    add = made.add_argument
    add("--corpus", "--data", metavar="CORPUS", required=True, help="a folder in the BEIR layout, or a .jsonl file")
    add("--engine", choices=ENGINES, default=ENGINES[0], help="the engine (milvus)")
    add("--name", default="", help="name of the collection (the folder's name)")
    add("--bm25", default="BM25()", metavar="SEARCH", help='the BM25 whose weights are stored: "BM25(k1=0.9)", or none')
    text = "the vectors that are stored: \"MilvusVector(kind='IVF_FLAT')\", or none"
    add("--vectors", default="MilvusVector()", metavar="SEARCH", help=text)
    add("--replace", action="store_true", help="delete the collection that has this name")
    add("--json", action="store_true", help="print JSON")
    made = commands.add_parser(
        "techniques",
        formatter_class=plain,
        help="list techniques and their parameters",
        description=techniques.__doc__,
        epilog=PLUGINS,
    )
    made.set_defaults(command=techniques)
    made.add_argument("names", nargs="*", metavar="NAME", help="a technique, such as BM25 or mmr")
    made.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _one_search(options: argparse.Namespace, default: str = "") -> tuple[str, Searcher]:
    """The one search that is given, with its name."""
    options.searches = options.searches or ([(_told, default)] if default else [])
    if len(options.searches) != 1:
        said = Said("Searches given: {n}; exactly one is required.", n=len(options.searches))
        raise ParameterError(said, Said("Give --pipeline or --retriever exactly once."))
    return next(iter(_searches(options).items()))


def _some_searches(options: argparse.Namespace) -> dict[str, Searcher]:
    """The searches that are given, one at least."""
    if not options.searches:
        raise ParameterError(Said("No search is given."), Said("Give --pipeline or --retriever at least once."))
    return _searches(options)


def _searches(options: argparse.Namespace) -> dict[str, Searcher]:
    """The searches by their names; each takes of the parameters those that it has, and every one must be somebody's."""
    from lab import catalog
    from lab.reading.names import Names

    given = dict(_parameter(p) for p in options.param)
    names, made = Names(pattern="{} ({})"), dict[str, Searcher]()
    alone, left = len(options.searches) == 1, set(given)
    for load, text in options.searches:
        name, searcher = load(text)
        knobs = catalog.knobs(type(searcher))
        own = {n: v for n, v in given.items() if alone or n.partition(".")[0] in knobs}
        if own:
            searcher = catalog.make(type(searcher), {**catalog.changed(searcher), **own})
            name = _written(searcher) if load is _told else f"{name}, {', '.join(f'{n}={v}' for n, v in own.items())}"
        left -= own.keys()
        made[names.fresh(name)] = searcher
    if left:
        raise ParameterError(
            Said("None of these searches has a parameter “{name}”.", name=min(left)), Said("Check the name.")
        )
    return _filtered(made, options.where) if options.where.strip() else made


def _parameter(text: str) -> tuple[str, Any]:
    """A parameter as ``name=value``; ``name=@FILE`` is the lines of a file, for a parameter that is a list of lines."""
    from lab import catalog
    from lab.reading.encodings import decode

    name, value = catalog.assignment(text)
    if not value.startswith("@"):
        return name, value
    decoded = decode(Path(value[1:]).read_bytes())
    if decoded is None:
        raise ParameterError(Said("“{file}” is not a text file.", file=value[1:]), Said("Give a text file."))
    return name, decoded.text.splitlines()


def _filtered(searches: Mapping[str, Searcher], condition: str) -> dict[str, Searcher]:
    """The same searches, whose last step keeps the passages that fit a condition."""
    from lab.refine.where import Where

    stage = Where(condition)
    return {f"{name}, where {stage.condition}": searcher >> stage for name, searcher in searches.items()}


def _check_fields(condition: str, corpus: Corpus) -> None:
    """Raises `ParameterError` if a condition names a field that no document of the corpus has."""
    from lab.corpus.fields import field_name
    from lab.corpus.statistics import fields_of
    from lab.refine.conditions import comparisons, parse

    if not condition.strip():
        return
    known = [field.name for field in fields_of(corpus)]
    for test in comparisons(parse(condition)):
        if field_name(corpus, test.field) not in known:
            missing = Said("No document of {corpus} has a field “{field}”.", corpus=corpus.name, field=test.field)
            raise ParameterError(missing, Said("Its fields: {names}.", names=", ".join(sorted(known)) or "–"))


def _say_tested(ranking: Ranking) -> None:
    """What each comparison of a condition has removed, and how days with two readings were read."""
    from lab.refine.where import Checked

    for step in ranking.lineage():
        if not isinstance(tested := step.evidence, Checked):
            continue
        say(f"{len(step.dropped)} of {len(step.dropped) + len(step.hits)} passages removed by --where")
        if len(tested.comparisons) > 1:
            for i, test in enumerate(tested.comparisons):
                say(f"  {test}: fails for {tested.failed(i)}, undecided for {tested.undecided(i)}")
        for remark in tested.remarks:
            say(remark)


def _say_given(ranking: Ranking) -> None:
    """What of a given list was left out, or why there is nothing in it."""
    from lab.retrieve.given import Supplied

    for step in ranking.lineage():
        if isinstance(given := step.evidence, Supplied) and (told := given.note if given.used else given.reason):
            say(told)


def _made(text: str, kind: type[O]) -> O:
    """A part of an answer from an expression."""
    from lab import formats

    made = formats.build(text)
    if not isinstance(made, kind):
        said = Said("“{text}” is not a {kind}.", text=text[:80], kind=kind.__name__)
        raise ParameterError(said, Said("“retrieval-lab techniques” lists them."))
    return made


def _models(*searches: Searcher) -> dict[str, LanguageModel]:
    """What these searches ask, by the names that they know it under: the language model of the environment, if any.

    What a search cannot do with that is told on the standard error.
    """
    from lab import catalog
    from lab.explain.notes import notes
    from lab.models.endpoint_chat import from_environment

    asking = [x for search in searches for x in catalog.inside(search) if "model" in x.needs]
    names = list(dict.fromkeys(str(getattr(x, "model", "")) for x in asking))
    model = from_environment() if names else None
    models: dict[str, LanguageModel] = {} if model is None else dict.fromkeys(names, model)
    for note in dict.fromkeys(note for search in searches for note in notes(search, models)):
        say(note)
    return models


def _told(text: str) -> tuple[str, Searcher]:
    """A retriever by its name, or an expression."""
    from lab import catalog, formats

    searcher = formats.parse(text) if "(" in text else catalog.from_text(catalog.retrievers, text)
    return _written(searcher), searcher


def _named(text: str) -> tuple[str, Searcher]:
    """The search in a file (with a ``/`` in its path, or one that ends in .toml), else a preset."""
    from lab import formats, presets

    if "/" not in text and os.sep not in text and not text.endswith(".toml"):
        return text, presets.find(text)
    try:
        searcher = formats.from_toml(Path(text).expanduser().read_text("utf-8-sig"))
    except UnicodeDecodeError:
        raise PipelineError(Said("{file} is not UTF-8.", file=text), Said("Save the file as UTF-8.")) from None
    except LabError as error:
        raise PipelineError(Said("{path}: {what}", path=text, what=error.message), error.remedy) from error
    return getattr(searcher, "name", "") or Path(text).stem, searcher


def _written(searcher: Searcher) -> str:
    """A search as an expression; a bare name needs no brackets."""
    from lab import formats

    text = formats.expression(searcher)
    if len(text) > LONGEST_NAME:  # the rows of a whole run, for instance
        return str(searcher.label)
    return text.removesuffix("()") if text.count("(") == 1 else text


def _collection(name: str, *, engine: str | None = None, **options: Any) -> Collection:
    """A sample corpus by its name, a collection of ir_datasets by its own, else what stands at this path.

    Of an ``engine`` the collection with this name, or the one of this folder, whose questions are read.
    """
    from lab.corpus import beir, datasets, samples

    if engine or name.startswith("milvus:"):
        from lab.engine import open_corpus

        name = name.removeprefix("milvus:")

        folder = Path(name).expanduser()
        if folder.is_dir():
            return open_corpus(folder.resolve().name, folder=folder, queries=options.get("queries", "queries.jsonl"))
        return open_corpus(name)

    if name.startswith(datasets.PREFIX):
        own = name.removeprefix(datasets.PREFIX)
        if options.get("queries", "queries.jsonl") != "queries.jsonl":
            said = Said("The questions of {name} are its own.", name=own)
            raise ParameterError(said, Said("Leave out --queries."))
        return _told_of(datasets.load(own, progress=bar(own)))
    sample = name in samples.every_name()
    if not sample and not Path(name).expanduser().exists():
        known = Said("Sample corpora are: {names}.", names=", ".join(samples.every_name()) or "none")
        raise CorpusError(Said("There is no sample corpus, folder or file “{name}”.", name=name), known)
    return _told_of(beir.load(samples.folder(name) if sample else name, **options))


def _others(searcher: Searcher, given: Sequence[str]) -> dict[str, Corpus]:
    """The corpora that routes may lead to, by name: those that are given, and the samples that the search names."""
    from lab import formats
    from lab.corpus import samples

    own = {corpus.name: corpus for corpus in (_collection(place).corpus for place in given)}
    named = [name for name in formats.collections([searcher]) if name in samples.every_name() and name not in own]
    return own | {name: samples.load(name).corpus for name in named}


def _told_of(collection: Collection) -> Collection:
    """The collection, when what could not be read of it has been said."""
    for problem in collection.problems:
        say(problem)
    return collection


def _asked(options: argparse.Namespace, *, judged: bool = False) -> tuple[Collection, tuple[Query, ...]]:
    """The collection and its questions: the judged ones where they must be, or where only some are asked."""
    if options.limit is not None:
        at_least("limit", options.limit, 1)
    collection = _collection(options.corpus, queries=options.queries, engine=options.engine)
    if not collection.queries:
        remedy = Said("Give a folder with queries.jsonl.")
        raise CorpusError(Said("{name} has no queries.", name=options.corpus), remedy)
    if judged and not collection.judged:
        remedy = Said("Add qrels/test.tsv, or choose another collection.")
        raise CorpusError(Said("{name} has no judgments.", name=collection.name), remedy)
    say_unknown(collection)
    _check_fields(options.where, collection.corpus)
    some = judged or (options.limit is not None and collection.judged)
    return collection, (collection.judged if some else collection.queries)[: options.limit]


def _floors(options: argparse.Namespace) -> dict[str, float]:
    """What has to be reached, by measure."""
    from lab.evaluate.measures import measure
    from lab.text.quantities.numbers import read_decimal

    floors = dict[str, float]()
    for text in options.at_least:
        name, _, value = text.rpartition("=")
        floor = read_decimal(value.strip())
        if floor is None:
            said = Said("“{text}” is not a minimum.", text=text)
            raise ParameterError(said, Said("Write it as measure=value, for instance nDCG@10=0.75."))
        floors[name.strip()] = floor
        measure(name.strip())
    return floors


def _floor(options: argparse.Namespace) -> dict[str, float]:
    """What has to be reached where one measure is reckoned, which is checked."""
    from lab.evaluate.measures import measure

    measure(options.measure)
    floors = _floors(options)
    if floors.keys() - {options.measure}:
        said = Said(
            "The minimum is for {floor}, but {measure} was measured.", floor=min(floors), measure=options.measure
        )
        raise ParameterError(said, Said("Name the same measure."))
    return floors


def _missed(floors: Mapping[str, float], reached: Mapping[str, Mapping[str, float]]) -> int:
    """The exit status: 1 where something is below its floor, which is said."""
    low = [(n, m, own[m], floor) for n, own in reached.items() for m, floor in floors.items() if own[m] < floor]
    for name, m, value, floor in low:
        say(f"{name}: {m} is {value:.4f}, below {floor:g}")
    return int(bool(low))


# ------------------------------------------------------------------------------------------------ output
