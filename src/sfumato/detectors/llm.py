"""A detector that asks a language model for the words that give a person away (Manzanares-Salor and Sánchez, 2025)."""

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

from sfumato.detectors.rules.detector import RuleDetector
from sfumato.document import Document, Identifier, Span, merge_spans
from sfumato.errors import RecipeError
from sfumato.lexicon.grammar import STOP_WORDS, TextRange
from sfumato.llm.chat import Chat
from sfumato.llm.parse import parse_partial_strings
from sfumato.llm.prompt import Prompt, PromptRunner, list_schema
from sfumato.llm.usage import Usage
from sfumato.llm.windows import MIN_TEXT_TOKENS, estimate_tokens, split_windows, text_budget

# -- Where the strings that a model returned stand in a text: every occurrence, but not inside a longer word.


_RUN = re.compile(r"[^\W_]+")
_SHORT = 2
"""Up to so many letters, what is left of a string without its marks is not looked for alone: C of C++."""
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff"
    r"\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Scripts that put no space between words, or, like Korean, none before a particle."""
_ALIKE = {"'": "['’‘ʼ`´]", '"': '["“”„«»]', "-": "[-‐‑‒–—]"}
_ALIKE |= {mark: kinds for kinds in list(_ALIKE.values()) for mark in kinds[1:-1]}


class Occurrences:
    """One text, read once, in which strings are looked for."""

    def __init__(self, text: str) -> None:
        self._text = text

    def verbatim(self, string: str) -> list[TextRange]:
        """Where a string stands letter by letter, with the marks at its ends where these stand there too."""
        before, core, after = _apart(string)
        if not core:
            return []
        found = (at for at in self._starts(core) if self._text.startswith(core, at))
        return self._bordered(((at, at + len(core)) for at in found), before, after)

    def folded(self, string: str) -> list[TextRange]:
        """The same, whatever the case, the white space and the shape of quotes and hyphens."""
        before, core, after = _apart(string)
        first = _RUN.search(core)
        if first is None:
            return []
        is_unspaced = _UNSPACED.match(core) is not None
        starts = () if is_unspaced else self._folded_words.get(first[0].casefold(), ())
        if not (is_unspaced or starts):
            return []
        pattern = re.compile(r"\s+".join(_loosely(word) for word in core.split()), re.IGNORECASE)
        if is_unspaced:
            return self._bordered((hit.span() for hit in pattern.finditer(self._text)), before, after)
        hits = (pattern.match(self._text, at) for at in starts)
        return self._bordered((hit.span() for hit in hits if hit is not None), before, after)

    def holds(self, string: str) -> bool:
        """Whether it stands there at all, be it inside a longer word."""
        return string.strip() in self._text

    def _starts(self, core: str) -> Iterator[int]:
        if _UNSPACED.match(core):
            at = self._text.find(core)
            while at >= 0:
                yield at
                at = self._text.find(core, at + 1)
            return
        first = _RUN.match(core)
        yield from self._words.get(first[0], ()) if first else ()

    def _bordered(self, hits: Iterator[TextRange], before: str, after: str) -> list[TextRange]:
        """The hits that are whole words, each with the string's own marks where it has them."""
        text, found = self._text, []
        for start, end in hits:
            if self._is_inside(start) or self._is_inside(end):
                continue
            left = start - len(before) if before and text.endswith(before, 0, start) else start
            right = end + len(after) if after and text.startswith(after, end) else end
            if end - start > _SHORT or (start - left, right - end) == (len(before), len(after)):
                found.append((left, right))
        return found

    def _is_inside(self, at: int) -> bool:
        """Whether the letters on both sides of a place are of one word."""
        if not 0 < at < len(self._text):
            return False
        left, right = self._text[at - 1], self._text[at]
        return left.isalnum() and right.isalnum() and not (_UNSPACED.match(left) or _UNSPACED.match(right))

    @cached_property
    def _words(self) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for word in _RUN.finditer(self._text):
            found[word[0]].append(word.start())
        return found

    @cached_property
    def _folded_words(self) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for word, starts in self._words.items():
            found[word.casefold()] += starts
        return found


def _apart(string: str) -> tuple[str, str, str]:
    """A string's marks before its first letter or digit, what follows, and the marks after the last one."""
    runs = list(_RUN.finditer(string))
    if not runs:
        return string, "", ""
    start, end = runs[0].start(), runs[-1].end()
    return string[:start], string[start:end], string[end:]


def _loosely(word: str) -> str:
    return "".join(_ALIKE.get(letter) or re.escape(letter) for letter in word)


# -- What kind of thing a model's span is: by the rules, which need no model; what they do not know is MISC.


MISC = "MISC"
"""The kind of all else. No hierarchy takes it for more than it is, and every replacer has at least its label for it."""


