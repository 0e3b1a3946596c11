"""A language model that answers by a script: for tests, for demonstrations without a server."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lab.errors import ModelError
from lab.models.chat import Completion, Prompt, Shape, Stream, messages
from lab.words import Said


@dataclass(frozen=True)
class ScriptedModel:
    """Answers written by hand, for tests and lessons: the first whose words all stand in the prompt.

    ``script`` are (words, answer) pairs; words are separated by ``&``, and none (``""``) fit everything.  An
    answer that is a `ModelError` is raised.  It says of itself that it is a script: nobody should take it for a
    model.  Raises `ModelError` where no line fits.
    """

    script: tuple[tuple[str, str | ModelError], ...] = ()
    name: str = "script"

    @property
    def label(self) -> str:
        return Said("{name} (written by hand)", name=self.name)

    def ask(self, prompt: Prompt, *, system: str = "", shape: Shape | None = None) -> Completion:
        asked = "\n".join(m.text for m in messages(prompt, system))
        for words, answer in self.script:
            if all(word.strip() in asked for word in words.split("&")):
                if isinstance(answer, ModelError):
                    raise answer
                return Completion(answer, self.label, seconds=0.0)
        said = Said("The script “{name}” has no answer for this prompt.", name=self.name)
        raise ModelError(said, Said("Add a line, or use the rule."))

    def stream(self, prompt: Prompt, *, system: str = "") -> Stream:
        answer = self.ask(prompt, system=system)
        pieces = (answer.text[i : i + 8] for i in range(0, len(answer.text), 8))
        return Stream(pieces, lambda text, seconds: replace(answer, seconds=seconds))
