"""What an attacker knows: the people he chooses among, and what he has read about each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from sfumato.attacks.base import Person
from sfumato.attacks.people_table import read_people
from sfumato.corpus import Columns, OnProblem, Source, Unreadable, file_format, open_corpus, record_format
from sfumato.document import Document
from sfumato.errors import InputError, MissingExtra, Problem

BackgroundLike = str | Path | Mapping[str, str | Iterable[str]] | Iterable[Document | Person]


@dataclass(frozen=True)
class Background:
    """People, each once. ``records`` were read for them; ``empty`` people were left out because nothing is known."""

    people: tuple[Person, ...]
    records: int
    empty: int = 0

    @cached_property
    def ids(self) -> frozenset[str]:
        return frozenset(person.id for person in self.people)

    @property
    def merged(self) -> int:
        """Records that were added to a person who had one already."""
        return self.records - len(self.people) - self.empty

    @cached_property
    def digest(self) -> str:
        """Tells backgrounds apart."""
        digest = sha256()
        for person in self.people:
            for part in (person.id, *person.texts):
                encoded = part.encode("utf-8", "surrogatepass")
                digest.update(len(encoded).to_bytes(8, "big"))
                digest.update(encoded)
            digest.update(b"\xff" * 8)
        return digest.hexdigest()

    def __len__(self) -> int:
        return len(self.people)


def as_background(
    given: BackgroundLike | Background, columns: Columns | None = None, on_problem: OnProblem = lambda problem: None
) -> Background:
    """A background from a file or folder, from ``{person: text or texts}``, or from documents or people.

    Records of the same person (by ``subjects``, else by id) are merged. Raises InputError where fewer than two people
    are left: among one there is nothing to find out.
    """
    if isinstance(given, Background):
        return given
    name = "the background"
    if isinstance(given, str | Path):
        name = str(given)
        texts = _from_files(Path(given), columns or Columns(), on_problem)
    else:
        texts = _from_objects(given)
    background = _gathered(texts)
    if not background.people:
        raise InputError(f"{name}: holds nobody of whom anything is known; give the people an attacker chooses among")
    if len(background) == 1:
        raise InputError(
            f"{name}: holds one person, whom every guess would find; give the people an attacker chooses among"
        )
    if background.empty:
        on_problem(Problem(name, f"{background.empty} people of the background have no text and are left out"))
    return background


def _gathered(texts: Iterable[tuple[str, str]]) -> Background:
    known: dict[str, dict[str, None]] = {}
    records = 0
    for person, text in texts:
        records += 1
        own = known.setdefault(person, {})
        if text.strip():
            own[text] = None
    people = tuple(Person(key, tuple(own)) for key, own in known.items() if own)
    return Background(people, records, len(known) - len(people))


def _from_files(path: Path, columns: Columns, on_problem: OnProblem) -> Iterator[tuple[str, str]]:
    for source in open_corpus([path], on_problem):
        try:
            for document in _documents(source, columns, on_problem):
                for person in document.subject_ids:
                    yield person, document.text
        except Unreadable as unreadable:
            on_problem(Problem(source.path, unreadable.reason))
        except MissingExtra as missing:
            on_problem(Problem(source.path, str(missing)))


def _documents(source: Source, columns: Columns, on_problem: OnProblem) -> Iterator[Document]:
    """Not ``source.documents``, which refuses an id that comes twice: here that is more about the same person."""
    if (whole := file_format(source.format)) is not None:
        yield whole.read(source.path, source.document_id)
        return
    people = read_people(source.path, source.format, columns, on_problem)
    if people is not None:
        yield from people
    elif (records := record_format(source.format)) is not None:
        yield from records.read(source.path, columns, on_problem)


def _from_objects(given: Mapping[str, Any] | Iterable[Any]) -> Iterator[tuple[str, str]]:
    if isinstance(given, Mapping):
        for key, text in given.items():
            for one in [text] if isinstance(text, str) else text:
                yield str(key), one
        return
    for item in given:
        if isinstance(item, Person):
            for text in item.texts or ("",):
                yield item.id, text
        elif isinstance(item, Document):
            for person in item.subject_ids:
                yield person, item.text
        else:
            raise TypeError(f"a background holds documents or people, not {type(item).__name__}")
