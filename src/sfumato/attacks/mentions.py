"""Documents that name people of the background whom they are not filed under: nobody checks the risk of these.

People are looked for by their names: the id where it is a name and no number, and the cells of a table's columns that
are headed like one. Whole words only; nicknames, initials, misspellings and descriptions are not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sfumato.attacks.background import Background
from sfumato.document import Document
from sfumato.phrases import Hit, PhraseIndex, folded
from sfumato.report.words import counted

_SHORTEST = 3
_JOINT = re.compile(r"[_.\-\s]+")
_WORD = re.compile(r"\w+")


def also_named(documents: Iterable[Document], background: Background) -> tuple[str, ...]:
    """The ids of these documents, in order."""
    index = PhraseIndex[frozenset[str]](match_case=False)
    for phrase, people in _by_phrase(background).items():
        index.add(phrase, frozenset(people))
    return tuple(document.id for document in documents if _names_another(document, index, background))


def about_named(ids: Sequence[str]) -> str:
    """How many they are, in words, without their ids: a certificate is read by everyone."""
    whom = (
        "names people of the background whom it is" if len(ids) == 1 else "name people of the background whom they are"
    )
    return f"{counted(len(ids), 'document')} also {whom} not filed under"


def _by_phrase(background: Background) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for person in background.people:
        for name in _names(person.id, background.names):
            found.setdefault(folded(name), set()).add(person.id)
    return found


def _names(person: str, headed: Mapping[str, Sequence[str]]) -> Iterator[str]:
    own = [person, _JOINT.sub(" ", person)] if not re.search(r"\d", person) else []
    for name in (*own, *headed.get(person, ())):
        if sum(map(str.isalpha, name)) >= _SHORTEST:
            yield name.strip()


def _names_another(document: Document, index: PhraseIndex[frozenset[str]], background: Background) -> bool:
    subjects = document.subject_ids
    known = [name for person in subjects for name in _names(person, background.names)]
    own = {word for name in known for word in _WORD.findall(folded(name))}
    text = document.text

    def is_another(hit: Hit[frozenset[str]]) -> bool:
        # A word in small letters is none of these names; and the subject's surname may be another's as well.
        return (
            not text[hit.start].islower()
            and hit.value.isdisjoint(subjects)
            and not own.issuperset(_WORD.findall(folded(text[hit.start : hit.end])))
        )

    return any(map(is_another, index.find(text)))
