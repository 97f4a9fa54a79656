"""Chat specs and chat files, and the errors for mistakes in them."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from sfumato.errors import ChatError, RecipeError
from sfumato.llm.cache import CachedChat
from sfumato.llm.chat import Message, Request
from sfumato.llm.gguf import GgufChat
from sfumato.llm.http import HttpChat
from sfumato.llm.replay import RecordingChat, ReplayChat, ScriptedChat
from sfumato.llm.settings import ChatSettings, open_chat
from tests.llm.gguf_bytes import gguf
from tests.llm.server import serving

ROOT = Path(__file__).parents[2]


def written(folder: Path, text: str) -> Path:
    path = folder / "chat.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_each_kind_of_spec(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(gguf({"llama.context_length": 2048}))
    RecordingChat(ScriptedChat({"": "x"}), tmp_path / "t.jsonl").ask([Request((Message("user", "a"),))])
    http = open_chat("http://127.0.0.1:9/v1#tiny")
    assert isinstance(http, HttpChat)
    assert http.model == "tiny"
    assert isinstance(open_chat(tmp_path / "m.gguf"), GgufChat)
    assert isinstance(open_chat(f"replay:{tmp_path / 't.jsonl'}"), ReplayChat)
    scripted = ScriptedChat({})
    assert open_chat(scripted) is scripted
    assert isinstance(open_chat(scripted, cache=tmp_path), CachedChat)


@pytest.mark.parametrize("spec", ["gpt-4o", "", "model.safetensors", "a/b:c"])
def test_what_is_none_of_these_is_refused_with_what_to_give(spec: str) -> None:
    with pytest.raises(RecipeError, match=re.escape("FILE.gguf")):
        open_chat(spec)
    with pytest.raises(RecipeError, match="type int"):
        open_chat(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("spec", ["localhost:8080", "127.0.0.1:8931", "gpu.example:8000/v1#tiny", "gpu.example/v1"])
def test_an_address_without_its_beginning_is_said(spec: str) -> None:
    with pytest.raises(RecipeError, match="without http:// or https://"):
        open_chat(spec)


def test_a_file_says_it_all(tmp_path: Path) -> None:
    with serving() as server:
        path = written(
            tmp_path,
            f"""
            url = "{server.url}"
            model = "tiny"
            name = "ours"
            context = 1000
            json = "object"
            cache = "kept"
            record = "talk.jsonl"
            currency = "EUR"
            [prices.ours]
            prompt = 1.0
            generated = 2.0
            [body]
            top_k = 4
            """,
        )
        chat = open_chat(path)
        (reply,) = chat.ask([Request((Message("user", "who?"),), schema={"type": "object"})])
        assert server.posted[0]["top_k"] == 4
        assert server.posted[0]["response_format"] == {"type": "json_object"}
    assert (chat.name, chat.context, reply.text) == ("ours", 1000, "echo who?")
    assert {entry.name for entry in tmp_path.iterdir()} == {"chat.toml", "kept", "talk.jsonl"}
    assert reply.money == pytest.approx((7 * 1.0 + 3 * 2.0) / 10**6)
    with pytest.raises(RecipeError, match="cache = FOLDER"):
        open_chat("http://127.0.0.1:9/v1", secret=bytes(32))
    assert open_chat(path, name="other").name == "other"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('url = "http://127.0.0.1/v1"\ntimout = 3', "did you mean 'timeout'"),
        ('url = "http://127.0.0.1/v1"\ngguf = "a.gguf"', "not url and gguf"),
        ("timeout = 3", "give one of url, gguf and replay"),
        ('gguf = "a.gguf"\npatience = 3', "patience has no effect"),
        ('url = "http://127.0.0.1/v1"\nin_flight = 0', "in_flight"),
        ('url = "http://127.0.0.1/v1"\njson = "xml"', "json"),
        ("url = ", "not valid TOML"),
        ('url = "http://127.0.0.1/v1"\n[prices.m]\nprompt = -1', "prices.m"),
    ],
)
def test_a_file_with_a_mistake_says_which(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(RecipeError, match=re.escape(words)):
        open_chat(written(tmp_path, text))
    with pytest.raises(RecipeError, match="no such chat file"):
        open_chat(tmp_path / "none.toml")


def test_files_that_are_no_models_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ChatError, match="cannot be read"):
        open_chat(tmp_path / "none.gguf")
    (tmp_path / "text.gguf").write_text("hello, I am a text")
    with pytest.raises(ChatError, match="not a GGUF file"):
        open_chat(tmp_path / "text.gguf")
    (tmp_path / "cut.gguf").write_bytes(gguf({"llama.context_length": 2048})[:30])
    with pytest.raises(ChatError, match="damaged"):
        open_chat(tmp_path / "cut.gguf")


def test_every_setting_is_documented_and_used() -> None:
    page = (ROOT / "docs" / "llm.md").read_text(encoding="utf-8")
    for key, field in ChatSettings.model_fields.items():
        assert f"| `{field.alias or key}` |" in page, f"{key} is undocumented"
    taken = {*inspect.signature(HttpChat).parameters, *inspect.signature(GgufChat).parameters}
    elsewhere = {"gguf", "replay", "cache", "record", "currency", "prices"}
    assert set(ChatSettings.model_fields) - elsewhere <= taken
