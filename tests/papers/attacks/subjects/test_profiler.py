import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import RecipeError
from sfumato_papers.attacks.subjects.attack import SubjectAttack
from sfumato_papers.attacks.subjects.people import names_from_handle
from sfumato_papers.attacks.subjects.profiler import RuleProfiler

_RULES = RuleProfiler()


@pytest.fixture
def rules() -> RuleProfiler:
    return _RULES


def of(rules: RuleProfiler, text: str, number: int = 0) -> dict[str, set[str]]:
    collected: dict[str, set[str]] = {}
    for attribute in rules.profile([text])[0][number].attributes:
        collected.setdefault(attribute.tag, set()).add(attribute.value)
    return collected


def test_someone_who_tells_of_themselves(rules: RuleProfiler) -> None:
    writer = of(rules, "I am a 34-year-old nurse from Leeds. My husband and I love it here.")
    assert writer["AGE"] == {"34"}
    assert "nurse" in writer["OCCUPATION"]
    assert writer["LOCATION"] == {"Leeds / United Kingdom"}
    assert writer["NATIONALITY"] == {"United Kingdom"}
    assert writer["SEX"] == {"Female"}
    assert writer["RELATIONSHIP"] == {"Married"}


def test_codes_and_what_they_tell(rules: RuleProfiler) -> None:
    writer = of(rules, "Seller: Ida\nContact: +63 917 123 4567 or ida.tvesk@quorvex.ph\nItem: a lamp")
    assert writer["NAME"] >= {"Ida"}
    assert writer["PHONE_NUMBER"] == {"+63 917 123 4567"}
    assert writer["EMAIL_ADDRESS"] == {"ida.tvesk@quorvex.ph"}
    assert writer["AFFILIATION"] == {"Quorvex"}
    assert "Philippines" in writer["NATIONALITY"]


def test_a_year_of_birth_and_a_decade_are_ranges_of_ages(rules: RuleProfiler) -> None:
    assert of(rules, "Anna Quorvex, born in 1980, is in her thirties.")["AGE"] == {"44-45", "30-39"}


def test_a_number_nobody_claims_has_a_holder(rules: RuleProfiler) -> None:
    found = rules.profile(["Anna : the log shows driver licence NZ-DL-5627208 twice. Any ideas?"])[0]
    wanted = {"DRIVER_LICENSE_NUMBER", "LOCATION", "NATIONALITY"}
    holders = [entry for entry in found if {item.tag for item in entry.attributes} == wanted]
    assert len(holders) == 1
    assert {item.value for item in holders[0].attributes} == {"NZ-DL-5627208", "New Zealand"}


@pytest.mark.parametrize(
    ("text", "certainties"),
    [
        (
            "I am a 34-year-old nurse from Leeds. My husband and I love it here.",
            [
                "AGE 5, RELATIONSHIP 5, OCCUPATION 5, LOCATION 4, OCCUPATION 4, SEX 3, NATIONALITY 3",
                "SEX 5, RELATIONSHIP 5",
            ],
        ),
        (
            "Seller: Ida\nContact: +63 917 123 4567 or ida.tvesk@quorvex.ph\nItem: a lamp",
            [
                "NAME 5, PHONE_NUMBER 5, EMAIL_ADDRESS 5, NAME 4, LOCATION 3, NATIONALITY 3, AFFILIATION 3, SEX 2",
                "PHONE_NUMBER 2, LOCATION 2, NATIONALITY 2",
                "NAME 4, AFFILIATION 3, EMAIL_ADDRESS 2, LOCATION 2, NATIONALITY 2",
            ],
        ),
        (
            "Anna : the log shows driver licence NZ-DL-5627208 twice. Any ideas?",
            [
                "NAME 5, SEX 4, OCCUPATION 3, DRIVER_LICENSE_NUMBER 2, LOCATION 2, NATIONALITY 2",
                "DRIVER_LICENSE_NUMBER 4, LOCATION 3, NATIONALITY 3",
            ],
        ),
        (
            "Anna Quorvex, born in 1980, is in her thirties. She was married to Bo Tvesk of Oslo.",
            ["NAME 5, RELATIONSHIP 5, SEX 4, AGE 4, AGE 4", "NAME 5, RELATIONSHIP 4, LOCATION 4, NATIONALITY 3, SEX 2"],
        ),
        (
            "We love our three sons, my parents Ann & Bo Quorvex and my German neighbour.",
            [
                "NATIONALITY 5, LOCATION 3",
                "NAME 5, SEX 4, RELATIONSHIP 3, OCCUPATION 3",
                "NAME 5, RELATIONSHIP 3, OCCUPATION 3, SEX 2",
            ],
        ),
        (
            "Location: Leeds\nPrice: £30. I work for Brimdale Ltd as senior manager.",
            ["LOCATION 5, AFFILIATION 4, NATIONALITY 3, POSITION 3"],
        ),
        (
            "I'm a single mum. Mr. Bo Tvesk and @ryan.riley came.",
            ["RELATIONSHIP 4, SEX 4", "NAME 5, SEX 5", "NAME 4, SEX 4"],
        ),
    ],
)
def test_how_certain_each_rule_is(rules: RuleProfiler, text: str, certainties: list[str]) -> None:
    profiles = rules.profile([text])[0]
    read = [sorted(f"{item.tag} {item.certainty}" for item in profile.attributes) for profile in profiles]
    assert read == [sorted(line.split(", ")) for line in certainties]


