"""Services against servers on loopback that answer in the documented shapes: offsets, quotas, errors, keys."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato import recipe as recipes
from sfumato.document import Document, Release, Withheld
from sfumato.errors import RecipeError, ServiceError
from sfumato.pipeline import Pipeline
from sfumato_papers.detectors import services
from sfumato_papers.detectors.services import (
    AzurePii,
    HttpService,
    Unit,
    UnitMap,
    fill_template,
    read_answer,
    read_service_file,
    text_ranges,
    values_at,
)
from tests.llm.fake_clock import FakeClock
from tests.llm.server import FakeServer, Handler, serving

LETTER = "😀 Ida Quorvex (born 3 May 1990) lives in Velbrin; call 020 7946 0018. 😀 Ida agreed."


def entity(text: str, word: str, category: str, unit: Unit, **more: Any) -> dict[str, Any]:
    """An entity as Azure writes it, its offsets counted by a second, plain way."""
    before, inside = text[: text.index(word)], word
    if unit == "utf16":
        offset, length = (len(piece.encode("utf-16-le")) // 2 for piece in (before, inside))
    else:
        offset, length = len(before), len(inside)
    return {"text": word, "category": category, "offset": offset, "length": length, "confidenceScore": 0.9, **more}


def azure(handler: Handler, sent: dict[str, Any], number: int) -> None:
    """Finds Ida, her birthday, her town and her number; an empty or foreign document is an error."""
    unit: Unit = "utf16" if sent["parameters"]["stringIndexType"] == "Utf16CodeUnit" else "code-points"
    words = {"Ida Quorvex": "Person", "3 May 1990": "DateTime", "Velbrin": "Address", "020 7946 0018": "PhoneNumber"}
    documents, errors = [], []
    for document in sent["analysisInput"]["documents"]:
        text = document["text"]
        if document["language"] == "fo":
            inner = {"code": "UnsupportedLanguageCode", "message": f"secret words: {text}"}
            error = {"code": "InvalidArgument", "message": "Invalid language", "innererror": inner}
            errors.append({"id": document["id"], "error": error})
            continue
        entities = [entity(text, word, kind, unit) for word, kind in words.items() if word in text]
        documents.append({"id": document["id"], "redactedText": "*", "entities": entities, "warnings": []})
    results = {"documents": documents, "errors": errors, "modelVersion": "2021-01-15"}
    handler.say(200, {"kind": "PiiEntityRecognitionResults", "results": results})


@contextmanager
def azure_server(monkeypatch: pytest.MonkeyPatch, behave: Callable[..., None] = azure) -> Iterator[FakeServer]:
    with serving(behave) as server:
        monkeypatch.setenv("LANGUAGE_ENDPOINT", f"http://127.0.0.1:{server.server_port}/")
        monkeypatch.setenv("LANGUAGE_KEY", "secret-key")
        yield server


@pytest.fixture
def fast_clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    clock = FakeClock()
    monkeypatch.setattr(services, "Clock", lambda: clock.clock)
    return clock


@pytest.mark.parametrize("unit", ["code-points", "utf16"])
def test_azure_is_asked_as_documented_and_its_offsets_are_characters(
    monkeypatch: pytest.MonkeyPatch, unit: Any
) -> None:
    with azure_server(monkeypatch) as server:
        detector = AzurePii(offsets=unit, domain="phi", categories=["Person", "Address"])
        detected = detector.detect([Document("one", ""), Document("two", LETTER), Document("three", "Nobody.")])
        [(path, headers, sent)] = server.seen
    assert [len(spans) for spans in detected] == [0, 4, 0]
    assert [(LETTER[s.start : s.end], s.label, s.identifier, s.source) for s in detected[1]] == [
        ("Ida Quorvex", "PERSON", "direct", "azure-pii:Person"),
        ("3 May 1990", "DATETIME", "quasi", "azure-pii:DateTime"),
        ("Velbrin", "LOC", "quasi", "azure-pii:Address"),
        ("020 7946 0018", "CODE", "direct", "azure-pii:PhoneNumber"),
    ]
    assert path == "/language/:analyze-text?api-version=2023-04-01"
    assert {key.lower(): value for key, value in headers.items()}["ocp-apim-subscription-key"] == "secret-key"
    assert sent["kind"] == "PiiEntityRecognition"
    assert sent["parameters"] == {
        "modelVersion": "latest",
        "stringIndexType": {"utf16": "Utf16CodeUnit", "code-points": "UnicodeCodePoint"}[unit],
        "domain": "phi",
        "loggingOptOut": True,
        "piiCategories": ["Person", "Address"],
    }
    # The ids of documents stay here, and an empty text is not sent.
    assert [document["id"] for document in sent["analysisInput"]["documents"]] == ["0", "1"]
    assert detector.remarks == ["azure-pii: the texts of this run were sent to 127.0.0.1"]


def test_batches_of_five_and_long_texts_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    long = "filler word " * 1500 + LETTER
    documents = [Document(str(number), LETTER) for number in range(6)] + [Document("long", long)]
    with azure_server(monkeypatch) as server:
        detected = AzurePii(language="en").detect(documents)
        sizes = [len(sent["analysisInput"]["documents"]) for sent in server.posted]
        texts = [document["text"] for sent in server.posted for document in sent["analysisInput"]["documents"]]
    assert max(sizes) == 5
    assert max(map(len, texts)) <= 5000
    assert [len(spans) for spans in detected] == [4] * 7
    assert long[detected[-1][0].start : detected[-1][0].end] == "Ida Quorvex"


@pytest.mark.parametrize("longest", [1000, 5000])
def test_parts_cover_the_text_once(longest: int) -> None:
    text = "ab cd " * 3000 + "x" * 9000
    ranges = list(text_ranges(text, longest))
    assert ranges[0][0] == 0
    assert ranges[-1][1] == len(text)
    assert all(before[1] == after[0] for before, after in pairwise(ranges))
    assert max(end - start for start, end in ranges) <= longest - 200
    assert list(text_ranges(" \n", longest)) == []


def test_low_scores_fall_below_the_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    with azure_server(monkeypatch):
        assert AzurePii(threshold=0.95).detect([Document("1", LETTER)]) == [[]]
        assert len(AzurePii(threshold="leave-nothing").detect([Document("1", LETTER)])[0]) == 4


def test_labels_of_the_user_count_before_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    with azure_server(monkeypatch):
        detector = AzurePii(labels={"Event": "DATETIME", "Address": "ORG"})
        assert [detector.label(kind) for kind in ("Event", "Address", "Person")] == ["DATETIME", "ORG", "PERSON"]
        kinds = ("Event", "PersonType", "Age", "USSocialSecurityNumber", "EUPassportNumber", "NZInlandRevenueNumber")
        assert [AzurePii().label(kind) for kind in kinds] == ["MISC", "DEM", "DEM", "CODE", "CODE", "CODE"]


def test_a_document_that_azure_refuses_is_withheld_and_the_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def behave(handler: Handler, sent: dict[str, Any], number: int) -> None:
        sent["analysisInput"]["documents"][0]["language"] = "fo"
        azure(handler, sent, number)

    with azure_server(monkeypatch, behave):
        detector = AzurePii()
        detected = detector.detect([Document("a", LETTER), Document("b", LETTER)])
        assert [len(spans) for spans in detected] == [0, 4]
        # The code, and nothing of the message, which may quote the text.
        assert detector.failed == {"a": "azure-pii: the service refused it (UnsupportedLanguageCode)"}
        pipeline = Pipeline(recipes.load("published/azure-pii"))
        first, second = pipeline.anonymize([Document("a", LETTER), Document("b", LETTER)])
    assert isinstance(first, Withheld)
    assert "UnsupportedLanguageCode" in first.reason
    assert isinstance(second, Release)
    assert second.text == LETTER.replace("Ida Quorvex", "*** *******").replace("3 May 1990", "* *** ****").replace(
        "Velbrin", "*******"
    ).replace("020 7946 0018", "*** **** ****")


def test_a_quota_is_waited_for_as_long_as_azure_says(monkeypatch: pytest.MonkeyPatch, fast_clock: FakeClock) -> None:
    def behave(handler: Handler, sent: dict[str, Any], number: int) -> None:
        if number < 2:
            body = {"error": {"code": "429", "message": "Rate limit is exceeded. Try again in 17 seconds."}}
            handler.say(429, body, {"Retry-After": "17"})
        else:
            azure(handler, sent, number)

    with azure_server(monkeypatch, behave) as server:
        [spans] = AzurePii().detect([Document("1", LETTER)])
        assert len(spans) == 4
        assert len(server.posted) == 3
    assert fast_clock.waits == [17.0, 17.0]


def test_a_quota_that_stays_used_up_withholds(monkeypatch: pytest.MonkeyPatch, fast_clock: FakeClock) -> None:
    def behave(handler: Handler, sent: dict[str, Any], number: int) -> None:
        handler.say(429, {"error": {"code": "429"}}, {"Retry-After": "45"})

    with azure_server(monkeypatch, behave):
        detector = AzurePii(patience=100)
        assert detector.detect([Document("1", LETTER)]) == [[]]
    assert detector.failed == {"1": "azure-pii: the server is busy (429)"}
    assert sum(fast_clock.waits) <= 100


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (401, {"error": {"code": "401", "message": "Access denied"}}, r"denies access \(401\).*LANGUAGE_KEY"),
        (403, {"error": {"code": "403", "message": "Out of call volume quota."}}, r"denies access \(403\).*quota"),
        (404, {"error": {"code": "404", "message": "Resource not found"}}, r"has no such address \(404\)"),
        (
            400,
            {"error": {"code": "InvalidRequest", "innererror": {"code": "InvalidParameterValue", "message": LETTER}}},
            r"refuses the request \(InvalidParameterValue\)",
        ),
    ],
)
def test_what_no_request_could_ever_do_stops_the_run(
    monkeypatch: pytest.MonkeyPatch, status: int, body: Any, message: str
) -> None:
    with azure_server(monkeypatch, lambda handler, sent, number: handler.say(status, body)):
        with pytest.raises(ServiceError, match=message) as raised:
            AzurePii().detect([Document("1", LETTER)])
        assert "Quorvex" not in str(raised.value)
        assert "secret-key" not in str(raised.value)


@pytest.mark.parametrize(
    ("results", "reason"),
    [
        ({"documents": [], "errors": []}, "did not answer for it"),
        ({"documents": [{"id": "0"}]}, "has no list of entities"),
        (None, "has no results"),
        ({"documents": [{"id": "0", "entities": [entity(LETTER, "Ida Quorvex", "Person", "utf16")]}]}, "do not fit"),
        ({"documents": [{"id": "0", "entities": [{"offset": 900, "length": 3, "category": "X"}]}]}, "do not fit"),
        ({"documents": [{"id": "0", "entities": [{"offset": "a", "length": 3, "category": "X"}]}]}, "do not fit"),
    ],
)
def test_answers_that_cannot_be_used_withhold(monkeypatch: pytest.MonkeyPatch, results: Any, reason: str) -> None:
    with azure_server(monkeypatch, lambda handler, sent, number: handler.say(200, {"results": results})):
        detector = AzurePii()
        assert detector.detect([Document("1", LETTER)]) == [[]]
    assert reason in detector.failed["1"]


def test_without_address_or_key_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LANGUAGE_ENDPOINT", raising=False)
    monkeypatch.delenv("LANGUAGE_KEY", raising=False)
    with pytest.raises(RecipeError, match="LANGUAGE_ENDPOINT is not set"):
        AzurePii()
    monkeypatch.setenv("LANGUAGE_ENDPOINT", "https://example.invalid")
    with pytest.raises(RecipeError, match="LANGUAGE_KEY is not set"):
        AzurePii()
    monkeypatch.setenv("LANGUAGE_KEY", "k")
    monkeypatch.setenv("LANGUAGE_ENDPOINT", "http://example.invalid")
    with pytest.raises(RecipeError, match="unencrypted; use https"):
        AzurePii()
    for address in ("example.invalid", "https://me:pass@example.invalid", "ftp://example.invalid", "https://[oops"):
        monkeypatch.setenv("LANGUAGE_ENDPOINT", address)
        with pytest.raises(RecipeError, match="https://HOST"):
            AzurePii()
    with pytest.raises(RecipeError, match="domain is none or phi"):
        AzurePii(domain="law")  # type: ignore[arg-type]


def test_nothing_answers_at_the_address(monkeypatch: pytest.MonkeyPatch, fast_clock: FakeClock) -> None:
    monkeypatch.setenv("LANGUAGE_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("LANGUAGE_KEY", "k")
    with pytest.raises(ServiceError, match="azure-pii: no server answers"):
        AzurePii().detect([Document("1", LETTER)])


def test_the_plain_name_is_guarded_by_our_detectors(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = {"results": {"documents": [{"id": "0", "entities": []}], "errors": []}}
    with azure_server(monkeypatch, lambda handler, sent, number: handler.say(200, nothing)) as server:
        released = sfumato.anonymize("Write to ida@quorvex.example soon.", recipe="azure-pii")
        assert len(server.posted) == 1
    assert "quorvex" not in str(released)
    assert {choice.use for choice in recipes.load("azure-pii").detectors} == {"azure-pii", "rules", "tagger"}
    with pytest.raises(RecipeError, match="always_run: azure-pii asks a service"):
        recipes.parse('always_run = ["azure-pii"]', "mine")


# Offsets.


@pytest.mark.parametrize("unit", ["utf16", "utf8", "code-points"])
def test_units_against_python_s_own_encodings(unit: Any) -> None:
    text = "aé😀b\u0301漢𝒳c"
    sizes = {"utf16": ("utf-16-le", 2), "utf8": ("utf-8", 1), "code-points": ("utf-32-le", 4)}
    encoding, width = sizes[unit]

    def place(count: int) -> int:
        return len(text[:count].encode(encoding)) // width

    units = UnitMap(text, unit)
    assert units.size == place(len(text))
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            assert units.characters(place(start), place(end)) == (start, end)
    for wrong in ((0, 0), (-1, 1), (0, units.size + 1), (3, 2)):
        with pytest.raises(ValueError, match="not in the text"):
            units.characters(*wrong)


def test_a_range_that_cuts_a_character_covers_it() -> None:
    assert UnitMap("a😀b", "utf16").characters(2, 3) == (1, 2)
    assert UnitMap("a😀b", "utf8").characters(3, 4) == (1, 2)


# The generic one.

ANALYZER = """
[request]
url = "{url}"
body = {{ text = "{{text}}", language = "{{language}}" }}
key_env = "MY_KEY"
key_header = "X-Key"
key_value = "{{key}}"

