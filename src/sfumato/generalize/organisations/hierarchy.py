"""The hierarchy of organisations: court, ministry, hospital, university, company, newspaper, party, office ...

By known names, by the head of the name ("Istanbul Assize Court"), by what the document says beside it ("the law firm
X"), by legal form; then its kind and wider kinds, with the country or part of the world that its name tells. English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from sfumato.generalize.hierarchy import Level, Mention
from sfumato.generalize.organisations import reading as org_tables
from sfumato.generalize.organisations.reading import (
    UNIT,
    Kind,
    Read,
    Where,
    bare,
    by_head,
    is_a,
    is_initials,
    is_state,
    known,
    part_of,
    read,
    where,
)
from sfumato.generalize.places.names import count_countries
from sfumato.lexicon import world
from sfumato.lexicon.grammar import lemma, split_words
from sfumato.lexicon.grammar_en import FUNCTION_WORDS, pluralize_phrase, singularize_phrase
from sfumato.lexicon.world import Area

# -- The levels of an organisation: from its kind in its country outwards, in steps that each hold the one before.


MOST = 7
_WORLD = 8_000_000_000
_COUNTRIES = 200
_FEW = 20
"""With fewer of a kind in a country, to name the country is to name the organisation."""
_GROWTH = 1.25
_PLURAL = "forces"
"""What kinds end with that are plurals: "armed forces"."""
_NGRAM = 4
_PUBLIC = "public body"
_OF_A_COUNTRY = {"government": "national government"}
_OF_A_PART = {"government": "regional government", "national parliament": "legislature"}
"""What Scotland's is, which has a country around it."""
_NATIONAL = frozenset({"national government", "national parliament"})
"""Kinds that are national by being of a country."""

Step = tuple[Kind, Area | None]


def levels_of(read: Read, phrase: str, where: Where) -> list[Level]:
    """What is true of what was read, the narrowest first."""
    found: list[Level] = []
    for kind, area in _steps(_wider(_kinds(read, where), phrase), phrase, where):
        text = described(kind, area)
        if any(level.text == text for level in found):
            continue
        members = max(2.0, members_of(kind, area), found[-1].members * _GROWTH if found else 0.0)
        is_plural = read.is_plural or kind.name.endswith(_PLURAL)
        found.append(
            Level(
                _in_plural(text) if read.is_plural else text,
                members,
                "" if is_plural else "a",
                plural=is_plural,
                modifier=_modifier(kind, area),
                source=read.source,
            )
        )
    return found if len(found) <= MOST else [*found[: MOST - 1], found[-1]]


def _in_plural(text: str) -> str:
    return pluralize_phrase(text).replace(" of a country in ", " of countries in ")


def _wider(kinds: tuple[Kind, ...], phrase: str) -> tuple[Kind, ...]:
    """The kinds that are wider than what the phrase says by itself: of a "ministry" not "government ministry"."""
    said = phrase.casefold()
    forms = (said, singularize_phrase(said))
    own = [
        place
        for place, kind in enumerate(kinds)
        if kind.name.casefold() in forms or (" " not in said and set(forms) & set(kind.name.casefold().split()))
    ]
    return kinds[own[-1] + 1 :] if own else kinds


def described(kind: Kind, area: Area | None) -> str:
    """The kind, and where it is: "criminal court in Western Asia", "government of a country in Asia"."""
    if area is None:
        return kind.name
    if kind.where != "nation" or " of " in kind.name or kind.name == "government":
        return f"{kind.name} in {area.name}"
    name = kind.name.removeprefix("national ") if kind.name in _NATIONAL else kind.name
    return f"{name} of {area.name if len(area.countries) == 1 else f'a country in {area.name}'}"


@lru_cache(maxsize=4096)
def members_of(kind: Kind, area: Area | None) -> float:
    """About how many there are: all of the kind, shared out by countries or by people."""
    if area is None:
        return kind.members
    if kind.where == "nation":
        return kind.members * len(area.countries) / _COUNTRIES
    # Of the parts of the United Kingdom only the whole has a count.
    people = sum(world.countries()[code[:2]].population / (4 if "-" in code else 1) for code in area.countries)
    return kind.members * people / _WORLD


def _kinds(read: Read, where: Where) -> tuple[Kind, ...]:
    """The kind and wider ones; the government of a country is a national one, that of Scotland is not."""
    if where.is_nation and len(where.areas) > 3:
        return org_tables.ancestors(_OF_A_PART.get(read.kind, read.kind))
    return org_tables.ancestors(_OF_A_COUNTRY.get(read.kind, read.kind) if where.is_nation else read.kind)


