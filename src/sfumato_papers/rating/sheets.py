"""Sheets for human raters: what is drawn from releases for them, and what their answers say.

A sheet is a table that opens in a spreadsheet. It hides which release a row comes from; a key, a separate file, tells.
Edits are rated as in Pilán et al. (2025, section 5.7), claims as in Xin et al. (2025, section 3.4).
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from hashlib import sha256
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any, Literal

from sfumato.document import Release, Span
from sfumato.errors import InputError, NotMeasurable, OutputError, Problem, RecipeError, UnknownName, listed, suggest
from sfumato.files import CONFIDENTIAL, atomic_path
from sfumato.formats.base import Columns, OnProblem
from sfumato.formats.inputs import as_documents, as_releases
from sfumato.metrics.base import Annotations
from sfumato.metrics.run import load_gold
from sfumato.statistics import fleiss_kappa, mean, proportion
from sfumato_papers.attacks.claims import ClauseSplitter

Unit = Literal["edit", "text", "claim"]
PER_TYPE, CONTEXT = 100, 70
"""As in Pilán et al. (2025): instances of each type, and characters on either side of a mention."""
ALL = "all"
"""The name of all sources, or of all types, taken together."""
DELIMITERS = {".csv": ",", ".tsv": "\t"}
_READABLE_DELIMITERS = ",;\t|"
"""Spreadsheets save tables with the list separator of their country."""
_ROW, _COMMENT = "row", "comment"
_IN_CONTEXT = ("original", "replacement")
_KEY = (_ROW, "source", "type", "document", "start", "end")
_LARGEST_CELL = 32_767
"""Characters that a cell of a spreadsheet holds; Excel cuts the rest off."""
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
_LONGEST_ANSWER = 20
"""Characters of a wrong answer that an error shows: what is longer may be text of a document in the wrong column."""
_ROW_NAME = re.compile(r"s[0-9a-f]+-\d+")
_YES = {"yes": "y", "no": "n"}


@dataclass(frozen=True)
class Question:
    """What raters are asked of each row, and the answers that are allowed, with their meanings."""

    name: str
    unit: Unit
    columns: tuple[str, ...]
    """What of a thing raters see. They see no more of a release than they need, as they might recognize it."""
    text: str
    answers: Mapping[str, str]

    @property
    def title(self) -> str:
        """The heading of its column: its name, and what may be answered."""
        return f"{self.name} ({'/'.join(self.answers)})"


QUESTIONS = {
    question.name: question
    for question in (
        Question(
            "truth",
            "edit",
            _IN_CONTEXT,
            "Is the replacement true, read in the place of the original? What is about the same in its context (1 "
            "month for 28 days) is true; what is true in part (one date of two) is not.",
            {"y": "true", "n": "not true"},
        ),
        Question(
            "abstraction",
            "edit",
            _IN_CONTEXT,
            "Does the replacement say less than the original: something more general, or fewer details?",
            {"y": "says less", "n": "says as much, more, or something else"},
        ),
        Question(
            "grammar",
            "edit",
            (*_IN_CONTEXT, "released"),
            "Is the sentence of the release well formed at the replacement: no doubled article, no lost unit, no word "
            "or bracket cut?",
            {"y": "well formed", "n": "broken"},
        ),
        Question(
            "coherence",
            "text",
            ("released",),
            "How well does the text hold together? Words such as PERSON_1 stand for names.",
            {
                "1": "the sentences make no sense or do not belong together",
                "2": "some sentences can be understood, but the thread is lost again and again",
                "3": "what it is about is clear; there are jumps, gaps or clumsy passages",
                "4": "clear and in order, with small flaws only",
                "5": "as if written in one go, each sentence following from the last",
            },
        ),
        Question(
            "claims",
            "claim",
            ("claim", "released"),
            "Does the released text support the claim? Look at facts, not at wording.",
            {
                "1": "it says the same",
                "2": "it says something close: vaguer, or with a small difference",
                "3": "it does not support it",
            },
        ),
    )
}


def choose_questions(names: Sequence[str]) -> list[Question]:
    """The questions of these names. Raises where they are not about the same thing and need a sheet each."""
    for name in names:
        if name not in QUESTIONS:
            raise UnknownName(f"no question {name!r}: {suggest(name, QUESTIONS)}")
    questions = [QUESTIONS[name] for name in dict.fromkeys(names)]
    if not questions:
        raise RecipeError(f"no question: {suggest('', QUESTIONS)}")
    if len({question.unit for question in questions}) > 1:
        asked = ", ".join(f"{question.name} of a {question.unit}" for question in questions)
        raise RecipeError(f"one sheet asks about one kind of thing, and these differ ({asked}): make a sheet for each")
    return questions


# -- Drawing what is rated.


@dataclass(frozen=True)
class Item:
    """Something to rate in one release. ``entity``: of items with the same one in a document only one is drawn."""

    source: str
    type: str
    document: str
    start: int
    end: int
    entity: str
    cells: Mapping[str, str]
    """What raters may see of it, by column."""


@dataclass(frozen=True)
class Sheet:
    """Rows to rate, in the order in which they are shown, and which items each row stands for."""

    questions: Sequence[Question]
    rows: Mapping[str, tuple[Item, ...]]

    def counts(self) -> dict[str, dict[str, int]]:
        """How many items there are by source and type."""
        counted: dict[str, dict[str, int]] = {}
        for item in (item for items in self.rows.values() for item in items):
            types = counted.setdefault(item.source, {})
            types[item.type] = types.get(item.type, 0) + 1
        return {source: dict(sorted(types.items())) for source, types in sorted(counted.items())}

    def write(self, path: Path, key: Path) -> None:
        """Write the sheet and its key; both can be read by their owner only."""
        if path.resolve() == key.resolve():
            raise OutputError(f"{key}: is the sheet, too; the key tells the sources, and goes to another file")
        titles = [question.title for question in self.questions]
        columns = _columns(self.questions)
        empty = [""] * (len(titles) + 1)
        _write_table(
            path,
            (_ROW, *columns, *titles, _COMMENT),
            ((row, *(_as_text(items[0].cells[name]) for name in columns), *empty) for row, items in self.rows.items()),
        )
        _write_table(
            key,
            _KEY,
            (
                (row, _as_text(item.source), item.type, _as_text(item.document), item.start, item.end)
                for row, items in self.rows.items()
                for item in items
            ),
        )


def _columns(questions: Sequence[Question]) -> list[str]:
    return list(dict.fromkeys(name for question in questions for name in question.columns))


def check_table_name(path: Path) -> None:
    """Raises where the name does not say how the table is to be written."""
    if path.suffix.lower() not in DELIMITERS:
        raise OutputError(f"{path}: a sheet and its key are tables; give them names that end in .csv or .tsv")


def _write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    check_table_name(path)
    # Excel recognizes UTF-8 by its byte order mark.
    with atomic_path(path, CONFIDENTIAL) as temporary, temporary.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter=DELIMITERS[path.suffix.lower()])
        writer.writerow(header)
        writer.writerows(rows)


def _as_text(cell: str) -> str:
    """A cell that a spreadsheet does not take for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA_STARTS) else cell