def test_offsets_point_at_what_was_read(rules: RuleProfiler) -> None:
    text = "I am a 34-year-old nurse from Leeds."
    attempt = SubjectAttack(profiler=rules).run({"d": text})[0]
    read = {item.term: text[item.start : item.end] for item in attempt.evidence}
    assert read["AGE"] == "34-year-old"
    assert read["LOCATION"] == "Leeds"


def test_an_empty_text_holds_nobody(rules: RuleProfiler) -> None:
    assert rules.profile(["", "  \n"]) == [[], []]
    assert SubjectAttack(profiler=rules).run({"d": ""}) == []


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    for attempt in SubjectAttack(profiler=_RULES).run({"d": text}):
        assert all(0 <= item.start < item.end <= len(text) for item in attempt.evidence)


def test_an_unknown_profiler_is_refused() -> None:
    with pytest.raises(RecipeError, match="no profiler 'magic': choose from: chat, rules"):
        SubjectAttack(profiler="magic")


@pytest.mark.parametrize(
    ("handle", "name"),
    [
        ("@ryan.riley", "Ryan Riley"),
        ("anna.bo.cora.dano", "Anna Bo Cora"),
        ("@kathryndavis", "Kathryn Davis"),
        ("@pthornton", "P. Thornton"),
        ("@campbelld", "D. Campbell"),
        ("@park714", "Park"),
        ("ChefAnna_Sale", "Anna"),
        ("zzyx9", "Zzyx"),
    ],
)
def test_names_in_handles(handle: str, name: str) -> None:
    assert names_from_handle(handle)[0] == name


def test_a_handle_of_digits_has_no_name() -> None:
    assert names_from_handle("@123") == []


def test_a_disguised_text_is_read_as_its_reader_does() -> None:
    plain = "Mr Tom Hall, 54, is a nurse in Leeds."
    disguised = plain.replace("Leeds", "Ｌｅｅｄｓ").replace("nurse", "nu\u00adrse")
    profiles = _RULES.profile([plain, disguised])
    values = [[(item.tag, item.value) for item in profile.attributes] for (profile,) in profiles]
    assert values[0] == values[1]
    places = {item.tag: disguised[slice(item.start, item.end)] for item in profiles[1][0].attributes}
    assert places["LOCATION"] == "Ｌｅｅｄｓ"
    assert places["OCCUPATION"] == "nu\u00adrse"


def test_placeholders_are_people_without_a_name(rules: RuleProfiler) -> None:
    text = "I. THE FACTS\n\nPERSON_1 of LOC_1, aged 54, sued. PERSON_2, a German lawyer, spoke for [PERSON_1] of ORG_1."
    profiles = rules.profile([text])[0]
    read = {profile.who: {item.tag: item.value for item in profile.attributes} for profile in profiles}
    assert read["PERSON_1"]["AGE"] == "54"
    assert read["PERSON_2"]["NATIONALITY"] == "Germany"
    values = [item.value for profile in profiles for item in profile.attributes]
    assert not any(mark in value.upper() for value in values for mark in ("PERSON", "LOC", "ORG"))
    assert not any(profile.is_writer for profile in profiles)  # I. is the number of a heading


def test_profiles_say_where_the_text_mentions_somebody(rules: RuleProfiler) -> None:
    text = "Gerald : my wife and Bo Tvesk saw ＱＸ-ID-7712345. I asked."
    mentions = {}
    for profile in rules.profile([text])[0]:
        mentions[profile.who] = [mention.text for mention in profile.mentions]
        assert all(text[mention.start : mention.end] == mention.text for mention in profile.mentions)
    assert mentions["Gerald"] == ["Gerald"]
    assert mentions["wife"] == ["wife"]
    assert mentions["Bo Tvesk"] == ["Bo Tvesk"]
    assert mentions["holder of a code (IDENTIFICATION_NUMBER)"] == ["ＱＸ-ID-7712345"]


def test_an_unnamed_writer_is_mentioned_by_the_first_person(rules: RuleProfiler) -> None:
    (writer,) = rules.profile(["I am a nurse. They took my hat."])[0]
    assert [mention.text for mention in writer.mentions] == ["I", "my"]
    assert writer.is_writer
