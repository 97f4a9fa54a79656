"""The library says the same as the command line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.errors import EncryptionKeyError, RestoreError, SfumatoError, UncoveredLanguage, WrongArgument

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
    files: Any = {"vault": tmp_path / "v.db", "key_file": tmp_path / "v.key"}
    recipe = tmp_path / "r.toml"
    recipe.write_text('scope = "corpus"\n[replace]\ndefault = "surrogate"\n', encoding="utf-8")
    release = sfumato.anonymize("We met Anna Quorvex in the garden.", recipe=recipe, **files)
    two = sfumato.anonymize("It was Anna Quorvex who wrote.", recipe=recipe, **files)
    fake = release.text.removeprefix("We met ").removesuffix(" in the garden.")
    assert fake in two.text
    program = "import sys, sfumato; print(sfumato.restore(sys.argv[1], vault=sys.argv[2], key_file=sys.argv[3]))"
    answer = f"Tell {fake.split()[1]} that {fake.upper()} is fine."
    command = [sys.executable, "-c", program, answer, *map(str, files.values())]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "Tell Quorvex that ANNA QUORVEX is fine."


def test_a_typing_error_makes_no_vault_and_an_unknown_document_is_said(tmp_path: Path) -> None:
    files: dict[str, Any] = {"vault": tmp_path / "v.db", "key_file": tmp_path / "v.key"}
    with pytest.raises(EncryptionKeyError, match="no such vault"):
        sfumato.restore("PERSON_1", vault=tmp_path / "typo.db", key_file=tmp_path / "typo.key")
    assert list(tmp_path.iterdir()) == []
    release = sfumato.anonymize(TEXT, recipe="labels", **files)
    assert sfumato.restore("PERSON_1", document=release.document.id, **files) == "Anna Quorvex"
    for unknown in ("nosuchdoc", ""):
        with pytest.raises(RestoreError, match="no release with this id"):
            sfumato.restore("PERSON_1", document=unknown, **files)


def test_no_other_conversation_is_searched(tmp_path: Path) -> None:
    with sfumato.Vault.open(tmp_path / "v.db", tmp_path / "v.key") as vault:
        for number, name in enumerate(("Anna Quorvex", "Boris Belnik")):
            sfumato.anonymize(sfumato.Document(f"chat-{number}", f"I am {name}."), recipe="labels", vault=vault)
        assert sfumato.restore("Dear PERSON_1,", vault=vault, document="chat-1") == "Dear Boris Belnik,"
        with pytest.raises(RestoreError):
            sfumato.restore("Dear PERSON_1,", vault=vault, document="")
    with pytest.raises(SfumatoError, match="closed"):
        sfumato.restore("Dear PERSON_1,", vault=vault, document="chat-1")


WRONG: dict[str, Callable[..., object]] = {
    "recipe: a name, a path or a Recipe, not NoneType": lambda: sfumato.anonymize(TEXT, recipe=None),  # type: ignore[call-overload]
    "recipe: a name, a path or a Recipe, not dict": lambda: sfumato.detect(TEXT, recipe={}),  # type: ignore[call-overload]
    "a str or a sfumato.Release, not NoneType": lambda: sfumato.restore(None),  # type: ignore[arg-type]
    "what anonymize gave back, or a list of those, not str": lambda: sfumato.restore("PERSON_1", "PERSON_1 is"),  # type: ignore[arg-type]
    "what anonymize gave back, or a list of those, not int": lambda: sfumato.restore("PERSON_1", 3),  # type: ignore[arg-type]
    "the vault is missing: restore": lambda: sfumato.restore("PERSON_1", key_file="v.key"),
    "the vault is missing: with vault=": lambda: sfumato.anonymize(TEXT, key_file="no-such.key"),
    "vault: a path or a sfumato.Vault, not int": lambda: sfumato.anonymize(TEXT, vault=3),  # type: ignore[call-overload]
    "a method is a name, a path or a recipe, not function": lambda: sfumato.compare({"d": TEXT}, [lambda text: text]),  # type: ignore[list-item]
}

ANY = {"d": TEXT}
NO_CORPUS: list[Callable[..., object]] = [
    lambda: sfumato.compare(None, ["none"]),  # type: ignore[arg-type]
    lambda: sfumato.compare(ANY, None),  # type: ignore[arg-type]
    lambda: sfumato.compare(ANY, "default"),
    lambda: sfumato.compare(ANY, {"mine": 3}),
    lambda: sfumato.compare(ANY, {"mine": ["text"]}),
    lambda: sfumato.measure({"d": None}, ANY),  # type: ignore[arg-type]
    lambda: sfumato.measure(ANY, {"d": None}),  # type: ignore[arg-type]
    lambda: sfumato.measure(ANY, None),  # type: ignore[arg-type]
    lambda: sfumato.attack(ANY, ANY, None),  # type: ignore[arg-type]
    lambda: sfumato.protect(ANY, 3),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("wrong", NO_CORPUS)
def test_what_is_no_corpus_is_an_error_of_ours(wrong: Callable[..., object]) -> None:
    with pytest.raises(WrongArgument):
        wrong()


@pytest.mark.parametrize("said", WRONG)
def test_wrong_arguments_are_errors_of_ours_and_say_what_to_give(said: str) -> None:
    with pytest.raises(SfumatoError) as refused:
        WRONG[said]()
    assert said in str(refused.value)
    assert "Quorvex" not in str(refused.value)


class Frame:
    """As data frames of every library: looping over it gives names of columns."""

    columns = ("id", "text")

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __getitem__(self, name: str) -> list[str]:
        return [TEXT]


NO_TEXT: dict[str, object] = {
    "not Frame: name the column that holds the texts": Frame(),
    "not dict: [sfumato.Document(id, text) for": {"a": TEXT},
    "not bytes: decode it": TEXT.encode(),
    "read it first; sfumato.runs.anonymize.anonymize_files": Path("letter.txt"),
    "text 2 is a float, not a str or a sfumato.Document; leave missing values out": [TEXT, float("nan")],
    "text 1 is a NoneType, not a str or a sfumato.Document; leave missing values out": [None],
    "text 1 is a int, not a str": [3],
    "a list of them, not int": 3,
}


@pytest.mark.parametrize("said", NO_TEXT)
def test_what_is_no_text_is_an_error_that_says_what_to_give(said: str) -> None:
    for function in (sfumato.anonymize, sfumato.detect):
        with pytest.raises(WrongArgument) as refused:
            function(NO_TEXT[said])  # type: ignore[call-overload]
        assert said in str(refused.value)


def test_tables_are_no_corpus() -> None:
    with pytest.raises(WrongArgument, match=r"makes \{id: text\} of a table"):
        sfumato.measure(Frame(), ANY)  # type: ignore[arg-type]
    with pytest.raises(WrongArgument, match=r"makes \{id: text\} of a table"):
        sfumato.measure(ANY, Frame())  # type: ignore[arg-type]
    table = pytest.importorskip("pyarrow").table({"id": ["a"], "text": [TEXT]})
    with pytest.raises(WrongArgument, match="name the column"):
        sfumato.anonymize(table)


def test_half_a_character_is_read_over_and_kept() -> None:
    text = "hi \ud83d, I am Anna Quorvex"
    release = sfumato.anonymize(text, recipe="labels")
    assert release.text == "hi \ud83d, I am PERSON_1"
    assert sfumato.restore(release) == text


def test_a_label_that_stands_in_the_text_already_is_left_whole() -> None:
    assert sfumato.anonymize("PERSON_1 said to Anna Quorvex", recipe="labels").text == "PERSON_1 said to PERSON_2"
    assert "4417123456789113" not in sfumato.anonymize("My card: CODE_4417123456789113", recipe="labels").text


def test_which_text_of_several_is_withheld_is_said() -> None:
    foreign = "Истец Анна Петровна Кузнецова обратилась в суд с иском о возмещении ущерба. " * 3
    with pytest.raises(sfumato.UncoveredLanguage, match=r"^text 2 of 3 is in a language"):
        sfumato.anonymize([TEXT, foreign, TEXT])
    with pytest.raises(sfumato.NotReleased, match=r"^the text is in a language"):
        sfumato.anonymize(foreign)


def test_a_listing_shows_the_public_names() -> None:
    assert dir(sfumato) == sorted([*sfumato.__all__, "fill"])


def test_a_budget_alone_withholds_nothing_as_on_the_command_line() -> None:
    letters = {str(n): f"Anna Quorvex{n} keeps bees in town {n} and has {n} goats." for n in range(12)}
    alone = sfumato.protect(letters, letters, budget=0.0, attacks=["bm25"])
    assert not alone.withheld
    assert sfumato.protect(letters, letters, k=11, budget=0.0, attacks=["bm25"]).withheld


@pytest.mark.parametrize("wrong", [None, b"Anna", {"a": "Anna"}, ["Anna", 3]])
def test_what_is_no_text_is_said(wrong: object) -> None:
    with pytest.raises(TypeError, match="str"):
        sfumato.anonymize(wrong)  # type: ignore[call-overload]


def test_what_is_missing_is_said() -> None:
    with pytest.raises(EncryptionKeyError, match="needs the release"):
        sfumato.restore("PERSON_1")
    with pytest.raises(EncryptionKeyError, match="key_file"):
        sfumato.anonymize(TEXT, vault="v.db")
    with pytest.raises(UncoveredLanguage, match=r"ru|Cyrillic"):
        sfumato.anonymize("Истец Анна Петровна Кузнецова обратилась в суд с иском о возмещении ущерба. " * 3)
    with pytest.raises(AttributeError):
        sfumato.nothing  # noqa: B018


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = "pydantic typer rich faker lxml phonenumbers numpy cryptography sqlite3"
    program = f"import sys, sfumato; print([name for name in {heavy.split()} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize(
    ("recipe", "heavy"),
    [
        (
            "fast",
            "onnxruntime tokenizers simplemma faker lxml scipy sklearn pandas torch httpx sfumato.generalize.places",
        ),
        ("default", "simplemma faker scipy sklearn pandas pyarrow torch httpx"),
    ],
)
def test_a_first_call_loads_no_more_than_it_needs(recipe: str, heavy: str) -> None:
    text = "On 3 May 2024 Mrs Ada Kell of Leeds, a retired teacher, called from 0113 496 0123."
    program = (
        f"import sys, sfumato; sfumato.anonymize({text!r}, recipe={recipe!r})\n"
        f"print([name for name in {heavy.split()} if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_allowed_terms_stay_whatever_the_recipe_says() -> None:
    release = sfumato.anonymize(TEXT, recipe="labels", allow=["anna quorvex", "Quorvex"])
    assert release.text == "Dear Anna Quorvex, please call PERSON_1 on CODE_1. Quorvex signed."
    labels = [span.label for span in sfumato.detect(TEXT, recipe="labels", allow=["Tomasz Belnik"])]
    assert labels == ["PERSON", "CODE", "PERSON"]


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"allow": "Anna"}, r"allow=\[term\]"),
        ({"allow": [""]}, "not empty"),
        ({"locale": "en-UK"}, "en-GB"),
        ({"locale": "British"}, "such as en-GB"),
        ({"date_order": "ddmm"}, "'dmy', 'mdy' or 'ymd'"),
    ],
)
def test_wrong_options_say_what_is_right(options: dict[str, Any], hint: str) -> None:
    with pytest.raises(SfumatoError, match=hint):
        sfumato.anonymize(TEXT, **options)


def test_the_country_that_the_user_states_decides_between_places_of_one_name() -> None:
    text = "She moved to Norwich when the factory closed. It was 3/4/2021."

    def released(**options: Any) -> str:
        return str(sfumato.anonymize(text, **options).text)

    assert "England" in released(locale="en-GB")
    assert "England" not in released(locale="en-US")
    assert "April 2021" in released(locale="en-GB")
    assert "March 2021" in released(locale="en-US")
    assert "April 2021" in released(locale="en-US", date_order="dmy")
