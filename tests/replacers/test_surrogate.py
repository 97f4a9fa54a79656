"""Surrogates look like the original values, are consistent, and occur nowhere in the document."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.detectors.entities import link_mentions
from sfumato.document import Document, Span
from sfumato.lexicon.name_lists import given_names
from sfumato.replacers import surrogate
from sfumato.replacers.surrogate import Surrogate
from sfumato.vault.ledger import Ledger
from tests.strategies import examples

ENGLISH = "The following letter was written in the spring and sent to the office of the council. "


def surrogates(
    text: str, *found: tuple[str, str], source: str = "test:x", ledger: Ledger | None = None, document_id: str = "d"
) -> list[str]:
    text = ENGLISH + text
    spans, at = [], len(ENGLISH)
    for string, label in found:
        start = text.index(string, at)
        at = start + len(string)
        spans.append(Span(start, at, label, source=source))
    document = Document(document_id, text)
    replacer = Surrogate(ledger=ledger or Ledger(secret=b"s" * 32))
    replacements = {
        edit.span.start: edit.replacement for edit in replacer.replace(document, link_mentions(text, spans))
    }
    return [replacements[span.start] for span in spans]


def test_every_form_of_a_name_gets_the_same_form_of_the_surrogate() -> None:
    forms = ["Anna Quorvex", "QUORVEX", "A. Quorvex", "Quorvex, Anna", "Anna", "AQ", "Ms Quorvex"]
    full, upper, initial, turned, given_name, initials, titled = surrogates(
        "; ".join(forms), *((form, "PERSON") for form in forms)
    )
    first, last = full.split()
    assert upper == last.upper()
    assert initial == f"{first[0]}. {last}"
    assert turned == f"{last}, {first}"
    assert given_name == first
    assert initials == first[0] + last[0]
    assert titled == f"Ms {last}"
    assert "Anna" not in full
    assert "Quorvex" not in full


@pytest.mark.parametrize(
    ("name", "gender"), [("Mary Belnik", "female"), ("Mr Belnik Quorvex", "male"), ("John", "male")]
)
def test_gender_is_kept(name: str, gender: str) -> None:
    (fake,) = surrogates(f"{name} came.", (name, "PERSON"))
    first = fake.removeprefix("Mr ").split()[0].casefold()
    assert given_names()[first] in (gender, "both")


def test_a_given_name_alone_is_the_given_name_of_the_titled_mention() -> None:
    titled, alone = surrogates(
        "Mrs Jane Crabtree came. Jane was ill.", ("Mrs Jane Crabtree", "PERSON"), ("Jane", "PERSON")
    )
    assert titled.split()[1] == alone


def test_both_halves_of_a_double_given_name_become_given_names() -> None:
    (fake,) = surrogates("Mary-Anne Quorvex came.", ("Mary-Anne Quorvex", "PERSON"))
    assert all(part.casefold() in given_names() for part in fake.split()[0].split("-"))


def test_family_members_stay_a_family_and_others_do_not() -> None:
    one, two, three = surrogates(
        "Anna Quorvex, Boris Quorvex, Boris Belnik",
        *((n, "PERSON") for n in ("Anna Quorvex", "Boris Quorvex", "Boris Belnik")),
    )
    assert one.split()[1] == two.split()[1] != three.split()[1]
    assert two.split()[0] == three.split()[0] != one.split()[0]


def test_particles_and_hyphens_keep_their_shape() -> None:
    (fake,) = surrogates("Maria de la Quorvex-Belnik came.", ("Maria de la Quorvex-Belnik", "PERSON"))
    assert re.fullmatch(r"\w+ de la \w+-\w+", fake)


@pytest.mark.parametrize(
    ("kind", "original", "shape"),
    [
        ("email", "anna.q@quorvex.com", r"\w+\.\w@example\.(com|org|net)"),
        ("phone", "+44 20 7946 0018", r"\+44 20 \d{4} \d{4}"),
        ("url", "https://quorvex.com/anna", r"https://example\.(com|org|net)/\w{4}"),
        ("ip", "10.1.2.3", r"(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+"),
        ("iban", "GB33 BUKB 2020", r"GB\d\d [A-Z]{4} \d{4}"),
        ("national-id", "AB 12-34 x", r"[A-Z]{2} \d\d-\d\d [a-z]"),
    ],
)
def test_codes_keep_their_format(kind: str, original: str, shape: str) -> None:
    (fake,) = surrogates(f"It is {original}, noted.", (original, "CODE"), source=f"rules:{kind}")
    assert fake != original
    assert re.fullmatch(shape, fake)


def test_places_organisations_and_quantities() -> None:
    city, org, amount = surrogates(
        "in Aldenport at Quorvex University for £1,200.",
        ("Aldenport", "LOC"), ("Quorvex University", "ORG"), ("£1,200", "QUANTITY"),
    )  # fmt: skip
    assert city[0].isupper()
    assert org.endswith(" University")
    assert re.fullmatch(r"£\d,\d{3}", amount)


def test_what_cannot_be_invented_gets_a_label() -> None:
    assert surrogates("He is a left-handed juggler.", ("a left-handed juggler", "MISC")) == ["MISC_1"]


def test_without_free_values_the_label_stands_in() -> None:
    fakes = surrogates("digits 0 1 2 3 4 5 6 7 8 9", *((str(n), "QUANTITY") for n in range(10)))
    assert all(fake.startswith("QUANTITY_") for fake in fakes)


def test_in_a_corpus_a_value_that_turns_up_later_is_not_used_there() -> None:
    ledger = Ledger(scope="corpus", secret=b"s" * 32)
    (fake,) = surrogates("Quorvex came.", ("Quorvex", "PERSON"), ledger=ledger, document_id="1")
    assert surrogates("Quorvex left.", ("Quorvex", "PERSON"), ledger=ledger, document_id="2") == [fake]
    (other,) = surrogates(f"Quorvex saw {fake}.", ("Quorvex", "PERSON"), ledger=ledger, document_id="3")
    assert other != fake


@pytest.fixture
def two_countries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surrogate, "country_list", lambda locale: ("Netherlands Antilles", "Chad"))


@pytest.mark.usefixtures("two_countries")
@pytest.mark.parametrize("secret", range(8))
def test_a_stand_in_does_not_hold_the_name_it_stands_for(secret: int) -> None:
    ledger = Ledger(secret=bytes([secret]) * 32)
    mentions = ("the Netherlands", "LOC"), ("Netherlands", "LOC")
    assert surrogates("In the Netherlands, in Netherlands.", *mentions, ledger=ledger) == ["Chad", "Chad"]


@pytest.mark.usefixtures("two_countries")
def test_in_a_corpus_a_value_that_holds_a_name_of_a_later_document_is_not_used_there() -> None:
    ledger = Ledger(scope="corpus", secret=b"s" * 32)
    first = surrogates("In Chad.", ("Chad", "LOC"), ledger=ledger, document_id="1")
    assert first == ["Netherlands Antilles"]
    here = surrogates("Chad, the Netherlands.", ("Chad", "LOC"), ("Netherlands", "LOC"), ledger=ledger, document_id="2")
    assert not [value for value in here if "Netherlands" in value or "Chad" in value]


names = st.lists(
    st.sampled_from("Anna Boris Quorvex Belnik Smith Maria Lee Ann Carla Jones Müller".split()), min_size=1, max_size=3
)


@examples(4)
@given(st.lists(names.map(" ".join), min_size=1, max_size=6), st.binary(min_size=1, max_size=8))
def test_surrogates_are_consistent_injective_and_absent(mentions: list[str], secret: bytes) -> None:
    text = "; ".join(mentions)
    fakes = surrogates(text, *((mention, "PERSON") for mention in mentions), ledger=Ledger(secret=secret))
    by_mention: dict[str, str] = {}
    for mention, fake in zip(mentions, fakes, strict=True):
        assert by_mention.setdefault(mention, fake) == fake
        assert len(fake.split()) == len(mention.split())
        for word in fake.split():
            assert not re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE)
    assert len(set(by_mention.values())) == len(by_mention)


def test_italian_cities_are_the_same_in_every_process() -> None:
    program = (
        "from sfumato.replacers.surrogate import _places_like\n"
        "from itertools import islice\n"
        "print(list(islice(_places_like('Bologna', 'it_IT', b'seed'), 5)))"
    )

    def run(hash_seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        return subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        ).stdout

    assert run("1") == run("2")
