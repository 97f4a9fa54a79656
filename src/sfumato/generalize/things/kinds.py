"""Things and their kinds, from our own lists: *robbery* is a violent crime, a violent crime is a crime.

Made by ``training/build_things.py`` from ``training/wordlists/things-*.txt``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from sfumato.generalize.hierarchy import Level
from sfumato.lexicon import tables
from sfumato.lexicon.grammar import head as split_head
from sfumato.lexicon.grammar import in_plural, in_singular, is_plural, lemma
from sfumato.lexicon.wordnet import rarity, senses, several

SOURCE = "things"
_NEVER_PLURAL = frozenset(
    {
        "branch of knowledge",
        "leisure activity",
        "sport",
        "pastime",
        "form of exercise",
        "publication",
        "public event",
        "creative work",
        "game",
        "online service",
        "software",
        "distinction",
        "means of communication",
        "school of thought or movement",
        "armed conflict",
        "holiday or festival",
        "artistic style",
    }
)
"""Kinds whose things may end in s and yet are one: physics, the Olympic Games."""
_WIDEST = frozenset(
    (
        "means of transport;movable property;financial matter;official measure;inhabited place;economic activity;"
        "institution;personal achievement;written material;event in public life;personal matter;substance;"
        "health matter;living creature;digital product or service;system of ideas;act with legal consequences;"
        "real estate;part of a property;legal text;legal matter;natural or built feature;recording"
    ).split(";")
)
"""Kinds that only give height: they hold things of many sorts."""
_SHARE = 3
"""A list holds about one of so many things of its kind."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of thing, and the kinds above it."""

    name: str
    wider: str
    """The next kind above; empty at the top."""
    things: tuple[str, ...]
    is_mass: bool
    """It takes no article and no plural: "food"."""
    is_plural: bool
    """It is only said in the plural: "court proceedings"."""


@dataclass(frozen=True, slots=True)
class Found:
    """A thing as the lists have it."""

    thing: str
    kind: str
    is_plural: bool


@cache
def kinds() -> Mapping[str, Kind]:
    """Casefolded name -> kind."""
    rows = tables.table_rows("things")
    return {
        name.rstrip("~+").casefold(): Kind(
            name=name.rstrip("~+"),
            wider=wider.rstrip("~+"),
            things=tuple(things.split(";")) if things else (),
            is_mass=name.endswith("~"),
            is_plural=name.endswith("+"),
        )
        for name, wider, things in rows
    }


@cache
def _things() -> Mapping[str, str]:
    """Thing -> its kind; a plural keeps its mark. A kind is a thing of the kind above it."""
    found = {kind.name.casefold(): kind.wider for kind in kinds().values()}
    for kind in kinds().values():
        for thing in kind.things:
            found.setdefault(thing, kind.name)
    return found


@lru_cache(maxsize=2**13)
def find(phrase: str) -> Found | None:
    """The thing that a phrase names as a whole, in the singular or plural; the top kinds are things of no kind."""
    table, said = _things(), " ".join(phrase.casefold().replace("’", "'").split())
    if f"{said}+" in table:
        return Found(said, _wider(said, table[f"{said}+"]), is_plural=True)
    if said in table:
        kind = table[said]
        many = (said in kinds() and kinds()[said].is_plural) or (
            said not in kinds() and tops(kind) not in _NEVER_PLURAL and _is_plural(said)
        )
        return Found(said, _wider(said, kind), many)
    for single in dict.fromkeys((in_singular(said), _base(said))):
        if single != said and single in table:
            return Found(single, _wider(single, table[single]), is_plural=True)
    return None


def _wider(thing: str, kind: str) -> str:
    """The kind, or the next that is no other word for the thing: a movie is not a kind of film."""
    own = set(senses(thing)[:1])
    while kind and not own.isdisjoint(senses(kind)[:1]):
        kind = kinds()[kind.casefold()].wider
    return kind


def _base(phrase: str) -> str:
    """The phrase with the base form of its last word, for plurals that do not look like one."""
    *others, last = phrase.split() or [""]
    return " ".join((*others, lemma(last))) if last.endswith("s") and not last.endswith("'s") else phrase


def _is_plural(phrase: str) -> bool:
    """Whether the head of a phrase is a plural; *block of flats* is none."""
    noun = split_head(phrase)[0].split()
    return bool(noun) and is_plural(noun[-1]) and noun[-1] not in ("summons", "series", "means", "news")


