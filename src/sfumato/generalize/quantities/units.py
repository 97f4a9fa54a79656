"""Currencies and units: how they are written, and the name that says the same in other words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import floor, log10

from sfumato.lexicon.numbers import numbers_in, written

# code: English name; Spanish name; how else it is written
_CURRENCIES = """
EUR: euros; euros; euro €
USD: US dollars; dólares estadounidenses; us_dollar us$ united_states_dollars american_dollars dólares_estadounidenses
GBP: pounds sterling; libras esterlinas; pound_sterling british_pounds libras_esterlinas
CHF: Swiss francs; francos suizos; swiss_franc francos_suizos sfr
JPY: Japanese yen; yenes; japanese_yen yenes
CNY: Chinese yuan; yuanes; chinese_yuan renminbi rmb yuanes
INR: Indian rupees; rupias indias; indian_rupee ₹
RUB: Russian roubles; rublos; russian_rouble russian_rubles russian_ruble russian_roubles ₽ rublos
RUR: Russian roubles; rublos;
TRL: Turkish liras; liras turcas; turkish_lira old_turkish_liras liras_turcas turkish_lire
TRY: Turkish liras; liras turcas; new_turkish_liras new_turkish_lira ₺
YTL: Turkish liras; liras turcas;
PLN: Polish zlotys; zlotys polacos; polish_zloty zloty zlotys złoty zlotych polish_zlotych zł pln
PLZ: Polish zlotys; zlotys polacos; old_polish_zlotys
CZK: Czech korunas; coronas checas; czech_koruna czech_crowns czech_crown czech_korunas coronas_checas
SKK: Slovak korunas; coronas eslovacas; slovak_koruna slovak_crowns slovak_korunas
HUF: Hungarian forints; forintos húngaros; hungarian_forint forint forints
RON: Romanian lei; leus rumanos; new_romanian_lei romanian_leu
ROL: Romanian lei; leus rumanos; old_romanian_lei
BGN: Bulgarian levs; levas búlgaras; bulgarian_lev new_bulgarian_levs levs levа
BGL: Bulgarian levs; levas búlgaras; old_bulgarian_levs
SEK: Swedish kronor; coronas suecas; swedish_krona swedish_crowns kronor coronas_suecas
NOK: Norwegian kroner; coronas noruegas; norwegian_krone norwegian_crowns coronas_noruegas
DKK: Danish kroner; coronas danesas; danish_krone danish_crowns coronas_danesas
ISK: Icelandic krónur; coronas islandesas; icelandic_krona icelandic_kronur
HRK: Croatian kunas; kunas croatas; croatian_kuna kuna kunas
RSD: Serbian dinars; dinares serbios; serbian_dinar
UAH: Ukrainian hryvnias; grivnas ucranianas; ukrainian_hryvnia hryvnia hryvnias ₴
AUD: Australian dollars; dólares australianos; australian_dollar a$ au$
CAD: Canadian dollars; dólares canadienses; canadian_dollar c$ ca$
NZD: New Zealand dollars; dólares neozelandeses; new_zealand_dollar nz$
HKD: Hong Kong dollars; dólares de Hong Kong; hk$ hong_kong_dollar
SGD: Singapore dollars; dólares de Singapur; singapore_dollar
ZAR: South African rand; rands sudafricanos; south_african_rands
BRL: Brazilian reais; reales brasileños; r$ brazilian_real reais
MXN: Mexican pesos; pesos mexicanos; mexican_peso pesos_mexicanos
ARS: Argentine pesos; pesos argentinos; argentine_peso pesos_argentinos
CLP: Chilean pesos; pesos chilenos; chilean_peso pesos_chilenos
COP: Colombian pesos; pesos colombianos; colombian_peso pesos_colombianos
PEN: Peruvian soles; soles peruanos; peruvian_sol soles
ILS: Israeli shekels; séqueles israelíes; new_israeli_shekels israeli_shekel shekels ₪ nis
AED: UAE dirhams; dírhams emiratíes;
SAR: Saudi riyals; riyales saudíes; saudi_riyal
KRW: South Korean won; wones surcoreanos; ₩ korean_won
THB: Thai baht; bahts tailandeses; ฿
PHP: Philippine pesos; pesos filipinos; philippine_peso
VND: Vietnamese dong; dongs vietnamitas; ₫
NGN: Nigerian naira; nairas nigerianas; ₦ naira
EGP: Egyptian pounds; libras egipcias; egyptian_pound
MAD: Moroccan dirhams; dírhams marroquíes; moroccan_dirham
GEL: Georgian laris; laris georgianos; georgian_lari lari laris
AMD: Armenian drams; drams armenios; armenian_dram
AZN: Azerbaijani manats; manats azerbaiyanos; azerbaijani_manat
AZM: Azerbaijani manats; manats azerbaiyanos;
MDL: Moldovan lei; leus moldavos; moldovan_leu
MKD: Macedonian denars; denares macedonios; macedonian_denar denars
ALL: Albanian lekë; leks albaneses; albanian_lek albanian_leks
BAM: convertible marks; marcos convertibles; bosnian_marks
SIT: Slovenian tolars; tólares eslovenos; slovenian_tolar tolars
LTL: Lithuanian litai; litas lituanas; lithuanian_litas litai litas
LVL: Latvian lati; lats letones; latvian_lats lats lati
EEK: Estonian kroons; coronas estonias; estonian_kroon kroons
DEM: German marks; marcos alemanes; german_mark deutsche_marks deutsche_mark deutsch_mark deutschmarks dm
FRF: French francs; francos franceses; french_franc francos_franceses ff
ITL: Italian lire; liras italianas; italian_lira italian_liras liras_italianas
ESP: Spanish pesetas; pesetas; spanish_peseta pesetas peseta ptas
NLG: Dutch guilders; florines neerlandeses; netherlands_guilders dutch_guilder guilders guilder
BEF: Belgian francs; francos belgas; belgian_franc francos_belgas
LUF: Luxembourg francs; francos luxemburgueses; luxembourg_franc
ATS: Austrian schillings; chelines austriacos; austrian_schilling schillings schilling
GRD: Greek drachmas; dracmas; greek_drachma greek_drachmae drachmas drachmae dracmas
PTE: Portuguese escudos; escudos portugueses; portuguese_escudo escudos
IEP: Irish pounds; libras irlandesas; irish_pound
FIM: Finnish marks; marcos finlandeses; finnish_mark finnish_markkas finnmarks markka
CYP: Cypriot pounds; libras chipriotas; cyprus_pounds cypriot_pound cyprus_pound
MTL: Maltese liras; liras maltesas; maltese_lira maltese_liri
"""
_OPEN = (
    "dollars dollar pounds pound francs franc crowns crown krone kroner krona liras lira lire marks mark pesos peso "
    "rupees rupee roubles rouble rubles ruble lei leu lev dinars dinar yen yuan rand dirhams dirham riyals riyal won "
    "dólares dólar libras libra francos franco coronas corona marcos marco rupias dinares reais reales real bucks "
    "quid shillings £ $ ¥ kr kr. rs rs. fr."
)
"""Money that says no country."""
_SIGNED = {"£": ("pounds", "libras"), "$": ("dollars", "")}


@dataclass(frozen=True, slots=True)
class Unit:
    """What an amount is counted in."""

    name: str
    """In the plural, in the language that is read; empty where a sign says no more than that it is money."""
    singular: str = ""
    short: str = ""
    """A code or sign that says the same; empty where there is none."""


def _money(language: str) -> dict[str, Unit]:
    found: dict[str, Unit] = {}
    lines = [re.split(": |;", line) for line in _CURRENCIES.strip().splitlines()]
    names = [english.strip() for _, english, *_ in lines]
    for code, english, spanish, others in ([part.strip() for part in line] for line in lines):
        name = english if language == "en" else spanish
        found[code.lower()] = Unit(name, short=code)
        # Old and new money of one name: the name does not say the code.
        by_name = Unit(name, short=code if names.count(english) == 1 else "")
        for form in (english, spanish, *others.split()):
            found.setdefault(form.replace("_", " ").lower(), by_name)
    for word in _OPEN.split():
        signed = _SIGNED.get(word, ("", ""))[language != "en"]
        found.setdefault(word, Unit(signed or (word if word[:2].isalpha() and len(word) > 3 else "")))
    return found


# written short; singular, plural, Spanish plural; how else it is written
_MEASURES = """
mm: millimetre millimetres milímetros; millimeter millimeters milímetro
cm: centimetre centimetres centímetros; centimeter centimeters cms centímetro
m: metre metres metros; meter meters mts metro
km: kilometre kilometres kilómetros; kilometer kilometers kms kilómetro
ft: foot feet pies;
inch: inch inches pulgadas; pulgada
mile: mile miles millas; milla
yd: yard yards yardas;
µg: microgram micrograms microgramos; mcg microgramme microgrammes
mg: milligram milligrams miligramos; milligramme milligrammes miligramo
g: gram grams gramos; gramme grammes gr gramo
kg: kilogram kilograms kilogramos; kilo kilos kilogramme kilogrammes kgs kilogramo
lb: pound pounds libras; lbs
oz: ounce ounces onzas;
t: tonne tonnes toneladas; ton tons tonelada
ml: millilitre millilitres mililitros; milliliter milliliters mililitro
cl: centilitre centilitres centilitros;
l: litre litres litros; liter liters litro
gal: gallon gallons galones;
m²: square_metre square_metres metros_cuadrados; m2 sqm sq.m sq_m square_meter square_meters sq._m
km²: square_kilometre square_kilometres kilómetros_cuadrados; km2 square_kilometers
sq ft: square_foot square_feet pies_cuadrados; sq._ft
ha: hectare hectares hectáreas; hectárea
acre: acre acres acres;
m³: cubic_metre cubic_metres metros_cúbicos; m3 cubic_meters
mph: mile_per_hour miles_per_hour millas_por_hora;
km/h: kilometre_per_hour kilometres_per_hour kilómetros_por_hora; kph kmh kilometers_per_hour
kW: kilowatt kilowatts kilovatios;
kWh: kilowatt-hour kilowatt-hours kilovatios_hora;
hp: horsepower horsepower caballos; bhp
mmHg: millimetre_of_mercury millimetres_of_mercury milímetros_de_mercurio;
°C: degree_Celsius degrees_Celsius grados_Celsius; ℃ ºc degrees_celsius grados_centígrados celsius
°F: degree_Fahrenheit degrees_Fahrenheit grados_Fahrenheit; ºf fahrenheit
bpm: beat_per_minute beats_per_minute latidos_por_minuto; lpm
MB: megabyte megabytes megabytes;
GB: gigabyte gigabytes gigabytes;
kcal: kilocalorie kilocalories kilocalorías;
mg/dl: milligram_per_decilitre milligrams_per_decilitre miligramos_por_decilitro;
mmol/l: millimole_per_litre millimoles_per_litre milimoles_por_litro;
"""


def _measures(language: str) -> dict[str, Unit]:
    found: dict[str, Unit] = {}
    for line in _MEASURES.strip().splitlines():
        short, rest = line.split(": ")
        names, others = rest.rstrip().split(";")
        singular, plural, spanish = (name.replace("_", " ") for name in names.split())
        unit = Unit(plural if language == "en" else spanish, singular, short)
        for form in (short, singular, plural, spanish, *others.split()):
            found.setdefault(form.replace("_", " ").lower(), unit)
    return found


def _one_of(units: dict[str, Unit]) -> str:
    return "|".join(re.escape(word) for word in sorted(units, key=len, reverse=True))


MONEY = {language: _money(language) for language in ("en", "es")}
MEASURES = {language: _measures(language) for language in ("en", "es")}
MONEY_WORDS = {language: _one_of(units) for language, units in MONEY.items()}
MEASURE_WORDS = {language: _one_of(units) for language, units in MEASURES.items()}


# -- Bands around an amount, each holding the one before, whose ends repeat no number of the original.


FINE = (Fraction(1), Fraction(3, 2), *map(Fraction, (2, 3, 4, 5, 6, 8)))
COARSE = tuple(map(Fraction, (1, 2, 5)))
POWERS = (Fraction(1),)
_PERCENT = tuple(map(Fraction, (1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 75, 80, 85, 90, 95, 99)))
_PERCENT_COARSE = tuple(map(Fraction, (10, 20, 50, 80, 90)))
_MILLIONS = {"en": ((10**9, "billion"), (10**6, "million")), "es": ((10**6, "millones"),)}


@dataclass(frozen=True, slots=True)
class Band:
    """From ``low`` to ``high``; None: without end."""

    low: Fraction
    high: Fraction | None

    def holds(self, other: Band) -> bool:
        """Whether all of the other lies in it, and it reaches further."""
        below = self.low <= other.low
        above = self.high is None or (other.high is not None and other.high <= self.high)
        return below and above and self != other

    @property
    def width(self) -> float:
        high = self.high if self.high is not None else 20 * max(self.low, Fraction(1))
        return float(high - self.low)


@dataclass(frozen=True, slots=True)
class Said:
    """The numbers of an original, so that none is repeated."""

    values: frozenset[Fraction]
    groups: frozenset[str]
    words: str
    language: str

    @classmethod
    def of(cls, text: str, language: str) -> Said:
        values = {value for number in numbers_in(text, language) for value in number.values}
        whole = re.sub(r"(?<=\d)[.,]\d{1,2}(?!\d)", "", text)
        return cls(frozenset(values), frozenset(re.findall(r"\d+", whole)), text.lower(), language)

    def allows(self, edge: Fraction) -> bool:
        shown = set(re.findall(r"\d+", self.shown(edge)))
        return edge not in self.values and not any(group in self.groups for group in shown if group.strip("0"))

    def shown(self, edge: Fraction) -> str:
        """The number in digits; from a million on with the word, unless the original used it."""
        for size, word in _MILLIONS[self.language]:
            if edge >= size and (edge / size * 10).denominator == 1 and word[:5] not in self.words:
                name = "millón" if word == "millones" and edge == size else word
                return f"{written(edge / size, self.language)} {name}"
        return written(edge, self.language)


def bands(low: Fraction, high: Fraction | None, said: Said, grids: Sequence[tuple[Fraction, ...]]) -> list[Band]:
    """Ever wider bands around an amount; open ones where it is itself open."""
    found: list[Band] = []
    for grid in grids:
        below = next((edge for edge in _downwards(low, grid) if said.allows(edge)), None) if low > 0 else Fraction(0)
        above = None if high is None else next((edge for edge in _upwards(high, grid) if said.allows(edge)), None)
        if below is None or (high is not None and above is None):
            continue
        band = Band(below, above)
        if not found or band.holds(found[-1]):
            found.append(band)
    return found


def percent_bands(low: Fraction, high: Fraction | None, said: Said) -> list[Band]:
    """Bands of per cent, within 0 and 100."""
    found: list[Band] = []
    for grid in (_PERCENT, _PERCENT_COARSE, (Fraction(50),)):
        below = max((edge for edge in grid if edge < low and said.allows(edge)), default=Fraction(0))
        above = min((edge for edge in grid if high is not None and edge > high and said.allows(edge)), default=None)
        band = Band(below, above)
        if (below or above is not None) and (not found or band.holds(found[-1])):
            found.append(band)
    return found


def _exponent(value: Fraction) -> int:
    return floor(log10(value)) if value > 0 else 0


@cache
def _edges(grid: tuple[Fraction, ...], exponent: int) -> tuple[Fraction, ...]:
    return tuple(part * Fraction(10) ** exponent for part in grid)


def _downwards(value: Fraction, grid: tuple[Fraction, ...]) -> Iterator[Fraction]:
    top = _exponent(value) + 1
    for exponent in range(top, top - 4, -1):
        yield from (edge for edge in reversed(_edges(grid, exponent)) if edge < value)


def _upwards(value: Fraction, grid: tuple[Fraction, ...]) -> Iterator[Fraction]:
    bottom = _exponent(value) - 1
    for exponent in range(bottom, bottom + 5):
        yield from (edge for edge in _edges(grid, exponent) if edge > value)
