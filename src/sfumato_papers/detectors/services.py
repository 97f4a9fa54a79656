"""Services on the network as detectors: Azure AI Language, and any other that a small file describes.

The text of every document leaves this machine. A service is used only where it is named, its address and its key come
from the environment or from your file, and text goes to that address and to no other.
"""

from __future__ import annotations

import os
import re
import tomllib
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sfumato.detectors.base import Reading, Threshold, resolve_threshold
from sfumato.document import Document, Span
from sfumato.errors import ChatError, RecipeError, ServiceError
from sfumato.lexicon.language import document_language
from sfumato.llm.http import Clock, HttpTransport, Response, is_loopback
from sfumato.models.tokens import replace_surrogates
from sfumato_papers.detectors.foreign_labels import checked_labels, identifier_of, our_label

Unit = Literal["code-points", "utf16", "utf8"]
"""What a service counts in its offsets."""
THRESHOLDS = {"precise": 0.8, "balanced": 0.5, "leave-nothing": 0.0}
ENDPOINT, KEY = "LANGUAGE_ENDPOINT", "LANGUAGE_KEY"
"""Where Azure's address and key are read from, as in Microsoft's own examples."""

_MARGIN = 200
"""Characters of context that a part of a long text gets on either side, so that no name is cut at its border."""
_ERROR_CODE = re.compile(r"[A-Za-z0-9_.-]{1,60}")
"""What may be shown of an error: a longer message could quote the text."""
_SECONDS, _PATIENCE = 60.0, 300.0


@dataclass(frozen=True)
class Part:
    """A part of a document, [start, end), with context on either side; ``text`` begins at ``origin``."""

    document: int
    start: int
    end: int
    origin: int
    text: str
    language: str


@dataclass(frozen=True)
class Found:
    """What a service found in a part: a range in characters, its kind by the service's name, and its score."""

    start: int
    end: int
    kind: str
    score: float


Answer = list[Found] | str
"""What a service found in a part, or why it has no usable answer."""


