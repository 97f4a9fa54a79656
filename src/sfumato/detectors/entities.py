"""Entity linking: which mentions are one person or organisation, further mentions, and one label for one name.

An entity's id is its type and its fullest name, folded, so that the same name gives the same id in every document.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import pairwise

from sfumato.detectors.borders import is_part_of_number
from sfumato.detectors.everyday import KNOWN, LISTED, EverydayWords, everyday_words, may_name
from sfumato.detectors.names import POSSESSIVE, link_people
from sfumato.detectors.rules.patterns import any_of, word_list
from sfumato.detectors.rules.places import is_town
from sfumato.document import Document, Identifier, Span, Withheld
from sfumato.isolation import attempt
from sfumato.lexicon import name_lists
from sfumato.lexicon.name_lists import LEGAL_FORMS, PARTICLES, ROLES, given_names, is_title, lookup_key
from sfumato.lexicon.tables import load_toml, to_ascii_letters, words_of_all_languages
from sfumato.lexicon.tokens import (
    LETTERS,
    NAME_WORD,
    PhraseIndex,
    PhraseMatch,
    collapse_spaces,
    fold_phrase,
    lazy_pattern,
)

_QUOTES = "\"“”„‘’'()«»"
_FORMS = sorted({re.escape(form.casefold().rstrip(".")) for form in LEGAL_FORMS}, key=len, reverse=True)
_LEGAL_FORM = lazy_pattern(rf"(?<![\s,])[\s,]++(?:{'|'.join(_FORMS)})\.?$")
_ACRONYM_WORDS = frozenset(word_list("spans.acronym_words"))
_MIN_NAME_LENGTH = 4
_MIN_INITIALS, _MOST_INITIALS = 3, 5
_SURNAME_ENDINGS = ("s", "es", "a", "ova", "ová")
"""Inflected surnames: the Quorvexes, Quorvexs Haus, Quorvexová."""
_LIKELY = 0.5
_SURE = 0.8
_MIN_RARE = 3
_MIN_DIGITS = 6
_LABELS_WITH_DIGITS = frozenset({"PERSON", "CODE", "ORG", "LOC", "DATETIME"})
_LABELS_OF_NAMES = frozenset({"PERSON", "ORG", "LOC"})
_LABELS_OF_HANDLES = frozenset({"PERSON", "CODE"})
_HANDLE = lazy_pattern(r"[^\W_]+(?:[._-]+[^\W_]+)+")
_OPENS_SENTENCE = lazy_pattern(r"(?:^|[.!?:…\n])[\s\"'“„«(¿¡>*-]*$")
_OPENING_QUOTE = lazy_pattern(r"[ \u00a0]\(?[\"“„«‘][ \u00a0]?")
_CLOSING_QUOTE = lazy_pattern(r"[ \u00a0]?[\"”“»’]")
_TITLE_LIKE_INITIAL = lazy_pattern(r"([^\W\d_])\.[ \u00a0](?=[^\W\d_]{2})")
_SHORTEST_WITH_TITLE = 5
_WORD_BEFORE = lazy_pattern(r"(?<!\w)([^\W\d_]+\.?)[ \u00a0]$")
_LONGEST_TITLE = 16


def link_mentions(text: str, spans: Sequence[Span]) -> list[Span]:
    """The same spans, each with an ``entity``; an entity that is set stays.

    People: full name, surname or given name alone, initials, possessive, any case, "Surname, Given". A surname that two
    people of the document share is linked to neither, and contradicting titles (Mr / Mrs) separate. Organisations: with
    or without legal form, the beginning of the name, and the acronym of its capitalised words. Everything else: the
    same string in any case and spacing; codes also without their separators.
    """
    by_label: dict[str, list[int]] = defaultdict(list)
    for index, span in enumerate(spans):
        if span.entity is None:
            by_label[span.label].append(index)
    entities: dict[int, str] = {}
    for label, indexes in by_label.items():
        mentions = [_with_title(text, spans[i]) for i in indexes]
        if label == "PERSON":
            mentions = _join_form_names(text, [spans[i] for i in indexes], mentions)
        for index, name in zip(indexes, _LINKERS.get(label, _link_strings)(mentions), strict=True):
            entities[index] = f"{label.lower()}:{name}"
    for i, (first, second) in enumerate(pairwise(spans)):
        if i in entities and i + 1 in entities and _is_alias(text, first, second):
            alias = entities[i + 1]
            entities |= {index: entities[i] for index, entity in entities.items() if entity == alias}
    return [span.linked(entities[i]) if i in entities else span for i, span in enumerate(spans)]


def _is_alias(text: str, first: Span, second: Span) -> bool:
    """Whether the second span is a nickname of the first: Hyun-woo ("Leo")."""
    if not first.label == second.label == "PERSON" or not _OPENING_QUOTE.fullmatch(text, first.end, second.start):
        return False
    return _CLOSING_QUOTE.match(text, second.end) is not None


def _with_title(text: str, span: Span) -> str:
    """The string of a span; of a person with the title before it, which may tell which of two people is meant."""
    string = text[span.start : span.end]
    if span.label != "PERSON":
        return string
    title = _TITLE_LIKE_INITIAL.match(string) if len(string) > _SHORTEST_WITH_TITLE else None
    if title and (written_out := _written_out_titles(everyday_words(text).language).get(title[1].lower())):
        return f"{written_out} {string[title.end() :]}"  # French "M. Quorvex"
    return _title_before(text, span) + string


def _join_form_names(text: str, spans: Sequence[Span], mentions: Sequence[str]) -> list[str]:
    """The strings of people; where a form has a name in neighbouring fields, each part is the whole name."""
    joined = list(mentions)
    for parts in _form_names(text, spans):
        whole = " ".join(mentions[number] for number in parts)
        for number in parts:
            joined[number] = whole
    return joined


def _form_names(text: str, spans: Sequence[Span]) -> Iterator[list[int]]:
    """The numbers of spans that are one person's given names and surname, in this order, in fields of a form."""
    given: list[int] = []
    surname: list[int] = []
    field: str | None = None
    for number, span in enumerate(spans):
        end = spans[number - 1].end if number else -_LONGEST_GAP
        is_near = 0 <= span.start - end <= _LONGEST_GAP
        is_further = field == "given" and is_near and _FURTHER_NAME.fullmatch(text, end, span.start) is not None
        field = "given" if is_further else _name_field(text, span)
        is_complete = surname and (field == "surname" or (given and not is_further))
        if field is None or not is_near or is_complete:
            if given and surname:
                yield given + surname
            given, surname = [], []
        if field is not None:
            (given if field == "given" else surname).append(number)
    if given and surname:
        yield given + surname


