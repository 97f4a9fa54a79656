"""Whom a released document is really about. The attacks never see this."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sfumato.attacks.background import Background
from sfumato.document import Document
from sfumato.errors import NotMeasurable, Problem, listed
from sfumato.lexicon.phrases import PhraseIndex, PhraseMatch, fold_phrase
from sfumato.lexicon.tokens import WORD_CHARACTERS
from sfumato.report.html import pluralize


@dataclass(frozen=True)
class GroundTruth:
    """A document's id -> the people of the background it concerns; and what could not be matched."""

    people: Mapping[str, frozenset[str]]
    without_background: tuple[str, ...]
    """Documents about nobody in the background: an attacker cannot find them there, so they are no success of ours."""
    without_release: int
    """People of the background whom no document concerns: the crowd that the others hide in."""


def match_subjects(documents: Iterable[Document], background: Background) -> GroundTruth:
    """Documents matched to the background by their ``subjects``, else by id. Raises where not one matches."""
    people: dict[str, frozenset[str]] = {}
    without: list[str] = []
    for document in documents:
        known = background.ids.intersection(document.subject_ids)
        if known:
            people[document.id] = known
        else:
            without.append(document.id)
    if not people:
        raise NotMeasurable(
            f"not one of {len(without)} documents ({listed(without)}) is about someone in the background "
            f"({listed([person.id for person in background.people])}); documents are matched by their subjects, else "
            "by their ids, and a file's id is its name without the ending: say whom they are about with "
            "--subject-table FILE, or which column says it with --subjects-column, or give both the same ids"
        )
    met = frozenset[str]().union(*people.values())
    return GroundTruth(people, tuple(without), len(background) - len(met))


def unmatched_problems(truth: GroundTruth) -> list[Problem]:
    """What the user should know about documents that cannot be attacked."""
    if not truth.without_background:
        return []
    count, shown = len(truth.without_background), listed(truth.without_background)
    return [Problem("background", f"{count} documents are about nobody in it and are left out of the risk: {shown}")]


# -- Documents that name people of the background whom they are not filed under: nobody checks the risk of these.
#
# People are looked for by their names: the id where it is a name and no number, and the cells of a table's columns that
# are headed like one. Whole words only; nicknames, initials, misspellings and descriptions are not found.


_SHORTEST = 3
_JOINT = re.compile(r"[_.\-\s]+")


def documents_naming_others(documents: Iterable[Document], background: Background) -> tuple[str, ...]:
    """The ids of these documents, in order."""
    index = PhraseIndex[frozenset[str]](match_case=False)
    for phrase, people in _by_phrase(background).items():
        index.add(phrase, frozenset(people))
    return tuple(document.id for document in documents if _names_another(document, index, background))


def describe_also_named(ids: Sequence[str]) -> str:
    """How many they are, in words, without their ids: a certificate is read by everyone."""
    whom = (
        "names people of the background whom it is" if len(ids) == 1 else "name people of the background whom they are"
    )
    return f"{pluralize(len(ids), 'document')} also {whom} not filed under"


def _by_phrase(background: Background) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for person in background.people:
        for name in _names(person.id, background.names):
            found.setdefault(fold_phrase(name), set()).add(person.id)
    return found


def _names(person: str, headed: Mapping[str, Sequence[str]]) -> Iterator[str]:
    own = [person, _JOINT.sub(" ", person)] if not re.search(r"\d", person) else []
    for name in (*own, *headed.get(person, ())):
        if sum(map(str.isalpha, name)) >= _SHORTEST:
            yield name.strip()


def _names_another(document: Document, index: PhraseIndex[frozenset[str]], background: Background) -> bool:
    subjects = document.subject_ids
    known = [name for person in subjects for name in _names(person, background.names)]
    own = {word for name in known for word in WORD_CHARACTERS.findall(fold_phrase(name))}
    text = document.text

    def is_another(hit: PhraseMatch[frozenset[str]]) -> bool:
        # A word in small letters is none of these names; and the subject's surname may be another's as well.
        return (
            not text[hit.start].islower()
            and hit.value.isdisjoint(subjects)
            and not own.issuperset(WORD_CHARACTERS.findall(fold_phrase(text[hit.start : hit.end])))
        )

    return any(map(is_another, index.find(text)))
