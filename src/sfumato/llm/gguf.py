"""A Chat from a GGUF model file: llama.cpp inside this process, through the ``xllamacpp`` wheel."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import struct
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ChatError, MissingExtra
from sfumato.files import TemporaryFolder
from sfumato.llm import openai_protocol as protocol
from sfumato.llm.chat import AsksUnordered, Message, ProcessLock, Reply, Request, map_unordered

DEFAULT_CONTEXT = 8192
_PROMPT_CACHE_MIB = 512
_KEPT_PROMPTS = 16
_NUMBER_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_DIGEST_BYTES = 1 << 20
_MAX_STRING = 1 << 27
"""Bytes of one string: a length beyond it is damage."""


class GgufChat(AsksUnordered):
    """Answers from a local model file. It is loaded with the first request."""

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
        """``context``: tokens of a request and its answer (at most what the model supports); ``slots``: concurrent
        requests; ``gpu_layers``: layers on an accelerator (by default as many as fit)."""
        self.path = Path(path).expanduser()
        trained = context_length(self.path)
        self.context: int | None = min(context or DEFAULT_CONTEXT, trained or context or DEFAULT_CONTEXT)
        self.name = name or f"{self.path.stem}#{file_digest(self.path)}"
        self._threads, self._slots, self._gpu_layers = threads, slots, gpu_layers
        self._lock = ProcessLock()
        self._model: LoadedModel | None = None

    def ask_unordered(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        """Replies as they are written; as many at once as there are slots."""
        if requests:
            self._load()
        return map_unordered(requests, self._answer, self._slots)

    @property
    def end_tokens(self) -> frozenset[int]:
        return self._load().end_tokens

    def next_logprobs(
        self, messages: Sequence[Message], written: Sequence[int] = ()
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Every token of the vocabulary, and its ``ln p`` after what is written of the answer: a softmax over all,
        before any temperature. What was read for the place before is not read again."""
        return self._load().next_logprobs(messages, written)

    def text_of(self, tokens: Sequence[int]) -> str:
        return str(self._load().post("/detokenize", {"tokens": [int(token) for token in tokens]})["content"])

    def close(self) -> None:
        """Free the model's memory; the next question loads it again."""
        with self._lock:
            model, self._model = self._model, None
        if model is not None:
            model.close()

    def _answer(self, request: Request, cancelled: threading.Event) -> Reply:
        began = time.perf_counter()
        answer = self._complete(request, "schema")
        if answer is None and request.schema is not None:  # one that llama.cpp cannot make a grammar of
            answer = self._complete(request, "none")
        seconds = time.perf_counter() - began
        if answer is None or "error" in answer:
            too_long = protocol.is_context_overflow(answer)
            return Reply(
                "", seconds=seconds, failure=protocol.TOO_LONG if too_long else "the model refused the request"
            )
        return protocol.parse_reply(answer, seconds)

    def _complete(self, request: Request, mode: protocol.JsonMode) -> Mapping[str, Any] | None:
        sent = protocol.request_body(request, mode) | {"seed": request.seed or 0, "cache_prompt": True}
        if request.logprobs:
            sent["top_logprobs"] = request.logprobs
        if request.top_p is not None:  # llama.cpp's own limits would leave out tokens before top_p does
            sent |= {"top_k": 0, "min_p": 0.0}
        try:
            answer = self._load().server.handle_chat_completions(sent)
        except (RuntimeError, ValueError):
            return None
        return answer if isinstance(answer, Mapping) else None

    def _load(self) -> LoadedModel:
        with self._lock:
            if self._model is None:
                self._model = LoadedModel(self._parameters(), self.path)
            return self._model

    def _parameters(self) -> Any:
        try:
            import xllamacpp
        except ImportError:
            raise MissingExtra("a model in a GGUF file", self.extra) from None
        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(self.path)
        parameters.n_ctx = (self.context or DEFAULT_CONTEXT) * self._slots
        parameters.n_parallel = self._slots
        parameters.cont_batching = parameters.cache_prompt = parameters.offline = True
        parameters.cache_ram_mib = _PROMPT_CACHE_MIB
        parameters.ui = parameters.endpoint_slots = parameters.warmup = False
        parameters.verbosity = -1
        if self._threads is not None:
            parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = self._threads
        if self._gpu_layers is not None:
            parameters.n_gpu_layers = self._gpu_layers
        return parameters

    def __repr__(self) -> str:
        return f"GgufChat({str(self.path)!r})"

    def __getstate__(self) -> dict[str, Any]:
        """Another process loads the model itself."""
        return {**self.__dict__, "_model": None}


