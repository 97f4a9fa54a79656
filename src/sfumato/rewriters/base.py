"""The contract of a rewriter, and the base of those that write a text piece by piece."""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil
from pathlib import Path
from typing import ClassVar, Literal, Protocol, runtime_checkable

from sfumato.document import LABELS, Document, Outcome, Release, Withheld
from sfumato.lexicon.grammar import TextRange
from sfumato.llm.chat import Chat, Reply, Request
from sfumato.llm.parse import CUT, MAX_LENGTH, is_refusal, parse_rewrite
from sfumato.llm.prompt import Prompt, fill_template
from sfumato.llm.usage import Usage
from sfumato.llm.windows import MIN_TEXT_TOKENS, estimate_tokens, join_pieces, split_pieces, text_budget
from sfumato.rewriters.check import mended

PROMPTS = Path(__file__).parent / "prompts"
UNUSABLE = "no answer of the language model could be used as a rewrite ({})"
"""With the reason."""


@runtime_checkable
class Rewriter(Protocol):
    """Writes whole texts anew. The docstring's first line is its purpose in ``sfumato methods``.

    A constructor that has a parameter ``chat`` is given the run's Chat; its other parameters are options.
    """

    needs_chat: ClassVar[bool]

    @property
    def usage(self) -> Usage:
        """What asking has cost so far."""
        ...

    def rewrite(self, documents: Sequence[Document]) -> list[Outcome]:
        """One outcome for each document, in order; what the model is asked about all of them is asked together."""
        ...


@dataclass(frozen=True, slots=True)
class Draft:
    """What became of a stretch of text: its new wording, or why there is none. ``trail`` never quotes the text."""

    text: str | None
    trail: tuple[str, ...] = ()
    reason: str = ""


class TextRewriter(ABC):
    """A rewriter that needs to see nothing but text. A document too long for the model is rewritten in pieces."""

    needs_chat: ClassVar[bool] = True
    uses: ClassVar[tuple[str, ...]] = ("chat",)

    def __init__(self, room: int) -> None:
        """``room``: tokens of text that the model can take at once."""
        self._room = room

    @property
    @abstractmethod
    def usage(self) -> Usage:
        """What asking has cost so far."""

    @abstractmethod
    def drafts(self, texts: Sequence[str]) -> list[Draft]:
        """One draft for each text; none is empty, and each fits the model."""

    def rewrite(self, documents: Sequence[Document]) -> list[Outcome]:
        """A rewritten release for each document; withheld where a piece of it could not be rewritten."""
        cut = [split_pieces(document.text, self._room) for document in documents]
        drafts = iter(
            self.drafts(
                [
                    document.text[start:end]
                    for document, ranges in zip(documents, cut, strict=True)
                    for start, end in ranges
                ]
            )
        )
        return [
            _outcome(document, ranges, [next(drafts) for _ in ranges])
            for document, ranges in zip(documents, cut, strict=True)
        ]


def _outcome(document: Document, ranges: Sequence[TextRange], drafts: Sequence[Draft]) -> Outcome:
    if not ranges:
        return Release.rewritten(document, document.text, ("nothing to rewrite",))
    texts, trail = list[str](), list[str]()
    for number, draft in enumerate(drafts, 1):
        where = f"piece {number} of {len(ranges)}: " if len(ranges) > 1 else ""
        if draft.text is None:
            return Withheld(document, f"{where}{draft.reason}")
        texts.append(draft.text.strip())
        trail += [f"{where}{reason}" for reason in draft.trail]
    return Release.rewritten(document, join_pieces(document.text, ranges, texts), tuple(dict.fromkeys(trail)))


# -- From replaced spans to a text written anew: what a rewriter is given, and which of its texts leave.


_OF_OFFSETS = ("marked", "identifiers")
"""What is known of a document by its offsets, which mean nothing in another text."""