def read_sheet_inputs(
    originals: Path,
    releases: Mapping[str, Path],
    columns: Columns,
    gold: Path | None = None,
    on_problem: OnProblem = lambda problem: None,
) -> tuple[dict[str, list[Release]], Annotations]:
    """The releases of each source, and the reference spans: from a file, else the originals' own annotations."""
    documents = as_documents(originals, columns, on_problem)
    if gold is not None:
        reference = load_gold(gold, documents, columns, on_problem)
    else:
        reference = {item.id: item.annotations for item in documents if item.annotations is not None}
    read = {name: as_releases(name, path, documents, columns, on_problem) for name, path in releases.items()}
    return read, reference


def draw_sheet(
    releases: Mapping[str, Sequence[Release]],
    questions: Sequence[Question],
    *,
    per_type: int | None = PER_TYPE,
    context: int = CONTEXT,
    seed: int = 0,
    types: Sequence[str] = (),
    gold: Annotations | None = None,
    on_problem: OnProblem = lambda problem: None,
) -> Sheet:
    """Draw up to ``per_type`` items of each type from each source and shuffle them (None: all).

    Of several mentions of an entity in a document one is drawn. Every source has the same mentions drawn as far as it
    replaced them, and what several sources have in common is one row. ``types``: only these. ``gold``: spans whose
    labels are the types of the edits that overlap them; an edit elsewhere has its own label.
    """
    unit, columns = questions[0].unit, _columns(questions)
    drawn: dict[tuple[str, int, int, tuple[str, ...]], list[Item]] = defaultdict(list)
    seen_types = set[str]()
    for source, texts in releases.items():
        items = _fitting(source, _ITEMS[unit](source, texts, context, gold or {}, on_problem), on_problem)
        seen_types |= {item.type for item in items}
        for item in _draw([item for item in items if not types or item.type in types], per_type, seed):
            cells = tuple(item.cells[name] for name in columns)
            drawn[item.document, item.start, item.end, cells].append(item)
    if unknown := [name for name in types if name not in seen_types]:
        raise UnknownName(f"nothing of the type {unknown[0]!r} was replaced: {suggest(unknown[0], seen_types)}")
    if not drawn:
        raise NotMeasurable(f"there is no {unit} to rate in these releases")
    shown = sorted(drawn)
    Random(seed).shuffle(shown)
    # Rows of different sheets have different names, so that a key cannot be applied to another sheet.
    content = json.dumps([[question.name for question in questions], [cells for *_, cells in shown]])
    name, width = f"s{sha256(content.encode()).hexdigest()[:6]}", len(str(len(shown)))
    rows = {f"{name}-{number:0{width}d}": tuple(drawn[place]) for number, place in enumerate(shown, 1)}
    return Sheet(questions, rows)