def _steps(kinds: tuple[Kind, ...], phrase: str, where: Where) -> list[Step]:
    """First the area grows around the kind, then the kind; each step holds the one before.

    Where the kind repeats a word of the name, the area grows around the first wider one that repeats none.
    """
    if not kinds:
        return []
    if len(where.areas) < 2:
        return [(kind, area) for kind in kinds for area in (*where.areas, None)] if where.areas else _bare(kinds)
    near, far = where.areas[-2:]
    first = kinds[0]
    own: Area | None = where.areas[0]
    if where.is_told:
        own = where.areas[1] if len(where.areas) > 3 and first.where != "nation" else None
    untold = next((place for place, kind in enumerate(kinds) if not shares(phrase, kind.name)), len(kinds) - 1)
    steps: list[Step] = []
    if own and members_of(first, own) >= (_FEW if first.where == "nation" else 2):
        steps.append((first, own))
    steps.append((first, near))
    if untold == 0:
        steps.append((first, far))
    elif kinds[-1].name == _PUBLIC:
        # Courts, ministries and the like are everyday words of the texts that name them, and tell little.
        steps += [(first, far), *([(kinds[1], far)] if untold > 1 else []), (kinds[untold], far)]
    else:
        steps += [(kinds[untold], near), (kinds[untold], far)]
    return [*steps, *_bare(kinds[untold:])]


def _bare(kinds: tuple[Kind, ...]) -> list[Step]:
    return [(kind, None) for kind in kinds]


def _modifier(kind: Kind, area: Area | None) -> str | None:
    """Before a noun: "Western Asian government" officials."""
    if any(f" {word} " in kind.name for word in ("of", "in", "for", "to", "or")):
        return None
    if area is None:
        return kind.name
    return f"{area.adjective} {kind.name}" if area.adjective else None


@lru_cache(maxsize=4096)
def shares(phrase: str, other: str) -> bool:
    """Whether two phrases share a telling word, or four letters of one."""
    return bool(_pieces(phrase) & _pieces(other))


@lru_cache(maxsize=4096)
def _pieces(phrase: str) -> frozenset[str]:
    found = set()
    for word in split_words(phrase.casefold()):
        if word not in FUNCTION_WORDS:
            found |= {lemma(word), *(word[at : at + _NGRAM] for at in range(len(word) - _NGRAM + 1))}
    return frozenset(found)


# -- What the document says about a name that tells nothing by itself: "the law firm X", "X, an illegal organisation,".


_SOURCE = "organisations by context"
_MOST = 12
"""Mentions of a name that are looked at."""
_CAPITALISED = re.compile(r"(?:[A-ZÀ-ÞİŞ][\w'’.-]*|of|the|and|for|de|la|des|du|in|on|&|['’])(?:\s+|$)")
_BESIDE = re.compile(r"\s*\((?P<inside>[^()]{3,90})\)")
_APPOSITION = re.compile(
    r"\s*(?:\([^()]{1,60}\)\s*)?(?:,\s*(?:which\s+(?:is|was)\s+)?|(?:\s+(?:is|was))\s+|\s+[–—-]\s+)(?:an?|the)\s+"
    r"(?P<phrase>[a-z][\w'’‑ -]{2,70})",
)
_INTRODUCED = re.compile(
    r"\b(?:an?|the|its|his|her|their|this)\s+(?P<phrase>(?:[\w'’-]+\s+){0,4}?[a-z][\w'’-]+)"
    r"(?P<link>,|\s+(?:called|named|known as|by the name of)|)\s*(?:the\s+)?[\"“‘'«(]?\s*$",
)
_SHARED = re.compile(r"\s+and\s+(?:the\s+)?(?P<heads>(?:[A-ZÀ-ÞİŞ][\w'’-]*\s+){1,4}[A-Za-z]{3,}s)\b")
"""What two names share: the "[Bursa] and Varto Criminal Courts"."""
_LED = re.compile(r"\b(?:of|in|for|to|by|from|with|at|the|an?|his|her|its|their|this)\s")
_STOPS = re.compile(
    r"\s+(?:that|which|who|whose|where|based|located|situated|founded|established|specialising|operating|with)\s"
)
_ENDING = frozenset("in of for from and registered under run owned at near on to by".split())
"""Words with which what follows a noun phrase begins."""
_SUBJECTS = {
    "bar": ("lawyers' association", r"\b(?:lawyer|advocate|barrister|attorney|counsel)s?\b"),
    "registry": ("court registry", r"\b(?:judges?|judgments?|Court)\b"),
    "agent": ("government lawyer", r"\bGovernment\b"),
}
"""A word -> what it means where the text speaks of this."""
_BINDING = frozenset("of for in on at to by and de du des der &".split())
_CLUBS = frozenset(
    "United City Town Rovers Athletic Albion Wanderers County Celtic Victoria Rangers Hotspur Wednesday Argyle Orient "
    "Alexandra Villa Athletics Harriers Thistle Academical Sport Whitecaps Galaxy Fire Heat Magic Jazz".split()
)
_NO_TEAMS = frozenset("news press series masters championships games awards arts studies works books records".split())
_SPORT = re.compile(
    r"\b(season|league|coach(?:ed)?|goals?|scored|midfielder|striker|defender|pitcher|quarterback|roster|playoffs?|"
    r"draft(?:ed)?|tournament|footballer|basketball|baseball|hockey|lacrosse|soccer|football|cricket|rugby)\b",
    re.I,
)
_SPORTING = 3
"""So many different words of sport make a text one about it."""
_NEVER_BEFORE_NAMES = ("judicial body", "law enforcement agency", "public official", "government", "justice authority")
"""Kinds whose noun is mostly followed by somebody else's name: "told the court Acme had ..."."""


