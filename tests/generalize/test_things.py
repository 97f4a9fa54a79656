"""The hierarchy of things: every level is true, each is wider than the one before, and what is unsure has none."""

from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.generalize import things
from sfumato.generalize.hierarchy import Level, Mention
from sfumato.generalize.things import kinds as thing_kinds

TRUE = {
    "violent crime": "robbery|armed robbery|a kidnapping|carjacking",
    "killing": "murder|manslaughter|infanticide",
    "sexual offence": "rape|indecent assault|rape of a minor",
    "property offence": "theft|burglary|shoplifting|arson",
    "financial crime": "fraud|money laundering|tax evasion|embezzlement",
    "drug offence": "drug trafficking|possession of 3 kg of cannabis|importation of heroin|sale of drugs",
    "weapons offence": "unlawful possession of a firearm|possession of explosives",
    "terrorist offence": "membership of an illegal organisation|terrorism",
    "military offence": "desertion|mutiny",
    "traffic offence": "drink-driving|speeding",
    "crime": "attempted murder|attempted burglary|conspiracy to commit fraud|robbery|perjury",
    "prison sentence": "life imprisonment|suspended sentence",
    "criminal penalty": "death penalty|community service",
    "statute on criminal justice": "Police and Criminal Evidence Act 1984|Sexual Offences (Amendment) Act 1976",
    "statute": "Motor Vehicles Act|Law no. 3953|Kraftfahrzeuggesetz|Law no. 657 on Civil Servants",
    "legal code": "Brottsbalken|Social Security Code|Strafgesetzbuch|Code pénal",
    "criminal code": "Brottsbalken|Strafgesetzbuch",
    "provision of criminal law": "Article 146 § 1 of the Turkish Criminal Code|Article 526 of the Criminal Code",
    "provision of civil law": "Article 153 of the Turkish Civil Code.",
    "provision of constitutional law": "Article 8 of the Constitution",
    "provision of a treaty": "Article 1 of Protocol No. 1|paragraph 2 of Article 10 of the Convention",
    "legal provision": "§ 211 StGB|Article 6 § 1|section 12|section 37(1) of the Children Act 1989",
    "court case against a state": "Muster v. Austria|Beispiel and Others v. the United Kingdom",
    "case brought by the Crown": "R. v. Doe [2000] AC 326",
    "court case": "Doe v. Roe|R. v. Doe [2000] AC 326|Blue Mountains Case",
    "human rights treaty": "European Convention on Human Rights|Convention against Torture",
    "international treaty": "Treaty of Rome|Geneva Convention|European Convention on Human Rights",
    "item of European Union legislation": "Council Directive 2004/38/EC",
    "constitutional law": "Regeringsformen|Grundgesetz",
    "bereavement benefit": "Widow's Payment|widow’s pension",
    "disability benefit": "disability pension|sixth-degree disability pension|incapacity benefit",
    "social security benefit": "Widow's Payment|jobseeker's allowance|child benefit",
    "tax": "income tax|value added tax|inheritance tax",
    "personal document": "passport|driving licence|residence permit",
    "medical document": "medical certificate|autopsy report",
    "contract": "collective agreement|loan agreement|sale contract",
    "qualification": "vocational high school diploma|law degree",
    "opioid": "diamorphine|heroin|methadone",
    "narcotic drug": "diamorphine|cocaine|cannabis|LSD",
    "painkiller": "ibuprofen|paracetamol|morphine",
    "medicine": "ibuprofen|amoxicillin|metformin|Prozac|warfarin|Lisinopril 10mg daily",
    "antidepressant": "fluoxetine|sertraline",
    "medical test": "blood test|CT scan|colonoscopy|HIV test",
    "surgical operation": "hip replacement|appendectomy|caesarean section|mastectomy",
    "medical device": "wheelchair|pacemaker|hearing aid",
    "bruise": "haematoma|black eye",
    "injury": "haematoma|stab wound|broken leg|cigarette burn",
    "symptom": "dizziness|insomnia|nausea|shortness of breath|fever|skin rash",
    "part of the back": "the left lumbar|lower back",
    "part of the head": "left orbital area|the applicant's left eye|jaw",
    "part of the leg": "left knee|ankle",
    "part of the body": "left wrist|liver|the left lumbar",
    "virus": "HIV|HCV virus",
    "car": "a BMW|VW Golf|red Ferrari|a black Mercedes|taxi",
    "vehicle": "a motorcycle|stolen bicycle|helicopter|van",
    "handgun": "revolver|semi-automatic pistol",
    "weapon": "assault rifle|hand grenade|a dagger",
    "dog": "black Labrador|German shepherd",
    "animal": "reindeer|salmon|an eagle|cow",
    "alcoholic drink": "vodka|red wine",
    "food": "bread|potato|cheese",
    "dwelling": "studio flat|bungalow",
    "building": "wooden church|mosque|barn",
    "business premises": "garage premises|bakery|sawmill|restaurant",
    "room": "kitchen|prison cell",
    "place of detention": "Norton Prison|open prison",
    "war": "Second World War|Vietnam War",
    "armed conflict": "Battle of Kursk|Second World War",
    "election": "general election|by-election",
    "political protest": "hunger strike|demonstration",
    "international sports event": "1998 FIFA World Cup|2012 Summer Olympics",
    "religious festival": "Easter|Ramadan",
    "holiday or festival": "Newroz|Halloween",
    "natural disaster": "earthquake|Hurricane Katrina",
    "accident": "train accident|car crash",
    "film award": "Academy Award for Best Sound|Golden Globe",
    "science award": "Nobel Prize in Physics|Fields Medal",
    "award": "Grammy Award|Victoria Cross|Booker Prize",
    "social network": "Facebook|Instagram",
    "software": "Photoshop|Linux",
    "programming language": "Python|JavaScript",
    "electronic device": "iPhone 14|laptop|PlayStation 5",
    "clothing": "brown leather jacket|headscarf|running shoes",
    "musical instrument": "violin|jazz guitar|trumpet",
    "social science": "communication science|sociology",
    "field of study": "physics|electrical engineering|theology",
    "sign language": "British Sign Language",
    "team sport": "football|ice hockey",
    "sport": "judo|tennis|swimming",
    "religion": "Catholicism|Buddhism",
    "political movement": "communism|feminism",
    "art movement": "Cubism|Impressionism",
    "music genre": "jazz|heavy metal",
    "plant": "sunflower|pine tree",
    "metal": "tungsten|potassium",
    "sports equipment": "hockey stick",
}
MANY = {
    "cars": "two Mercedes cars|several taxis",
    "bruises": "two ecchymosed areas|haematomas",
    "killings": "murders",
    "artificial body parts": "prosthetic knee joints",
    "explosive devices": "Molotov cocktails|hand grenades",
    "symptoms": "headaches|sleeping problems",
    "provisions of criminal law": "Articles 125, 168 and 169 of the Criminal Code",
    "crimes": "robberies|theft and burglary",
    "flowers": "sunflowers",
}
NOT_READ = (
    "owned a garage|responding well to medication|alleged rape|supplying cocaine|Toyota|Vesta|2 apples|24/59|"
    "Act 3 of Hamlet|bottle exploded and its metal cap hit his left eye|hunting, fishing and collecting|"
    "Annan Plan|possession of a house|? ! ,|the|«»|1,000"
)
PAIRS = [(phrase, level) for level, phrases in TRUE.items() for phrase in phrases.split("|")]
PLURALS = [(phrase, level) for level, phrases in MANY.items() for phrase in phrases.split("|") if phrase]