class Kinds:
    """The rules' own findings in a document, as kinds for spans that come without one."""

    def __init__(self, rules: RuleDetector, document: Document) -> None:
        (found,) = rules.detect([document])
        self._spans: Sequence[Span] = merge_spans(found)
        self._starts = [span.start for span in self._spans]
        self._ends = [span.end for span in self._spans]

    def parted(self, start: int, end: int) -> list[TextRange]:
        """A range, cut where a direct identifier that the rules know begins or ends in it.

        "Ida Quorvex (born 1950)" is a name and more; as one thing, it would not be known again as a name.
        """
        near = self._spans[bisect_right(self._ends, start) : bisect_left(self._starts, end)]
        inner = [border for span in near if span.identifier == "direct" for border in (span.start, span.end)]
        borders = [start, *(border for border in inner if start < border < end), end]
        return list(pairwise(borders))

    def of(self, start: int, end: int) -> tuple[str, Identifier]:
        """The label under which the rules have most of a range, at least half of it, and its identifier; else MISC."""
        shares: Counter[tuple[str, Identifier]] = Counter()
        for span in self._spans[bisect_right(self._ends, start) : bisect_left(self._starts, end)]:
            shares[span.label, span.identifier or "quasi"] += min(span.end, end) - max(span.start, start)
        (kind, share), *_ = shares.most_common(1) or [((MISC, "quasi"), 0)]
        return kind if 2 * share >= end - start else (MISC, "quasi")


# -- Strings that a model returned and nobody should mask: small words alone, and whole passages.


MOST_WORDS = 40
"""A string of more words is a passage: a model that returns the text itself has not looked for anything in it."""
MOST_CHARACTERS = 400
_FEW_WORDS = 12
"""A text of so few words may be all personal."""
_MOST = 0.9
_WORD = re.compile(r"[^\W_]+")
_SMALL = frozenset(word for words in STOP_WORDS.values() for word in words)
_LETTER = re.compile(r"[A-Za-zÀ-ɏͰ-ԯ]")


def is_small(string: str) -> bool:
    """Whether a string has only small words of grammar, or is one letter, or has neither letter nor digit.

    Masked wherever they stand, they take the text with them. In capitals ("IT", "US") a small word may be a name.
    """
    words = _WORD.findall(string)
    if len(words) > 0 and all(len(word) == 1 for word in words):
        return _LETTER.fullmatch(string) is not None  # but not "C++" or "A.Q."
    return all(word.casefold() in _SMALL and not word.isupper() for word in words)


def is_passage(string: str, text: str) -> bool:
    """Whether a string is too long for something that stands in a text, or is nearly all of it."""
    if len(string) > MOST_CHARACTERS or len(_WORD.findall(string)) > MOST_WORDS:
        return True
    return len(string) > _MOST * len(text) and len(_WORD.findall(string)) > _FEW_WORDS


# -- What a model's answer about one window says: the strings of it that can be used, or that it is no answer.


KEY = "spans"
CIRCLE = 10
"""So many strings in a row that were said before: the model goes in circles, and has said what it had to say."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Strings, each once, in the order of the answer."""

    strings: tuple[str, ...]
    broke_off: bool
    """Whether more might have followed."""
    repaired: bool
    """Whether it ended in the middle, for whatever reason."""
    ignored: int
    """How many passages it held."""


def read(answer: str, text: str) -> Answer | None:
    """What an answer says about a text; None for what is none: unreadable, a refusal, or about another text.

    An empty list is an answer. One of which nothing stands in the text, that just gives the text back, or that has more
    strings than the text has letters, is not.
    """
    found = parse_partial_strings(answer, KEY)
    if found is None or len(found.items) > len(text):
        return None
    said = list(dict.fromkeys(found.items))
    kept = tuple(string for string in said if not is_passage(string, text))
    if said and not _is_about(text, kept):
        return None
    broke_off = found.cut and not _goes_in_circles(found.items)
    return Answer(kept, broke_off, found.cut, len(said) - len(kept))


def _is_about(text: str, strings: Sequence[str]) -> bool:
    seen = Occurrences(text)
    return any(seen.holds(string) or seen.folded(string) for string in strings)


def _goes_in_circles(items: Sequence[str]) -> bool:
    return len(items) > CIRCLE and set(items[-CIRCLE:]) <= set(items[:-CIRCLE])


# -- What a model found beside what other detectors found: it adds to theirs, and takes nothing away.


FROM_CHAT = ":chat"
"""How the source of a model's span ends."""


def around_direct(spans: Sequence[Span]) -> list[Span]:
    """The spans, those of a model cut around the direct identifiers that others found in them.

    Where spans are merged the longest wins. A name that a model's longer span swallows ("her uncle Otto") would be a
    name no more: it would lose its label, and with it the other places where it stands in another form.
    """
    direct = merge_spans(span for span in spans if span.identifier == "direct" and not _is_of_model(span))
    if not direct:
        return list(spans)
    ends = [span.end for span in direct]
    kept: list[Span] = []
    for span in spans:
        if not _is_of_model(span):
            kept.append(span)
            continue
        start = span.start
        for place in range(bisect_right(ends, span.start), len(direct)):
            if direct[place].start >= span.end:
                break
            kept += [span.moved(start, direct[place].start)] if start < direct[place].start else []
            start = max(start, direct[place].end)
        kept += [span.moved(start, span.end)] if start < span.end else []
    return kept


