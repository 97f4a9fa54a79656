"""Entity linking: which mentions are one person or organisation, and further mentions of what was found.

An entity's id is its type and its fullest name, folded, so that the same name gives the same id in every document.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sfumato.detectors.rules.patterns import word_list
from sfumato.document import Document, Span
from sfumato.lexicon import name_lists
from sfumato.lexicon.name_lists import LEGAL_FORMS, Gender, gender_of, given_names, is_title, lookup_key
from sfumato.lexicon.tokens import PhraseIndex, PhraseMatch, collapse_spaces, fold_phrase

_POSSESSIVE = re.compile(r"['’]s?$")
_NAME_WORD = re.compile(r"[^\s,]+")
_INITIALS = re.compile(r"(?:[^\W\d_]\.?[\s-]?){2,4}")
_FORMS = sorted({re.escape(form.casefold().rstrip(".")) for form in LEGAL_FORMS}, key=len, reverse=True)
_LEGAL_FORM = re.compile(rf"(?<![\s,])[\s,]++(?:{'|'.join(_FORMS)})\.?$")
_GENDER_SUFFIX = re.compile(r" \((female|male)\)$")
_ACRONYM_WORDS = frozenset(word_list("spans.acronym_words"))
_MIN_NAME_LENGTH = 4
_SURNAME_ENDINGS = ("s", "es", "a", "ova", "ová")
"""Inflected surnames: the Quorvexes, Quorvexs Haus, Quorvexová."""
_LIKELY = 0.5


@dataclass(frozen=True)
class PersonName:
    """The parts of a person's name: folded words, given names before family names."""

    words: tuple[str, ...]
    gender: Gender | None

    @property
    def is_full(self) -> bool:
        return sum(len(word) > 1 for word in self.words) >= 2

    @property
    def initials(self) -> str:
        return "".join(word[0] for word in self.words)


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
        mentions = [text[spans[index].start : spans[index].end] for index in indexes]
        for index, name in zip(indexes, _LINKERS.get(label, _link_strings)(mentions), strict=True):
            entities[index] = f"{label.lower()}:{name}"
    return [replace(span, entity=entities[i]) if i in entities else span for i, span in enumerate(spans)]


def _link_strings(mentions: Iterable[str]) -> list[str]:
    return [fold_phrase(_POSSESSIVE.sub("", mention.strip())) for mention in mentions]


def _link_codes(mentions: Iterable[str]) -> list[str]:
    return [re.sub(r"[\s.\-/]", "", mention).casefold() or mention for mention in mentions]


def parse_name(mention: str) -> PersonName:
    """``parse_name("Mrs SMITH, Anna")`` has the words anna, smith and is female."""
    words = _NAME_WORD.findall(_POSSESSIVE.sub("", mention.strip())) or [mention]
    genders = [gender_of(word) for word in words if is_title(word)]
    gender = next((gender for gender in genders if gender), None)
    names = [word for word in words if not is_title(word)] or words
    if "," in mention and len(names) >= 2:
        family_words = len(_NAME_WORD.findall(mention.partition(",")[0])) - len(words) + len(names)
        family_words = max(1, min(family_words, len(names) - 1))
        names = names[family_words:] + names[:family_words]
    if len(names) == 1 and _are_initials(names[0]):
        names = [letter for letter in names[0] if letter.isalpha()]
    return PersonName(tuple(word.casefold().strip(".'’") or word.casefold() for word in names), gender)


def _are_initials(word: str) -> bool:
    """Whether a word is initials: A.Q. or AQ, but not ADA."""
    if not word.isupper() or not _INITIALS.fullmatch(word):
        return False
    return "." in word or (len(word) <= 3 and lookup_key(word) not in given_names())


def entity_name(entity: str | None, mention: str) -> PersonName:
    """The fullest name of a linked person; that of the mention where the entity was not linked here."""
    kind, _, words = (entity or "").partition(":")
    if kind != "person" or not words:
        return parse_name(mention)
    suffix = _GENDER_SUFFIX.search(words)
    gender: Gender | None = "female" if suffix and suffix[1] == "female" else "male" if suffix else None
    return PersonName(tuple(_GENDER_SUFFIX.sub("", words).split()), gender or parse_name(mention).gender)


def _link_people(mentions: Sequence[str]) -> list[str]:
    names = [parse_name(mention) for mention in mentions]
    full: dict[tuple[str, ...], set[Gender]] = {}
    by_part: dict[str, list[tuple[str, ...]]] = defaultdict(list)

    def longer_names(name: PersonName) -> list[tuple[str, ...]]:
        """Full names that have the name's rarest word, or a word of which it is the initial."""
        return min((by_part.get(word, []) for word in name.words), key=len)

    for name in sorted(dict.fromkeys(names), key=lambda name: (-len(name.words), name.words)):
        if name.is_full:
            longer = [words for words in longer_names(name) if _is_short_form(name, words, full[words])]
            words = longer[0] if len(longer) == 1 else name.words
            if words not in full:
                for part in {*words, *(word[0] for word in words)}:
                    by_part[part].append(words)
            full.setdefault(words, set()).update({name.gender} if name.gender else ())
    by_word: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for words in full:
        for word in dict.fromkeys((words[0], words[-1])):
            by_word[word].append(words)

    def full_name(name: PersonName) -> tuple[str, ...]:
        if name.words in full:
            return name.words
        first, last = name.words[0], name.words[-1]
        candidates = by_word.get(first, []) if len(name.words) == 1 else longer_names(name)
        matching = [
            words
            for words in candidates
            if not {first, last}.isdisjoint((words[0], words[-1]))
            or name.initials == "".join(word[0] for word in words)
            if _is_short_form(name, words, full[words])
        ]
        return matching[0] if len(matching) == 1 else name.words

    ids: dict[PersonName, str] = {}
    for name in names:
        if name not in ids:
            words = full_name(name)
            is_alone = words == name.words and len(words) == 1
            ids[name] = " ".join(words) + (f" ({name.gender})" if is_alone and name.gender else "")
    return _join_genders([ids[name] for name in names])


