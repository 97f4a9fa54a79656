"""Number words, English and Spanish: tables for reading and writing them."""

from __future__ import annotations

from fractions import Fraction

_EN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_EN_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_EN_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth"
).split()
_ES = (
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
    "dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete "
    "veintiocho veintinueve"
).split()
_ES_TENS = "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa".split()
_ES_HUNDREDS = (
    "cien doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos"
).split()
_ES_ORDINALS = "primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo".split()


def _feminine(words: dict[str, int]) -> dict[str, int]:
    return {word.removesuffix("os") + "as": value for word, value in words.items() if word.endswith("os")}


_es_hundreds = {word: 100 * n for n, word in enumerate(_ES_HUNDREDS, 1)}
_es_ordinals = {word: n for n, word in enumerate(_ES_ORDINALS, 1)}

SMALL: dict[str, dict[str, int]] = {
    "en": {word: n for n, word in enumerate(_EN)},
    "es": {word: n for n, word in enumerate(_ES)}
    | {"un": 1, "una": 1, "veintiún": 21, "veintiun": 21, "veintiuna": 21, "dieciseis": 16, "veintidos": 22}
    | {"veintitres": 23, "veintiseis": 26},
}
"""Words that stand for a number of their own and take no smaller one behind them."""
TENS: dict[str, dict[str, int]] = {
    "en": {word: 10 * n for n, word in enumerate(_EN_TENS, 2)} | {"fourty": 40},
    "es": {word: 10 * n for n, word in enumerate(_ES_TENS[1:], 3)},
}
HUNDREDS: dict[str, dict[str, int]] = {
    "en": {"hundred": 100},
    "es": _es_hundreds | _feminine(_es_hundreds) | {"ciento": 100},
}
SCALES: dict[str, dict[str, int]] = {
    "en": {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "lakh": 10**5, "crore": 10**7},
    "es": {"mil": 10**3, "millón": 10**6, "millon": 10**6, "millones": 10**6, "billón": 10**12, "billones": 10**12},
}
AFTER_DIGITS = {"bn": 10**9, "mn": 10**6, "tn": 10**12, "k": 10**3, "mio": 10**6, "mrd": 10**9}
GROUPS: dict[str, dict[str, int]] = {"en": {"dozen": 12, "score": 20}, "es": {"docena": 12, "docenas": 12}}
ORDINALS: dict[str, dict[str, int]] = {
    "en": {word: n for n, word in enumerate(_EN_ORDINALS) if n}
    | {word[:-1] + "ieth": 10 * n for n, word in enumerate(_EN_TENS, 2)}
    | {"hundredth": 100},
    "es": _es_ordinals | {word[:-1] + "a": n for word, n in _es_ordinals.items()} | {"primer": 1, "tercer": 3},
}
PARTS: dict[str, dict[str, Fraction]] = {
    "en": {"half": Fraction(1, 2), "halves": Fraction(1, 2), "quarter": Fraction(1, 4), "quarters": Fraction(1, 4)}
    | {word + ending: Fraction(1, n) for n, word in enumerate(_EN_ORDINALS) if n > 2 for ending in ("", "s")},
    "es": {"medio": Fraction(1, 2), "media": Fraction(1, 2), "mitad": Fraction(1, 2), "tercio": Fraction(1, 3)}
    | {"tercios": Fraction(1, 3), "cuarto": Fraction(1, 4), "cuartos": Fraction(1, 4), "quinto": Fraction(1, 5)}
    | {"quintos": Fraction(1, 5), "décimo": Fraction(1, 10), "décimos": Fraction(1, 10)},
}
"""Names of parts of a whole: *half*, *thirds*."""
SIGNS = {"½": Fraction(1, 2), "¼": Fraction(1, 4), "¾": Fraction(3, 4), "⅓": Fraction(1, 3), "⅔": Fraction(2, 3)} | {
    "⅛": Fraction(1, 8),
    "⅕": Fraction(1, 5),
}
ONE: dict[str, frozenset[str]] = {"en": frozenset({"a", "an"}), "es": frozenset({"un", "una"})}
AND: dict[str, str] = {"en": "and", "es": "y"}
WRITTEN: dict[str, list[str]] = {"en": _EN[:13], "es": _ES[:13]}
"""The numbers up to twelve, as they are written in running text."""
