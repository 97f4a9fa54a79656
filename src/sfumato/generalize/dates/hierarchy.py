"""Generalization hierarchy of dates and times: from a day to its month, season, year, decade and century."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from sfumato.generalize.dates.names import Name, name
from sfumato.generalize.dates.reading import Granularity, Minutes, Reading, SingleDate, read
from sfumato.generalize.dates.tokens import DATE_LANGUAGES, DateConventions, Days, date_data, length
from sfumato.generalize.hierarchy import Level, Mention, language_module
from sfumato.generalize.old_age import OldAge, old_age_in
from sfumato.lexicon.tables import load_toml, words_of_all_languages
from sfumato.lexicon.time import DAY_FIRST, MONTHS, YearContext, before_day
from sfumato.lexicon.tokens import lazy_pattern, without_case

_SOURCE = "calendar"
_LONGEST = 200
_NEAR = 40
_MOST = 6
_LONG_YEAR = 366
_SPLIT = frozenset(Granularity) - {Granularity.DAY, Granularity.PART_OF_MONTH, Granularity.HALF}
"""Granularities at which several dates may each have a name of their own."""
_FAITHS = frozenset({"Christian", "Muslim", "Jewish", "Hindu"})

_LEADS = date_data("leads")


def _data(section: str, language: str) -> Any:
    return load_toml("dates", language)[section]


def _words(key: str) -> tuple[str, ...]:
    return words_of_all_languages("dates", f"leads.{key}")


_LEAD = {
    language: lazy_pattern(rf"\s*({'|'.join(map(re.escape, data['words']))})\s+(?:the\s+)?", re.IGNORECASE)
    for language, data in zip(DATE_LANGUAGES, _LEADS, strict=True)
}
_PLAIN = frozenset(_words("plain"))
"""Words that say no more than when: another may stand in their place, or none."""
_BECOME = {lead: becomes for data in _LEADS for lead, becomes in data["become"].items()}
_OPEN_RANGE = {lead: becomes for data in _LEADS for lead, becomes in data["open_range"].items()}
"""Words that open a range, and what stands before a less exact one then."""
_ROUGHLY, _OWNERS = frozenset(_words("roughly")), frozenset(_words("owners"))
_BETWEEN = frozenset(data["between"] for data in date_data("phrases"))
_FROM = frozenset(data["from"] for data in date_data("phrases"))
_MONTH = "|".join(chain.from_iterable(MONTHS[language] for language in DATE_LANGUAGES))
_LAST_WORD = lazy_pattern(r"([^\W\d_]+)[^\S\n]+\Z")
_BARE_NUMBERS = lazy_pattern(r"\d+(?:[./]\d+\.?)?")
_FIRST_YEAR = 1500
_SHORT_DATE = lazy_pattern(r"\d{1,2}/\d{1,2}")
_MILITARY = lazy_pattern(r"(?:[01]\d|2[0-3])[0-5]\d")
_HOURS_AFTER = lazy_pattern(r"\s?(hours|hrs|h|horas)\b", re.IGNORECASE)
_PART_BEFORE = lazy_pattern(rf"(?:\b(?:{'|'.join(_words('before_part'))})\s+|[^\W\d_][-‑])\Z", re.IGNORECASE)
_MONTH_BEFORE = lazy_pattern(rf"\b(?:{_MONTH}),?\s+\Z", re.IGNORECASE)
_BOUNDED = lazy_pattern(
    rf"\b(?:{'|'.join(_words('bounds'))}|(?:{_MONTH}) (?:{'|'.join(_words('before_year'))}))\s+(?:the\s+|el\s+)?\Z",
    re.IGNORECASE,
)
_BOUND_ENDS = frozenset(
    without_case(phrase.rpartition(" ")[2]) for phrase in (*_words("bounds"), *_words("before_year"), "the", "el")
)
"""The words that ``_BOUNDED`` ends with."""
_ERA_AFTER = lazy_pattern(r"\s*(?:B\.?\s?C\.?(?!\w)|a\.?\s?C\.)")
_YEAR_AFTER = lazy_pattern(r",?\s+(?:del?\s+)?\d{4}")
_ISO = lazy_pattern(r"(\d{4})-(\d\d)-\d\d(?:[T ]\d\d?:\d\d(?:[:.,]\d+)*(?:Z|[+-]\d\d:?\d\d)?)?")
_VALUE_BEFORE = lazy_pattern(r"(?:^|[\"'=\[>|,;{(]|\w[\"']?:\s?)\Z", re.MULTILINE)
"""What stands before a value of JSON, a table or a log line rather than before a date in a sentence."""
_WORDS = date_data("words")
_BIRTH = "|".join(re.escape(word) for data in _WORDS for word in data["before_birth"])
_BIRTH_BEFORE = lazy_pattern(rf"(?<!\w)(?:{_BIRTH})(?!\w)[^\d\n.;]*\Z", re.IGNORECASE)
_BIRTH_AFTER = lazy_pattern(rf"[\s(,]*(?:\w+\s+){{0,2}}(?:{_BIRTH})(?!\w)", re.IGNORECASE)
_BEFORE_EVENT = frozenset(word for data in _WORDS for word in data["before_event"])


def levels(mention: Mention) -> list[Level]:
    """What is true of a date, most specific first: "3 August 2003" was in August 2003, in the summer of 2003, ...

    Empty where not all of the mention can be read as a date, a time, or a time told from another.
    """
    surface, language = mention.surface, mention.language
    if len(surface) > _LONGEST or not surface.strip() or mention.is_cut or language not in DATE_LANGUAGES:
        return []
    text_before = mention.before[-_NEAR:]
    if _is_part_of_date(mention, text_before):
        return []
    birth = old_age_in(mention.text, mention.start, mention.end)
    if birth is not None and birth.kind == "birth" and any(map(str.isdigit, surface)):
        return _old_birth(birth, mention)
    context = _context(mention, text_before)
    lead, core = _split_lead(surface, context.before, language)
    conventions = DateConventions(mention.text, _year_context(mention, lead or context.before), mention.date_order)
    is_age = context.before in _OWNERS and surface.rstrip().endswith("s")
    if _MILITARY.fullmatch(core.strip()) and (unit := _HOURS_AFTER.match(mention.text, mention.end)):
        core = f"{core.strip()} {unit[1]}"  # its unit stays in the text: the late afternoon hours
    if _SHORT_DATE.fullmatch(core.strip()) and not (lead or before_day(language).search(text_before)):
        return []  # a score, a ratio or a fraction
    reading = None if is_age else read(core, conventions, language)
    if reading is None or not _is_meant(mention):
        relative = language_module("dates.relative", language)
        return [_with_lead(level, lead) for level in relative.levels(core if lead else surface)] if relative else []
    if lead in _data("leads", language).get("articles", ()):
        lead = "" if reading.dates and reading.dates[0].granularity > Granularity.DAY else lead
    if reading.clock and (reading.between or lead in _ROUGHLY):
        lead = "at"
    return _levels_of(reading, mention, replace(context, lead=lead), conventions)


def _is_part_of_date(mention: Mention, text_before: str) -> bool:
    """Whether more of the date stands beside it: its part or month before it, its era behind it."""
    if _PART_BEFORE.search(text_before) or _ERA_AFTER.match(mention.text, mention.end):
        return True
    return mention.surface.strip().isdigit() and _MONTH_BEFORE.search(text_before) is not None


def _levels_of(reading: Reading, mention: Mention, context: _Context, conventions: DateConventions) -> list[Level]:
    language = mention.language
    if not reading.dates:
        return _without_date(reading, context, language)
    if reading.season is not None or reading.holiday is not None:
        return [_with_lead(level, context.lead) for level in _yearless(reading, language)]
    if _VALUE_BEFORE.search(mention.before[-_NEAR:]) and (written := _ISO.fullmatch(mention.surface)):
        texts = ((f"{written[1]}-{written[2]}", 30), (written[1], 365))
        return [Level(text, days, "", source=_SOURCE) for text, days in texts]
    date_levels = _date_levels(reading, context, conventions, language)
    if not reading.dated and _YEAR_AFTER.match(mention.text, mention.end):
        return [level for level in date_levels if level.text.endswith(MONTHS[language])]
    return date_levels


def _old_birth(birth: OldAge, mention: Mention) -> list[Level]:
    """Of the birth of somebody who is over 89, only a bound that does not tell the age; of birth and death no level."""
    if any(map(str.isdigit, mention.text[birth.end : mention.end])):
        return []
    preposition = _data("names", mention.language)["year"]["preposition"]
    return [Level(birth.group(mention.language), 40_000, "", preposition=preposition, source=_SOURCE)]


@dataclass(frozen=True, slots=True)
class _Context:
    """Where the mention stands: the word it begins with, if that must stay, and the word before it."""

    lead: str
    before: str
    bounded: bool
    """Whether something is told of the whole of it: "the end of [1998]" is not the end of the 1990s."""


def _context(mention: Mention, text_before: str) -> _Context:
    """The same without the word that the mention begins with."""
    word_before = _LAST_WORD.search(mention.text, max(0, mention.start - 30), mention.start)
    may_be_bounded = word_before is None or without_case(word_before[1]) in _BOUND_ENDS
    is_bounded = may_be_bounded and _BOUNDED.search(text_before) is not None
    return _Context("", word_before[1].casefold() if word_before else "", is_bounded)


def _year_context(mention: Mention, before: str) -> YearContext:
    """Whether the date is of a birth; of something else only where a preposition says so."""
    if _BIRTH_BEFORE.search(mention.before[-_NEAR:]) or _BIRTH_AFTER.match(mention.text, mention.end):
        return "birth"
    return "event" if before in _BEFORE_EVENT else "unknown"


def _split_lead(surface: str, before: str, language: str) -> tuple[str, str]:
    """The word that the mention begins with, if the level must carry it, and the rest."""
    match = _LEAD[language].match(surface)
    if match is None:
        return "", surface
    lead, core = " ".join(match[1].casefold().split()), surface[match.end() :]
    data = _data("leads", language)
    if lead in data.get("articles", ()) and before in data["prepositions"].split():
        return "", core
    return lead, re.sub(r"\s+onwards?\Z", "", core) if lead in ("from", "since") else core


def _is_meant(mention: Mention) -> bool:
    """A bare number is a year only where the label says that it is a time; "mañana" alone is also tomorrow."""
    bare = mention.surface.strip()
    if bare.casefold() in _data("words", mention.language)["also_relative"]:
        return False
    if bare.isdigit() and int(bare) < _FIRST_YEAR:
        return False  # of another calendar
    return mention.label == "DATETIME" or not _BARE_NUMBERS.fullmatch(bare)


def _without_date(reading: Reading, context: _Context, language: str) -> list[Level]:
    """Levels of a time of day or a weekday."""
    if len(reading.clock) > 1 and context.before in _BETWEEN | _FROM:
        return []
    times = _time_levels(reading, language)
    if not (context.bounded and not context.lead and reading.clock):
        return [_with_lead(level, context.lead) for level in times]
    # What is before 5 p.m. is not before the late afternoon, but before a time in it.
    template = _data("phrases", language)["time_inside"]
    return [Level(template["text"].format(time=t.text), t.members, template["article"], source=t.source) for t in times]


def _yearless(reading: Reading, language: str) -> list[Level]:
    """Levels of a season or a holiday without a year."""
    phrases = _data("phrases", language)
    if reading.season is not None:
        text = phrases["warm_season" if reading.season < 2 else "cold_season"]
        return [Level(text, 184, phrases["season_article"], preposition=phrases["season_preposition"])]
    kind = reading.holiday
    texts = [(phrases["holiday"], 100.0 if "kind_of_holiday" in phrases else 40.0)]
    if kind in _FAITHS and "religious_holiday" in phrases:
        texts.insert(0, (phrases["religious_holiday"], 40.0))
    if kind and "kind_of_holiday" in phrases:
        texts.insert(0, (phrases["kind_of_holiday"].format(kind=kind), 15.0))
    article, preposition = phrases["holiday_article"], phrases["holiday_preposition"]
    return [Level(text, members, article, preposition=preposition, source=_SOURCE) for text, members in texts]


def _with_lead(level: Level, lead: str) -> Level:
    if not lead:
        return level
    phrase = f"{level.article} {level.text}" if level.article else level.text
    if level.preposition is None:
        return replace(level, article="", text=phrase)
    return replace(level, text=_behind(lead, phrase, level.preposition), article="", preposition=None, modifier=None)


def _behind(lead: str, phrase: str, preposition: str) -> str:
    """The phrase behind the word that the mention began with, or behind the preposition that it wants itself."""
    # "durante finales de 1999" is not said.
    is_plain = lead in _PLAIN or (lead.startswith("durante") and preposition == "a")
    return _contract(f"{preposition} {phrase}" if is_plain else f"{_BECOME.get(lead, lead)} {phrase}")


def _contract(text: str) -> str:
    """With "de el" and "a el" contracted, as Spanish does."""
    return re.sub(r"\bde el\b", "del", re.sub(r"\ba el\b", "al", text))


# Levels of dates: the month, the season, the year, the decade they lie in.


def _date_levels(reading: Reading, context: _Context, conventions: DateConventions, language: str) -> list[Level]:
    date_levels: list[Level] = []
    if reading.between:
        context = replace(context, lead=_data("phrases", language)["between"])
    are_months = max(single.granularity for single in reading.dates) == Granularity.MONTH
    split = _SPLIT if are_months else _SPLIT - {Granularity.SEASON}
    for granularity in _granularities(reading, language):
        whole = _whole(granularity, reading, language, conventions)
        if whole is not None:
            level = _one(whole, reading, context, language)
        elif len(reading.dates) > 1 and granularity in split:
            level = _several(_names(granularity, reading, language, conventions), reading, context, language)
        else:
            continue
        if level is not None and (not date_levels or level.members > date_levels[-1].members):
            date_levels.append(level)
        if len(date_levels) == _MOST:
            break
    return _with_time(date_levels, reading, context, language)[:_MOST]


def _granularities(reading: Reading, language: str) -> list[Granularity]:
    """The granularities above the least exact of the dates, but those that do not suit them."""
    start = max(single.granularity for single in reading.dates)
    left_out = {Granularity.ERA} if start < Granularity.PART_OF_CENTURY else set()
    # In Spanish, "agosto 12" is a day in August or the August of 2012.
    if reading.dated or (language in DAY_FIRST and any(single.month_first for single in reading.dates)):
        left_out.add(Granularity.PART_OF_MONTH)
    if not reading.dated:
        left_out.add(Granularity.SEASON)  # mostly letters that do not say on which half of the earth they were written
    if reading.dated and any(single.season is not None for single in reading.dates):
        start = max(start, Granularity.HALF)
    return [granularity for granularity in Granularity if granularity > start and granularity not in left_out]


def _names(granularity: Granularity, reading: Reading, language: str, conventions: DateConventions) -> list[Name]:
    """The name of each date; empty where one of them has none."""
    names = [
        name(granularity, single.days, language, conventions.southern, reading.dated)
        for single in reading.dates
        if single.days is not None
        and not (granularity >= Granularity.PART_OF_CENTURY and _is_between_centuries(single))
    ]
    of_dates = [each for each in names if each is not None]
    return of_dates if len(of_dates) == len(reading.dates) else []


def _is_between_centuries(single: SingleDate) -> bool:
    """Whether it is of the year 2000, which is of the 20th century or of the 21st, whoever counts."""
    return single.granularity < Granularity.DECADE and any(day.year % 100 == 0 for day in single.days or ())


def _whole(granularity: Granularity, reading: Reading, language: str, conventions: DateConventions) -> Name | None:
    """The one name that holds all the dates."""
    if granularity >= Granularity.PART_OF_CENTURY and any(map(_is_between_centuries, reading.dates)):
        return None
    days = [single.days for single in reading.dates if single.days is not None]
    if not reading.dated and reading.joint == "range" and len(days) == 2 and days[0][0] > days[1][1]:
        return None  # it crosses a new year
    hull: Days = min(first for first, _ in days), max(last for _, last in days)
    return name(granularity, hull, language, conventions.southern, reading.dated)


def _one(whole: Name, reading: Reading, context: _Context, language: str) -> Level | None:
    phrases = _data("phrases", language)
    several = len(reading.dates) > 1
    if context.bounded and not context.lead:
        return _inside(whole, max(single.granularity for single in reading.dates), language)
    if several and reading.joint != "list" and context.lead in _OPEN_RANGE:
        return Level(_contract(f"{whole.preposition} {whole.full}"), whole.members, "", source=_SOURCE)
    if context.lead:
        return Level(_behind(context.lead, whole.full, whole.preposition), whole.members, "", source=_SOURCE)
    if several and context.before in _BETWEEN:
        return Level(phrases["two_dates"].format(name=whole.full), whole.members, "", source=_SOURCE)
    if several and context.before in _FROM:
        return Level(phrases["one_to_another"].format(name=whole.full), whole.members, "", source=_SOURCE)
    return Level(whole.text, whole.members, whole.article, False, whole.modifier, whole.preposition, _SOURCE)


def _inside(whole: Name, granularity: Granularity, language: str) -> Level | None:
    """ "A year in the late 1990s", which has an end of its own."""
    template = _data("phrases", language)["inside"].get(granularity.name.lower())
    if template is None:
        return None
    text = _contract(template.format(name=whole.full))
    return Level(text, whole.members, _data("phrases", language)["inside_article"], source=_SOURCE)


def _several(names: list[Name], reading: Reading, context: _Context, language: str) -> Level | None:
    distinct = list(dict.fromkeys(names))
    is_list = reading.joint == "list"
    if reading.joint == "mixed" or (context.bounded and not context.lead) or (is_list and len(distinct) > 3):
        return None
    tail = names[0].tail if names else ""
    if len(distinct) < 2 or (tail and all(each.tail == tail and each.members > _LONG_YEAR for each in distinct)):
        return None  # "the 1990s" says it better than "the early 1990s to the late 1990s"
    phrases = _data("phrases", language)
    and_, to = phrases["and"], phrases["to"]
    first, *rest = _share_tail(distinct)
    members: float = sum(each.members for each in distinct)
    if reading.joint == "range" and reading.dated:
        members = length((first.days[0], rest[0].days[1]))
    if is_list or context.before in _BETWEEN:
        *most, last = [first, *rest]
        text = f"{', '.join(each.full for each in most)} {and_} {last.full}"
        return _listed(text, first, members, context)
    second = rest[0]
    if reading.between:
        return Level(f"{phrases['between']} {first.full} {and_} {second.full}", members, "", source=_SOURCE)
    if context.lead in _OPEN_RANGE:
        lead = _OPEN_RANGE[context.lead]
        text = f"{lead} {first.full} {phrases['to_behind'].get(lead, to)} {second.full}"
        return Level(_contract(text), members, "", source=_SOURCE)
    if context.lead or context.before in _PLAIN - _BETWEEN:
        period = phrases["period"]
        text = period["text"].format(first=first.full, last=second.full)
        whole = Name(text, first.days, period["article"], period["preposition"])
        level = _listed(whole.full, whole, members, context)
        return replace(level, article="" if context.lead else whole.article)
    return Level(_contract(f"{first.text} {to} {second.full}"), members, first.article, source=_SOURCE)


def _share_tail(names: list[Name]) -> list[Name]:
    """ "April 1991", "June 1991" as "April", "June 1991": the year once."""
    tails = {each.tail for each in names}
    if len(tails) != 1 or tails == {""}:
        return names
    tail = tails.pop()
    return [*(replace(each, text=each.text.removesuffix(tail)) for each in names[:-1]), names[-1]]


def _listed(text: str, first: Name, members: float, context: _Context) -> Level:
    if context.lead:
        return Level(_behind(context.lead, text, first.preposition), members, "", source=_SOURCE)
    text = text.removeprefix(f"{first.article} ") if first.article else text
    preposition = None if context.before in _BETWEEN else first.preposition
    return Level(text, members, first.article, preposition=preposition, source=_SOURCE)


def _with_time(date_levels: list[Level], reading: Reading, context: _Context, language: str) -> list[Level]:
    """Of a date with a time of day, first the part of the day: "a morning in May 1999"."""
    if context.bounded or not date_levels or (context.lead and context.lead not in _PLAIN):
        return date_levels
    if len(reading.clock) != 1 or len(reading.dates) != 1:
        return date_levels
    part = _part_of_day(reading.clock[0], language)
    if part is None:
        return date_levels
    share, noun = part
    template = _data("phrases", language)["part_of_day"]
    first = date_levels[0]
    when = f"{first.article} {first.text}" if first.article else first.text
    if context.lead:
        when = when.removeprefix(f"{_data('names', language)['month']['preposition']} ")
        text = template["with_lead"].format(a="an" if noun[0] in "aeiou" else "a", noun=noun, when=when)
        return [Level(_contract(text), first.members * share, "", source=_SOURCE), *date_levels]
    text, article = _contract(template["text"].format(noun=noun, when=when)), template["article"]
    preposition = template.get("preposition")
    return [Level(text, first.members * share, article, preposition=preposition, source=_SOURCE), *date_levels]


# Times of day and weekdays: the part of the day, working day or weekend.

_CLOCK_SOURCE = "clock"
_HOUR = 60
_DAY = 24 * _HOUR
_NOON = 12 * _HOUR
_FRIDAY, _SATURDAY = 4, 5


def _part_of_day(clock: Minutes, language: str) -> tuple[float, str] | None:
    """The morning, afternoon, evening or night that holds a time, and its share of the day."""
    for noun, (begin, end) in _data("clock", language)["nouns"].items():
        if _holds(begin, end, clock):
            return (end - begin) / 24, noun
    return None


def _holds(begin: int, end: int, clock: Minutes) -> bool:
    first, last = clock
    if first == last == _NOON and _NOON in (begin * _HOUR, end * _HOUR):
        return False
    inside = begin * _HOUR <= first and last < end * _HOUR
    return inside or (begin * _HOUR <= first + _DAY and last + _DAY < end * _HOUR)


def _time_levels(reading: Reading, language: str) -> list[Level]:
    """Levels of times of day and weekdays without a date."""
    if reading.weekdays:
        return _weekday_levels(reading, language)
    clock = min(first for first, _ in reading.clock), max(last for _, last in reading.clock)
    data = _data("clock", language)
    levels: list[Level] = []
    for part in data["parts"]:
        begin, end = part["hours"]
        is_wider = (end - begin) * _HOUR > clock[1] - clock[0] + 1
        if is_wider and _holds(begin, end, clock) and not (clock == (0, 0) and begin == 0):
            modifier = part["text"].replace(" ", "-") if data["article"] and " of " not in part["text"] else None
            members = (end - begin) * _HOUR / _DAY
            article, preposition = data["article"], part["preposition"]
            levels.append(Level(part["text"], members, article, False, modifier, preposition, _CLOCK_SOURCE))
    return levels


def _weekday_levels(reading: Reading, language: str) -> list[Level]:
    working = all(day <= _FRIDAY for day in reading.weekdays)
    if not working and any(day < _SATURDAY for day in reading.weekdays):
        return []
    data = _data("clock", language)
    days = 5 if working else 2
    single, many = data["weekday" if working else "weekend"]
    article, preposition = data["weekday_article"], data["weekday_preposition"]
    if len(reading.weekdays) > 1 or reading.plural:
        modifier = single if article else None
        return [Level(many, days, "", True, modifier, preposition, _CLOCK_SOURCE)]
    levels = [Level(single, days, article, False, single if article else None, preposition, _CLOCK_SOURCE)]
    part = _part_of_day(reading.clock[0], language) if len(reading.clock) == 1 else None
    if part is not None and "weekday_part" in data:
        share, noun = part
        text = data["weekday_part"].format(word=single, noun=noun)
        levels.insert(0, Level(text, days * share, article, preposition=preposition, source=_CLOCK_SOURCE))
    return levels