def _draw(items: Iterable[Item], per_type: int | None, seed: int) -> list[Item]:
    def order(item: Item) -> str:  # it does not depend on the source, so that all sources have the same items
        return sha256(f"{seed}\0{item.document}\0{item.start}".encode()).hexdigest()

    by_type: dict[str, dict[tuple[str, str], Item]] = defaultdict(dict)
    for item in sorted(items, key=order):
        by_type[item.type].setdefault((item.document, item.entity), item)
    return [item for entities in by_type.values() for item in list(entities.values())[:per_type]]


def _fitting(source: str, items: Iterable[Item], on_problem: OnProblem) -> list[Item]:
    read = list(items)
    fitting = [item for item in read if all(len(cell) < _LARGEST_CELL for cell in item.cells.values())]
    if long := sorted({item.document for item in read} - {item.document for item in fitting}):
        message = f"{len(long)} texts are left out: a cell of a spreadsheet holds {_LARGEST_CELL:,} characters"
        on_problem(Problem(source, f"{message} ({listed(long)})"))
    return fitting


def _edits(
    source: str, releases: Sequence[Release], context: int, gold: Annotations, on_problem: OnProblem
) -> Iterator[Item]:
    if rewritten := [release.document.id for release in releases if release.rewrite is not None]:
        message = f"{len(rewritten)} rewritten texts have no edits to rate and are left out ({listed(rewritten)})"
        on_problem(Problem(source, f"{message}; ask raters for coherence or claims"))
    for release in releases:
        if release.rewrite is not None:
            continue
        document = release.document
        for start, end, released_start, released_end, edit in release.segments:
            original = document.text[start:end]
            if edit is None or edit.replacement == original:
                continue
            reference = max(gold.get(document.id, ()), key=lambda span: _overlap(span, start, end), default=edit.span)
            span = reference if _overlap(reference, start, end) > 0 else edit.span
            cells = {
                "original": _in_context(document.text, start, end, context),
                # In its marks it is text to a spreadsheet, which would write "May 2003" in its own way.
                "replacement": _in_context(edit.replacement, 0, len(edit.replacement), 0),
                "released": _in_context(release.text, released_start, released_end, context),
            }
            entity = span.entity or " ".join(original.casefold().split())
            yield Item(source, span.label, document.id, start, end, entity, cells)