class LoadedModel:
    """A model loaded in this process, and an HTTP client for what the wheel offers over HTTP only.

    The wheel always listens somewhere. Here that is a Unix socket in a folder that only this user can enter (on
    Windows: this machine's loopback), behind a random key; no TCP port is open, and nothing goes out.
    """

    def __init__(self, parameters: Any, path: Path) -> None:
        import httpx2
        import xllamacpp

        self._folder = TemporaryFolder()
        key = secrets.token_hex(16)
        parameters.api_keys = [key]
        if os.name != "nt":
            parameters.hostnames = [str(self._folder.path / "llama.sock")]
        try:
            self.server = xllamacpp.Server(parameters)
        except (RuntimeError, OSError, ValueError):
            self._folder.close()
            raise ChatError(
                f"{path}: llama.cpp cannot load this model; is it whole, of a kind that xllamacpp knows, "
                "and does it fit into memory (a smaller context needs less)?"
            ) from None
        address = str(self.server.listening_address)
        socket = address.removeprefix("unix://") if address.startswith("unix://") else None
        self._client = httpx2.Client(
            transport=httpx2.HTTPTransport(uds=socket) if socket else None,
            base_url="http://llama" if socket else address,
            headers={"Authorization": f"Bearer {key}"},
            trust_env=False,
            timeout=600,
        )
        weakref.finalize(self, self._client.close)
        self._prompts: OrderedDict[tuple[Message, ...], list[int]] = OrderedDict()
        """The tokens of the last conversations: methods that compare several ask about them in turn."""
        (self._info,) = self._client.get("/v1/models").json()["data"]

    def close(self) -> None:
        self._client.close()
        self.server = None
        self._folder.close()

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._client.post(path, json=body).raise_for_status().json()

    @cached_property
    def end_tokens(self) -> frozenset[int]:
        """Those that end a turn by the chat template, and the model's own.

        llama.cpp turns ``ignore_eos`` into a bias against each of them, which its settings show.
        """
        body = {"prompt": [0], "n_predict": 1, "ignore_eos": True}
        biases = self.post("/completion", body)["generation_settings"].get("logit_bias") or []
        return frozenset(int(row["token"]) for row in biases if (row.get("bias") or -1e9) < -1000)

    def next_logprobs(
        self, messages: Sequence[Message], written: Sequence[int]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        body = {
            "prompt": [*self._prompt(messages), *(int(token) for token in written)],
            "n_predict": 1,
            "n_probs": int(self._info["meta"]["n_vocab"]),
            "temperature": 0.0,
            "cache_prompt": True,
            "ignore_eos": False,
            "response_fields": ["completion_probabilities"],
        }
        response = self._client.post("/completion", json=body)
        if response.status_code != 200:
            raise ChatError("the model gave no probabilities for the next token: is the text longer than its context?")
        (position,) = json.loads(response.content)["completion_probabilities"]
        rows = position["top_logprobs"]
        tokens = np.fromiter((row["id"] for row in rows), np.int64, len(rows))
        # JSON has no infinity: an impossible token has null.
        return tokens, np.fromiter((-np.inf if row["logprob"] is None else row["logprob"] for row in rows), np.float64)

    def _prompt(self, messages: Sequence[Message]) -> list[int]:
        """The tokens of a conversation, up to where the answer begins."""
        key = tuple(messages)
        if key not in self._prompts:
            text = self.post("/apply-template", {"messages": protocol.message_dicts(messages)})["prompt"]
            body = {"content": text, "add_special": True, "parse_special": True}
            self._prompts[key] = self.post("/tokenize", body)["tokens"]
            if len(self._prompts) > _KEPT_PROMPTS:
                self._prompts.popitem(last=False)
        return self._prompts[key]


def context_length(path: Path) -> int | None:
    """The context that the model was trained with, from the file's header; None where it does not say."""
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


def file_digest(path: Path) -> str:
    """A digest of a file's size, start and end: enough to tell files apart, and fast for gigabytes."""
    with path.open("rb") as file:
        size = path.stat().st_size
        digest = hashlib.sha256(size.to_bytes(8, "big") + file.read(_DIGEST_BYTES))
        file.seek(max(0, size - _DIGEST_BYTES))
        digest.update(file.read(_DIGEST_BYTES))
    return digest.hexdigest()[:8]


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _STRING:
        return _string(file)
    if kind == _ARRAY:
        inner, count = _number(file, "I"), _number(file, "Q")
        if inner in _NUMBER_FORMATS:
            file.seek(struct.calcsize(_NUMBER_FORMATS[inner]) * count, 1)
        else:
            for _ in range(count):
                _value(file, inner)
        return None
    return _number(file, _NUMBER_FORMATS[kind])


def _number(file: BinaryIO, form: str) -> Any:
    return struct.unpack("<" + form, file.read(struct.calcsize("<" + form)))[0]


def _string(file: BinaryIO) -> bytes:
    length = _number(file, "Q")
    if length > _MAX_STRING:
        raise ValueError("longer than any string in a GGUF file")
    return file.read(length)