def levels(phrase: str, before: str = "He mentioned ", after: str = " in 1999.") -> list[Level]:
    text = before + phrase + after
    return things.levels(Mention(text, len(before), len(before) + len(phrase), "MISC"))


def test_there_are_enough_pairs() -> None:
    assert len(PAIRS) + len(PLURALS) >= 150


@pytest.mark.parametrize(("phrase", "level"), PAIRS)
def test_a_thing_is_of_its_kind(phrase: str, level: str) -> None:
    assert level in [item.text for item in levels(phrase)]


@pytest.mark.parametrize(("phrase", "level"), PLURALS)
def test_many_things_are_of_kinds_in_the_plural(phrase: str, level: str) -> None:
    assert (level, True, "") in [(item.text, item.plural, item.article) for item in levels(phrase)]


@pytest.mark.parametrize("phrase", NOT_READ.split("|"))
def test_what_cannot_be_read_has_no_levels(phrase: str) -> None:
    assert levels(phrase) == []


@pytest.mark.parametrize(
    ("before", "title", "after", "level"),
    [
        ('She starred in the film "', "Blue Harbour", '".', "screen production"),
        ("She starred in ", "Blue Harbour", ", a film by a friend.", "film"),
        ("He wrote the novel ", "The Long Road", ".", "book"),
        ("He wrote for the newspaper ", "Morning Lantern", ".", "newspaper or magazine"),
        ("He published an article entitled “", "On the Village", "” there.", "press item"),
        ("They were on board the ferry ", "Aurora Nine", ".", "vessel"),
        ("He sang ", 'the song "Silver Rain"', ".", "piece of music"),
    ],
)
def test_a_title_is_what_the_words_beside_it_say(before: str, title: str, after: str, level: str) -> None:
    assert level in [item.text for item in levels(title, before, after)]


