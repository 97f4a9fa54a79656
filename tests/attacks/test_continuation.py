"""Whether the background goes on with the documents: told by signs that strangers do not show, and only then."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato import attack
from sfumato.attacks.base import Person
from sfumato.attacks.continuation import PASSAGE_WORDS, Sign, describe_continuation, find_continuation
from sfumato.document import Document

VOCABULARY = [f"{a}{b}" for a in "gorse hazel ivy juniper larch maple".split() for b in "ling wood shaw den".split()]
COUNT = 30


def sentence(chance: np.random.Generator, words: int = 12) -> str:
    return " ".join(chance.choice(VOCABULARY, words)).capitalize() + "."


def cut_documents() -> tuple[list[Document], list[Person]]:
    """Texts in numbered paragraphs, cut somewhere: what is before is a document, what is after the background."""
    chance = np.random.default_rng(4)
    documents, people = list[Document](), list[Person]()
    for number in range(COUNT):
        paragraphs = [f"{place}. {sentence(chance)}" for place in range(1, 25)]
        cut = int(chance.integers(3, 20))
        documents.append(Document(f"p{number}", "\n\n".join(paragraphs[:cut])))
        people.append(Person(f"p{number}", ("\n\n".join(paragraphs[cut:]),)))
    return documents, people


def own(documents: list[Document]) -> dict[str, frozenset[str]]:
    return {document.id: frozenset({document.id}) for document in documents}


def test_numbers_that_go_on_are_told_with_what_strangers_show() -> None:
    documents, people = cut_documents()
    (numbers,) = [sign for sign in find_continuation(documents, own(documents), people) if sign.is_clear]
    assert (numbers.shown, numbers.n, numbers.share) == (COUNT, COUNT, 1.0)
    assert 0 < numbers.by_chance < 0.2
    sentences = describe_continuation([numbers])
    assert f"{COUNT} of {COUNT} documents" in sentences
    assert "release nothing of documents of which the rest is public" in sentences


def test_the_other_way_round_is_told_too() -> None:
    documents, people = cut_documents()
    rest = [Document(person.id, person.texts[0]) for person in people]
    before = [Person(document.id, (document.text,)) for document in documents]
    assert describe_continuation(find_continuation(rest, own(rest), before))


def test_paragraphs_without_numbers_are_counted() -> None:
    documents, people = cut_documents()
    bare = [
        Document(item.id, "\n\n".join(part.split(". ", 1)[1] for part in item.text.split("\n\n"))) for item in documents
    ]
    assert describe_continuation(find_continuation(bare, own(bare), people))


def test_strangers_do_not_continue_each_other() -> None:
    documents, people = cut_documents()
    others = {document.id: frozenset({f"p{(number + 7) % COUNT}"}) for number, document in enumerate(documents)}
    assert describe_continuation(find_continuation(documents, others, people)) == ""


def test_numbers_that_everyone_has_say_nothing() -> None:
    chance = np.random.default_rng(5)
    documents = [Document(f"p{n}", "\n\n".join(f"{i}. {sentence(chance)}" for i in (1, 2, 3))) for n in range(COUNT)]
    people = [Person(f"p{n}", (f"4. {sentence(chance)}",)) for n in range(COUNT)]
    assert describe_continuation(find_continuation(documents, own(documents), people)) == ""


@pytest.mark.parametrize(("words", "is_told"), [(PASSAGE_WORDS + 2, True), (PASSAGE_WORDS - 2, False)])
def test_long_passages_are_told_and_titles_are_not(words: int, is_told: bool) -> None:
    chance = np.random.default_rng(6)
    shared = [" ".join(chance.choice(VOCABULARY, words)) for _ in range(COUNT)]
    documents = [
        Document(f"p{n}", f"{sentence(chance)} The {part}. {sentence(chance)}") for n, part in enumerate(shared)
    ]
    people = [Person(f"p{n}", (f"{sentence(chance)} A {part}. {sentence(chance)}",)) for n, part in enumerate(shared)]
    assert bool(describe_continuation(find_continuation(documents, own(documents), people))) is is_told


def test_a_passage_that_several_have_is_a_form() -> None:
    chance = np.random.default_rng(7)
    form = " ".join(chance.choice(VOCABULARY, 40))
    documents = [Document(f"p{n}", f"{form} {sentence(chance)}") for n in range(COUNT)]
    people = [Person(f"p{n}", (f"{form} {sentence(chance)}",)) for n in range(COUNT)]
    assert describe_continuation(find_continuation(documents, own(documents), people)) == ""


def test_a_sign_is_clear_by_the_lower_end_of_its_interval() -> None:
    assert Sign("numbers", 90, 100, 0.05).is_clear
    assert not Sign("numbers", 90, 100, 0.8).is_clear  # strangers show it nearly as often
    assert not Sign("numbers", 2, 2, 0.0).is_clear  # two documents
    assert not Sign("numbers", 4, 100, 0.0).is_clear  # few of many
    assert not Sign("numbers", 0, 0, 0.0).is_clear


def test_an_attack_says_it() -> None:
    documents, people = cut_documents()
    report = attack(
        documents,
        {document.id: document.text for document in documents},
        {person.id: person.texts[0] for person in people},
        attacks=["tfidf"],
    )
    assert describe_continuation(report.continuation)
    said = report.to_json()["continuation"]["paragraph numbers go on"]
    assert (said["shown"], said["n"], said["clear"]) == (COUNT, COUNT, True)