def _is_of_model(span: Span) -> bool:
    return span.source.endswith(FROM_CHAT)


# -- A detector that asks a language model for the words that give a person away (Manzanares-Salor and Sánchez, 2025).


PROMPTS = Path(__file__).parent / "prompts"
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

    cite: ClassVar[str | None] = "manzanares2025"
    languages: ClassVar[frozenset[str] | None] = None
    needs_chat: ClassVar[bool] = True
    uses: ClassVar[tuple[str, ...]] = ("chat",)
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
        sample_index: int = 0,
    ) -> None:
        """``prompt``: a TOML file in the place of the shipped one; ``window``: tokens of text asked about at once.

        ``temperature``: in the place of the prompt's; ``sample_index``: which of several answers to the same question.
        """
        if isinstance(sample_index, bool) or not isinstance(sample_index, int) or sample_index < 0:
            raise RecipeError(f"sample_index is a number from 0; got {sample_index!r}")
        if temperature is not None and not 0 <= temperature <= 2:
            raise RecipeError(f"temperature is a number from 0 to 2; got {temperature!r}")
        if window is not None and (isinstance(window, bool) or not isinstance(window, int) or window < MIN_TEXT_TOKENS):
            raise RecipeError(f"window is a number of tokens from {MIN_TEXT_TOKENS}; got {window!r}")
        loaded = Prompt.load(prompt or self.folder / self.file, ("text",), shipped=self.folder)
        self._chat, self._loaded, self._wanted = chat, loaded, window
        self._asking = PromptRunner(
            chat, loaded, _said, schema=list_schema(KEY, {"type": "string"}), max_tokens=self._room
        )
        self._temperature, self._sample_index = temperature, sample_index
        self._rules = RuleDetector()
        self.prompt = loaded.name
        self.failed: dict[str, str] = {}
        """Documents of the last ``detect`` for which an answer is missing, and why."""

    @property
    def usage(self) -> Usage:
        """What it cost so far."""
        return self._asking.usage

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
        left = (
            text_budget(self._chat.context, estimate_tokens("x" * self._loaded.size), MIN_TEXT_TOKENS) + MIN_TEXT_TOKENS
        )
        most = min(self._loaded.max_tokens, left // 2)
        if self._wanted is not None and self._wanted > most:
            raise RecipeError(f"window is at most {most} tokens with this model and prompt; got {self._wanted}")
        return most

    def _room(self, question: Mapping[str, str]) -> int:
        return min(self._most, max(_LEAST_ANSWER, WORDY * estimate_tokens(question["text"])))

    def _answers(self, documents: Sequence[Document], places: Sequence[_Place]) -> list[Answer | None]:
        """All places of all documents are asked about together."""
        questions = [{"text": documents[place.document].text[place.start : place.end]} for place in places]
        answers = self._asking.ask(questions, self._sample_index, temperature=self._temperature) if questions else []
        for answer in answers:
            self.usage.repaired += answer is not None and answer.repaired
            self.usage.ignored += 0 if answer is None else answer.ignored
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

    def _found(self, seen: Occurrences, string: str) -> list[TextRange]:
        if is_small(string):
            self.usage.ignored += 1
            return []
        if found := seen.verbatim(string):
            return found
        if found := seen.folded(string):
            self.usage.folded += 1
        elif seen.holds(string):
            self.usage.ignored += 1
        else:
            self.usage.hallucinated += 1
        return found


def _trimmed(text: str, start: int, end: int) -> TextRange:
    said = text[start:end]
    return start + len(said) - len(said.lstrip()), end - len(said) + len(said.rstrip())


def _said(answer: str, question: Mapping[str, str]) -> Answer | None:
    return read(answer, question["text"])


def _places(at: int, text: str, window: int) -> list[_Place]:
    return [_Place(at, start, end) for start, end in split_windows(text, window) if not text[start:end].isspace()]


def _halves(text: str, place: _Place) -> list[_Place]:
    """A window in two or three, with overlap; one that is too small for that is asked about no more."""
    said = text[place.start : place.end]
    half = -(-estimate_tokens(said) * 5 // 8)
    if half < MIN_TEXT_TOKENS:
        return []
    return [_Place(place.document, place.start + start, place.start + end) for start, end in split_windows(said, half)]


# -- The seven detection prompts of Manzanares-Salor and Sánchez (2025) by name, one file each.


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

    cite: ClassVar[str | None] = "patsakis2023"
    file = "man-vs-machine.toml"


class Sparks(ChatDetector):
    """A language model's list of eight described types of personal information, without an example."""

    cite: ClassVar[str | None] = "bubeck2023"
    file = "sparks.toml"


class Student(ChatDetector):
    """A language model's list of six types of personal information, with an example that holds only a link."""

    cite: ClassVar[str | None] = "singhal2024"
    file = "student.toml"
