"""The rewriting stage of a pipeline, and its check that no identifier replaced before returns in a rewrite.

Detectors and replacers make a release first. Whatever a model writes, and whoever told it to, the identifiers that were
replaced there are searched for in the rewritten text, and replaced again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from sfumato.document import LABELS, Document, Edit, Outcome, Release, Withheld
from sfumato.lexicon.grammar import STOP_WORDS, TextRange
from sfumato.lexicon.name_lists import is_title
from sfumato.lexicon.tokens import LETTERS
from sfumato.rewriters.base import Rewriter

MIN_NAME_PART = 3
"""Letters that a part of a name has at least to be searched for alone."""
_ROUNDS = 3
_OFFSET_META = ("marked", "identifiers")
"""Metadata of a document in offsets, which mean nothing in another text."""
_FUNCTION_WORDS = frozenset().union(*STOP_WORDS.values())
_FIRST_WORD = re.compile(r"\W*(\w+)\W+(?=\w)")
_STROKED = str.maketrans("łøđħŧı", "lodhti")
"""Letters with a stroke look like accented ones but do not decompose in Unicode."""
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR", "BOPOMOFO")


class RewriteStage:
    """Runs a rewriter on releases and accepts what it makes of them."""

    def __init__(
        self,
        rewriter: Rewriter,
        reads: Literal["release", "original"],
        on_failure: Callable[[Release, str], Outcome],
        uncovered_language: Callable[[str], str | None],
    ) -> None:
        """``on_failure``: what becomes of a document whose rewrite cannot be used, by the release before and a reason.

        ``uncovered_language``: the language of a text that no active detector covers.
        """
        self._rewriter, self._reads = rewriter, reads
        self._on_failure, self._uncovered_language = on_failure, uncovered_language

    def run(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """The releases rewritten, in order; what is withheld stays so."""
        releases = [outcome for outcome in outcomes if isinstance(outcome, Release)]
        if not releases:
            return list(outcomes)
        rewrites = self._rewriter.rewrite([self._input(release) for release in releases])
        accepted = iter([self._accept(*pair) for pair in zip(releases, rewrites, strict=True)])
        return [next(accepted) if isinstance(outcome, Release) else outcome for outcome in outcomes]

    def _input(self, release: Release) -> Document:
        document = release.document
        if self._reads == "original":
            return document
        meta = {key: value for key, value in document.meta.items() if key not in _OFFSET_META}
        return replace(document, text=release.text, annotations=None, meta=meta)

    def _accept(self, before: Release, rewrite: Outcome) -> Outcome:
        """The rewrite with surviving identifiers replaced; a failure where they cannot be."""
        if isinstance(rewrite, Withheld):
            return self._on_failure(before, rewrite.reason)
        # A rewriter that reads the original has seen everything that was replaced.
        labels = LABELS if self._reads == "original" else ()
        checked = replace_survivors(before, rewrite.text, labels=labels)
        if checked.left:
            return self._on_failure(before, f"the rewritten text still holds {checked.left} of what had to go")
        language = self._uncovered_language(checked.text)
        if language is not None and self._uncovered_language(before.text) is None:
            reason = f"the rewritten text is in a language no active detector covers ({language})"
            return self._on_failure(before, reason)
        replaced = [f"{checked.replaced} survivors replaced"] if checked.replaced else []
        release = Release.rewritten(before.document, checked.text, (*rewrite.reasons, *replaced), before)
        return replace(release, fallback_reason=before.fallback_reason)


@dataclass(frozen=True, slots=True)
class CheckedText:
    """A rewritten text with surviving identifiers replaced; ``left``: those that could not be."""

    text: str
    replaced: int
    left: int


@dataclass(frozen=True, slots=True)
class _Identifier:
    """What must not be in the rewritten text, and its replacement."""

    normalized: str
    verbatim: str
    replacement: str
    is_name: bool
    is_word: bool
    """One ordinary-looking word: it may occur where the release before has it as well."""

    @classmethod
    def of(cls, original: str, replacement: str, *, is_name: bool, is_word: bool) -> _Identifier:
        normalized = "".join(map(_normalize_character, original))
        return cls(normalized, original.strip(), replacement, is_name, is_word)


class _Survivor(NamedTuple):
    start: int
    end: int
    replacement: str


def replace_survivors(before: Release, text: str, *, labels: Collection[str] = ()) -> CheckedText:
    """A rewritten text with each surviving identifier replaced as in the release before.

    Searched for is what was replaced as PERSON, CODE or a direct identifier, and everything that was replaced under
    one of ``labels``; of a name also every part of three letters or more. Case, accents, white space and punctuation
    make no difference. What the release before contains is no survivor: a replacement of its own, and a name of one
    word in the same spelling (the month of May).
    """
    identifiers = list(_identifiers(before, frozenset(labels)))
    survivors = _find_survivors(identifiers, before, text)
    replaced = 0
    for _ in range(_ROUNDS):
        if not survivors:
            break
        replaced += len(survivors)
        for survivor in reversed(survivors):
            text = text[: survivor.start] + survivor.replacement + text[survivor.end :]
        # Two ends that come together can spell what was not there before.
        survivors = _find_survivors(identifiers, before, text)
    return CheckedText(text, replaced, len(survivors))


def _identifiers(before: Release, labels: frozenset[str]) -> Iterator[_Identifier]:
    """Whole identifiers before parts, so that each is replaced as it was replaced before."""

    def original(edit: Edit) -> str:
        return before.document.text[edit.span.start : edit.span.end]

    direct = [edit for edit in before.edits if _is_direct(edit)]
    for edit in direct:
        is_name = edit.span.label == "PERSON"
        is_word = is_name and len(LETTERS.findall(original(edit))) == 1
        yield _Identifier.of(original(edit), edit.replacement, is_name=is_name, is_word=is_word)
        if is_name and len(words := _words_without_titles(original(edit))) > 1:
            yield _Identifier.of(" ".join(words), edit.replacement, is_name=True, is_word=False)
    for edit in before.edits:
        if edit.span.label in labels and not _is_direct(edit):
            # An edit may include an article or a preposition.
            phrase, replacement = _without_function_words(original(edit)), _without_function_words(edit.replacement)
            yield _Identifier.of(phrase, replacement, is_name=False, is_word=True)
    for edit in direct:
        if edit.span.label == "PERSON":
            for word in _words_without_titles(original(edit)):
                if len(word) >= MIN_NAME_PART and word not in _FUNCTION_WORDS:
                    yield _Identifier.of(word, edit.replacement, is_name=True, is_word=True)


def _is_direct(edit: Edit) -> bool:
    return edit.span.label in ("PERSON", "CODE") or edit.span.identifier == "direct"


def _words_without_titles(name: str) -> list[str]:
    return [word for word in LETTERS.findall(name) if not is_title(word)]


def _without_function_words(phrase: str) -> str:
    while (first := _FIRST_WORD.match(phrase)) and first[1].casefold() in _FUNCTION_WORDS:
        phrase = phrase[first.end() :]
    return phrase


def _find_survivors(identifiers: Collection[_Identifier], before: Release, text: str) -> list[_Survivor]:
    """Disjoint, from left to right; at each place the longest."""
    normalized = NormalizedText.of(text)
    replacements = _find_verbatim(text, {edit.replacement for edit in before.edits})
    matches: list[_Survivor] = []
    for identifier in identifiers:
        if len(identifier.normalized) < MIN_NAME_PART:
            ranges = _find_verbatim(text, {identifier.verbatim})
        else:
            ranges = list(normalized.find(identifier.normalized, suffix="s" if identifier.is_name else ""))
        for start, end in ranges:
            is_replacement = any(first <= start and end <= last for first, last in replacements)
            if not is_replacement and not (identifier.is_word and _is_released(before.text, text[start:end])):
                matches.append(_Survivor(start, end, identifier.replacement))
    survivors: list[_Survivor] = []
    for start, end, replacement in sorted(matches, key=lambda match: (match.start, -match.end)):
        last = survivors[-1] if survivors else None
        if last is None or start >= last.end:
            # Two neighbouring parts of a name are one name.
            if last is not None and last.replacement == replacement and not text[last.end : start].strip(" \t-_"):
                survivors.pop()
                start = last.start
            survivors.append(_Survivor(start, end, replacement))
    return survivors


def _find_verbatim(text: str, phrases: Collection[str]) -> list[TextRange]:
    """Ranges of phrases that occur verbatim, as whole words."""
    return [
        match.span()
        for phrase in phrases
        if any(character.isalnum() for character in phrase)
        for match in re.finditer(_whole_words(phrase), text)
    ]


def _is_released(released: str, word: str) -> bool:
    if word.islower() and word in _FUNCTION_WORDS:
        return True
    return re.search(_whole_words(word), released) is not None


def _whole_words(phrase: str) -> str:
    before = r"(?<!\w)" if phrase[0].isalnum() else ""
    after = r"(?!\w)" if phrase[-1].isalnum() else ""
    return f"{before}{re.escape(phrase)}{after}"


@dataclass(frozen=True)
class NormalizedText:
    """Letters and digits of a text without case and accents; ``starts`` and ``ends`` are offsets into the text."""

    letters: str
    starts: list[int]
    ends: list[int]
    after_gap: list[bool]
    """Whether something that is neither letter nor digit precedes each."""

    @classmethod
    def of(cls, text: str) -> NormalizedText:
        letters, starts, ends, after_gap = list[str](), list[int](), list[int](), list[bool]()
        gap = True
        for offset, character in enumerate(text):
            normalized = _normalize_character(character)
            for letter in normalized:
                letters.append(letter)
                starts.append(offset)
                ends.append(offset + 1)
                after_gap.append(gap)
                gap = False
            if not normalized:
                if not _is_invisible(character):
                    gap = True
                elif ends and not gap:
                    ends[-1] = offset + 1
        return cls("".join(letters), starts, ends, after_gap)

    def find(self, needle: str, *, suffix: str = "") -> Iterator[TextRange]:
        """Where a normalized needle occurs as whole words, as offsets into the text.

        ``suffix``: what may follow it within its last word, as in a plural or genitive.
        """
        start = self.letters.find(needle) if needle else -1
        while start >= 0:
            end = start + len(needle)
            if self._is_border(start):
                if self._is_border(end):
                    yield self.starts[start], self.ends[end - 1]
                elif suffix and self.letters.startswith(suffix, end) and self._is_border(end + len(suffix)):
                    yield self.starts[start], self.ends[end + len(suffix) - 1]
            start = self.letters.find(needle, start + 1)

    def _is_border(self, index: int) -> bool:
        if index in (0, len(self.letters)) or self.after_gap[index]:
            return True
        before, after = self.letters[index - 1], self.letters[index]
        # In a handle a name runs into a number: quorvex77.
        return before.isdigit() != after.isdigit() or _is_unspaced(before) or _is_unspaced(after)


@lru_cache(maxsize=8192)
def _normalize_character(character: str) -> str:
    """Nothing, a letter or digit without case and accent, or several (ß is ss)."""
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return "".join(letter for letter in decomposed if letter.isalnum()).translate(_STROKED)


@lru_cache(maxsize=8192)
def _is_invisible(character: str) -> bool:
    """Combining accents, joiners and marks of direction: nobody sees a gap there."""
    return unicodedata.category(character) in ("Mn", "Me", "Cf")


@lru_cache(maxsize=8192)
def _is_unspaced(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith(_UNSPACED)