@pytest.mark.parametrize("phrase", ["a Tesla Model S", "Tesla Model 3", "a Ford Focus 2", "Land Rover Defender"])
def test_a_make_with_its_model_is_a_vehicle(phrase: str) -> None:
    assert "car" in [item.text for item in levels(phrase)]


@pytest.mark.parametrize("phrase", ["Ford s", "Tesla model", "BMW y"])
def test_half_a_model_name_is_no_model(phrase: str) -> None:
    """ "model s" is one model: neither of its words is one alone."""
    assert thing_kinds.make_of(phrase, is_determined=True) is None


def test_a_compound_that_is_one_concept_is_not_read_by_its_last_word() -> None:
    texts = {level.text for phrase in ("heart attack", "tennis elbow", "athlete's foot") for level in levels(phrase)}
    assert texts.isdisjoint({"attack", "act of violence", "part of the arm", "part of the leg", "part of the body"})


@pytest.mark.parametrize("phrase", ["Yellow Submarine", "Hound Dog", "Baton Rouge", "Murder on the Night Train"])
def test_the_last_word_of_a_name_need_not_say_what_it_is(phrase: str) -> None:
    assert levels(phrase) == []


@pytest.mark.parametrize(
    ("phrase", "label"),
    [
        ("Java", "LOC"),
        ("Jaguar", "ORG"),
        ("Lynx", "LOC"),
        ("EWE", "ORG"),
        ("House", "ORG"),
        ("Hahn and Sons", "ORG"),
        ("Senators", "ORG"),
        ("Sons", "LOC"),
        ("Norton Martial Law Court", "ORG"),
    ],
)
def test_names_of_places_and_firms_are_no_things(phrase: str, label: str) -> None:
    text = f"They knew {phrase} well."
    assert things.levels(Mention(text, 10, 10 + len(phrase), label)) == []


def test_letters_are_what_the_text_says_they_stand_for() -> None:
    text = "under the Code of Criminal Procedure (“the CCP”). Later the CCP was amended."
    at = text.rindex("CCP")
    assert things.levels(Mention(text, at, at + 3, "MISC"))[0].text == "legal code"
    long = f"The CCP. {'Nothing else. ' * 5000} {text}"  # where phrases are found by the places of their words
    at = long.rindex("CCP")
    assert things.levels(Mention(long, at, at + 3, "MISC"))[0].text == "legal code"


def test_a_term_in_brackets_behind_its_translation_is_a_foreign_one() -> None:
    assert [level.text for level in levels("dozór policji", "police supervision (", ") was")] == [
        "foreign-language term"
    ]
    assert levels("dozór policji", "a man called ", " was") == []


def test_names_do_not_come_back_by_their_last_word() -> None:
    assert all("Derby" not in level.text for level in levels("Epsom Derby", "at the "))
    assert all("Sox" not in level.text for level in levels("Greenville Sox", "the "))


def test_originals_have_plurals_that_people_use() -> None:
    items = list(islice(things.candidate_originals("vegetables", "", "en"), 20))
    assert "potatoes" in items
    assert "garlics" not in items


