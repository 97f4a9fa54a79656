"""Files of records: what is good comes through, what is bad is named, and reading goes on."""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.document import Document, Span
from sfumato.errors import InputError, MissingExtra, OutputError, Problem
from sfumato.formats import text
from sfumato.formats.base import Columns, Record, RecordFormat, RecordTemplate, format_for
from sfumato.formats.records import MAX_NESTING, NestingCounter, is_too_nested

SUFFIXES = (".jsonl", ".json", ".tab.json", ".csv", ".tsv", ".parquet")


def read(path: Path, columns: Columns | None = None) -> tuple[list[Document], list[Problem]]:
    problems: list[Problem] = []
    form: RecordFormat = format_for(path)  # type: ignore[assignment]
    return list(form.read(path, columns or Columns(), problems.append)), problems


def written(path: Path, data: str | bytes) -> Path:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def lines_of(problems: list[Problem]) -> list[int | None]:
    return [problem.line for problem in problems]


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(ANY_TEXT, min_size=1, max_size=5))
def test_any_text_survives_writing_and_reading(tmp_path: Path, suffix: str, texts: list[str]) -> None:
    path = tmp_path / f"x{suffix}"
    path.unlink(missing_ok=True)
    records = [Record(f"d,{number}", text) for number, text in enumerate(texts)]
    format_for(path).write(path, iter(records))  # type: ignore[union-attr]
    documents, problems = read(path)
    assert [(document.id, document.text) for document in documents] == [(r.id, r.text) for r in records]
    assert not problems


@pytest.mark.parametrize("suffix", [".jsonl", ".tab.json", ".csv", ".tsv", ".parquet"])
def test_kept_columns_survive_and_others_are_dropped(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    records = [
        Record("a", "x", {"year": "2001", "court": "b"}),
        Record("c", "y", {"year": "2002", "court": "d"}),
    ]
    format_for(path).write(path, iter(records))  # type: ignore[union-attr]
    documents, _ = read(path, Columns(keep=("year",)))
    assert [document.meta["kept"] for document in documents] == [{"year": "2001"}, {"year": "2002"}]


def test_an_object_file_has_no_room_for_kept_columns(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    with pytest.raises(OutputError, match="jsonl"):
        format_for(path).write(path, iter([Record("a", "x", {"year": 1})]))  # type: ignore[union-attr]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_no_records_make_a_file_that_says_so(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    format_for(path).write(path, iter([]))  # type: ignore[union-attr]
    documents, problems = read(path)
    assert not documents
    assert len(problems) == 1


def test_bad_lines_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    bad = [
        b'{"id": "a", "text": "good"}',
        b"not json, Quillowby",
        b"",
        b'{"text": "no id, Quillowby"}',
        b'{"id": "b", "text": "\xff Quillowby"}',
        b'{"id": "c"}',
        b'{"id": "d", "text": 5}',
        b'["Quillowby"]',
        b'{"id": "e", "text": "\\ud800"}',
        b'{"id": true, "text": "x"}',
        b'{"id": "", "text": "x"}',
        b'{"id": 7, "text": "nul \\u0000", "subjects": ["p", 3]}\r',
        b'{"doc_id": "z", "text": "", "subjects": "q"}',
        b"[" * 100_000,
    ]
    documents, problems = read(written(tmp_path / "x.jsonl", b"\xef\xbb\xbf" + b"\n".join(bad)))
    assert [(d.id, d.text, d.subjects) for d in documents] == [
        ("a", "good", ()),
        ("7", "nul \0", ("p", "3")),
        ("z", "", ("q",)),
    ]
    assert lines_of(problems) == [2, 4, 5, 6, 7, 8, 9, 10, 11, 14]
    assert not any("Quillowby" in str(problem) for problem in problems)


def test_a_line_that_is_too_large_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MAX_DOCUMENT_BYTES", 100)
    large = '{"id": "b", "text": "' + "x" * 5_000_000 + '"}'
    data = '{"id": "a", "text": "x"}\n' + large + '\n{"id": "c", "text": "y"}\n' + large
    documents, problems = read(written(tmp_path / "x.jsonl", data))
    assert [document.id for document in documents] == ["a", "c"]
    assert lines_of(problems) == [2, 4]


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".csv", ".tsv", ".parquet"])
def test_an_empty_file_is_a_problem(tmp_path: Path, suffix: str) -> None:
    documents, problems = read(written(tmp_path / f"x{suffix}", b""))
    assert not documents
    assert "empty" in problems[0].message


