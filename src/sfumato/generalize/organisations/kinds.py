"""Kinds of organisations, the head nouns that tell them, legal forms and known names.

They are made by ``training/build_org_kinds.py`` from ``training/wordlists/org_*.tsv``; the other words are in
``data/*/organisations.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from types import MappingProxyType

from sfumato.lexicon import tables
from sfumato.lexicon.tables import group, load_toml, word_set
from sfumato.lexicon.tokens import lazy_pattern

_ALL = load_toml("organisations", package="sfumato.generalize")
ENGLISH = load_toml("organisations", "en", "sfumato.generalize")
english_words = partial(word_set, "organisations", language="en", package="sfumato.generalize")

# Legal forms.

KIND_OF_FORM = {form.replace(".", ""): kind for kind, forms in _ALL["legal_forms"].items() for form in forms}
_FORMS = sorted((form for forms in _ALL["legal_forms"].values() for form in forms), key=len, reverse=True)
_ANY_FORM = "|".join(re.escape(form).replace(r"\.", r"\.?") for form in _FORMS)
LEGAL_FORM = lazy_pattern(rf"[\s,]+(?P<form>{_ANY_FORM})\.?$")


def without_form(phrase: str) -> str:
    """A name without its legal form: "Siemens" for "Siemens AG"."""
    return LEGAL_FORM.sub("", phrase)


# Kinds of organisations, the head nouns that tell them, and known names.

_DOTS = lazy_pattern(r"(?<=\w)\.(?=\w|$|\s)")


@dataclass(frozen=True, slots=True)
class Kind:
    """What an organisation is: "criminal court"."""

    name: str
    wider: str
    members: float
    where: str
    """nation: it is of a country; local: it is where its name says; city: mostly so; -: its name does not say."""


@dataclass(frozen=True, slots=True)
class Head:
    """A phrase that tells the kind of what has it in its name, and where in the name it does: end, start, any."""

    phrase: str
    kind: str
    place: str


@dataclass(frozen=True, slots=True)
class KnownOrganisation:
    """An organisation that is known by its name."""

    name: str
    kind: str
    code: str
    others: tuple[str, ...]


@cache
def kinds() -> Mapping[str, Kind]:
    rows = (
        Kind(name, "" if wider == "-" else wider, float(many), where)
        for name, wider, many, where in tables.table_rows("org_kinds")
    )
    return MappingProxyType({kind.name: kind for kind in rows})


def ancestors(kind: str) -> tuple[Kind, ...]:
    """The kind and all wider ones, the narrowest first."""
    chain = []
    while kind:
        chain.append(kinds()[kind])
        kind = kinds()[kind].wider
    return tuple(chain)


def narrowest_common(kind: str, other: str) -> str | None:
    """The narrowest kind that holds both."""
    others = {above.name for above in ancestors(other)}
    return next((above.name for above in ancestors(kind) if above.name in others), None)


def is_a(kind: str, wider: str) -> bool:
    return any(step.name == wider for step in ancestors(kind))


def words_of(phrase: str) -> tuple[str, ...]:
    """The words of a phrase as the tables compare them: without case and dots, with straight apostrophes."""
    folded = phrase.casefold().replace("i\u0307", "i").replace("’", "'").replace("‑", "-")
    return tuple([word.rstrip("'") or word for word in _DOTS.sub("", folded).split()])


@cache
def organisation_heads() -> Mapping[tuple[str, ...], tuple[Head, ...]]:
    """By their words; several where a phrase tells different things in different places of a name."""
    return group((words_of(row[0]), Head(*row)) for row in tables.table_rows("org_heads"))


@cache
def usual_names() -> Mapping[str, tuple[str, ...]]:
    """A kind -> what texts mostly call those of it, the likeliest first."""
    return MappingProxyType({kind: tuple(names.split(";")) for kind, names in tables.table_rows("org_usual")})


@cache
def known_names() -> tuple[KnownOrganisation, ...]:
    return tuple(
        KnownOrganisation(name, kind, code, tuple([other.strip() for other in others.split(";") if other.strip()]))
        for name, kind, code, others in tables.table_rows("org_names")
    )


@cache
def _organisations_by_name() -> Mapping[str, tuple[KnownOrganisation, ...]]:
    return group(
        [
            (_name_key(name), organisation)
            for organisation in known_names()
            for name in dict.fromkeys((organisation.name, *organisation.others))
        ]
    )


def _name_key(name: str) -> str:
    """Initials by their letters, case and all; of other names case does not count."""
    bare = _DOTS.sub("", name).replace("’", "'").replace("‑", "-")
    if is_initials(bare):
        return bare
    return " ".join(words_of(bare)).removeprefix("the ")


def is_initials(name: str) -> bool:
    """Whether it is a short word in capitals: PKK, UNHCR, P.K.K."""
    bare = name.replace(".", "").replace("-", "").replace("/", "")
    return 2 <= len(bare) <= 8 and bare.isupper() and " " not in bare


def find_known(name: str) -> tuple[KnownOrganisation, ...]:
    """What is known under a name; several where organisations share it."""
    return _organisations_by_name().get(_name_key(name.strip()), ())