def ancestors(kind: str) -> list[Kind]:
    """The kind and those above it, narrowest first."""
    found = []
    while kind:
        found.append(kinds()[kind.casefold()])
        kind = found[-1].wider
    return found


def tops(kind: str) -> str:
    """The last kind above this one that still says what sort of word names it."""
    found = [above.name for above in ancestors(kind) if above.name not in _WIDEST] if kind else []
    return found[-1] if found else ""


@cache
def members(kind: str) -> int:
    """About how many things are of this kind."""
    return _SHARE * sum(len(kinds()[name].things) + 1 for name in _below(kind.casefold()))


@cache
def _below(kind: str) -> tuple[str, ...]:
    under = [name for name, other in kinds().items() if other.wider.casefold() == kind]
    return (kind, *(name for other in under for name in _below(other)))


def levels_of(kind: str, is_plural: bool) -> list[Level]:
    """The kind and those above it as levels."""
    return [level_of(above, is_plural) for above in ancestors(kind)]


@lru_cache(maxsize=2**10)
def level_of(kind: Kind, is_plural: bool) -> Level:
    """The kind as a level, in the number of what it stands for."""
    if kind.is_mass:
        return Level(kind.name, members(kind.name), article="", source=SOURCE)
    if kind.is_plural:
        return Level(kind.name, members(kind.name), article="", plural=True, source=SOURCE)
    if is_plural:
        return Level(in_plural(kind.name), members(kind.name), article="", plural=True, source=SOURCE)
    return Level(kind.name, members(kind.name), source=SOURCE)


def originals_of(phrase: str) -> Iterator[str]:
    """The things of a kind, best known first; in the plural where the phrase is."""
    single = in_singular(phrase)
    kind = next((name for name in (phrase.casefold(), single.casefold()) if name in kinds()), None)
    if kind is None:
        return
    many = kind != phrase.casefold()
    for thing in _known(kind):
        yield several(thing) if many and not thing.endswith("+") else thing.rstrip("+")


@lru_cache(maxsize=512)
def _known(kind: str) -> tuple[str, ...]:
    found = {thing for name in _below(kind) for thing in (*kinds()[name].things, name)} - {kind}
    return tuple(sorted(found, key=lambda thing: (rarity(thing.rstrip("+")), thing)))


# -- Makes of vehicles and a few other goods that people call by their make: *a Mercedes* is a car.


_MAKES = {
    "car": (
        "mercedes;mercedes-benz;bmw;audi;volkswagen;vw;toyota;honda;ford;renault;peugeot;citroën;citroen;fiat;opel;"
        "vauxhall;"
        "nissan;mazda;hyundai;kia;skoda;škoda;seat;volvo;saab;porsche;ferrari;lamborghini;maserati;bentley;"
        "rolls-royce;jaguar;"
        "land rover;range rover;lada;dacia;chevrolet;chevy;cadillac;buick;chrysler;dodge;jeep;subaru;mitsubishi;"
        "suzuki;lexus;"
        "tesla;mini cooper;alfa romeo;lancia;trabant;zhiguli;volga;acura;infiniti;pontiac;oldsmobile;lincoln;aston "
        "martin;"
        "lotus;rover;daewoo;tata;tofaş;wartburg;yugo;zastava;moskvich;hummer;daihatsu;gmc"
    ),
    "motorcycle": "harley-davidson;harley;ducati;yamaha;kawasaki;triumph motorcycle;vespa;piaggio;ktm",
}
_MODELS = frozenset(
    "golf polo passat corolla camry prius civic accord focus fiesta mondeo escort transit mustang clio megane "
    "mégane corsa "
    "astra vectra punto uno tipo panda altima sentra micra qashqai cr-v rav4 highlander cherokee wrangler explorer "
    "f-150 "
    "silverado impala malibu camaro corvette beetle jetta tiguan octavia fabia superb leon ibiza a3 a4 a6 q5 x5 "
    "model s 3 y "
    "x outback forester impreza lancer pajero swift elantra sonata tucson sportage rio logan duster discovery defender "
    "freelander freelander 911 cayenne boxster e-class c-class s-class a-class sprinter vito kangoo berlingo saloon "
    "estate "
    "hatchback convertible coupe coupé sedan jeep pickup odyssey pilot tacoma tundra sienna escape edge taurus "
    "bronco niva".split()
)


_MAKES_KINDS = {make: kind for kind, makes in _MAKES.items() for make in makes.split(";")}


