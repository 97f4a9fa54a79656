"""A detector that asks a language model for the words that give a person away (paper 000)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NamedTuple

from sfumato.detectors.chat.answers import KEY, Answer, read
from sfumato.detectors.chat.around import FROM_CHAT
from sfumato.detectors.chat.kinds import Kinds
from sfumato.detectors.chat.occurrences import Occurrences
from sfumato.detectors.chat.worth import is_small
from sfumato.detectors.rules import RuleDetector
from sfumato.document import Document, Span
from sfumato.errors import RecipeError
from sfumato.knowledge.grammar.sentences import Range
from sfumato.models.chat import Asking, Chat, Prompt, Spent
from sfumato.models.chat.asking import one_list
from sfumato.models.chat.windows import LEAST, estimated, room, windows

PROMPTS = Path(__file__).parents[1] / "prompts"
SCORE = 0.5
"""A model says no score. Firm enough to stand; where a deterministic detector found the same, its label wins."""
WORDY = 2
"""A list of all that stands in a text, with its quotes and commas, is so many times as long as the text at most."""
HALVINGS = 2
"""How often a window whose list broke off is asked about again in halves."""
_LEAST_ANSWER = 128


class _Place(NamedTuple):
    """A window: which document, and where in it."""

    document: int
    start: int
    end: int


class ChatDetector:
    """Asks a language model for strings of a text, and marks every occurrence of each."""

    paper: ClassVar[str | None] = "000"
    languages: ClassVar[frozenset[str] | None] = None
    needs_chat: ClassVar[bool] = True
    folder: ClassVar[Path] = PROMPTS
    file: ClassVar[str]
    """Which of the shipped prompts it asks with, and where they are."""

    def __init__(
        self,
        *,
        chat: Chat,
        prompt: str | Path | None = None,
        window: int | None = None,
        temperature: float | None = None,
        draw: int = 0,
    ) -> None:
        """``prompt``: a TOML file in the place of the shipped one; ``window``: tokens of text asked about at once.

        ``temperature``: in the place of the prompt's; ``draw``: which of several answers to the same question.
        """
        if isinstance(draw, bool) or not isinstance(draw, int) or draw < 0:
            raise RecipeError(f"draw is a number from 0; got {draw!r}")
        if temperature is not None and not 0 <= temperature <= 2:
            raise RecipeError(f"temperature is a number from 0 to 2; got {temperature!r}")
        if window is not None and (isinstance(window, bool) or not isinstance(window, int) or window < LEAST):
            raise RecipeError(f"window is a number of tokens from {LEAST}; got {window!r}")
        loaded = Prompt.load(prompt or self.folder / self.file, ("text",), own=self.folder)
        self._chat, self._loaded, self._wanted = chat, loaded, window
        self._asking = Asking(chat, loaded, _said, schema=one_list(KEY, {"type": "string"}), room=self._room)
        self._temperature, self._draw = temperature, draw
        self._rules = RuleDetector()
        self.prompt = loaded.name
        self.failed: dict[str, str] = {}
        """Documents of the last ``detect`` for which an answer is missing, and why."""

    @property
    def spent(self) -> Spent:
        """What it cost so far."""
        return self._asking.spent

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Where the strings stand that the model returned. What it left unanswered stands in ``failed``."""
        found: list[dict[str, None]] = [{} for _ in documents]
        self.failed = {}
        places = [
            place
            for at, document in enumerate(documents)
            for place in _places(at, document.text, self._wanted or self._most)
        ]
        for halving in range(HALVINGS + 1):
            halves: list[_Place] = []
            answers = self._answers(documents, places)
            for place, answer, why in zip(places, answers, self._asking.failures if places else (), strict=True):
                document = documents[place.document]
                if answer is None:
                    self.failed[document.id] = f"{self.prompt}: no readable answer ({why})"
                    continue
                found[place.document] |= dict.fromkeys(answer.strings)
                if answer.broke_off:
                    more = _halves(document.text, place) if halving < HALVINGS else []
                    halves += more
                    if not more:
                        self.failed[document.id] = f"{self.prompt}: a list that did not end"
            places = halves
        return [self._spans(document, strings) for document, strings in zip(documents, found, strict=True)]

    @cached_property
    def _most(self) -> int:
        """Tokens of an answer, and of a window, whose list may be as long as the window: half of what a prompt leaves.

        Not known before the first text: only then is a server asked how much it reads.
        """
        left = room(self._chat.context, estimated("x" * self._loaded.size), LEAST) + LEAST
        most = min(self._loaded.max_tokens, left // 2)
        if self._wanted is not None and self._wanted > most:
            raise RecipeError(f"window is at most {most} tokens with this model and prompt; got {self._wanted}")
        return most

    def _room(self, question: Mapping[str, str]) -> int:
        return min(self._most, max(_LEAST_ANSWER, WORDY * estimated(question["text"])))

    def _answers(self, documents: Sequence[Document], places: Sequence[_Place]) -> list[Answer | None]:
        """All places of all documents are asked about together."""
        questions = [{"text": documents[place.document].text[place.start : place.end]} for place in places]
        answers = self._asking.ask(questions, self._draw, temperature=self._temperature) if questions else []
        for answer in answers:
            self.spent.repaired += answer is not None and answer.repaired
            self.spent.ignored += 0 if answer is None else answer.ignored
        return answers

    def _spans(self, document: Document, strings: Iterable[str]) -> list[Span]:
        seen = Occurrences(document.text)
        ranges = {found for string in strings for found in self._found(seen, string)}
        if not ranges:
            return []
        kinds = Kinds(self._rules, document)
        source = f"{self.prompt}{FROM_CHAT}"
        parts = {_trimmed(document.text, *part) for start, end in ranges for part in kinds.parted(start, end)}
        told = [(start, end) for start, end in sorted(parts) if any(map(str.isalnum, document.text[start:end]))]
        return [Span(start, end, *kinds.of(start, end), SCORE, source) for start, end in told]

    def _found(self, seen: Occurrences, string: str) -> list[Range]:
        if is_small(string):
            self.spent.ignored += 1
            return []
        if found := seen.verbatim(string):
            return found
        if found := seen.folded(string):
            self.spent.folded += 1
        elif seen.holds(string):
            self.spent.ignored += 1
        else:
            self.spent.hallucinated += 1
        return found


def _trimmed(text: str, start: int, end: int) -> Range:
    said = text[start:end]
    return start + len(said) - len(said.lstrip()), end - len(said) + len(said.rstrip())


def _said(answer: str, question: Mapping[str, str]) -> Answer | None:
    return read(answer, question["text"])


def _places(at: int, text: str, window: int) -> list[_Place]:
    return [_Place(at, start, end) for start, end in windows(text, window) if not text[start:end].isspace()]


def _halves(text: str, place: _Place) -> list[_Place]:
    """A window in two or three, with overlap; one that is too small for that is asked about no more."""
    said = text[place.start : place.end]
    half = -(-estimated(said) * 5 // 8)
    if half < LEAST:
        return []
    return [_Place(place.document, place.start + start, place.start + end) for start, end in windows(said, half)]
