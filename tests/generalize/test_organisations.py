"""The hierarchy of organisations: kinds that hold, steps that grow, names that do not come back."""

from __future__ import annotations

from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from training.tables import WORDLISTS

from sfumato.generalize.hierarchy import Level, Mention
from sfumato.generalize.organisations import guesses, kinds
from sfumato.generalize.organisations.guesses import candidate_originals, parse_level
from sfumato.generalize.organisations.hierarchy import levels
from sfumato.lexicon import tables, world
from tests.generalize.org_cases import CASES
from training import build_org_kinds

NOTHING_SAID = frozenset({"organisation", "organization", "body", "institution", "entity", "group", "place"})


def levels_of(mention: str, text: str = "", label: str = "ORG") -> list[Level]:
    text = text or f"He complained about {mention} to his lawyer."
    start = text.index(mention)
    return levels(Mention(text, start, start + len(mention), label))


def lands(area: world.Area) -> set[str]:
    """The countries of an area, England as the United Kingdom."""
    return {code[:2] for code in area.countries}


def texts(mention: str, text: str = "") -> list[str]:
    return [level.text for level in levels_of(mention, text)]


@pytest.mark.parametrize(("said", "level", "unsaid"), CASES, ids=[case[0] for case in CASES])
def test_kind_holds_and_the_last_level_repeats_nothing(said: str, level: str, unsaid: str) -> None:
    released = texts(said)
    assert level in released
    assert not set(unsaid.split()) & set(released[-1].lower().split())


@pytest.mark.parametrize("said", [case[0] for case in CASES])
def test_each_level_is_wider(said: str) -> None:
    wordings = levels_of(said)
    assert 0 < len(wordings) <= 7
    assert all(one.members < other.members for one, other in pairwise(wordings))
    for one, other in pairwise(wordings):
        narrow, wide = parse_level(one.text), parse_level(other.text)
        assert narrow is not None
        assert wide is not None
        assert kinds.is_a(narrow[0], wide[0])
        assert wide[1] is None or (narrow[1] is not None and lands(narrow[1]) <= lands(wide[1]))


@pytest.mark.parametrize("said", [case[0] for case in CASES])
def test_levels_are_bare_noun_phrases_that_say_something(said: str) -> None:
    for level in levels_of(said):
        assert level.text.split()[0] not in ("a", "an", "the")
        assert level.text not in NOTHING_SAID
        assert level.article == ("" if level.plural else "a")
        assert level.text.casefold() != said.casefold()


@pytest.mark.parametrize(
    ("said", "text", "kind"),
    [
        ("WPN", "He joined the Workers' Party of Norland (WPN) in May.", "political party"),
        ("Harrow Finch", "She wrote to the law firm Harrow Finch.", "law firm"),
        ("Tolvan", "He had joined Tolvan, an illegal organisation, in May.", "illegal organisation"),
        ("Tolvan", "He was a member of an illegal organisation, the Tolvan, in May.", "illegal organisation"),
        ("Oberland", "He read the newspaper “Oberland” every day.", "newspaper"),
        ("Zelmo", "Zelmo is a company registered in Poland. He left Zelmo.", "company"),
        ("tingsrätten", "He appealed to the District Court (tingsrätten).", "court"),
    ],
)
def test_the_document_tells_the_kind(said: str, text: str, kind: str) -> None:
    assert kind in texts(said, text)


def test_initials_mean_what_the_document_says() -> None:
    assert "armed group" in texts("PKK", "He joined the PKK.")
    assert "educational institution" in texts("PKK", "He went to Pine Kiln Kindergarten (PKK), a school. PKK closed.")


@pytest.mark.parametrize(
    "text",
    [
        "They told the court Zelmo had left.",
        "He saw Zelmo, a hospital worker, there.",
        "He went to Zelmo in the morning.",
        "He went to Zelmo, the second of the three.",
    ],
)
def test_what_the_document_does_not_tell_stays_unsaid(text: str) -> None:
    assert texts("Zelmo", text) == []


