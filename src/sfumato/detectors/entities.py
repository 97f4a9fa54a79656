"""Tie the mentions of one person or organisation in a document together.

An entity's id is its type and its fullest name, folded, so that the same name gives the same id in every document.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sfumato.document import Document, Span
from sfumato.lexicon import name_lists
from sfumato.lexicon.name_lists import LEGAL_FORMS, Gender, gender_of, given_names, is_title, lookup_key
from sfumato.lexicon.phrases import PhraseIndex, PhraseMatch, collapse_spaces, fold_phrase

_POSSESSIVE = re.compile(r"['’]s?$")
_NAME_WORD = re.compile(r"[^\s,]+")
_INITIALS = re.compile(r"(?:[^\W\d_]\.?[\s-]?){2,4}")
_FORMS = sorted({re.escape(form.casefold().rstrip(".")) for form in LEGAL_FORMS}, key=len, reverse=True)
_LEGAL_FORM = re.compile(rf"[\s,]+(?:{'|'.join(_FORMS)})\.?$")
_TOLD_GENDER = re.compile(r" \((female|male)\)$")
_SMALL_WORDS = frozenset("of the and for in de la del der des du di e y et und für von van".split())


@dataclass(frozen=True)
class Name:
    """A mention of a person, taken apart: folded words in the order given-family."""

    words: tuple[str, ...]
    gender: Gender | None

    @property
    def is_full(self) -> bool:
        return sum(len(word) > 1 for word in self.words) >= 2

    @property
    def initials(self) -> str:
        return "".join(word[0] for word in self.words)


def link(text: str, spans: Sequence[Span]) -> list[Span]:
    """The same spans, each with an ``entity``; one that is set already stays.

    People: full name, surname or given name alone, initials, possessive, case, "Surname, Given". A surname that two
    people of the document share is tied to neither, and titles that contradict each other separate (Mr / Mrs).
    Organisations: with and without legal form, the beginning of the name, and the acronym of its capitalised words.
    Everything else: the same string, white space and case aside; codes also without their separators.
    """
    by_label: dict[str, list[int]] = defaultdict(list)
    for position, span in enumerate(spans):
        if span.entity is None:
            by_label[span.label].append(position)
    entities: dict[int, str] = {}
    for label, positions in by_label.items():
        mentions = [text[spans[position].start : spans[position].end] for position in positions]
        for position, name in zip(positions, _LINKERS.get(label, _same_string)(mentions), strict=True):
            entities[position] = f"{label.lower()}:{name}"
    return [
        replace(span, entity=entities[position]) if position in entities else span
        for position, span in enumerate(spans)
    ]


def _same_string(mentions: Iterable[str]) -> list[str]:
    return [fold_phrase(_POSSESSIVE.sub("", mention.strip())) for mention in mentions]


def _same_code(mentions: Iterable[str]) -> list[str]:
    return [re.sub(r"[\s.\-/]", "", mention).casefold() or mention for mention in mentions]


def parse_name(mention: str) -> Name:
    """``parse_name("Mrs SMITH, Anna")`` has the words anna, smith and is female."""
    words = _NAME_WORD.findall(_POSSESSIVE.sub("", mention.strip())) or [mention]
    genders = [gender_of(word) for word in words if is_title(word)]
    gender = next((gender for gender in genders if gender), None)
    kept = [word for word in words if not is_title(word)] or words
    if "," in mention and len(kept) >= 2:
        family_words = len(_NAME_WORD.findall(mention.partition(",")[0])) - len(words) + len(kept)
        family_words = max(1, min(family_words, len(kept) - 1))
        kept = kept[family_words:] + kept[:family_words]
    if len(kept) == 1 and _are_initials(kept[0]):
        kept = [letter for letter in kept[0] if letter.isalpha()]
    return Name(tuple(word.casefold().strip(".'’") or word.casefold() for word in kept), gender)


def _are_initials(word: str) -> bool:
    """Whether a word is initials: A.Q. or AQ, but not ADA."""
    if not word.isupper() or not _INITIALS.fullmatch(word):
        return False
    return "." in word or (len(word) <= 3 and lookup_key(word) not in given_names())


def entity_name(entity: str | None, mention: str) -> Name:
    """The fullest name of a linked person; the mention's own where the entity is not one of ours."""
    kind, _, words = (entity or "").partition(":")
    if kind != "person" or not words:
        return parse_name(mention)
    told = _TOLD_GENDER.search(words)
    gender: Gender | None = "female" if told and told[1] == "female" else "male" if told else None
    return Name(tuple(_TOLD_GENDER.sub("", words).split()), gender or parse_name(mention).gender)