def _name_field(text: str, span: Span) -> str | None:
    """Which part of a name a span is by the field before it, "surname" or "given": *Surname: Quorvex*."""
    match = _NAME_FIELD.search(text, max(0, span.start - _LONGEST_FIELD), span.start)
    return match.lastgroup if match else None


_LONGEST_FIELD = 40
_LONGEST_GAP = 60
"""Characters between two parts of a name in a form: the second field, and a line of other signs."""
_FURTHER_NAME = lazy_pattern(r"[\s\"']*,[\s\"']*")
_NAME_FIELD = lazy_pattern(
    rf"(?<!\w)(?:(?P<surname>{any_of(words_of_all_languages('names', 'surname_fields'))})"
    rf"|(?P<given>{any_of(words_of_all_languages('names', 'given_name_fields'))}))(?:\([a-z]{{1,2}}\))?\W{{1,16}}$",
    re.IGNORECASE,
)


def _title_before(text: str, span: Span) -> str:
    before = _WORD_BEFORE.search(text, max(0, span.start - _LONGEST_TITLE), span.start)
    return before[0] if before and is_title(before[1]) else ""


@cache
def _written_out_titles(language: str) -> Mapping[str, str]:
    """Titles of a language that look like initials."""
    pairs = load_toml("names", language)["titles"].get("initials", "").split()
    return dict(pair.split("=", 1) for pair in pairs)


def _link_strings(mentions: Iterable[str]) -> list[str]:
    return [fold_phrase(POSSESSIVE.sub("", mention.strip())) for mention in mentions]


def _link_codes(mentions: Iterable[str]) -> list[str]:
    return [re.sub(r"[\s.\-/()]", "", mention).casefold() or mention for mention in mentions]


def _link_organisations(mentions: Sequence[str]) -> list[str]:
    cores = [_core(mention) for mention in mentions]
    longest_first = sorted(set(cores), key=lambda core: (-len(core), core))
    alphabetical = sorted(longest_first)
    acronyms: dict[str, dict[str, None]] = defaultdict(dict)
    for mention, core in dict.fromkeys(zip(mentions, cores, strict=True)):
        for acronym in _acronyms(mention):
            acronyms[acronym].setdefault(core)
    ids: dict[str, str] = {}
    for core in longest_first:
        longer_names: list[str] = []
        position = bisect_left(alphabetical, core + " ")
        # Two are enough to see that there is more than one.
        while position < len(alphabetical) and len(longer_names) < 2:
            name = alphabetical[position]
            if not name.startswith(core + " "):
                break
            longer_names += [name] if ids.get(name) == name else []
            position += 1
        candidates = longer_names or list(acronyms.get(core, ()))
        ids[core] = candidates[0] if len(candidates) == 1 and candidates[0] in ids else core
    return [ids[core] for core in cores]


