"""The library says the same as the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import sfumato
from sfumato.errors import KeyProblem, RestoreError, UncoveredLanguage

TEXT = "Dear Anna Quorvex, please call Mr Tomasz Belnik on +44 20 7946 0018. Quorvex signed."


def test_a_text_becomes_a_release_and_comes_back() -> None:
    release = sfumato.anonymize(TEXT, recipe="labels")
    assert release.text == "Dear PERSON_1, please call PERSON_2 on CODE_1. PERSON_1 signed."
    assert sfumato.restore(release) == TEXT
    assert sfumato.restore(release.text, release) == TEXT
    assert sfumato.restore("PERSON_1's answer to PERSON_2", release) == "Anna Quorvex's answer to Mr Tomasz Belnik"


def test_by_default_what_is_said_is_vaguer_and_still_comes_back() -> None:
    text = "Anna Quorvex was born in Gdansk on 3 August 1961. On 6 May 1993 she moved to a Norwegian town."
    release = sfumato.anonymize(text)
    for original in ("Quorvex", "Gdansk", "3 August", "6 May", "Norwegian"):
        assert original not in release.text
    assert release.text.startswith("PERSON_1 was born in ")
    assert "August 1961" in release.text
    assert "city" in release.text
    assert sfumato.restore(release) == text


def test_several_texts_and_documents() -> None:
    releases = sfumato.anonymize([TEXT, sfumato.Document("x", "Boris Belnik came.")])
    assert [str(release) for release in releases][1] == "PERSON_1 came."
    assert len(sfumato.detect([TEXT, "nothing here"])) == 2
    assert {span.label for span in sfumato.detect(TEXT)} == {"PERSON", "CODE"}


def test_a_vault_makes_calls_agree_and_works_in_another_process(tmp_path: Path) -> None:
    files = {"vault": tmp_path / "v.db", "key_file": tmp_path / "v.key"}
    recipe = tmp_path / "r.toml"
    recipe.write_text('scope = "corpus"\n[replace]\ndefault = "surrogate"\n', encoding="utf-8")
    one = sfumato.anonymize("We met Anna Quorvex in the garden.", recipe=recipe, **files)
    two = sfumato.anonymize("It was Anna Quorvex who wrote.", recipe=recipe, **files)
    fake = one.text.removeprefix("We met ").removesuffix(" in the garden.")
    assert fake in two.text
    program = "import sys, sfumato; print(sfumato.restore(sys.argv[1], vault=sys.argv[2], key_file=sys.argv[3]))"
    answer = f"Tell {fake.split()[1]} that {fake.upper()} is fine."
    command = [sys.executable, "-c", program, answer, *map(str, files.values())]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "Tell Quorvex that ANNA QUORVEX is fine."


def test_a_typing_error_makes_no_vault_and_an_unknown_document_is_said(tmp_path: Path) -> None:
    files = {"vault": tmp_path / "v.db", "key_file": tmp_path / "v.key"}
    with pytest.raises(KeyProblem, match="no such vault"):
        sfumato.restore("PERSON_1", vault=tmp_path / "typo.db", key_file=tmp_path / "typo.key")
    assert list(tmp_path.iterdir()) == []
    release = sfumato.anonymize(TEXT, recipe="labels", **files)
    assert sfumato.restore("PERSON_1", document=release.document.id, **files) == "Anna Quorvex"
    with pytest.raises(RestoreError, match="no release with this id"):
        sfumato.restore("PERSON_1", document="nosuchdoc", **files)


@pytest.mark.parametrize("wrong", [None, b"Anna", {"a": "Anna"}, ["Anna", 3]])
def test_what_is_no_text_is_said(wrong: object) -> None:
    with pytest.raises(TypeError, match="str"):
        sfumato.anonymize(wrong)  # type: ignore[call-overload]


def test_what_is_missing_is_said() -> None:
    with pytest.raises(KeyProblem, match="needs the release"):
        sfumato.restore("PERSON_1")
    with pytest.raises(KeyProblem, match="key_file"):
        sfumato.anonymize(TEXT, vault="v.db")
    with pytest.raises(UncoveredLanguage, match=r"ru|Cyrillic"):
        sfumato.anonymize("Истец Анна Петровна Кузнецова обратилась в суд с иском о возмещении ущерба. " * 3)
    with pytest.raises(AttributeError):
        sfumato.nothing  # noqa: B018


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = "pydantic typer rich faker lxml phonenumbers numpy cryptography sqlite3"
    program = f"import sys, sfumato; print([name for name in {heavy.split()} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"
