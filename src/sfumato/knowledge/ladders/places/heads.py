"""Streets, buildings, waters and other places by their head noun, in English and the main European languages.

The words are those of ``training/wordlists/place_heads.txt``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from sfumato.knowledge import shipped
from sfumato.knowledge.accents import fold
from sfumato.knowledge.geography.settlements import settlements


@dataclass(frozen=True, slots=True)
class Kind:
    """What a head noun says: kinds, the narrowest first, and whether a place in the name says where it is."""

    nouns: tuple[str, ...]
    is_located: bool


_SUFFIXES = {
    "strasse": "street",
    "straße": "street",
    "str.": "street",
    "gasse": "street",
    "gatan": "street",
    "straat": "street",
    "platz": "square",
    "plein": "square",
    "torget": "square",
    "allee": "avenue",
    "vägen": "road",
    "brücke": "bridge",
    "bahnhof": "railway station",
    "flughafen": "airport",
    "krankenhaus": "hospital",
}
_FIRST = frozenset(
    "mount mt mont monte lake lago lac loch lough river cape rue calle carrer via viale vicolo rua ulica ulitsa ul "
    "strada avenida avenue plaza plaça praça piazza place platz boulevard bd quai puente pont ponte plac trg "
    "aeropuerto aéroport gare estación hospital hôpital hmp jva château castillo castello palais palazzo palacio parc "
    "parque iglesia église museo musée universidad université isla île isola ulice odos hotel".split()
)
"""Heads that stand before a name; others do with "of" alone."""
_BEFORE_NAMES = frozenset("of the de del la du des di da do d no no.".split())
_SURE = frozenset(
    "street avenue airport prison hospital cathedral mosque university district province county municipality".split()
)
"""What no town is called after."""
ADMINISTRATIVE = frozenset({"district", "municipality", "province", "county", "region", "state", "republic"})
_WORD = re.compile(r"[\w.'’-]+")


@cache
def _heads() -> dict[str, Kind]:
    found: dict[str, Kind] = {}
    for named, words in shipped.rows("place_heads"):
        nouns = tuple(named.removeprefix("+").split(", "))
        for word in words.split():
            found.setdefault(fold(word), Kind(nouns, named.startswith("+") or nouns[0] in ADMINISTRATIVE))
    return found


@cache
def kinds() -> dict[str, Kind]:
    """By what they are called."""
    return {kind.nouns[0]: kind for kind in _heads().values()}


def is_head(word: str) -> bool:
    return fold(word) in _heads()


@lru_cache(maxsize=4096)
def head(phrase: str) -> tuple[Kind, str] | None:
    """The kind that the last or first words of a name tell, and the rest of the name: "Manchester" of its airport.

    "Mount X", "Rue X" and "X Street" say it at either end; "Province of X" before "of".
    """
    words = _WORD.findall(phrase)
    if len(words) < 2:
        return _suffixed(phrase)
    is_town = bool(settlements(phrase))
    for count in (2, 1):
        kind = _heads().get(fold(" ".join(words[-count:])).rstrip(".")) if len(words) > count else None
        if kind and all(word[:1].isupper() or word[:1].isdigit() or len(word) < 4 for word in words[:-count]):
            return None if is_town and kind.nouns[0] not in _SURE else (kind, _rest(words[:-count]))
    for count in (2, 1):
        kind = _heads().get(fold(" ".join(words[:count])).rstrip(".")) if len(words) > count else None
        is_first = words[count : count + 1] == ["of"] or words[0].casefold().rstrip(".") in _FIRST
        if kind and is_first and not is_town:
            return kind, _rest(words[count:])
    return _suffixed(words[-1]) if len(words) < 4 else None


def _rest(words: list[str]) -> str:
    while words and words[0].casefold() in _BEFORE_NAMES:
        words = words[1:]
    return " ".join(words)


def _suffixed(word: str) -> tuple[Kind, str] | None:
    lowered = word.casefold()
    for suffix, name in _SUFFIXES.items():
        if lowered.endswith(suffix.casefold()) and len(lowered) > len(suffix) + 2:
            return kinds()[name], ""
    return None