def team(phrase: str, text: str) -> Read | None:
    """A sports team, by a town's name with a nickname ("Rochester Royals", "Torquay United") in a text about sport."""
    words = phrase.split()
    if not 2 <= len(words) <= 4 or not all(word[:1].isupper() for word in words):
        return None
    is_nickname = words[-1] in _CLUBS or (words[-1].endswith("s") and words[-1].casefold() not in _NO_TEAMS)
    is_placed = any(
        world.find_settlements(" ".join(words[:size])) or world.find_provinces(" ".join(words[:size]))
        for size in range(1, len(words))
    )
    if not (is_nickname and is_placed) or len(set(_SPORT.findall(text))) < _SPORTING:
        return None
    return Read("sports team", "", source=_SOURCE)


def told(phrase: str, mention: Mention) -> Read | None:
    """The kind that the document gives the name, by an expansion or an apposition; None where it gives none."""
    name = re.compile(rf"(?<!\w){re.escape(phrase)}(?!\w)")
    for count, found in enumerate(name.finditer(mention.text)):
        if count >= _MOST:
            break
        before = mention.text[max(0, found.start() - 160) : found.start()]
        after = mention.text[found.end() : found.end() + 160]
        for said in _readings(before, after):
            if said is not None:
                return replace(said, phrase="", is_plural=False, source=_SOURCE)
    return _by_subject(phrase, mention.text)


def _by_subject(phrase: str, text: str) -> Read | None:
    """What a word with several senses means in a text about courts."""
    kind, subject = _SUBJECTS.get(phrase.casefold().rpartition(" ")[2], ("", ""))
    return Read(kind, "", source=_SOURCE) if kind and re.search(subject, text) else None


def _readings(before: str, after: str) -> Iterator[Read | None]:
    if re.search(r"\(\s*(?:the\s+)?[\"“‘'«]?(?:the\s+)?$", before):
        yield _expansion(re.sub(r"\(\s*(?:the\s+)?[\"“‘'«]?(?:the\s+)?$", "", before))
    if inside := _BESIDE.match(after):
        yield _first(re.split(r"[;:,]|\s[–—-]\s", inside["inside"]))
    if found := _APPOSITION.match(after):
        yield _ending(_STOPS.split(found["phrase"])[0])
    if (found := _SHARED.match(after)) and (said := read(bare(found["heads"]))) and said.is_plural:
        yield said
    if found := _INTRODUCED.search(before):
        said = _at_end(found["phrase"])
        is_linked = bool(found["link"])
        if said and (is_linked or not any(org_tables.is_a(said.kind, kind) for kind in _NEVER_BEFORE_NAMES)):
            yield said


def _expansion(before: str) -> Read | None:
    """The name that stands before the bracket in which initials stand."""
    words = re.split(r"(?<=\s)", before.rstrip() + " ")
    kept: list[str] = []
    for word in reversed([word for word in words if word]):
        if not _CAPITALISED.fullmatch(word) or len(kept) > 9:
            break
        kept.insert(0, word)
    if not kept:
        return _at_end(re.split(r"[.,;:()\n]", before.rstrip())[-1])
    said = bare("".join(kept))
    spoken = said.split()
    for start in range(len(spoken)):
        if any(word in _BINDING for word in spoken[1:start]):
            break  # the Regulations for the Royal Navy are no navy
        part = bare(" ".join(spoken[start:]))
        if part and part[0].isupper() and not is_state(part) and (found := read(part)):
            return found
    return None


def _first(pieces: list[str]) -> Read | None:
    for piece in pieces:
        part = bare(piece)
        if part and not is_state(part) and (found := read(part)):
            return found
    return None


