"""A loaded model, and the little door beside it for what the wheel does not hand out directly.

The wheel always listens somewhere. Here that is a Unix socket in a folder which only this user can enter (on Windows:
this machine's loopback), behind a random key; no TCP port is open, and nothing goes out.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ChatProblem
from sfumato.models.chat.base import Message
from sfumato.models.chat.http import wire


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
            raise ChatProblem(
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
            raise ChatProblem(
                "the model gave no probabilities for the next token: is the text longer than its context?"
            )
        (place,) = json.loads(response.content)["completion_probabilities"]
        pairs = place["top_logprobs"]
        tokens = np.fromiter((one["id"] for one in pairs), np.int64, len(pairs))
        # JSON has no infinity: what cannot come next at all stands there as null.
        return tokens, np.fromiter((-np.inf if one["logprob"] is None else one["logprob"] for one in pairs), np.float64)

    def _prompt(self, messages: Sequence[Message]) -> list[int]:
        """The conversation as the model reads it, up to where its answer begins."""
        if self._asked[0] != tuple(messages):
            text = self.beside("/apply-template", {"messages": wire.turns(messages)})["prompt"]
            read = self.beside("/tokenize", {"content": text, "add_special": True, "parse_special": True})
            self._asked = (tuple(messages), read["tokens"])
        return self._asked[1]


def _end_tokens(running: Running) -> frozenset[int]:
    """By asking for a token that is never wanted: llama.cpp turns ``ignore_eos`` into a bias against each of these."""
    sent = {"prompt": [0], "n_predict": 1, "ignore_eos": True}
    biased = running.beside("/completion", sent)["generation_settings"].get("logit_bias") or []
    return frozenset(int(one["token"]) for one in biased if (one.get("bias") or -1e9) < -1000)
