"""The interface of rewriters, the base class of those that ask a language model, and how its answers are accepted."""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil
from typing import ClassVar, Literal, Protocol, runtime_checkable

from sfumato.annotated_text import read_once
from sfumato.document import Document, Outcome, Release, Withheld
from sfumato.lexicon.grammar import TextRange
from sfumato.lexicon.tokens import WORD_CHARACTERS
from sfumato.llm.chat import Chat, ChatWrapper, Reply, Request
from sfumato.llm.parse import CUT, is_refusal, parse_rewrite
from sfumato.llm.prompt import Prompt, PromptRunner, Variables, fill_template
from sfumato.llm.usage import Usage
from sfumato.llm.windows import MIN_TEXT_TOKENS, estimate_tokens, join_pieces, split_pieces, text_budget

UNUSABLE = "no answer of the language model could be used as a rewrite ({})"
"""With the reason."""


@runtime_checkable
class Rewriter(Protocol):
    """Rewrites whole texts. The docstring's first line is its purpose in ``sfumato methods``.

    A class with ``uses = ("chat",)`` is given the run's Chat; its constructor's other parameters are options.
    """

    needs_chat: ClassVar[bool]

    @property
    def usage(self) -> Usage:
        """The usage of the language model so far."""
        ...

    def rewrite(self, documents: Sequence[Document]) -> list[Outcome]:
        """One outcome for each document, in order; the model is asked about all of them together."""
        ...


@runtime_checkable
class ReleaseRewriter(Protocol):
    """A rewriter of originals that has to know what was replaced in them."""

    def rewrite_releases(self, releases: Sequence[Release]) -> list[Outcome]:
        """As ``rewrite``, given each original with its edits."""
        ...


@runtime_checkable
class ChoosesText(Protocol):
    """A rewriter that says what it is given: the original text, or the release before it, which is the default."""

    reads: Literal["release", "original"]


@dataclass(frozen=True, slots=True)
class Draft:
    """A rewritten text, or why there is none. ``trail``: what was done, for the audit; never quotes the text."""

    text: str | None
    trail: tuple[str, ...] = ()
    reason: str = ""

    def after(self, first: Draft) -> Draft:
        """This draft, made of the first one."""
        return replace(self, trail=(*first.trail, *self.trail))


class TextRewriter(ABC):
    """A rewriter that needs nothing but text. A document too long for the model is rewritten in pieces."""

    needs_chat: ClassVar[bool] = True
    uses: ClassVar[tuple[str, ...]] = ("chat",)

    def __init__(self, max_tokens: int, *usages: Usage) -> None:
        """``max_tokens``: tokens of text in one request; ``usages``: of everything that asks the language model."""
        self._max_tokens, self._usages = max_tokens, usages

    @property
    def usage(self) -> Usage:
        """The usage of the language model so far."""
        return sum(self._usages, Usage())

    @abstractmethod
    def drafts(self, texts: Sequence[str]) -> list[Draft]:
        """One draft for each text; none is empty, and each fits the model."""

    def rewrite(self, documents: Sequence[Document]) -> list[Outcome]:
        """A rewritten release for each document; withheld where a piece of it could not be rewritten."""
        pieces = [(document, split_pieces(document.text, self._max_tokens)) for document in documents]
        texts = [document.text[start:end] for document, ranges in pieces for start, end in ranges]
        drafts = iter(self.drafts(texts))
        return [_outcome(document, ranges, [next(drafts) for _ in ranges]) for document, ranges in pieces]


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


