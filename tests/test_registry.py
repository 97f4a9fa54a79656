"""Names lead to plug-ins, built-in or not, by one door."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from sfumato import Document, registry
from sfumato.detectors.base import Detector
from sfumato.errors import InputError, MissingExtra, RecipeError, UnknownName


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


@pytest.mark.parametrize("name", registry.names("detector"))
def test_every_detector_keeps_its_contract(name: str) -> None:
    try:
        detector = registry.create("detector", name, {})
    except (MissingExtra, InputError) as missing:
        pytest.skip(str(missing))
    assert isinstance(detector, Detector)
    documents = [Document("1", "", annotations=()), Document("2", "Anna Quorvex, anna@example.org", annotations=())]
    found = detector.detect(documents)
    assert len(found) == 2
    assert found[0] == []
    for document, spans in zip(documents, found, strict=True):
        for span in spans:
            assert 0 <= span.start < span.end <= len(document.text)
            assert span.source.partition(":")[0] == name
    with pytest.raises(RecipeError, match="no option 'speed'"):
        registry.create("detector", name, {"speed": 9})


class Shout:
    """Put the text in capitals."""

    paper = extra = None

    def replace(self, document: Document, spans: list[object]) -> list[object]:
        return []


def test_a_third_party_plug_in_comes_in_by_an_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("shout", f"{__name__}:Shout", "sfumato.replacers")
    monkeypatch.setattr(EntryPoint, "load", lambda self: Shout)
    monkeypatch.setattr(registry, "_points", lambda kind: {"shout": point})
    assert registry.describe("replacer", "shout").purpose == "Put the text in capitals."
    assert isinstance(registry.create("replacer", "shout", {}, ledger=None), Shout)
