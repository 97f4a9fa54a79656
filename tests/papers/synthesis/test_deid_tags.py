"""Tags of de-identified notes: kinds, ids, dates, and what is broken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import RecipeError
from sfumato.lexicon.tables import load_toml
from sfumato_papers.synthesis.deid_tags import UNKNOWN, BrokenTag, DateParts, check_own_kinds, find_tags, kinds


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("First Name8 (NamePattern2) ", "given"),
        ("Female First Name (un) 12", "given-female"),
        ("Known lastname 456", "family"),
        ("Doctor Last Name 3", "family"),
        ("Name (NI) ", "name"),
        ("Name13 (STitle) 123", "name"),
        ("Initials (NamePattern4) ", "initials"),
        ("Hospital1 18", "hospital"),
        ("Hospital Ward Name 121", "ward"),
        ("Location (un) 12", "city"),
        ("Location (Universities) 12", "university"),
        ("Street Address(2) 12", "street"),
        ("State/Zipcode 2", "state-zip"),
        ("Telephone/Fax (1) 123", "phone"),
        ("Pager number 12", "pager"),
        ("Medical Record Number 12", "number"),
        ("Clip Number (Radiology) 12", "number"),
        ("Social Security Number 2", "ssn"),
        ("E-mail address 2", "email"),
        ("Age over 90 123", "age"),
        ("Month/Day/Year 12", "date"),
        ("Day Month 12", "month-day"),
        ("Year (2 digits) 12", "year-2"),
        ("Year (4 digits) ", "year"),
        ("Date range (1) 12", "date-range"),
        ("Holiday 2", "holiday"),
        ("Last Name\n  (un) 3", "family"),
        ("Gadget 12", UNKNOWN),
        (" ", UNKNOWN),
        ("1-43", UNKNOWN),
        ("12", UNKNOWN),
    ],
)
def test_kinds_of_tags(content: str, kind: str) -> None:
    text = f"Seen: [**{content}**]."
    [tag] = find_tags(text)
    assert tag.kind == kind
    assert text[tag.start : tag.end] == f"[**{content}**]"
    assert tag.value is None


@pytest.mark.parametrize(
    ("content", "kind", "value"),
    [
        ("2151-7-16", "date", DateParts(2151, 7, 16)),
        ("7/16/2151", "date", DateParts(2151, 7, 16)),
        ("7-16", "month-day", DateParts(None, 7, 16)),
        ("-7/2151", "month-year", DateParts(2151, 7)),
        ("7/2151", "month-year", DateParts(2151, 7)),
        ("2151-7", "month-year", DateParts(2151, 7)),
        ("2151", "year", DateParts(2151)),
    ],
)
def test_dates_that_are_written_out(content: str, kind: str, value: DateParts) -> None:
    [tag] = find_tags(f"[**{content}**]")
    assert (tag.kind, tag.value) == (kind, value)


def test_keys_have_the_id_and_single_blanks() -> None:
    tags = find_tags("[**Last Name (un) 3**] [**last  name\n(un) 3**] [**Last Name (un) 4**]")
    assert [tag.key for tag in tags] == ["last name (un) 3", "last name (un) 3", "last name (un) 4"]
    assert "last" not in repr(tags[0])


def test_generic_tags_only_where_they_are_asked_for_and_known() -> None:
    text = "[NAME] saw <DATE_2> and {{PHONE}} [SIC] <HR> [NAME 2> [**Last Name 1**]"
    assert [tag.kind for tag in find_tags(text)] == ["family"]
    assert [tag.kind for tag in find_tags(text, "generic")] == ["name", "date", "phone"]
    assert [tag.kind for tag in find_tags(text, "both")] == ["name", "date", "phone", "family"]


def test_a_user_s_kinds_come_first() -> None:
    own = check_own_kinds({"Gadget (x)": "phone", "Hospital": "city"})
    assert [tag.kind for tag in find_tags("[**Gadget (X) 7**] [**Hospital1 18**]", own=own)] == ["phone", "city"]
    with pytest.raises(RecipeError, match="no kind of tag 'fone'"):
        check_own_kinds({"Gadget": "fone"})
    with pytest.raises(RecipeError, match="without words"):
        check_own_kinds({"12": "phone"})


@pytest.mark.parametrize("text", ["a\nb [**Last Name", "a\nb [**Last [**Name 1**]", "a\nb [**" + "x" * 300 + "**]"])
def test_a_tag_without_an_end_is_reported_by_its_line(text: str) -> None:
    with pytest.raises(BrokenTag, match=r"^line 2: a tag begins") as raised:
        find_tags(text)
    assert "Last" not in str(raised.value)


def test_the_table_has_each_phrase_once_in_small_letters() -> None:
    table = load_toml("deid_tags", package="sfumato_papers.synthesis")
    phrases = [" ".join(phrase.split()) for kind in kinds() for phrase in table[kind].split(",")]
    assert len(phrases) == len(set(phrases))
    assert all(phrase and phrase == phrase.lower() for phrase in phrases)


@given(st.text(alphabet="[]*<>{}ANED_ 12-/\n", max_size=60))
def test_tags_are_sorted_and_disjoint(text: str) -> None:
    try:
        tags = find_tags(text, "both")
    except BrokenTag:
        return
    position = 0
    for tag in tags:
        assert position <= tag.start < tag.end <= len(text)
        position = tag.end
