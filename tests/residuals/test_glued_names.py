"""A replaced name stands nowhere else in the text: glued to itself or to other words, as a key or a tag."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.document import Document, Edit, Release, Span
from sfumato.residuals.values import ValueIndex, hide_repeats, join_pieces

GIVEN = st.sampled_from(["Anna", "Tobias", "Rosalba", "Ignatius"])
SURNAME = st.text("bdfgklmnprtvz", min_size=3, max_size=5).map(lambda end: f"Quor{end}")
GLUED: dict[str, Callable[[list[str]], str]] = {
    "camel": lambda words: words[0].lower() + "".join(map(str.capitalize, words[1:])),
    "capitals": "".join,
    "snake": lambda words: "_".join(words).lower(),
    "kebab": lambda words: "-".join(words).lower(),
    "upper": lambda words: "_".join(words).upper(),
    "run together": lambda words: "".join(words).lower(),
    "shouted": lambda words: "".join(words).upper(),
    "mixed": lambda words: "_".join([words[0].lower(), "".join(words[1:])]),
}


@st.composite
def glued_names(draw: st.DrawFn) -> tuple[str, str, list[str]]:
    """A given name, a surname, and identifiers of them: both at least once, in any order and spelling."""
    first, last = draw(GIVEN), draw(SURNAME)

    def identifier() -> str:
        pairs = draw(st.lists(st.sampled_from([[first, last], [last, first]]), min_size=1, max_size=4))
        words = [word for pair in pairs for word in pair]
        return GLUED[draw(st.sampled_from(sorted(GLUED)))](words[draw(st.integers(0, len(words) > 2)) :])

    return first, last, [identifier() for _ in range(draw(st.integers(1, 4)))]


def release_of(first: str, last: str, rest: str) -> Release:
    text = f"Mrs {first} {last} was seen.\n{rest}\n"
    return Release(Document("a", text), (Edit(Span(4, 5 + len(first) + len(last), "PERSON"), "PERSON_1"),))


FORMS = ("{}", '{{"{}": 1}}', "class {}:", "<{} a='1'>", "Anna {} went home")


@given(glued_names(), st.sampled_from(FORMS))
def test_nothing_of_a_name_stays_in_an_identifier(name: tuple[str, str, list[str]], form: str) -> None:
    first, last, identifiers = name
    released = hide_repeats(release_of(first, last, "\n".join(map(form.format, identifiers)))).text
    assert last.casefold() not in released.casefold()


@given(glued_names(), st.text("ab _-.Q", max_size=6))
def test_matches_never_overlap(name: tuple[str, str, list[str]], between: str) -> None:
    first, last, identifiers = name
    values = {join_pieces(form) for form in (first + last, last + first, last)}
    text = between.join(identifiers)
    matches = list(ValueIndex(values).find(text))
    for before, after in pairwise(matches):
        assert before.start < before.end <= after.start < after.end <= len(text)


@pytest.mark.parametrize(
    "rest",
    [
        '{"Quorvex": {"age": 41}}',
        '{"imports": {"quorvex": "./q.js"}}',
        "<quorvex/>",
        "QUORVEX=1",
        "a/quorvex/b",
        "x_Quorvex",
    ],
)
def test_a_rare_surname_is_a_name_in_a_key_as_well(rest: str) -> None:
    assert "quorvex" not in hide_repeats(release_of("Anna", "Quorvex", rest)).text.casefold()


@pytest.mark.parametrize("surname", ["Ledger", "Vector", "Class", "Intake"])
def test_a_surname_that_is_a_word_stays_a_key(surname: str) -> None:
    rest = f'{{"{surname.lower()}": 1}} {surname}_id'
    assert rest in hide_repeats(release_of("Anna", surname, rest)).text


@pytest.mark.parametrize("word", ["QUORPTTZIGNATIUSQUORPTTZ", "QUORPTTZIGNATIUSIGNATIUSQUORPTTZ"])
def test_a_long_surname_at_the_beginning_of_a_word_does_not_hide_the_full_name(word: str) -> None:
    assert "quorpttz" not in hide_repeats(release_of("Ignatius", "Quorpttz", f"Anna {word} left")).text.casefold()


def test_two_keys_stay_two_keys() -> None:
    rest = '{"annaquorvex": 1, "quorvexanna": 2, "anna_quorvex": 3, "hidden": 4}'
    released = hide_repeats(release_of("Anna", "Quorvex", rest)).text
    assert sorted(json.loads(released.splitlines()[1]).values()) == [1, 2, 3, 4]


def test_a_surname_in_prose_is_left_to_the_detectors() -> None:
    rest = "The Quorvex reflex was tested."
    assert rest in hide_repeats(release_of("Anna", "Quorvex", rest)).text


KEYS = (
    *('{"annaquorvex": 1}', '{"anna_quorvex": {}}', '<annaquorvex id="1">'),
    *("SELECT annaquorvex FROM t;", "annaQuorvex.Main"),
)


@pytest.mark.parametrize("key", KEYS)
def test_the_library_hides_a_replaced_name_in_keys_and_tags(key: str) -> None:
    text = f"The patient, Mrs Anna Quorvex, was seen at the clinic about her knee.\n{key}\n"
    released = sfumato.anonymize(text, recipe="fast").text
    assert "quorvex" not in released.casefold()
    if key.startswith("{"):
        json.loads(released.splitlines()[1])
