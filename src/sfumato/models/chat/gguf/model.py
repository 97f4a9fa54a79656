"""A model in a GGUF file as a Chat: llama.cpp inside this process, through its ``xllamacpp`` wheel."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import MissingExtra
from sfumato.models.chat.base import Message, Reply, Request
from sfumato.models.chat.gguf.file import context_length, digest
from sfumato.models.chat.gguf.server import Running
from sfumato.models.chat.http import wire
from sfumato.models.chat.http.flight import fly, in_order

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
        return in_order(self.ask_each(requests), len(requests))

    def ask_each(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        """Replies as they are written; as many at once as there are slots."""
        if requests:
            self._loaded()
        return fly(requests, self._answer, self._slots)

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
            too_long = wire.is_too_long(wire.refusal(answer))
            return Reply("", seconds=seconds, failure=wire.TOO_LONG if too_long else "the model refused the request")
        return wire.reply(answer, seconds)

    def _said(self, request: Request, mode: wire.JsonMode) -> Mapping[str, Any] | None:
        sent = wire.body(request, mode) | {"seed": request.seed or _SEED, "cache_prompt": True}
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
