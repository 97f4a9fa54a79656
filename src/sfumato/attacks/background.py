"""What an attacker knows: the people he chooses among, and what he has read about each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from sfumato.attacks.base import Person
from sfumato.attacks.people_table import names_in, own_columns, read_people
from sfumato.corpus import Columns, OnProblem, Source, Unreadable, file_format, open_corpus, record_format
from sfumato.corpus.lines import check_utf8
from sfumato.document import Document
from sfumato.errors import InputError, MissingExtra, Problem, WrongArgument

_AS_UTF8 = ("csv", "tsv", "jsonl", "json", "tab", "text")
BackgroundLike = str | Path | Mapping[str, str | Iterable[str]] | Iterable[Document | Person]
Known = tuple[str, str, tuple[str, ...]]
"""A person's id, something that is known of them, and the names that a table's columns give them."""


@dataclass(frozen=True)
class Background:
    """People, each once. ``records`` were read for them; ``empty`` people were left out because nothing is known."""

    people: tuple[Person, ...]
    records: int
    empty: int = 0
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    """A person's id -> what a table's columns of names say; empty where there is no such column."""

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
    given: BackgroundLike | Background,
    columns: Columns | None = None,
    on_problem: OnProblem = lambda problem: None,
    originals: Columns | None = None,
) -> Background:
    """A background from a file or folder, from ``{person: text or texts}``, or from documents or people.

    Records of the same person (by ``subjects``, else by id) are merged. ``columns`` were named for the background and
    must be there; those of the ``originals`` count where it has them. Raises InputError where fewer than two people
    are left (among one there is nothing to find out) and where a file is not UTF-8: half of a list is no background.
    """
    if isinstance(given, Background):
        return given
    name = "the background"
    problems: list[Problem] = []
    if isinstance(given, str | Path):
        name = str(given)
        texts = _from_files(Path(given), columns or Columns(), originals or Columns(), problems.append)
    else:
        texts = _from_objects(given)
    background = _gathered(texts)
    if len(background) < 2 and problems:
        more = f" (and {len(problems) - 1} more problems)" if len(problems) > 1 else ""
        whom = "one person" if background.people else "nobody"
        raise InputError(f"{whom} of the background could be read. {problems[0]}{more}")
    if not background.people:
        raise InputError(f"{name}: holds nobody of whom anything is known; give the people an attacker chooses among")
    if len(background) == 1:
        raise InputError(
            f"{name}: holds one person, whom every guess would find; give the people an attacker chooses among"
        )
    for problem in problems:
        on_problem(problem)
    if background.empty:
        on_problem(Problem(name, f"{background.empty} people of the background have no text and are left out"))
    return background


def _gathered(given: Iterable[Known]) -> Background:
    known: dict[str, dict[str, None]] = {}
    names: dict[str, tuple[str, ...]] = {}
    records = 0
    for person, text, called in given:
        records += 1
        own = known.setdefault(person, {})
        if text.strip():
            own[text] = None
        if called:
            names[person] = (*names.get(person, ()), *called)
    people = tuple(Person(key, tuple(own)) for key, own in known.items() if own)
    return Background(people, records, len(known) - len(people), names)


def _from_files(path: Path, columns: Columns, originals: Columns, on_problem: OnProblem) -> Iterator[Known]:
    for source in open_corpus([path], on_problem):
        if source.format.name in _AS_UTF8:
            check_utf8(source.path)
        try:
            for document in _documents(source, columns, originals, on_problem):
                for person in document.subject_ids:
                    yield person, document.text, document.meta.get("names", ())
        except Unreadable as unreadable:
            on_problem(Problem(source.path, unreadable.reason))
        except MissingExtra as missing:
            on_problem(Problem(source.path, str(missing)))


def _documents(source: Source, columns: Columns, originals: Columns, on_problem: OnProblem) -> Iterator[Document]:
    """Not ``source.documents``, which refuses an id that comes twice: here that is more about the same person."""
    if (whole := file_format(source.format)) is not None:
        yield whole.read(source.path, source.document_id)
        return
    records = record_format(source.format)
    assert records is not None
    if names := names_in(source.path, records):
        yield from read_people(source.path, records, names, own_columns(names, columns, originals), on_problem)
    else:
        yield from records.read(source.path, columns, on_problem)


def _from_objects(given: Mapping[str, Any] | Iterable[Any]) -> Iterator[Known]:
    if isinstance(given, Mapping):
        for key, text in given.items():
            for one in [text] if isinstance(text, str) else text:
                yield str(key), one, ()
        return
    if not isinstance(given, Iterable):
        raise WrongArgument(
            f"a background is a path, {{person: text}}, documents or people, not {type(given).__name__}"
        )
    for item in given:
        if isinstance(item, Person):
            for text in item.texts or ("",):
                yield item.id, text, ()
        elif isinstance(item, Document):
            for person in item.subject_ids:
                yield person, item.text, ()
        else:
            raise WrongArgument(f"a background holds documents or people, not {type(item).__name__}")