[response]
spans = ""
start = "start"
end = "end"
kind = "entity_type"
score = "score"
offsets = "{unit}"

[labels]
TOWN = "LOC"
"""


def analyzer(handler: Handler, sent: dict[str, Any], number: int) -> None:
    """As an analyzer of Presidio's answers that counts bytes: a list of objects."""
    words = {"Ida Quorvex": "PERSON", "Velbrin": "TOWN", "020 7946 0018": "GADGET"}
    spans = [
        {
            "start": len(sent["text"][: sent["text"].index(word)].encode()),
            "end": len(sent["text"][: sent["text"].index(word)].encode()) + len(word.encode()),
            "entity_type": kind,
            "score": 0.85,
        }
        for word, kind in words.items()
        if word in sent["text"]
    ]
    handler.say(200, spans)


def write_config(tmp_path: Path, text: str, **values: str) -> str:
    path = tmp_path / "service.toml"
    path.write_text(text.format(**values), encoding="utf-8")
    return str(path)


def test_a_service_by_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "abc")
    with serving(analyzer) as server:
        address = f"http://127.0.0.1:{server.server_port}/analyze"
        detector = HttpService(config=write_config(tmp_path, ANALYZER, url=address, unit="utf8"))
        tricky = LETTER + " {language} {text}"
        [spans, nothing] = detector.detect([Document("1", tricky), Document("2", "Nobody.")])
        path, headers, sent = server.seen[0]
    assert [(tricky[s.start : s.end], s.label, s.source) for s in spans] == [
        ("Ida Quorvex", "PERSON", "http-service:PERSON"),
        ("Velbrin", "LOC", "http-service:TOWN"),
        ("020 7946 0018", "MISC", "http-service:GADGET"),
    ]
    assert nothing == []
    assert path == "/analyze"
    assert {key.lower(): value for key, value in headers.items()}["x-key"] == "abc"
    assert sent == {"text": tricky, "language": "en"}
    assert detector.failed == {}