class RejectTruncated(ChatWrapper):
    """A Chat where an answer truncated at ``max_tokens`` is a failure: half a text is not a rewrite of it."""

    def ask_unordered(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        for index, reply in super().ask_unordered(requests):
            yield index, replace(reply, failure=CUT) if reply.cut and not reply.failure else reply


# Token budgets

GROWTH = 1.25
"""How much longer than the text its rewrite may become."""
TALK_TOKENS = 200
"""Tokens for what a model writes besides the rewrite."""


def max_rewrite_tokens(question: Variables) -> int:
    """Tokens that the rewrite of a question's text may have."""
    return ceil(GROWTH * estimate_tokens(question["text"])) + TALK_TOKENS


def max_text_tokens(context: int | None, prompts: Sequence[Prompt], *, beside: int = 0) -> int:
    """Tokens of a text that fit with its rewrite into every prompt; ``beside``: tokens of other variables."""
    budgets = []
    for prompt in prompts:
        used = estimate_tokens("x" * prompt.size) + beside
        left = text_budget(context, used, TALK_TOKENS + MIN_TEXT_TOKENS) + MIN_TEXT_TOKENS
        budgets.append(int(min(left / (1 + GROWTH), (prompt.max_tokens - TALK_TOKENS) / GROWTH)))
    return max(MIN_TEXT_TOKENS, min(budgets))


# Parsing answers: what surrounds the text is taken off where there is one way to do so.

_FENCE_LINE = re.compile(r"=== ?(?:[0-9a-f]{12}|EXAMPLE)\s*")
_CODE_FENCE = re.compile(r"```\w*\s*\n(.*)\n\s*```", re.DOTALL)
_HEADING = re.compile(
    r"[*_#\s]*+(?=[^\n]*\b(?:texts?|version|rewrit\w+|paraphras\w+|anonymi[sz]\w+|redact\w+|saniti[sz]\w+|"
    r"de-?identif\w+|documents?|records?|notes?)\b)[^\n]{1,100}?:[*_ \t]*\n+",
    re.IGNORECASE,
)

RewriteParser = Callable[[str, Variables, Prompt], str | None]
"""The new text in an answer to a question with these variables; None where there is none."""


def rewrite_runner(chat: Chat, prompt: Prompt, parse: RewriteParser) -> PromptRunner[str]:
    """Asks for the rewrites of texts; half a rewrite is a failure."""

    def parse_answer(answer: str, question: Variables) -> str | None:
        return parse(answer, question, prompt)

    return PromptRunner(RejectTruncated(chat), prompt, parse_answer, max_tokens=max_rewrite_tokens)


def parse_after_mark(answer: str, question: Variables, prompt: Prompt) -> str | None:
    """The new text in an answer of a few words on the changes, a line with a single #, and the new text."""
    rewrite = parse_rewrite(_strip_code_fence(answer.strip()))
    return None if rewrite is None else parse_whole_answer(rewrite, question, prompt)


def parse_whole_answer(answer: str, question: Variables, prompt: Prompt) -> str | None:
    """The new text in an answer that is nothing else; None where it cannot be a rewrite."""
    original = question["text"]
    text = strip_wrapping(answer, original)
    # The fence's mark occurs in no document: an answer with it has copied the question.
    if fill_template("{fence}", question).removeprefix("=== ") in text:
        return None
    instructions = "\n".join([prompt.system, prompt.user, *(prompt.example or ())])
    return text if find_defect(original, text, instructions=instructions) is None else None


def strip_wrapping(answer: str, original: str) -> str:
    """The answer without a code fence around it, fences of the prompt, or a heading that the original lacks."""
    text = _strip_code_fence(answer.strip()) if "```" not in original else answer.strip()
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


def _strip_code_fence(text: str) -> str:
    fenced = _CODE_FENCE.fullmatch(text)
    return fenced[1].strip() if fenced else text


# Whether a text can be a rewrite of another

MIN_LENGTH_RATIO = 0.25
"""The least share of the original's characters."""
MAX_LENGTH_RATIO = 3.0
"""The most; in both directions plus ``LENGTH_SLACK`` characters, since a name may be most of a short text."""
LENGTH_SLACK = 120
ECHO_WORDS = 10
"""So many consecutive words of the instructions, which the original lacks, are an echo."""
MIN_SCRIPT_SHARE = 0.8
"""The least share of letters in the scripts of the original, for rewrites of ``MIN_LETTERS`` letters or more."""
MIN_LETTERS = 20

_JSON = re.compile(r"\s*[\[{]\s*[\[{\"]")


def find_defect(original: str, text: str, *, instructions: str = "") -> str | None:
    """Why a text cannot be a rewrite of the original; None where it can. Says nothing about privacy."""
    if not any(character.isalnum() for character in text):
        return "it is empty"
    if len(text) > MAX_LENGTH_RATIO * len(original) + LENGTH_SLACK:
        return "it is far longer than the original"
    shortest = MIN_LENGTH_RATIO * (len(original) + LENGTH_SLACK)
    if len(text) + LENGTH_SLACK < shortest and len(original) > LENGTH_SLACK:
        return "it is far shorter than the original"
    if is_refusal(text) and not is_refusal(original):
        return "it is a refusal"
    echoed = _word_runs(text) & _word_runs(instructions)
    if echoed and echoed - _word_runs(original):
        return "it repeats the instructions"
    if _JSON.match(text) and not _JSON.match(original):
        return "it is JSON"
    if _changes_script(original, text):
        return "it is in another script"
    return None


@read_once
def _word_runs(text: str) -> frozenset[tuple[str, ...]]:
    words = [word.casefold() for word in WORD_CHARACTERS.findall(text)]
    return frozenset(tuple(words[start : start + ECHO_WORDS]) for start in range(len(words) - ECHO_WORDS + 1))


def _changes_script(original: str, text: str) -> bool:
    before, after = (Counter(_script(letter) for letter in version if letter.isalpha()) for version in (original, text))
    if after.total() < MIN_LETTERS or not before:
        return False
    usual = {script for script, count in before.items() if count >= 0.05 * before.total()}
    return sum(count for script, count in after.items() if script in usual) < MIN_SCRIPT_SHARE * after.total()


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    """LATIN, CYRILLIC, CJK ..."""
    return unicodedata.name(letter, "?").partition(" ")[0]
