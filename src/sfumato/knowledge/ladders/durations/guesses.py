"""The attacker's side of durations: the usual ones inside a stretch of time."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.knowledge.ladders.durations.edges import NAMES, SEVERAL, Edge, amount
from sfumato.knowledge.ladders.durations.reading import SECONDS
from sfumato.knowledge.numbers.read import numbers_in
from sfumato.knowledge.numbers.write import in_words

_KNOWN = frozenset(
    "between and to less more than a an several multi period term of sentence later earlier ago before after for "
    "within entre y menos más de un una varios varias hace durante después antes uno".split()
)
"""Words of the rungs below, beside numbers and units."""


def guesses(phrase: str, language: str) -> Iterator[str]:
    """Durations that may have stood there: the usual ones inside the stretch, the most usual first."""
    stretch = _read_back(phrase.strip().rstrip("'’"), language)
    if stretch is None:
        return
    low, high, unit, modifies = stretch
    for candidate in _usual(low, high, unit):
        edge = Edge(*candidate)
        said = f"{in_words(edge.number)}-{edge.unit}" if modifies else amount(edge, language)
        yield said


_USUAL = (1, 2, 3, 6, 5, 10, 4, 15, 20, 30, 12, 18, 8, 7, 9, 25, 24, 14, 40, 50, 16, 22, 45, 48, 60, 90, 11, 13, 17, 19)


def _usual(low: float, high: float, unit: str) -> Iterator[tuple[int, str]]:
    order = [unit, *(other for other in ("year", "month", "week", "day", "hour", "minute", "second") if other != unit)]
    for name in order:
        for number in _USUAL:
            if low < number * SECONDS[name] < high:
                yield number, name


def _read_back(phrase: str, language: str) -> tuple[float, float, str, bool] | None:
    """The stretch that a rung of ours speaks of, the unit it is in, and whether it is an adjective."""
    words = phrase.lower().replace("-", " ").split()
    names = {name for pair in NAMES[language].values() for name in pair}
    numbered = set(
        " ".join(
            phrase.lower().replace("-", " ")[n.start : n.end] for n in numbers_in(" ".join(words), language)
        ).split()
    )
    if any(word not in names and word not in numbered and word not in _KNOWN for word in words):
        return None
    modifies = "-" in phrase and language == "en"
    units = [unit for word in words for unit, names in NAMES[language].items() if word in names]
    if not units:
        return None
    unit = units[-1]
    numbers = [number.value for number in numbers_in(" ".join(words), language) if number.value is not None]
    if any(word in ("several", "varios", "varias") for word in words):
        low, low_unit, high, high_unit = SEVERAL[unit]
        return low * SECONDS[low_unit], high * SECONDS[high_unit], unit, modifies
    if "multi" in words:
        return SECONDS[unit], 100 * SECONDS[unit], unit, modifies
    sizes = [float(number) for number in numbers] or [1.0]
    if any(word in ("less", "menos", "fewer") for word in words):
        return 0.0, sizes[0] * SECONDS[unit], _smaller(unit) if sizes[0] == 1 else unit, modifies
    if any(word in ("more", "más") for word in words):
        return sizes[0] * SECONDS[unit], 20 * sizes[0] * SECONDS[unit], unit, modifies
    if len(sizes) == 2:
        return sizes[0] * SECONDS[units[0]], sizes[1] * SECONDS[unit], unit, modifies
    return (sizes[0] * SECONDS[unit], 3 * sizes[0] * SECONDS[unit], unit, modifies) if len(sizes) == 1 else None


def _smaller(unit: str) -> str:
    units = list(SECONDS)
    return units[max(0, units.index(unit) - 1)]