def _overlap(span: Span, start: int, end: int) -> int:
    return min(span.end, end) - max(span.start, start)


def _in_context(text: str, start: int, end: int, context: int) -> str:
    """What stands around a passage, which is marked; on one line."""
    first, last = max(0, start - context), min(len(text), end + context)
    shown = f"{'…' * (first > 0)}{text[first:start]}⟦{text[start:end]}⟧{text[end:last]}{'…' * (last < len(text))}"
    return " ".join(shown.split())


def _texts(
    source: str, releases: Sequence[Release], _context: int, _gold: object, on_problem: OnProblem
) -> Iterator[Item]:
    for release in _with_text(source, releases, on_problem):
        yield Item(source, "text", release.document.id, 0, len(release.document.text), "", {"released": release.text})


def _claims(
    source: str, releases: Sequence[Release], _context: int, _gold: object, on_problem: OnProblem
) -> Iterator[Item]:
    read = _with_text(source, releases, on_problem)
    for release, claims in zip(read, ClauseSplitter().split([item.document.text for item in read]), strict=True):
        for claim in claims:
            start, end = claim.range or (0, 0)
            # In quotes a claim is a text to a spreadsheet, also where it begins with a number.
            cells = {"claim": f"“{claim.text}”", "released": release.text}
            yield Item(source, "claim", release.document.id, start, end, claim.text, cells)


def _with_text(source: str, releases: Sequence[Release], on_problem: OnProblem) -> list[Release]:
    if empty := [release.document.id for release in releases if not release.text.strip()]:
        on_problem(Problem(source, f"{len(empty)} releases hold no text and are left out ({listed(empty)})"))
    return [release for release in releases if release.text.strip()]


_ITEMS: Mapping[Unit, Callable[..., Iterator[Item]]] = {"edit": _edits, "text": _texts, "claim": _claims}


# -- Counting what raters answered.


@dataclass(frozen=True)
class Shares:
    """Answers to one question on the rows of one source and type. ``n``: rows with an answer."""

    source: str
    type: str
    n: int
    shares: Mapping[str, Mapping[str, Any]]
    """By answer: value, Wilson interval over rows, n. Of several raters a row has the share that gave the answer."""
    mean: Mapping[str, Any] | None = None
    """Of a scale: the mean answer with its bootstrap interval over rows."""


@dataclass(frozen=True)
class Answers:
    """Shares for each source and type, and how far the raters agree on the rows that all of them answered."""

    question: str
    meanings: Mapping[str, str]
    groups: Sequence[Shares]
    kappa: Mapping[str, Any] | None
    """Fleiss' kappa with its interval and the number of rows."""
    why_no_kappa: str = ""
    agreement: Mapping[str, Any] | None = None
    """The share of rows on which all raters gave the same answer."""


@dataclass(frozen=True)
class Ratings:
    """What all raters together say. ``unanswered``: by rater, answers that are missing."""

    raters: Sequence[str]
    rows: int
    unanswered: Mapping[str, int]
    answers: Sequence[Answers]

    def to_json(self) -> dict[str, Any]:
        """As ``sfumato rate --count --json`` prints it."""
        return asdict(self)


Filled = Mapping[str, Mapping[str, str]]
"""The answers of one rater: by row, then by question; those that are missing are empty."""
Group = tuple[str, str]
"""A source and a type."""


