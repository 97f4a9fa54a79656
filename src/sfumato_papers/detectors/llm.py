"""Detectors that ask a language model for the strings that identify a person (Manzanares-Salor and Sánchez, 2025).

The model returns strings, not offsets. Post-processing finds every occurrence of each string in the text, drops strings
that nobody should mask, and takes labels from the rule-based detector.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import ClassVar, NamedTuple

from sfumato.detectors.base import SOURCE_SUFFIX, Reading
from sfumato.detectors.rules.detector import RuleDetector
from sfumato.document import Document, Identifier, Span, merge_spans
from sfumato.errors import RecipeError
from sfumato.lexicon.grammar import STOP_WORDS, TextRange, trim_range
from sfumato.lexicon.tokens import ALPHANUMERIC, lazy_pattern
from sfumato.llm.chat import Chat
from sfumato.llm.parse import parse_partial_strings
from sfumato.llm.prompt import Prompt, PromptRunner, list_schema
from sfumato.llm.usage import Usage
from sfumato.llm.windows import MIN_TEXT_TOKENS, estimate_tokens, split_windows, text_budget
from sfumato_papers.detectors import PROMPTS

ANSWER_KEY = "spans"
SCORE = 0.5
"""A model gives no score. This one passes the default threshold, and labels of other detectors win against it."""
MAX_ANSWER_RATIO = 2
"""A list of everything in a text, with quotes and commas, has at most this many times the tokens of the text."""
MIN_ANSWER_TOKENS = 128
MAX_HALVINGS = 2
"""How often a window whose list was cut off is asked about again in halves."""
REPEAT_LIMIT = 10
"""After this many repeated strings in a row the model repeats itself, and its list counts as complete."""
MAX_STRING_WORDS = 40
"""A longer string is a passage: a model that returns the text itself has not searched it."""
MAX_STRING_CHARACTERS = 400
MAX_TEXT_SHARE = 0.9
SHORT_TEXT_WORDS = 12
"""A text of at most this many words may be personal as a whole."""
MISC: tuple[str, Identifier] = ("MISC", "quasi")
"""Label and identifier of what the rules do not know."""

_LETTER = lazy_pattern(r"[A-Za-zÀ-ɏͰ-ԯ]")
_FUNCTION_WORDS = frozenset(word for words in STOP_WORDS.values() for word in words)
_MIN_CORE = 2
"""Up to this many letters, a string is searched for only with the marks around them: C of C++."""
_UNSPACED = lazy_pattern(
    r"[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff"
    r"\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Scripts without spaces between words or, like Korean, before a particle."""
_VARIANTS = {"'": "['’‘ʼ`´]", '"': '["“”„«»]', "-": "[-‐‑‒–—]"}
_VARIANTS |= {mark: variants for variants in list(_VARIANTS.values()) for mark in variants[1:-1]}


class _Window(NamedTuple):
    """A range of a document, by its index, that is asked about at once."""

    document: int
    start: int
    end: int