def _people(mentions: Sequence[str]) -> list[str]:
    names = [parse_name(mention) for mention in mentions]
    full: dict[tuple[str, ...], set[Gender]] = {}
    for name in sorted(names, key=lambda name: (-len(name.words), name.words)):
        if name.is_full:
            longer = [words for words in full if _says_less(name, words, full[words])]
            home = longer[0] if len(longer) == 1 else name.words
            full.setdefault(home, set()).update({name.gender} if name.gender else ())
    by_word: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    by_initials: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for words in full:
        for word in dict.fromkeys((words[0], words[-1])):
            by_word[word].append(words)
        by_initials["".join(word[0] for word in words)].append(words)

    def home_of(name: Name) -> tuple[str, ...]:
        if name.words in full:
            return name.words
        near = by_word.get(name.words[-1], []) + (by_word.get(name.words[0], []) if len(name.words) > 1 else [])
        near += by_initials.get(name.initials, [])
        fitting = {words for words in near if _says_less(name, words, full[words])}
        return fitting.pop() if len(fitting) == 1 else name.words

    known: dict[Name, str] = {}
    for name in names:
        if name not in known:
            home = home_of(name)
            alone = home == name.words and len(home) == 1
            known[name] = " ".join(home) + (f" ({name.gender})" if alone and name.gender else "")
    return _one_gender_each([known[name] for name in names])


def _one_gender_each(homes: list[str]) -> list[str]:
    """ "Smith" beside a single "Mr Smith" is the same; beside both Mr and Mrs Smith it is neither."""
    told = {home for home in homes if _TOLD_GENDER.search(home)}
    joined = {}
    for home in set(homes) - told:
        variants = [variant for variant in told if variant.rpartition(" (")[0] == home]
        if len(variants) == 1:
            joined[variants[0]] = home
    return [joined.get(home, home) for home in homes]


def _says_less(name: Name, full: tuple[str, ...], genders: set[Gender]) -> bool:
    """Whether a mention can be a shorter way to say a full name."""
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


def _organisations(mentions: Sequence[str]) -> list[str]:
    cores = [_core(mention) for mention in mentions]
    longest_first = sorted(set(cores), key=lambda core: (-len(core), core))
    acronyms: dict[str, list[str]] = defaultdict(list)
    for mention, core in zip(mentions, cores, strict=True):
        for acronym in _acronyms(mention):
            if core not in acronyms[acronym]:
                acronyms[acronym].append(core)
    home: dict[str, str] = {}
    for core in longest_first:
        begins = [longer for longer in home if longer.startswith(core + " ") and home[longer] == longer]
        candidates = begins or acronyms.get(core, [])
        home[core] = candidates[0] if len(candidates) == 1 and candidates[0] in home else core
    return [home[core] for core in cores]


def _core(mention: str) -> str:
    core = fold_phrase(_POSSESSIVE.sub("", mention.strip()))
    return _LEGAL_FORM.sub("", core.removeprefix("the ")) or core


def _acronyms(mention: str) -> set[str]:
    words = re.findall(r"[^\W\d_]+", mention)
    capitalised = [word for word in words if word[0].isupper()]
    if len(capitalised) < 2:
        return set()
    without_form = capitalised[:-1] if _LEGAL_FORM.search(mention.casefold()) else capitalised
    spoken = [word for word in words if word in capitalised or word in _SMALL_WORDS]
    return {
        "".join(word[0] for word in part).casefold() for part in (capitalised, without_form, spoken) if len(part) > 1
    }


_LINKERS: dict[str, Callable[[Sequence[str]], list[str]]] = {
    "PERSON": _people,
    "ORG": _organisations,
    "CODE": _same_code,
}


# -- What is personal once is personal everywhere: in the document, and in other documents of the same person.


_SHORTEST_NAME = 4
_ENDINGS = ("s", "es", "a", "ova", "ová")
"""How a surname is bent in the languages we read: the Quorvexes, Quorvexs Haus, Quorvexová."""

_LIKELY = 0.5

_Value = tuple[Span, str | None]