def count_ratings(sheets: Sequence[Path], key: Path | None = None) -> Ratings:
    """Read filled sheets, one for each rater, and the key; without a key there are no sources and types."""
    if len({path.resolve() for path in sheets}) < len(sheets):
        raise InputError("a sheet is named twice; each rater fills a sheet of their own")
    names = [path.stem for path in sheets]
    raters = names if len(set(names)) == len(names) else [str(path) for path in sheets]
    filled = dict(zip(raters, map(read_sheet, sheets), strict=True))
    groups = None if key is None else read_key(key)
    _check_same_sheet(sheets, list(filled.values()), key, groups)
    rows = list(dict.fromkeys(row for read in (*([groups] if groups else ()), *filled.values()) for row in read))
    asked = list(next(iter(next(iter(filled.values())).values())))
    unanswered = {
        rater: sum(not read.get(row, {}).get(name) for row in rows for name in asked) for rater, read in filled.items()
    }
    answers = [
        _count(
            name,
            QUESTIONS[name].answers,
            {row: [read.get(row, {}).get(name, "") for read in filled.values()] for row in rows},
            groups,
        )
        for name in asked
    ]
    if {"truth", "abstraction"} <= set(asked):
        answers.append(_truth_and_abstraction(filled, rows, groups))
    return Ratings(raters, len(rows), unanswered, answers)


def _truth_and_abstraction(
    filled: Mapping[str, Filled], rows: Sequence[str], groups: Mapping[str, Sequence[Group]] | None
) -> Answers:
    """Both questions as one, with four answers, as in table 2 of Pilán et al. (2025)."""
    meanings = {
        truth + less: f"{QUESTIONS['truth'].answers[truth]}, {'says less' if less == 'y' else 'says no less'}"
        for truth in "yn"
        for less in "yn"
    }
    both = {
        row: [
            truth + less if (truth := each["truth"]) and (less := each["abstraction"]) else ""
            for each in (read.get(row, {"truth": "", "abstraction": ""}) for read in filled.values())
        ]
        for row in rows
    }
    return _count("truth × abstraction", meanings, both, groups)


def _count(
    name: str,
    meanings: Mapping[str, str],
    answers: Mapping[str, Sequence[str]],
    groups: Mapping[str, Sequence[Group]] | None,
) -> Answers:
    """``answers``: of each row, one of each rater, empty where it is missing."""
    given = {row: [answer for answer in each if answer] for row, each in answers.items()}
    by_group: dict[Group, list[Sequence[str]]] = defaultdict(list)
    for row, each in given.items():
        for source, kind in [(ALL, ALL)] if groups is None else groups[row]:
            for group in dict.fromkeys([(source, ALL), (source, kind)]):
                by_group[group] += [each] if each else []
    order = sorted(by_group, key=lambda group: (group[0], group[1] != ALL, group[1]))
    kinds = {kind for _, kind in by_group} - {ALL}
    # Where all items have one type, a line for all types would repeat it.
    shown = [group for group in order if by_group[group] and not (len(kinds) == 1 and group[1] == ALL)]
    if not shown:
        raise NotMeasurable(f"not one row has an answer to {name}: give filled sheets")
    complete = [each for each in answers.values() if all(each)]
    kappa, why = None, ""
    try:
        estimate = fleiss_kappa(complete)
        kappa = {"value": estimate.value, "interval": list(estimate.interval), "n": estimate.n}
    except NotMeasurable as reason:
        why = str(reason) if len(next(iter(answers.values()))) > 1 else "there is one rater"
    several = complete and len(complete[0]) > 1
    agreement = proportion(sum(len(set(each)) == 1 for each in complete), len(complete)) if several else None
    return Answers(
        name, meanings, [_shares(*group, by_group[group], meanings) for group in shown], kappa, why, agreement
    )


def _shares(source: str, kind: str, rows: Sequence[Sequence[str]], meanings: Mapping[str, str]) -> Shares:
    shares = {
        answer: proportion(float(sum(Fraction(each.count(answer), len(each)) for each in rows)), len(rows))
        for answer in meanings
    }
    average = None
    if all(answer.isdigit() for answer in meanings):
        values = {str(number): sum(map(int, each)) / len(each) for number, each in enumerate(rows)}
        estimate = mean(values)
        average = {"value": estimate.value, "interval": list(estimate.interval), "n": estimate.n}
    return Shares(source, kind, len(rows), shares, average)