@pytest.mark.parametrize(
    "said",
    "Republic of Turkey;United Kingdom;Kingdom of Norway;Federal Republic of Germany;French Republic;Police Act;"
    "Xqz;; ;();Turkish;Bank of Nowhere Hospital;Marlow City".split(";"),
)
def test_what_is_no_organisation_or_not_certain_has_no_levels(said: str) -> None:
    assert levels(Mention(f"He saw {said} there.", 7, 7 + len(said), "ORG")) == []


def test_only_english_is_read() -> None:
    assert levels(Mention("University of Oslo", 0, 18, "ORG", "es")) == []
    assert list(candidate_originals("university in Northern Europe", "", "es")) == []


def test_places_of_the_name_widen() -> None:
    released = texts("University of Oslo")
    assert released[:2] == ["university in Norway", "university in Northern Europe"]
    assert texts("Turkish Government")[:2] == [
        "government of a country in Western Asia",
        "government of a country in Asia",
    ]


def test_a_part_of_a_country_is_not_the_country() -> None:
    assert all("country" not in level for level in texts("Lower Austrian Government"))
    assert texts("Scottish Government")[0] == "regional government in the United Kingdom"


def test_a_person_s_name_is_no_place() -> None:
    assert all(" in " not in level for level in texts("Jackson Hospital"))


def test_plurals_stay_plural() -> None:
    wordings = levels_of("Istanbul Courts")
    assert wordings
    assert all(level.plural and level.article == "" for level in wordings)
    assert wordings[0].text == "courts in Turkey"


def test_modifier_stands_before_a_noun() -> None:
    assert levels_of("Turkish Government")[0].modifier == "Western Asian national government"
    assert levels_of("Acme Ltd")[0].modifier == "company"


@given(st.text(max_size=60), st.text(max_size=30), st.text(max_size=30))
def test_never_raises(said: str, before: str, after: str) -> None:
    text = before + said + after
    for label in ("ORG", "LOC", "MISC"):
        levels(Mention(text, len(before), len(before) + len(said), label))
    levels(Mention(text, len(before), len(text) + 3, "ORG"))
    list(islice(candidate_originals(said, text, "en"), 3))


_WORDS = [
    "Court",
    "of",
    "the",
    "Appeal",
    "Istanbul",
    "Turkish",
    "Ltd",
    "(",
    ")",
    "and",
    "Bank",
    "Oslo",
    "No.",
    "2",
    ",",
    "’s",
]


@given(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=8))
def test_levels_of_any_name_widen(words: list[str]) -> None:
    phrase = " ".join(words)
    wordings = levels(Mention(f"He saw {phrase} there.", 7, 7 + len(phrase), "ORG"))
    assert len(wordings) <= 7
    assert all(one.members < other.members for one, other in pairwise(wordings))


@pytest.mark.parametrize("said", ["University of Oslo", "Istanbul Assize Court", "Turkish Government", "Siemens"])
def test_originals_find_the_way_back(said: str) -> None:
    evidence = "She lived in Istanbul, in Oslo and in Munich; a Turkish, a Norwegian and a German passport were found."
    guesses = list(islice(candidate_originals(levels_of(said)[0].text, evidence, "en"), 20))
    assert said in guesses


def test_originals_prefer_places_of_the_text() -> None:
    guesses = list(
        islice(candidate_originals("a university in Northern Europe", "He lived in Bergen for years.", "en"), 20)
    )
    assert any("Bergen" in guess for guess in guesses)


@pytest.mark.parametrize(
    ("phrase", "first"),
    [
        ("a court", "Supreme Court"),
        ("judicial body", "Supreme Court"),
        ("a public body", "Government"),
        ("state authority", "Government"),
        ("educational institution", "University"),
        ("a medical institution", "Hospital"),
    ],
)
def test_what_most_texts_would_have_is_guessed_first(phrase: str, first: str) -> None:
    assert next(candidate_originals(phrase, "", "en")) == first


def test_foreign_words_months_and_continents_are_no_first_guesses() -> None:
    text = "In May, as in all of Europe, a Monday was a day of Justice, said March."
    for phrase in ("a court", "a public body", "a police force", "a university", "a hospital in Europe"):
        guesses = list(islice(candidate_originals(phrase, text, "en"), 12))
        assert guesses
        for word in ("Mahkemesi", "Gericht", "May ", "March ", "Europe ", "Monday "):
            assert not any(guess.startswith(word) or guess.endswith(f" {word.strip()}") for guess in guesses)


