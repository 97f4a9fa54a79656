"""``sfumato.protect`` on files and objects: the same as the command, and a stopped run is taken up again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sfumato.api import protect
from sfumato.document import Document, Release, Withheld
from sfumato.errors import InputError, NotReleased, RecipeError, UnknownName
from sfumato.pipeline import Pipeline
from sfumato.progress import Progress
from sfumato.protection.preparation import as_initial
from sfumato.protection.records import Protection
from sfumato.protection.target import Target
from tests.protection.invented_corpus import background, starts

KNOWN = {person.id: list(person.texts) for person in background().people}
DOCUMENTS = [start.document for start in starts(4)]
POLISH = (
    "Powódka Anna Kwiatkowska wniosła o zasądzenie od pozwanego kwoty pięciu tysięcy złotych wraz z odsetkami. "
    "W uzasadnieniu pozwu wskazała, że pozwany nie zapłacił za wykonane prace remontowe w jej mieszkaniu."
)


def quick(originals: Any = DOCUMENTS, known: Any = KNOWN, **options: Any) -> Protection:
    """Starts from texts, which spares the recipe."""
    given = {document.id: document.text for document in DOCUMENTS}
    return protect(originals, known, **{"k": 3, "attacks": ["bm25"], "releases": given, **options})


def test_documents_go_through_the_recipe_and_then_the_loop() -> None:
    named = [Document(item.id, f"Anna Quorvex wrote this. {item.text}") for item in DOCUMENTS]
    protection = protect([*named, Document("n7", POLISH)], KNOWN, k=3, attacks=["bm25"], recipe="labels")
    for document in protection.documents[:-1]:
        assert "Quorvex" not in document.release.text
        assert isinstance(document.initial, Release)
        assert document.initial.text.startswith("PERSON_1 wrote this.")
    assert protection.documents[-1].withheld
    with pytest.raises(NotReleased, match="n7: withheld"):
        _ = protection.documents[-1].release


def test_files_are_read_as_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(
        "".join(json.dumps({"id": entry.id, "text": entry.text}) + "\n" for entry in DOCUMENTS)
    )
    (tmp_path / "people.json").write_text(json.dumps({key: " ".join(texts) for key, texts in KNOWN.items()}))
    result = quick(tmp_path / "in.jsonl", tmp_path / "people.json", releases=tmp_path / "in.jsonl")
    assert result.people == 24
    assert [document.id for document in result.documents] == [item.id for item in DOCUMENTS]


def test_a_cache_spares_finished_documents_and_keeps_the_ranks(tmp_path: Path, loop_runs: list[int]) -> None:
    cache = tmp_path / "cache.sqlite"

    def stop(step: Progress) -> None:
        if step.stage == "protecting" and step.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        quick(cache=cache, on_progress=stop)
    assert len(loop_runs) == 2
    whole = quick(cache=cache)
    first = len(loop_runs)
    again = quick(cache=str(cache))
    assert len(loop_runs) == first
    for one, other in zip(again.documents, whole.documents, strict=True):
        assert one.release.text == other.release.text
        assert (one.repairs, one.loss, one.ranks, one.secret_rank) == (
            other.repairs, other.loss, other.ranks, other.secret_rank,
        )  # fmt: skip
    assert [column.attacks for column in again.scenarios] == [column.attacks for column in whole.scenarios]


def test_another_background_target_or_text_is_done_again(tmp_path: Path, loop_runs: list[int]) -> None:
    cache = tmp_path / "cache.sqlite"
    quick(cache=cache)
    more = {key: [*texts, "And they like a room of their own."] for key, texts in KNOWN.items()}
    for change in ({"known": more}, {"k": 12}, {"attacker_knowledge": 2.0}, {"budget": 0.5}):
        before = len(loop_runs)
        quick(**{"cache": cache, **change})
        assert len(loop_runs) > before


def test_problems_raise_before_the_recipe_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*arguments: object) -> None:
        raise AssertionError("the recipe ran")

    monkeypatch.setattr(Pipeline, "anonymize", never)
    fresh = {"releases": None}
    with pytest.raises(InputError, match="24 people, so nobody can hide among 25"):
        quick(k=25, **fresh)
    with pytest.raises(RecipeError, match="the attacker knowledge is"):
        quick(attacker_knowledge=0.1, **fresh)
    with pytest.raises(RecipeError, match="contradict each other"):
        quick(target_risk=0.09, **fresh)
    with pytest.raises(RecipeError, match="budget is"):
        quick(budget=2, **fresh)
    with pytest.raises(InputError, match="1 problem with"):
        quick(known={**KNOWN, "empty": ""}, **fresh)


def test_an_unknown_attack_is_named() -> None:
    with pytest.raises(UnknownName, match="telepathy"):
        quick(attacks=["telepathy"])


def test_without_a_background_the_documents_are_the_population() -> None:
    assert quick(known=None, attacks=None).guarantee == "population"


def test_of_a_release_of_which_only_the_text_is_known_the_text_is_the_document() -> None:
    document = Document("d", "Anna Quorvex came home.", ("anna",))
    edited = Release(document)
    assert as_initial(edited, Target()) is edited
    made = as_initial(Release.rewritten(document, "Someone came home."), Target())
    assert isinstance(made, Release)
    assert made.document.text == made.text == "Someone came home."
    assert (made.document.id, made.document.subjects, made.rewrite) == ("d", ("anna",), None)


def test_what_a_recipe_withholds_stays_withheld() -> None:
    withheld = Withheld(Document("b", POLISH), "in a language no active detector covers (pl)", "pl")
    assert as_initial(withheld, Target(release_anyway=True)) is withheld
