"""The concepts of WordNet's nouns: their names, what stands above and below them. English.

Made by ``training/build_hypernyms.py``, licence in ``data/SOURCES.md``. ``hypernyms`` reads phrases with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from sfumato.lexicon import tables
from sfumato.lexicon.grammar import lemma
from sfumato.lexicon.grammar_en import is_plural, pluralize_phrase, singularize, split_after_head

SEMANTIC_FIELDS = (
    ("T", "top"),
    ("a", "act"),
    ("n", "animal"),
    ("r", "artifact"),
    ("t", "attribute"),
    ("b", "body"),
    ("c", "cognition"),
    ("m", "communication"),
    ("e", "event"),
    ("f", "feeling"),
    ("o", "food"),
    ("g", "group"),
    ("l", "location"),
    ("v", "motive"),
    ("j", "object"),
    ("p", "person"),
    ("h", "phenomenon"),
    ("k", "plant"),
    ("s", "possession"),
    ("x", "process"),
    ("q", "quantity"),
    ("i", "relation"),
    ("z", "shape"),
    ("d", "state"),
    ("u", "substance"),
    ("w", "time"),
)
"""WordNet's fields of nouns, in its order, each with its letter in the table."""
_FIELD = dict(SEMANTIC_FIELDS)
UNLISTED_RARITY = 700
"""How rare a word is that the table of frequencies does not have."""


@dataclass(frozen=True, slots=True)
class Concept:
    """One sense of a noun."""

    name: str
    """What people call it, in the singular."""
    names: tuple[str, ...]
    members: int
    """How many concepts stand below it."""
    field: str
    """What it belongs to: act, animal, artifact, communication, group, person, state, substance ..."""
    number: int
    rarity: int
    """-10 log10 of how often its best known name stands in texts."""


@dataclass(frozen=True, slots=True)
class _ConceptTable:
    rows: Sequence[str]
    senses: Mapping[str, list[int]]
    children: Mapping[int, list[int]]


@cache
def concept_table() -> _ConceptTable:
    """The table as it is shipped, with the ways into it."""
    rows = tables.table_lines("en/hypernyms")
    senses: dict[str, list[int]] = {}
    children: dict[int, list[int]] = {}
    for number, row in enumerate(rows):
        names, parents, _ = row.split("\t", 2)
        for name in names.split(" "):
            senses.setdefault(name.partition(":")[0].casefold(), []).append(number)
        for parent in parents.split(" "):
            if parent:
                children.setdefault(number - int(parent), []).append(number)
    return _ConceptTable(rows, senses, children)


@lru_cache(maxsize=2**15)
def concept_at(number: int) -> Concept:
    """The concept of a line of the table."""
    names, _, letter, below, rarity = concept_table().rows[number].split("\t")
    marked = [_marks(name) for name in names.split(" ")]
    best = min(marked, key=lambda mark: _awkwardness(mark[0], mark[1], marked.index(mark)))
    return Concept(
        name=best[0],
        names=tuple(name for name, _, _ in marked),
        members=int(below or 0),
        field=_FIELD[letter],
        number=number,
        rarity=int(rarity),
    )


def _marks(name: str) -> tuple[str, int, int]:
    """A name in the table as it is spoken, the place of this sense among the name's, how often it was tagged."""
    word, *marks = name.split(":")
    place, count = (*map(int, marks), *(1, 0)[len(marks) :])
    return word.replace("_", " "), place, count


def _awkwardness(name: str, place: int, listed: int) -> int:
    """How ill a name suits a concept: one it is the first sense of, in everyday words, suits it best."""
    return rarity(name) + 60 * min(place - 1, 3) + 80 * listed + (100 if name != name.lower() else 0)


@lru_cache(maxsize=2**14)
def rarity(name: str) -> int:
    """-100 log10 of how often its rarest word stands in texts; more for each further word."""
    words = name.replace("-", " ").split()
    rarest = max(
        (_frequency().get(tables.frequency_key(word), UNLISTED_RARITY) for word in words), default=UNLISTED_RARITY
    )
    return rarest + 40 * max(0, len(words) - 1)


@cache
def _frequency() -> Mapping[str, int]:
    return tables.read_numbers("en/frequency")


def direct_hypernyms(concept: Concept) -> list[Concept]:
    """What stands directly above it in WordNet, whether people speak of it or not."""
    parents = concept_table().rows[concept.number].split("\t", 2)[1]
    return [concept_at(concept.number - int(parent)) for parent in parents.split(" ") if parent]


def direct_hyponyms(concept: Concept) -> list[Concept]:
    """What stands directly below it."""
    return [concept_at(number) for number in concept_table().children.get(concept.number, ())]


