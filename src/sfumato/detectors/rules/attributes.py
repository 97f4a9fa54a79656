"""Quantities, dates and times, and demographic attributes: nationality, ethnic group, religion, occupation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from sfumato.detectors.rules.patterns import Pattern, Scope, alternatives, any_of, word_list
from sfumato.document import Span
from sfumato.lexicon import name_lists, time

# Money, percentages and measures.

_SIGNS = r"(?:US\$|A\$|C\$|AU\$|CA\$|NZ\$|HK\$|R\$|[$€£¥₹₽₺₩₴₪₫฿₦]|zł|kr\.?|Rs\.?|Fr\.|лв)"
_SCALE = rf"(?:[ ]?{any_of(word_list('money.scales'))}(?!\w))?(?:[ ](?:de|of|di|d'))?"
_NUMBER = r"\d{1,3}(?:(?:[.,'’ \u00a0]\d{3})+(?!\d)|\d{0,9})(?:[.,]\d{1,2}(?!\d)|[.,][-–]{1,2})?"
_CURRENCY = alternatives(word_list("money.currencies"))
_CURRENCY_CODE = alternatives(word_list("money.codes"))
_UNIT = alternatives(word_list("measures.units"))


def _quantity(kind: str, regex: str, score: float, scope: Scope = "at numbers") -> Pattern:
    return Pattern(kind, "QUANTITY", regex, "quasi", score, scope=scope)


QUANTITY_PATTERNS = (
    _quantity(
        "money",
        rf"(?i)(?<![^\W\d_])(?-i:{_SIGNS}|{_CURRENCY_CODE})[ \u00a0]?{_NUMBER}{_SCALE}(?![\w]|[.,]\d)",
        0.85,
        "near numbers",
    ),
    _quantity(
        "money",
        rf"(?i)(?<![\w.,/-]){_NUMBER}{_SCALE}[ \u00a0-]?"
        rf"(?:(?-i:{_SIGNS}|{_CURRENCY_CODE})|(?:[a-zé]{{2,14}}[ ])?(?:{_CURRENCY}))(?!\w)(?:[ ]\((?-i:[A-Z]{{3}})\))?",
        0.85,
    ),
    _quantity(
        "percentage",
        rf"(?i)(?<![\w.,/-]){_NUMBER}[ \u00a0]?(?:%|‰|{any_of(word_list('money.percent'))}\b)",
        0.75,
    ),
    _quantity(
        "measure",
        rf"(?<![\w.,/-]){_NUMBER}(?:[ ]?[x×][ ]?{_NUMBER}){{0,2}}[ \u00a0-]?(?:{_UNIT})(?![\w/])",
        0.6,
    ),
    # A unit of one letter is a word more often than a unit, so it must stand apart.
    _quantity("measure", rf"(?<![\w.,/-]){_NUMBER}[ \u00a0](?:m|g|l)(?![\w/'’]|\.\w)", 0.5),
    _quantity("measure", r"(?<!\w)[3-8]['′’][ ]?(?:\d|1[01])(?:[\"″”]|'')?(?!\w)", 0.6),
)


# Dates, times and durations.

MONTHS = sorted(
    {name.casefold() for table in (time.MONTHS, time.SHORT_MONTHS) for names in table.values() for name in names}
    | set(word_list("dates.months"))
)
WEEKDAYS = sorted(
    {name.casefold() for names in time.WEEKDAYS.values() for name in names} | set(word_list("dates.weekdays"))
)
UNITS = word_list("dates.units")

_MONTH = rf"(?:{alternatives(MONTHS)})(?!\w)\.?"
_WEEKDAY_FIRST = rf"(?:(?:{alternatives(WEEKDAYS)})(?!\w),?[ ](?:{any_of(word_list('dates.weekday_articles'))}[ ])?)?"
_ORDINAL = r"(?:st|nd|rd|th|er|ère|º|ª|°|\.|e|ste|de)?"
_YEAR = r"(?:1[5-9]|20)\d\d"
_OF = any_of(word_list("dates.of"))
_RANGE = rf"(?:\d{{1,2}}(?:st|nd|rd|th|\.)?[ ]?(?:-|–|{any_of(word_list('dates.range'))})[ ]?)?"
# "Windows 11. May I": a new sentence, not a date.
_MAY_AS_VERB = r"(?:May|March)[ ](?:I|we|you|he|she|they|it|the|this|that|God|all)(?!\w)"
_TIME = (
    r"(?:[01]?\d|2[0-4])(?:[:.][0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?[ ]?(?:[ap]\.?[ ]?m\b\.?|uhr|"
    r"hrs?\b|hours|h\b|uur)|:[0-5]\d(?::[0-5]\d)?"
    r"|[ ]?[ap]\.?[ ]?m\b\.?|[ ]?h[ ]?[0-5]\d|[ ](?:uhr|o['’]clock|uur))"
)
_ZONE = r"(?:[ ]?(?:UTC|GMT|CET|CEST|EST|EDT|PST|PDT|BST|Z)(?!\w)|[ ]?[+-]\d{2}:?\d{2})?"


def is_calendar_date(text: str) -> bool:
    """Whether it has three numbers of which two can be a day and a month."""
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


DATETIME_PATTERNS = (
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
        rf"(?i)(?<![\w/.-]){_RANGE}\d{{1,2}}(?!\. (?-i:{_MAY_AS_VERB})){_ORDINAL}(?:[ ]{_OF})?[ \u00a0.-]?{_MONTH}"
        rf"(?:,?[ \u00a0-](?:{_OF}[ ])?(?:{_YEAR}|['’]?\d{{2}}(?![\w:/]|\.\d))|['’]\d\d)?(?!\w)",
    ),
    _date(
        rf"(?i)(?<!\w){_WEEKDAY_FIRST}(?:{any_of(word_list('dates.parts'))}[- ])?{_MONTH}(?:,?[ "
        rf"\u00a0-]?(?:{_OF}[ ])?{_YEAR}(?!\w)|"
        rf"[ ](?:the[ ])?\d{{1,2}}(?:st|nd|rd|th)?(?:[ ]?[-–][ ]?\d{{1,2}}(?:st|nd|rd|"
        rf"th)?)?(?:,?[ ]{_YEAR})?(?![\w:]|[.,]\d))",
        scope="near numbers",
    ),
    _date(r"(?<![\w/.,-])(?:0[1-9]|1[0-2])/(?:19|20)\d\d(?![\w/])", 0.7),
    _date(
        r"(?<![\w/.,-])(?:0?[1-9]|1[0-2])/(?:[0-2]?[0-9]|3[01])(?![\w/%]|[.,]\d)",
        0.2,
        context=word_list("dates.context"),
    ),
    _date(rf"(?<![\w/.,:$€£-]){_YEAR}(?:[ ]?[-–/][ ]?(?:{_YEAR}|\d\d))(?![\w/]|[-.,]\d)", 0.75),
    _date(r"(?i)(?<!\w)(?:1[5-9]|20)\d0['’]?s(?!\w)", 0.8),
    _date(r"(?i)(?<!\w)(?:1[0-9]|20|21)(?:st|th)[ -]century(?!\w)", 0.7),
    _date(
        rf"(?i)(?<!\w){any_of(word_list('dates.seasons'))}[ ](?:(?:of|de|del)[ ])?{_YEAR}(?!\w)",
        scope="near numbers",
    ),
    _date(
        # A year alone is a kind of its own, because it often says nothing about anyone ("the 2019 guidelines").
        rf"(?<![\w/.,:#$€£§-])(?<!Act )(?<!Code )(?<!Rules )(?<![Nn]o\. )(?<!Article "
        rf")(?<![Ss]ection )(?<!§ )(?<!Room )(?<!page )"
        rf"{_YEAR}(?![\w/%°]|[-.,:]\d| ?(?:€|%|kg|km|mg|m2|euros?|EUR|people|employees|words|"
        rf"pages|Act|Rules|Regulations)\b)",
        0.55,
        kind="year",
    ),
    _date(rf"(?i)(?<![\w:.,/-]){_TIME}{_ZONE}(?![\w:]|[.,]\d)", 0.75, kind="time"),
    _date(
        rf"(?i)(?<![\w/.,$€£-])\d{{1,4}}(?:[.,]\d{{1,2}})?"
        rf"(?:[ ]?[-–][ ]?\d{{1,3}}|[ ]{any_of(word_list('dates.unit_range'))}[ ]\d{{1,3}})?"
        rf"[ -]?(?:{alternatives(UNITS)})(?!\w)",
        0.7,
        kind="duration",
    ),
)


# Nationality, group and occupation by lexicon; ages are in ``patterns.toml``.

_NUMBER_WORDS = alternatives(word_list("dates.number_words"))
_ROLE_CUE = re.compile(
    rf"(?i)(?<!\w){any_of(word_list('occupations.cues'))}[:]?(?: (?!of |the )[\w-]{{3,14}}){{0,2}} $"
)
_COUNT_BEFORE = re.compile(rf"(?i)(?<!\w)(?:(?:{_NUMBER_WORDS})(?:[ -](?:{_NUMBER_WORDS})| and a half)?)[ -]$")
_SINCE_BEFORE = re.compile(rf"(?i)(?<!\w){any_of(word_list('dates.before_month'))}[ -]$")


@cache
def trigger_words() -> dict[str, str]:
    """First words of the phrases that ``find_at_trigger`` looks for, with the kind of phrase."""
    triggers = {phrase.split()[0]: "occupation" for phrase in name_lists.occupations()}
    triggers |= {f"{word}s": "occupation" for word in triggers if len(word) > 3}
    triggers |= dict.fromkeys(UNITS, "duration")
    triggers |= dict.fromkeys(
        (word for word in (*MONTHS, *WEEKDAYS) if len(word) > 3 or word in {"mai", "mei"}), "month"
    )
    for table in (name_lists.demonyms(), name_lists.groups()):
        triggers |= {name_lists.lookup_key(phrase.split()[0]): "group" for phrase in table}
    return triggers


@cache
def _longest_occupation() -> dict[str, int]:
    longest: dict[str, int] = {}
    for phrase in name_lists.occupations():
        words = phrase.split()
        longest[words[0]] = max(longest.get(words[0], 1), len(words))
    return longest


@cache
def _groups() -> frozenset[str]:
    """Demonyms and groups, with their plural forms and the capitalised forms that are not names of places."""
    written = name_lists.demonyms() | name_lists.groups()
    capital = {w[:1].upper() + w[1:] for w in written if name_lists.lookup_key(w) not in name_lists.places()}
    plural = {f"{w}s" for w in written if w[:1].isupper() and not w.endswith(("s", "sh", "ch", "e"))}
    return written | capital | plural


def find_at_trigger(text: str, word: re.Match[str], kind: str) -> Iterator[Span]:
    """Spans of the phrase that a trigger word begins or ends."""
    start, end = word.span()
    if kind == "group":
        yield from _find_group(text, start, end)
    elif kind == "occupation":
        yield from _find_occupation(text, start, end)
    elif kind == "duration":
        if count := _COUNT_BEFORE.search(text[max(0, start - 24) : start]):
            yield Span(start - len(count.group()), end, "DATETIME", "quasi", 0.6, "rules:duration")
    else:
        has_preposition = _SINCE_BEFORE.search(text[max(0, start - 12) : start]) is not None
        if has_preposition or text[start].isupper():
            yield Span(start, end, "DATETIME", "quasi", 0.6 if has_preposition else 0.4, "rules:month")


def _find_group(text: str, start: int, end: int) -> Iterator[Span]:
    for phrase_end in (text.find(" ", end + 1, end + 20), end):
        phrase = text[start:phrase_end].rstrip(".,;:)") if phrase_end > 0 else ""
        if phrase in _groups():
            yield Span(start, start + len(phrase), "DEM", "quasi", 0.6, "rules:nationality")
            return


def _find_occupation(text: str, start: int, end: int) -> Iterator[Span]:
    occupations = name_lists.occupations()
    first = name_lists.lookup_key(text[start:end])
    words = re.findall(r"[\w-]+", text[start : end + 40])[: _longest_occupation().get(first, 1)]
    for count in range(len(words), 0, -1):
        phrase = " ".join(words[:count])
        if not text.startswith(phrase, start):
            continue
        key = name_lists.lookup_key(phrase)
        if key in occupations or key.removesuffix("s") in occupations:
            has_cue = _ROLE_CUE.search(text[max(0, start - 45) : start])
            yield Span(start, start + len(phrase), "DEM", "quasi", 0.6 if has_cue else 0.35, "rules:occupation")
            return
