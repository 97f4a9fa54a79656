"""Whom a released document is really about. The attacks never see this."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sfumato.attacks.background import Background
from sfumato.document import Document
from sfumato.errors import NotMeasurable, Problem, listed


@dataclass(frozen=True)
class Truth:
    """A document's id -> the people of the background it concerns; and what could not be matched."""

    people: Mapping[str, frozenset[str]]
    without_background: tuple[str, ...]
    """Documents about nobody in the background: an attacker cannot find them there, so they are no success of ours."""
    without_release: int
    """People of the background whom no document concerns: the crowd that the others hide in."""


def match(documents: Iterable[Document], background: Background) -> Truth:
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
            "by their ids, and a file's id is its name without the ending: say whom they are about with --about FILE, "
            "or which column says it with --subjects-column, or give both the same ids"
        )
    met = frozenset[str]().union(*people.values())
    return Truth(people, tuple(without), len(background) - len(met))


def about_truth(truth: Truth) -> list[Problem]:
    """What the user should know about documents that cannot be attacked."""
    if not truth.without_background:
        return []
    count, shown = len(truth.without_background), listed(truth.without_background)
    return [Problem("background", f"{count} documents are about nobody in it and are left out of the risk: {shown}")]
