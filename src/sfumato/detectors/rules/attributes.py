"""What someone is: age, nationality, ethnic group, religion, occupation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from sfumato.detectors.rules.patterns import Pattern, Scope, alternatives
from sfumato.document import Span
from sfumato.lexicon import name_lists, time

# -- Money, percentages and measures.


_SIGNS = r"(?:US\$|A\$|C\$|AU\$|CA\$|NZ\$|HK\$|R\$|[$€£¥₹₽₺₩₴₪₫฿₦]|zł|kr\.?|Rs\.?|Fr\.|лв)"
_CODES = (
    "EUR USD GBP CHF JPY CNY INR RUB RUR TRY TRL PLN CZK HUF RON ROL BGN BGL SEK NOK DKK ISK HRK RSD UAH AUD CAD "
    "NZD HKD SGD ZAR BRL MXN ARS CLP COP PEN ILS AED SAR KRW THB IDR MYR PHP VND EGP MAD TND GEL AMD AZN MDL MKD "
    "ALL BAM SKK SIT LTL LVL EEK DEM FRF ITL ESP NLG BEF ATS GRD PTE IEP FIM CYP MTL BTC ETH"
)
_NAMES = (
    "euro euros dollar dollars us_dollars pound pounds pounds_sterling sterling cents pence yen yuan rupee rupees "
    "rouble roubles ruble rubles franc francs swiss_francs french_francs lira liras lire lires turkish_liras zloty "
    "zlotys złoty zlotych crown crowns krone kroner krona kronor forint forints leu lei lev levs levа hryvnia "
    "hryvnias dinar dinars dirham dirhams peso pesos real reais rand shekel shekels drachma drachmas guilder "
    "guilders escudo escudos peseta pesetas mark marks german_marks deutschmarks kuna litai lats dólar dólares "
    "libras franken pfund dollari sterline livres bucks quid"
)
_SCALE = (
    r"(?:[ ]?(?:thousand|million|billion|trillion|mil|millones|millón|tausend|millionen|mio\.?|"
    r"milliarden|mrd\.?|millions?|"
    r"milliards?|mille|mila|milioni|miliardi|milhões|milhão|miljoen|miljard|bn|k|m)(?!\w))?(?:[ "
    r"](?:de|of|di|d'))?"
)
_NUMBER = r"\d{1,3}(?:(?:[.,'’ \u00a0]\d{3})+(?!\d)|\d{0,9})(?:[.,]\d{1,2}(?!\d)|[.,][-–]{1,2})?"
_MEASURES = (
    "mm cm dm m km ft feet foot inch inches in mile miles yd yard yards metre metres meter meters "
    "kilometre kilometres "
    "kilometer kilometers centimetre centimetres centimeters metros kilómetros centímetros mètres "
    "kilomètres metri "
    "chilometri meter kilometer mg g kg µg mcg gram grams gramme kilo kilos kilogram kilograms "
    "kilograms lb lbs pound pounds "
    "stone oz ounce ounces ton tons tonne tonnes ml cl l litre litres liter liters litros gallon "
    "gallons m2 m² km² km2 "
    "sqm sq_ft square_metres square_meters square_kilometres square_feet hectare hectares acre "
    "acres ha °C °F ℃ bpm mmHg mph km/h kWh kW "
    "mmol/l mg/dl hp cc"
)


def _quantity(kind: str, regex: str, score: float, scope: Scope = "at numbers") -> Pattern:
    return Pattern(kind, "QUANTITY", regex, "quasi", score, scope=scope)


_CURRENCIES = alternatives(word.replace("_", " ") for word in _NAMES.split())
_CODE = alternatives(_CODES.split())
# A lone "m" or "in" after a number is a word more often than a unit.
_UNIT = alternatives(word.replace("_", " ") for word in _MEASURES.split() if word not in {"in", "m", "g", "l"})

QUANTITY_PATTERNS = (
    _quantity(
        "money",
        rf"(?i)(?<![^\W\d_])(?-i:{_SIGNS}|{_CODE})[ \u00a0]?{_NUMBER}{_SCALE}(?![\w]|[.,]\d)",
        0.85,
        "near numbers",
    ),
    _quantity(
        "money",
        rf"(?i)(?<![\w.,/-]){_NUMBER}{_SCALE}[ \u00a0-]?"
        rf"(?:(?-i:{_SIGNS}|{_CODE})|(?:[a-zé]{{2,14}}[ ])?(?:{_CURRENCIES}))(?!\w)(?:[ ]\((?-i:[A-Z]{{3}})\))?",
        0.85,
    ),
    _quantity(
        "percentage",
        rf"(?i)(?<![\w.,/-]){_NUMBER}[ \u00a0]?"
        r"(?:%|‰|per[ ]?cent\b|por ciento\b|prozent\b|pour cent\b|per cento\b|por cento\b|procent\b)",
        0.75,
    ),
    _quantity(
        "measure",
        rf"(?<![\w.,/-]){_NUMBER}(?:[ ]?[x×][ ]?{_NUMBER}){{0,2}}[ \u00a0-]?(?:{_UNIT})(?![\w/])",
        0.6,
    ),
    _quantity("measure", rf"(?<![\w.,/-]){_NUMBER}[ \u00a0](?:m|g|l)(?![\w/'’]|\.\w)", 0.5),
    _quantity("measure", r"(?<!\w)[3-8]['′’][ ]?(?:\d|1[01])(?:[\"″”]|'')?(?!\w)", 0.6),
)


# -- Dates, times and durations as they are written in the seven languages.


MONTHS = sorted(
    {name.casefold() for table in (time.MONTHS, time.SHORT_MONTHS) for names in table.values() for name in names}
    | {"sept", "setiembre", "jänner"}
)
WEEKDAYS = sorted({name.casefold() for names in time.WEEKDAYS.values() for name in names} | {"sonnabend"})
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


# -- What someone is: age, nationality, ethnic group, religion, occupation.


_NUMBERS = alternatives(NUMBER_WORDS)
_ROLE_CUE = re.compile(
    r"(?i)(?<!\w)(?:an?|as|former|retired|profession|occupation|job|works? as|worked as|working "
    r"as|trained as|employed as|became|"
    r"un|una|como|de profesión|profesión|exerce|ein|eine|als|beruf|von beruf|ehemalig\w*|une|"
    r"comme|profession|métier|ancien(?:ne)?|"
    r"come|professione|um|uma|profissão|een|beroep)[:]?(?: (?!of |the )[\w-]{3,14}){0,2} $"
)
_COUNT_BEFORE = re.compile(rf"(?i)(?<!\w)(?:(?:{_NUMBERS})(?:[ -](?:{_NUMBERS})| and a half)?)[ -]$")
_SINCE_BEFORE = re.compile(
    r"(?i)(?<!\w)(?:since|in|from|until|till|by|last|next|this|before|after|during|on|every|early|"
    r"mid|late|desde|en|hasta|de|seit|im|bis|"
    r"am|letzten|nächsten|depuis|jusqu'en|dès|da|fino a|nel|lo scorso|em|até|sinds|tot|vorige|volgende)[ -]$"
)


def _age(regex: str, score: float = 0.8) -> Pattern:
    return Pattern("age", "DEM", regex, "quasi", score, scope="near numbers")


DEMOGRAPHIC_PATTERNS = (
    _age(
        r"(?i)(?<![\w.,-])\d{1,3}(?:[ -]|\.5 )?(?:year|yr|y|month|mo|week|wk|day)s?(?:[ -]old|/o|"
        r"[ -]of[ -]age)(?:s)?(?!\w)"
    ),
    _age(r"(?i)(?<![\w.,-])\d{1,3}[ -]?(?:y/?o|yo)[mf]?(?!\w)"),
    _age(
        r"(?i)(?<!\w)(?:aged?|age:|ages|turn(?:s|ed|ing)?|at the age of|edad:?|alter:?|âge:?|âgée? de|età:?|idade:?|"
        r"leeftijd:?)[ ]?(?:of |de )?(?P<value>\d{1,3}(?:[ ](?:and|to|-|y|a)[ ]\d{1,3})?(?: "
        r"?(?:years?|años|jahre|ans|anni|anos|jaar))?)(?![\w/]|[.,]\d)"
    ),
    _age(r"(?i)(?<![\w.,-])(?:de )?(?P<value>\d{1,3} (?:años|meses) de edad)(?!\w)"),
    _age(
        r"(?i)(?<!\w)(?:varón|mujer|hombre|paciente|niñ[oa]|joven|homme|femme|patiente?|garçon|"
        r"fille|uomo|donna|bambin[oa]|paziente|homem|mulher|menin[oa])(?: \w{3,12})?,? (?:de|di) "
        r"(?P<value>\d{1,3} (?:años|meses|ans|mois|anni|mesi|anos))(?!\w)"
    ),
    _age(r"(?i)(?<![\w.,-])\d{1,3}[ -]?(?:jahre alt|jährige[rnms]?|ans révolus|jaar oud|-?jarige)(?!\w)"),
    _age(
        r"(?i)(?<!\w)(?:tengo|tiene|tenía|ho|ha|tenho|tem|j'ai|il a|elle a) (?P<value>\d{1,3} "
        r"(?:años|anni|anos|ans))(?!\w)",
        0.7,
    ),
    _age(
        r"(?i)(?<!\w)(?:i am|i['’]m|she is|he is|she['’]s|he['’]s|turned|turning) "
        r"(?P<value>\d{1,3})(?= (?:and|now|but|years)|[,.!?;]|$)",
        0.6,
    ),
    _age(r"(?<=, )\d{1,2}(?=, (?:was|is|of|from|a|who|has|had)\b)", 0.6),
    _age(r"(?<![\w.,-])\d{1,3}[ -]?[MF](?![\w/'’])(?=[ ,;.)])", 0.5),
)


@cache
def watched() -> dict[str, str]:
    """What to do at a word: the first words of the phrases of this module and of dates without numbers."""
    watched = {phrase.split()[0]: "occupation" for phrase in name_lists.occupations()}
    watched |= {f"{word}s": "occupation" for word in watched if len(word) > 3}
    watched |= dict.fromkeys(UNITS, "duration")
    watched |= dict.fromkeys(
        (word for word in (*MONTHS, *WEEKDAYS) if len(word) > 3 or word in {"mai", "mei"}), "month"
    )
    for table in (name_lists.demonyms(), name_lists.groups()):
        watched |= {name_lists.lookup_key(phrase.split()[0]): "group" for phrase in table}
    return watched


@cache
def _longest_occupation() -> dict[str, int]:
    longest: dict[str, int] = {}
    for phrase in name_lists.occupations():
        words = phrase.split()
        longest[words[0]] = max(longest.get(words[0], 1), len(words))
    return longest


@cache
def _groups() -> frozenset[str]:
    """Demonyms and groups, with the capitalised and plural forms that are no place names."""
    written = name_lists.demonyms() | name_lists.groups()
    places = name_lists.regions() | name_lists.cities()
    capital = {w[:1].upper() + w[1:] for w in written if name_lists.lookup_key(w) not in places}
    plural = {f"{w}s" for w in written if w[:1].isupper() and not w.endswith(("s", "sh", "ch", "e"))}
    return written | capital | plural


def find(text: str, word: re.Match[str], purpose: str) -> Iterator[Span]:
    """What, if anything, a watched word begins or ends."""
    start, end = word.span()
    if purpose == "group":
        yield from _group(text, start, end)
    elif purpose == "occupation":
        yield from _occupation(text, start, end)
    elif purpose == "duration":
        if before := _COUNT_BEFORE.search(text[max(0, start - 24) : start]):
            yield Span(start - len(before.group()), end, "DATETIME", "quasi", 0.6, "rules:duration")
    elif text[start].isupper() or _SINCE_BEFORE.search(text[max(0, start - 12) : start]):
        score = 0.6 if _SINCE_BEFORE.search(text[max(0, start - 12) : start]) else 0.4
        yield Span(start, end, "DATETIME", "quasi", score, "rules:month")


def _group(text: str, start: int, end: int) -> Iterator[Span]:
    known = _groups()
    second = text.find(" ", end + 1, end + 20)
    for finish in (second, end):
        if finish > 0 and text[start:finish].rstrip(".,;:)") in known:
            phrase = text[start:finish].rstrip(".,;:)")
            yield Span(start, start + len(phrase), "DEM", "quasi", 0.6, "rules:nationality")
            return


def _occupation(text: str, start: int, end: int) -> Iterator[Span]:
    known = name_lists.occupations()
    first = name_lists.lookup_key(text[start:end])
    words = re.findall(r"[\w-]+", text[start : end + 40])[: _longest_occupation().get(first, 1)]
    for count in range(len(words), 0, -1):
        phrase = " ".join(words[:count])
        if not text.startswith(phrase, start):
            continue
        key = name_lists.lookup_key(phrase)
        if key in known or key.removesuffix("s") in known:
            cued = _ROLE_CUE.search(text[max(0, start - 45) : start])
            yield Span(start, start + len(phrase), "DEM", "quasi", 0.6 if cued else 0.35, "rules:occupation")
            return
