"""``sfumato models``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from sfumato.cli.app import app
from sfumato.errors import ChatError
from sfumato.llm.chat import Message, Request
from sfumato.llm.replay import RecordingChat, ScriptedChat
from tests.llm.server import Handler, answer, models, serving


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["models", *arguments])


def test_it_lists_what_is_there_and_how_to_get_the_rest() -> None:
    parsed = json.loads(run("--json").stdout)
    parts = {part["name"]: part for part in parsed["extras"]}
    assert {"formats", "llm", "spacy", "presidio", "torch"} <= set(parts)
    assert "dev" not in parts
    assert parts["llm"]["packages"] == ["xllamacpp"]
    assert parts["llm"]["command"] == "pip install 'sfumato[llm]'"
    sizes = {model["name"]: model["bytes"] for model in parsed["shipped"]}
    assert set(sizes) == {"tagger", "masked-lm", "embedder", "classifier"}
    assert sizes["tagger"] > 20_000_000
    assert parsed["chat"] is None
    shown = run()
    assert shown.exit_code == 0
    for word in ("tagger", f"{sizes['tagger'] / 1e6:.1f} MB", "llm"):
        assert word in shown.stdout


def able(handler: Handler, sent: dict[str, Any], number: int) -> None:
    logprobs = {"content": [{"token": "ready", "logprob": -0.1, "top_logprobs": []}]} if sent.get("logprobs") else None
    text = '{"ready": true}' if "response_format" in sent else "ready"
    handler.say(200, answer(text, logprobs=logprobs))


def test_a_server_is_tried() -> None:
    with serving(able, models("tiny", "large", max_model_len=4096)) as server:
        outcome = run("--chat", f"{server.url}#tiny", "--json")
        shown = run("--chat", f"{server.url}#tiny")
    assert outcome.exit_code == shown.exit_code == 0
    chat = json.loads(outcome.stdout)["chat"]
    assert chat["models"] == ["tiny", "large"]
    assert (chat["where"], chat["context"], chat["json"], chat["logprobs"]) == ("this machine", 4096, "schema", True)
    assert chat["tokens_per_second"] > 0
    assert "answers: one word in" in shown.stdout


def unable(handler: Handler, sent: dict[str, Any], number: int) -> None:
    refused = {"response_format", "logprobs"} & set(sent)
    handler.say(400, {"error": "no"}) if refused else handler.say(200, answer("ready"))


def test_what_a_server_cannot_do_is_said() -> None:
    with serving(unable) as server:
        chat = json.loads(run("--chat", server.url, "--json").stdout)["chat"]
    assert (chat["json"], chat["logprobs"], chat["failure"]) == ("none, not kept", False, None)


def test_a_model_that_does_not_answer_is_exit_code_2(tmp_path: Path) -> None:
    with serving(lambda handler, sent, number: handler.say(400, {})) as server:
        outcome = run("--chat", server.url)
    assert outcome.exit_code == 2
    with serving() as server:
        gone = server.url
    path = tmp_path / "chat.toml"
    path.write_text(f'url = "{gone}"\npatience = 0\n')
    assert isinstance(run("--chat", str(path)).exception, ChatError)  # main() says it, with exit code 2


def test_a_kept_answer_is_no_sign_of_health(tmp_path: Path) -> None:
    recording = tmp_path / "talk.jsonl"
    RecordingChat(ScriptedChat({"": "x"}), recording).ask([Request((Message("user", "a"),))])
    outcome = run("--chat", f"replay:{recording}")
    assert outcome.exit_code == 2


def test_an_empty_answer_is_none() -> None:
    with serving(lambda handler, sent, number: handler.say(200, answer(" "))) as server:
        outcome = run("--chat", server.url, "--json")
    assert outcome.exit_code == 2
    assert json.loads(outcome.stdout)["chat"]["failure"] == "an empty answer"


def test_a_model_that_thinks_first_is_given_time() -> None:
    def thinking(handler: Handler, sent: dict[str, Any], number: int) -> None:
        short = sent["max_tokens"] < 100
        handler.say(200, answer(None if short else "ready", finish_reason="length" if short else "stop"))

    with serving(thinking) as server:
        assert run("--chat", server.url).exit_code == 0


def test_a_model_that_the_server_does_not_have_is_remarked() -> None:
    with serving(able, models("tiny", "large")) as server:
        other = run("--chat", f"{server.url}#other")
        own = json.loads(run("--chat", f"{server.url}#tiny", "--json").stdout)["chat"]
    assert other.exit_code == 0
    assert "other is not among the models that the server lists" in other.stdout
    assert own["remark"] is None
