"""Rungs from WordNet, for things that our lists do not have: only concepts that readers share and that hold firmly."""

from __future__ import annotations

from sfumato.knowledge.grammar.inflection import in_plural
from sfumato.knowledge.grammar.word_classes import word_classes
from sfumato.knowledge.ladders.base import Mention, Rung
from sfumato.knowledge.ladders.things import phrases as thing_phrases
from sfumato.knowledge.wider import concepts, hypernyms

SOURCE = "wordnet"
_MOST = 4
_AROUND = 400
"""Letters on either side that are read to settle the sense."""
_FIELDS = frozenset(
    "act animal artifact body communication event food group object phenomenon plant possession process state "
    "substance "
    "cognition".split()
)
"""Where the words for things are; those for people, places, times and amounts have ladders of their own."""
_FIRM = frozenset(
    (
        "animal;mammal;bird;fish;reptile;insect;rodent;primate;feline;snake;bird of prey;water bird;aquatic bird;"
        "domestic fowl;cattle;horse;dog;deer;plant;tree;flower;bush;herb;vegetable;root vegetable;edible fruit;"
        "food;dish;meat;dairy product;baked goods;bread;cake;sauce;dessert;candy;liquor;cheese;body part;"
        "organ;internal organ;bone;muscle;joint;gland;tissue;clothing;garment;outer garment;footwear;hat;shoe;dress;"
        "woman's clothing;fabric;jewelry;vehicle;motor vehicle;wheeled vehicle;aircraft;ship;boat;warship;weapon;"
        "firearm;"
        "gun;explosive;knife;explosive device;container;box;bottle;building;farm building;medical building;house;"
        "housing;room;place of worship;shop;retail store;restaurant;place of business;furniture;"
        "tool;hand tool;cutting implement;power tool;machine;engine;computer;electronic equipment;electronic device;"
        "home appliance;musical instrument;wind instrument;percussion instrument;optical instrument;"
        "measuring instrument;scientific instrument;sports equipment;photographic equipment;toy;equipment;"
        "reference book;publication;periodical;sacred text;document;legal document;poem;song;musical composition;"
        "music genre;drug;medicine;hormone;protein;enzyme;chemical element;metal;alloy;mineral;"
        "building material;fuel;body of water;celestial body;planet;storm;disease;infectious disease;symptom;cancer;"
        "skin disease;mental illness;tumor;injury;respiratory disease;cardiovascular disease;sport;outdoor sport;"
        "card game;board game;court game;athletic game;crime;homicide;tax;payment;academic degree;award;"
        "school;cosmetic;military unit;penal correctional institution;"
        "military operation;military action;ceremony;religious ceremony;journey;meal;surgery;medical care;therapy;road;"
        "timepiece;floor cover;carbohydrate;institution;currency;coin;"
        "headdress;bag;kitchen utensil;bed linen;optical device;writing implement;pen;candle;source of illumination"
    ).split(";")
)
"""Concepts that are rungs. Others are often a matter of view: a volcano as a crack, a merger as a combination."""


def rungs_of(phrase: thing_phrases.Phrase, mention: Mention) -> list[Rung]:
    """The head of a phrase where something was said of it, then the firm concepts above it."""
    core = thing_phrases.unpossessed(phrase.core)
    kind = hypernyms.head(core)
    if not kind or phrase.is_quoted or len(thing_phrases.conjuncts(core)) > 1 or not _is_noun(kind):
        return []
    if thing_phrases.is_doing(core) or not hypernyms.may_be_capitals(kind):
        return []
    is_whole = len(kind.split()) == len(phrase.said.split())
    starts = core.startswith(kind) and not phrase.is_determined
    if kind[0].isupper() and not kind.isupper() and (not starts or thing_phrases.is_name(kind, mention.before)):
        # Baton Rouge is no cosmetic.
        return []
    own = concepts.senses(kind)
    if not own or own[0].field not in _FIELDS:
        return []
    around = mention.text[max(0, mention.start - _AROUND) : mention.end + _AROUND]
    firm = [concept for concept in hypernyms.chain(kind, None, around) if concept.name in _FIRM]
    if not firm:
        return []
    many = phrase.is_counted or concepts.is_plural(kind)
    found = [] if is_whole else [Rung(kind, 2.0, "" if many else "a", plural=many, source=SOURCE)]
    return found + [_rung(concept, many) for concept in firm[:_MOST]]


def _is_noun(kind: str) -> bool:
    """Whether the word is mostly a noun; of activities in -ing WordNet knows less than we need."""
    word = kind.casefold()
    return " " in word or (word_classes().get(word, "noun") == "noun" and not word.endswith("ing"))


_MASS = frozenset(
    {
        "clothing",
        "furniture",
        "jewelry",
        "equipment",
        "food",
        "baked goods",
        "housing",
        "meat",
        "medical care",
        "cattle",
    }
)


def _rung(concept: concepts.Concept, is_plural: bool) -> Rung:
    members = concept.members + 3.0
    if concept.name in _MASS:
        return Rung(concept.name, members, "", source=SOURCE)
    if is_plural:
        return Rung(in_plural(concept.name), members, "", plural=True, source=SOURCE)
    return Rung(concept.name, members, source=SOURCE)
