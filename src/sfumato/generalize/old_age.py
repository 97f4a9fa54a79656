"""Ages over 89 and what gives them away: one group, as US health rules (45 CFR 164.514(b)(2)(i)(C)) ask for.

People of 90 and more are few. Their ages become *90 or over*, and a date or year of birth from which such an age can be
computed becomes a bound that does not tell it: *1934 or earlier* in a text of 2024.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from sfumato.lexicon.ages import find_ages, find_birthdays, is_birth_before
from sfumato.lexicon.caches import cache_by_text
from sfumato.lexicon.tables import load_toml
from sfumato.lexicon.time import YEAR, find_dates

OLDEST_GROUP = 90
"""From this age on, all ages are one group."""
_OLDEST = 125
_LATEST = 2035
"""No text that this version reads was written later."""
_UNDATED_TEXT = 2026
"""The year that is taken for that of a text without a date but those of births."""
_LIFE = re.compile(rf"(?<![\d/.-])(?P<born>{YEAR})\s?[-–—]\s?(?P<died>{YEAR})(?![\d/.-])")


class OldAge(NamedTuple):
    """``text[start:end]`` tells an age of 90 or more: the age itself, or a date or year of birth."""

    start: int
    end: int
    kind: Literal["age", "birth"]
    bound: int
    """Of a birth, the last year of birth of somebody who is 90 in the text; of an age, 90."""

    def group(self, language: str = "en", shift_days: int = 0) -> str:
        """What stands for everybody in the group: *90 or over*, *1934 or earlier*.

        ``shift_days``: by how much the other dates of the document are shifted, so that the bound fits them.
        """
        groups = load_toml("age_groups", package="sfumato.generalize")
        templates = groups.get(language, groups["en"])
        year = self.bound + round(shift_days / 365.25)
        return str(templates["age"] if self.kind == "age" else templates["born"].format(year=year))

    def replacement(self, text: str, language: str = "en", shift_days: int = 0) -> str:
        """The group in the form of what it replaces: *93 yo* -> *90+ yo*, *90M* -> *90+M*, *am 94* -> *90 or over*."""
        unit = re.match(r"\d+(?=\D)", text[self.start : self.end]) if self.kind == "age" else None
        if unit is None:
            return self.group(language, shift_days)
        rest = text[self.start + unit.end() : self.end]
        return f"{OLDEST_GROUP}+{' ' + rest[1:] if rest[0] == '-' else rest}"


@cache_by_text(32)
def find_old_ages(text: str, language: str | None = None) -> Sequence[OldAge]:
    """What in the text tells an age over 89, from left to right."""
    ages = [age for age in (*find_ages(text, language), *find_birthdays(text, language)) if age.years >= OLDEST_GROUP]
    births, latest = _births_and_latest_year(text)
    old_ages = [OldAge(age.start, age.end, "age", OLDEST_GROUP) for age in ages]
    if not births:
        return sorted(old_ages)
    # "Born in 1931 ... is 93": the text is of 2024 or 2025, whatever its latest date.
    computed = [born + age.years for age in ages for _, _, born in births if 1990 <= born + age.years <= _LATEST]
    reference = max((year for year in (latest, *computed) if year is not None), default=_UNDATED_TEXT)
    bound = reference - OLDEST_GROUP
    old_ages += [
        OldAge(start, end, "birth", bound) for start, end, born in births if reference - _OLDEST <= born <= bound
    ]
    return sorted(old_ages)


def _births_and_latest_year(text: str) -> tuple[list[tuple[int, int, int]], int | None]:
    """The dates of birth with their years, and the latest year of the other dates."""
    births: dict[int, tuple[int, int, int]] = {}
    two_digits: list[re.Match[str]] = []
    years: list[int] = []
    for form, match in find_dates(text):
        written = match.groupdict().get("year")
        if not written or form == "weekday":
            continue
        is_birth = is_birth_before(text, match.start())
        if len(written) == 2:
            two_digits += [match] if is_birth else []
        elif is_birth:
            births[match.start()] = (*match.span(), int(written))
        else:
            years.append(int(written))
    for life in _LIFE.finditer(text):
        born, died = int(life["born"]), int(life["died"])
        if OLDEST_GROUP <= died - born <= _OLDEST:
            births[life.start()] = (*life.span("born"), born)
            years = [year for year in years if year != born]
    latest = max((year for year in years if year <= _LATEST), default=None)
    for match in two_digits:
        # A year of two digits is of the last century where the text is not that far yet.
        recent = 2000 + int(match["year"])
        if recent > (latest or _LATEST):
            births[match.start()] = (*match.span(), recent - 100)
    return [births[start] for start in sorted(births)], latest


def old_age_in(text: str, start: int, end: int, language: str | None = None) -> OldAge | None:
    """What the range tells of an age over 89, if it does; a date of birth also where it is repeated elsewhere."""
    surface = text[start:end].strip()
    for old_age in find_old_ages(text, language):
        if old_age.start < end and start < old_age.end:
            return old_age
        if old_age.kind == "birth" and len(surface) > 3 and text[old_age.start : old_age.end] == surface:
            return old_age
    return None
