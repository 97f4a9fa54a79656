"""What a sentence supports: places, occupations, nationalities, firms and things; what it does not gets a label."""

from __future__ import annotations

import pytest

from sfumato.generalize import evidence
from sfumato.generalize.hierarchy import Mention, generalize, is_ruled_out
from sfumato.generalize.places.countries import marked_countries


def mention(marked: str, label: str, language: str = "en") -> Mention:
    """The mention that stands in square brackets."""
    start = marked.index("[")
    end = marked.index("]") - 1
    return Mention(marked.replace("[", "", 1).replace("]", "", 1), start, end, label, language)


def first(marked: str, label: str, language: str = "en") -> str:
    levels = generalize(mention(marked, label, language))
    return levels[0].text if levels else ""


@pytest.mark.parametrize(
    "marked",
    [
        "She lives with her partner [Moll].",
        "He came with [Jordan] and Florence.",
        "Then [India] said that she was ill.",
        "[Chad]'s sister rang.",
        "He drives a [Lincoln].",
        "He is the owner of The [Raj].",
        "an extension at The [Old Forge].",
        "We ate from the good [china].",
        "not to contact [Duxbury] family members",
        "a nurse at [Monash] Clayton",
        "permit of CPA [Québec], valid",
        "Reported by the customer [via Ursula].",
        "11 years of experience in [Java], Spring and Go",
    ],
)
def test_no_place_where_the_sentence_does_not_say_so(marked: str) -> None:
    assert first(marked, "LOC") == ""


@pytest.mark.parametrize(
    ("marked", "level"),
    [
        ("He flew from Rome to [Jordan] in May.", "country in Western Asia"),
        ("His father lives in [Jordan].", "country in Western Asia"),
        ("She was born in [Ankara].", "capital city in Western Asia"),
        ("They ship to Ireland, France and [Spain].", "country in Southern Europe"),
        ("Location: [Norwich]\nTel 01603 555 014", "town or city in eastern England"),
        ("from Amsterdam to [Norwich], NR12 8NG", "town or city in eastern England"),
        ("vive en [Sevilla], España", "gran ciudad del suroeste de España"),
    ],
)
def test_a_place_where_it_does(marked: str, level: str) -> None:
    assert first(marked, "LOC", "es" if marked.startswith("vive") else "en") == level


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("call +44 7700 900461", "GB"),
        ("YO61 4QT", "GB"),
        ("Duluth MN 55811", "US"),
        ("+353 86 555 0119", "IE"),
        ("+61 8 5550 1234", "AU"),
        ("a fee of ₹ 500", "IN"),
        ("Rs. 500 each", "IN"),
        ("GIR 0AA", "GB"),
        ("01347 810226", "GB"),
        ("0121 496 0000", "GB"),
        ("£5 a day", "GB"),
        ("(212) 555-0143", "US"),
        ("078-05-1120", "US"),
        ("Sydney NSW 2000", "AU"),
        ("K1A 0B1", "CA"),
        ("R$ 20", "BR"),
        ("₦500", "NG"),
    ],
)
def test_the_country_of_a_text_by_postcodes_numbers_and_currencies(text: str, code: str) -> None:
    assert marked_countries(text) == {code}


@pytest.mark.parametrize(
    ("marked", "level"),
    [
        ("She works as an [organ builder] in Leeds.", ""),
        ("Full time as a [loans officer] since May.", ""),
        ("He is a salmon [keeper] there.", ""),
        ("Occupation: [Lollipop] lady", ""),
        ("an emeritus [professor of Latin]", ""),
        ("[Head of Chemistry] R&D", ""),
        ("He is a [theatre nurse].", "nursing professional"),
        ("this 63 year old [bus driver] has pain", "professional driver"),
        ("the retired [teacher] said", "education professional"),
    ],
)
def test_occupations_only_where_the_whole_phrase_is_known(marked: str, level: str) -> None:
    assert first(marked, "DEM") == level


@pytest.mark.parametrize(
    ("marked", "level"),
    [
        ("We accept Visa and [American] Express.", ""),
        ("Implemented [SAP] modules.", ""),
        ("updated by a [Vietnamese] interpreter", "Southeast Asian language"),
        ("who teaches [Welsh] at a school", "Celtic language"),
        ("a [Spanish] court", "Southern European"),
        ("the [Turkish] Government", "Western Asian"),
    ],
)
def test_nationalities(marked: str, level: str) -> None:
    assert first(marked, "DEM") == level


@pytest.mark.parametrize(
    ("marked", "label"),
    [
        ("smear at [Mill Bank] Surgery", "ORG"),
        ("Lab [Fox] River Ceramics", "ORG"),
        ("drove me to [Macmillan] for tea", "ORG"),
        ("approved except [crown] this year", "ORG"),
        ("Mr Cuthbert of Glebe [Farm] complained", "ORG"),
        ("Sale of [Unit 4C Dairy Court]", "ORG"),
        ("who live at [Bramble Court] now", "ORG"),
        ("two nights on [Bellhouse ward] with him", "ORG"),
        ("Effort   Working at   [Target]   Teacher", "ORG"),
        ("Hartigan & [Daughters], plumbers", "MISC"),
        ("[Jersey] cows graze on Jersey", "MISC"),
        ("Yohannes, a [taxi] driver", "DEM"),
        ("to Bernie the [tea] lady", "MISC"),
        ("Turkey [fryer] on the carport", "MISC"),
        ("[Pt] to be told in person", "DEM"),
        ("picked up from [peckham rye] at six", "LOC"),
    ],
)
def test_parts_codes_and_other_senses_are_not_read(marked: str, label: str) -> None:
    assert first(marked, label) == ""


def test_other_mentions_of_a_town_may_be_something_else() -> None:
    level = generalize(mention("Her son lives in [Bath], England.", "LOC"))[0]
    assert is_ruled_out(mention("In Bath, England. [Bath]: declined, she has a basin.", "LOC"), level)
    assert is_ruled_out(mention("from Bath, England, with her partner [Bath].", "LOC"), level)
    assert not is_ruled_out(mention("He is back in [Bath] til the 20th.", "LOC"), level)


def test_an_organisation_by_what_stands_before_its_short_name() -> None:
    text = "a firm of advocates called Carter Jones ('CJX'). Then [CJX] paid."
    assert first(text, "ORG") == "law firm"
    assert first("a decision of the State Security Court (hereinafter the [SSC]).", "ORG") == "special criminal court"


def test_a_language_without_words_of_its_own_is_read_as_english() -> None:
    assert not evidence.is_stated_place(mention("Er kam mit [Jordan].", "LOC", "de"))
