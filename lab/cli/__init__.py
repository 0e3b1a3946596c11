"""The command line: start the app, search a corpus, answer a question, write a run, evaluate, ablate, sweep, grow.

The commands run the same code as the pages, plug-ins included (``--plugin``).  An error in the input is one line on
stderr and exit status 2; Ctrl-C gives 130; a reader that closes the pipe (``| head``) is not an error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from lab import home, packs, plugins
from lab.cli.options import parser
from lab.cli.printing import say, say_sharing
from lab.errors import CorpusError, LabError, ParameterError, PluginError, needs_pack
from lab.words import Said

SHARE = "--share"


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status: 0, 1 for a value below its floor, 2 for wrong input.

    130 is Ctrl-C, 141 a closed pipe.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows ? instead
    try:
        files, words = _plugin_files(words)
        with plugins.adding_files(files):
            return _run(words)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Python flushes stdout once more at exit, which must not fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (LabError, OSError) as error:
        text = f"{error.filename}: {error.strerror}." if isinstance(error, OSError) and error.filename else str(error)
        say(" ".join(text.split()))
        return 2


def _run(words: Sequence[str]) -> int:
    """Start the app, or run a command.  An exception in a plug-in becomes an error that names it."""
    if plugins.file_names():
        from lab.models.endpoint import public

        if public():
            raise PluginError(plugins.FILES_REFUSED, Said("Leave out --plugin, and unset LAB_PLUGINS."))
    if not words or (words[0].startswith("-") and words[0] not in ("-h", "--help", "--version")):
        return start_app(words)
    pack = packs.COMMANDS.get(words[0], "")
    if pack and not packs.is_installed(pack):
        raise needs_pack(ParameterError, words[0], pack)
    options = parser().parse_args(words)
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
    """Returns the files of every --plugin, and the other words; words after -- are not options."""
    files, words_left, left = list[str](), list[str](), iter(words)
    for word in left:
        option, equals, file = word.partition("=")
        if option == "--plugin":
            files.append(file if equals else next(left, ""))
            if not files[-1] or files[-1].startswith("-"):
                raise ParameterError(Said("No file is named after --plugin."), Said("Write --plugin FILE.py."))
        else:
            words_left.append(word)
            if word == "--":
                words_left += left
    return files, words_left


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
