"""Dates, times and durations as they are written in the seven languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sfumato.detectors.rules.patterns import Pattern, Scope, alternatives
from sfumato.knowledge.dates import calendar

MONTHS = sorted(
    {
        name.casefold()
        for table in (calendar.MONTHS, calendar.SHORT_MONTHS)
        for names in table.values()
        for name in names
    }
    | {"sept", "setiembre", "jänner"}
)
WEEKDAYS = sorted({name.casefold() for names in calendar.WEEKDAYS.values() for name in names} | {"sonnabend"})
UNITS = (
    "year years month months week weeks day days hour hours minute minutes second seconds decade decades century "
    "centuries fortnight fortnights yr yrs hr hrs min mins año años mes meses semana semanas día días hora horas "
    "minuto minutos jahr jahre jahren jahres monat monate monaten woche wochen tag tage tagen stunde stunden "
    "minuten ans année années mois semaine semaines jour jours heure heures anno anni mese mesi settimana settimane "
    "giorno giorni ora ore minuti ano anos mês dia dias jaar jaren maand maanden weken dag dagen uur"
).split()
NUMBER_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred several dos tres cuatro cinco "
    "seis siete ocho nueve diez once doce quince veinte treinta zwei drei vier fünf sechs sieben acht neun zehn elf "
    "zwölf zwanzig dreißig deux trois quatre cinq sept huit neuf dix onze douze quinze vingt trente due tre quattro "
    "cinque sei sette otto nove dieci dodici venti trenta dois duas três quatro oito dez doze vinte trinta twee "
    "drie vijf zes zeven negen tien twaalf twintig"
).split()

_MONTH = rf"(?:{alternatives(MONTHS)})(?!\w)\.?"
_WEEKDAY_FIRST = rf"(?:(?:{alternatives(WEEKDAYS)})(?!\w),?[ ](?:(?:the|den|dem|el|le|il)[ ])?)?"
_ORDINAL = r"(?:st|nd|rd|th|er|ère|º|ª|°|\.|e|ste|de)?"
_YEAR = r"(?:1[5-9]|20)\d\d"
_OF = r"(?:of|de|del|di|do|d')"
_RANGE = r"(?:\d{1,2}(?:st|nd|rd|th|\.)?[ ]?(?:-|–|to|and|or|y|al|a|bis|und|au|et|e|en|tot|t/m)[ ]?)?"
# "Windows 11. May I": a new sentence, no date.
_ASKS = r"(?:May|March)[ ](?:I|we|you|he|she|they|it|the|this|that|God|all)(?!\w)"
_TIME = (
    r"(?:[01]?\d|2[0-4])(?:[:.][0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?[ ]?(?:[ap]\.?[ ]?m\b\.?|uhr|"
    r"hrs?\b|hours|h\b|uur)|:[0-5]\d(?::[0-5]\d)?"
    r"|[ ]?[ap]\.?[ ]?m\b\.?|[ ]?h[ ]?[0-5]\d|[ ](?:uhr|o['’]clock|uur))"
)
_ZONE = r"(?:[ ]?(?:UTC|GMT|CET|CEST|EST|EDT|PST|PDT|BST|Z)(?!\w)|[ ]?[+-]\d{2}:?\d{2})?"


def is_calendar_date(text: str) -> bool:
    """Three numbers of which two can be a day and a month."""
    numbers = [int(part) for part in re.findall(r"\d+", text)[:3]]
    small = [n for n in numbers if 1 <= n <= 31]
    return len(numbers) == 3 and len(small) >= 2 and min(small) <= 12


def _date(
    regex: str,
    score: float = 0.9,
    scope: Scope = "at numbers",
    validate: Callable[[str], bool] | None = None,
    context: Sequence[str] = (),
    kind: str = "date",
) -> Pattern:
    return Pattern(kind, "DATETIME", regex, "quasi", score, context, validate=validate, scope=scope)


PATTERNS = (
    _date(
        rf"(?<![\w/.-])\d{{4}}(?P<sep>[-/.])\d{{1,2}}(?P=sep)\d{{1,2}}(?:[T "
        rf"]\d{{2}}:\d{{2}}(?::\d{{2}}(?:\.\d{{1,9}})?)?{_ZONE})?(?![\w/-])",
        validate=is_calendar_date,
    ),
    _date(
        r"(?<![\w/.,-])\d{1,2}(?P<sep>[-/.]|\. )\d{1,2}(?P=sep)(?:\d{4}|\d{2})(?![\w/-]|[.,]\d)",
        0.85,
        validate=is_calendar_date,
    ),
    _date(
        rf"(?i)(?<![\w/.-]){_RANGE}\d{{1,2}}(?!\. (?-i:{_ASKS})){_ORDINAL}(?:[ ]{_OF})?[ \u00a0.-]?{_MONTH}"
        rf"(?:,?[ \u00a0-](?:{_OF}[ ])?(?:{_YEAR}|['’]?\d{{2}}(?![\w:/]|\.\d))|['’]\d\d)?(?!\w)",
    ),
    _date(
        rf"(?i)(?<!\w){_WEEKDAY_FIRST}(?:(?:early|mid|late|anfang|mitte|ende)[- ])?{_MONTH}(?:,?[ "
        rf"\u00a0-]?(?:{_OF}[ ])?{_YEAR}(?!\w)|"
        rf"[ ](?:the[ ])?\d{{1,2}}(?:st|nd|rd|th)?(?:[ ]?[-–][ ]?\d{{1,2}}(?:st|nd|rd|"
        rf"th)?)?(?:,?[ ]{_YEAR})?(?![\w:]|[.,]\d))",
        scope="near numbers",
    ),
    _date(r"(?<![\w/.,-])(?:0[1-9]|1[0-2])/(?:19|20)\d\d(?![\w/])", 0.7),
    _date(
        r"(?<![\w/.,-])(?:0?[1-9]|1[0-2])/(?:[0-2]?[0-9]|3[01])(?![\w/%]|[.,]\d)",
        0.2,
        context="on date dated dob since until due el am le exp expires expiry valid".split(),
    ),
    _date(rf"(?<![\w/.,:$€£-]){_YEAR}(?:[ ]?[-–/][ ]?(?:{_YEAR}|\d\d))(?![\w/]|[-.,]\d)", 0.75),
    _date(r"(?i)(?<!\w)(?:1[5-9]|20)\d0['’]?s(?!\w)", 0.8),
    _date(r"(?i)(?<!\w)(?:1[0-9]|20|21)(?:st|th)[ -]century(?!\w)", 0.7),
    _date(
        rf"(?i)(?<!\w)(?:spring|summer|autumn|fall|winter|primavera|verano|otoño|invierno|"
        rf"frühjahr|frühling|sommer|herbst|printemps|été|automne|hiver)[ ](?:(?:of|de|del)[ "
        rf"])?{_YEAR}(?!\w)",
        scope="near numbers",
    ),
    _date(
        # A year alone: a kind of its own, because in a question about guidelines it tells nothing of anyone.
        rf"(?<![\w/.,:#$€£§-])(?<!Act )(?<!Code )(?<!Rules )(?<![Nn]o\. )(?<!Article "
        rf")(?<![Ss]ection )(?<!§ )(?<!Room )(?<!page )"
        rf"{_YEAR}(?![\w/%°]|[-.,:]\d| ?(?:€|%|kg|km|mg|m2|euros?|EUR|people|employees|words|"
        rf"pages|Act|Rules|Regulations)\b)",
        0.55,
        kind="year",
    ),
    Pattern(
        "time", "DATETIME", rf"(?i)(?<![\w:.,/-]){_TIME}{_ZONE}(?![\w:]|[.,]\d)", "quasi", 0.75, scope="at numbers"
    ),
    Pattern(
        "duration",
        "DATETIME",
        rf"(?i)(?<![\w/.,$€£-])\d{{1,4}}(?:[.,]\d{{1,2}})?(?:[ ]?[-–][ ]?\d{{1,3}}|[ ](?:to|or|a|"
        rf"bis|à|o|ou)[ ]\d{{1,3}})?[ -]?(?:{alternatives(UNITS)})(?!\w)",
        "quasi",
        0.7,
        scope="at numbers",
    ),
)