def _core(mention: str) -> str:
    """The name of an organisation without article and legal form, folded."""
    core = fold_phrase(POSSESSIVE.sub("", mention.strip()))
    return _LEGAL_FORM.sub("", core.removeprefix("the ")) or core


def _acronyms(mention: str) -> set[str]:
    words = re.findall(r"[^\W\d_]+", mention)
    capitalised = [word for word in words if word[0].isupper()]
    if len(capitalised) < 2:
        return set()
    without_form = capitalised[:-1] if _LEGAL_FORM.search(mention.casefold()) else capitalised
    with_small_words = [word for word in words if word[0].isupper() or word in _ACRONYM_WORDS]
    return {
        "".join(word[0] for word in part).casefold()
        for part in (capitalised, without_form, with_small_words)
        if len(part) > 1
    }


_LINKERS: dict[str, Callable[[Sequence[str]], list[str]]] = {
    "PERSON": link_people,
    "ORG": _link_organisations,
    "CODE": _link_codes,
}


# Repeats: what is personal once is personal everywhere in the document, and in other documents of the same person.

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


def find_repeats(text: str, spans: Sequence[Span], everyday: EverydayWords) -> list[Span]:
    """Further occurrences in a document of strings that can only be what they were; the spans are disjoint and sorted.

    Numbers, everyday words and names of fields occur again and mean something else. A name that is an everyday word
    ("Bill") is found again where its capital is not that of a sentence.
    """
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
    return everyday.rank(string) <= KNOWN and lookup_key(string) not in given_names() and not _title_before(text, span)


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
    if span.score < _LIKELY and span.identifier != "direct" and span.label not in _LABELS_OF_NAMES:
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


def drop_outvoted(text: str, spans: Sequence[Span]) -> list[Span]:
    """The spans (disjoint, sorted) without unlikely ones whose string was left alone in most other places.

    A string that is replaced once is replaced everywhere, so its occurrences are judged together: an unlikely span at
    one of five places would mask all five. Direct identifiers always stay.
    """
    unlikely = Counter(text[span.start : span.end] for span in spans if _is_unlikely(span))
    if not unlikely:
        return list(spans)
    doubtful = unlikely.keys() - {text[span.start : span.end] for span in spans if not _is_unlikely(span)}
    judged = {text[span.start : span.end]: span for span in spans if text[span.start : span.end] in doubtful}
    others = RepeatFinder(judged).find(text, spans, "repeated")
    left_alone = Counter(text[other.start : other.end] for other in others)
    outvoted = {string for string in judged if left_alone[string] > unlikely[string]}
    return [span for span in spans if text[span.start : span.end] not in outvoted]


def _is_unlikely(span: Span) -> bool:
    return span.identifier != "direct" and span.score < _LIKELY


@dataclass(frozen=True)
class SubjectNames:
    """Direct identifiers of people with several documents: what was found in one is personal in all of them."""

    strings: Mapping[str, Mapping[str, Span]]
    """Subject id -> string -> the span that says what it is."""

    @classmethod
    def learn(
        cls,
        documents: Callable[[], Iterable[Document]],
        detect: Callable[[Iterable[Document]], Iterator[tuple[Document, list[Span] | Withheld]]],
    ) -> SubjectNames | None:
        """Read the documents once to count them by subject, and those of subjects with several again to detect names.

        None where no subject has several. A document without subjects is not read again. One that raises teaches
        nothing, as if it were not there; the run itself withholds it.
        """
        counts = Counter(subject for document in documents() for subject in set(document.subjects))
        shared = {subject for subject, count in counts.items() if count > 1}
        if not shared:
            return None
        names: dict[str, dict[str, Span]] = defaultdict(dict)
        for document, spans in detect(item for item in documents() if shared.intersection(item.subjects)):
            telling = (
                spans if isinstance(spans, Withheld) else attempt(partial(_telling_spans, document, spans), document)
            )
            for string, span in () if isinstance(telling, Withheld) else telling:
                for subject in shared.intersection(document.subjects):
                    names[subject].setdefault(string, span)
        return cls({subject: dict(strings) for subject, strings in names.items()})

    def spans(self, document: Document, covered: Sequence[Span]) -> list[Span]:
        """Occurrences of the identifiers of a document's subjects, outside of the covered spans."""
        strings: dict[str, Span] = {}
        for subject in document.subjects:
            strings.update(self.strings.get(subject, {}))
        return RepeatFinder(strings).find(document.text, covered, "same-subject") if strings else []


def _telling_spans(document: Document, spans: Iterable[Span]) -> list[tuple[str, Span]]:
    """The direct identifiers of a document that tell by themselves who is meant."""
    everyday = everyday_words(document.text)
    strings = ((document.text[span.start : span.end], span) for span in spans if span.identifier == "direct")
    return [(string, span) for string, span in strings if is_telling(string, span, everyday)]


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


