"""A language model that answers from a script."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lab.errors import ModelError
from lab.models.chat import Completion, Prompt, Shape, Stream, messages


@dataclass(frozen=True)
class ScriptedModel:
    """Answers written by hand: the first one whose words are all in the prompt.

    ``script`` are (words, answer) pairs; words are separated by ``&``, and no words (``""``) match every prompt.  An
    answer that is a `ModelError` is raised.  Its label says that it is a script, so that it is not taken for a model.
    Raises `ModelError` if no line matches.
    """

    script: tuple[tuple[str, str | ModelError], ...] = ()
    name: str = "script"

    @property
    def label(self) -> str:
        return f"{self.name} (written by hand)"

    def ask(self, prompt: Prompt, *, system: str = "", shape: Shape | None = None) -> Completion:
        prompt_text = "\n".join(m.text for m in messages(prompt, system))
        for words, answer in self.script:
            if all(word.strip() in prompt_text for word in words.split("&")):
                if isinstance(answer, ModelError):
                    raise answer
                return Completion(answer, self.label, seconds=0.0)
        raise ModelError(f"The script “{self.name}” has no answer for this prompt.", "Add a line.")

    def stream(self, prompt: Prompt, *, system: str = "") -> Stream:
        answer = self.ask(prompt, system=system)
        pieces = (answer.text[i : i + 8] for i in range(0, len(answer.text), 8))
        return Stream(pieces, lambda text, seconds: replace(answer, seconds=seconds))
