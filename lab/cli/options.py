"""The commands and their options."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from lab import __version__, packs
from lab.cli.asking import answer, duplicates, search, techniques
from lab.cli.measuring import ablate, evaluate, grow, judgments, run, sweep
from lab.cli.printing import PROGRAM
from lab.cli.searches import from_expression, from_file_or_preset

SEARCHES = """\
a search is a retriever, an expression, a preset or a TOML file:
  --retriever bm25    --retriever bm25:k1=0.9,b=0.4    --retriever vector:embedder=lsa
  --retriever "RRF()(BM25(), Vector()) >> MMR(k=8)"
  --pipeline best     --pipeline hybrid.toml
  --retriever "StripOperators() >> BM25() >> Operators()"   (as --operators)
a step that asks a language model (MultiQuery(model="chat")) uses the one set in the environment:
LAB_LLM_BASE_URL, LAB_LLM_KEY, LAB_LLM_MODEL, or OPENAI_BASE_URL and OPENAI_API_KEY
"""
READY = ("wordings", "parts", "background", "draft", "intent", "history", "adapted")
"""The ready prompts of `lab.answer.searched.presets`, which the help names without reading them."""
JUDGMENT_FORMATS = (
    "trec",
    "beir",
    "queries",
    "quepid",
    "quepid-json",
    "quepid-needs",
    "opensearch",
    "opensearch-queries",
)
"""The names of `lab.evaluate.exchange.WRITERS`, which the help names without reading them."""
CORPUS = "a sample corpus by name, a folder in the BEIR layout, a file, or ir_datasets:NAME"
PLUGINS = """\
techniques of your own, with the app and with every command:
  --plugin FILE.py    may be repeated; LAB_PLUGINS names such files, too
a retriever of your own: RETRIEVERS = {"mine": function} in such a file, then
  --plugin FILE.py --retriever external:name=mine
"""
EPILOG = f"""\
without a command, the app starts, for this machine only.  With --share, others in your
network can open it at the printed address.  Options such as --server.port 8600 are
passed to Streamlit.

