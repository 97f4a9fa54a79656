"""Pass: what was found once is found wherever it stands again."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sfumato.detectors.everyday import KNOWN, LISTED, EverydayWords, everyday_words, may_name
from sfumato.detectors.passes import LIKELY
from sfumato.detectors.passes.compounds import is_part_of_number
from sfumato.detectors.passes.labels import is_place_here
from sfumato.detectors.passes.links import title_before
from sfumato.detectors.rules.places import is_town
from sfumato.document import Span
from sfumato.lexicon import name_lists
from sfumato.lexicon.name_lists import given_names, is_title, lookup_key
from sfumato.lexicon.tables import to_ascii_letters
from sfumato.lexicon.tokens import (
    NAME_WORD,
    PhraseIndex,
    PhraseMatch,
    collapse_spaces,
    lazy_pattern,
)

_QUOTES = "\"“”„‘’'()«»"


_MIN_NAME_LENGTH = 4


_MIN_INITIALS, _MOST_INITIALS = 3, 5


_SURNAME_ENDINGS = ("s", "es", "a", "ova", "ová")
"""Inflected surnames: the Quorvexes, Quorvexs Haus, Quorvexová."""


_SURE = 0.8


_MIN_RARE = 3


_MIN_DIGITS = 6


_LABELS_WITH_DIGITS = frozenset({"PERSON", "CODE", "ORG", "LOC", "DATETIME"})


_LABELS_OF_NAMES = frozenset({"PERSON", "ORG", "LOC"})


_LABELS_OF_HANDLES = frozenset({"PERSON", "CODE"})


_HANDLE = lazy_pattern(r"[^\W_]+(?:[._-]+[^\W_]+)+")


_OPENS_SENTENCE = lazy_pattern(r"(?:^|[.!?:…\n])[\s\"'“„«(¿¡>*-]*$")


_Value = tuple[Span, str | None]


class RepeatFinder:
    """Finds further occurrences of strings, each with a span that says what it is.

    Always as whole words; names in any case unless they are also everyday words (Will), everything else as written.
    Of a full name also other forms: the first and the last word alone, inflected, in reverse order, with initials.
    """

    def __init__(self, strings: Mapping[str, Span]) -> None:
        self._index: PhraseIndex[_Value] = PhraseIndex(match_case=False)
        for string, span in strings.items():
            any_case = span.label == "PERSON" and not _is_common(string)
            self._index.add(string, (span, None if any_case else collapse_spaces(string)))
            if span.label == "PERSON":
                for form in _other_forms(string):
                    if form not in strings:
                        self._index.add(form, (span, form))

    def find(self, text: str, covered: Sequence[Span], note: str) -> list[Span]:
        """Occurrences in a text outside of the covered spans (disjoint, sorted); ``note`` is added to their source."""
        starts = [span.start for span in covered]
        everyday = everyday_words(text)

        def is_same(match: PhraseMatch[_Value]) -> bool:
            span, as_written = match.value
            string = collapse_spaces(text[match.start : match.end])
            if as_written not in (None, string):
                is_rare = span.label == "PERSON" and len(string) > _MIN_NAME_LENGTH and everyday.rank(string) > LISTED
                if not (is_rare and string.isalpha() and (string.isupper() or string.islower())):
                    return False
            if as_written is not None and string.isupper() and len(string) <= _MOST_INITIALS:
                return everyday.rank(string) > LISTED  # else the initials are an abbreviation, too
            if span.label == "PERSON" and string.isalpha():
                if as_written is None and string.islower() and everyday.includes(string):
                    return False
                return not is_place_here(text, match.start, match.end)
            return not is_part_of_number(text, match.start, match.end)

        def is_covered(match: PhraseMatch[_Value]) -> bool:
            index = bisect_right(starts, match.start) - 1
            return index >= 0 and match.end <= covered[index].end

        return [
            replace(
                match.value[0], start=match.start, end=match.end, entity=None, source=f"{match.value[0].source}+{note}"
            )
            for match in self._index.find(text, is_same)
            if not is_covered(match)
        ]


def find_repeats(text: str, spans: Sequence[Span]) -> list[Span]:
    """Further occurrences in a document of strings that can only be what they were; the spans are disjoint and sorted.

    Numbers, everyday words and names of fields occur again and mean something else. A name that is an everyday word
    ("Bill") is found again where its capital is not that of a sentence.
    """
    everyday = everyday_words(text)
    strings = {text[span.start : span.end]: span for span in spans}
    telling = {
        string: span
        for string, span in strings.items()
        if is_telling(string, span, everyday) and not _may_be_noun(text, string, span, everyday)
    }
    repeats = RepeatFinder(telling).find(text, spans, "repeated") if telling else []
    words = {string: span for string, span in strings.items() if string not in telling and _is_sure_name(string, span)}
    if words and not everyday.has_capital_nouns:
        again = RepeatFinder(words).find(text, spans, "repeated")
        repeats += [span for span in again if not _OPENS_SENTENCE.search(text, max(0, span.start - 5), span.start)]
    return repeats


def _may_be_noun(text: str, string: str, span: Span, everyday: EverydayWords) -> bool:
    """Whether a name alone, without a title, may be a noun that is written with a capital: Schimmel, Koch."""
    if span.label != "PERSON" or not everyday.has_capital_nouns or not string.isalpha():
        return False
    return everyday.rank(string) <= KNOWN and lookup_key(string) not in given_names() and not title_before(text, span)


def _is_sure_name(string: str, span: Span) -> bool:
    """Whether it is surely a name, although it may be an everyday word."""
    return span.label == "PERSON" and span.score >= _SURE and string.istitle() and len(string) > 2 and may_name(string)


def is_telling(string: str, span: Span, everyday: EverydayWords) -> bool:
    """Whether a string can only be the person or thing that it was once: a full name, a rare word, a long code."""
    if span.label == "QUANTITY":
        return False
    digits, letters = (sum(map(kind, string)) for kind in (str.isdigit, str.isalpha))
    if digits:
        is_code = digits >= _MIN_DIGITS or (min(digits, letters) >= 2 and digits + letters >= _MIN_DIGITS)
        return is_code and span.label in _LABELS_WITH_DIGITS
    if span.score < LIKELY and span.identifier != "direct" and span.label not in _LABELS_OF_NAMES:
        return False
    if span.label in _LABELS_OF_HANDLES and letters >= _MIN_DIGITS and _HANDLE.fullmatch(string):
        return True
    words = [word for word in NAME_WORD.findall(string) if not is_title(word)]
    rare = [word for word in words if _is_rare(word, span.label, everyday)]
    if span.label == "PERSON":
        names = [word for word in words if may_name(word) and not word.islower()]
        return bool(rare) or len(words) == len(names) >= 2
    capitalised = [word for word in words if word[0].isupper()]
    if len(capitalised) >= 2 and any(may_name(word, span.label) for word in capitalised):
        return True  # Izmir Criminal Court
    # A town in small letters, as in chats, is no other word.
    return any(word[0].isupper() or (span.label == "LOC" and is_town(word)) for word in rare)


def _is_rare(word: str, label: str, everyday: EverydayWords) -> bool:
    if len(word) < _MIN_RARE:
        return len(word) == 2 and word.istitle() and label == "PERSON" and may_name(word)
    is_noun = everyday.has_capital_nouns or word.islower()
    return not everyday.includes(word, label, LISTED if is_noun else KNOWN - 20)


def _other_forms(name: str) -> Iterator[str]:
    """Other forms of a full name: its rare words, also those of a hyphenated one; Quorvex Anna, A. Quorvex, A.Q., ALQ.

    Accents may be missing.
    """
    words = [word.strip(_QUOTES) for word in name.replace(",", " ").split() if not is_title(word)]
    if "," in name and len(words) == 2:
        words.reverse()
    for form in _forms_of_words([word for word in words if word]):
        yield form
        if not form.isascii() and (plain := to_ascii_letters(form)) != form:
            yield plain


def _forms_of_words(words: Sequence[str]) -> Iterator[str]:
    parts = [part for word in words for part in word.split("-") if part]
    if len(parts) < 2:
        return
    yield from (word for word in dict.fromkeys((*words, *parts)) if _is_name(word))
    first, last = words[0], words[-1]
    if len(words) < 2 or not (_is_name(first) and last.replace("-", "").isalpha() and last[0].isupper()):
        return
    if len(last) > _MIN_NAME_LENGTH and _is_name(last):
        yield from (last + ending for ending in _SURNAME_ENDINGS)
    yield from (f"{last} {first}", f"{last}, {first}", f"{first} {last}")
    yield from (f"{first[0]}. {last}", f"{first[0]}.{last}", f"{first[0]} {last}", f"{last} {first[0]}.")
    yield from (f"{first[0]}.{last[0]}.", f"{first[0]}. {last[0]}.")
    if _MIN_INITIALS <= len(parts) <= _MOST_INITIALS and all(part[0].isupper() for part in parts):
        initials = "".join(part[0] for part in parts)
        yield from (f"{'.'.join(initials)}.", f"{'. '.join(initials)}.")
        if not _is_common(initials):
            yield initials


def _is_name(word: str) -> bool:
    return word.replace("-", "").isalpha() and word[0].isupper() and not _is_common(word)


def _is_common(name: str) -> bool:
    key = name_lists.lookup_key(name)
    least = _MIN_INITIALS if name.isupper() else _MIN_NAME_LENGTH
    return len(key) < least or (key.isalpha() and key in name_lists.common_words())