class Rewriting:
    """A rewriter behind the floor: what detectors and replacers made of each document before."""

    def __init__(
        self,
        rewriter: Rewriter,
        reads: Literal["release", "original"],
        fallen: Callable[[Release, str], Outcome],
        foreign: Callable[[str], str | None],
    ) -> None:
        """``fallen``: what becomes of a document whose rewrite cannot be used, by the floor's release and the reason.

        ``foreign``: a text's language, where nobody could say what stands in it.
        """
        self._rewriter, self._reads, self._fallen, self._foreign = rewriter, reads, fallen, foreign

    def outcomes(self, given: Sequence[Outcome]) -> list[Outcome]:
        """The releases rewritten, in order; what is withheld stays so."""
        floors = [outcome for outcome in given if isinstance(outcome, Release)]
        if not floors:
            return list(given)
        made = self._rewriter.rewrite([self._shown(floor) for floor in floors])
        accepted = iter([self._accepted(floor, one) for floor, one in zip(floors, made, strict=True)])
        return [next(accepted) if isinstance(outcome, Release) else outcome for outcome in given]

    def _shown(self, floor: Release) -> Document:
        document = floor.document
        if self._reads == "original":
            return document
        meta = {key: value for key, value in document.meta.items() if key not in _OF_OFFSETS}
        return replace(document, text=floor.text, annotations=None, meta=meta)

    def _accepted(self, floor: Release, made: Outcome) -> Outcome:
        """A rewrite in which nothing that the floor hid stands again; else the floor's release, or none."""
        if isinstance(made, Withheld):
            return self._fallen(floor, made.reason)
        # A rewriter that has read the original has seen everything that the floor hides.
        every = LABELS if self._reads == "original" else ()
        checked = mended(floor.document, floor, made.text, every=every)
        if checked.left:
            return self._fallen(floor, f"the rewritten text still holds {checked.left} of what had to go")
        language = self._foreign(checked.text)
        if language is not None and self._foreign(floor.text) is None:
            return self._fallen(floor, f"the rewritten text is in a language no active detector covers ({language})")
        reasons = (*made.reasons, *([f"{checked.survivors} survivors replaced"] if checked.survivors else ()))
        written = Release.rewritten(floor.document, checked.text, reasons, floor)
        return replace(written, fallback_reason=floor.fallback_reason)


# -- Is this a rewrite of that text at all? A refusal, an echo or half a text is not.


SHORTEST = 0.25
"""The least share of the original's characters."""
LONGEST = 3.0
"""The most; and in both directions ``SLACK`` characters more, since a name may be most of a short text."""
SLACK = 120
ECHO = 10
"""So many words of the instructions in a row, which the original lacks, are an echo."""
SCRIPT = 0.8
"""The least share of letters in the scripts of the original, of a rewrite with at least ``LETTERS`` letters."""
LETTERS = 20

_WORD = re.compile(r"\w+")
_JSON = re.compile(r"\s*[\[{]\s*[\[{\"]")


def fault(original: str, text: str, *, instructions: str = "") -> str | None:
    """Why a text is no rewrite of the original; None where it may be one. Says nothing about privacy."""
    if not any(character.isalnum() for character in text):
        return "it is empty"
    if len(text) > LONGEST * len(original) + SLACK:
        return "it is far longer than the original"
    if len(text) + SLACK < SHORTEST * (len(original) + SLACK) and len(original) > SLACK:
        return "it is far shorter than the original"
    if is_refusal(text) and not is_refusal(original):
        return "it is a refusal"
    if _echoes(original, text, instructions):
        return "it repeats the instructions"
    if _JSON.match(text) and not _JSON.match(original):
        return "it is JSON"
    if _changes_script(original, text):
        return "it is in another script"
    return None


def _echoes(original: str, text: str, instructions: str) -> bool:
    runs = _runs(text) & _runs(instructions)
    return bool(runs - _runs(original)) if runs else False


@lru_cache(maxsize=8)
def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = [word.casefold() for word in _WORD.findall(text)]
    return frozenset(tuple(words[at : at + ECHO]) for at in range(len(words) - ECHO + 1))


def _changes_script(original: str, text: str) -> bool:
    before, after = _scripts(original), _scripts(text)
    if sum(after.values()) < LETTERS or not before:
        return False
    known = {script for script, count in before.items() if count >= 0.05 * before.total()}
    return sum(count for script, count in after.items() if script in known) < SCRIPT * after.total()


def _scripts(text: str) -> Counter[str]:
    """Letters by script: LATIN, CYRILLIC, CJK ..."""
    return Counter(_script(letter) for letter in text if letter.isalpha())


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    return unicodedata.name(letter, "?").partition(" ")[0]