{SEARCHES}
{PLUGINS}"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Prints one line; argparse would print the usage, too."""
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parser() -> argparse.ArgumentParser:
    plain = argparse.RawDescriptionHelpFormatter
    description = "See why a document is ranked where it is."
    parser = _Parser(prog=PROGRAM, description=description, epilog=EPILOG, formatter_class=plain)
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(
        title="commands",
        metavar="search | answer | run | evaluate | ablate | sweep | grow | index | duplicates | judgments | "
        "techniques",
        required=True,
    )

    def named(does: Callable[..., int | None], summary: str, epilog: str | None = None, corpus: str = "") -> Any:
        """Adds a command under its name, with the option for a corpus unless it is ``techniques``."""
        subparser = commands.add_parser(
            does.__name__, formatter_class=plain, help=summary, description=does.__doc__, epilog=epilog
        )
        subparser.set_defaults(command=does)
        if does is not techniques:
            text = CORPUS + (corpus and f" ({corpus})")
            subparser.add_argument(
                "--corpus", "--data", metavar="CORPUS", required=not corpus, default=corpus, help=text
            )
        return subparser.add_argument

    def command(does: Callable[..., int | None], summary: str, k: int = 100, corpus: str = "") -> Any:
        """Adds a command that searches, with the options that all of them have."""
        add = named(does, summary, f"{SEARCHES}\n{PLUGINS}", corpus)
        text = "read the corpus from this engine, by its name or by the folder that it was filled from (see index)"
        add("--engine", choices=packs.engines(), help=text)
        search_option = partial(add, action="append", dest="searches", default=[], metavar="SEARCH")
        search_option(
            "--pipeline", type=lambda text: (from_file_or_preset, text), help="a preset by name, or a TOML file"
        )
        search_option(
            "--retriever", type=lambda text: (from_expression, text), help="a retriever by name, or an expression"
        )
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
            if does is evaluate:
                text += "; Refused is the share of questions without an answer whose list is empty"
            add("--at-least", action="append", default=[], metavar="MEASURE=VALUE", help=text)
        if does in (ablate, sweep, grow):
            add("--measure", default="nDCG@10", help="an ir-measures name (nDCG@10)")
        if does not in (search, answer):
            add("--queries", default="queries.jsonl", metavar="FILE", help="the file of queries (queries.jsonl)")
            text = "only the first N judged questions" + (" or conversations" if does is evaluate else "")
            add("--limit", type=int, metavar="N", help=text)
        return add

    add = command(search, "search a corpus", k=10)
    add("query", help="what to search for")
    text = 'keep to "phrases", +must, -not, AND, OR, NOT, brackets and field:word in the query; else they are words'
    add("--operators", action="store_true", help=text)
    other = "another corpus for routes that name it, written like CORPUS; may be repeated"
    add("--other", action="append", default=[], metavar="CORPUS", help=other)
    text = "say where this passage is, by its id, its title or a sentence, and what would show it"
    add("--where-is", default="", metavar="PASSAGE", help=text)
    add = command(answer, "answer a question with its sources", k=50)
    add("query", help="the question")
    add("--other", action="append", default=[], metavar="CORPUS", help=other)
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
    text = "answer from the results, too: the share of questions answered, without and with an answer"
    add("--answers", action="store_true", help=text)
    add("--run", action="append", default=[], metavar="FILE", help="a TREC run from elsewhere; may be repeated")
    add("--conversations", action="store_true", help="evaluate conversations turn by turn")
    add("--shown", type=int, default=3, metavar="N", help="passages of each earlier turn that count as shown (3)")
    add("--measures", default="nDCG@10 RR@10 R@10 AP", help='ir-measures names ("nDCG@10 RR@10 R@10 AP")')
    text = "name of the search or run that the others are compared with (the first); --at-least does not apply to it"
    add("--baseline", metavar="NAME", help=text)
    add("--against", metavar="FILE", help="an earlier TREC run: list the questions lost and won since (see run)")
    text = 'exit with status 1 if a mean falls by more ("-0.01": any measure; "nDCG@10=-0.01"); may be repeated'
    add("--fail-below", action="append", default=[], metavar="[MEASURE=]DIFFERENCE", help=text)
    text = "exit with status 1 if a question falls by more in the first measure (-0.5)"
    add("--fail-query-below", metavar="DIFFERENCE", help=text)
    text = "exit with status 1 if a measure is significantly worse (both tests, Holm-corrected)"
    add("--fail-significant", action="store_true", help=text)
    text = "a report with --against in markdown, printed or written into FILE"
    add("--format", default="", metavar="markdown[=FILE]", help=text)
    add = command(ablate, "evaluate a search without each of its parts", corpus="devices")
    add = command(sweep, "evaluate many values of a parameter", corpus="devices")
    text = "a parameter by its path, with or without values (fuse.weights, refine.1.k=5,10,20); once or twice"
    add("--knob", action="append", default=[], metavar="PATH[=VALUES]", help=text)
    add("--seed", type=int, default=0, help="seed of the random split (0)")
    add = command(grow, "evaluate searches in a growing corpus")
    text = "a corpus whose passages are added, written like CORPUS; may be repeated (the other large samples)"
    add("--add", action="append", default=[], metavar="CORPUS", help=text)
    add("--sentences", action="store_true", help="add single sentences instead of whole passages")
    text = "numbers of passages, separated by commas (four, by equal factors)"
    add("--sizes", default="", metavar="NUMBERS", help=text)
    add("--seed", type=int, default=0, help="seed of the order in which passages are added (0)")
    for add_command in packs.loaded("commands"):
        add_command(commands, formatter_class=plain, epilog=PLUGINS)
    add = named(duplicates, "report near-duplicates")
    add("--cosine", type=float, default=0.9, metavar="COSINE", help="the least cosine of near-duplicates (0.9)")
    add("--json", action="store_true", help="print JSON")
    add = named(judgments, "write judgments for another tool")
    add("--from", dest="source", metavar="FILE", help="judgments to use in place of those of the corpus")
    add("--format", required=True, choices=JUDGMENT_FORMATS, metavar="FORMAT", help=", ".join(JUDGMENT_FORMATS))
    add("--output", default="-", metavar="FILE", help="file for the judgments (- for the standard output)")
    add("--all", action="store_true", help="questions without judgments, too")
    add = named(techniques, "list techniques and their parameters", PLUGINS)
    add("names", nargs="*", metavar="NAME", help="a technique by any name, such as BM25, mmr or EnsembleRetriever")
    add("--json", action="store_true", help="print JSON")
    return parser
