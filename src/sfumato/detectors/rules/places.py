"""Places by lexicon and head noun, addresses and postcodes by pattern; organisations by legal form and head noun."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import dropwhile, takewhile

from sfumato.detectors.rules.name_parts import UPPER, Word, names_a_thing
from sfumato.detectors.rules.patterns import Pattern, WordsNear, alternatives, any_of, expand, load_patterns, word_list
from sfumato.document import Span
from sfumato.lexicon import name_lists
from sfumato.lexicon.name_lists import GENERIC_IN_ORGANISATIONS, LEGAL_FORMS, ORGANISATION_HEADS, PLACE_HEADS, is_title
from sfumato.lexicon.tables import load_toml
from sfumato.lexicon.tokens import find_at, first_words, lazy_pattern, starts_of

_LONGEST = 60
_RESIDENCE_SCORE = 0.8
_NEXT_WORDS = lazy_pattern(r"[^\s,;:()]+(?:[ \u00a0][^\s,;:()]+){1,5}")
_LEAD = lazy_pattern(
    rf"(?i)(?<!\w){any_of(word_list('places.leads'))}(?: {any_of(word_list('places.articles'))})?[ \u00a0]$"
)
_SURE_LEAD = lazy_pattern(rf"(?<!\w){any_of(word_list('places.sure_leads'))}[ \u00a0]$")
_RESIDENCE = lazy_pattern(
    rf"(?i)(?<!\w){any_of(word_list('places.residence'))}[ \u00a0](?:{any_of(word_list('places.articles'))}[ \u00a0])?"
)
_FIRST_OF_RESIDENCE = first_words(word_list("places.residence"))
_CAPITALISED_WORDS = lazy_pattern(r"[^\W\d_a-z][\w'’-]+(?:[ \u00a0][^\W\d_][\w'’-]+){0,3}")
_HEADS_FIRST = frozenset(word_list("places.heads_first"))
_ACRONYMS = frozenset(word_list("places.acronyms"))
_PLACE_FOLLOWS = lazy_pattern(r", ([^\W\d_][\w'’-]+(?: [A-Z][\w'’-]+)?)")


@cache
def _longest_names() -> dict[str, int]:
    """The number of words of the longest place, by its first word; of places of several words."""
    longest: dict[str, int] = {}
    for place in name_lists.places():
        if not place.isalnum() and len(words := place.split()) > longest.get(words[0], 1):
            longest[words[0]] = len(words)
    return longest


@cache
def _ambiguous() -> frozenset[str]:
    """Places that are also everyday words or names of people; large places count as such despite a family name."""
    given_names, common = name_lists.given_names().keys(), name_lists.common_words()
    others = given_names | name_lists.family_names() | common
    large = name_lists.large_places() - common - given_names
    return (name_lists.places() & others) - large


def find_places(text: str, runs: Iterable[Sequence[Word]]) -> Iterator[Span]:
    longest, places = _longest_names(), name_lists.places()
    for run in runs:
        index = 0
        while index < len(run):
            length = longest.get(run[index].key) or int(run[index].key in places)
            span = _find_place_by_lexicon(text, run[index], length) if length else None
            if span is None:
                index += 1
                continue
            yield span
            index = next((i for i in range(index + 1, len(run)) if run[i].start >= span.end), len(run))
        yield from _find_place_by_head(run)


def _find_place_by_lexicon(text: str, word: Word, length: int) -> Span | None:
    if length > 1 and (phrase := _longest_phrase(text, word.start, length)):
        return Span(word.start, word.start + len(phrase), "LOC", "quasi", 0.8, "rules:place")
    if word.key not in name_lists.places() or word.is_initial or names_a_thing(text, word.end):
        return None
    score = 0.8 if word.key in name_lists.regions() else 0.65
    if word.key in _ambiguous() or len(word.text) < 4:
        score = 0.3
        lead = _SURE_LEAD if word.key in name_lists.common_words() else _LEAD
        if len(word.text) > 2 and lead.search(text[max(0, word.start - 18) : word.start]):
            score = 0.55
        elif (after := _PLACE_FOLLOWS.match(text, word.end)) and _is_region(after[1]):
            score = 0.6
        if word.text in _ACRONYMS:
            score = 0.7
    return Span(word.start, word.end, "LOC", "quasi", score, "rules:place")


def find_residences(text: str) -> Iterator[Span]:
    """Known towns after words that say that somebody lives there or was born there."""
    for cue in find_at(_RESIDENCE, text, starts_of(_FIRST_OF_RESIDENCE, text)):
        words = _CAPITALISED_WORDS.match(text, cue.end())
        if words is None or not words[0][0].isupper():
            continue
        ends = [place.end() for place in re.finditer(r"[^ \u00a0]+", words[0])]
        towns = (words[0][:end].removesuffix("'s").removesuffix("’s") for end in reversed(ends))
        if town := next(filter(is_town, towns), None):
            yield Span(cue.end(), cue.end() + len(town), "LOC", "quasi", _RESIDENCE_SCORE, "rules:residence")


def _is_region(name: str) -> bool:
    return name_lists.lookup_key(name) in name_lists.regions()


def _longest_phrase(text: str, start: int, length: int) -> str | None:
    match = _NEXT_WORDS.match(text, start, start + _LONGEST)
    if match is None:
        return None
    words = match.group().replace("\u00a0", " ").split(" ")
    for count in range(min(length, len(words)), 1, -1):
        phrase = " ".join(words[:count])
        for candidate in (phrase, phrase.rstrip(".!?'’\"”"), re.sub(r"['’]s$", "", phrase)):
            if name_lists.lookup_key(candidate) in name_lists.places() and candidate.rsplit(" ", 1)[-1][:1].isupper():
                return candidate
    return None


def _find_place_by_head(run: Sequence[Word]) -> Iterator[Span]:
    """ "Lake Garda", "Tower Bridge", "Heathrow Airport": a head noun with a name beside it."""
    if len(run) < 2:
        return
    for index, word in enumerate(run):
        if word.key not in PLACE_HEADS:
            continue
        first = index
        while first > 0 and run[first - 1].key not in name_lists.common_words() and not run[first - 1].is_initial:
            first -= 1
        if first < index:
            yield Span(run[first].start, word.end, "LOC", "quasi", 0.6, "rules:place")
        elif index + 1 < len(run) and word.key in _HEADS_FIRST:
            yield Span(word.start, run[index + 1].end, "LOC", "quasi", 0.6, "rules:place")


# Street addresses and postcodes.

_ADDRESS_PARTS = load_toml("addresses", package="sfumato.detectors")["fragments"]
_TOWN_BEFORE = lazy_pattern(expand(r"(?<!\w){{town_word}}(?:[ ]{{town_word}}){0,2}(?=,?[ ]$)", _ADDRESS_PARTS))


class PostcodeWithTown(Pattern):
    """A postcode with the town that stands before it: "Bristol BS1 4QA"."""

    def span_of(self, text: str, match: re.Match[str], words_near: WordsNear | None = None) -> Span | None:
        span = super().span_of(text, match, words_near)
        before = _TOWN_BEFORE.search(text, max(0, match.start() - 40), match.start())
        if span is None or before is None:
            return span
        words = list(re.finditer(r"[^ ]+", before.group()))
        for word in words:
            town = before.group()[word.start() :]
            if is_town(town) or (word is words[-1] and name_lists.lookup_key(town) not in name_lists.common_words()):
                return span.moved(before.start() + word.start(), span.end)
        return span


def is_town(name: str) -> bool:
    """Whether it is the name of a town, and no everyday word."""
    place = name_lists.lookup_key(name)
    return place in name_lists.cities() and place not in name_lists.common_words()


def is_code_of_a_town(text: str) -> bool:
    """Whether five digits stand before a known town; round numbers count things: "10000 Berlin households"."""
    code, _, town = text.partition(" ")
    words = town.split()
    return not code.endswith("000") and any(is_town(" ".join(words[:n])) for n in range(len(words), 0, -1))


def _street_types(*languages: str) -> tuple[str, ...]:
    return word_list("addresses.street_types", *languages)


_ROMANCE = _street_types("es", "it", "pt")
_STREETS_ROMANCE = (*_ROMANCE, *(word.lower() for word in _ROMANCE if len(word) > 2))
_POSTCODE_WORDS = word_list("addresses.postcode_words")
_UK_POSTCODE = expand(r"(?<!\w){{uk_code}}", _ADDRESS_PARTS)
PATTERNS = (
    PostcodeWithTown("postcode", "LOC", _UK_POSTCODE, "quasi", 0.6, _POSTCODE_WORDS),
    *load_patterns(
        "addresses",
        is_code_of_a_town,
        streets_en=alternatives(_street_types("en")),
        streets_fr=alternatives(_street_types("fr")),
        streets_de=any_of(_street_types("de")),
        streets_romance=alternatives(_STREETS_ROMANCE),
        endings_de=any_of(word_list("addresses.street_endings", "de")),
        endings_nl=any_of(word_list("addresses.street_endings", "nl")),
        post_boxes="|".join(word_list("addresses.post_boxes")),
    ),
)


# Organisations: a legal form after a name, or a head noun with capitalised words beside it.

_LEGAL_FORM = lazy_pattern(
    rf",? (?:{alternatives(LEGAL_FORMS)})(?![\w])\.?(?: ?(?:{alternatives(LEGAL_FORMS)})(?!\w)\.?){{0,2}}"
)
_LAST_WORDS = frozenset(form.casefold().rstrip(".") for form in LEGAL_FORMS if form.isupper() or len(form) < 5)
_NOT_LEGAL_FORMS = frozenset(word_list("organisations.not_legal_forms"))
_ORGANISATION_TAIL = lazy_pattern(
    rf"(?: {any_of(word_list('organisations.of'))}(?: {any_of(word_list('organisations.articles'))})?"
    rf" [{UPPER}][\w'’-]{{1,30}}(?: [{UPPER}][\w'’-]{{1,30}}){{0,3}}){{1,3}}"
)
_ACRONYM = lazy_pattern(r" \((?:the )?[“\"‘']?([A-Z]{2,8})[”\"’']?[,)]")
# "National Insurance number": before one of these words a generic name describes a thing.
_ATTRIBUTE = lazy_pattern(
    r" (?:numbers?|no\b|nr\b|contributions?|cards?|codes?|polic(?:y|ies)|claims?|scheme|credits?)"
)
_NOT_ORGANISATIONS = frozenset(word_list("organisations.not_organisations"))
_ORGANISATION_LEADS = frozenset(word_list("organisations.leads"))
_TOO_GENERAL = frozenset(word_list("organisations.too_general"))


def find_organisations(text: str, runs: Iterable[Sequence[Word]]) -> Iterator[Span]:
    previous: Sequence[Word] = ()
    acronyms: set[str] = set()
    all_caps: list[Word] = []
    for run in runs:
        all_caps.extend(word for word in run if word.is_all_caps)
        is_possessive = bool(previous) and text[previous[-1].end : run[0].start] in ("'s ", "’s ")
        for span in _find_organisation(text, [*previous, *run] if is_possessive else run):
            if acronym := _ACRONYM.match(text, span.end):
                acronyms.add(acronym[1])
            yield span
        previous = run
    for word in all_caps:
        if word.text in acronyms:
            yield Span(word.start, word.end, "ORG", "quasi", 0.6, "rules:organisation")


def _find_organisation(text: str, run: Sequence[Word]) -> Iterator[Span]:
    last = run[-1]
    if legal_form := _LEGAL_FORM.match(text, last.end):
        start = _start_without_lead(run)
        if start is not None:
            yield Span(start, legal_form.end(), "ORG", "quasi", 0.8, "rules:organisation")
            return
    if len(run) > 1 and last.key.rstrip(".") in _LAST_WORDS and last.text not in _NOT_LEGAL_FORMS:
        start = _start_without_lead(run[:-1])
        if start is not None:
            yield Span(start, last.end, "ORG", "quasi", 0.75, "rules:organisation")
            return
    yield from _find_organisation_by_head(text, run)


def _start_without_lead(run: Sequence[Word]) -> int | None:
    return next((word.start for word in run if word.key not in _ORGANISATION_LEADS), None)


def _last_head(run: Sequence[Word]) -> str:
    return next(word.key for word in reversed(run) if word.key in ORGANISATION_HEADS)


def _without_leads_and_titles(run: Sequence[Word]) -> list[Word]:
    before_title = takewhile(lambda word: not (len(word.key) < 5 and is_title(word.key)), run)
    return list(dropwhile(lambda word: word.key in _ORGANISATION_LEADS, before_title))


def _find_organisation_by_head(text: str, run: Sequence[Word]) -> Iterator[Span]:
    words = _without_leads_and_titles(run)
    if ORGANISATION_HEADS.isdisjoint(word.key for word in words) or words[-1].key in _NOT_ORGANISATIONS:
        return
    end = words[-1].end
    if tail := _ORGANISATION_TAIL.match(text, end):
        end = tail.end()
    distinctive = {word.key for word in words} - ORGANISATION_HEADS - GENERIC_IN_ORGANISATIONS
    describes_thing = tail is None and (len(words) < 2 or _ATTRIBUTE.match(text, end))
    if not distinctive and (_last_head(run) in _TOO_GENERAL or describes_thing):
        return
    is_likely = tail is not None or not distinctive <= name_lists.common_words()
    yield Span(words[0].start, end, "ORG", "quasi", 0.7 if is_likely else 0.5, "rules:organisation")