def _join_genders(ids: list[str]) -> list[str]:
    """ "Smith" beside a single "Mr Smith" is the same person; beside both Mr and Mrs Smith it is neither."""
    gendered = {name for name in ids if _GENDER_SUFFIX.search(name)}
    variants: dict[str, list[str]] = defaultdict(list)
    for variant in gendered:
        variants[variant.rpartition(" (")[0]].append(variant)
    joined = {variants[name][0]: name for name in set(ids) - gendered if name in variants and len(variants[name]) == 1}
    return [joined.get(name, name) for name in ids]


def _is_short_form(name: PersonName, full: tuple[str, ...], genders: set[Gender]) -> bool:
    """Whether a mention can be a shorter form of a full name."""
    if name.gender and genders and name.gender not in genders:
        return False
    words = name.words
    if len(words) == 1:
        return words[0] in (full[0], full[-1])
    if all(len(word) == 1 for word in words):
        return name.initials in ("".join(word[0] for word in full), full[0][0] + full[-1][0])
    if words == full[: len(words)]:  # "Ana Gil" for "Ana Gil Ruiz", who has two surnames
        return True
    if len(words) > len(full) or not _same_or_initial(words[-1], full[-1]):
        return False
    rest = iter(full)
    return all(any(_same_or_initial(word, candidate) for candidate in rest) for word in words)


def _same_or_initial(word: str, candidate: str) -> bool:
    return word == candidate or (len(word) == 1 and candidate.startswith(word))


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
    core = fold_phrase(_POSSESSIVE.sub("", mention.strip()))
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
    "PERSON": _link_people,
    "ORG": _link_organisations,
    "CODE": _link_codes,
}


# Repeats: what is personal once is personal everywhere in the document, and in other documents of the same person.

_Value = tuple[Span, str | None]


class RepeatFinder:
    """Finds further occurrences of strings, each with a span that says what it is.

    Always as whole words; names in any case unless they are also common words (Will), everything else as written.
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

        def is_as_written(match: PhraseMatch[_Value]) -> bool:
            as_written = match.value[1]
            return as_written is None or collapse_spaces(text[match.start : match.end]) == as_written

        def is_covered(match: PhraseMatch[_Value]) -> bool:
            index = bisect_right(starts, match.start) - 1
            return index >= 0 and match.end <= covered[index].end

        return [
            replace(
                match.value[0], start=match.start, end=match.end, entity=None, source=f"{match.value[0].source}+{note}"
            )
            for match in self._index.find(text, is_as_written)
            if not is_covered(match)
        ]


def find_repeats(text: str, spans: Sequence[Span]) -> list[Span]:
    """Further occurrences of the spans' strings in a document; the spans are disjoint and sorted."""
    return RepeatFinder({text[span.start : span.end]: span for span in spans}).find(text, spans, "repeated")


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
        detect: Callable[[Iterable[Document]], Iterator[tuple[Document, list[Span]]]],
    ) -> SubjectNames | None:
        """Read the documents once to count them by subject, and those of subjects with several again to detect names.

        None where no subject has several. A document without subjects is not read again.
        """
        counts = Counter(subject for document in documents() for subject in set(document.subjects))
        shared = {subject for subject, count in counts.items() if count > 1}
        if not shared:
            return None
        names: dict[str, dict[str, Span]] = defaultdict(dict)
        for document, spans in detect(item for item in documents() if shared.intersection(item.subjects)):
            for span in spans:
                if span.identifier == "direct":
                    for subject in shared.intersection(document.subjects):
                        names[subject].setdefault(document.text[span.start : span.end], span)
        return cls({subject: dict(strings) for subject, strings in names.items()})

    def spans(self, document: Document, covered: Sequence[Span]) -> list[Span]:
        """Occurrences of the identifiers of a document's subjects, outside of the covered spans."""
        strings: dict[str, Span] = {}
        for subject in document.subjects:
            strings.update(self.strings.get(subject, {}))
        return RepeatFinder(strings).find(document.text, covered, "same-subject") if strings else []


def _other_forms(name: str) -> Iterator[str]:
    """Other forms of a full name: Anna, Quorvex, Quorvexes, Quorvex Anna, A. Quorvex, A.Q."""
    words = [word for word in name.replace(",", " ").split() if not is_title(word)]
    if len(words) < 2 or "," in name:
        words = words[-1:] + words[:-1] if "," in name and len(words) == 2 else []
    if len(words) < 2:
        return
    first, last = words[0], words[-1]
    for word in (first, last):
        if _is_name(word):
            yield word
    if not (_is_name(first) and last.isalpha() and last[0].isupper()):
        return
    if len(last) > _MIN_NAME_LENGTH and _is_name(last):
        yield from (last + ending for ending in _SURNAME_ENDINGS)
    yield from (f"{last} {first}", f"{last}, {first}", f"{first} {last}")
    yield from (f"{first[0]}. {last}", f"{first[0]}.{last}", f"{first[0]} {last}", f"{last} {first[0]}.")
    yield from (f"{first[0]}.{last[0]}.", f"{first[0]}. {last[0]}.")


def _is_name(word: str) -> bool:
    return word.isalpha() and word[0].isupper() and not _is_common(word)


def _is_common(name: str) -> bool:
    key = name_lists.lookup_key(name)
    return len(key) < _MIN_NAME_LENGTH or (key.isalpha() and key in name_lists.common_words())