def make_of(phrase: str, is_determined: bool) -> str | None:
    """The kind of thing that a make, alone after an article or with its model, names; None for all else.

    "Toyota" alone is rather the company.
    """
    words = phrase.split()
    said = len(words)
    while len(words) > 1 and words[0].islower():
        words = words[1:]
    is_described = is_determined or len(words) < said
    folded = [word.casefold() for word in words]
    for size in (2, 1):
        kind = _MAKES_KINDS.get(" ".join(folded[:size]))
        if kind is None:
            continue
        rest = folded[size:]
        if all(word in _MODELS or word.isdigit() for word in rest) and (rest or is_described):
            return kind
    return None


# -- What a title or a name is the name of, by the word that stands beside it: the film "…", … magazine.


_BEFORE = re.compile(
    r"\b(?P<kind>film|movie|documentary|novel|book|memoir|autobiography|play|song|single|album|opera|ballet|"
    r"symphony|musical|"
    r"series|sitcom|soap opera|soap|TV series|television series|TV show|show|programme|newspaper|daily|weekly|magazine|"
    r"journal|periodical|article|poem|short story|essay|painting|sculpture|video game|game|website|blog|podcast|"
    r"radio play|"
    r"book series|comic|comic book|thesis|dissertation|pamphlet|ship|ferry|yacht|vessel|trawler|aircraft|"
    r"daily newspaper|weekly newspaper|weekly magazine|tanker|horse|dog|cat|app|software|medicine|drug)"
    r"(?:,)?\s*(?:called|entitled|titled|named)?\s*[\"'“‘«„]?\s*(?:the )?$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^[\"'”’»]?\s*,?\s*(?:\((?:the )?(?:\d{4} )?)?(?:an? (?:\w+ ){0,2})?(?P<kind>film|movie|documentary|novel|"
    r"album|song|newspaper|"
    r"magazine|sitcom|soap opera|TV series|television series|video game|website|tablets?|capsules?|pills?|"
    r"injections?)\b",
    re.IGNORECASE,
)
_TITLES_KINDS = {
    "movie": "film",
    "play": "stage work",
    "series": "television programme",
    "soap": "television programme",
    "tv series": "television programme",
    "television series": "television programme",
    "tv show": "television programme",
    "programme": "television programme",
    "sitcom": "television programme",
    "soap opera": "television programme",
    "musical": "stage work",
    "opera": "piece of music",
    "single": "piece of music",
    "newspaper": "newspaper or magazine",
    "daily": "newspaper or magazine",
    "weekly": "newspaper or magazine",
    "journal": "newspaper or magazine",
    "periodical": "newspaper or magazine",
    "article": "press item",
    "game": "game",
    "app": "software",
    "vessel": "vessel",
    "horse": "animal",
    "tablet": "medicine",
    "capsule": "medicine",
    "pill": "medicine",
    "injection": "medicine",
    "show": "",
    "drug": "drug",
    "comic": "book",
    "comic book": "book",
    "book series": "book",
    "dog": "pet",
    "cat": "pet",
    "medicine": "medicine",
}


_WITH_TITLE = re.compile(r"(?:(?:the|an?|his|her|their)\s+)?(?P<kind>[\w -]{3,25}?)\s*[“\"«„].+[”\"»“]$", re.IGNORECASE)


def title_levels(said: str, before: str, after: str) -> list[Level]:
    """The kinds that the words beside a title, or before it within the mention, give it."""
    whole = _WITH_TITLE.fullmatch(said)
    if whole:
        return levels_of(_kind_of(whole["kind"]), is_plural=False)
    found = _BEFORE.search(before[-60:])
    kind = _kind_of(found["kind"]) if found else ""
    if found and kind:
        levels = levels_of(kind, is_plural=False)
        # "the film (a film)" says it twice: the word before stays there to be read.
        return levels[1:] if kind == found["kind"].casefold() and len(levels) > 1 else levels
    found = _AFTER.match(after[:60])
    return levels_of(_kind_of(found["kind"]), is_plural=False) if found else []


def _kind_of(said: str) -> str:
    """The kind that a word names or belongs to; empty where the lists do not have it."""
    word = " ".join(said.casefold().split())
    for form in (word, word.removesuffix("s")):
        if form in _TITLES_KINDS:
            return _TITLES_KINDS[form]
        if form in kinds():
            return form
    thing = find(word)
    return thing.kind if thing else ""
