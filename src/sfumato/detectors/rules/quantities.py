"""Money, percentages and measures."""

from __future__ import annotations

from sfumato.detectors.rules.patterns import Pattern, Scope, alternatives

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

PATTERNS = (
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
