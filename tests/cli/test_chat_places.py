"""Where a model's answers, their recording and their key may lie: never in a release, nor among documents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sfumato.cli.app import app
from sfumato.cli.options import ChatOptions, chat_output_files
from sfumato.errors import EncryptionKeyError, OutputError, SfumatoError
from sfumato.llm.cache import FILE
from sfumato.llm.chat import Message, Request
from tests.llm.server import serving

URL = "http://127.0.0.1:9/v1#m"  # nobody is there; nothing may be asked


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("letters", "released"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("Mara Quill raced pigeons.")
    (tmp_path / "people.jsonl").write_text('{"id": "a", "text": "Mara Quill races pigeons."}\n')
    return tmp_path


def refused(*arguments: str) -> SfumatoError:
    result: Any = CliRunner().invoke(app, list(arguments))
    assert isinstance(result.exception, SfumatoError), result.output
    return result.exception  # main() says it, with exit code 2


COMMANDS: dict[str, list[str]] = {
    "anonymize": ["anonymize", "letters", "--out", "out", "--recipe", "sparks"],
    "detect": ["detect", "letters", "--out", "spans.jsonl", "--recipe", "sparks"],
    "attack": ["attack", "letters", "released", "--background", "people.jsonl"],
    "measure": ["measure", "letters", "released"],
    "compare": ["compare", "letters", "--method", "default", "--report", "page.html"],
    "frontier": ["frontier", "letters", "--background", "people.jsonl"],
}
Options = Callable[[Path, str], list[str]]


def cache(folder: Path, place: str) -> list[str]:
    return ["--chat", URL, "--chat-cache", f"{place}/kept"]


def key(folder: Path, place: str) -> list[str]:
    return ["--chat", URL, "--chat-cache", "kept", "--chat-key", f"{place}/chat.key"]


def written(setting: str) -> Options:
    def file(folder: Path, place: str) -> list[str]:
        (folder / "chat.toml").write_text(f'url = "{URL}"\n{setting} = "{place}/kept"\n')
        return ["--chat", "chat.toml"]

    return file


@pytest.mark.parametrize("options", [cache, key, written("cache"), written("record")])
@pytest.mark.parametrize("command", COMMANDS)
def test_not_among_the_documents(folder: Path, command: str, options: Options) -> None:
    before = sorted(folder.rglob("*"))
    problem = refused(*COMMANDS[command], *options(folder, "letters"))
    assert isinstance(problem, OutputError)
    assert "lies in the input folder letters" in str(problem)
    assert sorted(path for path in folder.rglob("*") if path.name != "chat.toml") == before


@pytest.mark.parametrize("options", [cache, key, written("cache"), written("record")])
@pytest.mark.parametrize("out", ["out", "out.v1"])
def test_not_in_the_release(folder: Path, out: str, options: Options) -> None:
    (folder / out).mkdir()
    problem = refused("anonymize", "letters", "--out", out, "--recipe", "sparks", *options(folder, out))
    assert isinstance(problem, OutputError)
    assert "which is given away" in str(problem)
    assert not any((folder / out).iterdir())
    assert not (folder / "kept").exists()


def test_a_recipe_s_own_chat_file_counts_too(folder: Path) -> None:
    written("cache")(folder, "out")
    (folder / "own.toml").write_text('detect = ["sparks"]\nchat = "chat.toml"\n')
    assert "which is given away" in str(refused("anonymize", "letters", "--out", "out", "--recipe", "own.toml"))
    written("record")(folder, "letters")
    assert "input folder" in str(refused("detect", "letters", "--out", "s.jsonl", "--recipe", "own.toml"))


def test_a_recording_is_not_added_to_an_input_or_the_release(folder: Path) -> None:
    (folder / "chat.toml").write_text(f'url = "{URL}"\nrecord = "people.jsonl"\n')
    command = ["anonymize", "people.jsonl", "--out", "out", "--recipe", "sparks", "--chat", "chat.toml"]
    assert "is an input of this run" in str(refused(*command))
    command[1:4] = ["letters", "--out", "people.jsonl"]
    assert "--out names" in str(refused(*command))


def test_releases_are_no_place_either(folder: Path) -> None:
    for command in ("attack", "measure"):
        assert "input folder released" in str(refused(*COMMANDS[command], *cache(folder, "released")))


def test_what_a_chat_file_says_stands_behind_the_option(folder: Path) -> None:
    written("cache")(folder, "there")
    assert chat_output_files("chat.toml", None, None) == [Path("there/kept")]
    assert chat_output_files("chat.toml", Path("here"), Path("k")) == [Path("here"), Path("k")]
    assert chat_output_files(None, None, None) == []


def test_a_key_is_made_for_a_new_cache_alone(folder: Path) -> None:
    question = Request((Message("user", "who?"),))
    with serving() as server:
        first = ChatOptions(server.url, folder / "kept", folder / "right.key").open([])
        assert first is not None
        first.ask([question])
        assert (folder / "kept" / FILE).exists()
        with pytest.raises(EncryptionKeyError, match="no such key file"):
            ChatOptions(server.url, folder / "kept", folder / "wrng.key").open([])
        assert not (folder / "wrng.key").exists()
        again = ChatOptions(server.url, folder / "kept", folder / "right.key").open([])
        assert again is not None
        assert again.ask([question])[0].cached
        bare = ChatOptions(server.url, folder / "kept", None).open([])
        assert bare is not None
        with pytest.raises(EncryptionKeyError, match="give --chat-key FILE"):
            bare.ask([question])
