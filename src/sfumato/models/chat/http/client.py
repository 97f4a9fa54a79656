"""Any server that speaks OpenAI's chat interface, as a Chat: vLLM, llama.cpp, Ollama, OpenAI and others."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urljoin

from sfumato.errors import ChatProblem
from sfumato.models.chat.base import Reply, Request
from sfumato.models.chat.http import wire
from sfumato.models.chat.http.address import Address
from sfumato.models.chat.http.clock import Clock
from sfumato.models.chat.http.courier import WEB_PAGE, Answered, Courier
from sfumato.models.chat.http.flight import fly, in_order
from sfumato.models.chat.http.offers import Offer, positive, read_offers

IN_FLIGHT = 8
_USUAL_PATH = "/v1"
_NO_QUESTIONS = {405, 501}
"""What a server says whose pages take no questions."""


class HttpChat:
    """A model behind a base URL. Nothing is sent before the first question (or before ``name`` is asked for, where no
    model was named)."""

    def __init__(
        self,
        url: str,
        *,
        model: str | None = None,
        name: str | None = None,
        context: int | None = None,
        in_flight: int = IN_FLIGHT,
        timeout: float = 600,
        patience: float = 300,
        json_mode: wire.JsonMode = "schema",
        key_env: str | None = None,
        body: Mapping[str, Any] | None = None,
        without: Sequence[str] = (),
        proxy: str | None = None,
        ca: str | None = None,
        clock: Clock | None = None,
    ) -> None:
        """``key_env``: the environment variable with the key; ``body``, ``without``: what else a request says, and
        what it leaves out; ``name``: what results and the cache call the model."""
        self.address = Address.of(url, key_env)
        self._model, self._name, self._context = model or self.address.model, name, context
        self._in_flight = in_flight
        self._modes = list(wire.MODES[wire.MODES.index(json_mode) :])
        self._body, self._without = dict(body or {}), tuple(without)
        self._length_key = "max_tokens"
        self._courier = Courier(
            self.address.base,
            key=self.address.key,
            timeout=timeout,
            patience=patience,
            connections=in_flight,
            proxy=proxy,
            ca=ca,
            clock=clock,
        )
        self._offers: list[Offer] | None = None
        self._unlisted: str | None = None
        self._lock = threading.RLock()
        self._worked = False

    @property
    def model(self) -> str:
        """The model named, or the one that the server has."""
        if self._model is None:
            offered = [offer.model for offer in self.offers()]
            if self._unlisted is not None:
                raise ChatProblem(
                    f"{self.address.base} does not list its models ({self._unlisted}): check the address, "
                    f"or name a model, as in {self.address.base}#MODEL"
                )
            if len(offered) != 1:
                has = f"has {', '.join(sorted(offered)[:20])}" if offered else "names none"
                raise ChatProblem(f"{self.address.base} {has}: name a model, as in {self.address.base}#MODEL")
            self._model = offered[0]
        return self._model

    @property
    def name(self) -> str:
        if self._name is None:
            added = {"body": self._body, "without": self._without}
            digest = hashlib.sha256(json.dumps(added, sort_keys=True, default=str).encode()).hexdigest()[:8]
            path = "" if self.address.path == _USUAL_PATH else self.address.path
            self._name = f"{self.model}@{self.address.host}{path}" + (f"#{digest}" if any(added.values()) else "")
        return self._name

    @property
    def context(self) -> int | None:
        """As the server says, where it does and the user has not."""
        if self._context is None:
            model = self.model
            self._context = next((offer.context for offer in self.offers() if offer.model == model), None)
        return self._context

    @property
    def retried(self) -> int:
        """How often a request had to be sent again."""
        return self._courier.retried

    @property
    def json_mode(self) -> wire.JsonMode:
        """How the server is held to JSON by now."""
        return self._modes[0]

    def offers(self) -> list[Offer]:
        """The server's models; empty where it does not list them."""
        with self._lock:
            if self._offers is None:
                found = self._courier.send("GET", "/models")
                self._raise_if_closed(found)
                self._offers, self._unlisted = read_offers(found.content), found.failure
                if len(self._offers) == 1 and self._offers[0].context is None:
                    self._offers = [Offer(self._offers[0].model, self._llama_context())]
            return self._offers

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        return in_order(self.ask_each(requests), len(requests))

    def ask_each(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        """Replies as they arrive, with as many requests in flight as allowed."""
        if requests:
            _ = self.model  # once, before there are threads
        return fly(requests, self._answer, self._in_flight)

    def close(self) -> None:
        self._courier.close()

    def _answer(self, request: Request, over: threading.Event) -> Reply:
        began = time.perf_counter()
        found = self._held(request, over)
        seconds = time.perf_counter() - began
        self._raise_if_closed(found)
        if found.failure is not None:
            return Reply("", seconds=seconds, failure=found.failure)
        if found.status == 200:
            self._worked = True
            return wire.reply(found.content, seconds)
        if wire.is_too_long(wire.refusal(found.content)):
            return Reply("", seconds=seconds, failure=wire.TOO_LONG)
        return Reply("", seconds=seconds, failure=f"the server refused the request ({found.status})")

    def _held(self, request: Request, over: threading.Event) -> Answered:
        """Ask in the strictest way that the server takes; one that it refuses is not tried again."""
        modes = list(self._modes) if request.schema is not None else self._modes[-1:]
        first: Answered | None = None
        for mode in modes:
            found = self._sent(request, mode, over)
            if found.status not in (400, 422) or wire.is_too_long(wire.refusal(found.content)):
                if found.status == 200:
                    self._remember(mode, modes[0])
                return found
            first = first or found
        return first or Answered(0, failure="nothing was asked")

    def _sent(self, request: Request, mode: wire.JsonMode, over: threading.Event) -> Answered:
        sent = {"model": self.model, **wire.body(request, mode), **self._body}
        trimmed = self._trimmed(sent)
        found = self._courier.send("POST", "/chat/completions", trimmed, over)
        renamed = "max_completion_tokens"  # OpenAI's newer models refuse the old name
        if found.status == 400 and renamed not in trimmed and renamed in wire.refusal(found.content):
            self._length_key = renamed
            found = self._courier.send("POST", "/chat/completions", self._trimmed(sent), over)
        return found

    def _trimmed(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        renamed = {self._length_key if key == "max_tokens" else key: value for key, value in sent.items()}
        return {key: value for key, value in renamed.items() if key not in self._without}

    def _remember(self, mode: wire.JsonMode, tried: wire.JsonMode) -> None:
        with self._lock:
            if mode != tried and self._modes[0] != mode and mode in self._modes:
                self._modes = self._modes[self._modes.index(mode) :]

    def _raise_if_closed(self, found: Answered) -> None:
        base = self.address.base
        if found.status == 401 or (found.status == 403 and not self._worked):
            raise ChatProblem(f"{base} does not let us in ({found.status}): put its key into {self.address.key_from}")
        if not self._worked and (found.failure == WEB_PAGE or found.status in _NO_QUESTIONS):
            said = "answers with a web page" if found.failure == WEB_PAGE else f"takes no questions ({found.status})"
            raise ChatProblem(f"{base} {said} and is no chat server: check the address; it mostly ends in /v1")
        if found.status == 404 and not self._worked:
            raise ChatProblem(f"{base} has no such model or address (404): {self._choice()}")

    def _choice(self) -> str:
        offered = [] if self._offers is None and self._model is None else self._listed()
        if offered:
            return f"name one of its models, as in {self.address.base}#MODEL: {', '.join(sorted(offered)[:20])}"
        return "is a chat server there? Its address mostly ends in /v1"

    def _listed(self) -> list[str]:
        if self._offers is None:
            self._offers = read_offers(self._courier.send("GET", "/models").content)
        return [offer.model for offer in self._offers]

    def _llama_context(self) -> int | None:
        """llama.cpp says it beside the OpenAI interface."""
        found = self._courier.glance(urljoin(self.address.base, "/props"))
        try:
            return positive(found["default_generation_settings"]["n_ctx"])
        except (KeyError, TypeError):
            return None

    def __repr__(self) -> str:
        return f"HttpChat({self.address.base!r}, model={self._model!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.RLock()
