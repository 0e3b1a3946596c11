"""Everything that can go wrong, as one tree.  Each error says what happened and what to do next.

LabError
├── ParameterError        a knob outside its range
├── UnknownName           a name that nobody answers to (with the known ones)
├── CorpusError           a corpus that cannot be built or read
│   └── UploadError       one file, with its name, the place in it, and the remedy
├── EvaluationError       queries, judgments or runs that do not fit together
├── PipelineError         a pipeline file that cannot be read
├── PluginError           an operator from outside that cannot be used, or fails
├── ModelError            a model that cannot be loaded or does not answer
│   └── MissingExtra      an optional package is needed
└── QueryError            a question, filter or pattern that cannot be carried out
"""

from __future__ import annotations

from typing import TypeVar

from lab.words import Said

E = TypeVar("E", bound="LabError")


class LabError(Exception):
    """Base of all errors: ``message`` says what happened, ``remedy`` what to do next.

    Both are `Said`, so that the interface can translate them; ``str(error)`` joins them in English.  ``path`` is where
    in a specification it happened, field by field, where that is known.
    """

    path: tuple[str, ...] = ()

    def __init__(self, message: str, remedy: str = "") -> None:
        self.message = message if isinstance(message, Said) else Said(message)
        self.remedy = remedy if isinstance(remedy, Said) else Said(remedy)
        super().__init__(f"{message} {remedy}".strip())

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.remedy)


class ParameterError(LabError, ValueError):
    """A parameter outside its range; the message names the range."""


class UnknownName(LabError, LookupError):
    """A name that is not known here; the remedy lists the known ones."""


class CorpusError(LabError):
    """A corpus that cannot be built: no documents, repeated ids, a malformed line."""


class UploadError(CorpusError):
    """One uploaded file, or one place in it, that cannot be read."""


class EvaluationError(LabError):
    """Queries, judgments or runs that do not fit together."""


class PipelineError(LabError):
    """A pipeline specification that cannot be read or built."""


class PluginError(LabError):
    """An operator of a plug-in that cannot be used, or that failed; the message names both."""

    @property
    def plugin(self) -> str:
        """The name of the plug-in; empty if there is none of that name."""
        return str(self.message.values.get("plugin", ""))


class ModelError(LabError):
    """A model that cannot be loaded, reached or understood."""


class MissingExtra(ModelError):
    """A technique needs a package that is not installed."""

    def __init__(self, extra: str, package: str) -> None:
        self.extra, self.package = extra, package
        remedy = Said("Install it with: python -m pip install 'retrieval-lab[{extra}]'.", extra=extra)
        super().__init__(Said("The package {package} is required, but not installed.", package=package), remedy)

    def __reduce__(self) -> tuple[object, ...]:
        return MissingExtra, (self.extra, self.package)


def needs_pack(kind: type[E], name: str, pack: str) -> E:
    """Returns the error of a technique, an engine, a command or a setting whose pack is left out."""
    message = Said("“{name}” needs the pack “{pack}”, which this lab runs without.", name=name, pack=pack)
    return kind(message, Said("Install retrieval-lab with this pack."))


class QueryError(LabError):
    """A question, filter or pattern that cannot be carried out."""
