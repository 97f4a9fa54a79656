"""Ground truth of linking attacks: the people that each released document is about. Attacks never see it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sfumato.attacks.background import Background
from sfumato.document import Document
from sfumato.errors import NotMeasurable, Problem, listed
from sfumato.lexicon.tokens import WORD_CHARACTERS, PhraseIndex, PhraseMatch, fold_phrase
from sfumato.report.html import pluralize


@dataclass(frozen=True)
class GroundTruth:
    """A document's id -> the people of the background it is about; and what could not be matched."""

    people: Mapping[str, frozenset[str]] = field(repr=False)
    without_background: tuple[str, ...]
    """Documents about nobody in the background: nobody can be found there, so they do not count as protected."""
    without_release: int
    """People of the background whom no document is about."""


def match_subjects(documents: Iterable[Document], background: Background) -> GroundTruth:
    """Documents matched to the background by their ``subjects``, else by id. Raises where not one matches."""
    people: dict[str, frozenset[str]] = {}
    without: list[str] = []
    for document in documents:
        if subjects := background.ids.intersection(document.subject_ids):
            people[document.id] = subjects
        else:
            without.append(document.id)
    if not people:
        raise NotMeasurable(
            f"not one of {len(without)} documents ({listed(without)}) is about someone in the background "
            f"({listed([person.id for person in background.people])}); documents are matched by their subjects, else "
            "by their ids, and a file's id is its name without the ending: say whom they are about with "
            "--subject-table FILE, or which column says it with --subjects-column, or give both the same ids"
        )
    matched = frozenset[str]().union(*people.values())
    return GroundTruth(people, tuple(without), len(background) - len(matched))


def unmatched_problems(truth: GroundTruth) -> list[Problem]:
    """A problem that names the documents that cannot be attacked; none where all can."""
    if not truth.without_background:
        return []
    count, shown = len(truth.without_background), listed(truth.without_background)
    return [Problem("background", f"{count} documents are about nobody in it and are left out of the risk: {shown}")]


_SHORTEST = 3
_JOINT = re.compile(r"[_.\-\s]+")


def documents_naming_others(documents: Iterable[Document], background: Background) -> tuple[str, ...]:
    """Ids of the documents that name people of the background whom they are not about: nobody checks their risk.

    People are searched by name: the id, if it is a name and no number, and the columns of names of a table. Whole words
    only; nicknames, initials, misspellings and descriptions are not found.
    """
    by_phrase: dict[str, set[str]] = defaultdict(set)
    for person in background.people:
        for name in names_of(person.id, background.names):
            by_phrase[fold_phrase(name)].add(person.id)
    index = PhraseIndex[frozenset[str]](match_case=False)
    for phrase, people in by_phrase.items():
        index.add(phrase, frozenset(people))
    return tuple(document.id for document in documents if _names_another(document, index, background))


def describe_also_named(ids: Sequence[str]) -> str:
    """How many such documents there are, without their ids: a certificate is read by everyone."""
    names, they_are = ("names", "it is") if len(ids) == 1 else ("name", "they are")
    documents = pluralize(len(ids), "document")
    return f"{documents} also {names} people of the background whom {they_are} not filed under"


def names_of(person: str, columns: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """A person's names: the id, if it is a name and no number, and what a table's columns of names say."""
    from_id = [person, _JOINT.sub(" ", person)] if not re.search(r"\d", person) else []
    for name in (*from_id, *columns.get(person, ())):
        if sum(map(str.isalpha, name)) >= _SHORTEST:
            yield name.strip()


def _names_another(document: Document, index: PhraseIndex[frozenset[str]], background: Background) -> bool:
    subjects = document.subject_ids
    names = [name for person in subjects for name in names_of(person, background.names)]
    own_words = {word for name in names for word in WORD_CHARACTERS.findall(fold_phrase(name))}
    text = document.text

    def is_another(hit: PhraseMatch[frozenset[str]]) -> bool:
        # A word in small letters is none of these names; and the subject's surname may be another's as well.
        return (
            not text[hit.start].islower()
            and hit.value.isdisjoint(subjects)
            and not own_words.issuperset(WORD_CHARACTERS.findall(fold_phrase(text[hit.start : hit.end])))
        )

    return any(map(is_another, index.find(text)))
