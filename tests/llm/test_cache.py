"""The chat cache: same replies, one request each, stored as they arrive, unreadable without the key."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import EncryptionKeyError, OutputError
from sfumato.llm.cache import FILE, CachedChat
from sfumato.llm.chat import Message, Reply, Request
from sfumato.llm.replay import ScriptedChat
from sfumato.vault.key import Key

SECRET = hashlib.sha256(b"invented").digest()
REQUESTS = st.builds(
    Request,
    st.lists(st.builds(Message, st.just("user"), st.text(max_size=5)), min_size=1, max_size=2).map(tuple),
    st.sampled_from([0.0, 0.7]),
    st.sampled_from([8, 16]),
    st.none() | st.integers(0, 2),
    st.none() | st.just({"type": "object"}),
    st.integers(0, 1),
    st.integers(0, 1),
)


def ask(text: str) -> Request:
    return Request((Message("user", text),))


def answering(request: Request) -> Reply:
    """An answer that depends on everything."""
    key = request.key
    if key.startswith(("0", "1")):
        return Reply("", 5, failure="none today")
    shown = ({key[0]: -0.25, "ü": -1.5},) if request.logprobs else None
    return Reply(f"{key} é\n", 5, 9, 0.125, logprobs=shown, cut=key[-1] == "a")


@given(st.lists(st.lists(REQUESTS, max_size=6), max_size=4), st.sampled_from([None, SECRET]))
def test_cached_answers_are_the_uncached_ones(batches: list[list[Request]], secret: bytes | None) -> None:
    inner = ScriptedChat(answering)
    with tempfile.TemporaryDirectory() as folder:
        chat = CachedChat(inner, folder, secret)
        for batch in batches:
            plain = [replace(reply, cached=False) for reply in chat.ask(batch)]
            assert plain == [answering(request) for request in batch]
        chat.close()
    well = [request.key for request in inner.asked if answering(request).failure is None]
    assert len(well) == len(set(well)), "asked twice"


def test_a_kept_answer_says_so_and_what_it_cost(tmp_path: Path) -> None:
    script = {"who": "Mara"}
    first = CachedChat(ScriptedChat(script), tmp_path).ask([ask("who"), ask("who")])
    assert [reply.cached for reply in first] == [False, True]
    inner = ScriptedChat(script)
    (again,) = CachedChat(inner, tmp_path).ask([ask("who")])
    assert (again.cached, again.text, again.prompt_tokens, inner.asked) == (True, "Mara", 1, [])


def test_another_model_or_another_draw_is_asked(tmp_path: Path) -> None:
    CachedChat(ScriptedChat({"who": "Mara"}, name="a"), tmp_path).ask([ask("who")])
    other = ScriptedChat({"who": "Ilse"}, name="b")
    assert CachedChat(other, tmp_path).ask([ask("who")])[0].text == "Ilse"
    same = ScriptedChat({"who": "Nadja"}, name="a")
    assert CachedChat(same, tmp_path).ask([replace(ask("who"), sample_index=1)])[0].text == "Nadja"


class Dying:
    """Hands over two replies, then is killed."""

    name, context = "dying", None

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        raise AssertionError("the replies are to be taken one by one")

    def ask_unordered(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        yield 2, Reply("two")
        yield 0, Reply("zero")
        raise KeyboardInterrupt


def test_a_killed_run_keeps_what_had_come_in(tmp_path: Path) -> None:
    batch = [ask("0"), ask("1"), ask("2")]
    with pytest.raises(KeyboardInterrupt):
        CachedChat(Dying(), tmp_path).ask(batch)
    after = ScriptedChat({"1": "one"}, name="dying")
    assert [reply.text for reply in CachedChat(after, tmp_path).ask(batch)] == ["zero", "one", "two"]
    assert len(after.asked) == 1


@pytest.mark.skipif(os.name == "nt", reason="permissions are other things there")
def test_the_files_are_their_owners_alone(tmp_path: Path) -> None:
    chat = CachedChat(ScriptedChat({"who": "Mara"}), tmp_path / "new")
    chat.ask([ask("who")])
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "new").iterdir()}
    assert modes == {0o600}


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def test_with_a_key_neither_answers_nor_guesses_at_questions_are_to_be_had(tmp_path: Path) -> None:
    secret = Key(b"an invented key of some length").derive("chat/cache")
    request = ask("who lives there")
    for folder, own in ((tmp_path / "open", None), (tmp_path / "shut", secret)):
        chat = CachedChat(ScriptedChat({"who": "Mara Quill"}), folder, own)
        chat.ask([request])
        chat.close()
    guess = hashlib.sha256(f"scripted\0{request.key}".encode()).digest()
    assert b"Mara Quill" in everything(tmp_path / "open")
    assert guess in everything(tmp_path / "open")
    for word in (b"Mara", b"who lives", b"scripted", guess):
        assert word not in everything(tmp_path / "shut")


@pytest.mark.parametrize(
    ("made", "opened", "words"),
    [(SECRET, bytes(32), "another key"), (SECRET, None, "give --chat-key FILE"), (None, SECRET, "not encrypted")],
)
def test_a_wrong_key_is_said(tmp_path: Path, made: bytes | None, opened: bytes | None, words: str) -> None:
    CachedChat(ScriptedChat({"": "x"}), tmp_path, made).ask([ask("who")])
    with pytest.raises(EncryptionKeyError, match=words):
        CachedChat(ScriptedChat({"": "x"}), tmp_path, opened).ask([ask("who")])


def test_an_answer_put_at_another_place_is_noticed(tmp_path: Path) -> None:
    chat = CachedChat(ScriptedChat(lambda request: request.messages[0].text), tmp_path, SECRET)
    chat.ask([ask("a"), ask("b")])
    chat.close()
    with sqlite3.connect(tmp_path / FILE) as base:
        (first, second) = [key for (key,) in base.execute("SELECT key FROM answers")]
        base.execute(
            "UPDATE answers SET value = (SELECT value FROM answers WHERE key = ?) WHERE key = ?", (first, second)
        )
    base.close()
    with pytest.raises(EncryptionKeyError, match="changed"):
        chat.ask([ask("a"), ask("b")])


def test_a_key_of_another_size_and_a_folder_that_is_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(EncryptionKeyError, match="32 bytes"):
        CachedChat(ScriptedChat({}), tmp_path, b"short")
    (tmp_path / "file").write_text("taken")
    with pytest.raises(OutputError, match="choose another folder"):
        CachedChat(ScriptedChat({}), tmp_path / "file").ask([ask("who")])
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / FILE).write_bytes(b"not a database" * 100)
    with pytest.raises(OutputError, match="choose another folder"):
        CachedChat(ScriptedChat({}), tmp_path / "odd").ask([ask("who")])


def test_two_chats_in_one_process_and_another_process_share_a_folder(tmp_path: Path) -> None:
    """To close a descriptor of one's own would drop SQLite's locks, and the other process would take the journal."""
    first = CachedChat(ScriptedChat({"Who": "nobody"}, name="first"), tmp_path)
    first.ask([Request((Message("user", "Who is it?"),))])
    second = CachedChat(ScriptedChat({"Who": "somebody"}, name="second"), tmp_path)
    second.ask([Request((Message("user", "Who is it?"),))])
    look = (
        "import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM answers').fetchone())"
    )
    command = [sys.executable, "-c", look, str(tmp_path / FILE)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "2"
    first.ask([Request((Message("user", "Who was it?"),))])
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "3"
