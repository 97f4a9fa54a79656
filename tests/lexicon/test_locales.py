"""Locales: the country of a text and the order of its numeric dates."""

from __future__ import annotations

import pytest

from sfumato.lexicon.locales import Locale, parse_locale


@pytest.mark.parametrize(
    ("code", "locale"),
    [
        ("en-GB", Locale("en", "GB", "dmy")),
        ("en-US", Locale("en", "US", "mdy")),
        ("de_at", Locale("de", "AT", "dmy")),
        ("zh-CN", Locale("zh", "CN", "ymd")),
        ("en-CA", Locale("en", "CA", None)),
        ("fr", Locale("fr", None, None)),
    ],
)
def test_a_code_gives_country_and_order(code: str, locale: Locale) -> None:
    assert parse_locale(code) == locale


def test_a_stated_order_takes_precedence() -> None:
    assert parse_locale("en-US", "dmy").date_order == "dmy"


@pytest.mark.parametrize(("code", "hint"), [("en-UK", "en-GB"), ("English", "such as en-GB"), ("en-QQ", "ISO 3166")])
def test_what_is_no_locale_is_refused(code: str, hint: str) -> None:
    with pytest.raises(ValueError, match=hint):
        parse_locale(code)