def senses(phrase: str) -> list[Concept]:
    """The concepts that a word or a phrase as a whole may name, commonest first; none where WordNet lacks it."""
    return [concept for concept, _ in sense_shares(phrase)]


@lru_cache(maxsize=2**13)
def sense_shares(phrase: str) -> tuple[tuple[Concept, float], ...]:
    """Senses with their share of the uses, commonest first."""
    key = lookup_form(phrase)
    if not key:
        return ()
    found = []
    for number in dict.fromkeys(concept_table().senses[key]):
        names = (_marks(name) for name in concept_table().rows[number].split("\t", 1)[0].split(" "))
        _, place, count = next(mark for mark in names if mark[0].replace(" ", "_").casefold() == key)
        found.append((place, count, number))
    # A sense that was never tagged still happens; the later it is listed, the less.
    weights = {number: count + 1 / place for place, count, number in found}
    total = sum(weights.values())
    return tuple((concept_at(number), weights[number] / total) for place, count, number in sorted(found))


@lru_cache(maxsize=2**14)
def lookup_form(phrase: str) -> str:
    """The form under which a phrase stands in the table, inflected or not; empty where it does not."""
    words = phrase.casefold().replace("’", "'").replace("_", " ").split()
    listed = concept_table().senses
    if not words or len(words) > 6:
        return ""
    singular = [*words[:-1], lemma(words[-1])]
    for form in (words, singular):
        for joined in ("_".join(form), "-".join(form), "".join(form), "_".join(form).replace("-", "_")):
            if joined in listed:
                return joined
    return ""


def is_plural_concept(phrase: str) -> bool:
    """Whether its last word is the plural of a noun that WordNet has."""
    words = phrase.casefold().split()
    if not words or (words[-1] in concept_table().senses and not words[-1].endswith("s")):
        return False
    base = lemma(words[-1])
    return base != words[-1] and base in concept_table().senses and not words[-1].endswith(("ss", "'s", "’s"))


# -- Names of WordNet concepts that are true of a thing and tell a reader nothing, or that no text would use.