def text_ranges(text: str, longest: int) -> Iterator[tuple[int, int]]:
    """The text in ranges that are at most ``longest`` characters with their context, cut at white space if possible."""
    size = longest - 2 * _MARGIN
    start = 0
    while len(text) - start > size + _MARGIN:
        end = start + size
        cut = max(text.rfind(mark, start + size // 2, end) for mark in ("\n", " "))
        end = cut + 1 if cut > 0 else end
        if text[start:end].strip():
            yield start, end
        start = end
    if text[start:].strip():
        yield start, len(text)


class UnitMap:
    """Offsets in UTF-16 code units or UTF-8 bytes as offsets in characters of one text."""

    def __init__(self, text: str, unit: Unit) -> None:
        self._ends: list[int] | None = None
        if unit == "utf16" and any(sign > "\uffff" for sign in text):
            self._ends = list(accumulate(2 if sign > "\uffff" else 1 for sign in text))
        elif unit == "utf8" and not text.isascii():
            self._ends = list(accumulate(len(sign.encode("utf-8", "surrogatepass")) for sign in text))
        self._length = len(text)
        self.size = self._ends[-1] if self._ends else len(text)

    def characters(self, start: int, end: int) -> tuple[int, int]:
        """The characters that a range touches. Raises ValueError where it is empty or ends after the text."""
        if not 0 <= start < end <= self.size:
            raise ValueError("a range that is not in the text")
        if self._ends is None:
            return start, end
        return bisect_right(self._ends, start), min(self._length, bisect_left(self._ends, end) + 1)


def found_in(text: str, units: UnitMap, start: int, end: int, kind: str, score: float, quoted: object) -> Found:
    """A range of a service as one of characters. Raises ValueError where it does not hold what the service quotes."""
    first, last = units.characters(start, end)
    if isinstance(quoted, str) and quoted != text[first:last]:
        raise ValueError("a range that does not hold the text quoted")
    if not 0.0 <= score <= 1.0:
        raise ValueError("a score that is not from 0 to 1")
    return Found(first, last, kind, score)


def open_transport(
    url: str, headers: Mapping[str, str], key: str, *, timeout: float, patience: float, ca: str | None
) -> HttpTransport:
    """Requests to one address. Raises RecipeError where it is none, or a key would go out unencrypted."""
    try:
        parts = urlsplit(url)
        hostname = parts.hostname or ""
    except ValueError:
        parts, hostname = urlsplit(""), ""
    if (
        parts.scheme not in ("http", "https")
        or not hostname
        or parts.username is not None
        or parts.password is not None
    ):
        raise RecipeError("a service's address is https://HOST/..., without a name or password in it")
    if key and (not key.isascii() or any(map(str.isspace, key))):
        raise RecipeError("the service's key has white space or non-ASCII characters: correct it in the environment")
    if parts.scheme == "http" and not is_loopback(hostname):
        raise RecipeError(f"http://{hostname}: texts and the key would go over the network unencrypted; use https")
    return HttpTransport(
        url.rstrip("/"),
        key="",
        timeout=timeout,
        patience=patience,
        connections=1,
        proxy=None,
        ca=ca,
        clock=Clock(),
        headers=headers,
    )


class ServiceDetector(ABC):
    """What all services have in common: parts of texts go out, in groups; answers become spans of documents."""

    calls_service: ClassVar[bool] = True
    languages: ClassVar[frozenset[str] | None] = None
    reads: ClassVar[Reading] = "written"
    name: ClassVar[str]

    def __init__(self, transport: HttpTransport, least: float, *, longest: int, together: int, language: str) -> None:
        """``longest``: characters of a part; ``together``: parts in a request."""
        self._transport, self._least = transport, least
        self._longest, self._together, self._language = longest, together, language
        self.failed: dict[str, str] = {}
        """Documents of the last call without a complete answer, with the reason."""
        self._host = urlsplit(transport.url).hostname or ""
        self.remarks = [f"{self.name}: the texts of this run were sent to {self._host}"]

    @abstractmethod
    def ask(self, parts: Sequence[Part]) -> list[Answer]:
        """The answer for each of the parts. Raises ServiceError where no request could ever be answered."""

    @abstractmethod
    def label(self, kind: str) -> str:
        """Our label of the service's kind."""

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        spans: list[list[Span]] = [[] for _ in documents]
        self.failed = {}
        parts = [part for number, document in enumerate(documents) for part in self._parts(number, document)]
        for first in range(0, len(parts), self._together):
            group = parts[first : first + self._together]
            for part, answer in zip(group, self._answers(group), strict=True):
                if isinstance(answer, str):
                    self.failed[documents[part.document].id] = f"{self.name}: {answer}"
                    continue
                spans[part.document] += [self._span(part, found) for found in answer if self._is_own(part, found)]
        return spans

    def _answers(self, parts: Sequence[Part]) -> list[Answer]:
        try:
            return self.ask(parts)
        except ChatError as error:  # of the transport: an address where nothing answers, a certificate
            raise ServiceError(f"{self.name}: {error}") from None

    def _parts(self, number: int, document: Document) -> Iterator[Part]:
        text = replace_surrogates(document.text)
        language = document_language(text) or "en" if self._language == "auto" else self._language
        for start, end in text_ranges(text, self._longest):
            origin = max(0, start - _MARGIN)
            yield Part(number, start, end, origin, text[origin : end + _MARGIN], language)

    def _is_own(self, part: Part, found: Found) -> bool:
        """Whether it is sure enough, and begins in the part itself: neighbours have what begins in the context."""
        return found.score >= self._least and part.start <= part.origin + found.start < part.end

    def _span(self, part: Part, found: Found) -> Span:
        label = self.label(found.kind)
        place = part.origin + found.start, part.origin + found.end
        return Span(*place, label, identifier_of(label), found.score, f"{self.name}:{found.kind}")

    def _raise_if_refused(self, response: Response, key_variable: str) -> None:
        status = response.status
        if status in (401, 403):
            why = "its key, its quota or its network rules do not allow this"
            raise ServiceError(f"{self._host} denies access ({status}): {why}. Put the right key into {key_variable}")
        if status in (404, 405):
            raise ServiceError(f"{self._host} has no such address ({status}): check the address of the service")


# Azure AI Language.

_AZURE_UNITS: Mapping[str, str] = {"code-points": "UnicodeCodePoint", "utf16": "Utf16CodeUnit"}
_AZURE_LABELS = {"PersonType": "DEM", "Quantity": "QUANTITY", "Event": "MISC", "Product": "MISC", "Skill": "DEM"}
_AZURE_LONGEST = 5000
"""Azure takes 5,120 text elements in a document; a text has no more of them than characters."""
_AZURE_TOGETHER = 5
"""Documents that Azure takes in one request for personal information."""


class AzurePii(ServiceDetector):
    """Finds personal information by Azure AI Language. The texts leave the machine; address and key are yours."""

    cite: ClassVar[str | None] = "xin2025"
    uses: ClassVar[tuple[str, ...]] = ("threshold",)
    name: ClassVar[str] = "azure-pii"

    def __init__(
        self,
        *,
        threshold: Threshold = "balanced",
        domain: Literal["none", "phi"] = "none",
        categories: Sequence[str] = (),
        language: str = "auto",
        offsets: Literal["code-points", "utf16"] = "code-points",
        labels: Mapping[str, str] | None = None,
        api_version: str = "2023-04-01",
        model_version: str = "latest",
        timeout: float = _SECONDS,
        patience: float = _PATIENCE,
        ca: str | None = None,
    ) -> None:
        """The address and key of your resource are read from LANGUAGE_ENDPOINT and LANGUAGE_KEY.

        ``domain``: phi for health information; ``categories``: only these of Azure's; ``language``: auto, or a code for
        all texts; ``offsets``: what Azure is asked to count; ``patience``: seconds to wait where a quota is used up.
        """
        if domain not in ("none", "phi") or offsets not in _AZURE_UNITS:
            raise RecipeError("azure-pii: domain is none or phi, offsets is code-points or utf16")
        endpoint, key = os.environ.get(ENDPOINT, ""), os.environ.get(KEY, "")
        if not endpoint or not key:
            missing = ENDPOINT if not endpoint else KEY
            raise RecipeError(
                f"azure-pii sends texts to your Azure AI Language resource: put its address into {ENDPOINT} and its "
                f"key into {KEY} ({missing} is not set)"
            )
        self._own = checked_labels(labels, self.name)
        self._unit: Unit = offsets
        self._path = f"/language/:analyze-text?api-version={api_version}"
        self._parameters: dict[str, Any] = {
            "modelVersion": model_version,
            "stringIndexType": _AZURE_UNITS[offsets],
            "domain": domain,
            "loggingOptOut": True,
        }
        if categories:
            self._parameters["piiCategories"] = [categories] if isinstance(categories, str) else list(categories)
        transport = open_transport(
            endpoint, {"Ocp-Apim-Subscription-Key": key}, key, timeout=timeout, patience=patience, ca=ca
        )
        least = resolve_threshold(threshold, THRESHOLDS)
        super().__init__(transport, least, longest=_AZURE_LONGEST, together=_AZURE_TOGETHER, language=language)

    def label(self, kind: str) -> str:
        return self._own.get(kind) or _AZURE_LABELS.get(kind) or our_label(kind) or "CODE"

    def ask(self, parts: Sequence[Part]) -> list[Answer]:
        documents = [
            {"id": str(number), "language": part.language, "text": part.text} for number, part in enumerate(parts)
        ]
        body = {
            "kind": "PiiEntityRecognition",
            "parameters": self._parameters,
            "analysisInput": {"documents": documents},
        }
        response = self._transport.send("POST", self._path, body)
        if response.failure is not None:
            return [response.failure] * len(parts)
        self._raise_if_refused(response, KEY)
        if response.status == 400:
            raise ServiceError(
                f"{self._host} refuses the request ({_azure_code(response.content)}): check api_version, "
                "model_version, domain and categories"
            )
        if response.status != 200:
            return [f"the service refused the request ({response.status})"] * len(parts)
        return self._read(parts, response.content)

    def _read(self, parts: Sequence[Part], content: Any) -> list[Answer]:
        results = content.get("results") if isinstance(content, Mapping) else None
        if not isinstance(results, Mapping):
            return ["the service's answer has no results"] * len(parts)
        answers: dict[str, Answer] = {}
        for document in _objects(results.get("documents")):
            number = str(document.get("id"))
            if number.isdecimal() and int(number) < len(parts):
                answers[number] = self._found(parts[int(number)], document.get("entities"))
        for error in _objects(results.get("errors")):
            answers[str(error.get("id"))] = f"the service refused it ({_azure_code(error)})"
        return [answers.get(str(number), "the service did not answer for it") for number in range(len(parts))]

    def _found(self, part: Part, entities: Any) -> Answer:
        if not isinstance(entities, list):
            return "the service's answer has no list of entities"
        units = UnitMap(part.text, self._unit)
        found = []
        for entity in entities:
            try:
                start, length = entity["offset"], entity["length"]
                kind = str(entity["category"])
                if kind == "Quantity" and entity.get("subcategory"):
                    kind = str(entity["subcategory"])
                score = float(entity["confidenceScore"])
                found.append(found_in(part.text, units, start, start + length, kind, score, entity.get("text")))
            except (KeyError, TypeError, ValueError):
                return "the service's offsets do not fit the text"
        return found


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _azure_code(content: Any) -> str:
    """The innermost error code: InvalidDocument rather than InvalidArgument. Never the message."""
    code = "no code"
    error = content.get("error") if isinstance(content, Mapping) else None
    while isinstance(error, Mapping):
        given = error.get("code")
        if isinstance(given, str) and _ERROR_CODE.fullmatch(given):
            code = given
        error = error.get("innererror")
    return code


# Any other service, by a file.


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RequestSettings(_Strict):
    """How one text is sent."""

    url: str
    body: dict[str, Any]
    """Sent as JSON, ``{text}`` and ``{language}`` in its strings replaced."""
    headers: dict[str, str] = Field(default={})
    key_env: str | None = None
    key_header: str = "Authorization"
    key_value: str = "Bearer {key}"
    max_characters: int = Field(default=5000, ge=1000)
    language: str = "auto"


class ResponseSettings(_Strict):
    """Where the spans are in an answer: keys joined by dots, ``*`` for each element of a list."""

    spans: str
    may_be_missing: bool = False
    """Whether an answer without spans may leave out the list."""
    start: str = "start"
    start_if_missing: int | None = None
    end: str | None = None
    length: str | None = None
    kind: str
    score: str | None = None
    text: str | None = None
    offsets: Unit
    error: str | None = None
    """Where an answer has this, the text could not be read."""


class ServiceFile(_Strict):
    """A service that is described by a file."""

    request: RequestSettings
    response: ResponseSettings
    labels: dict[str, str] = Field(default={})
    other_label: str = "MISC"


_FILE_KEYS: Mapping[str, type[BaseModel]] = {"request": RequestSettings, "response": ResponseSettings}


def read_service_file(path: Path) -> ServiceFile:
    """The description of a service. Raises RecipeError with the key that is wrong."""
    try:
        settings = ServiceFile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError):
        raise RecipeError(
            f"{path}: cannot be read; name a .toml file that describes a service (docs/methods.md)"
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"{path}: not valid TOML: {error}") from None
    except ValidationError as error:
        wrong = error.errors()[0]
        where = ".".join(map(str, wrong["loc"]))
        known = _FILE_KEYS.get(str(wrong["loc"][0]), ServiceFile).model_fields
        hint = f"; known are {', '.join(known)}" if wrong["type"] == "extra_forbidden" else ""
        raise RecipeError(f"{path}: {where}: {wrong['msg'][:1].lower()}{wrong['msg'][1:]}{hint}") from None
    if (settings.response.end is None) == (settings.response.length is None):
        raise RecipeError(f"{path}: response: give end or length, and not both")
    if "{text}" not in repr(settings.request.body):
        raise RecipeError(f"{path}: request.body: nowhere in it stands {{text}}, so no text would be sent")
    checked_labels({**settings.labels, "": settings.other_label}, str(path))
    return settings


class HttpService(ServiceDetector):
    """Finds personal information by any service with a JSON API, described by a file. The texts leave the machine."""

    cite: ClassVar[str | None] = None
    uses: ClassVar[tuple[str, ...]] = ("threshold",)
    name: ClassVar[str] = "http-service"

    def __init__(
        self,
        *,
        config: str,
        threshold: Threshold = "balanced",
        timeout: float = _SECONDS,
        patience: float = _PATIENCE,
        ca: str | None = None,
    ) -> None:
        """``config``: a TOML file with the address, the body of a request, and where an answer has its spans."""
        settings = read_service_file(Path(config))
        self._settings, request = settings, settings.request
        headers, key = dict(request.headers), ""
        if request.key_env is not None:
            key = os.environ.get(request.key_env, "")
            if not key:
                raise RecipeError(f"{config}: the environment variable {request.key_env} (key_env) is not set")
            headers[request.key_header] = request.key_value.replace("{key}", key)
        transport = open_transport(request.url, headers, key, timeout=timeout, patience=patience, ca=ca)
        least = resolve_threshold(threshold, THRESHOLDS)
        longest = max(request.max_characters, 4 * _MARGIN)
        super().__init__(transport, least, longest=longest, together=1, language=request.language)

    def label(self, kind: str) -> str:
        return our_label(kind, self._settings.labels) or self._settings.other_label

    def ask(self, parts: Sequence[Part]) -> list[Answer]:
        return [self._ask(part) for part in parts]

    def _ask(self, part: Part) -> Answer:
        body = fill_template(self._settings.request.body, {"text": part.text, "language": part.language})
        response = self._transport.send("POST", "", body)
        if response.failure is not None:
            return response.failure
        self._raise_if_refused(response, self._settings.request.key_env or "the variable that key_env names")
        if response.status == 400:
            raise ServiceError(f"{self._host} refuses the request (400): check request.body in its file")
        if response.status != 200:
            return f"the service refused the request ({response.status})"
        return read_answer(part.text, response.content, self._settings.response)


def read_answer(text: str, content: Any, settings: ResponseSettings) -> Answer:
    """What an answer says was found in a text, or why it cannot be used."""
    if settings.error is not None and values_at(content, settings.error):
        return "the service reports an error for it"
    lists = values_at(content, settings.spans)
    if not lists and not settings.may_be_missing and "*" not in settings.spans:
        return f"the service's answer has no {settings.spans}"
    units = UnitMap(text, settings.offsets)
    found = []
    for item in (item for one in lists for item in (one if isinstance(one, list) else [one])):
        try:
            found.append(_read_span(text, units, item, settings))
        except (TypeError, ValueError):
            return "the service's offsets do not fit the text"
    return found


def _read_span(text: str, units: UnitMap, item: Any, settings: ResponseSettings) -> Found:
    def number(path: str | None, read: Callable[[Any], Any], missing: Any = None) -> Any:
        value = next(iter(values_at(item, path)), missing) if path is not None else missing
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise ValueError("no number")
        return read(value)

    start = number(settings.start, int, settings.start_if_missing)
    end = number(settings.end, int) if settings.end is not None else start + number(settings.length, int)
    score = number(settings.score, float, 1.0)
    kinds = values_at(item, settings.kind)
    if not kinds or not isinstance(kinds[0], str):
        raise ValueError("no kind")
    quoted = next(iter(values_at(item, settings.text)), None) if settings.text is not None else None
    return found_in(text, units, start, end, kinds[0], score, quoted)


def values_at(content: Any, path: str) -> list[Any]:
    """All values at a path of keys joined by dots; ``*`` is each element of a list, the empty path everything."""
    values = [content]
    for key in path.split(".") if path else ():
        if key == "*":
            values = [item for value in values if isinstance(value, list) for item in value]
        else:
            values = [value[key] for value in values if isinstance(value, Mapping) and key in value]
    return [value for value in values if value is not None]


_PLACE = re.compile(r"\{(text|language)\}")


def fill_template(template: Any, values: Mapping[str, str]) -> Any:
    """A template with ``{text}`` and ``{language}`` in its strings replaced; what is put in is not looked at again."""
    if isinstance(template, str):
        return _PLACE.sub(lambda match: values[match[1]], template)
    if isinstance(template, Mapping):
        return {key: fill_template(value, values) for key, value in template.items()}
    if isinstance(template, list | tuple):
        return [fill_template(value, values) for value in template]
    return template
