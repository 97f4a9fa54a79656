"""The hierarchy of what people are: nationality, faith, language, occupation, education, family, health.

*Cardiologist*, medical specialist, physician, health professional; *Methodist*, Protestant, Christian.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sfumato.generalize import organisations, places
from sfumato.generalize.demographics import phrases as dem_words
from sfumato.generalize.demographics.phrases import LONGEST, Kind, Reading, kinds, look_up, read, singulars, tidy
from sfumato.generalize.demographics.phrases import read as read_phrase
from sfumato.generalize.hierarchy import Level, Mention
from sfumato.lexicon.grammar_en import indefinite_article
from sfumato.lexicon.name_lists import family_names
from sfumato.lexicon.phrases import contains_phrase
from sfumato.lexicon.wordnet import plural_if_used

# -- Nationality, ethnicity and language: which part of the world, which family of languages.


_SPEAKING = re.compile(
    r"\b(?:speaks?|spoke|spoken|speaking|fluent in|fluently in|languages?|tongue(?: is| was)?|translat\w+ (?:in)?to|"
    r"translat\w+ from|learn(?:ed|t|ing|s)?|understands?|understood|in|into|reads?|writes?|written in)"
    r"\s+(?:good |fluent |some |broken |only |native )*$",
    re.IGNORECASE,
)
_FUNCTION = frozenset(
    "and or but in at of on by for from to with who was were is are had has have that which as when where while "
    "because the a an his her he she they it not living aged born working".split()
)
_ONE = frozenset(
    "national,citizen,subject,passport holder,man,woman,boy,girl,child,couple,family,immigrant,refugee,passport,"
    "minority,community,nationalist,resident".split(",")
)
_MANY = frozenset("nationals,citizens,subjects,people,women,men,children,families,immigrants,refugees".split(","))
_QUALITY = frozenset(
    "nationality,citizenship,origin,ethnic origin,national origin,origins,descent,extraction,ancestry,heritage,"
    "parentage,ethnicity,background".split(",")
)
_BEHIND = _ONE | _MANY | _QUALITY
"""What may stand behind a nationality without changing what it says."""
_SUBJECTS = {
    "national": "citizen",
    "nationals": "citizens",
    "citizen": "national",
    "citizens": "nationals",
    "subject": "citizen",
    "subjects": "citizens",
}
"""The same in another word, so that not even that one is repeated."""
_TAUGHT = frozenset({"education professional", "person in education", "language professional", "field of study"})
"""Kinds before which a nationality may be a language: a Spanish professor."""


def stands_as_noun(mention: Mention) -> bool:
    """Whether it is "a Kurd", not "a Kurdish village": an article before it and no noun after it."""
    before = mention.text[max(mention.start - 12, 0) : mention.start]
    return bool(re.search(r"\b(?:an?|another|one)\s+$", before, re.IGNORECASE)) and not _noun_follows(mention)


def _noun_follows(mention: Mention) -> bool:
    found = re.match(r"\s+([^\W\d_]+)", mention.text[mention.end : mention.end + 40])
    return found is not None and found[1].lower() not in _FUNCTION


def groups_levels(mention: Mention, phrase: str) -> list[Level]:
    """Of a nationality, an ethnic group, a language, or of a phrase that starts with one."""
    said = " ".join(mention.surface.split()).strip(" .,;:\"'“”")
    bare = re.sub(r"^(?:an?|the)\s+", "", said)
    if not bare.removeprefix("of ")[:1].isupper():
        return []
    if spoken := _language(mention, phrase):
        return spoken
    if kinds().knows(bare.lower()):
        return _people(bare)
    return nationality(bare) or _with_noun(bare)


def nationality(said: str) -> list[Level]:
    """Adjective in, adjective out; of a double one ("Greek-Cypriot") by its last part."""
    found = _people(said)
    if not found and (double := re.fullmatch(r"([A-Z][a-z]+)[ \u2010\u2011-]([A-Z][a-z]+)", said)):
        found = _people(double[2]) if _people(double[1]) else []
    return found


def _people(said: str) -> list[Level]:
    return list(places.nationality_levels(said))


def _language(mention: Mention, phrase: str) -> list[Level]:
    table = kinds("languages")
    name = phrase.removeprefix("the ").removesuffix(" language")
    if name.endswith(("-speaking", " speaking")):
        return [
            Level(
                f"speaking {indefinite_article(kind.phrase)} {kind.phrase}", float(kind.members), "", source="languages"
            )
            for kind in table.above(name[:-9])
        ]
    above = table.above(name)
    if above and (
        name != phrase or _is_spoken(mention) or not (kinds().knows(name) or nationality(mention.surface.strip()))
    ):
        return [replace(kind.level(), source="languages") for kind in above]
    return []


def _is_spoken(mention: Mention) -> bool:
    """Whether the sentence speaks of a language: "fluent in Turkish", but not "in Turkish prisons"."""
    if re.match(r"\s+(?:language|dialect|lessons|speaker)", mention.text[mention.end : mention.end + 20]):
        return True
    before = mention.text[max(mention.start - 40, 0) : mention.start]
    return bool(_SPEAKING.search(before)) and not _noun_follows(mention)


def _with_noun(said: str) -> list[Level]:
    """*Turkish national*, *of Kurdish origin*, *Polish lawyer*, *Irish Catholic*."""
    lead = "of " if said.startswith("of ") else ""
    words = said.removeprefix("of ").split(" ")
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
    if rest in _SUBJECTS:
        yield replace(first, text=f"{_SUBJECTS[rest]} of {indefinite_article(word)} {word} country")


def _both(adjective: str, members: float, inner: Reading) -> list[Level]:
    """The area with the kind, then the kind alone."""
    alone = [kind.level(inner.many) for kind in inner.kinds]
    alone = (
        [replace(level, text=inner.prefix + level.text, modifier=None) for level in alone] if inner.prefix else alone
    )
    first = inner.kinds[0]
    if first.chain[-1].phrase in _TAUGHT or any(kind.phrase in _TAUGHT for kind in first.chain):
        return alone
    noun = first.level(inner.many).text if first.word_class != "adjective" else first.before_a_noun
    if noun is None or first.word_class == "verb":
        return alone
    text = f"{inner.prefix}{adjective} {noun}"
    return [replace(alone[0], text=text, members=min(members, alone[0].members), modifier=None), *alone]


def described(phrase: str) -> list[Level]:
    """*Deaf woman*, *gay couple*: the wider adjective before the same noun."""
    found = re.sub(r"^an? ", "", phrase).rpartition(" ")
    reading = look_up(found[0]) if found[2] in _ONE | _MANY | {"person", "patient", "patients"} else None
    if reading is None or reading.many:
        return []
    many = found[2] in _MANY or found[2] == "patients"
    return [
        replace(kind.level(), text=f"{kind.before_a_noun} {found[2]}", article="" if many else "a", plural=many)
        for kind in reading.kinds
        if kind.word_class == "adjective" and kind.before_a_noun
    ]


def _adjectives(said: str) -> list[tuple[str, float]]:
    found = [(level.modifier or level.text, level.members) for level in nationality(said)]
    if not found and said[:1].isupper():
        above = [kind for kind in kinds().above(said.lower()) if kind.word_class == "adjective"]
        found = [(kind.before_a_noun, float(kind.members)) for kind in above if kind.before_a_noun]
    return found


def groups_originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """Of "Western Asian national": what may have stood there."""
    lead = "of " if phrase.startswith("of ") else ""
    words = phrase.removeprefix("of ").split(" ")
    for size in range(1, len(words)):
        rest = " ".join(words[size:])
        if rest in _BEHIND:
            yield from (
                f"{lead}{name} {rest}" for name in places.candidate_originals(" ".join(words[:size]), text, language)
            )
            return
    # A people with a country is the likelier one: "European" is British or German before it is Saxon.
    yield from (f"{lead}{name}" for name in places.candidate_originals(" ".join(words), text, language))


# -- Conditions that the table does not list, by how their names are built: *fracture of the tibia*, *periostitis*.


_HARM = (
    "fractures?|injur(?:y|ies)|wounds?|bruis(?:e|es|ing)|lacerations?|contusions?|abrasions?|sprains?|dislocations?|cuts?|"
    "haematomas?"
)
_OF_PART = re.compile(
    rf"(?:[\w-]+ ){{0,3}}(?:{_HARM}) (?:of|to|on|in) (?:the |a |an |his |her |their |one of (?:his|her) )?(.+)"
)
_PART_FIRST = re.compile(rf"(.+) (?:{_HARM})")
_HARMED_PART = re.compile(
    r"(?:severely |badly |slightly )?"
    r"(?:broken|fractured|injured|dislocated|sprained|bruised|wounded|torn|crushed|amputated) (.+)"
)
_SEVERAL = re.compile(r"\b(?:fractures|injuries|wounds|bruises|[a-z]+(?:ations|usions|asions|ains|omas)|cuts)\b")
_WHERE = {
    "part of the head": "head injury",
    "part of the arm": "arm or hand injury",
    "part of the leg": "leg or foot injury",
    "part of the back": "injury",
    "part of the trunk": "injury",
    "part of the neck": "injury",
}
_LIMBS = {"arm": "arm or hand injury", "leg": "leg or foot injury"}
_ENDINGS = (
    (re.compile(r".{3,}(?:ectomy|ostomy|otomy|plasty)"), "surgical operation"),
    (re.compile(r".{3,}oscopy"), "diagnostic test"),
    (re.compile(r".{2,}itis"), "illness"),
    (re.compile(r".{3,}(?:carcinoma|sarcoma|blastoma)"), "cancer"),
    (re.compile(r".{3,}(?:lymphoma|leukaemia|leukemia)"), "blood cancer"),
    (re.compile(r".{3,}algia"), "health problem"),
    (re.compile(r".{3,}(?:neuropathy)"), "nerve disorder"),
    (re.compile(r".{3,}(?:cardiomyopathy|carditis)"), "heart disease"),
    (re.compile(r".{3,}(?:nephropathy)"), "kidney disease"),
    (re.compile(r".{3,}(?:retinopathy)"), "eye disease"),
    (re.compile(r".{3,}(?:arthritis|arthrosis)"), "joint disease"),
    (re.compile(r".{3,}(?:dermatitis|dermatosis)"), "skin disease"),
    (re.compile(r".{2,}(?:hepatitis)"), "liver disease"),
    (re.compile(r".{2,}(?:pneumonia|bronchitis)"), "lung disease"),
    (re.compile(r".{3,}(?:plegia|paresis)"), "paralysis"),
    (re.compile(r".{3,}(?:anaemia|anemia|penia)"), "blood disorder"),
    (re.compile(r".{3,}phobia"), "anxiety or stress-related disorder"),
)
"""How names of conditions and operations end, and what is then true of them."""
_NOT_MEDICAL = frozenset(
    "xenophobia homophobia islamophobia transphobia nostalgia photophobia hydrophobia osteopenia".split()
)


def read_health(phrase: str) -> Reading | None:
    """What a tidied phrase is by its making; None where that is not sure."""
    if len(phrase) > LONGEST or re.match(r"\d|(?:no|not|without|former|alleged) ", phrase):
        return None
    last = phrase.removeprefix("a ").removeprefix("an ").rpartition(" ")[2]
    kind = _by_ending(last)
    return Reading(kind.chain) if kind else None


def read_harm(phrase: str) -> Reading | None:
    """Of an injury to a named part of the body: which part of it."""
    if len(phrase) > LONGEST:
        return None
    for shape in (_OF_PART, _HARMED_PART, _PART_FIRST):
        found = shape.fullmatch(phrase)
        if not found:
            continue
        many = bool(_SEVERAL.search(phrase)) or (shape is _HARMED_PART and phrase.endswith("s"))
        part = re.sub(
            r"^(?:the |lower |upper |left |right |both |fourth |fifth |first |second |third |\d\w* )+", "", found[1]
        )
        if part.rstrip("s") in _LIMBS:
            return Reading(kinds().own[_LIMBS[part.rstrip("s")]].chain, many)
        if "shoulder" in part:
            return Reading(kinds().own["injury"].chain, many)
        reading = read_phrase(part)
        where = [_WHERE[kind.phrase] for kind in reading.kinds if _WHERE.get(kind.phrase)] if reading else []
        if where:
            return Reading(kinds().own[where[0]].chain, many)
    return None


def _by_ending(word: str) -> Kind | None:
    if word in _NOT_MEDICAL:
        return None
    fitting = [name for shape, name in _ENDINGS if shape.fullmatch(word)]
    # The narrowest of the endings that fit: "polyarthritis" is a joint disease, not only an illness.
    return max((kinds().own[name] for name in fitting), key=lambda kind: len(kind.chain), default=None)


# -- The hierarchy of what people are: nationality, faith, language, occupation, education, family, health.


MOST = 6
"""Levels that a hierarchy has at most."""
_JOINED = re.compile(r",? and (?:also )?|, ")
_FOLLOWS = re.compile(r" (?:of|for|in|at|to) ")
"""In the first of two it may go on into the second: minister of labour and health."""
_TOGETHER = frozenset({"personal contact", "health matter", "part of the body"})
"""Kinds of which two are two things; a lawyer and journalist is one person."""

_PREFIX = re.compile(
    r"(?:former|retired|alleged|suspected|presumed|possible|probable|future|aspiring|convicted) |"
    r"(?:(?:suffered|diagnosed with|sustained|developed|had|was|became|"
    r"(?:worked|works|served) as)|history of) (?:an? )?"
)
_PERSON = re.compile(r" (?:people|person)$")
_BELONGS = re.compile(
    r"(?:(?:an?|the) )?(?:(?:leading|prominent|active|founding|senior|board|long-standing|alleged|former) )?"
    r"(?P<role>(?:member|employee|supporter|representative|official|leader|founder|chairman|president|director)s?)"
    r" of (?:the )?"
)
_DENIED = re.compile(r"\b(?:non|anti|pro|pseudo|ex|vice|half|step)[-\u2010\u2011]\Z", re.IGNORECASE)
"""What a mention is cut off from, and is not without: non-[smoker]."""
_SHORT = 6
"""Letters: fewer, all of them capitals, are an acronym."""


def levels(mention: Mention) -> list[Level]:
    """What is true of the attribute, most specific first; empty where not all of it is understood."""
    phrase = tidy(mention.surface)
    if _DENIED.search(mention.before[-8:]):
        return []
    if mention.language != "en" or not phrase or dem_words.BROKEN.search(phrase):
        return []
    found = groups_levels(mention, phrase) or described(phrase) or _joined(phrase) or _of(phrase, mention)
    found = found or _belonging(mention)
    return _growing(found, phrase)[:MOST]


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
    return [
        Level(
            f"{word} of {indefinite_article(kind.text)} {kind.text}",
            kind.members * 2,
            "" if many else "a",
            many,
            source=kind.source,
        )
        for kind in organisations.levels(named)
        if kind.article == "a" and not kind.plural
    ]


def _of(phrase: str, mention: Mention) -> list[Level]:
    reading = read_harm(phrase) or read(phrase) or read_health(phrase)
    if not reading or not reading.kinds or _is_surname(mention):
        return []
    if reading.kinds[-1].phrase == "field of study" and not _is_studied(mention):
        return []
    if reading.kinds[0].word_class == "adjective" and (_is_name(mention) or (reading.prefix and not reading.is_framed)):
        return []
    as_person = reading.has_article or stands_as_noun(mention)
    found = [kind.level(reading.many, as_person) for kind in reading.kinds]
    if reading.bare and _is_plain(mention.surface, reading.bare) and (found[0].article == "a" or reading.many):
        alone = None if reading.many else reading.bare
        found.insert(0, replace(found[0], text=reading.bare, members=1.0, modifier=alone))
    return [_put(level, reading) for level in found]


def _is_studied(mention: Mention) -> bool:
    """*History* that someone studies, not one that something has."""
    around = mention.text[max(mention.start - 60, 0) : mention.start]
    return mention.label == "DEM" or bool(dem_words.STUDIES.search(around))


def _is_surname(mention: Mention) -> bool:
    """*Miller* as the name of a firm or a place."""
    said = mention.surface.strip()
    return mention.label in ("ORG", "LOC") and said.istitle() and said.isalpha() and said.lower() in family_names()


def _is_name(mention: Mention) -> bool:
    """Whether a word that is an ethnic group in small print stands there as a name: EWE, Roma, Karen."""
    return mention.label in ("ORG", "LOC", "PERSON") or (mention.surface.isupper() and len(mention.surface) < _SHORT)


def _is_plain(said: str, bare: str) -> bool:
    """Whether the words stand there in small letters: then they are no names."""
    return bare in said


def _put(level: Level, reading: Reading) -> Level:
    """The level behind what has to be said with it; an article before or behind that."""
    if not reading.prefix:
        return level
    if reading.is_framed and level.article == "a":
        text = f"{reading.prefix}{indefinite_article(level.text)} {level.text}"
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
        one = first.kinds[min(depth, len(first.kinds) - 1)]
        other = second.kinds[min(depth, len(second.kinds) - 1)]
        if one in other.chain or other in one.chain:
            shared = one if one in other.chain else other
            several = first.many or second.many or any(kind.phrase in _TOGETHER for kind in shared.chain)
            yield from (kind.level(several) for kind in shared.chain)
            return
        one_level, other_level = one.level(first.many), other.level(second.many)
        text = f"{one_level.text} and {other_level.text}"
        yield replace(one_level, text=text, members=one_level.members * other_level.members, modifier=None)


def _growing(found: Sequence[Level], phrase: str) -> list[Level]:
    """Without what says the same again; members growing from level to level."""
    kept: list[Level] = []
    for level in found:
        said = level.text.lower()
        if said == phrase or any(said == before.text.lower() for before in kept):
            continue
        kept.append(replace(level, members=max(level.members, kept[-1].members + 1)) if kept else level)
    return kept


def candidate_originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """What generalizes to this level, commonest first; what the text names elsewhere before all others."""
    if language != "en":
        return
    bare = re.sub(r"^(?:an?|the)\s+", "", " ".join(phrase.split()), flags=re.IGNORECASE)
    yield from groups_originals(bare, text, language)
    bare, prefix = tidy(bare), ""
    if found := _PREFIX.match(bare):
        prefix, bare = found[0], bare[found.end() :]
    lowered = text.lower()
    for table in (kinds(), kinds("languages")):
        for form, many in ((bare, False), *((one, True) for one in singulars(bare)), (_PERSON.sub("", bare), False)):
            if kind := table.own.get(form):
                names = table.surely(kind)
                near = [name for name in names if contains_phrase(name, lowered)]
                for name in dict.fromkeys((*near, *names)):
                    yield prefix + (plural_if_used(name) if many else name)
                return