def test_a_word_that_is_dropped_leaves_the_thing() -> None:
    assert [level.text for level in levels("shiny red bicycle")][:2] == ["bicycle", "vehicle"]


def test_another_word_for_a_thing_is_no_level() -> None:
    assert "film" not in [level.text for level in levels("a movie")]
    assert "painkiller" not in [level.text for level in levels("an analgesic")]


def test_other_languages_are_not_read() -> None:
    assert things.levels(Mention("el robo", 3, 7, "MISC", "es")) == []
    assert list(things.candidate_originals("a crime", "", "es")) == []


@pytest.mark.parametrize(("phrase", "level"), PAIRS + PLURALS)
def test_each_level_is_wider_and_none_is_the_thing_itself(phrase: str, level: str) -> None:
    wordings = levels(phrase)
    assert len(wordings) <= 6
    assert all(one.members < other.members for one, other in pairwise(wordings))
    assert len({item.text for item in wordings}) == len(wordings)
    assert phrase.casefold() not in {wording.text.casefold() for wording in wordings}


def test_every_listed_thing_generalizes_to_the_kinds_above_it() -> None:
    for kind in thing_kinds.kinds().values():
        for thing in kind.things[:3]:
            match = thing_kinds.find(thing.rstrip("+"))
            assert match is not None
            above = {wider.name for wider in thing_kinds.ancestors(match.kind)}
            # Another word for the kind goes on from the next one; a kind that is listed again, from its own.
            assert {kind.name, kind.wider} & above or not above or match.name in thing_kinds.kinds(), thing


def test_kinds_grow() -> None:
    for name in thing_kinds.kinds():
        counts = [thing_kinds.members(kind.name) for kind in thing_kinds.ancestors(name)]
        assert counts == sorted(set(counts))


@pytest.mark.parametrize(
    ("phrase", "likely"),
    [
        ("a violent crime", "robbery"),
        ("an opioid painkiller", "morphine"),
        ("vegetables", "potatoes"),
        ("a musical instrument", "guitar"),
        ("a team sport", "football"),
        ("provision of criminal law", "Article 125 of the Criminal Code"),
    ],
)
def test_the_best_known_originals_come_first(phrase: str, likely: str) -> None:
    assert likely in list(islice(things.candidate_originals(phrase, "He did it.", "en"), 10))


def test_what_the_text_itself_names_comes_first() -> None:
    text = "He was arrested for a violent crime. The carjacking was reported in the papers."
    assert next(things.candidate_originals("a violent crime", text, "en")) == "carjacking"


def test_originals_are_generalized_to_their_kind() -> None:
    for phrase in ("sexual offence", "antibiotic", "winter sport", "literary award"):
        for original in islice(things.candidate_originals(phrase, "", "en"), 12):
            assert phrase in [level.text for level in levels(original)], original


@given(st.text(max_size=80), st.text(max_size=40), st.text(max_size=40))
def test_any_mention_is_read(phrase: str, before: str, after: str) -> None:
    wordings = levels(phrase, before, after)
    assert all(one.members < other.members for one, other in pairwise(wordings))


def test_long_numbers_are_read_at_once() -> None:
    assert levels("Article " + "1" * 150 + "!!") == levels("Articles " + "1, " * 60 + "of !") == []


WORDS = (
    "the two of heroin v. Article 6 and Act 1984 § “ ” stolen Mercedes no. left eye alleged Code (EC) , film".split()
)


@given(st.lists(st.sampled_from(WORDS), max_size=9))
def test_any_jumble_of_telling_words_is_read(words: list[str]) -> None:
    wordings = levels(" ".join(words))
    assert all(one.members < other.members for one, other in pairwise(wordings))


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_phrase_has_its_originals(phrase: str, text: str) -> None:
    assert all(isinstance(original, str) for original in islice(things.candidate_originals(phrase, text, "en"), 20))


def test_every_kind_that_a_title_may_have_is_a_kind() -> None:
    named = {kind.casefold() for kind in thing_kinds._TITLE_KINDS.values() if kind}
    assert named <= thing_kinds.kinds().keys()
