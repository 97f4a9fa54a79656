"""What is true of a document's people, as the SPIA benchmark writes it: a list of ``{"id", "PIIs": [...]}``.

A tag counts once for a person: A_i is the number of tags that some annotation of certainty 3 or more gives a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.attacks.subjects.tags import TAGS
from sfumato.errors import InputError

LEAST_CERTAINTY = 3
_SHAPE = 'give [{"id": 0, "PIIs": [{"tag": "AGE", "keyword": "34", "certainty": 5, "hardness": 1}, ...]}, ...]'


@dataclass(frozen=True, slots=True)
class Fact:
    """One annotation; ``hardness`` says how far it is to infer: 1 stands there, 5 needs knowledge of the world."""

    tag: str
    value: str
    certainty: int
    hardness: int


@dataclass(frozen=True, slots=True)
class Subject:
    """A person of a document and the facts that count, by tag; ``is_target`` is whom the document is about."""

    id: str
    facts: Mapping[str, tuple[Fact, ...]]
    is_target: bool = False


def subjects_of(document_id: str, given: Any, least_certainty: int = LEAST_CERTAINTY) -> list[Subject]:
    """A document's people. The target is whom ``"target": true`` marks; where nobody is marked, the first.

    Annotations without a value cannot be guessed and do not count.
    """
    if not isinstance(given, list) or not all(isinstance(row, Mapping) and "PIIs" in row for row in given):
        raise InputError(f"the subjects of document {document_id} cannot be read: {_SHAPE}")
    marked = any(row.get("target") for row in given)
    found = []
    for number, row in enumerate(given):
        facts: dict[str, tuple[Fact, ...]] = {}
        for fact in _facts(document_id, row["PIIs"]):
            if fact.certainty >= least_certainty and fact.value:
                facts[fact.tag] = (*facts.get(fact.tag, ()), fact)
        is_target = bool(row.get("target")) if marked else number == 0
        found.append(Subject(str(row.get("id", number)), facts, is_target))
    return found


def _facts(document_id: str, rows: Iterable[Any]) -> Iterable[Fact]:
    for row in rows:
        try:
            fact = Fact(
                str(row["tag"]), str(row["keyword"]).strip(), int(row["certainty"]), int(row.get("hardness", 0))
            )
        except (KeyError, TypeError, ValueError):
            raise InputError(
                f"an attribute in the subjects of document {document_id} is incomplete: {_SHAPE}"
            ) from None
        if fact.tag not in TAGS:
            raise InputError(f"document {document_id}: no tag {fact.tag!r}; the fifteen are {', '.join(TAGS)}")
        yield fact