def test_utf16_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="UTF-16"):
        read(written(tmp_path / "x.jsonl", "{}".encode("utf-16")))


def test_an_object_file_shows_its_duplicates_and_goes_on(tmp_path: Path) -> None:
    documents, problems = read(written(tmp_path / "x.json", '\n {"a": "1", "b": 2, "a": "3", "": "x"}'))
    assert [(d.id, d.text) for d in documents] == [("a", "1"), ("a", "3")]
    assert ["record 2" in problems[0].message, "record 4" in problems[1].message] == [True, True]


@pytest.mark.parametrize(
    "data", [b'{"a": "1", "b": "2', b'{"a": "1", "b": "\xff"}', b'{"a": "1", "b": "\xed\xa0\x80"}']
)
def test_a_broken_object_file_keeps_what_came_before(tmp_path: Path, data: bytes) -> None:
    documents, problems = read(written(tmp_path / "x.json", data))
    assert [document.id for document in documents] == ["a"]
    assert "Nothing after it was read" in problems[0].message


def test_csv_rows_that_are_wrong_are_named(tmp_path: Path) -> None:
    data = b'id,text,other\na,"two\r\nlines",1\nb,short\n\nc,\xff,1\n,no id,1\n'
    data += b'd,"un"closed,1\ne,fine,1\nf,"never'
    documents, problems = read(written(tmp_path / "x.csv", data))
    assert [(d.id, d.text) for d in documents] == [("a", "two\r\nlines"), ("e", "fine")]
    assert lines_of(problems) == [4, 6, 7, 8, 10]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_the_one_that_shows_the_text_column(tmp_path: Path, delimiter: str) -> None:
    data = f"\ufeffdoc_id{delimiter}text\na{delimiter}x y z\n"
    documents, _ = read(written(tmp_path / "x.csv", data))
    assert [(d.id, d.text) for d in documents] == [("a", "x y z")]


def test_a_missing_column_is_named_with_the_nearest(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", "id,texts\na,b\n")
    with pytest.raises(InputError, match=r"no column 'text' \(did you mean 'texts'\?\).*--text-column"):
        read(path)
    with pytest.raises(InputError, match="--id-column"):
        read(path, Columns(id="key", text="texts"))
    with pytest.raises(InputError, match="--id-column"):
        read(written(tmp_path / "y.csv", "key,text\na,b\n"))


def test_a_table_without_header_is_not_quoted(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(written(tmp_path / "x.csv", "1,Quillowby lives here\n"))
    assert "Quillowby" not in str(caught.value)


def test_parquet_by_batches_with_numbers_for_ids(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"key": range(600), "body": ["x"] * 599 + [None], "more": [1] * 600}), path)
    documents, problems = read(path, Columns(id="key", text="body"))
    assert [document.id for document in documents] == [str(number) for number in range(599)]
    assert "record 600" in problems[0].message
    with pytest.raises(InputError, match="--text-column"):
        read(path, Columns(id="key"))


def test_broken_parquet_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a readable Parquet"):
        read(written(tmp_path / "x.parquet", b"PAR1 nonsense"))


def test_parquet_without_its_library_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"sfumato\[formats\]"):
        read(written(tmp_path / "x.parquet", b"PAR1"))


