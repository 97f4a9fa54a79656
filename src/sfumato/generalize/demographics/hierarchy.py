"""The generalization hierarchy of what people are: nationality, faith, language, occupation, education, family, health.

*Cardiologist*, medical specialist, physician, health professional; *Methodist*, Protestant, Christian. English only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from sfumato.generalize import evidence, organisations, places
from sfumato.generalize.context import word_class
from sfumato.generalize.demographics.reading import (
    ENGLISH,
    Reading,
    english_words,
    kinds,
    look_up,
    read,
    read_harm,
    read_health,
    singulars,
    tidy,
)
from sfumato.generalize.hierarchy import Level, Mention, unique
from sfumato.lexicon import world
from sfumato.lexicon.grammar_en import indefinite_article
from sfumato.lexicon.name_lists import family_names
from sfumato.lexicon.tables import languages_with
from sfumato.lexicon.tokens import folded_words, lazy_pattern
from sfumato.lexicon.wordnet import plural_if_used

_LANGUAGES = languages_with("demographics", "sfumato.generalize")

# Nationality, ethnicity and language: which part of the world, which family of languages.

_SPEAKING = lazy_pattern(
    rf"\b(?:{'|'.join(ENGLISH['nationality']['speaking'])})\s+(?:good |fluent |some |broken |only |native )*$",
    re.IGNORECASE,
)
_SPOKEN_AFTER = lazy_pattern(rf"[\s-](?:{'|'.join(ENGLISH['nationality']['spoken'])})\b")
_FUNCTION_WORDS = english_words("nationality.function_words")
_ONE = english_words("nationality.one")
_MANY = english_words("nationality.many")
_BEHIND = _ONE | _MANY | english_words("nationality.quality")
"""What may stand behind a nationality without changing what it says."""
_SYNONYMS: Mapping[str, str] = ENGLISH["nationality_synonyms"]
_TAUGHT = english_words("taught")


def stands_as_noun(mention: Mention) -> bool:
    """Whether it is "a Kurd", not "a Kurdish village": an article before it and no noun after it."""
    before = mention.text[max(mention.start - 12, 0) : mention.start]
    return bool(re.search(r"\b(?:an?|another|one)\s+$", before, re.IGNORECASE)) and not _noun_follows(mention)


def _noun_follows(mention: Mention) -> bool:
    match = re.match(r"\s+([^\W\d_]+)", mention.text[mention.end : mention.end + 40])
    return match is not None and match[1].lower() not in _FUNCTION_WORDS


def group_levels(mention: Mention, phrase: str) -> list[Level]:
    """Of a nationality, an ethnic group, a language, or of a phrase that starts with one."""
    surface = " ".join(mention.surface.split()).strip(" .,;:\"'“”")
    bare = re.sub(r"^(?:an?|the)\s+", "", surface)
    if not bare.removeprefix("of ")[:1].isupper():
        return []
    if not places.is_nationality(mention):
        return []
    if spoken := _language(mention, phrase):
        return spoken
    if _is_spoken(mention):
        return []
    if kinds().knows(bare.lower()):
        return places.nationality_levels(bare)
    return nationality_levels(bare) or _with_noun(bare)


def nationality_levels(name: str) -> list[Level]:
    """Adjective in, adjective out; of a double one ("Greek-Cypriot") by its last part."""
    levels = places.nationality_levels(name)
    if not levels and (double := re.fullmatch(r"([A-Z][a-z]+)[ \u2010\u2011-]([A-Z][a-z]+)", name)):
        levels = places.nationality_levels(double[2]) if places.nationality_levels(double[1]) else []
    return levels


def _language(mention: Mention, phrase: str) -> list[Level]:
    table = kinds("languages")
    name = phrase.removeprefix("the ").removesuffix(" language")
    if name.endswith(("-speaking", " speaking")):
        return [
            Level(f"speaking {with_article(kind.phrase)}", float(kind.members), "", source="languages")
            for kind in table.above(name[:-9])
        ]
    above = table.above(name)
    is_language = name != phrase or (bool(above) and _is_spoken(mention))
    if above and (is_language or not (kinds().knows(name) or nationality_levels(mention.surface.strip()))):
        return [replace(kind.level(), source="languages") for kind in above]
    return []


def _is_spoken(mention: Mention) -> bool:
    """Whether the sentence speaks of a language: "fluent in Turkish", but not "in Turkish prisons"."""
    if _SPOKEN_AFTER.match(mention.text[mention.end : mention.end + 30]):
        return True
    before = mention.text[max(mention.start - 40, 0) : mention.start]
    return bool(_SPEAKING.search(before)) and not _noun_follows(mention)


def _with_noun(phrase: str) -> list[Level]:
    """*Turkish national*, *of Kurdish origin*, *Polish lawyer*, *Irish Catholic*."""
    lead = "of " if phrase.startswith("of ") else ""
    words = phrase.removeprefix("of ").split(" ")
    for size in (2, 1):
        rest = " ".join(words[size:]).lower()
        adjectives = _adjectives(" ".join(words[:size])) if rest else []
        if adjectives and rest in _BEHIND:
            return [level for word, members in adjectives for level in _behind(word, members, rest, lead)]
        inner = read(rest) if adjectives and not lead else None
        if inner and inner.kinds:
            return _both(*adjectives[0], inner)
    return []


def _behind(word: str, members: float, rest: str, lead: str) -> Iterator[Level]:
    is_one = rest in _ONE and not lead
    first = Level(f"{lead}{word} {rest}", members, "a" if is_one else "", rest in _MANY, source="places")
    yield first
    if rest in _SYNONYMS:
        yield replace(first, text=f"{_SYNONYMS[rest]} of {with_article(word)} country")


def _both(adjective: str, members: float, inner: Reading) -> list[Level]:
    """The area with the kind, then the kind alone."""
    alone = [kind.level(inner.many) for kind in inner.kinds]
    if inner.prefix:
        alone = [replace(level, text=inner.prefix + level.text, modifier=None) for level in alone]
    first = inner.kinds[0]
    if any(kind.phrase in _TAUGHT for kind in first.chain):
        return alone
    noun = first.level(inner.many).text if first.word_class != "adjective" else first.before_a_noun
    if noun is None or first.word_class == "verb":
        return alone
    text = f"{inner.prefix}{adjective} {noun}"
    return [replace(alone[0], text=text, members=min(members, alone[0].members), modifier=None), *alone]


def described_levels(phrase: str) -> list[Level]:
    """*Deaf woman*, *gay couple*: the wider adjective before the same noun."""
    adjective, _, noun = re.sub(r"^an? ", "", phrase).rpartition(" ")
    reading = look_up(adjective) if noun in _ONE | _MANY | {"person", "patient", "patients"} else None
    if reading is None or reading.many:
        return []
    many = noun in _MANY or noun == "patients"
    return [
        replace(kind.level(), text=f"{kind.before_a_noun} {noun}", article="" if many else "a", plural=many)
        for kind in reading.kinds
        if kind.word_class == "adjective" and kind.before_a_noun
    ]


_SHORT_CODE = 3
"""Letters; so few may be a code, not the name of a country."""


def _adjectives(name: str) -> list[tuple[str, float]]:
    country = world.find_country(name) if len(name) > _SHORT_CODE else None
    if country is not None and country.adjectives:
        name = country.adjectives[0]  # "a Djibouti national"
    adjectives = [(level.modifier or level.text, level.members) for level in nationality_levels(name)]
    if not adjectives and name[:1].isupper():
        above = [kind for kind in kinds().above(name.lower()) if kind.word_class == "adjective"]
        adjectives = [(kind.before_a_noun, float(kind.members)) for kind in above if kind.before_a_noun]
    return adjectives


def group_originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """Of "Western Asian national": what may have stood there."""
    lead = "of " if phrase.startswith("of ") else ""
    words = phrase.removeprefix("of ").split(" ")
    for size in range(1, len(words)):
        rest = " ".join(words[size:])
        if rest in _BEHIND:
            peoples = places.candidate_originals(" ".join(words[:size]), text, language)
            yield from (f"{lead}{people} {rest}" for people in peoples)
            return
    # A people with a country is the likelier one: "European" is British or German before it is Saxon.
    yield from (f"{lead}{name}" for name in places.candidate_originals(" ".join(words), text, language))


# The hierarchy.

_MOST_LEVELS = 6
_JOINED = lazy_pattern(r",? and (?:also )?|, ")
_FOLLOWS = lazy_pattern(r" (?:of|for|in|at|to) ")
"""In the first of two it may go on into the second: minister of labour and health."""
_TOGETHER = english_words("together")

_PREFIX = lazy_pattern(
    r"(?:former|retired|alleged|suspected|presumed|possible|probable|future|aspiring|convicted) |"
    r"(?:(?:suffered|diagnosed with|sustained|developed|had|was|became|"
    r"(?:worked|works|served) as)|history of) (?:an? )?"
)
_PERSON = lazy_pattern(r" (?:people|person)$")
_BELONGS = lazy_pattern(
    r"(?:(?:an?|the) )?(?:(?:leading|prominent|active|founding|senior|board|long-standing|alleged|former) )?"
    r"(?P<role>(?:member|employee|supporter|representative|official|leader|founder|chairman|president|director)s?)"
    r" of (?:the )?"
)
_DENIED = lazy_pattern(r"\b(?:non|anti|pro|pseudo|ex|vice|half|step)[-\u2010\u2011]\Z", re.IGNORECASE)
"""What a mention is cut off from, and is not without: non-[smoker]."""
_SHORT = 6
"""Letters: fewer, all of them capitals, are an acronym."""
_BROKEN = lazy_pattern(r"(?<=\w\w)[.!?] |[:;@\"“”„|<>=*\n]| [–—/&-] ")
"""Signs that a span runs over more than one phrase."""
_OCCUPATIONS = frozenset({"working person", "person in a position of responsibility"})
"""The widest kinds of occupations."""
_VAGUE_HEADS = frozenset({"officer", "officers", "agent", "agents", "builder", "operator", "keeper", "master"})
"""Heads of which the word before decides what they are."""
_FRAMED = lazy_pattern(
    r"(?:(?:works?|worked|working|serves?|served|serving|trained|qualified|employed|appointed) as |"
    r"(?:was|is|became|becoming|remained|former|retired|ex|deputy|vice|acting|interim|assistant|associate) )+(?:an? )?"
)
_FOLLOWING = lazy_pattern(rf" (?=(?:{'|'.join(sorted(english_words('leads_on')))})\b)")
_STUDIES = lazy_pattern(rf"\b(?:{'|'.join(ENGLISH['studies'])})\b")


def levels(mention: Mention) -> list[Level]:
    """What is true of the attribute, most specific first; empty where not all of it is understood."""
    phrase = tidy(mention.surface)
    if _DENIED.search(mention.before[-8:]):
        return []
    if mention.language not in _LANGUAGES or not phrase or _BROKEN.search(phrase):
        return []
    if evidence.is_written_as_code(mention):
        return []
    levels = group_levels(mention, phrase) or described_levels(phrase) or _joined(phrase)
    levels = levels or _attribute_levels(phrase, mention) or _belonging(mention)
    return _growing(levels, phrase)[:_MOST_LEVELS]


def _belonging(mention: Mention) -> list[Level]:
    """*Member of the Green Party*: by what the hierarchy of organisations says of that."""
    role = _BELONGS.match(mention.surface)
    if not role or mention.label not in ("DEM", "MISC"):
        return []
    named = Mention(mention.text, mention.start + role.end(), mention.end, "ORG", mention.language)
    if not named.surface[:1].isupper():
        return []
    word = role["role"].lower()
    many = word.endswith("s")
    wholes = [whole for whole in organisations.levels(named) if whole.article == "a" and not whole.plural]
    texts = [f"{word} of {with_article(whole.text)}" for whole in wholes]
    return [
        Level(text, whole.members * 2, "" if many else "a", many, source=whole.source)
        for text, whole in zip(texts, wholes, strict=True)
    ]


def _attribute_levels(phrase: str, mention: Mention) -> list[Level]:
    reading = read_harm(phrase) or read(phrase) or read_health(phrase)
    if not reading or not reading.kinds or not _is_meant(reading, mention):
        return []
    as_person = reading.has_article or stands_as_noun(mention)
    levels = [kind.level(reading.many, as_person) for kind in reading.kinds]
    # In small letters the words are no name.
    if reading.bare and reading.bare in mention.surface and (levels[0].article == "a" or reading.many):
        alone = None if reading.many else reading.bare
        levels.insert(0, replace(levels[0], text=reading.bare, members=1.0, modifier=alone))
    return [_with_prefix(level, reading) for level in levels]


def _is_meant(reading: Reading, mention: Mention) -> bool:
    """Whether the words around it leave it what it is by itself."""
    first, last = reading.kinds[0], reading.kinds[-1]
    if _is_surname(mention) or (first.word_class in ("noun", "mass") and evidence.is_part_of_compound(mention)):
        return False
    if _is_occupation(reading) and not (evidence.is_stated_occupation(mention) and _is_known_occupation(mention)):
        return False
    if last.phrase == "field of study" and not _is_studied(mention):
        return False
    is_kept_adjective = bool(reading.prefix) and not reading.is_framed
    return first.word_class != "adjective" or not (_is_name(mention) or is_kept_adjective)


def _is_occupation(reading: Reading) -> bool:
    return reading.kinds[-1].phrase in _OCCUPATIONS


def _is_known_occupation(mention: Mention) -> bool:
    """Whether all of it is listed, or only adjectives and names stand before a trade that they leave as it is.

    A senior tax inspector is a tax inspector; an organ builder is no builder, and a loans officer no officer.
    """
    phrase = tidy(mention.surface)
    core = _FRAMED.sub("", re.sub(r"^(?:an?|the|his|her|their|my) ", "", phrase))
    words = _FOLLOWING.split(core)[0].rstrip(",").split(" ")
    if (
        look_up(phrase)
        or look_up(core)
        or len(words) == 1
        or evidence.is_stable_occupation(words[-1].removesuffix("s"))
    ):
        return True
    for start in range(len(words)):
        part = " ".join(words[start:])
        if look_up(part) or kinds().by_name.get(part):
            dropped = words[:start]
            return all(_is_plain_modifier(word) or _is_office(word, words[-1], mention) for word in dropped)
    return False


def _is_office(word: str, head: str, mention: Mention) -> bool:
    """Whether a capitalised word before a capitalised head makes the name of an office: the Silesian Governor."""
    return (
        head not in _VAGUE_HEADS and f"{word.capitalize()} " in mention.surface and head.capitalize() in mention.surface
    )


def _is_plain_modifier(word: str) -> bool:
    """Whether a word before an occupation only narrows it: an adjective, a nation, a place."""
    return word_class(word) in ("adjective", "participle", "gerund", "number") or "-" in word or _is_nation(word)


def _is_nation(word: str) -> bool:
    return bool(places.nationality_levels(word.capitalize()))


def _is_studied(mention: Mention) -> bool:
    """*History* that someone studies, not one that something has."""
    before = mention.text[max(mention.start - 60, 0) : mention.start]
    return mention.label == "DEM" or bool(_STUDIES.search(before))


def _is_surname(mention: Mention) -> bool:
    """*Miller* as the name of a firm or a place."""
    name = mention.surface.strip()
    return mention.label in ("ORG", "LOC") and name.istitle() and name.isalpha() and name.lower() in family_names()


def _is_name(mention: Mention) -> bool:
    """Whether a word that is an ethnic group in small print stands there as a name: EWE, Roma, Karen."""
    return mention.label in ("ORG", "LOC", "PERSON") or (mention.surface.isupper() and len(mention.surface) < _SHORT)


def _with_prefix(level: Level, reading: Reading) -> Level:
    """The level behind what has to be said with it; an article before or behind that."""
    if not reading.prefix:
        return level
    if reading.is_framed and level.article == "a":
        text = reading.prefix + with_article(level.text)
    else:
        text = reading.prefix + level.text
    return replace(level, text=text, modifier=None, article="" if reading.is_framed else level.article)


def _joined(phrase: str) -> list[Level]:
    """*Nurse and midwife*: both, level by level; the one that they share once."""
    parts = [part for part in _JOINED.split(phrase) if part]
    if len(parts) != 2 or _FOLLOWS.search(parts[0]):
        return []
    first, second = (read(part) or read_health(part) for part in parts)
    if not first or not second or first.prefix or second.prefix or not first.kinds or not second.kinds:
        return []
    nouns = all(kind.word_class in ("noun", "mass") for kind in (first.kinds[0], second.kinds[0]))
    return list(_pairs(first, second)) if nouns else []


def _pairs(first: Reading, second: Reading) -> Iterator[Level]:
    for depth in range(max(len(first.kinds), len(second.kinds))):
        kind = first.kinds[min(depth, len(first.kinds) - 1)]
        other = second.kinds[min(depth, len(second.kinds) - 1)]
        if kind in other.chain or other in kind.chain:
            shared = kind if kind in other.chain else other
            several = first.many or second.many or any(wider.phrase in _TOGETHER for wider in shared.chain)
            yield from (wider.level(several) for wider in shared.chain)
            return
        first_level, second_level = kind.level(first.many), other.level(second.many)
        text = f"{first_level.text} and {second_level.text}"
        yield replace(first_level, text=text, members=first_level.members * second_level.members, modifier=None)


def with_article(phrase: str) -> str:
    return f"{indefinite_article(phrase)} {phrase}"


def _growing(levels: Sequence[Level], phrase: str) -> list[Level]:
    """Without what says the same again; members growing from level to level."""
    growing: list[Level] = []
    for level in levels:
        text = level.text.lower()
        if text == phrase or any(text == before.text.lower() for before in growing):
            continue
        growing.append(replace(level, members=max(level.members, growing[-1].members + 1)) if growing else level)
    return growing


def candidate_originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """What generalizes to this level, commonest first; what the text names elsewhere before all others."""
    if language not in _LANGUAGES:
        return
    bare = re.sub(r"^(?:an?|the)\s+", "", " ".join(phrase.split()), flags=re.IGNORECASE)
    yield from group_originals(bare, text, language)
    bare, prefix = tidy(bare), ""
    if match := _PREFIX.match(bare):
        prefix, bare = match[0], bare[match.end() :]
    for table in (kinds(), kinds("languages")):
        plural_forms = [(singular, True) for singular in singulars(bare)]
        for form, many in ((bare, False), *plural_forms, (_PERSON.sub("", bare), False)):
            if kind := table.by_name.get(form):
                names = table.unambiguous_terms(kind)
                near = folded_words(text).those_contained(names)
                for name in unique(chain(near, names)):
                    yield prefix + (plural_if_used(name) if many else name)
                return