UNINFORMATIVE_CONCEPTS = frozenset(
    (
        "ability;abnormality;abstract;abstract entity;abstract thought;abstraction;acanthopterygian;achievement;"
        "acquirer;act;action;activity;actuation;administrative district;administrative unit;adult;advocate;affair;"
        "agency;agent;aim;aliment;amorphous shape;amount;animal material;animal order;animal tissue;appearance;"
        "appendage;applicant;area;arrangement;artefact;artifact;aspect;assembly;assertion;assistant;associate;"
        "asterid dicot genus;atmospheric phenomenon;attachment;attempt;attribute;auditory;auditory communication;"
        "awareness;bad;bad person;bar;basic cognitive process;basidiomycete;beginning;being;belief;berth;binding;"
        "biological group;bit;block;bodily cavity;body;body covering;body process;body structure;body substance;bond;"
        "bony fish;bound;boundary;bourgeois;bovid;building block;bulbous plant;bundle;business activity;canid;capacity;"
        "capital;capitalist;cardinal virtue;case;causal agency;causal agent;cause;center;centre;challenge;change;"
        "change of integrity;change of location;change of magnitude;change of state;characteristic;choice;chordate;"
        "civil day;class;clock time;coat;coding system;cognition;cognitive state;collection;commodity;communication;"
        "communicator;companion;compartment;component;component part;concept;condition;conduit;connection;connexion;"
        "consciousness;constituent;constraint;construction;consumer goods;content;contestant;contractile organ;control;"
        "conveyance;cost;covering;craft;creation;creative thinking;creator;damage;data;datum;day;decision;declaration;"
        "deed;definite quantity;degree;dependant;dependent;design;determination;device;diapsid;dicot;dicot family;"
        "dicot genus;difficulty;disorder;disposition;district;doer;domain;duty;dweller;edge;effect;effort;"
        "electrical device;element;enclosure;end;end point;ending;enterprise;entity;equal;eutherian;event;evidence;"
        "example;exertion;experience;expert;exploit;expression;expressive style;extent;extremity;facility;fact;"
        "fastening;feat;feature;feeling;female person;figure;finish;fixings;flat solid;flowering plant;fluid;follower;"
        "food product;foodstuff;form;formation;fragment;frame;function;fundamental measure;gain;gap;gathering;genus;"
        "geographic area;geographic point;geographical area;geological formation;gesture;goal;good;good person;"
        "gramineous plant;ground;group;group action;group event;grouping;grownup;growth;happening;happiness;"
        "higher cognition;higher cognitive process;hole;human action;human activity;idea;ill;ill-being;image;"
        "imperfection;implement;improvement;indefinite quantity;indication;indicator;individual;info;information;"
        "ingredient;inhabitant;instance;instrument;instrumentality;instrumentation;integer;intellectual;item;job;"
        "judgement;judgment;kind;know-how;knowledge;knowledge base;labor;labour;lack;land;language unit;layer;leader;"
        "liliopsid;line;line of work;linguistic unit;link;living thing;location;loss;macromolecule;magnitude;"
        "magnitude relation;maker;malacopterygian;male person;mark;marking;mass;material;matter;means;measure;"
        "measurement;mechanical device;mechanism;medium;mental object;mental process;mental state;merchandise;message;"
        "method;mixture;molecule;monocot;morality;mortal;motion;motive;move;movement;natural action;natural elevation;"
        "natural object;natural phenomenon;natural process;nature;negative stimulus;negotiator;notation;nourishment;"
        "number;nutriment;nutrition;object;obstruction;occasion;occurrence;offering;office;one;opening;opinion;order;"
        "ordering;organic process;organisation;organism;organization;origin;oscine;owner;papers;parcel;part;passage;"
        "passageway;passerine;patch;path;pathological state;pathology;pattern;peer;perception;percoid;period;"
        "personnel;force;"
        "perissodactyl;person;person of color;phenomenon;physical condition;physical entity;physical object;"
        "physical phenomenon;physical process;physical property;picture;piece;piece of land;piece of work;place;"
        "placental;placental mammal;plant life;plant organ;plant part;player;point;point in time;populated area;"
        "portion;position;possession;power;preserver;principal;print;problem;procedure;process;produce;product;"
        "production;progress;project;property;protective covering;psychological feature;psychological state;purpose;"
        "quality;quantity;rank;ranking;reason;receiver;recipient;region;relation;relationship;relative;remainder;"
        "representation;reproductive structure;rest;result;rod;role;ruin;section;sector;seed plant;selection;sensation;"
        "sense;series;service;set;shape;sheet;sign;signal;situation;social control;social event;social group;"
        "social unit;soil;solid;solid food;somebody;someone;something;sort;soul;sound;source;space;spatial relation;"
        "speech;speech act;spiritual being;standard;standing;starches;start;starting point;state;state change;"
        "state of affairs;state of mind;statement;status;stick;stimulus;strip;structure;stuff;subject;subject area;"
        "subject matter;subordinate;substance;superior;support;supporter;supporting structure;surface;symbol;system;"
        "task;taxonomic group;teleost;territorial division;thing;thinking;thought;tie;time;time unit;toil;"
        "topographic point;trace;tract;trade good;trait;transferred property;traveler;traveller;treat;trouble;try;"
        "tube-shaped structure;type;undertaking;unfortunate;ungulate;unhappiness;unit;unit of time;unpleasant person;"
        "unusual person;unwelcome person;upset;urban area;use;user;utterance;value;vascular plant;vessel;view;vine;"
        "visual;visual communication;visual property;vocalization;voice;ware;way;well-being;whole;wilding;woody plant;"
        "work;worker;working man;worth;writing;written language;written material;written symbol"
    ).split(";")
)


# -- Adjectives and adverbs with wider ones that are true of the same: what is *huge* is *large*. English.
#
# Made by ``training/build_nouns.py`` from ``training/wordlists/modifiers.txt``; ours.


@cache
def _modifier_table() -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for row in tables.table_lines("en/modifiers"):
        wider, narrower = row.split("\t")
        for word in narrower.split(";"):
            found.setdefault(word, []).append(wider)
    return found


def wider_modifiers(word: str) -> Sequence[str]:
    """What is also true of what an adjective or an adverb is true of."""
    return _modifier_table().get(word, ())


# -- Common nouns and wider nouns that are true of the same things: a *letter* is a *document*. English.
#
# Made by ``training/build_nouns.py`` from ``training/wordlists/nouns.txt``; ours. For the nouns that the lists of
# things leave out because they have several senses: here the words around them decide.


@dataclass(frozen=True, slots=True)
class WiderNoun:
    """A noun that says less."""

    name: str
    is_mass: bool
    """It takes no article and no plural: "food"."""
    is_plural: bool
    """It is only said in the plural: "authorities"."""
    conditions: tuple[str, ...]
    """When it is true, in the signs that ``training/wordlists/nouns.txt`` explains."""