CASE = {
    "doc_id": "001",
    "text": "Anna Berg of Oslo",
    "task": "anonymise",
    "annotations": {
        "annotator1": {
            "entity_mentions": [
                {
                    "entity_type": "PERSON",
                    "start_offset": 0,
                    "end_offset": 9,
                    "identifier_type": "DIRECT",
                    "entity_id": "e1",
                },
                {
                    "entity_type": "LOC",
                    "start_offset": 13,
                    "end_offset": 17,
                    "identifier_type": "NO_MASK",
                    "entity_id": "e2",
                },
            ]
        }
    },
}


@pytest.mark.parametrize(("name", "data"), [("x.json", json.dumps([CASE])), ("x.jsonl", json.dumps(CASE))])
def test_benchmark_annotations_are_read(tmp_path: Path, name: str, data: str) -> None:
    documents, problems = read(written(tmp_path / name, data))
    assert not problems
    assert documents[0].annotations == (
        Span(0, 9, "PERSON", "direct", source="gold", entity="e1", annotator="annotator1"),
        Span(13, 17, "LOC", None, source="gold:no-mask", entity="e2", annotator="annotator1"),
    )


def test_a_flat_list_of_entities_is_read_too(tmp_path: Path) -> None:
    record = {"id": "a", "text": "Anna", "entities": [{"start": 0, "end": 4, "type": "PERSON"}]}
    documents, _ = read(written(tmp_path / "x.jsonl", json.dumps(record)))
    assert documents[0].annotations == (Span(0, 4, "PERSON", source="gold"),)


def test_an_id_may_stand_in_the_provenance(tmp_path: Path) -> None:
    record = {"metadata": {"provenance": {"doc_id": "001-7"}}, "text": "Anna", "source": {"key": 5}}
    (found,), problems = read(written(tmp_path / "x.jsonl", json.dumps(record)))
    assert (found.id, problems) == ("001-7", [])
    (named,), _ = read(tmp_path / "x.jsonl", Columns(id="source.key"))
    assert named.id == "5"


def test_annotations_of_another_shape_are_no_annotations(tmp_path: Path) -> None:
    record = {"id": "a", "text": "Anna", "annotations": ["good"], "entities": 3}
    documents, _ = read(written(tmp_path / "x.jsonl", json.dumps(record)))
    assert documents[0].annotations is None


def test_annotations_outside_the_text_are_a_problem(tmp_path: Path) -> None:
    record = {"id": "a", "text": "Anna", "entities": [{"start": 0, "end": 40, "type": "PERSON"}]}
    documents, problems = read(written(tmp_path / "x.jsonl", json.dumps(record)))
    assert not documents
    assert "ends after the text" in problems[0].message


def rewritten(source: Path, target: Path, columns: Columns | None = None) -> bytes:
    """The file written again in its own manner."""
    columns = columns or Columns()
    documents, problems = read(source, columns)
    assert not problems
    records = [Record(int(d.id) if d.meta.get("numbered") else d.id, d.text, d.meta.get("kept", {})) for d in documents]
    format_for(source).write(target, iter(records), RecordTemplate(source, columns))  # type: ignore[union-attr]
    return target.read_bytes()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.csv", '\ufeffward;text;doc_id\r\n3A;one, two;7\r\n4B;"a;b\r\nc";8\r\n'),
        ("x.csv", 'doc_id,ward,text\n7,3A,"lone \r here"\n'),
        ("x.csv", '"ward","doc_id","text"\n"3A","7","x"\n'),
        ("x.tsv", "text\tward\tdoc_id\nx\t3A\t7\n"),
        ("x.jsonl", '{"doc_id": 7, "ward": "3A", "text": "x"}\n{"doc_id": "8", "ward": "4", "text": "y"}\n'),
        ("x.json", '[\n{"id": 7, "text": "x", "ward": "3A"},\n{"id": "8", "text": "y", "ward": "b"}\n]\n'),
    ],
)
def test_a_file_is_written_in_the_manner_of_its_source(tmp_path: Path, name: str, data: str) -> None:
    source = written(tmp_path / name, data)
    assert rewritten(source, tmp_path / f"new-{name}", Columns(keep=("ward",))) == data.encode()


