"""What stands there is true, says less, and is not guessed; direct identifiers get numbered labels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato import registry
from sfumato.attacks.inference import HierarchyGuesser, is_match
from sfumato.document import LABELS, Document, Guess, Release, Span, merge_spans
from sfumato.errors import InputError, RecipeError
from sfumato.llm.chat import Reply, Request
from sfumato.llm.replay import ScriptedChat
from sfumato.replacers.base import PendingDocument
from sfumato.replacers.generalize import Generalize, most_used_words
from sfumato.vault.ledger import Ledger

TEXT = (
    "Ms Ida Brandt (“the applicant”) was born in Gdansk on 3 August 1961. On 6 May 1993 Ms Brandt moved to Poland. "
    "She returned to Gdansk in 1995 with code 123-77."
)


def spans(text: str, **said: str) -> list[Span]:
    """One span for each place where a phrase stands: ``LOC="Gdansk;Poland"``."""
    collected = []
    for label, phrases in said.items():
        for phrase in phrases.split(";"):
            start = text.find(phrase)
            while start >= 0:
                collected.append(
                    Span(start, start + len(phrase), label, entity="brandt" if label == "PERSON" else None)
                )
                start = text.find(phrase, start + 1)
    return merge_spans(collected)


SPANS = spans(
    TEXT, PERSON="Ms Ida Brandt;Ms Brandt", LOC="Gdansk;Poland", DATETIME="3 August 1961;6 May 1993;1995", CODE="123-77"
)


def released(text: str, spans: list[Span], **options: object) -> Release:
    replacer = Generalize(ledger=Ledger(secret=bytes(32)), **options)  # type: ignore[arg-type]
    document = Document("d", text)
    return Release(document, tuple(replacer.replace(document, spans)))


def by_original(release: Release) -> dict[str, str]:
    text = release.document.text
    return {text[edit.span.start : edit.span.end]: edit.replacement for edit in release.edits}


def test_direct_identifiers_get_numbered_labels_and_the_role_the_text_states() -> None:
    text = released(TEXT, SPANS).text
    assert text.startswith("PERSON_1 (“the applicant”) was born")
    assert "the applicant moved" in text
    assert "code CODE_1." in text


def test_nothing_of_the_originals_is_left_and_the_text_still_reads() -> None:
    text = released(TEXT, SPANS).text
    for original in ("Brandt", "Gdansk", "Poland", "3 August", "6 May", "123-77"):
        assert original not in text
    for flaw in ("on the", "in in", "On May"):
        assert flaw not in text


def test_a_level_never_names_what_another_span_hides() -> None:
    """Gdansk is a city in Poland; where Poland is hidden too, that level is out."""
    assert "Poland" in released(TEXT, spans(TEXT, LOC="Gdansk"), choose="most-specific").text
    assert "Poland" not in by_original(released(TEXT, SPANS, choose="most-specific"))["Gdansk"]


def test_mentions_of_one_thing_share_their_replacement() -> None:
    release = released(TEXT, SPANS)
    gdansk = [edit.replacement for edit in release.edits if TEXT[edit.span.start : edit.span.end].endswith("Gdansk")]
    assert len(gdansk) == 2
    assert len(set(gdansk)) == 1


class Knows:
    """Guesses the original as long as one of some phrases stands there."""

    name = "knows"

    def __init__(self, answer: str, *phrases: str) -> None:
        self.answer, self.phrases, self.rounds = answer, phrases, 0

    def fit(self, background: object) -> Knows:
        return self

    def guess(self, text: str, found: list[Span], count: int) -> list[tuple[Guess, ...]]:
        self.rounds += 1
        surfaces = [text[span.start : span.end] for span in found]
        return [(Guess(self.answer, 1.0),) if any(part in here for part in self.phrases) else () for here in surfaces]


def test_an_entity_is_widened_until_it_is_not_guessed() -> None:
    place = spans(TEXT, LOC="Gdansk")
    first = by_original(released(TEXT, place, choose="most-specific"))["Gdansk"]
    release = released(TEXT, place, guesser=Knows("Gdansk", first))
    second = by_original(release)["Gdansk"]
    assert second != first
    assert any("guessed at level 1" in reason for edit in release.edits for reason in edit.reasons)
    assert by_original(released(TEXT, place, guesser=Knows("Gdansk", "a", "e", "i")))["Gdansk"] == "LOC_1"


def test_what_is_guessed_from_the_label_too_stays_on_the_widest_level() -> None:
    release = released(TEXT, spans(TEXT, LOC="Gdansk"), guesser=Knows("Gdansk", "a", "e", "i", "LOC"))
    assert release.text == released(TEXT, spans(TEXT, LOC="Gdansk"), choose="least-specific").text


def test_two_mentions_that_are_guessed_are_widened_by_one_level() -> None:
    place = spans(TEXT, LOC="Gdansk")
    first = by_original(released(TEXT, place, choose="most-specific"))["Gdansk"]
    release = released(TEXT, place, guesser=Knows("Gdansk", first))
    assert [edit.reasons[-1].split(" of")[0] for edit in release.edits] == ["level 2", "level 2"]


def test_all_spans_are_attacked_at_once() -> None:
    guesser = Knows("nothing", "nowhere")
    released(TEXT, SPANS, guesser=guesser)
    assert guesser.rounds == 1  # labels are attacked only where a widest level is guessed


def test_the_last_round_attacks_what_is_released() -> None:
    release = released(TEXT, SPANS)
    open_ = [piece for piece in release.segments if piece.edit and "_" not in piece.edit.replacement]
    where = [Span(piece.released_start, piece.released_end, piece.edit.span.label) for piece in open_ if piece.edit]
    frequent = most_used_words("en", 1000)  # fewer than the selection leaves out: names tell as well
    for piece, answers in zip(open_, HierarchyGuesser().guess(release.text, where, 5), strict=True):
        original = TEXT[piece.start : piece.end]
        assert piece.edit is not None
        assert not any(is_match(original, guess.answer, piece.edit.span.label, frequent) for guess in answers)


def test_variants_by_name() -> None:
    document = Document("d", TEXT)
    for name, expected in {"entity-type": "LOC", "suppress": "", "label": "LOC_1"}.items():
        replacer = registry.create("replacer", name, {}, ledger=Ledger(secret=bytes(32)))
        edits = replacer.replace(document, spans(TEXT, LOC="Gdansk"))
        assert {edit.replacement for edit in edits} == {expected}
    ranks = []
    for name in ("most-specific", "least-specific"):
        replacer = registry.create("replacer", name, {}, ledger=Ledger(secret=bytes(32)))
        ranks.append([edit.reasons[-1] for edit in replacer.replace(document, spans(TEXT, LOC="Gdansk"))])
    assert all("level 1 of" in rank for rank in ranks[0])
    assert all("level 1 of" not in rank for rank in ranks[1])


def test_a_table_of_the_users_goes_first(tmp_path: Path) -> None:
    table = tmp_path / "ours.csv"
    table.write_text("term,levels,label\nGdansk,the old harbour;a harbour,LOC\n", encoding="utf-8")
    text = released(TEXT, spans(TEXT, LOC="Gdansk"), tables=[table]).text
    assert "born in the old harbour" in text  # the table is the user's own: the attacker does not have it


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("word,levels\nx,y\n", "no column 'term'"),
        ("term,levels\nGdansk,\n", "line 2: a term and at least one level"),
        ("term,levels,label\nGdansk,a city,PLACE\n", "line 2: no label 'PLACE'"),
        ("term,levels\nGdansk,a city\ngdansk,a town\n", "line 3: the term stands in the table twice"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused(tmp_path: Path, content: str, said: str) -> None:
    table = tmp_path / "bad.csv"
    table.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        Generalize(ledger=Ledger(), tables=[table])


@pytest.mark.parametrize("options", [{"choose": "best"}, {"guesses": 0}])
def test_wrong_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(RecipeError):
        Generalize(ledger=Ledger(), **options)  # type: ignore[arg-type]


def test_a_guesser_that_needs_a_background_is_refused_by_name() -> None:
    with pytest.raises(RecipeError, match="learns from a background"):
        Generalize(ledger=Ledger(), guesser="statistics")


def test_a_table_speaks_for_what_a_recipe_calls_direct(tmp_path: Path) -> None:
    table = tmp_path / "ours.csv"
    table.write_text("term,levels\nGdansk,the old harbour;a harbour\nIda,a friend\n", encoding="utf-8")
    text = "Ida moved to Gdansk."
    direct = [Span(0, 3, "PERSON", "direct"), Span(13, 19, "LOC", "direct")]
    assert released(text, direct, tables=[table], choose="most-specific").text == "PERSON_1 moved to the old harbour."


def test_another_spelling_or_name_of_a_city_is_a_hit() -> None:
    for name, guess in {"Gdansk": "Gdańsk", "Cologne": "Köln"}.items():
        text = f"She lives in {name} now."
        place = spans(text, LOC=name)
        assert by_original(released(text, place, guesser=Knows(guess, "city", "town", "LOC"))) != {name: "LOC_1"}
        release = released(text, place, guesser=Knows(guess, "city", "town"))
        assert by_original(release) == {name: "LOC_1"}


def broader(*phrases: str) -> str:
    return json.dumps({"broader": list(phrases)})


def test_a_chat_offers_and_the_tables_judge() -> None:
    text = "He played the bassoon for years."
    offered = broader("a woodwind instrument", "a trumpet", "a bassoon-like thing", "an instrument", "a thing")
    chat = ScriptedChat({"bassoon": offered})
    release = released(text, spans(text, MISC="bassoon"), chat=chat, candidates="both", choose="most-specific")
    assert "wind instrument" in release.text
    assert "trumpet" not in release.text
    assert "[[bassoon]]" in chat.asked[0].messages[-1].text
    assert "violins" in chat.asked[0].messages[1].text  # the one-shot example is of the same type


def test_a_chat_alone_offers_all_but_dates() -> None:
    text = "In Gdansk, on 3 August 1961, he played the bassoon."
    places = spans(text, LOC="Gdansk", DATETIME="3 August 1961", MISC="bassoon")
    chat = ScriptedChat({"[[Gdansk]]": broader("a port", "a city"), "[[bassoon]]": broader("a thing")})
    release = released(text, places, chat=chat, candidates="chat", choose="most-specific")
    assert release.text.startswith("In a port, in August 1961")
    assert not any("[[3 August" in request.messages[-1].text for request in chat.asked)
    silent = released(text, places, chat=ScriptedChat({}), candidates="chat")
    assert silent.text == "In LOC_1, in August 1961, he played the MISC_1."
    hierarchies = released(text, places, chat=chat, candidates="hierarchies")
    assert hierarchies.text == released(text, places).text
    with pytest.raises(RecipeError, match="candidates = 'chat' needs a language model"):
        released(text, places, candidates="chat")
    with pytest.raises(RecipeError, match="no source of candidates 'chats': did you mean 'chat'"):
        released(text, places, chat=chat, candidates="chats")


def test_a_chat_does_not_say_what_another_span_hides() -> None:
    text = "The beekeeper lived in Gdansk."
    places = spans(text, DEM="beekeeper", LOC="Gdansk")
    script = {"for [[Gdansk]]": broader("a beekeeper's town", "a town"), "for [[beekeeper]]": broader("a farmer")}
    release = released(text, places, chat=ScriptedChat(script), candidates="chat", choose="most-specific")
    assert release.text == "The farmer lived in a town."


def test_a_chat_may_guess_too() -> None:
    text = "He was born in Gdansk."
    chat = ScriptedChat(
        {
            "Broader expressions for [[Gdansk]]": broader("a port in Poland", "a city"),
            "What stood at [[a port": '{"guesses": ["Gdansk", "Gdynia"]}',
            "What stood at [[a city": '{"guesses": ["Oslo"]}',
            "What stood at [[LOC_1]]": '{"guesses": ["Oslo"]}',
        }
    )
    replacer = Generalize(ledger=Ledger(secret=b"s"), chat=chat, candidates="chat", guesser="chat")
    (edit,) = replacer.replace(Document("d", text), spans(text, LOC="Gdansk"))
    assert edit.replacement == "a city"
    assert "guessed at level 1 of 2: chat:scripted,prompt=guess@2" in edit.reasons
    assert replacer.usage is not None
    assert replacer.usage.questions == 1 + 2  # of the label it asks only where a widest level is guessed
    assert Generalize(ledger=Ledger(secret=b"s")).usage is None
    with pytest.raises(RecipeError, match="guesser 'chat' needs a language model"):
        Generalize(ledger=Ledger(secret=b"s"), guesser="chat")


def test_candidates_of_a_batch_are_asked_for_at_once() -> None:
    calls = []

    class Counting(ScriptedChat):
        def ask(self, requests: Sequence[Request]) -> list[Reply]:
            calls.append(len(requests))
            return super().ask(requests)

    replacer = Generalize(ledger=Ledger(secret=b"s"), chat=Counting({"": broader("a thing")}), candidates="both")
    documents = [Document(str(number), f"He played the bassoon {number} times.") for number in range(4)]
    batch = [(document, spans(document.text, MISC="bassoon")) for document in documents]
    replacer.prepare([PendingDocument(document, own, own) for document, own in batch])
    for document, own in batch:
        replacer.replace(document, own)
    assert calls == [4]


def answering(answer: str) -> ScriptedChat:
    return ScriptedChat(lambda request: answer)


def test_a_chat_that_answers_nonsense_changes_nothing() -> None:
    for answer in ("", "Sure! Here you are", '{"broader": 7}', '{"broader": []}', '{"broader": [1, 2]}'):
        chat = answering(answer)
        assert released(TEXT, SPANS, chat=chat, candidates="both").text == released(TEXT, SPANS).text


def test_languages_without_hierarchies_get_labels() -> None:
    text = "Der Kläger wohnt seit vielen Jahren in Gdansk und arbeitet dort als Bäcker in einem kleinen Laden."
    replaced = by_original(released(text, spans(text, LOC="Gdansk", DEM="Bäcker")))
    assert replaced == {"Gdansk": "LOC_1", "Bäcker": "DEM_1"}


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=60),
    st.lists(st.tuples(st.integers(0, 59), st.integers(1, 20), st.sampled_from(LABELS)), max_size=6),
)
def test_no_input_breaks_it(text: str, places: list[tuple[int, int, str]]) -> None:
    cut = [Span(start, min(start + size, len(text)), label) for start, size, label in places if start < len(text)]
    release = released(text, merge_spans(cut))
    assert release.inverse().text == text
    covered = {at for edit in release.edits for at in range(edit.span.start, edit.span.end)}
    assert all(at in covered for span in cut for at in range(span.start, span.end))


def test_the_audit_says_that_nothing_wider_is_true() -> None:
    release = sfumato.anonymize("She never lived in Leeds.")
    assert [edit.reasons[-1] for edit in release.edits] == ["label: nothing wider is true here"]