@dataclass(frozen=True, slots=True)
class _NounTable:
    wider: Mapping[str, Sequence[WiderNoun]]
    sets: Mapping[str, frozenset[str]]


@cache
def _noun_table() -> _NounTable:
    wider: dict[str, list[WiderNoun]] = {}
    sets: dict[str, frozenset[str]] = {}
    for row in tables.table_lines("en/nouns"):
        first, *rest = row.split("\t")
        if first.startswith("@"):
            sets[first[1:]] = frozenset(rest)
            continue
        conditions, things = rest
        one = WiderNoun(first.rstrip("~+"), first.endswith("~"), first.endswith("+"), tuple(conditions.split()))
        for thing in things.split(";"):
            wider.setdefault(thing, []).append(one)
    return _NounTable(wider, sets)


def wider_nouns(word: str) -> Sequence[WiderNoun]:
    """What may be said of what a noun names, in the singular or plural; in the order in which they are to be tried."""
    table = _noun_table().wider
    if f"{word}+" in table:
        return table[f"{word}+"]
    return table.get(word) or (table.get(singularize(word), ()) if is_plural(word) else ())


def noun_topic(name: str) -> frozenset[str]:
    """The words of one of the sets that conditions speak of; "court": judge, accused, verdict ..."""
    return _noun_table().sets[name]


# -- The plural of a noun, where people use one. English.


def plural_if_used(thing: str) -> str:
    """The plural, where people use one: *breads*, but *garlic*."""
    plural = pluralize_phrase(thing)
    is_heard = _rarity_of_head(thing) == UNLISTED_RARITY or _rarity_of_head(plural) < UNLISTED_RARITY
    return plural if is_heard else thing


def _rarity_of_head(phrase: str) -> int:
    return rarity((split_after_head(phrase)[0].split() or [phrase])[-1])


# -- Verbs and wider verbs that are true wherever they are: who was *evicted* was *removed*. English.
#
# Made by ``training/build_verbs.py``, from our own list and WordNet; licence in ``data/SOURCES.md``.


VERB_FORMS = ("base", "third", "past", "participle", "ing")


@dataclass(frozen=True, slots=True)
class WiderVerb:
    """A verb that says less."""

    verb: str
    """In its base form; with the words that belong to it: "take part"."""
    frames: frozenset[str]
    """How both verbs may be used, in the signs that ``training/wordlists/verbs.txt`` explains."""
    source: str


@dataclass(frozen=True, slots=True)
class _VerbTable:
    forms: Mapping[str, tuple[str, ...]]
    readings: Mapping[str, Mapping[str, frozenset[str]]]
    wider: Mapping[str, Sequence[WiderVerb]]
    sets: Mapping[str, frozenset[str]]


@cache
def _verb_table() -> _VerbTable:
    forms: dict[str, tuple[str, ...]] = {}
    wider: dict[str, list[WiderVerb]] = {}
    sets: dict[str, frozenset[str]] = {}
    for row in tables.table_lines("en/verbs"):
        first, *rest = row.split("\t")
        if first.startswith("@"):
            sets[first[1:]] = frozenset(rest)
        elif first == "<":
            narrower, verb, frames, source = rest
            wider.setdefault(narrower, []).append(WiderVerb(verb, frozenset(frames.split()), source))
        else:
            forms[first] = (first, *rest)
    readings: dict[str, dict[str, set[str]]] = {}
    for verb in wider:
        for form, spellings in zip(VERB_FORMS, forms[verb], strict=True):
            for spelling in spellings.split("/"):
                readings.setdefault(spelling, {}).setdefault(verb, set()).add(form)
    fixed = {word: {verb: frozenset(found) for verb, found in verbs.items()} for word, verbs in readings.items()}
    return _VerbTable(forms, fixed, wider, sets)


def verb_readings(word: str) -> Mapping[str, frozenset[str]]:
    """The verbs that a word in small letters may be a form of, each with the forms; only those with a wider verb."""
    return _verb_table().readings.get(word, {})


def wider_verbs(verb: str) -> Sequence[WiderVerb]:
    """What may be said instead of a verb, by how it is used; in the order in which they are to be tried."""
    return _verb_table().wider.get(verb, ())


def inflect_verb(phrase: str, form: str) -> str:
    """A wider verb in one of the ``FORMS``; what belongs to it stays: "took part"."""
    verb, gap, rest = phrase.partition(" ")
    return _verb_table().forms[verb][VERB_FORMS.index(form)].split("/")[0] + gap + rest


def verb_topic(name: str) -> frozenset[str]:
    """The words of one of the sets that frames speak of; "legal": appeal, claim, request ..."""
    return _verb_table().sets[name]
