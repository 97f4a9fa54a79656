"""What a whole document says about how its dates are to be read."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from sfumato.knowledge.dates.calendar import MONTHS
from sfumato.knowledge.dates.forms import Order

_NUMERIC = re.compile(r"(?<!\d)(\d{1,2})([-/.])(\d{1,2})\2(?:\d{4}|\d{2})(?!\d)")
_ENGLISH_MONTH = "|".join(MONTHS["en"])
_DAY_FIRST = re.compile(rf"\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_ENGLISH_MONTH})\b")
_MONTH_FIRST = re.compile(rf"\b(?:{_ENGLISH_MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?(?!\d)")
_LATE_HOUR = re.compile(r"(?<![\d:])(?:1[3-9]|2[0-3])[:h][0-5]\d")
_HALF_DAY = re.compile(r"\d\s*[ap]\.?\s?m\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<![\d/.,-])(1[5-9]\d\d|20\d\d)(?![\d/])")
_CAPITALIZED = re.compile(r"[A-ZÁÉÍÓÚ][^\W\d_]+")
_SOUTH = frozenset(
    "Australia Australian Zealand Argentina Argentine Argentinian Argentino Chile Chilean Chileno Uruguay Paraguay "
    "Brazil Brazilian Brasil Bolivia Bolivian Peru Perú Peruvian Sudáfrica Namibia Botswana Zimbabwe Zambia "
    "Mozambique Madagascar Angola Lesotho Eswatini Swaziland Malawi Tanzania Kenya Kenyan Uganda Rwanda Burundi Congo "
    "Gabon Ecuador Colombia Colombian Venezuela Indonesia Indonesian Malaysia Singapore Papua Fiji Samoa Tonga "
    "Vanuatu Mauritius Mauricio Réunion Falkland Malvinas Antarctica Antártida Sydney Melbourne Brisbane Adelaide "
    "Auckland Montevideo Asunción Lima Janeiro Johannesburg Durban Pretoria Nairobi Quito Bogotá Bogota Jakarta".split()
)
_SOUTHERN_PHRASES = ("South Africa", "Buenos Aires", "São Paulo", "Sao Paulo", "Cape Town", "hemisphere", "hemisferio")


class DateFacts:
    """Each is found out when first asked for."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def order(self) -> Order | None:
        """Whether 3/4 is 3 April or March 4; None where nothing tells."""
        said: set[Order] = set()
        for first, sign, second in _NUMERIC.findall(self._text):
            if int(first) > 12 >= int(second) or (sign == "." and int(second) <= 12):
                said.add("dmy")
            elif int(second) > 12 >= int(first):
                said.add("mdy")
        if not said:
            # No numeric date tells; whoever writes "3 May" out does not write 5/3 for it.
            said |= {"dmy"} if _DAY_FIRST.search(self._text) else set()
            said |= {"mdy"} if _MONTH_FIRST.search(self._text) else set()
        return said.pop() if len(said) == 1 else None

    @cached_property
    def southern(self) -> bool:
        """Whether something points to where spring is not from March to May."""
        named = not _SOUTH.isdisjoint(_CAPITALIZED.findall(self._text))
        return named or any(phrase in self._text for phrase in _SOUTHERN_PHRASES)

    @cached_property
    def day_has_24_hours(self) -> bool:
        """Whether 5:15 can only be in the morning."""
        return _LATE_HOUR.search(self._text) is not None and _HALF_DAY.search(self._text) is None

    @cached_property
    def last_year(self) -> int:
        """The latest year written out; 0 where there is none."""
        return max(map(int, _YEAR.findall(self._text)), default=0)


@lru_cache(maxsize=32)
def date_facts(text: str) -> DateFacts:
    return DateFacts(text)