class ChatDetector:
    """Asks a language model for strings of a text, and marks every occurrence of each."""

    cite: ClassVar[str | None] = "manzanares2025"
    languages: ClassVar[frozenset[str] | None] = None
    reads: ClassVar[Reading] = "folded"
    needs_chat: ClassVar[bool] = True
    uses: ClassVar[tuple[str, ...]] = ("chat",)
    folder: ClassVar[Path] = PROMPTS
    file: ClassVar[str]
    """The prompt file in ``folder``."""

    def __init__(
        self,
        *,
        chat: Chat,
        prompt: str | Path | None = None,
        window: int | None = None,
        temperature: float | None = None,
        sample_index: int = 0,
        as_listed: bool = False,
    ) -> None:
        """``prompt``: a TOML file in the place of the shipped one; ``window``: tokens of text asked about at once.

        ``temperature``: in the place of the prompt's; ``sample_index``: which of several answers to the same question.
        ``as_listed``: every string of the list is masked, letter by letter and whole; else function words and passages
        are left out, other spellings are found as well, and the rules give labels and cut at direct identifiers.
        """
        if isinstance(sample_index, bool) or not isinstance(sample_index, int) or sample_index < 0:
            raise RecipeError(f"sample_index is a number from 0; got {sample_index!r}")
        if temperature is not None and not 0 <= temperature <= 2:
            raise RecipeError(f"temperature is a number from 0 to 2; got {temperature!r}")
        if window is not None and (isinstance(window, bool) or not isinstance(window, int) or window < MIN_TEXT_TOKENS):
            raise RecipeError(f"window is a number of tokens from {MIN_TEXT_TOKENS}; got {window!r}")
        self._chat, self._window = chat, window
        self._prompt = Prompt.load(prompt or self.folder / self.file, ("text",), shipped=self.folder)
        self._runner = PromptRunner(
            chat,
            self._prompt,
            lambda answer, question: parse_answer(answer, question["text"], as_listed=as_listed),
            schema=list_schema(ANSWER_KEY, {"type": "string"}),
            max_tokens=self._max_answer_tokens,
        )
        self._temperature, self._sample_index = temperature, sample_index
        self._as_listed = as_listed
        self._rules = RuleDetector()
        self.prompt = self._prompt.name
        self.failed: dict[str, str] = {}
        """Documents of the last ``detect`` without a complete answer, and why."""

    @property
    def usage(self) -> Usage:
        """Requests and tokens so far."""
        return self._runner.usage

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Spans of the strings that the model returned; ``failed`` has the documents without a complete answer."""
        strings: list[dict[str, None]] = [{} for _ in documents]
        self.failed = {}
        windows = [
            _Window(number, start, end)
            for number, document in enumerate(documents)
            for start, end in split_windows(document.text, self._window or self._max_tokens)
            if not document.text[start:end].isspace()
        ]
        for halving in range(MAX_HALVINGS + 1):
            halves: list[_Window] = []
            answers = self._ask(documents, windows)
            for window, answer, reason in zip(windows, answers, self._runner.failures if windows else (), strict=True):
                document = documents[window.document]
                if answer is None:
                    self.failed[document.id] = f"{self.prompt}: no readable answer ({reason})"
                    continue
                strings[window.document] |= dict.fromkeys(answer.strings)
                if answer.is_cut:
                    parts = _halve(document.text, window) if halving < MAX_HALVINGS else []
                    halves += parts
                    if not parts:
                        self.failed[document.id] = f"{self.prompt}: a list that did not end"
            windows = halves
        return [self._locate(document, answers) for document, answers in zip(documents, strings, strict=True)]

    @cached_property
    def _max_tokens(self) -> int:
        """Tokens of a window and of its answer, which may be as long: half of what the prompt leaves of the context.

        Computed with the first text, because a server may have to be asked for its context.
        """
        prompt_tokens = estimate_tokens("x" * self._prompt.size)
        left = text_budget(self._chat.context, prompt_tokens, MIN_TEXT_TOKENS) + MIN_TEXT_TOKENS
        max_tokens = min(self._prompt.max_tokens, left // 2)
        if self._window is not None and self._window > max_tokens:
            raise RecipeError(f"window is at most {max_tokens} tokens with this model and prompt; got {self._window}")
        return max_tokens

    def _max_answer_tokens(self, question: Mapping[str, str]) -> int:
        return min(self._max_tokens, max(MIN_ANSWER_TOKENS, MAX_ANSWER_RATIO * estimate_tokens(question["text"])))

    def _ask(self, documents: Sequence[Document], windows: Sequence[_Window]) -> list[ParsedAnswer | None]:
        """Ask about all windows of all documents at once."""
        questions = [{"text": documents[window.document].text[window.start : window.end]} for window in windows]
        answers = self._runner.ask(questions, self._sample_index, temperature=self._temperature) if questions else []
        for answer in answers:
            self.usage.repaired += answer is not None and answer.was_repaired
            self.usage.ignored += 0 if answer is None else answer.ignored
        return answers

    def _locate(self, document: Document, strings: Iterable[str]) -> list[Span]:
        text, index = document.text, TextIndex(document.text)
        ranges = {occurrence for string in strings for occurrence in self._find(index, string)}
        if not ranges:
            return []
        source = f"{self.prompt}{SOURCE_SUFFIX}"
        if self._as_listed:
            return [Span(start, end, *MISC, SCORE, source) for start, end in sorted(ranges)]
        labels = RuleLabels(self._rules, document)
        parts = {trim_range(text, *part) for start, end in ranges for part in labels.split(start, end)}
        return [
            Span(start, end, *labels.label(start, end), SCORE, source)
            for start, end in sorted(parts)
            if any(map(str.isalnum, text[start:end]))
        ]

    def _find(self, index: TextIndex, string: str) -> list[TextRange]:
        if not self._as_listed and is_insignificant(string):
            self.usage.ignored += 1
            return []
        if ranges := index.find_exact(string):
            return ranges
        if not self._as_listed and (ranges := index.find_folded(string)):
            self.usage.folded += 1
        elif index.contains(string):
            self.usage.ignored += 1
        else:
            self.usage.hallucinated += 1
        return ranges


def _halve(text: str, window: _Window) -> list[_Window]:
    """Two or three overlapping parts of a window; none of one that is too small for that."""
    part = text[window.start : window.end]
    half = -(-estimate_tokens(part) * 5 // 8)
    if half < MIN_TEXT_TOKENS:
        return []
    return [
        _Window(window.document, window.start + start, window.start + end) for start, end in split_windows(part, half)
    ]


class AllAttributes(ChatDetector):
    """A language model's list of every attribute of the person, not only names, with an example."""

    file = "all-attributes.toml"