# -- The text in an answer: what stands around it taken off where there is one way to do so, else not read at all.


_FENCE_LINE = re.compile(r"=== ?(?:[0-9a-f]{12}|EXAMPLE)\s*")
_CODE_FENCE = re.compile(r"```\w*\s*\n(.*)\n\s*```", re.DOTALL)
_HEADING = re.compile(
    r"[*_#\s]*(?=[^\n]*\b(?:texts?|version|rewrit\w+|paraphras\w+|anonymi[sz]\w+|redact\w+|saniti[sz]\w+|"
    r"de-?identif\w+|documents?|records?|notes?)\b)[^\n]{1,100}?:[*_ \t]*\n+",
    re.IGNORECASE,
)

Read = Callable[[str, Mapping[str, str]], str | None]


def whole_answer(prompt: Prompt) -> Read:
    """Reads an answer that is the new text and nothing else."""

    def read(answer: str, question: Mapping[str, str]) -> str | None:
        return _accepted(answer, question, prompt)

    return read


def after_mark(prompt: Prompt) -> Read:
    """Reads an answer of a few words on the changes, a line with a single #, and the new text."""

    def read(answer: str, question: Mapping[str, str]) -> str | None:
        if len(answer) > MAX_LENGTH:
            return None
        after = parse_rewrite(_out_of_code(answer.strip()))
        return None if after is None else _accepted(after, question, prompt)

    return read


def _accepted(answer: str, question: Mapping[str, str], prompt: Prompt) -> str | None:
    if len(answer) > MAX_LENGTH:
        return None
    original = question["text"]
    text = bare(answer, original)
    # The mark of the fence is no word of any text: what holds it has copied the question.
    if fill_template("{fence}", question).removeprefix("=== ") in text:
        return None
    told = "\n".join([prompt.system, prompt.user, *(prompt.example or ())])
    return text if fault(original, text, instructions=told) is None else None


def bare(answer: str, original: str) -> str:
    """The answer without a code fence around it, fences of the prompt, or a heading that the original lacks."""
    text = _out_of_code(answer.strip()) if "```" not in original else answer.strip()
    lines = text.split("\n")
    while lines and (_FENCE_LINE.fullmatch(lines[0]) or not lines[0].strip()):
        lines.pop(0)
    while lines and (_FENCE_LINE.fullmatch(lines[-1]) or not lines[-1].strip()):
        lines.pop()
    text = "\n".join(lines).strip()
    heading = _HEADING.match(text)
    if heading and heading.end() < len(text) and heading[0].strip() not in original:
        text = text[heading.end() :].strip()
    return text


def _out_of_code(text: str) -> str:
    fenced = _CODE_FENCE.fullmatch(text)
    return fenced[1].strip() if fenced else text


# -- How long a text a model can write anew at once, and how long its answer may become.


GROWTH = 1.25
"""How much longer than the text its rewrite may become."""
TALK = 200
"""Tokens for what a model says beside it."""


def max_rewrite_tokens(question: Mapping[str, str]) -> int:
    """Tokens that the rewrite of a question's text may have."""
    return ceil(GROWTH * estimate_tokens(question["text"])) + TALK


def max_text_tokens(context: int | None, prompts: Sequence[Prompt], *, beside: int = 0) -> int:
    """Tokens of a text that leave every prompt room for its rewrite; ``beside``: tokens of what else is asked."""
    return max(MIN_TEXT_TOKENS, min(_room(context, prompt, beside) for prompt in prompts))


def _room(context: int | None, prompt: Prompt, beside: int) -> int:
    left = text_budget(context, estimate_tokens("x" * prompt.size) + beside, TALK + MIN_TEXT_TOKENS)
    return int(min((left + MIN_TEXT_TOKENS) / (1 + GROWTH), (prompt.max_tokens - TALK) / GROWTH))


# -- A Chat whose answers are whole.


class RejectTruncated:
    """The same Chat; an answer that ended at ``max_tokens`` is a failure, since half a text is not a rewrite of it."""

    def __init__(self, chat: Chat) -> None:
        self._chat, self.name, self.context = chat, chat.name, chat.context

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply for each request, in order."""
        return [
            replace(reply, failure=CUT) if reply.cut and not reply.failure else reply
            for reply in self._chat.ask(requests)
        ]
