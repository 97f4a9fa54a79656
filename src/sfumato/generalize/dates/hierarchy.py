"""The hierarchy of dates and times: from a day to its month, season, year, decade and century."""

from __future__ import annotations

import re
from dataclasses import replace

from sfumato.generalize.dates.names import Name, name
from sfumato.generalize.dates.reading import (
    FROM,
    PLACING,
    Granularity,
    Piece,
    Place,
    Reading,
    contracted,
    led,
    part_of_day,
    read,
    time_levels,
)
from sfumato.generalize.dates.relative import relative_levels
from sfumato.generalize.dates.tokens import DateConventions, Days, date_conventions, length
from sfumato.generalize.hierarchy import Level, Mention
from sfumato.lexicon.time import MONTHS, YearContext

# -- From what a mention says about time to what is true of it: the month, the season, the year, the decade it lies in.


_MOST = 6
_LONG_YEAR = 366
_SOURCE = "calendar"
_AND = {"en": "and", "es": "y"}
_BETWEEN = {"en": "between", "es": "entre"}
_SPLIT = frozenset(Granularity) - {Granularity.DAY, Granularity.PART_OF_MONTH, Granularity.HALF}
"""Levels at which several dates may each have a name of their own."""


def date_levels(reading: Reading, place: Place, conventions: DateConventions, language: str) -> list[Level]:
    """What is true of the dates that were read, most specific first, in words that fit their place."""
    found: list[Level] = []
    if reading.between:
        place = replace(place, lead="between" if language == "en" else "entre")
    start = max(piece.granularity for piece in reading.pieces)
    for granularity in _granularities(reading, language):
        whole = _whole(granularity, reading, language, conventions)
        if whole is not None:
            level = _one(whole, reading, place, language)
        elif len(reading.pieces) > 1 and _may_split(granularity, start):
            level = _several(_names(granularity, reading, language, conventions), reading, place, language)
        else:
            continue
        if level is not None and (not found or level.members > found[-1].members):
            found.append(level)
        if len(found) == _MOST:
            break
    return _with_time(found, reading, place, language)[:_MOST]


def _granularities(reading: Reading, language: str) -> list[Granularity]:
    """The granularities above the least exact of the dates, but those that do not suit them."""
    start = max(piece.granularity for piece in reading.pieces)
    granularities = [granularity for granularity in Granularity if granularity > start]
    if start < Granularity.PART_OF_CENTURY:
        granularities.remove(Granularity.ERA)
    if reading.dated:
        granularities = [granularity for granularity in granularities if granularity != Granularity.PART_OF_MONTH]
        if any(piece.season is not None for piece in reading.pieces):
            granularities = [granularity for granularity in granularities if granularity >= Granularity.YEAR]
    elif language == "es" and any(piece.month_first for piece in reading.pieces):
        # "agosto 12" is a day in August or the August of 2012.
        granularities = [granularity for granularity in granularities if granularity != Granularity.PART_OF_MONTH]
    return granularities


def _may_split(granularity: Granularity, start: Granularity) -> bool:
    return granularity in _SPLIT and (granularity != Granularity.SEASON or start == Granularity.MONTH)


def _hull(reading: Reading) -> Days:
    days = [piece.days for piece in reading.pieces if piece.days is not None]
    return min(first for first, _ in days), max(last for _, last in days)


def _name(
    granularity: Granularity, piece: Piece, language: str, conventions: DateConventions, dated: bool
) -> Name | None:
    days = piece.days
    if days is None or (granularity >= Granularity.PART_OF_CENTURY and _between_centuries(piece, days)):
        return None
    return name(granularity, days, language, conventions.southern, dated)


def _names(granularity: Granularity, reading: Reading, language: str, conventions: DateConventions) -> list[Name]:
    """Of each date its own name; empty where one of them has none."""
    names = [_name(granularity, piece, language, conventions, reading.dated) for piece in reading.pieces]
    return [known for known in names if known is not None] if None not in names else []


def _between_centuries(piece: Piece, days: Days) -> bool:
    """The year 2000 is of the 20th century or of the 21st, whoever counts."""
    return piece.granularity < Granularity.DECADE and any(day.year % 100 == 0 for day in days)


def _whole(granularity: Granularity, reading: Reading, language: str, conventions: DateConventions) -> Name | None:
    """The one name that holds all the dates."""
    if granularity >= Granularity.PART_OF_CENTURY and any(
        _between_centuries(p, p.days) for p in reading.pieces if p.days
    ):
        return None
    hull = _hull(reading)
    if not reading.dated and reading.joint == "range" and _turns_year(reading):
        return None
    return name(granularity, hull, language, conventions.southern, reading.dated)


def _turns_year(reading: Reading) -> bool:
    first, second = (piece.days for piece in reading.pieces)
    return first is not None and second is not None and first[0] > second[1]


