"""The ladder of dates and times: from a day to its month, season, year, decade and century."""

from __future__ import annotations

import re
from dataclasses import replace

from sfumato.knowledge.dates.calendar import MONTHS
from sfumato.knowledge.ladders.base import Mention, Rung
from sfumato.knowledge.ladders.dates.climb import date_rungs
from sfumato.knowledge.ladders.dates.facts import date_facts
from sfumato.knowledge.ladders.dates.leads import Place, led
from sfumato.knowledge.ladders.dates.pieces import Level
from sfumato.knowledge.ladders.dates.reading import Reading, read
from sfumato.knowledge.ladders.dates.relative import relative_rungs
from sfumato.knowledge.ladders.dates.times import time_rungs

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


def rungs(mention: Mention) -> list[Rung]:
    """What is true of a date, most specific first: "3 August 2003" was in August 2003, in the summer of 2003, ...

    Empty where not all of the mention can be read as a date, a time, or a time told from another.
    """
    said = mention.said
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
    facts = date_facts(mention.text)
    reading = None if before in _OWNERS and said.rstrip().endswith("s") else read(core, facts, language)
    if reading is None or not _is_meant(mention):
        return [_with_lead(rung, lead) for rung in relative_rungs(core if lead else said, language)]
    if lead in ("el", "la", "los", "las") and reading.pieces and reading.pieces[0].level > Level.DAY:
        lead = ""
    if reading.clock and (reading.between or lead in _ROUGHLY):
        lead = "at"
    if reading.pieces:
        if reading.season is not None or reading.holiday is not None:
            return [_with_lead(rung, lead) for rung in _yearless(reading, language)]
        found = date_rungs(reading, Place(lead, before, bounded), facts, language)
        if not reading.dated and _YEAR_AFTER.match(mention.text, mention.end):
            return [rung for rung in found if rung.text.endswith(MONTHS[language])]
        return found
    if len(reading.clock) > 1 and before in ("between", "from", "entre", "desde"):
        return []
    times = time_rungs(reading, language)
    if bounded and not lead and reading.clock:
        return [_inside(rung, language) for rung in times]
    return [_with_lead(rung, lead) for rung in times]


def _word_before(mention: Mention) -> str:
    found = _LAST_WORD.search(mention.text, max(0, mention.start - 30), mention.start)
    return found[1].casefold() if found else ""


def _led(said: str, before: str, language: str) -> tuple[str, str]:
    """The word that the mention begins with, if the rung must carry it, and the rest."""
    found = _LEAD[language].match(said)
    if found is None:
        return "", said
    lead = " ".join(found[1].casefold().split())
    if language == "es" and lead in ("el", "la", "los", "las") and before in _PREPOSITIONS:
        return "", said[found.end() :]
    core = said[found.end() :]
    return lead, re.sub(r"\s+onwards?\Z", "", core) if lead in ("from", "since") else core


def _inside(rung: Rung, language: str) -> Rung:
    """What is before 5 p.m. is not before the late afternoon, but before a time in it."""
    if language == "es":
        return replace(rung, text=f"una hora de {rung.text}", article="", preposition=None, modifier=None)
    return replace(rung, text=f"time in the {rung.text}", article="a", preposition=None, modifier=None)


def _with_lead(rung: Rung, lead: str) -> Rung:
    if not lead:
        return rung
    phrase = f"{rung.article} {rung.text}" if rung.article else rung.text
    if rung.preposition is None:
        return replace(rung, article="", text=phrase)
    return replace(rung, text=led(lead, phrase, rung.preposition), article="", preposition=None, modifier=None)


def _is_meant(mention: Mention) -> bool:
    """A bare number is a year only where the label says that it is a time; "mañana" alone is also tomorrow."""
    bare = mention.said.strip()
    if mention.language == "es" and bare.casefold() == "mañana":
        return False
    return mention.label == "DATETIME" or not bare.isdigit()


def _yearless(reading: Reading, language: str) -> list[Rung]:
    """Of a season or a holiday without a year."""
    if reading.season is not None:
        warm = reading.season < 2
        text = (
            ("spring or summer" if warm else "autumn or winter")
            if language == "en"
            else ("la primavera o el verano" if warm else "el otoño o el invierno")
        )
        return [Rung(text, 184, "the" if language == "en" else "", preposition="in" if language == "en" else "en")]
    kind = reading.holiday
    if language == "es":
        return [Rung("un día festivo", 40, "", preposition="en", source="calendar")]
    faith = kind in ("Christian", "Muslim", "Jewish", "Hindu")
    kinds = [(f"{kind} holiday", 15.0)] if kind else []
    kinds += [("religious holiday", 40.0)] if faith else []
    return [
        Rung(text, members, "a", preposition="on", source="calendar") for text, members in [*kinds, ("holiday", 100.0)]
    ]