class AllAttributesNoExample(ChatDetector):
    """As all-attributes, without the example: an ablation."""

    file = "all-attributes-no-example.toml"


class AllAttributesEntitiesOnly(ChatDetector):
    """As all-attributes, without the sentence that looks beyond names: an ablation."""

    file = "all-attributes-entities-only.toml"


class AllAttributesFirstOnly(ChatDetector):
    """As all-attributes, without the sentence on all places and variants: an ablation."""

    file = "all-attributes-first-only.toml"


class ManVsMachine(ChatDetector):
    """A language model's list of every token that can be connected to the person, without an example."""

    file = "man-vs-machine.toml"


class Sparks(ChatDetector):
    """A language model's list of eight described types of personal information, without an example."""

    file = "sparks.toml"


class Student(ChatDetector):
    """A language model's list of six types of personal information, with an example that holds only a link."""

    file = "student.toml"


# Post-processing of answers.


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """The usable strings of an answer about one window, each once, in the order of the answer."""

    strings: tuple[str, ...]
    is_cut: bool
    """Whether more strings might have followed."""
    was_repaired: bool
    """Whether the answer ended in the middle, for whatever reason."""
    ignored: int
    """How many passages were left out."""


def parse_answer(answer: str, text: str, *, as_listed: bool = False) -> ParsedAnswer | None:
    """The strings of an answer about a text; None for an unusable answer: unreadable, a refusal, or about another text.

    An empty list is usable. An answer is not usable when none of its strings is in the text, when it only repeats the
    text, or when it has more strings than the text has characters. ``as_listed``: passages are usable as well.
    """
    parsed = parse_partial_strings(answer, ANSWER_KEY)
    if parsed is None or len(parsed.items) > len(text):
        return None
    strings = list(dict.fromkeys(parsed.items))
    usable = tuple(string for string in strings if as_listed or not is_passage(string, text))
    index = TextIndex(text)
    if strings and not any(index.contains(string) or index.find_folded(string) for string in usable):
        return None
    first, last = parsed.items[:-REPEAT_LIMIT], parsed.items[-REPEAT_LIMIT:]
    repeats_itself = bool(first) and set(last) <= set(first)
    return ParsedAnswer(usable, parsed.cut and not repeats_itself, parsed.cut, len(strings) - len(usable))


def is_insignificant(string: str) -> bool:
    """Whether a string has only function words, is one letter, or has neither letter nor digit.

    Such strings occur everywhere, and masking them destroys the text. A function word in capitals ("IT", "US") may be
    a name.
    """
    words = ALPHANUMERIC.findall(string)
    if len(words) > 0 and all(len(word) == 1 for word in words):
        return _LETTER.fullmatch(string) is not None  # but not "C++" or "A.Q."
    return all(word.casefold() in _FUNCTION_WORDS and not word.isupper() for word in words)


def is_passage(string: str, text: str) -> bool:
    """Whether a string is too long for something mentioned in a text, or is nearly all of the text."""
    words = len(ALPHANUMERIC.findall(string))
    if len(string) > MAX_STRING_CHARACTERS or words > MAX_STRING_WORDS:
        return True
    return len(string) > MAX_TEXT_SHARE * len(text) and words > SHORT_TEXT_WORDS