# Labels: what is surely a person's name in one place of a document is so in all of them.

_MIN_WORD = 3
_KINDS_OF_WORDS = frozenset({"LOC", "ORG", "MISC", "DEM", "CODE", "DATETIME"})
_MISTAKEN_FOR_NAMES = frozenset({"LOC", "MISC", "DEM"})
_POSSESSIVE_AFTER = lazy_pattern(r"['’]s?\b")
_PLACE_LEAD = lazy_pattern(rf"(?i)(?<!\w){any_of(word_list('places.only_before_places'))}[ \u00a0]$")
_PERSON_BEFORE = lazy_pattern(
    rf"(?i)(?<!\w){any_of({*words_of_all_languages('age_forms', 'people'), *ROLES})}[ \u00a0]$"
)
_LONGEST_LEAD = 16


def is_place_here(text: str, start: int, end: int) -> bool:
    """Whether a name that is a place as well stands for the place: "in Jordan", but not "in Jordan's room"."""
    if lookup_key(text[start:end]) not in name_lists.places() or _POSSESSIVE_AFTER.match(text, end):
        return False
    return _PLACE_LEAD.search(text, max(0, start - _LONGEST_LEAD), start) is not None


def unify_labels(text: str, spans: Sequence[Span], everyday: EverydayWords) -> list[Span]:
    """The spans, with one label for each name.

    A part of a full name is a person, except where only a place can stand. A single word that has several labels gets
    the likeliest, a person's before others. A word after what somebody is ("her partner Moll") is a person's name.
    """
    names = _NamesOfPeople(text, spans, everyday)
    votes: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for span in spans:
        votes[_key(text, span)][span.label] += span.score

    def unify(span: Span) -> Span:
        string = text[span.start : span.end]
        if span.label == "PERSON":
            is_place = lookup_key(string) in name_lists.large_places() or "LOC" in votes[_key(text, span)]
            return replace(span, label="LOC") if is_place and is_place_here(text, span.start, span.end) else span
        if span.label not in _KINDS_OF_WORDS or not names.reads_as_name(string):
            return span
        if is_place_here(text, span.start, span.end):
            return span
        key = _key(text, span)
        if (identifier := names.identifier_of(string)) is not None:
            return replace(span, label="PERSON", identifier=identifier)
        is_name = votes[key]["PERSON"] >= _LIKELY and key not in name_lists.places()
        if is_name or votes[key]["PERSON"] >= max(_LIKELY, votes[key][span.label]) or _is_introduced(text, span):
            return replace(span, label="PERSON")
        likeliest = max(votes[key], key=lambda label: votes[key][label])
        return replace(span, label=likeliest) if likeliest in _KINDS_OF_WORDS else span

    return [unify(span) for span in spans]


def _key(text: str, span: Span) -> str:
    return lookup_key(POSSESSIVE.sub("", text[span.start : span.end].strip()))


def _is_introduced(text: str, span: Span) -> bool:
    """Whether what somebody is stands before a word that was taken for something else."""
    if span.label not in _MISTAKEN_FOR_NAMES:
        return False
    return _PERSON_BEFORE.search(text, max(0, span.start - _LONGEST_LEAD), span.start) is not None


class _NamesOfPeople:
    """The words of the names of people in a text."""

    def __init__(self, text: str, spans: Sequence[Span], everyday: EverydayWords) -> None:
        self._everyday = everyday
        self._full: dict[str, Identifier] = {}
        self._single: set[str] = set()
        for span in spans:
            if span.label == "PERSON" and span.score >= _LIKELY:
                words = [lookup_key(word) for word in self._rare_words(text[span.start : span.end])]
                if len(words) > 1:
                    self._full.update(dict.fromkeys(words, span.identifier or "quasi"))
                self._single.update(words)

    def _rare_words(self, string: str) -> Iterator[str]:
        for word in LETTERS.findall(string):
            is_part = len(word) >= _MIN_WORD and word not in PARTICLES and not is_title(word)
            if is_part and word[0].isupper() and not self._everyday.includes(word):
                yield word

    def reads_as_name(self, string: str) -> bool:
        """Whether all words are capitalised and none is an everyday word."""
        words = [word for word in LETTERS.findall(POSSESSIVE.sub("", string)) if word not in PARTICLES]
        return bool(words) and not any(map(str.isdigit, string)) and len(list(self._rare_words(string))) == len(words)

    def identifier_of(self, string: str) -> Identifier | None:
        """That of the full name that a string is part of, or makes with a given name; None where there is none."""
        words = [lookup_key(word) for word in self._rare_words(string)]
        if words and all(word in self._full for word in words):
            return self._full[words[0]]
        is_full = len(words) > 1 and all(word in self._single or word in given_names() for word in words)
        return "direct" if is_full and not self._single.isdisjoint(words) else None