def _ending(phrase: str) -> Read | None:
    """The head of a description: "company registered in Poland" by what stands before its first verb."""
    words = phrase.split()
    for size in range(min(len(words), 6), 0, -1):
        found = _at_end(" ".join(words[:size]))
        if found and (size == len(words) or not _goes_on(words[size])):
            return found
    return None


def _goes_on(word: str) -> bool:
    """Whether the noun phrase may go on with this word: a "hospital worker" is no hospital."""
    return word not in _ENDING


def _at_end(phrase: str) -> Read | None:
    """The longest head that ends the phrase."""
    inner = _LED.split(phrase)[-1]
    found = by_head(inner)
    if found is None or found.is_plural:
        return None
    return found if " ".join(org_tables.words_of(inner)).endswith(found.phrase) else None


# -- The hierarchy of organisations: court, ministry, hospital, university, company, newspaper, party, office ...


_LONGEST = 200
_CALLED = re.compile(r"\b(?:company|firm|business) (?:called|named|known as|by the name of)\s+(?:the\s+)?[\"“‘']?$")
_NUMBERED = re.compile(r"(?:Division|Section|Branch|Department) (?:\d+|[IVX]+|One|Two|Three|Four)", re.I)
_NAMED = r"(?P<whole>[A-ZÀ-ÞİŞ][\w'’.-]*(?: (?:of|for|and|the|in|[A-ZÀ-ÞİŞ][\w'’.-]*))*)"
_WHOLE_AFTER = re.compile(rf"\s*(?:\([^()]*\)\s*)?(?:,|of|at|in|within|attached to)\s+(?:the\s+)?{_NAMED}")
_WHOLE_BEFORE = re.compile(rf"{_NAMED}(?:['’]s?\s+|,\s+|\s+\()(?:the\s+)?[\"“]?$")


def levels(mention: Mention) -> list[Level]:
    """What is true of an organisation, most specific first."""
    if mention.language != "en" or len(mention.surface) > _LONGEST or mention.is_cut:
        return []
    phrase = bare(mention.surface)
    if not any(map(str.isalpha, phrase)) or is_state(phrase):
        return []
    if mention.label not in ("ORG", "LOC") and is_initials(phrase):
        return []  # WBA is an allowance as well as a boxing association
    found = _possessive_name(mention.surface) or read(phrase)
    if found is not None and not _is_meant(found, phrase, mention.label):
        return []
    if found is not None and _CALLED.search(mention.before[-60:]) and not is_a(found.kind, "business"):
        found = Read("company", "", source="organisations by context")
    if found is not None and _is_foreign(found, phrase, mention.text):
        found = None
    if found is None or (not found.phrase and " " not in phrase):
        found = _agreed(found, told(phrase, mention)) or team(phrase, mention.text)
    if found is not None and found.kind == UNIT:
        found = replace(found, kind=_of_whole(mention))
        if found.kind == UNIT and _NUMBERED.fullmatch(phrase):
            return []  # a division of a league, or of anything
    return levels_of(found, phrase, where(found, phrase, mention.text)) if found else []


def _is_foreign(found: Read, phrase: str, text: str) -> bool:
    """Whether initials are known as those of a country that the text does not speak of, though it does of others."""
    if not (found.code and is_initials(phrase)):
        return False
    seen = count_countries(text)
    return bool(seen) and found.code[:2] not in seen


def _of_whole(mention: Mention) -> str:
    """What a department is by what stands beside it: "[...] of the Ministry", "the Regional Court, [...]"."""
    after, before = _WHOLE_AFTER.match(mention.after[:160]), _WHOLE_BEFORE.search(mention.before[-120:])
    for beside in (after, before):
        whole = read(bare(beside["whole"])) if beside else None
        if whole is not None and not whole.is_plural:
            return part_of(whole.kind)
    return UNIT


def _agreed(known_as: Read | None, said: Read | None) -> Read | None:
    """Of initials and other short names, which many share, what the document says counts where it differs."""
    if known_as is None or said is None:
        return known_as or said
    return known_as if is_a(known_as.kind, said.kind) or is_a(said.kind, known_as.kind) else said


def _possessive_name(said: str) -> Read | None:
    """What is known under a name that ends as a possessive does: "McDonald's"."""
    whole = " ".join(said.split()).strip('"“”(), ')
    return read(whole) if whole.endswith(("'s", "’s")) and known(whole) else None


def _is_meant(found: Read, phrase: str, label: str) -> bool:
    """Whether a name of one word, which may be many things, is said to be an organisation."""
    return label == "ORG" or bool(found.phrase) or " " in phrase or (phrase.isupper() and len(phrase) > 2)