@pytest.mark.parametrize("kind", sorted(kinds.kinds()))
def test_whatever_is_a_public_body_ends_as_one(kind: str) -> None:
    steps = [step.name for step in kinds.ancestors(kind)]
    assert "public body" not in steps[:-1]
    assert "business" not in steps[:-1]


@pytest.mark.parametrize(
    ("said", "context", "level"),
    [
        ("Criminal Division of the Court of Cassation", "the @ held", "part of a court"),
        ("International Law Department", "Head of the @ at the Federal Ministry of Finance", "part of a public body"),
        ("XI Penal Division", "to the Warsaw Regional Court, @.", "part of a court"),
        ("Gaming Board for Great Britain", "the @ refused", "public body"),
        ("Cadastral Commission", "the @ held", "public body"),
        ("Rochester Royals", "The coach of the @ said that the basketball season and the playoffs", "sports team"),
    ],
)
def test_what_is_told_by_its_whole_or_its_text(said: str, context: str, level: str) -> None:
    text = context.replace("@", said)
    start = text.index(said)
    assert level in [item.text for item in levels(Mention(text, start, start + len(said), "ORG"))]


@pytest.mark.parametrize(
    ("said", "context", "wrong"),
    [
        ("White Paper", "the @ of 1980", "company"),
        ("capital", "in the Argentine @", "company"),
        ("NRA", "In Sweden, the Road Administration (before 2010: the @)", "interest group"),
        ("QRRN", "Queen's Regulations for the Royal Navy (“@”)", "naval force"),
        ("Rochester Royals", "the @ met", "sports team"),
        ("Bow Street Magistrates' Court", "the @ in England", "court for minor cases in Wales"),
        ("University of Georgia", "the @ in Atlanta, United States", "university in Western Asia"),
        ("Division 3", "33 goals in @", "unit of a larger organisation"),
    ],
)
def test_what_was_once_read_wrongly_is_not(said: str, context: str, wrong: str) -> None:
    text = context.replace("@", said)
    start = text.index(said)
    assert wrong not in [level.text for level in levels(Mention(text, start, start + len(said), "ORG"))]


def test_originals_of_other_phrases_are_none() -> None:
    assert list(candidate_originals("a large city in Poland", "", "en")) == []


def test_every_kind_is_read_back() -> None:
    area = world.world_regions()["Western Asia"]
    for kind in kinds.kinds():
        assert parse_level(f"a {kind}") == (kind, None, False)
        if f"{kind} in {area.name}" not in kinds.kinds():
            assert parse_level(f"{kind} in {area.name}") == (kind, area, False)


def test_the_shipped_tables_are_those_of_the_lists() -> None:
    built = build_org_kinds.tables(WORDLISTS)
    assert build_org_kinds.check(*built.values()) == []
    for table, rows in built.items():
        assert rows == tables.table_rows(table)


def test_lists_that_contradict_themselves_are_refused() -> None:
    wrong = build_org_kinds.check(
        [["a", "b", "10", "local"], ["b", "-", "5", "city"], ["c", "d", "1", "moon"]],
        [["x", "nothing", "end"], ["y", "a", "middle"]],
        [["N", "gone", "TR", ""]],
        [["never", "Somebody"]],
    )
    assert len(wrong) == 7


def test_initials_that_are_not_said_to_be_an_organisation_are_not_read_as_one() -> None:
    text = "She claimed WBA in May."
    assert levels(Mention(text, 12, 15, "ORG"))
    assert levels(Mention(text, 12, 15, "MISC")) == []


def test_countries_that_are_named_equally_often_have_an_order_of_their_own() -> None:
    """The guesses, and so the choice under attack, do not depend on the hash seed."""
    area = world.world_regions()["Northern Europe"]
    codes = guesses._best_known(area)
    keys = [(-world.countries()[code].frequency, code) for code in codes]
    assert keys == sorted(keys)
