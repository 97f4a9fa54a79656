"""Recording and replaying of chats."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from sfumato.errors import InputError, OutputError
from sfumato.llm.chat import Message, Reply, Request
from sfumato.llm.replay import RecordingChat, ReplayChat, ScriptedChat


def ask(text: str, **more: float) -> Request:
    return Request((Message("user", text),), **more)  # type: ignore[arg-type]


def answering(request: Request) -> Reply:
    if "nobody" in request.messages[-1].text:
        return Reply("", 3, failure="none")
    return Reply(
        "Mära\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"), 3, 1, 0.5, logprobs=({"a": -1},)
    )


def test_a_recording_answers_what_was_asked_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "new" / "talk.jsonl"
    chat = RecordingChat(ScriptedChat(answering, name="m", context=99), path)
    batch = [ask("who"), ask("nobody"), ask("who", temperature=1.0)]
    replies = chat.ask(batch[:2]) + chat.ask(batch[2:])
    replay = ReplayChat(path)
    assert (replay.name, replay.context) == ("m", 99)
    assert replay.ask(batch) == replies
    assert replay.ask([ask("else")])[0].failure == "the recording has no answer to this"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "content", ["", "[]\n", '{"name": "m"}\n', '{"name": "m", "context": null}\n{"key": 1}\n', "x"]
)
def test_what_is_no_recording_is_refused_with_its_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"talk.jsonl"):
        ReplayChat(path)


def test_files_that_cannot_be_read_or_written_are_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        ReplayChat(tmp_path / "none.jsonl")
    with pytest.raises(OutputError, match="cannot be written"):
        RecordingChat(ScriptedChat({"": "x"}), tmp_path).ask([ask("who")])