def _one(whole: Name, reading: Reading, place: Place, language: str) -> Level | None:
    several = len(reading.pieces) > 1
    if place.bounded and not place.lead:
        return _part_of(whole, max(piece.granularity for piece in reading.pieces), language)
    if several and reading.joint != "list" and place.lead in FROM:
        return Level(contracted(f"{whole.preposition} {whole.full}"), whole.members, "", source=_SOURCE)
    if several and not place.lead:
        if place.before in ("between", "entre"):
            text = f"dos fechas de {whole.text}" if language == "es" else f"two dates in {whole.full}"
            return Level(text, whole.members, "", source=_SOURCE)
        if place.before in ("from", "desde"):
            text = f"una fecha a otra de {whole.text}" if language == "es" else f"one date to another in {whole.full}"
            return Level(text, whole.members, "", source=_SOURCE)
    if not place.lead:
        return Level(
            whole.text,
            whole.members,
            whole.article,
            modifier=whole.modifier,
            preposition=whole.preposition,
            source=_SOURCE,
        )
    return Level(led(place.lead, whole.full, whole.preposition), whole.members, "", source=_SOURCE)


def _part_of(whole: Name, granularity: Granularity, language: str) -> Level | None:
    """ "A year in the late 1990s", which has an end of its own."""
    units = _UNITS.get(granularity)
    if units is None:
        return None
    if language == "es":
        return Level(contracted(f"{units[1]} de {whole.text}"), whole.members, "", source=_SOURCE)
    return Level(f"{units[0]} in {whole.full}", whole.members, "a", source=_SOURCE)


_UNITS = {
    Granularity.DAY: ("date", "una fecha"),
    Granularity.MONTH: ("month", "un mes"),
    Granularity.SEASON: ("season", "una estación"),
    Granularity.YEAR: ("year", "un año"),
    Granularity.DECADE: ("decade", "una década"),
    Granularity.CENTURY: ("century", "un siglo"),
}


def _several(names: list[Name], reading: Reading, place: Place, language: str) -> Level | None:
    distinct = list(dict.fromkeys(names))
    if (
        reading.joint == "mixed"
        or (place.bounded and not place.lead)
        or (reading.joint == "list" and len(distinct) > 3)
    ):
        return None
    if len(distinct) < 2 or _is_one(distinct):
        return None
    first, *rest = _sharing_a_tail(distinct)
    members = sum(known.members for known in distinct)
    if reading.joint == "range" and reading.dated:
        members = length((first.days[0], rest[0].days[1]))
    if reading.joint == "list" or place.before in ("between", "entre"):
        *most, last = [first, *rest]
        text = f"{', '.join(known.full for known in most)} {_AND[language]} {last.full}"
        return _listed(text, first, members, place)
    second = rest[0]
    if reading.between:
        return Level(f"{_BETWEEN[language]} {first.full} {_AND[language]} {second.full}", members, "", source=_SOURCE)
    to = "a" if language == "es" else "to"
    if place.lead in FROM:
        lead = FROM[place.lead]
        text = f"{lead} {first.full} {'hasta' if lead == 'desde' else to} {second.full}"
        return Level(contracted(text), members, "", source=_SOURCE)
    if place.lead or place.before in PLACING - {"between", "entre"}:
        period = "el período entre" if language == "es" else "period between"
        text = f"{period} {first.full} {_AND[language]} {second.full}"
        whole = Name(text, first.days, "" if language == "es" else "the", "en" if language == "es" else "in")
        return replace(_listed(whole.full, whole, members, place), article="" if place.lead else whole.article)
    return Level(contracted(f"{first.text} {to} {second.full}"), members, first.article, source=_SOURCE)


def _is_one(names: list[Name]) -> bool:
    """Whether the wider name says it better: "the 1990s" for "the early 1990s to the late 1990s"."""
    return names[0].tail != "" and all(known.tail == names[0].tail and known.members > _LONG_YEAR for known in names)


def _sharing_a_tail(names: list[Name]) -> list[Name]:
    """ "April 1991", "June 1991" as "April", "June 1991": the year once."""
    tails = {known.tail for known in names}
    if len(tails) != 1 or tails == {""}:
        return names
    tail = tails.pop()
    return [*(replace(known, text=known.text.removesuffix(tail)) for known in names[:-1]), names[-1]]


def _listed(text: str, first: Name, members: float, place: Place) -> Level:
    if place.lead:
        return Level(led(place.lead, text, first.preposition), members, "", source=_SOURCE)
    text = text.removeprefix(f"{first.article} ") if first.article else text
    preposition = None if place.before in ("between", "entre") else first.preposition
    return Level(text, members, first.article, preposition=preposition, source=_SOURCE)


