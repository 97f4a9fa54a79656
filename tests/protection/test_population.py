"""Without a background: the other documents are the crowd, and nothing counts as verified."""

from __future__ import annotations

import pytest

from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import InputError
from sfumato.protection.certificate import verdict
from sfumato.protection.pages import page
from sfumato.protection.protect import protect_releases
from sfumato.protection.records import Protection
from sfumato.protection.target import Options, Target
from tests.protection.invented_corpus import starts


def protect(given: list[Release], target: Target | None = None, secret: bytes = b"one") -> Protection:
    return protect_releases(given, None, target or Target(3), Options(secret=secret))


@pytest.fixture(scope="module")
def found() -> Protection:
    return protect([*starts(6), Release(Document("blank", " "))])


def test_nothing_is_verified_and_that_is_said(found: Protection) -> None:
    assert found.guarantee == "population"
    assert not found.met
    assert found.is_acceptable
    assert (found.scenarios, found.before, found.after) == ((), {}, {})
    assert verdict(found, found.met).startswith("Nothing was verified")
    assert "Nothing was verified" in page(found)
    told = found.to_json()
    assert (told["met"], told["guarantee"], told["scenarios"], told["people"]) == (False, "population", [], 6)


def test_what_other_attackers_find_is_measured_beside_it() -> None:
    given = []
    for start in starts(4):
        document = Document(start.document.id, f"In Marseille: {start.text}")
        given.append(Release(document, (Edit(Span(3, 12, "LOC"), "a city in France"),)))
    protection = protect(given)
    before, after = protection.checks["inference-rate"]
    assert 0 <= after.value <= 1
    assert before.n == 4
    assert protection.to_json()["checks"]["inference-rate"] == {"before": before.value, "after": after.value}


def test_a_blank_document_is_withheld(found: Protection) -> None:
    assert [(withheld_document.id, withheld_document.withheld) for withheld_document in found.withheld] == [
        ("blank", "it holds no text")
    ]
    assert [document.id for document in found.documents][-1] == "blank"


def test_the_same_secret_gives_the_same_text(found: Protection) -> None:
    again = protect([*starts(6), Release(Document("blank", " "))])
    assert again.documents == found.documents
    assert again.background == found.background
    assert protect(starts(5)).background != found.background


@pytest.mark.parametrize(("count", "said"), [(0, "0 people are"), (1, "one person is"), (2, "2 people are")])
def test_too_few_documents_are_an_error_that_says_what_to_do(count: int, said: str) -> None:
    with pytest.raises(InputError, match=f"{said} too few to hide among 3.*--background"):
        protect([*starts(count), Release(Document("blank", ""))])


def test_people_are_counted_and_not_documents() -> None:
    given = [Release(Document(start.document.id, start.text, ("same",))) for start in starts(6)]
    with pytest.raises(InputError, match="one person is too few"):
        protect(given)


def test_release_anyway_releases_what_misses_the_target() -> None:
    strict = Target(5, budget=0.0)
    held = protect(starts(6), strict)
    released_anyway = protect(starts(6), Target(5, budget=0.0, release_anyway=True))
    assert released_anyway.withheld == []
    assert {release.id for release in held.released} <= {document.id for document in released_anyway.released}
    assert not released_anyway.met
