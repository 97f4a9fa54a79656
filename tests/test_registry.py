"""Names lead to plug-ins, built-in or not, by one door."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from sfumato import registry
from sfumato.detectors.base import Detector
from sfumato.document import Document, Release, Withheld
from sfumato.errors import InputError, MissingExtra, RecipeError, UnknownName
from sfumato.llm.replay import ScriptedChat
from sfumato.llm.usage import Usage
from sfumato.rewriters.base import Rewriter
from tests.chats import minimal_chat, unreadable_chat
from tests.detectors.small_model import SMALL
from tests.llm.server import Handler, serving
from tests.rewriters.chats import WITH_SCORES, LetterChat

BY_SPACY = ("spacy", "presidio")
NEED_EXTRAS = (*BY_SPACY, "hf-tagger")
DETECTORS = [
    pytest.param(name, marks=pytest.mark.extras) if name in NEED_EXTRAS else name for name in registry.names("detector")
]
SERVICE_FILE = """
[request]
url = "{url}"
body = {{ text = "{{text}}" }}
[response]
spans = "spans"
end = "end"
kind = "kind"
offsets = "code-points"
"""


def find_first_word(handler: Handler, sent: dict[str, Any], number: int) -> None:
    """A service that finds the first four characters, in the shape of whoever asks."""
    if "text" in sent:
        handler.say(200, {"spans": [{"start": 0, "end": 4, "kind": "PERSON"}]})
        return
    entity = {"text": "Anna", "category": "Person", "offset": 0, "length": 4, "confidenceScore": 0.9}
    documents = [{"id": document["id"], "entities": [entity]} for document in sent["analysisInput"]["documents"]]
    handler.say(200, {"results": {"documents": documents, "errors": []}})


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], dict[str, Any]]]:
    """What each detector needs before it can work: a model, or a service on this machine."""
    with serving(find_first_word) as server:
        address = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setenv("LANGUAGE_ENDPOINT", address)
        monkeypatch.setenv("LANGUAGE_KEY", "key")
        config = tmp_path / "service.toml"
        config.write_text(SERVICE_FILE.format(url=address))

        def of(name: str) -> dict[str, Any]:
            if name == "hf-tagger":
                return {"model": tiny_tagger(tmp_path / "model"), "threshold": 0.0}
            return {"config": str(config)} if name == "http-service" else {"model": SMALL} if name in BY_SPACY else {}

        yield of


def tiny_tagger(folder: Path) -> str:
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("torch")
    from tests.models.tiny import saved

    kind, labels = transformers.BertForTokenClassification, {0: "O", 1: "B-PER", 2: "I-PER"}
    saved(kind, transformers.BertConfig, folder, layers=1, longest=32, num_labels=3, id2label=labels)
    return str(folder)


@pytest.mark.parametrize("kind", registry.KINDS)
def test_every_plug_in_loads_and_says_its_purpose(kind: str) -> None:
    assert registry.names(kind)
    for name in registry.names(kind):
        plugin = registry.describe(kind, name)
        assert 10 < len(plugin.purpose) < 130, name


def test_wrong_names_are_named() -> None:
    with pytest.raises(UnknownName, match="no detector 'rulez': did you mean 'rules'"):
        registry.get("detector", "rulez")
    with pytest.raises(UnknownName, match="no kind of plug-in 'wizard'"):
        registry.names("wizard")


@pytest.mark.parametrize("chat", [minimal_chat(), unreadable_chat()], ids=lambda chat: str(chat.name))
@pytest.mark.filterwarnings("default")  # of spaCy and Presidio
@pytest.mark.parametrize("name", DETECTORS)
def test_every_detector_keeps_its_contract(
    name: str, chat: ScriptedChat, options: Callable[[str], dict[str, Any]]
) -> None:
    try:
        detector = registry.create("detector", name, options(name), chat=chat)
    except (MissingExtra, InputError) as missing:
        pytest.skip(str(missing))
    assert isinstance(detector, Detector)
    documents = [Document("1", "", annotations=()), Document("2", "Anna Quorvex, anna@example.org", annotations=())]
    detected = detector.detect(documents)
    assert len(detected) == 2
    assert detected[0] == []
    for document, spans in zip(documents, detected, strict=True):
        for span in spans:
            assert 0 <= span.start < span.end <= len(document.text)
            assert span.source.partition(":")[0].partition("@")[0] == name
    with pytest.raises(RecipeError, match="no option 'speed'"):
        registry.create("detector", name, {"speed": 9})


@pytest.mark.parametrize("kind", registry.KINDS)
def test_what_asks_a_language_model_says_so_where_there_is_none(kind: str) -> None:
    for name in registry.names(kind):
        if kind != "metric" and registry.asks(kind, name, {}):
            with pytest.raises(RecipeError, match=f"{name}' needs a language model: give --chat"):
                registry.create(kind, name, {}, chat=None, ledger=None)


@pytest.mark.parametrize(
    ("kind", "name", "needed"),
    [
        ("detector", "rules", False),
        ("detector", "sparks", True),
        ("replacer", "generalize", False),
        ("replacer", "abstract", True),
        ("rewriter", "dp-prompt", True),
        ("attack", "bm25", False),
        ("attack", "rag", True),
        ("metric", "request-categories", True),
        ("metric", "rouge-l", False),
    ],
)
def test_what_needs_a_language_model_is_described_so(kind: str, name: str, needed: bool) -> None:
    assert registry.describe(kind, name).needs_chat is needed


@pytest.mark.parametrize("chat", [minimal_chat(), unreadable_chat()], ids=lambda chat: str(chat.name))
@pytest.mark.parametrize("name", registry.names("rewriter"))
def test_every_rewriter_keeps_its_contract(name: str, chat: ScriptedChat) -> None:
    given = LetterChat(lambda written: [0.0, *[-30.0] * 7]) if name in WITH_SCORES else chat
    rewriter = registry.create("rewriter", name, {}, chat=given)
    assert isinstance(rewriter, Rewriter)
    documents = [Document("1", "Anna Quorvex lives by the sea."), Document("2", "")]
    outcomes = rewriter.rewrite(documents)
    assert [outcome.document for outcome in outcomes] == documents
    for outcome in outcomes:
        assert outcome.reason if isinstance(outcome, Withheld) else isinstance(outcome, Release)
    assert isinstance(rewriter.usage, Usage)


class Shout:
    """Put the text in capitals."""

    cite = extra = None

    def replace(self, document: Document, spans: list[object]) -> list[object]:
        return []


def test_a_third_party_plug_in_comes_in_by_an_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("shout", f"{__name__}:Shout", "sfumato.replacers")
    monkeypatch.setattr(EntryPoint, "load", lambda self: Shout)
    monkeypatch.setattr(registry, "_points", lambda kind: {"shout": point})
    assert registry.describe("replacer", "shout").purpose == "Put the text in capitals."
    assert isinstance(registry.create("replacer", "shout", {}, ledger=None), Shout)


@pytest.fixture
def points(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EntryPoint]]:
    """What packages announce, to be filled by a test."""
    announced: list[EntryPoint] = []
    monkeypatch.setattr(registry, "_all_points", lambda: EntryPoints(announced))
    registry._points.cache_clear()
    yield announced
    registry._points.cache_clear()


def test_a_name_that_two_packages_bring_is_refused(points: list[EntryPoint]) -> None:
    points += [EntryPoint("shout", f"{where}:Shout", "sfumato.replacers") for where in ("one", "other", "one")]
    with pytest.raises(RecipeError, match="two packages bring a replacer 'shout', one:Shout and other:Shout"):
        registry.names("replacer")
    del points[1]  # the same thing announced twice is no clash
    assert registry.names("replacer") == ["shout"]


@pytest.mark.parametrize("where", ["no_such_module:Shout", f"{__name__}:Whisper"])
def test_a_plug_in_that_cannot_be_imported_is_named(points: list[EntryPoint], where: str) -> None:
    points.append(EntryPoint("shout", where, "sfumato.replacers"))
    with pytest.raises(RecipeError, match=f"replacer 'shout' cannot be imported from {where} .*: correct or uninstall"):
        registry.create("replacer", "shout", {})


class Ledgered:
    """Use a ledger."""

    def __init__(self, *, ledger: object = None, mark: str = "") -> None:
        self.ledger = ledger


@pytest.mark.parametrize(
    ("uses", "problem"),
    [
        ((), r"replacer 'keyed' has a parameter 'ledger' without declaring it: add uses = \('ledger',\) to its class"),
        (("ledger", "mark"), r"declares uses = \('ledger', 'mark'\), but a replacer can use ledger, chat"),
        (("ledger", "chat"), "declares that it uses 'chat': add a keyword-only parameter 'chat'"),
    ],
)
def test_a_plug_in_declares_what_it_is_given(
    points: list[EntryPoint], monkeypatch: pytest.MonkeyPatch, uses: tuple[str, ...], problem: str
) -> None:
    points.append(EntryPoint("keyed", f"{__name__}:Ledgered", "sfumato.replacers"))
    monkeypatch.setattr(Ledgered, "uses", uses, raising=False)
    with pytest.raises(RecipeError, match=problem):
        registry.create("replacer", "keyed", {}, ledger="book")
    monkeypatch.setattr(Ledgered, "uses", ("ledger",))
    assert registry.create("replacer", "keyed", {}, ledger="book", chat="nobody").ledger == "book"


@pytest.mark.parametrize("kind", registry.RESOURCES)
def test_every_plug_in_declares_what_it_uses(kind: str) -> None:
    for name in registry.names(kind):
        plugin = registry.get(kind, name)
        assert registry._declared_uses(kind, name, plugin) == tuple(getattr(plugin, "uses", ()))


def test_a_default_reaches_what_uses_it_and_nothing_else() -> None:
    with pytest.raises(UnknownName, match="'magic'"):
        registry.create("attack", "dense", {}, defaults={"embedder": "magic"})
    assert registry.create("attack", "tfidf", {}, defaults={"embedder": "magic"}).name == "tfidf"