def _with_time(found: list[Level], reading: Reading, place: Place, language: str) -> list[Level]:
    """Of a date with a time of day, first the part of the day: "a morning in May 1999"."""
    if (
        place.bounded
        or not found
        or len(reading.clock) != 1
        or len(reading.pieces) != 1
        or (place.lead and place.lead not in PLACING)
    ):
        return found
    part = part_of_day(reading.clock[0], language)
    if part is None:
        return found
    share, noun = part
    first = found[0]
    members = first.members * share
    if language == "es":
        when = first.text.removeprefix("en ")
        return [Level(contracted(f"una {noun} de {when}"), members, "", source=_SOURCE), *found]
    if place.lead:
        article = "an" if noun[0] in "aeiou" else "a"
        return [Level(f"on {article} {noun} {first.text}", members, "", source=_SOURCE), *found]
    when = f"{first.article} {first.text}" if first.article else first.text
    return [Level(f"{noun} in {when}", members, "a", preposition="on", source=_SOURCE), *found]


# -- The hierarchy of dates and times: from a day to its month, season, year, decade and century.


_LEADS = {
    "en": r"on or (?:about|around)|at (?:about|around|approximately)|some\s?time in|"
    r"on|in|at|during|since|before|after|by|until|till|from|around|about|circa|ca?\.|approximately|prior to|"
    r"as of|as from|as early as|as late as|no later than|not later than|not before|up to|towards?|"
    r"throughout|within|for|over",
    "es": r"en|el|la|los|las|durante(?: el)?|desde(?: el)?|hasta(?: el)?|antes del?|después del?|tras|a partir del?|"
    r"alrededor del?|hacia|sobre|del?|al?",
}
_LEAD = {language: re.compile(rf"\s*({words})\s+(?:the\s+)?", re.IGNORECASE) for language, words in _LEADS.items()}
_LAST_WORD = re.compile(r"([^\W\d_]+)[^\S\n]+\Z")
_OWNERS = frozenset("his her their my your our its one's".split())
_PREPOSITIONS = frozenset("durante hasta desde de a para por en del al entre con sobre tras hacia y".split())
_NEAR = 40
_MONTH = "|".join((*MONTHS["en"], *MONTHS["es"]))
_PART_BEFORE = re.compile(r"(?:\b(?:early|mid|late|years?|month of|años?|mes de)\s+|[^\W\d_][-‑])\Z", re.IGNORECASE)
"""What stands before a date and is true of it only: "early [1998]" is not "early the 1990s"."""
_MONTH_BEFORE = re.compile(rf"\b(?:{_MONTH}),?\s+\Z", re.IGNORECASE)
_BOUNDED = re.compile(
    r"\b(?:(?:beginning|start|end|middle|close|half|halves|quarter|third|part|rest|remainder|whole|course|eve|anniversary|"
    r"night|morning|afternoon|evening|hours|days?|weeks?|months|spring|summer|autumn|fall|winter|turn|all|most) of|"
    rf"(?:{_MONTH}) (?:of|del?)|(?:early|late|earlier|later) in|before|after|throughout|prior to|preceding|beyond|"
    r"(?:principios|comienzos|inicios|mediados|finales|fines|final|fin|mitad|trimestre|semestre|resto|noche|mañana|tarde|"
    r"madrugada|meses|semanas|primavera|verano|otoño|invierno|antes|después|partir) del?|tras)\s+(?:the\s+|el\s+)?\Z",
    re.IGNORECASE,
)
_ERA_AFTER = re.compile(r"\s*(?:B\.?\s?C\.?(?!\w)|a\.?\s?C\.)")
_YEAR_AFTER = re.compile(r",?\s+(?:del?\s+)?\d{4}")
_ROUGHLY = frozenset(
    "around|about|approximately|on or about|at about|at around|at approximately|circa|hacia|sobre".split("|")
)
_LONGEST = 200
_BIRTH = r"(?:born|birth|birthday|birthdate|d\.?o\.?b\.?|nacid[oa]s?|nació|nacimiento|f\.?\s?n(?:ac)?\.?|nac\.)"
_BIRTH_BEFORE = re.compile(rf"\b{_BIRTH}[^\d\n.;]*\Z", re.IGNORECASE)
_BIRTH_AFTER = re.compile(rf"[\s(,]*(?:date of |fecha de |her |his )?{_BIRTH}", re.IGNORECASE)
_EVENT = frozenset("on since from until till by before after between dated el del desde hasta día fecha entre".split())
"""Words before the date of something that is no birth, unless a birth is spoken of."""