class TextIndex:
    """Finds the occurrences of strings in one text, as whole words."""

    def __init__(self, text: str) -> None:
        self._text = text

    def find_exact(self, string: str) -> list[TextRange]:
        """Occurrences letter by letter, with the marks at the string's ends where the text has them too."""
        before, core, after = _split_marks(string)
        if not core:
            return []
        starts = (start for start in self._starts(core) if self._text.startswith(core, start))
        return self._whole_words(((start, start + len(core)) for start in starts), before, after)

    def find_folded(self, string: str) -> list[TextRange]:
        """Occurrences in any case, with any white space, quotes and hyphens."""
        before, core, after = _split_marks(string)
        first = ALPHANUMERIC.search(core)
        if first is None:
            return []
        is_unspaced = _UNSPACED.match(core) is not None
        starts = () if is_unspaced else self._folded_words.get(first[0].casefold(), ())
        if not (is_unspaced or starts):
            return []
        words = ("".join(_VARIANTS.get(letter) or re.escape(letter) for letter in word) for word in core.split())
        pattern = lazy_pattern(r"\s+".join(words), re.IGNORECASE)
        if is_unspaced:
            return self._whole_words((match.span() for match in pattern.finditer(self._text)), before, after)
        matches = (pattern.match(self._text, start) for start in starts)
        return self._whole_words((match.span() for match in matches if match is not None), before, after)

    def contains(self, string: str) -> bool:
        """Whether the string occurs at all, even inside a longer word."""
        return string.strip() in self._text

    def _starts(self, core: str) -> Iterator[int]:
        if _UNSPACED.match(core):
            start = self._text.find(core)
            while start >= 0:
                yield start
                start = self._text.find(core, start + 1)
            return
        first = ALPHANUMERIC.match(core)
        yield from self._words.get(first[0], ()) if first else ()

    def _whole_words(self, ranges: Iterator[TextRange], before: str, after: str) -> list[TextRange]:
        """The ranges that are whole words, extended by the marks before and after where the text has them."""
        text, whole = self._text, []
        for start, end in ranges:
            if self._is_inside_word(start) or self._is_inside_word(end):
                continue
            left = start - len(before) if before and text.endswith(before, 0, start) else start
            right = end + len(after) if after and text.startswith(after, end) else end
            if end - start > _MIN_CORE or (start - left, right - end) == (len(before), len(after)):
                whole.append((left, right))
        return whole

    def _is_inside_word(self, offset: int) -> bool:
        if not 0 < offset < len(self._text):
            return False
        left, right = self._text[offset - 1], self._text[offset]
        return left.isalnum() and right.isalnum() and not (_UNSPACED.match(left) or _UNSPACED.match(right))

    @cached_property
    def _words(self) -> Mapping[str, list[int]]:
        starts: dict[str, list[int]] = defaultdict(list)
        for word in ALPHANUMERIC.finditer(self._text):
            starts[word[0]].append(word.start())
        return starts

    @cached_property
    def _folded_words(self) -> Mapping[str, list[int]]:
        folded: dict[str, list[int]] = defaultdict(list)
        for word, starts in self._words.items():
            folded[word.casefold()] += starts
        return folded


def _split_marks(string: str) -> tuple[str, str, str]:
    """The marks before the first letter or digit, the core, and the marks after the last letter or digit."""
    words = list(ALPHANUMERIC.finditer(string))
    if not words:
        return string, "", ""
    start, end = words[0].start(), words[-1].end()
    return string[:start], string[start:end], string[end:]


class RuleLabels:
    """Labels for the ranges that a model returned, by what the rules find in the document."""

    def __init__(self, rules: RuleDetector, document: Document) -> None:
        (spans,) = rules.detect([document])
        self._spans: Sequence[Span] = merge_spans(spans)
        self._starts = [span.start for span in self._spans]
        self._ends = [span.end for span in self._spans]

    def split(self, start: int, end: int) -> list[TextRange]:
        """A range, cut where a direct identifier of the rules begins or ends in it.

        "Ida Quorvex (born 1950)" is a name and more; as one span, other mentions of the name would not be found.
        """
        direct = [span for span in self._overlapping(start, end) if span.identifier == "direct"]
        borders = [border for span in direct for border in (span.start, span.end) if start < border < end]
        return list(pairwise([start, *borders, end]))

    def label(self, start: int, end: int) -> tuple[str, Identifier]:
        """Label and identifier of the rules' spans that cover most of a range, at least half of it; else MISC."""
        shares: Counter[tuple[str, Identifier]] = Counter()
        for span in self._overlapping(start, end):
            shares[span.label, span.identifier or "quasi"] += min(span.end, end) - max(span.start, start)
        (label, share), *_ = shares.most_common(1) or [(MISC, 0)]
        return label if 2 * share >= end - start else MISC

    def _overlapping(self, start: int, end: int) -> Sequence[Span]:
        return self._spans[bisect_right(self._ends, start) : bisect_left(self._starts, end)]
