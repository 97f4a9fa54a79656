"""Surrogates look like the original values, are consistent, and occur nowhere in the document."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import iban, luhn

from sfumato.detectors.passes.links import link_mentions
from sfumato.document import Document, Span
from sfumato.lexicon.name_lists import given_names
from sfumato.replacers import surrogate
from sfumato.replacers.surrogate import Surrogate
from sfumato.replacers.surrogate_names import locale_of
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
        ("email", "anna.q@quorvex.com", r"[a-z]+\.[a-z]@example\.(com|org|net)"),
        ("phone", "+44 20 7946 0018", r"\+44 2[089] \d{4} \d{4}"),
        ("phone", "01347 810 226", r"01632 960 \d{3}"),
        ("phone", "07911 123456", r"07700 900\d{3}"),
        ("phone", "07700 900519", r"07700 900\d{3}"),
        ("tagger", "em0,10.20.4.118,192.0.2.201", r"[a-z]{2}0,10(\.\d{1,3}){3},(192|198|203)(\.\d{1,3}){3}"),
        ("tagger", "teletherapy.belnik.uk:443", r"[a-z]+\.example\.(com|org|net):443"),
        ("phone", "(270) 664-0143", r"\(\d{3}\) 555-01\d\d"),
        ("phone", "+33 6 12 34 56 78", r"\+33 6 39 98 \d\d \d\d"),
        ("phone", "+55 11 3456 7890", r"\+55 11 3\d{3} \d{4}|\+55 11 \d{4} \d{4}"),
        ("phone", "+34 612 345 678", r"\+34 612 \d{3} \d{3}"),
        ("url", "https://quorvex.com/anna", r"https://example\.(com|org|net)/[a-z]+"),
        ("ip", "10.1.2.3", r"10\.\d+\.\d+\.\d+"),
        ("ip", "192.168.4.17", r"192\.168\.\d+\.\d+"),
        ("ip", "113.161.44.9", r"(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+"),
        ("iban", "GB33 BUKB 2020 1555 5555 55", r"GB\d\d [A-Z]{4} \d{4} \d{4} \d{4} \d\d"),
        ("national-id", "AB 12-34 x", r"[A-Z]{2} \d\d-\d\d [a-z]"),
        ("national-id", "219-09-9999", r"666-\d\d-\d{4}"),
        ("national-id", "943 476 5919", r"999 \d{3} \d{4}"),
        ("mac", "3c:22:fb:01:9a:7e", r"02(:[0-9a-f]{2}){5}"),
        ("medical-record", "RX0048812", r"[A-Z]{2}00\d{5}"),
    ],
)
def test_codes_keep_their_format(kind: str, original: str, shape: str) -> None:
    (fake,) = surrogates(f"It is {original}, noted.", (original, "CODE"), source=f"rules:{kind}")
    assert fake != original
    assert re.fullmatch(shape, fake)


def surrogate_in(text: str, label: str, source: str = "test:x", secret: bytes = b"s" * 32) -> str:
    """The surrogate of what stands in double brackets, in a text without any other span."""
    start = text.index("[[")
    original = re.search(r"\[\[(.*?)\]\]", text, re.DOTALL)
    assert original is not None
    plain = text.replace(original[0], original[1])
    spans = link_mentions(plain, [Span(start, start + len(original[1]), label, source=source)])
    (edit,) = Surrogate(ledger=Ledger(secret=secret)).replace(Document("d", plain), spans)
    return edit.replacement


@pytest.mark.parametrize(
    ("text", "gender"),
    [
        ("I saw [[Quorvexa Belnik]] and his wife in the clinic of the town.", "male"),
        ("Thank you for seeing [[Quorvexa]], who has a cough. She is worse in the night.", "female"),
        ("This is my daughter [[Quorvexa]] and that is the letter of the school.", "female"),
        ("The note is about [[Quorvexa Belnik]], a retired man from the north.", "male"),
        ("Die Patientin [[Quorvexa Belnik]] wurde in der Klinik und auf der Station gesehen.", "female"),
        ("Wir haben mit [[Quorvexa Belnik]] gesprochen, und er hat seinen Husten noch.", "male"),
        ("Hemos visto a [[Quorvexa Belnik]] en la consulta y ella dice que la tos no cede.", "female"),
        ("Nous avons vu [[Quorvexa Belnik]] et son état est bon. Il est parti avec les clés.", "male"),
        ("Abbiamo visto [[Quorvexa Belnik]] con la figlia e lui dice che la tosse non passa.", "male"),
        ("Falámos com o marido [[Quorvexa Belnik]] na consulta de ontem e não há febre.", "male"),
        ("We zagen [[Quorvexa Belnik]] op de polikliniek en zij heeft nog steeds last van de hoest.", "female"),
    ],
)
def test_the_text_tells_the_gender_of_a_name_that_does_not(text: str, gender: str) -> None:
    for secret in range(4):
        first = surrogate_in(text, "PERSON", secret=bytes([secret]) * 32).split()[0].casefold()
        assert given_names().get(first, gender) in (gender, "both")


@pytest.mark.parametrize("name", ["Al-Harbi", "el-Sayed", "Min-jun", "bin Quorvex", "Abu Belnik"])
def test_a_name_with_an_article_or_a_small_half_becomes_one_name(name: str) -> None:
    assert surrogate_in(f"The letter to [[{name}]] was sent to the office.", "PERSON").isalpha()


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("The letter to [[EH6 8PQ]] was sent.", r"[A-Z]{1,2}\d{1,2} \d[A-Z]{2}"),
        (
            "The house at [[14 Mill Lane, Skelderby, YO61 4QT]] was sold.",
            r"\d\d \w+ Lane, [\w ]+, [A-Z]{2}\d\d \d[A-Z]{2}",
        ),
        (
            "She lives in der [[Quorvexstraße 12, 80331 Quorvexen]] und ist nicht da.",
            r"\w+straße \d\d, \d{5} [\w .()-]+",
        ),
    ],
)
def test_addresses_stay_addresses(text: str, shape: str) -> None:
    assert re.fullmatch(shape, surrogate_in(text, "LOC"))


@pytest.mark.parametrize("label", ["LOC", "CODE"])
@pytest.mark.parametrize("original", ["10.0341, 105.7210", "105.72", "-89.999", "51°30'26\"N 0°07'39\"W"])
@given(st.binary(min_size=1, max_size=4))
def test_coordinates_stay_on_the_globe(label: str, original: str, secret: bytes) -> None:
    invented = surrogate_in(f"The place is at [[{original}]] on the map.", label, secret=secret)
    numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", invented)]
    assert invented != original
    assert len(numbers) == len(re.findall(r"\d+(?:\.\d+)?", original))
    assert numbers[0] < (90 if len(numbers) > 1 else 180)
    assert max(numbers) < 180


@given(st.integers(0, 110), st.binary(min_size=1, max_size=4))
def test_ages_stay_within_five_years_and_within_their_band(age: int, secret: bytes) -> None:
    invented = surrogate_in(f"The patient is [[aged {age}]] and well.", "DEM", secret=secret)
    if not invented.startswith("DEM_"):
        other = int(invented.removeprefix("aged "))
        assert abs(other - age) <= 5
        assert (age < 18) == (other < 18)
        assert (age < 90) == (other < 90)


@given(st.binary(min_size=1, max_size=4))
def test_cards_and_accounts_have_valid_check_digits(secret: bytes) -> None:
    assert luhn.is_valid(re.sub(" ", "", surrogate_in("on [[4929 1234 5678 9012]] of", "CODE", "rules:card", secret)))
    assert iban.is_valid(surrogate_in("to [[DE89 3704 0044 0532 0130 00]] of", "CODE", "rules:iban", secret))


@given(st.floats(0.01, 10**6), st.sampled_from(["£{}", "{} %", "{} km"]))
def test_quantities_stay_near_and_possible(value: float, form: str) -> None:
    original = form.format(round(value, 2))
    invented = surrogate_in(f"It was [[{original}]] in all.", "QUANTITY")
    if not invented.startswith("QUANTITY_"):
        number = float(re.sub(r"[^\d.]", "", invented))
        assert abs(number - round(value, 2)) <= 0.2 * round(value, 2) + 1
        assert "%" not in form or value > 100 or number <= 100


@pytest.mark.parametrize("label", ["CODE", "DATETIME"])
def test_timestamps_stay_timestamps(label: str) -> None:
    invented = surrogate_in("It was logged at [[2023-11-02T14:08:55Z]] on the server.", label)
    assert re.fullmatch(r"20\d\d-[01]\d-[0-3]\dT14:08:55Z", invented)
    assert invented != "2023-11-02T14:08:55Z"


@pytest.mark.parametrize(
    ("original", "label"), [("engineer", "DEM"), ("Juez", "DEM"), ("MD", "ORG"), ("bleep", "CODE")]
)
def test_occupations_acronyms_and_words_are_not_invented(original: str, label: str) -> None:
    assert surrogate_in(f"The note says [[{original}]] and nothing else.", label) == f"{label}_1"


def test_a_surname_in_capitals_before_the_given_name_is_a_surname() -> None:
    text = "La lettre de M. QUORVEX Andrée et de Mme QUORVEX est dans le dossier de la ville."
    spans = [
        Span(text.index(name), text.index(name) + len(name), "PERSON") for name in ("M. QUORVEX Andrée", "Mme QUORVEX")
    ]
    edits = Surrogate(ledger=Ledger(secret=b"s" * 32)).replace(Document("d", text), link_mentions(text, spans))
    (title, family, given_name), (_, other) = (edit.replacement.split() for edit in edits)
    assert (title, family) == ("M.", other)
    assert family.isupper()
    assert given_names()[given_name.casefold()] in ("female", "both")


def test_everyday_words_that_were_taken_for_people_are_not_renamed() -> None:
    invented = surrogate_in("Mein [[Roller]] wurde in der Nacht vor dem Haus gestohlen.", "PERSON", "tagger:mask")
    assert invented == "PERSON_1"


def test_an_acronym_is_that_of_the_invented_organisation() -> None:
    full, short = surrogates("Harrow General Hospital, the HGH.", ("Harrow General Hospital", "ORG"), ("HGH", "ORG"))
    assert short == "".join(word[0] for word in full.split())


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("The patient was seen by the GP and the NHS will send the letter to YO61 4QT.", "en_GB"),
        ("The patient was seen in the ER and the MRN is on the label, call (270) 555-0143.", "en_US"),
        ("O paciente foi visto no SUS e o CPF dele está na ficha; você pode ligar.", "pt_BR"),
        ("Die Patientin ist bei der ÖGK in Wien versichert und kommt am Montag wieder.", "de_AT"),
    ],
)
def test_names_are_those_of_the_region(text: str, locale: str) -> None:
    assert locale_of(Document("d", text)) == locale


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
        "from random import Random\n"
        "from sfumato.replacers.surrogate import fake\n"
        "print([fake('it_IT', 'city', Random(number)) for number in range(5)])"
    )

    def run(hash_seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        return subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        ).stdout

    assert run("1") == run("2")