DLP = """
other_label = "CODE"

[request]
url = "https://service.invalid/v2/projects/mine/content:inspect"
body = { item = { value = "{text}" }, inspectConfig = { includeQuote = true } }

[response]
spans = "result.findings"
may_be_missing = true
start = "location.codepointRange.start"
start_if_missing = 0
end = "location.codepointRange.end"
kind = "infoType.name"
text = "quote"
offsets = "code-points"
error = "error.code"
"""


def test_an_answer_with_numbers_as_strings_and_a_first_offset_left_out(tmp_path: Path) -> None:
    path = tmp_path / "dlp.toml"
    path.write_text(DLP, encoding="utf-8")
    settings = read_service_file(path).response
    text = "Ida Quorvex lives in Velbrin."
    first = {"quote": "Ida Quorvex", "infoType": {"name": "PERSON_NAME"}, "location": {"codepointRange": {"end": "11"}}}
    second = {
        "quote": "Velbrin",
        "infoType": {"name": "LOCATION"},
        "location": {"codepointRange": {"start": "21", "end": "28"}},
    }
    answer = read_answer(text, {"result": {"findings": [first, second]}}, settings)
    assert isinstance(answer, list)
    assert [(text[item.start : item.end], item.kind) for item in answer] == [
        ("Ida Quorvex", "PERSON_NAME"),
        ("Velbrin", "LOCATION"),
    ]
    assert read_answer(text, {"result": {}}, settings) == []
    assert read_answer(text, {"error": {"code": 8}}, settings) == "the service reports an error for it"
    wrong = {**second, "quote": "Graz"}
    assert read_answer(text, {"result": {"findings": [wrong]}}, settings) == "the service's offsets do not fit the text"
    strict = settings.model_copy(update={"may_be_missing": False})
    assert read_answer(text, {"result": {}}, strict) == "the service's answer has no result.findings"