def test_columns_of_other_names_keep_them(tmp_path: Path) -> None:
    source = written(tmp_path / "x.csv", "body,other,key\nx,1,a\n")
    assert rewritten(source, tmp_path / "y.csv", Columns(id="key", text="body")) == b"body,key\nx,a\n"
    pq.write_table(pa.table({"body": ["x"], "other": [1], "key": ["a"]}), tmp_path / "x.parquet")
    rewritten(tmp_path / "x.parquet", tmp_path / "y.parquet", Columns(id="key", text="body"))
    assert pq.read_table(tmp_path / "y.parquet").column_names == ["body", "key"]


@pytest.mark.parametrize(
    "data", ['{"a": "x\\ud800y", "b": "\\ud83d\\ude00 \\\\ud800"}', '[{"id": "a", "text": "\\udc00"}]']
)
def test_half_a_surrogate_pair_is_refused_in_json_too(tmp_path: Path, data: str) -> None:
    documents, problems = read(written(tmp_path / "x.json", data))
    assert [document.text for document in documents] == ["😀 \\ud800"] * data.startswith("{")
    assert "half a surrogate pair" in problems[0].message


def test_a_missing_column_to_keep_names_the_option(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--keep-column"):
        read(written(tmp_path / "x.csv", "id,text\na,b\n"), Columns(keep=("ward",)))


NESTED = "[" * (MAX_NESTING + 5) + "]" * (MAX_NESTING + 5)


@pytest.mark.parametrize(
    ("name", "data", "place"),
    [
        ("x.json", f'{{"a": "x", "b": {NESTED}, "c": "y"}}', "after record 1"),
        ("x.json", f'[{{"id": "a", "text": "x"}}, {{"id": "b", "text": "y", "c": {NESTED}}}]', "after record 1"),
        ("x.jsonl", f'{{"id": "a", "text": "x"}}\n{{"id": "b", "text": "y", "c": {NESTED}}}', ":2:"),
    ],
)
def test_a_record_that_is_nested_too_deep_is_named_and_those_before_it_are_read(
    tmp_path: Path, name: str, data: str, place: str
) -> None:
    documents, problems = read(written(tmp_path / name, data))
    assert [document.text for document in documents] == ["x"]
    assert [f"{MAX_NESTING} levels" in str(problem) and place in str(problem) for problem in problems] == [True]


JSON_VALUES = st.recursive(
    st.text(st.sampled_from('[]{}"\\a,')) | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.sampled_from('["\\')), inner, max_size=3),
)


@given(value=JSON_VALUES, wrapped=st.integers(MAX_NESTING - 3, MAX_NESTING + 1), cuts=st.lists(st.integers(0, 400)))
def test_levels_are_counted_wherever_the_pieces_of_a_file_end(value: object, wrapped: int, cuts: list[int]) -> None:
    def levels(part: object) -> int:
        inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else None
        return 0 if inner is None else 1 + max(map(levels, inner), default=0)

    data = b"[" * wrapped + json.dumps(value, ensure_ascii=False).encode() + b"]" * wrapped
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    counter = NestingCounter()
    allowed = [counter.allowed(data[start:end]) == end - start for start, end in pairwise(places)]
    assert all(allowed) == (wrapped + levels(value) <= MAX_NESTING)
    assert is_too_nested(data) == (not all(allowed))


def test_a_cell_of_nested_brackets_is_one_id(tmp_path: Path) -> None:
    nested = "[" * 100_000
    documents, problems = read(written(tmp_path / "x.csv", f"id,text,subjects\na,b,{nested}\n"))
    assert [document.subjects for document in documents] == [(nested,)]
    assert not problems
