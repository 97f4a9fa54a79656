"""Locales, as in ``en-GB``: the country that a text comes from, and how it writes numeric dates."""

from __future__ import annotations

import re
from typing import NamedTuple

from sfumato.lexicon import world
from sfumato.lexicon.tables import word_set
from sfumato.lexicon.time import Order

_CODE = re.compile(r"(?P<language>[A-Za-z]{2,3})(?:[-_](?P<country>[A-Za-z]{2}))?")


class Locale(NamedTuple):
    """What a user states about a text; None where nothing is stated and the text itself has to tell.

    ``Document.meta`` has what is stated under the names of these fields.
    """

    language: str | None = None
    country: str | None = None
    """ISO 3166-1, in capitals."""
    date_order: Order | None = None

    @property
    def stated(self) -> dict[str, str]:
        """The fields that are stated."""
        return {name: value for name, value in self._asdict().items() if value is not None}


NO_LOCALE = Locale()


def parse_locale(code: str, date_order: Order | None = None) -> Locale:
    """The locale that a code such as ``en-GB`` or ``de`` names; ``date_order`` takes precedence over its country's.

    Raises ``ValueError`` where it is no such code, or the country does not exist.
    """
    match = _CODE.fullmatch(code)
    if match is None:
        raise ValueError("write a language, and a country if it is known, such as en-GB, en-US or de")
    language, country = match["language"].lower(), (match["country"] or "").upper()
    if country == "UK":
        raise ValueError(f"the code of the United Kingdom is GB: write {language}-GB")
    if country and country not in world.countries():
        raise ValueError("the part after the hyphen is no code of a country (ISO 3166), such as GB, US or AT")
    return Locale(language, country or None, date_order or _order_in(country))


def _order_in(country: str) -> Order | None:
    if not country or country in word_set("locales", "unsettled"):
        return None
    if country in word_set("locales", "month_first"):
        return "mdy"
    return "ymd" if country in word_set("locales", "year_first") else "dmy"
