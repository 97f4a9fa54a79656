"""Restoring: exactly for a release, and by replacements in any other text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.cache import EntryCipher
from sfumato.document import Document, Edit, Release, Span, merge_spans
from sfumato.errors import RestoreError
from sfumato.vault.ledger import TokenCipher
from sfumato.vault.restore import Restorer, restore_with
from sfumato.vault.store import Vault
from tests.strategies import examples, texts, texts_with_spans


def released(text: str, *edits: tuple[str, str, str], document_id: str = "d") -> Release:
    """``edits``: (original, replacement, entity) for the next occurrence of each original."""
    found, at = [], 0
    for original, replacement, entity in edits:
        start = text.index(original, at)
        at = start + len(original)
        found.append(Edit(Span(start, at, entity.split(":")[0].upper(), entity=entity), replacement))
    return Release(Document(document_id, text), tuple(found))


LABELLED = released(
    "Dr. Anna Quorvex met Boris Belnik. Quorvex's car; Ms Quorvex.",
    ("Dr. Anna Quorvex", "PERSON_1", "person:anna quorvex"),
    ("Boris Belnik", "PERSON_10", "person:boris belnik"),
    ("Quorvex", "PERSON_1", "person:anna quorvex"),
    ("Ms Quorvex", "PERSON_1", "person:anna quorvex"),
)
INVENTED = released(
    "Anna Quorvex met James Belnik. Quorvex left.",
    ("Anna Quorvex", "Maria Ross", "person:anna quorvex"),
    ("James Belnik", "Peter Ann", "person:james belnik"),
    ("Quorvex", "Ross", "person:anna quorvex"),
)


def test_the_released_text_itself_comes_back_exactly() -> None:
    assert restore_with(LABELLED.text, [LABELLED]) == LABELLED.document.text
    assert restore_with(INVENTED.text, [INVENTED]) == INVENTED.document.text


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("PERSON_1 wrote to PERSON_10.", "Dr. Anna Quorvex wrote to Boris Belnik."),
        ("person_1's letter, Person 1, PERSON\\_1", "Dr. Anna Quorvex's letter, Dr. Anna Quorvex, Dr. Anna Quorvex"),
        ("Dr. PERSON_1 agreed.", "Dr. Anna Quorvex agreed."),
        ("PERSON_100, XPERSON_1 and PERSON_2 are unknown.", "PERSON_100, XPERSON_1 and PERSON_2 are unknown."),
        ("**PERSON_10** (PERSON_1)", "**Boris Belnik** (Dr. Anna Quorvex)"),
        ("PERSON10, Person #10", "Boris Belnik, Boris Belnik"),
        ("every person 1 metre apart", "every person 1 metre apart"),
        ("ＰＥＲＳＯＮ_1０ and PER\u00adSON_1", "Boris Belnik and Dr. Anna Quorvex"),
        ("РЕRSОN_10 or P\u200bERSON_10", "Boris Belnik or Boris Belnik"),
    ],
)
def test_a_models_answer_gets_its_names_back_from_labels(answer: str, expected: str) -> None:
    assert restore_with(answer, [LABELLED]) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Maria Ross and Peter Ann", "Anna Quorvex and James Belnik"),
        ("MARIA ROSS, maria ross", "ANNA QUORVEX, anna quorvex"),
        ("Ross's and Maria's", "Quorvex's and Anna's"),
        ("Ross' car", "Quorvex's car"),
        ("Annual Rossini marias", "Annual Rossini marias"),
        ("Ann came, Peter did not", "Belnik came, James did not"),
        ("Ms Ross", "Ms Quorvex"),
    ],
)
def test_a_models_answer_gets_its_names_back_from_surrogates(answer: str, expected: str) -> None:
    assert restore_with(answer, [INVENTED]) == expected


def test_a_rewrite_leads_back_by_its_exact_text_and_by_what_was_replaced_before() -> None:
    rewrite = Release.rewritten(LABELLED.document, "PERSON_1 met somebody and has a car.", (), LABELLED)
    assert restore_with(rewrite.text, [rewrite]) == LABELLED.document.text
    assert restore_with("Ask Person 1, not PERSON_10.", [rewrite]) == "Ask Dr. Anna Quorvex, not Boris Belnik."


def test_a_rewrite_that_leads_nowhere_is_said_and_not_handed_back_as_if_restored() -> None:
    floorless = Release.rewritten(Document("d", "Anna Quorvex keeps bees."), "Somebody keeps animals.")
    with pytest.raises(RestoreError, match="nothing in this text can be restored: the release was rewritten"):
        restore_with("Somebody has animals.", [floorless])
    floored = Release.rewritten(LABELLED.document, "Two people met.", (), LABELLED)
    with pytest.raises(RestoreError, match="nothing in this text"):
        restore_with("Two people have met.", [floored, floorless])
    assert restore_with("Two people have met.", [floored, LABELLED]) == "Two people have met."
    assert restore_with("Nobody at all.", [LABELLED]) == "Nobody at all."


def test_what_stands_for_several_things_is_left_alone() -> None:
    release = released("Anna and Boris", ("Anna", "****", "person:anna"), ("Boris", "****", "person:boris"))
    assert restore_with("**** said", [release]) == "**** said"
    tagged = released("Anna, Boris", ("Anna", "SENSITIVE", "person:anna"), ("Boris", "SENSITIVE", "person:boris"))
    assert restore_with("SENSITIVE said", [tagged]) == "SENSITIVE said"
    assert restore_with(tagged.text, [tagged]) == "Anna, Boris"


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    with Vault.open(tmp_path / "v.db", tmp_path / "v.key") as opened:
        yield opened


def back(vault: Vault, document_id: str, text: str) -> tuple[str, str]:
    original_id, release = Restorer(vault).restore(Document(document_id, text))
    return original_id, release.text


def test_a_vault_restores_by_text_by_id_and_by_all_it_knows(vault: Vault) -> None:
    vault.record(LABELLED, "document-1")
    vault.record(INVENTED, "document-2")
    assert back(vault, "document-1", LABELLED.text) == ("d", LABELLED.document.text)
    assert back(vault, "elsewhere", LABELLED.text)[1] == LABELLED.document.text
    assert back(vault, "document-2", "Ross answered.") == ("d", "Quorvex answered.")
    assert back(vault, "answer", "PERSON_10 and Ross") == ("answer", "Boris Belnik and Quorvex")


def test_numbers_of_two_documents_are_not_mixed_up(vault: Vault) -> None:
    for name, document_id in (("Anna", "1"), ("Boris", "2")):
        release = released(f"{name} came.", (name, "PERSON_1", f"person:{name}"), document_id=document_id)
        vault.record(release, document_id)
    assert back(vault, "2", "PERSON_1 left.")[1] == "Boris left."
    assert back(vault, "answer", "PERSON_1 left.")[1] == "PERSON_1 left."
    assert back(vault, "2", "PERSON_1 came.")[1] == "Boris came."
    with pytest.raises(RestoreError, match="released 2 times from different originals"):
        back(vault, "answer", "PERSON_1 came.")


def test_encrypted_values_come_back_in_any_text(vault: Vault) -> None:
    token = TokenCipher(vault.key).encrypt("Anna Quorvex", "PERSON")
    assert TokenCipher(vault.key).encrypt("Anna Quorvex", "PERSON") == token
    assert back(vault, "answer", f"Dear {token.lower()}!")[1] == "Dear Anna Quorvex!"
    changed = token[:-2] + ("A" if token[-2] != "A" else "B") + token[-1]
    assert back(vault, "answer", f"Dear {changed}!")[1] == f"Dear {changed}!"


def test_nothing_of_another_document_is_put_into_a_text_about_one(vault: Vault) -> None:
    for name, document_id in (("Anna", "1"), ("Boris", "2")):
        vault.record(released(f"{name} {document_id}.", (name, "PERSON_1", f"person:{name}")), document_id)
    restorer = Restorer(vault)
    assert restorer.about("2", "PERSON_1 1.").text == "Boris 1."  # which is word for word what document 1 was
    assert restorer.about("1", "PERSON_1 1.").text == "Anna 1."
    for unknown in ("", "3"):
        with pytest.raises(RestoreError, match="no release with this id"):
            restorer.about(unknown, "PERSON_1 1.")


GLUED = released(
    "Order 88213-AX of Anna Quorvex, Boris Belnik",
    ("88213", "CODE_1", "code:88213"),
    ("-AX", "MISC_1", "misc:ax"),
    ("Anna Quorvex", "PERSON_1", "person:anna quorvex"),
    ("Boris Belnik", "Maria Ross", "person:boris belnik"),
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Your order CODE_1MISC_1 is late.", "Your order 88213-AX is late."),
        ("(code_1misc_1PERSON_1)", "(88213-AXAnna Quorvex)"),
        ("CODE_1MISC_2 and xCODE_1MISC_1", "CODE_1MISC_2 and xCODE_1MISC_1"),
        ("CODE_1MISC_1st, CODE_11MISC_1", "CODE_1MISC_1st, CODE_11MISC_1"),
        ("CODE_1Ross", "CODE_1Ross"),
    ],
)
def test_labels_that_stand_without_anything_between_come_back(vault: Vault, answer: str, expected: str) -> None:
    assert restore_with(answer, [GLUED]) == expected
    vault.record(GLUED, "d")
    assert Restorer(vault).about("d", answer).text == expected


ANSWERS = [
    "person_1's letter, Person 1, PERSON\\_1 and PERSON10, Person  #10",
    "Maria Ross, MARIA ROSS, Ross' car and Maria; Ann came, Peter\nAnn did not",
    "CODE_1MISC_1 for PERSON-1. every person 1 metre apart",
]


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("release", [LABELLED, INVENTED, GLUED])
def test_what_is_looked_up_is_what_reading_every_record_would_find(vault: Vault, release: Release, answer: str) -> None:
    vault.record(release, "chat")
    vault.record(released("Nobody.", ("Nobody", "LOC_9", "loc:nobody")), "chat")
    assert Restorer(vault).about("chat", answer).text == restore_with(answer, [release])


def test_a_long_conversation_costs_no_more_than_a_short_one(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(60):
        name = f"Anna{number}"
        vault.record(released(f"{name} wrote {number}.", (name, f"PERSON_{number}", f"person:{name}")), "chat")
    opened: list[bytes] = []
    decrypt = EntryCipher.decrypt

    def counted(self: EntryCipher, value: bytes, bound_to: bytes) -> bytes:
        opened.append(value)
        return decrypt(self, value, bound_to)

    monkeypatch.setattr(EntryCipher, "decrypt", counted)
    assert Restorer(vault).about("chat", "PERSON_7 and PERSON_41").text == "Anna7 and Anna41"
    assert len(opened) < 5


@st.composite
def any_release(draw: st.DrawFn) -> Release:
    text, spans = draw(texts_with_spans())
    edits = tuple(Edit(span, draw(st.sampled_from(["", "X", "PERSON_1", "ß"]) | texts)) for span in merge_spans(spans))
    return Release(Document("d", text), edits)


@pytest.fixture(scope="module")
def big_vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    folder = tmp_path_factory.mktemp("vault")
    with Vault.open(folder / "v.db", folder / "v.key") as opened:
        yield opened


@examples(4)
@given(release=any_release(), number=st.integers())
def test_any_release_of_any_text_comes_back_exactly(big_vault: Vault, release: Release, number: int) -> None:
    big_vault.record(release, f"document-{number}")
    about = Restorer(big_vault).about(f"document-{number}", release.text)
    assert about.text == release.document.text
    assert back(big_vault, f"document-{number}", release.text) == ("d", release.document.text)
    assert restore_with(release.text, [release]) == release.document.text
