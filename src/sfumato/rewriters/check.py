"""The rewriting stage of a pipeline, and its check that no identifier replaced before returns in a rewrite.

Detectors and replacers make a release first. Whatever a model writes, and whoever told it to, the identifiers that were
replaced there are searched for in the rewritten text, and replaced again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Literal, NamedTuple

from sfumato.detectors.allowed import allowed_again
from sfumato.detectors.rules.codes import find_digits_read_out
from sfumato.document import LABELS, Document, Edit, Outcome, Release, Withheld, outside
from sfumato.isolation import attempt, run_step
from sfumato.lexicon.folding import FoldedText, apply_changes, fold, folded_form, look_alike, unfolded
from sfumato.lexicon.grammar import STOP_WORDS, TextRange
from sfumato.lexicon.name_lists import cities, common_words, family_names, given_names, is_title
from sfumato.lexicon.tokens import LETTERS
from sfumato.rewriters.base import ReleaseRewriter, Rewriter

MIN_NAME_PART = 3
"""Letters that a part of a name has at least to be searched for alone."""
_ROUNDS = 3
_OFFSET_META = ("marked", "identifiers", "allowed")
"""Metadata of a document in offsets, which mean nothing in another text."""
_FUNCTION_WORDS = frozenset().union(*STOP_WORDS.values())
_FIRST_WORD = re.compile(r"\W*(\w+)\W+(?=\w)")
_SHORTEST_REVERSED = 5
_SHORTEST_INSIDE = 6
"""Letters of a value that is found also reversed, or within a longer word."""
_LONGEST_WORD = 60
_INITIAL = re.compile(r"(?<![\w.])(?:[^\W\d_]\.[ \u00a0]?){1,3}\Z")
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
        *,
        is_checked: bool = True,
    ) -> None:
        """``on_failure``: what becomes of a document whose rewrite cannot be used, by the release before and a reason.

        ``uncovered_language``: the language of a text that no active detector covers. ``is_checked``: whether what was
        replaced is looked for in the rewrites; a published method is released as it is.
        """
        self._rewriter, self._reads = rewriter, reads
        self._on_failure, self._uncovered_language = on_failure, uncovered_language
        self._is_checked = is_checked

    def run(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """The releases rewritten, in order; what is withheld stays so."""
        return run_step(outcomes, self._rewrite, lambda release: release.document)

    def _rewrite(self, releases: Sequence[Release]) -> list[Outcome]:
        if self._reads == "original" and isinstance(self._rewriter, ReleaseRewriter):
            rewrites = self._rewriter.rewrite_releases(releases)
        else:
            rewrites = self._rewriter.rewrite([self._input(release) for release in releases])
        pairs = zip(releases, rewrites, strict=True)
        return [attempt(partial(self._accept, *pair), pair[0].document) for pair in pairs]

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
        checked = (
            replace_survivors(before, rewrite.text, labels=labels)
            if self._is_checked
            else CheckedText(rewrite.text, replaced=0, left=0)
        )
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
    is_direct: bool
    initials: str
    """A regex for the initials of a full name, empty for anything else."""

    @classmethod
    def of(
        cls, original: str, replacement: str, *, is_name: bool, is_word: bool, is_direct: bool = True
    ) -> _Identifier:
        normalized = "".join(map(_normalize_character, folded_form(original)))
        initials = _initials(_words_without_titles(original)) if is_name and not is_word else ""
        return cls(normalized, original.strip(), replacement, is_name, is_word, is_direct, initials)


class _Survivor(NamedTuple):
    start: int
    end: int
    replacement: str


def replace_survivors(before: Release, text: str, *, labels: Collection[str] = ()) -> CheckedText:
    """A rewritten text with each surviving identifier replaced as in the release before.

    Searched for is what was replaced as PERSON, CODE or a direct identifier, and everything that was replaced under
    one of ``labels``; of a name also every part of three letters or more. Case, accents, white space and punctuation
    make no difference, and neither do look-alikes, escapes (``&#65;``), digits for letters (``4nn4``), digits in words,
    reversed order, initials and other words right before or behind it. What the release before contains is no
    survivor: a replacement of its own, and a name of one word in the same spelling (the month of May).
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
            yield _Identifier.of(phrase, replacement, is_name=False, is_word=True, is_direct=False)
    for edit in direct:
        if edit.span.label == "PERSON":
            for word in _words_without_titles(original(edit)):
                if len(word) >= MIN_NAME_PART and word not in _FUNCTION_WORDS:
                    yield _Identifier.of(word, edit.replacement, is_name=True, is_word=True)


def _is_direct(edit: Edit) -> bool:
    return edit.span.label in ("PERSON", "CODE") or edit.span.identifier == "direct"


def _words_without_titles(name: str) -> list[str]:
    return [word for word in LETTERS.findall(name) if not is_title(word)]


def _initials(words: Sequence[str]) -> str:
    """A regex for dotted initials, or for undotted ones of three words or more."""
    if len(words) < 2:
        return ""
    letters = [re.escape(word[0].upper()) for word in words]
    dotted = r"\.[ \u00a0-]?".join(letters) + r"\."
    undotted = f"|{''.join(letters)}" if len(letters) > 2 else ""
    return rf"(?<![^\W_])(?<![^\W_]\.)(?:{dotted}{undotted})(?![^\W_])"


def _without_function_words(phrase: str) -> str:
    while (first := _FIRST_WORD.match(phrase)) and first[1].casefold() in _FUNCTION_WORDS:
        phrase = phrase[first.end() :]
    return phrase


def _find_survivors(identifiers: Collection[_Identifier], before: Release, text: str) -> list[_Survivor]:
    """Disjoint, from left to right; at each place the longest."""
    search = _Search(text)
    replacements = _find_verbatim(text, {edit.replacement for edit in before.edits})
    matches: list[_Survivor] = []
    for identifier in identifiers:
        for start, end in search.find(identifier):
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
            survivors.append(_Survivor(_from_initial(text, start), end, replacement))
    allowed = allowed_again(before.document, text)
    return [
        _Survivor(*part, survivor.replacement)
        for survivor in survivors
        for part in outside(text, allowed, survivor.start, survivor.end)
    ]


def _from_initial(text: str, start: int) -> int:
    """Where a name begins that an initial precedes: "A. Quorvex"."""
    initial = _INITIAL.search(text, max(0, start - 8), start)
    return initial.start() if initial else start


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


class _Search:
    """A rewritten text, read in the ways in which a model may have written an identifier."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._plain = NormalizedText.of(unfolded(text))
        self._readings = [self._plain]
        seen = fold(text, escapes=True) or unfolded(text)
        if seen.text != text or not text.isascii():
            self._readings.append(NormalizedText.of(seen, look_alike))
        if read_out := list(find_digits_read_out(seen.text)):
            self._readings.append(NormalizedText.of(apply_changes(seen, read_out)))
        self._leet = NormalizedText.of(_with_letters_for_signs(seen), _letter_of_digit)

    def find(self, identifier: _Identifier) -> Iterator[TextRange]:
        """Ranges of the text that hold an identifier in any form."""
        needle, suffix = identifier.normalized, "s" if identifier.is_name else ""
        if len(needle) < MIN_NAME_PART:
            yield from _find_verbatim(self._text, {identifier.verbatim})
            return
        for reading in self._readings:
            yield from reading.find(needle, suffix=suffix)
        yield from self._find_leet(identifier)
        if not identifier.is_direct:
            return
        for reading in self._readings:
            if len(needle) >= _SHORTEST_REVERSED and needle != needle[::-1] and not _is_ordinary(needle[::-1]):
                yield from reading.find(needle[::-1])
            if len(needle) >= _SHORTEST_INSIDE and identifier.is_name and not identifier.is_word:
                yield from reading.find_inside(needle)
        if identifier.initials:
            yield from (match.span() for match in re.finditer(identifier.initials, self._text))

    def _find_leet(self, identifier: _Identifier) -> Iterator[TextRange]:
        needle = "".join(map(_letter_of_digit, identifier.normalized))
        for start, end in self._leet.find(needle, suffix="s" if identifier.is_name else ""):
            written = self._text[start:end]
            # Words of letters alone and numbers of digits alone are searched for as they are.
            if any(map(str.isalpha, written)) and any(not character.isalpha() for character in written):
                yield start, end


_LEET_LETTERS = str.maketrans("013457289l", "oieastzbgi")
_LEET_SIGN = re.compile(r"(?<=[^\W_])[!|+](?=[^\W_])|[@$€](?=[^\W_])|(?<=[^\W_])[@$€]")
_LEET_SIGNS = {"@": "a", "$": "s", "!": "i", "|": "i", "€": "e", "+": "t"}


def _letter_of_digit(character: str) -> str:
    """What a digit looks like; 1, i and l look alike."""
    return look_alike(character).casefold().translate(_LEET_LETTERS)


def _with_letters_for_signs(seen: FoldedText) -> FoldedText:
    changes = [(*match.span(), _LEET_SIGNS[match.group()]) for match in _LEET_SIGN.finditer(seen.text)]
    return apply_changes(seen, changes) if changes else seen


def _is_ordinary(word: str) -> bool:
    return word in common_words() or word in given_names() or word in family_names() or word in cities()


@dataclass(frozen=True)
class NormalizedText:
    """Letters and digits of a text without case and accents; ``starts`` and ``ends`` are offsets into the text."""

    letters: str
    starts: list[int]
    ends: list[int]
    after_gap: list[bool]
    """Whether a word may begin at each: after what is neither letter nor digit, and at a capital after a small one."""

    @classmethod
    def of(cls, seen: FoldedText, reading: Callable[[str], str] = str) -> NormalizedText:
        """``reading``: what a character is read as."""
        letters, starts, ends, after_gap = list[str](), list[int](), list[int](), list[bool]()
        gap = True
        for index, character in enumerate(seen.text):
            normalized = "".join(map(_normalize_character, reading(character)))
            start, end = seen.starts[index], seen.ends[index]
            is_camel = character.isupper() and seen.text[index - 1 : index].islower()
            for letter in normalized:
                letters.append(letter)
                starts.append(start)
                ends.append(end)
                after_gap.append(gap or is_camel)
                gap = is_camel = False
            if not normalized:
                if not _is_invisible(character):
                    gap = True
                elif ends and not gap:
                    ends[-1] = end
        return cls("".join(letters), starts, ends, after_gap)

    def find_inside(self, needle: str) -> Iterator[TextRange]:
        """Where a normalized needle occurs within longer words, as ranges of those words."""
        start = self.letters.find(needle)
        while start >= 0:
            end = start + len(needle)
            first, last = start, end
            while start - first < _LONGEST_WORD and not self._is_border(first):
                first -= 1
            while last - end < _LONGEST_WORD and not self._is_border(last):
                last += 1
            yield self.starts[first], self.ends[last - 1]
            start = self.letters.find(needle, end)

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
