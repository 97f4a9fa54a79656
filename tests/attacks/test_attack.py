"""``sfumato.attack``: from originals, releases and a background to a report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.attacks.background import as_background
from sfumato.attacks.base import is_linking
from sfumato.attacks.ground_truth import match_subjects
from sfumato.attacks.risk import headline
from sfumato.attacks.suite import Suite, default_attacks
from sfumato.cli.options import parse_settings
from sfumato.document import Attempt, Document, Edit, Evidence, Guess, Release, Span
from sfumato.errors import InputError, NotMeasurable, RecipeError, UnknownName
from sfumato.llm.chat import Request
from sfumato.llm.replay import ScriptedChat
from tests.attacks.linking import ORIGINALS, PEOPLE, RELEASED, Fixed, SharedWords


def test_a_report_says_who_is_found_and_by_what() -> None:
    report = sfumato.attack(ORIGINALS, RELEASED, PEOPLE, [SharedWords()])
    words = report.attacks["words"]
    assert (words.risk, words.n, words.found, words.median_rank) == (0.5, 4, 2, None)
    assert (report.strongest.attack, report.strongest.risk, report.strongest.rank) == ("words", 0.5, 1)
    assert (report.any.risk, report.people) == (0.5, 5)
    assert report.any.chance == pytest.approx(0.2)
    assert [document.id for document in report.documents] == ["anna", "belo", "cora", "dano"]
    anna = report.documents[0]
    assert (anna.candidates, anna.linked_by, anna.ranks, anna.margin) == (1, ("words",), {"words": 1}, 1.0)
    assert [quote.term for quote in anna.evidence] == ["pigeons", "races"]
    assert all(RELEASED["anna"][quote.start : quote.end] == quote.term for quote in anna.evidence)
    assert (report.documents[2].candidates, report.documents[2].evidence) == (None, ())
    assert report.exposed == 2
    assert report.excluded["people_without_release"] == 1
    assert headline(report) == (
        "1 in 2 of the people in these 4 releases can be found by the strongest attack, words: 50 % "
        "(95 % interval 15 % to 85 %)."
    )


def test_the_json_is_as_the_design_says() -> None:
    told = sfumato.attack(ORIGINALS, RELEASED, PEOPLE, [SharedWords()]).to_json()
    assert set(told["attacks"]["words"]) == {"risk", "interval", "n", "median_rank"}
    assert set(told["strongest"]) == {"attack", "risk", "interval"}
    assert set(told["any"]) == {"risk", "interval", "chance"}
    assert set(told["documents"][0]) == {"id", "candidates", "linked_by", "ranks", "margin", "evidence"}
    assert told["candidates"]["below_11"] == 0.5


def test_what_cannot_be_matched_is_left_out_and_counted() -> None:
    originals = [*ORIGINALS, Document("fremd", "A stranger races pigeons.")]
    report = sfumato.attack(originals, {**RELEASED, "fremd": "A stranger races pigeons."}, PEOPLE, [SharedWords()])
    assert report.n == 4
    assert report.excluded["releases_without_background"] == 1
    assert "1 documents are about nobody in it" in str(report.problems[0])


def test_a_table_beside_the_documents_says_whom_they_are_about(tmp_path: Path) -> None:
    originals = {f"note {document.id}": document.text for document in ORIGINALS}
    released = {f"note {key}": text for key, text in RELEASED.items()}
    about = {f"note {key}": key for key in RELEASED}
    (tmp_path / "about.csv").write_text("id,subjects\n" + "".join(f"{key},{one}\n" for key, one in about.items()))
    for given in (about, tmp_path / "about.csv"):
        report = sfumato.attack(originals, released, PEOPLE, [SharedWords()], subject_table=given)
        assert (report.strongest.risk, report.n, report.problems) == (0.5, 4, ())
        measured = sfumato.measure(
            originals, released, metrics=["risk"], background=PEOPLE, attacks=[SharedWords()], subject_table=given
        )
        assert measured.scores["risk"].value == 0.5
        compared = sfumato.compare(
            originals,
            {"own": released},
            metrics=["risk"],
            background=PEOPLE,
            attacks=[SharedWords()],
            subject_table=given,
        )
        assert compared.attacks["own"].strongest.risk == 0.5


def test_a_release_that_cannot_be_attacked_is_told_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no release is left to attack: 1 problems .the first: .* hold no text"):
        sfumato.attack({"anna": " "}, {"anna": "x"}, PEOPLE)


def test_nothing_matched_is_an_error_and_no_risk_of_zero() -> None:
    with pytest.raises(NotMeasurable, match="not one of 4 documents"):
        sfumato.attack(ORIGINALS, RELEASED, {"x": "Anna races pigeons.", "y": "Belo"}, [SharedWords()])
    with pytest.raises(InputError, match="not one of its 1 ids"):
        sfumato.attack(ORIGINALS, {"z": "x"}, PEOPLE, [SharedWords()])


def test_a_blank_release_names_nobody_and_counts() -> None:
    blank = dict.fromkeys(RELEASED, " ")
    attack = SharedWords()
    report = sfumato.attack(ORIGINALS, blank, PEOPLE, [attack])
    assert (report.strongest.risk, report.n, attack.runs) == (0.0, 4, 0)
    assert report.strongest.interval[1] == pytest.approx(0.4899, abs=1e-4)  # Wilson's for 0 of 4
    assert report.excluded["blank_releases"] == 4
    assert "Nobody in 4 releases was found" in headline(report)
    assert "up to 49 %" in headline(report)


def test_a_release_in_another_language_is_attacked_like_any_other() -> None:
    report = sfumato.attack({"anna": "x y"}, {"anna": "Она гоняет голубей 鳩."}, PEOPLE, [SharedWords()])
    assert (report.strongest.risk, report.n) == (0.0, 1)


def test_subjects_lead_to_people_and_the_best_of_them_counts() -> None:
    originals = [Document("n1", "x", subjects=("edda", "belo")), Document("n2", "x", subjects=("belo",))]
    released = {"n1": "bread and choir", "n2": "hats"}
    report = sfumato.attack(originals, released, PEOPLE, [SharedWords()])
    assert {document.id: document.ranks["words"] for document in report.documents} == {"n1": 1, "n2": None}


def test_people_who_tie_count_as_found_but_are_not_quoted() -> None:
    report = sfumato.attack({"anna": "x"}, {"anna": "pigeons, bread"}, PEOPLE, [SharedWords()])
    (one,) = report.documents
    assert (one.ranks, one.candidates, one.evidence) == ({"words": 1}, 2, ())


def test_several_attacks_and_the_best_rank() -> None:
    second = Fixed("second", {key: [("edda", 2.0), (key, 1.0)] for key in RELEASED})
    report = sfumato.attack(ORIGINALS, RELEASED, PEOPLE, [SharedWords(), second], rank="best")
    assert (report.strongest.attack, report.strongest.rank, report.strongest.risk) == ("second", 2, 1.0)
    assert "at rank 2" in headline(report)
    assert report.to_json()["best_rank"]["second"]["rank"] == 2
    plain = sfumato.attack(ORIGINALS, RELEASED, PEOPLE, [SharedWords(), second])
    assert (plain.strongest.attack, plain.strongest.risk) == ("words", 0.5)
    assert plain.any.chance == pytest.approx(1 - 0.8**2)
    assert [document.candidates for document in plain.documents] == [1, 1, 2, 2]
    with pytest.raises(RecipeError, match="rank is 'worst'"):
        sfumato.attack(ORIGINALS, RELEASED, PEOPLE, [SharedWords()], rank="worst")


def test_mask_files_and_releases_are_attacked(tmp_path: Path) -> None:
    releases = [Release(document, (Edit(Span(0, document.text.index(" "), "PERSON"), ""),)) for document in ORIGINALS]
    report = sfumato.attack(ORIGINALS, releases, PEOPLE, [SharedWords()])
    assert report.strongest.risk == 1.0  # the family names are still there
    masks = tmp_path / "masks.json"
    masks.write_text('{"anna": [[0, 12]], "belo": [[0, 10]], "cora": [[0, 21]], "dano": [[0, 11]]}')
    assert sfumato.attack(ORIGINALS, masks, PEOPLE, [SharedWords()]).strongest.risk == 0.5


def test_an_audit_names_the_originals_of_renumbered_releases(tmp_path: Path) -> None:
    edit = {"start": 0, "end": 12, "label": "PERSON", "replacement": "", "reasons": []}
    lines: list[dict[str, Any]] = [
        {"id": key, "released_id": f"doc-{number}", "file": "in.jsonl", "edits": [{**edit, "end": end}]}
        for number, (key, end) in enumerate({"anna": 12, "belo": 10, "cora": 21}.items())
    ]
    lines.append({"id": "dano", "released_id": None, "file": "in.jsonl", "edits": [], "withheld": "it holds no text"})
    audit = tmp_path / "audit.jsonl"
    audit.write_text("".join(json.dumps(line) + "\n" for line in lines))
    report = sfumato.attack(ORIGINALS, audit, PEOPLE, [SharedWords()])
    assert {document.id for document in report.documents} == {"anna", "belo", "cora"}
    assert "1 originals have no release" in str(report.problems[0])
    audit.write_text(json.dumps({**lines[0], "rewritten": ["by a model"]}))
    with pytest.raises(InputError, match=r"line 1: was rewritten as a whole.*masks\.json"):
        sfumato.attack(ORIGINALS, audit, PEOPLE, [SharedWords()])


def test_an_attack_is_fitted_once_and_only_when_it_runs() -> None:
    attack = SharedWords()
    suite = Suite(as_background(PEOPLE), [attack])
    truth = match_subjects(ORIGINALS, suite.background)
    assert attack.fits == 0
    suite.run("words", RELEASED, truth)
    suite.run("words", RELEASED, truth)
    assert (attack.fits, attack.runs) == (1, 2)


def test_an_attack_that_leaves_releases_out_is_refused() -> None:
    class Lazy(SharedWords):
        def run(self, released: Any) -> Any:
            return []

    with pytest.raises(NotMeasurable, match="said nothing about 4 of 4 releases"):
        sfumato.attack(ORIGINALS, RELEASED, PEOPLE, [Lazy()])


def test_what_is_no_linking_attack_is_told_apart() -> None:
    class Inference:
        kind = "inference"

    assert is_linking(SharedWords)
    assert is_linking(SharedWords())
    assert not is_linking(Inference)
    with pytest.raises(UnknownName, match="'inference' does not link texts to people"):
        sfumato.attack(ORIGINALS, RELEASED, PEOPLE, ["inference"])
    with pytest.raises(UnknownName, match="no attack"):
        sfumato.attack(ORIGINALS, RELEASED, PEOPLE, ["mindreading"])
    with pytest.raises(UnknownName, match="does not run"):
        sfumato.attack(ORIGINALS, RELEASED, PEOPLE, [SharedWords()], settings={"bm25": {"k1": 2}})


def test_an_attack_declares_its_kind() -> None:
    class Undeclared(SharedWords):
        kind = None  # type: ignore[assignment]

    class Misspelled(SharedWords):
        kind = "linkage"  # type: ignore[assignment]

    class Silent:
        name, kind = "silent", "linking"

    with pytest.raises(RecipeError, match=r"'words' declares no kind: add kind = .linking. to its class"):
        sfumato.attack(ORIGINALS, RELEASED, PEOPLE, [Undeclared()])  # type: ignore[list-item]
    with pytest.raises(RecipeError, match="'words' declares kind = 'linkage': add kind = "):
        sfumato.attack(ORIGINALS, RELEASED, PEOPLE, [Misspelled()])  # type: ignore[list-item]
    with pytest.raises(RecipeError, match=r"'silent' declares kind = 'linking' but has no fit\(\)"):
        is_linking(Silent)


def test_evidence_is_quoted_once_a_term_with_all_its_places() -> None:
    class Wordy(SharedWords):
        def _attempt(self, key: str, text: str) -> Attempt:
            terms = [f"term{number}" for number in range(12)]
            evidence = [
                Evidence(term, 1.0 - number / 100, text.index(term) + shift, text.index(term) + len(term) + shift)
                for number, term in enumerate(terms)
                for shift in (0, len(text) // 2)
            ]
            return Attempt(self.name, key, (Guess("anna", 1.0),), None, 1.0, (*evidence, Evidence("x", 0.1, 5, 9999)))

    text = "".join(f"term{number:<3} " for number in range(12))
    report = sfumato.attack({"anna": "x"}, {"anna": text + text.upper()}, PEOPLE, [Wordy()])
    assert report.documents[0].quotes == [f"term{number}" for number in range(10)]
    assert len(report.documents[0].evidence) == 20


def test_options_of_attacks_are_given_by_name() -> None:
    with pytest.raises(RecipeError, match="no option 'speed'"):
        sfumato.attack(ORIGINALS, RELEASED, PEOPLE, ["tfidf"], settings={"tfidf": {"speed": 9}})
    with pytest.raises(RecipeError, match="write ATTACK"):
        parse_settings(["tfidf"], "ATTACK.OPTION=VALUE")
    assert parse_settings(["a.n=1", "a.s=x", "b.t=true"], "") == {"a": {"n": 1, "s": "x"}, "b": {"t": True}}


def test_an_attack_that_asks_is_given_the_chat_and_runs_only_where_it_is_named() -> None:
    def answer(request: Request) -> str:
        asked = request.messages[-1].text
        return (
            '{"score": 90, "evidence": ["pigeons"]}' if "The person: anna" in asked else '{"score": 5, "evidence": []}'
        )

    chat = ScriptedChat(answer)
    report = sfumato.attack(
        ORIGINALS, RELEASED, PEOPLE, ["rag", "tfidf"], settings={"rag": {"retrieve": "bm25"}}, chat=chat
    )
    assert next(document for document in report.documents if document.id == "anna").ranks["rag"] == 1
    cost = report.to_json()["cost"]
    assert set(cost) == {"rag"}
    assert cost["rag"]["chat"] == "chat:scripted,prompt=rag-link@1"
    assert cost["rag"]["requests"] == cost["rag"]["questions"] == len(chat.asked) > 0
    assert "rag" not in default_attacks()
    assert "rag" not in sfumato.attack(ORIGINALS, RELEASED, PEOPLE, chat=chat).attacks
    with pytest.raises(RecipeError, match="attack 'rag' needs a language model: give --chat"):
        sfumato.attack(ORIGINALS, RELEASED, PEOPLE, ["rag"])
    own = sfumato.attack(ORIGINALS, RELEASED, PEOPLE, ["rag"], settings={"rag": {"chat": chat}})
    assert own.attacks["rag"].risk == report.attacks["rag"].risk


@pytest.mark.parametrize("name", default_attacks())
def test_every_attack_that_is_ready_keeps_its_contract(name: str) -> None:
    report = sfumato.attack(ORIGINALS, {**RELEASED, "dano": "123 !?"}, PEOPLE, [name])
    assert report.n == 4
    again = sfumato.attack(ORIGINALS, {**RELEASED, "dano": "123 !?"}, PEOPLE, [name])
    assert again.to_json() == report.to_json()
    for document in report.documents:
        for quote in document.evidence:
            assert RELEASED[document.id][quote.start : quote.end] == quote.term
    assert next(item for item in report.documents if item.id == "anna").ranks[name] == 1
