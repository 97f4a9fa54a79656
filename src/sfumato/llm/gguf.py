"""A model in a GGUF file as a Chat: llama.cpp inside this process, through its ``xllamacpp`` wheel."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import struct
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ChatError, MissingExtra
from sfumato.llm import protocol
from sfumato.llm.chat import Message, Reply, Request, collect_ordered, map_unordered

# -- A loaded model, and the little door beside it for what the wheel does not hand out directly.
#
# The wheel always listens somewhere. Here that is a Unix socket in a folder which only this user can enter (on Windows:
# this machine's loopback), behind a random key; no TCP port is open, and nothing goes out.


class Running:
    """A loaded model, and the little door beside it for what the wheel does not hand out directly."""

    def __init__(self, parameters: Any, path: Path) -> None:
        import httpx2
        import xllamacpp

        self._folder = Path(tempfile.mkdtemp(prefix="sfumato-"))
        key = secrets.token_hex(16)
        parameters.api_keys = [key]
        if os.name != "nt":
            parameters.hostnames = [str(self._folder / "llama.sock")]
        try:
            self.server = xllamacpp.Server(parameters)
        except (RuntimeError, OSError, ValueError):
            shutil.rmtree(self._folder, ignore_errors=True)
            raise ChatError(
                f"{path}: llama.cpp cannot load this model; is it whole, of a kind that xllamacpp knows, "
                "and does it fit into memory (a smaller context needs less)?"
            ) from None
        address = str(self.server.listening_address)
        over = httpx2.HTTPTransport(uds=address.removeprefix("unix://")) if address.startswith("unix://") else None
        self._client = httpx2.Client(
            transport=over,
            base_url="http://llama" if over else address,
            headers={"Authorization": f"Bearer {key}"},
            trust_env=False,
            timeout=600,
        )
        self._end: frozenset[int] | None = None
        self._asked: tuple[Sequence[Message], list[int]] = ((), [])
        self._tidy = weakref.finalize(self, shutil.rmtree, self._folder, True)
        (self._about,) = self._client.get("/v1/models").json()["data"]

    def close(self) -> None:
        self._client.close()
        self.server = None
        self._tidy()

    def beside(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._client.post(path, json=body).raise_for_status().json()

    @property
    def end_tokens(self) -> frozenset[int]:
        """Those that end a turn by the chat template, and the model's own."""
        if self._end is None:
            self._end = _end_tokens(self)
        return self._end

    def next_logprobs(
        self, messages: Sequence[Message], written: Sequence[int]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        size = int(self._about["meta"]["n_vocab"])
        sent = {
            "prompt": [*self._prompt(messages), *(int(token) for token in written)],
            "n_predict": 1,
            "n_probs": size,
            "temperature": 0.0,
            "cache_prompt": True,
            "ignore_eos": False,
            "response_fields": ["completion_probabilities"],
        }
        response = self._client.post("/completion", json=sent)
        if response.status_code != 200:
            raise ChatError("the model gave no probabilities for the next token: is the text longer than its context?")
        (place,) = json.loads(response.content)["completion_probabilities"]
        pairs = place["top_logprobs"]
        tokens = np.fromiter((one["id"] for one in pairs), np.int64, len(pairs))
        # JSON has no infinity: what cannot come next at all stands there as null.
        return tokens, np.fromiter((-np.inf if one["logprob"] is None else one["logprob"] for one in pairs), np.float64)

    def _prompt(self, messages: Sequence[Message]) -> list[int]:
        """The conversation as the model reads it, up to where its answer begins."""
        if self._asked[0] != tuple(messages):
            text = self.beside("/apply-template", {"messages": protocol.turns(messages)})["prompt"]
            read = self.beside("/tokenize", {"content": text, "add_special": True, "parse_special": True})
            self._asked = (tuple(messages), read["tokens"])
        return self._asked[1]


def _end_tokens(running: Running) -> frozenset[int]:
    """By asking for a token that is never wanted: llama.cpp turns ``ignore_eos`` into a bias against each of these."""
    sent = {"prompt": [0], "n_predict": 1, "ignore_eos": True}
    biased = running.beside("/completion", sent)["generation_settings"].get("logit_bias") or []
    return frozenset(int(one["token"]) for one in biased if (one.get("bias") or -1e9) < -1000)


# -- What a GGUF file says of itself, read from its head without loading the model.


_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _LIST = 8, 9
_SAMPLE = 1 << 20
_MOST = 1 << 27
"""Bytes of one string: a length beyond it is damage."""


def context_length(path: Path) -> int | None:
    """How many tokens the model was trained to read at once; None where the file does not say."""
    try:
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise ChatError(f"{path}: not a GGUF file; give a model in llama.cpp's format")
            version, _, pairs = struct.unpack("<IQQ", file.read(20))
            for _ in range(pairs if version >= 2 else 0):
                key = _string(file)
                value = _value(file, _number(file, "I"))
                if key.endswith(b".context_length"):
                    return int(value)
    except OSError as error:
        raise ChatError(f"{path}: the model cannot be read ({error.strerror}); name a .gguf file") from None
    except (struct.error, KeyError, ValueError):
        raise ChatError(f"{path}: the GGUF file is damaged; fetch it again") from None
    return None


def digest(path: Path) -> str:
    """Tells files apart by size, head and tail: enough for names, and quick for gigabytes."""
    with path.open("rb") as file:
        size = path.stat().st_size
        found = hashlib.sha256(size.to_bytes(8, "big") + file.read(_SAMPLE))
        file.seek(max(0, size - _SAMPLE))
        found.update(file.read(_SAMPLE))
    return found.hexdigest()[:8]


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _STRING:
        return _string(file)
    if kind == _LIST:
        inner, count = _number(file, "I"), _number(file, "Q")
        if inner in _NUMBERS:
            file.seek(struct.calcsize(_NUMBERS[inner]) * count, 1)
        else:
            for _ in range(count):
                _value(file, inner)
        return None
    return _number(file, _NUMBERS[kind])


def _number(file: BinaryIO, form: str) -> Any:
    return struct.unpack("<" + form, file.read(struct.calcsize("<" + form)))[0]


def _string(file: BinaryIO) -> bytes:
    length = _number(file, "Q")
    if length > _MOST:
        raise ValueError("longer than any string there")
    return file.read(length)


# -- A model in a GGUF file as a Chat: llama.cpp inside this process, through its ``xllamacpp`` wheel.


CONTEXT = 8192
_PROMPT_CACHE_MIB = 512
_SEED = 0


class GgufChat:
    """Answers from a local model file. It is loaded with the first question."""

    extra: ClassVar[str] = "llm"

    def __init__(
        self,
        path: str | Path,
        *,
        name: str | None = None,
        context: int | None = None,
        threads: int | None = None,
        slots: int = 2,
        gpu_layers: int | None = None,
    ) -> None:
        """``context``: tokens of a question with its answer (at most what the model can); ``slots``: questions that
        are answered at once; ``gpu_layers``: layers that an accelerator takes (as many as fit, unless said)."""
        self.path = Path(path).expanduser()
        trained = context_length(self.path)
        self.context: int | None = min(context or CONTEXT, trained or context or CONTEXT)
        self.name = name or f"{self.path.stem}#{digest(self.path)}"
        self._threads, self._slots, self._gpu_layers = threads, slots, gpu_layers
        self._lock = threading.Lock()
        self._running: Running | None = None

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        return collect_ordered(self.ask_unordered(requests), len(requests))

    def ask_unordered(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        """Replies as they are written; as many at once as there are slots."""
        if requests:
            self._loaded()
        return map_unordered(requests, self._answer, self._slots)

    @property
    def end_tokens(self) -> frozenset[int]:
        return self._loaded().end_tokens

    def next_logprobs(
        self, messages: Sequence[Message], written: Sequence[int] = ()
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Every token of the vocabulary, and its ``ln p`` after what is written of the answer: a softmax over all,
        before any temperature. What was read for the place before is not read again."""
        return self._loaded().next_logprobs(messages, written)

    def text_of(self, tokens: Sequence[int]) -> str:
        return str(self._loaded().beside("/detokenize", {"tokens": [int(token) for token in tokens]})["content"])

    def close(self) -> None:
        """Free the model's memory; the next question loads it again."""
        with self._lock:
            running, self._running = self._running, None
        if running is not None:
            running.close()

    def _answer(self, request: Request, over: threading.Event) -> Reply:
        began = time.perf_counter()
        answer = self._said(request, "schema")
        if answer is None and request.schema is not None:  # one that llama.cpp cannot make a grammar of
            answer = self._said(request, "none")
        seconds = time.perf_counter() - began
        if answer is None or "error" in answer:
            too_long = protocol.is_context_overflow(protocol.refusal(answer))
            return Reply(
                "", seconds=seconds, failure=protocol.TOO_LONG if too_long else "the model refused the request"
            )
        return protocol.reply(answer, seconds)

    def _said(self, request: Request, mode: protocol.JsonMode) -> Mapping[str, Any] | None:
        sent = protocol.body(request, mode) | {"seed": request.seed or _SEED, "cache_prompt": True}
        if request.logprobs:
            sent["top_logprobs"] = request.logprobs
        try:
            answer = self._loaded().server.handle_chat_completions(sent)
        except (RuntimeError, ValueError):
            return None
        return answer if isinstance(answer, Mapping) else None

    def _loaded(self) -> Running:
        with self._lock:
            if self._running is None:
                self._running = Running(self._parameters(), self.path)
            return self._running

    def _parameters(self) -> Any:
        try:
            import xllamacpp
        except ImportError:
            raise MissingExtra("a model in a GGUF file", self.extra) from None
        found = xllamacpp.CommonParams()
        found.model.path = str(self.path)
        found.n_ctx = (self.context or CONTEXT) * self._slots
        found.n_parallel = self._slots
        found.cont_batching = found.cache_prompt = found.offline = True
        found.cache_ram_mib = _PROMPT_CACHE_MIB
        found.ui = found.endpoint_slots = found.warmup = False
        found.verbosity = -1
        if self._threads is not None:
            found.cpuparams.n_threads = found.cpuparams_batch.n_threads = self._threads
        if self._gpu_layers is not None:
            found.n_gpu_layers = self._gpu_layers
        return found

    def __repr__(self) -> str:
        return f"GgufChat({str(self.path)!r})"

    def __getstate__(self) -> dict[str, Any]:
        """Another process loads the model itself."""
        return {**self.__dict__, "_running": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()
