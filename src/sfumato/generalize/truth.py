"""Truth of a generalization: does the replacement hold of the original, and does it say less?

The judge is an oracle independent of the hierarchies. It reads dates, amounts, places and nouns with its own code
(``truth_values``) and its own word lists (``data/en/truth*.toml``), and shares with them only the lexicon: names of
months, numbers, countries and WordNet. So an error in a hierarchy is not repeated in the judgement of its levels. Only
what none of these readers can decide is looked up in the hierarchies; such a verdict has the reason "hierarchies" and
must not be counted as evidence for them.

Each table answers with a ``TableVerdict``, or None where it cannot tell; the first that can decides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from sfumato.generalize.hierarchy import Mention, generalize
from sfumato.generalize.truth_values import Amount, contains, read_amount, read_period
from sfumato.lexicon import hypernyms, name_lists, wordnet, world
from sfumato.lexicon.caches import remember_in_run
from sfumato.lexicon.grammar import STOP_WORDS, content_lemmas, split_words
from sfumato.lexicon.grammar_en import FUNCTION_WORDS
from sfumato.lexicon.name_lists import lookup_key
from sfumato.lexicon.tables import fold_name, languages_with, load_toml, word_set
from sfumato.lexicon.time import Order, infer_order

_LISTS = load_toml("truth", "en", "sfumato.generalize")
_LANGUAGES = languages_with("truth", "sfumato.generalize")
_words = partial(word_set, "truth", language="en", package="sfumato.generalize")

UNKNOWN = "UNKNOWN"
"""The label where nobody recorded one."""
_LEADS = re.compile(r"\s*(?:(?:a|an|the|some|in|on|at|from|of|to|un|una|el|la|los|las|en|de)\s+)+", re.IGNORECASE)
_LABEL_WORDS = {label: words.split() for label, words in _LISTS["label_words"].items()}
_HOLLOW = _words("hollow")


class Pair(NamedTuple):
    """What stood there, what stands there now, and what stands around it."""

    original: str
    replacement: str
    label: str = UNKNOWN
    before: str = ""
    after: str = ""
    language: str = "en"


def says_no_more_than_label(replacement: str, label: str) -> bool:
    """Whether it says no more than the label does: "a place" for a LOC; where there is no label, than any would."""
    telling = [word for word in re.findall(r"\w+", bare(replacement)) if word not in _HOLLOW]
    label_words = _LABEL_WORDS.get(label) or [word for words in _LABEL_WORDS.values() for word in words]
    return len(telling) <= 1 and (telling[0] if telling else "thing") in label_words


def bare(phrase: str) -> str:
    """A phrase without what leads it in (articles, prepositions) and without marks around it, casefolded."""
    folded = re.sub(r"\s+", " ", lookup_key(phrase)).strip(" .,;:!?\"'“”‘’()[]")
    return _LEADS.sub("", folded, count=1) if _LEADS.match(folded) else folded


def shared_lemmas(pair: Pair) -> tuple[set[str], set[str], set[str]]:
    """The lemmas of the original, of the replacement, and of both."""
    language = pair.language if pair.language in STOP_WORDS else "en"
    first, second = (set(content_lemmas(text, language)) for text in (pair.original, pair.replacement))
    return first, second, first & second


# Names of places and peoples: how wide they are, and which countries they lie in.

TOWN, REGION, COUNTRY, COUNTRIES = range(4)
_PEOPLE = re.compile(r"\s+(?:nationals?|citizens?|nationality|people)$")


class Area(NamedTuple):
    """How wide a place is, and in which countries it lies."""

    extent: int
    lands: frozenset[str]


def area_of(phrase: str) -> Area | None:
    """What a phrase that is nothing but a name of a place or a people stands for."""
    name = _PEOPLE.sub("", bare(phrase))
    first = next((word for word in split_words(phrase) if word.lower() == re.split(r"[ '-]", name)[0]), "")
    if not first[:1].isupper():
        return None  # "male" is no town
    people = world.country_of_people(name)
    land = world.find_country(name) or world.country_of_adjective(name) or (people[0] if people else None)
    if land:
        return Area(REGION if "-" in land.code else COUNTRY, frozenset({land.code.partition("-")[0]}))
    for part in world.world_regions().values():
        if fold_name(name) in (fold_name(part.name), fold_name(part.adjective or part.name)):
            return Area(COUNTRIES, part.countries)
    around = world.country_name_of_place(name)
    land = world.find_country(around) if around else None
    return Area(REGION if name in name_lists.regions() else TOWN, frozenset({land.code})) if land else None


def countries_in(phrase: str) -> set[str]:
    """The countries of the places and peoples that a phrase names with a capital letter."""
    words = split_words(phrase)
    countries = set()
    for size in (3, 2, 1):
        for start in range(len(words) - size + 1):
            part = words[start : start + size]
            if part[0][:1].isupper() and part[-1][:1].isupper():
                name = " ".join(part)
                countries.add(world.country_name_of(name) or world.country_name_of_place(name))
    return {country for country in countries if country}


# The tables.

_COARSE = 0.1
"""28 days are a month: how far a coarser unit may be off."""
_ROUNDING = 0.0005
_OTHER_WORDS = 3
"""Words beside the amount, from which on a phrase is about something else."""
_AROUND_AMOUNTS = FUNCTION_WORDS | _words("around_amounts")
_FEW_KINDS = 10
"""Below so many kinds a thing beside another is a sibling; above, as an expert beside an engineer, it may hold it."""
_CLOCK = re.compile(
    r"(?:at |about |around )?(\d{1,2})(?:[:.h](\d{2}))?\s*(a\.?\s?m\.?|p\.?\s?m\.?|hours|hrs|o'clock)?", re.IGNORECASE
)
_DAY_PARTS: Mapping[str, tuple[int, int]] = _LISTS["day_parts"]


class TableVerdict(NamedTuple):
    """Whether a replacement is true of the original, and whether it says less; None: not known."""

    truthful: bool | None
    abstract: bool | None
    reason: str


def judge_by_tables(pair: Pair) -> TableVerdict | None:
    """The verdict of the first table that can tell; None where none can.

    Whoever never lived in Leeds may have lived in another city of England: what is wider is not true where the words
    beside it deny, count out or speak of all.
    """
    for table in _TABLES:
        verdict = table(pair)
        if verdict is not None:
            is_wider = verdict.truthful and verdict.abstract and verdict.reason != "type"
            return TableVerdict(False, True, "denied") if is_wider and _is_denied(pair) else verdict
    return None


def _is_denied(pair: Pair) -> bool:
    """By the words nearest before it, up to a sign or a conjunction; and by "only" right behind it."""
    words = _LISTS["denying"].get(pair.language)
    if words is None:
        return False
    nearest = re.split(rf"[.,;:!?()\n]|\b(?:{words['ends']})\b", pair.before.lower())[-1]
    nearest = re.sub(rf"\b(?:{words['apart']})\b", " ", nearest)
    denies = re.search(rf"\b(?:{words['before']})\b|\b(?:{words['next']})(?:\s+\w+){{0,2}}\s*\Z", nearest)
    return denies is not None or re.match(rf"\s+(?:{words['behind']})\b", pair.after.lower()) is not None


def _same(pair: Pair) -> TableVerdict | None:
    if bare(pair.original) == bare(pair.replacement):
        return TableVerdict(True, False, "same words")
    return None


def _type(pair: Pair) -> TableVerdict | None:
    return TableVerdict(True, True, "type") if says_no_more_than_label(pair.replacement, pair.label) else None


def _times(pair: Pair) -> TableVerdict | None:
    """By the dates; where the text leaves open whether 3/4 is in April or in March, what both readings say."""
    order = infer_order(f"{pair.before}{pair.original}{pair.after}")
    orders: tuple[Order, ...] = (order,) if order else ("dmy", "mdy")
    verdicts = {_times_in_order(pair, order) for order in orders}
    return verdicts.pop() if len(verdicts) == 1 else None


def _times_in_order(pair: Pair, order: Order) -> TableVerdict | None:
    original, now = read_period(pair.original, order), read_period(pair.replacement, order)
    if original is None or now is None:
        return None
    held = contains(now, original)
    if held is None:
        return None
    return TableVerdict(held, now.days > original.days * 1.01 or (original.dated and not now.dated), "dates")


def _clock(pair: Pair) -> TableVerdict | None:
    original = _minutes(pair.original)
    now = _minutes(pair.replacement)
    if original is None:
        return None
    if now is not None:
        return TableVerdict(original == now, False, "times")
    for name, (first, last) in _DAY_PARTS.items():
        if re.search(rf"\b{name}\b", pair.replacement.lower()) and not any(map(str.isdigit, pair.replacement)):
            hour = original / 60
            return TableVerdict(first <= hour <= last or first <= hour + 24 <= last, True, "times")
    return None


def _minutes(text: str) -> int | None:
    match = _CLOCK.fullmatch(text.strip())
    if not match or not (match[2] or match[3]):
        return None
    hour, minute, half = int(match[1]), int(match[2] or 0), (match[3] or "").lower()
    if hour > 24 or minute > 59:
        return None
    if half.startswith("p") and hour < 12:
        hour += 12
    return (hour * 60 + minute) % 1440


def _amounts(pair: Pair) -> TableVerdict | None:
    original, now = read_amount(pair.original), read_amount(pair.replacement)
    if original is None or now is None:
        return None
    if pair.label not in ("DATETIME", "QUANTITY", "UNKNOWN") and not original.unit:
        return None  # Law no. 4928 is no amount
    if original.unit and now.unit and original.unit != now.unit:
        # Who knows what a krona was worth that day?
        return None if original.unit != "day" != now.unit else TableVerdict(False, None, "units")
    if max(len(original.words - _AROUND_AMOUNTS), len(now.words - _AROUND_AMOUNTS)) > _OTHER_WORDS:
        return None
    if bool(original.unit) != bool(now.unit):
        original, now = _unitless(original), _unitless(now)
    slack = _ROUNDING * abs(original.low)
    centre = (now.low + now.high) / 2
    if abs(centre - (original.low + original.high) / 2) <= slack:
        # Said in other words; that it is "about" so much changes nothing.
        return TableVerdict(True, now.words < original.words, "numbers")
    wider = now.high - now.low > (original.high - original.low) * 1.01 or now.size > original.size
    if now.low - slack <= original.low and original.high <= now.high + slack:
        return TableVerdict(True, wider, "numbers")
    if now.size > original.size and abs(now.low - original.low) <= _COARSE * original.low and now.low <= 3 * now.size:
        return TableVerdict(True, True, "numbers")
    return TableVerdict(False, wider, "numbers")


def _unitless(amount: Amount) -> Amount:
    return amount._replace(low=amount.low / amount.size, high=amount.high / amount.size, unit="", size=1.0)


def _places(pair: Pair) -> TableVerdict | None:
    """Of two names of places or peoples: whether the first lies in the second."""
    first, second = area_of(pair.original), area_of(pair.replacement)
    if first is None or second is None:
        return None
    if not first.lands <= second.lands:
        return TableVerdict(False, False, "places")
    if second.extent == REGION and first.extent <= REGION:
        return None  # Which towns lie in a region is not in these tables.
    if first.extent == second.extent:
        # The country by another name, or two towns of one country.
        return TableVerdict(first.extent == COUNTRY, False, "places")
    return TableVerdict(second.extent > first.extent, second.extent > first.extent, "places")


def _taxonomy(pair: Pair) -> TableVerdict | None:
    """A single noun: above the kind of thing in WordNet, in the sense the context settles; the same; or beside it."""
    if pair.language not in _LANGUAGES:
        return None
    wide, narrow = hypernyms.head_noun(pair.replacement), hypernyms.head_noun(pair.original)
    if not wide or bare(pair.replacement) != wide.casefold():
        return None
    tops, senses = wordnet.senses(wide), wordnet.senses(narrow)
    numbers, same = {concept.number for concept in tops}, {concept.number for concept in senses}
    above = hypernyms.hypernym_chain(pair.original, text=f"{pair.before} {pair.after}")
    if any(concept.number in numbers - same for concept in above):
        return TableVerdict(True, True, "taxonomy")
    if not senses or bare(pair.original) != narrow.casefold():
        return None
    if tops[0] == senses[0]:
        return TableVerdict(True, False, "taxonomy")
    nearest = [{concept.number for concept in wordnet.direct_hypernyms(first)} for first in (tops[0], senses[0])]
    is_beside = nearest[0] & nearest[1] and not numbers & same and tops[0].members < _FEW_KINDS
    if is_beside or senses[0].number in nearest[0]:
        return TableVerdict(False, False, "taxonomy")
    return None


def _hierarchy(pair: Pair) -> TableVerdict | None:
    """A level of our hierarchies, true by construction. It comes last, after all tables that read for themselves."""
    now = bare(pair.replacement)
    return TableVerdict(True, True, "hierarchies") if any(now in level for level in hierarchy_levels(pair)) else None


@remember_in_run(2**12)
def hierarchy_levels(pair: Pair) -> tuple[tuple[str, str], ...]:
    """What our hierarchies know to be true of the original: each level as a noun, and as it stands before one."""
    start = len(pair.before)
    text = f"{pair.before}{pair.original}{pair.after}"
    mention = Mention(text, start, start + len(pair.original), pair.label, pair.language)
    return tuple((bare(level.text), bare(level.modifier or level.text)) for level in generalize(mention))


_TABLES = (_same, _type, _times, _clock, _amounts, _places, _taxonomy, _hierarchy)