def levels(mention: Mention) -> list[Level]:
    """What is true of a date, most specific first: "3 August 2003" was in August 2003, in the summer of 2003, ...

    Empty where not all of the mention can be read as a date, a time, or a time told from another.
    """
    said = mention.surface
    if len(said) > _LONGEST or not said.strip() or mention.is_cut:
        return []
    language = mention.language
    if language not in _LEADS:
        return []  # "am 2024" is no German
    around = mention.text[max(0, mention.start - _NEAR) : mention.start]
    if _PART_BEFORE.search(around) or _ERA_AFTER.match(mention.text, mention.end):
        return []
    if said.strip().isdigit() and _MONTH_BEFORE.search(around):
        return []  # the year of a date whose rest stays
    bounded = _BOUNDED.search(around) is not None
    before = _word_before(mention)
    lead, core = _led(said, before, language)
    conventions = date_conventions(mention.text, _year_context(mention, lead or before))
    reading = None if before in _OWNERS and said.rstrip().endswith("s") else read(core, conventions, language)
    if reading is None or not _is_meant(mention):
        return [_with_lead(level, lead) for level in relative_levels(core if lead else said, language)]
    if lead in ("el", "la", "los", "las") and reading.pieces and reading.pieces[0].granularity > Granularity.DAY:
        lead = ""
    if reading.clock and (reading.between or lead in _ROUGHLY):
        lead = "at"
    if reading.pieces:
        if reading.season is not None or reading.holiday is not None:
            return [_with_lead(level, lead) for level in _yearless(reading, language)]
        found = date_levels(reading, Place(lead, before, bounded), conventions, language)
        if not reading.dated and _YEAR_AFTER.match(mention.text, mention.end):
            return [level for level in found if level.text.endswith(MONTHS[language])]
        return found
    if len(reading.clock) > 1 and before in ("between", "from", "entre", "desde"):
        return []
    times = time_levels(reading, language)
    if bounded and not lead and reading.clock:
        return [_is_inside(level, language) for level in times]
    return [_with_lead(level, lead) for level in times]


def _year_context(mention: Mention, before: str) -> YearContext:
    """Whether the date is of a birth; of something else only where a preposition says so."""
    around = mention.text[max(0, mention.start - _NEAR) : mention.start]
    if _BIRTH_BEFORE.search(around) or _BIRTH_AFTER.match(mention.text, mention.end):
        return "birth"
    return "event" if before in _EVENT else "unknown"


def _word_before(mention: Mention) -> str:
    found = _LAST_WORD.search(mention.text, max(0, mention.start - 30), mention.start)
    return found[1].casefold() if found else ""


def _led(said: str, before: str, language: str) -> tuple[str, str]:
    """The word that the mention begins with, if the level must carry it, and the rest."""
    found = _LEAD[language].match(said)
    if found is None:
        return "", said
    lead = " ".join(found[1].casefold().split())
    if language == "es" and lead in ("el", "la", "los", "las") and before in _PREPOSITIONS:
        return "", said[found.end() :]
    core = said[found.end() :]
    return lead, re.sub(r"\s+onwards?\Z", "", core) if lead in ("from", "since") else core


def _is_inside(level: Level, language: str) -> Level:
    """What is before 5 p.m. is not before the late afternoon, but before a time in it."""
    if language == "es":
        return replace(level, text=f"una hora de {level.text}", article="", preposition=None, modifier=None)
    return replace(level, text=f"time in the {level.text}", article="a", preposition=None, modifier=None)


def _with_lead(level: Level, lead: str) -> Level:
    if not lead:
        return level
    phrase = f"{level.article} {level.text}" if level.article else level.text
    if level.preposition is None:
        return replace(level, article="", text=phrase)
    return replace(level, text=led(lead, phrase, level.preposition), article="", preposition=None, modifier=None)


def _is_meant(mention: Mention) -> bool:
    """A bare number is a year only where the label says that it is a time; "mañana" alone is also tomorrow."""
    bare = mention.surface.strip()
    if mention.language == "es" and bare.casefold() == "mañana":
        return False
    return mention.label == "DATETIME" or not bare.isdigit()


def _yearless(reading: Reading, language: str) -> list[Level]:
    """Of a season or a holiday without a year."""
    if reading.season is not None:
        warm = reading.season < 2
        text = (
            ("spring or summer" if warm else "autumn or winter")
            if language == "en"
            else ("la primavera o el verano" if warm else "el otoño o el invierno")
        )
        return [Level(text, 184, "the" if language == "en" else "", preposition="in" if language == "en" else "en")]
    kind = reading.holiday
    if language == "es":
        return [Level("un día festivo", 40, "", preposition="en", source="calendar")]
    faith = kind in ("Christian", "Muslim", "Jewish", "Hindu")
    kinds = [(f"{kind} holiday", 15.0)] if kind else []
    kinds += [("religious holiday", 40.0)] if faith else []
    return [
        Level(text, members, "a", preposition="on", source="calendar") for text, members in [*kinds, ("holiday", 100.0)]
    ]