def test_a_service_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fast_clock: FakeClock) -> None:
    monkeypatch.setenv("MY_KEY", "abc")
    answers = {0: (413, {}), 1: (200, {"spans": []}), 2: (200, b"<html>")}
    with serving(lambda handler, sent, number: handler.say(*answers[number])) as server:
        address = f"http://127.0.0.1:{server.server_port}/analyze"
        config = write_config(tmp_path, ANALYZER.replace('spans = ""', 'spans = "found"'), url=address, unit="utf16")
        detector = HttpService(config=config)
        documents = [Document(name, LETTER) for name in "abc"]
        assert detector.detect(documents) == [[], [], []]
    assert detector.failed == {
        "a": "http-service: the service refused the request (413)",
        "b": "http-service: the service's answer has no found",
        "c": "http-service: a web page instead of an answer",
    }
    for status, message in ((400, "check request.body"), (401, "MY_KEY")):
        with serving(lambda handler, sent, number, status=status: handler.say(status, {})) as server:  # type: ignore[misc]
            address = f"http://127.0.0.1:{server.server_port}/analyze"
            with pytest.raises(ServiceError, match=message):
                HttpService(config=write_config(tmp_path, ANALYZER, url=address, unit="utf8")).detect(documents)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("[request]", "[reqest]"), "request: field required"),
        (('key_env = "MY_KEY"', 'key_nev = "MY_KEY"'), "request.key_nev: .*known are url"),
        (('end = "end"', ""), "give end or length"),
        (('end = "end"', 'end = "end"\nlength = "n"'), "give end or length"),
        (("{{text}}", "nothing"), "no text would be sent"),
        (('offsets = "{unit}"', 'offsets = "letters"'), "response.offsets"),
        (('TOWN = "LOC"', 'TOWN = "PLACE"'), "no label 'PLACE'"),
        (("[response]", "[response"), "not valid TOML"),
        (('key_env = "MY_KEY"', 'key_env = "NO_SUCH_VARIABLE"'), "NO_SUCH_VARIABLE .* is not set"),
    ],
)
def test_a_wrong_file_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: tuple[str, str], message: str
) -> None:
    monkeypatch.setenv("MY_KEY", "abc")
    config = write_config(tmp_path, ANALYZER.replace(*change), url="https://service.invalid", unit="utf8")
    with pytest.raises(RecipeError, match=message):
        HttpService(config=config)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"none.toml: cannot be read"):
        HttpService(config=str(tmp_path / "none.toml"))


def test_paths_and_templates() -> None:
    content = {"documents": [{"entities": [1, 2]}, {"entities": [3]}, {"other": 4}], "empty": None}
    assert values_at(content, "documents.*.entities") == [[1, 2], [3]]
    assert values_at(content, "documents.*.entities.*") == [1, 2, 3]
    assert values_at(content, "") == [content]
    assert values_at(content, "empty") == []
    assert values_at(content, "a.b") == []
    template = {"a": ["{text}", 3], "b": {"c": "<{text}|{language}>"}}
    assert fill_template(template, {"text": "{language}", "language": "en"}) == {
        "a": ["{language}", 3],
        "b": {"c": "<{language}|en>"},
    }
    assert json.dumps(template)  # unchanged
