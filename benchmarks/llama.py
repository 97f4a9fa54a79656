"""A local GGUF model as a Chat, for benchmarks: llama.cpp through its ``xllamacpp`` wheel."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sfumato.models.chat import Reply, Request


class LlamaChat:
    """Answers one request at a time, held to the request's JSON schema."""

    def __init__(self, path: Path, context: int = 4096) -> None:
        import xllamacpp

        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(path)
        parameters.n_ctx = context
        parameters.n_parallel = 1
        parameters.verbosity = 0
        self._server = xllamacpp.Server(parameters)
        self.name = path.stem

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        return [self._one(request) for request in requests]

    def _one(self, request: Request) -> Reply:
        began = time.perf_counter()
        body: dict[str, Any] = {
            "messages": [{"role": message.role, "content": message.text} for message in request.messages],
            "temperature": request.temperature,
            "max_tokens": request.max_tokens,
            "seed": request.seed or 0,
            "cache_prompt": True,
        }
        if request.schema:
            body["response_format"] = {"type": "json_schema", "json_schema": {"schema": dict(request.schema)}}
        answer = self._server.handle_chat_completions(body)
        answer = json.loads(answer) if isinstance(answer, str | bytes) else answer
        seconds = time.perf_counter() - began
        if "choices" not in answer:
            return Reply("", seconds=seconds, failure=str(answer.get("error", {}).get("type", "no answer")))
        used = answer["usage"]
        text = answer["choices"][0]["message"]["content"]
        return Reply(text, used["prompt_tokens"], used["completion_tokens"], seconds)
