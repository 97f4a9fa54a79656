"""From names on the command line to documents, and from documents to files that are whole."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import InputError, OutputError, Problem
from sfumato.files import atomic_path
from sfumato.formats.base import SUFFIXES, Columns, format_for
from sfumato.formats.files import DiskIndex, SeenIds
from sfumato.formats.sources import Source, load, open_corpus
from sfumato.formats.text import Text


def opened(*paths: Path) -> tuple[list[Source], list[Problem]]:
    problems: list[Problem] = []
    return list(open_corpus(paths, problems.append)), problems


def write(path: Path, data: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data, encoding="utf-8")
    return path


def test_folders_are_walked_in_order_and_ours_are_left_out(tmp_path: Path) -> None:
    for name in (
        "b/z.txt",
        "b/a.md",
        "a.jsonl",
        ".hidden.txt",
        "b/~$letter.docx",
        ".git/x.txt",
        "old.sfumato-work/x.txt",
        "c/same.txt",
    ):
        write(tmp_path / name)
    write(tmp_path / "c/same.html")
    sources, problems = opened(tmp_path)
    assert [str(source.relative) for source in sources] == [
        "a.jsonl",
        "b/a.md",
        "b/z.txt",
        "c/same.html",
        "c/same.txt",
    ]
    assert [source.document_id for source in sources[1:]] == ["b/a", "b/z", "c/same.html", "c/same.txt"]
    assert not problems


def test_a_lock_file_of_word_is_no_document_however_it_is_named(tmp_path: Path) -> None:
    sources, problems = opened(write(tmp_path / "a.txt"), write(tmp_path / "~$a.docx"))
    assert [source.path.name for source in sources] == ["a.txt"]
    assert not problems


def test_files_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    write(tmp_path / "a.txt")
    for name, said in (("b.pdf", "comes later"), ("c.doc", "save it as .docx"), ("d.xyz", ".jsonl, .ndjson")):
        write(tmp_path / name)
        sources, problems = opened(tmp_path)
        assert len(sources) == 1
        assert said in problems[-1].message


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_suffix_has_a_format(suffix: str) -> None:
    assert format_for(Path(f"x{suffix.upper()}")).name == format_for(Path(f"x{suffix}")).name


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no input documents"):
        opened(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        opened(tmp_path / "missing")


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside/secret.txt")
    write(tmp_path / "in/a.txt")
    (tmp_path / "in/link.txt").symlink_to(outside)
    (tmp_path / "in/folder").symlink_to(outside.parent)
    (tmp_path / "in/round").symlink_to(tmp_path / "in")
    sources, problems = opened(tmp_path / "in")
    assert [str(source.relative) for source in sources] == ["a.txt"]
    assert len(problems) == 2


def test_two_inputs_of_one_name_are_not_written_over_each_other(tmp_path: Path) -> None:
    sources, problems = opened(write(tmp_path / "a/x.txt"), write(tmp_path / "b/x.txt"))
    assert len(sources) == len(problems) == 1


def test_duplicate_ids_are_named_and_skipped(tmp_path: Path) -> None:
    lines = '{"id": "a", "text": "1"}\n{"id": "b", "text": "2"}\n'
    sources, _ = opened(write(tmp_path / "x.jsonl", lines + lines), write(tmp_path / "y.jsonl", lines))
    problems: list[Problem] = []
    texts = [d.text for source in sources for d in source.documents(Columns(), problems.append)]
    assert (texts, [problem.line for problem in problems]) == (["1", "2", "1", "2"], [3, 4])
    with SeenIds() as seen:
        texts = [d.text for source in sources for d in source.documents(Columns(), problems.append, seen)]
    assert texts == ["1", "2"]


def test_an_unreadable_file_is_a_problem_and_the_rest_goes_on(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\n\xff")
    (tmp_path / "b.docx").write_bytes(b"no zip")
    (tmp_path / "c.txt").write_bytes(b"")
    write(tmp_path / "d.txt", "fine")
    sources, problems = opened(tmp_path)
    documents = [d for source in sources for d in source.documents(Columns(), problems.append)]
    assert [(document.id, document.text) for document in documents] == [("d", "fine")]
    assert len(problems) == 3
    assert "line 2" in problems[0].message


def test_load_gives_documents_and_raises_at_the_first_problem(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", '{"id": 1, "text": "one"}\nbroken\n')
    documents = load([str(path)])
    assert next(documents) == Document("1", "one", meta={"line": 1, "numbered": True})
    with pytest.raises(InputError, match=r"x\.jsonl:2"):
        next(documents)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1), st.booleans())
def test_text_files_keep_every_byte(tmp_path_factory: pytest.TempPathFactory, text: str, marked: bool) -> None:
    path = tmp_path_factory.getbasetemp() / "x.txt"
    data = b"\xef\xbb\xbf" * marked + text.encode()
    path.write_bytes(data)
    document = Text().read(path, "x")
    assert Text().render(path, Release(document)) == data
    release = Release(document, (Edit(Span(0, len(document.text), "MISC"), "\ufeff\r\n"),))
    path.write_bytes(Text().render(path, release))
    assert Text().read(path, "x").text == release.text


def test_the_disk_index_keeps_the_first(tmp_path: Path) -> None:
    with DiskIndex() as index:
        assert [index.add(*pair) for pair in (("a", [1, "é"]), ("b", {"x": 1}), ("a", 2))] == [True, True, False]
        assert (index.get("a"), index.get("b"), index.get("c")) == ([1, "é"], {"x": 1}, None)


def test_seen_ids(tmp_path: Path) -> None:
    with SeenIds() as seen:
        assert [seen.add(name) for name in ("a", "b", "a", "\ud800")] == [True, True, False, True]
        assert "b" in seen
        assert "c" not in seen


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    final = tmp_path / "new/out.txt"
    with pytest.raises(ZeroDivisionError), atomic_path(final) as temporary:
        temporary.write_text(f"half {1 / 0}")
    assert list(final.parent.iterdir()) == []
    with atomic_path(final) as temporary:
        temporary.write_text("whole")
    assert final.read_text() == "whole"
    assert list(final.parent.iterdir()) == [final]


def test_an_output_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    write(tmp_path / "file")
    with pytest.raises(OutputError, match="choose another place"), atomic_path(tmp_path / "file/out.txt"):
        pass
    with pytest.raises(OutputError, match="is a folder"), atomic_path(tmp_path):
        pass


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="check the permissions"), atomic_path(tmp_path / "out.txt"):
        pass


def test_logs_and_files_without_an_ending_are_text(tmp_path: Path) -> None:
    write(tmp_path / "app.log", "Anna called.")
    write(tmp_path / "NOTES", "Boris called.")
    assert {document.id: document.text for document in load([tmp_path])} == {
        "app": "Anna called.",
        "NOTES": "Boris called.",
    }
    (tmp_path / "program").write_bytes(b"\x7fELF\x02\xff\xfe")
    with pytest.raises(InputError, match="program: line 1 is not valid UTF-8"):
        list(load([tmp_path / "program"]))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_refused_because_files_are_read_twice(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="standard input and name it -"):
        opened(tmp_path / "pipe")