class Repeats:
    """Strings found somewhere, each with a span that says what it is, to be found again.

    Always as whole words; names in any case unless they are also common words (Will), everything else as written.
    Of a full name its other forms are found too: the first and the last word alone, bent, turned round, with initials.
    """

    def __init__(self, found: Mapping[str, Span]) -> None:
        self._index: PhraseIndex[_Value] = PhraseIndex(match_case=False)
        for string, span in found.items():
            any_case = span.label == "PERSON" and not _is_common(string)
            self._index.add(string, (span, None if any_case else collapse_spaces(string)))
            if span.label == "PERSON":
                for form in _other_forms(string):
                    if form not in found:
                        self._index.add(form, (span, form))

    def find(self, text: str, known: Sequence[Span], note: str) -> list[Span]:
        """Where the strings stand in a text, outside the spans already known (disjoint, sorted)."""
        starts = [span.start for span in known]

        def is_as_written(hit: PhraseMatch[_Value]) -> bool:
            as_written = hit.value[1]
            return as_written is None or collapse_spaces(text[hit.start : hit.end]) == as_written

        def is_covered(hit: PhraseMatch[_Value]) -> bool:
            at = bisect_right(starts, hit.start) - 1
            return at >= 0 and hit.end <= known[at].end

        return [
            replace(hit.value[0], start=hit.start, end=hit.end, entity=None, source=f"{hit.value[0].source}+{note}")
            for hit in self._index.find(text, is_as_written)
            if not is_covered(hit)
        ]


def repeated(text: str, spans: Sequence[Span]) -> list[Span]:
    """The other places of a document where a found string stands; the spans are disjoint and sorted."""
    return Repeats({text[span.start : span.end]: span for span in spans}).find(text, spans, "repeated")


def without_outvoted(text: str, spans: Sequence[Span]) -> list[Span]:
    """The spans (disjoint, sorted) less the faint guesses whose string was let stand in most other places.

    What is replaced once must go everywhere, so a string is judged as one: a faint guess at one of five places would
    otherwise take all five. Direct identifiers are never put to the vote.
    """
    faint = Counter(text[span.start : span.end] for span in spans if _is_faint(span))
    if not faint:
        return list(spans)
    firm = {text[span.start : span.end] for span in spans if not _is_faint(span)}
    asked = {text[span.start : span.end]: span for span in spans if text[span.start : span.end] in faint.keys() - firm}
    standing = Counter(text[hit.start : hit.end] for hit in Repeats(asked).find(text, spans, "repeated"))
    outvoted = {string for string in asked if standing[string] > faint[string]}
    return [span for span in spans if text[span.start : span.end] not in outvoted]


def _is_faint(span: Span) -> bool:
    return span.identifier != "direct" and span.score < _LIKELY


@dataclass(frozen=True)
class SubjectNames:
    """The direct identifiers of people who have several documents: what was found in one holds in all of theirs."""

    found: Mapping[str, Mapping[str, Span]]
    """A subject's id -> string -> what it is."""

    @classmethod
    def learn(
        cls,
        documents: Callable[[], Iterable[Document]],
        detect: Callable[[Iterable[Document]], Iterator[tuple[Document, list[Span]]]],
    ) -> SubjectNames | None:
        """Read the documents once to see who has several, and those of these people again to find what names them.

        None where nobody has. A document without subjects has one of its own, and is not read again.
        """
        counts = Counter(subject for document in documents() for subject in set(document.subjects))
        shared = {subject for subject, count in counts.items() if count > 1}
        if not shared:
            return None
        found: dict[str, dict[str, Span]] = defaultdict(dict)
        for document, spans in detect(item for item in documents() if shared.intersection(item.subjects)):
            for span in spans:
                if span.identifier == "direct":
                    for subject in shared.intersection(document.subjects):
                        found[subject].setdefault(document.text[span.start : span.end], span)
        return cls({subject: dict(strings) for subject, strings in found.items()})

    def spans(self, document: Document, known: Sequence[Span]) -> list[Span]:
        """What is known of a document's subjects, where it stands in its text beyond what was found there."""
        strings: dict[str, Span] = {}
        for subject in document.subjects:
            strings.update(self.found.get(subject, {}))
        return Repeats(strings).find(document.text, known, "same-subject") if strings else []


def _other_forms(name: str) -> Iterator[str]:
    """Other ways to write a full name, as written: Anna, Quorvex, Quorvexes, Quorvex Anna, A. Quorvex, A.Q."""
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
    if len(last) > _SHORTEST_NAME and _is_name(last):
        yield from (last + ending for ending in _ENDINGS)
    yield from (f"{last} {first}", f"{last}, {first}", f"{first} {last}")
    yield from (f"{first[0]}. {last}", f"{first[0]}.{last}", f"{first[0]} {last}", f"{last} {first[0]}.")
    yield from (f"{first[0]}.{last[0]}.", f"{first[0]}. {last[0]}.")


def _is_name(word: str) -> bool:
    return word.isalpha() and word[0].isupper() and not _is_common(word)


def _is_common(name: str) -> bool:
    key = name_lists.lookup_key(name)
    return len(key) < _SHORTEST_NAME or (key.isalpha() and key in name_lists.common_words())