def _check_same_sheet(
    paths: Sequence[Path], filled: Sequence[Filled], key: Path | None, groups: Mapping[str, Sequence[Group]] | None
) -> None:
    asked = list(next(iter(filled[0].values())))
    sheet = next(iter(filled[0])).partition("-")[0]
    for path, read in zip(paths, filled, strict=True):
        if any(row.partition("-")[0] != sheet for row in read):
            raise InputError(f"{path}: has rows of another sheet than {paths[0]}; count each sheet by itself")
        if list(next(iter(read.values()))) != asked:
            raise InputError(f"{path}: asks other questions than {paths[0]}; all raters answer the same ones")
        if groups is not None and (unknown := [row for row in read if row not in groups]):
            raise InputError(
                f"{path}: {len(unknown)} rows are not in the key {key} ({listed(unknown)}); give the key that was "
                "written with this sheet"
            )


def read_sheet(path: Path) -> Filled:
    """The answers in a filled sheet. Raises where one is not allowed, with its line."""
    header, rows = _read_table(path)
    columns = {name: number for number, title in enumerate(header) if (name := title.split(" ")[0]) in QUESTIONS}
    if _ROW not in header or not columns:
        raise InputError(
            f"{path}: is not a sheet; it has a column {_ROW!r}, and one for a question ({', '.join(QUESTIONS)})"
        )
    filled: dict[str, dict[str, str]] = {}
    wrong: list[str] = []
    for line, cells in rows:
        row = cells[header.index(_ROW)].strip()
        if not _ROW_NAME.fullmatch(row) or row in filled:
            reason = f"the row {row} was there before" if row in filled else "the row has lost its name"
            raise InputError(f"{path}:{line}: {reason}; copy the column {_ROW!r} from the sheet as it was written")
        filled[row] = {}
        for name, number in columns.items():
            answer = cells[number].strip().lower()
            answer = _YES.get(answer, answer)
            filled[row][name] = answer
            if answer and answer not in QUESTIONS[name].answers:
                allowed = ", ".join(QUESTIONS[name].answers)
                shown = repr(answer) if len(answer) <= _LONGEST_ANSWER else f"a text of {len(answer)} characters"
                wrong.append(
                    f"{path}:{line}: row {row}: {shown} is no answer to {name}; allowed are {allowed}, or none"
                )
    if wrong:
        raise InputError(wrong[0] + (f" (and {len(wrong) - 1} more answers are wrong)" if wrong[1:] else ""))
    if not filled:
        raise InputError(f"{path}: has no rows; give a filled sheet")
    return filled


def read_key(path: Path) -> dict[str, list[Group]]:
    """The sources and types of each row."""
    header, rows = _read_table(path)
    if missing := [name for name in _KEY[:3] if name not in header]:
        raise InputError(f"{path}: is not the key of a sheet; it has no column {missing[0]!r}")
    row, source, kind = (header.index(name) for name in _KEY[:3])
    groups: dict[str, list[Group]] = defaultdict(list)
    for _, cells in rows:
        groups[cells[row]].append((cells[source], cells[kind]))
    return dict(groups)


def _read_table(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The header, and each row that is not blank with the line that it begins on."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}; check the name") from None
    if content.startswith(b"PK"):
        raise InputError(f"{path}: is a workbook; save the sheet as CSV (UTF-8) in the spreadsheet")
    # Some spreadsheets save another encoding: names of rows and answers are the same in all of these.
    is_utf16 = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = content.decode("utf-16" if is_utf16 else "utf-8-sig", errors="replace")
    first = next(iter(text.splitlines()), "")
    counted = Counter(character for character in first if character in _READABLE_DELIMITERS)
    delimiter = max(_READABLE_DELIMITERS, key=lambda character: counted[character])
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((line, cells))
            line = reader.line_num + 1
    except csv.Error:
        raise InputError(f"{path}:{line}: cannot be read as a table; save it as CSV in a spreadsheet") from None
    if not rows:
        raise InputError(f"{path}: is empty; give a filled sheet")
    header = [cell.strip().lower() for cell in rows[0][1]]
    return header, [(number, cells + [""] * (len(header) - len(cells))) for number, cells in rows[1:]]
