"""INTACT against a plain implementation of its Algorithm 1, and each rule of its candidates (Pilán et al., 2025)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import recipe as recipes
from sfumato import registry
from sfumato.attacks.inference import frequent_lemmas
from sfumato.document import Document, Release, Span
from sfumato.errors import RecipeError
from sfumato.generalize.hierarchy import Mention
from sfumato.llm.chat import Reply, Request
from sfumato.llm.replay import ScriptedChat
from sfumato.pipeline import Pipeline
from sfumato.replacers.base import PendingDocument
from sfumato.replacers.generalize import most_used_lemmas, most_used_words
from sfumato.runs.anonymize import anonymize_files
from sfumato.vault.ledger import Ledger
from sfumato_papers.replacers.intact import Intact, standard_date_levels
from tests.chats import unreadable_chat

# A second implementation of Algorithm 1, from the paper.

PlainSpan = tuple[int, int, str]
"""Start, end and entity."""


def algorithm_1(
    text: str,
    spans: Sequence[PlainSpan],
    candidates: Mapping[str, Sequence[str]],
    labels: Mapping[str, str],
    is_risky: Callable[[str, str], bool],
) -> str:
    """SANITIZE(D). ``is_risky``: whether the original is guessed in D', where the span attacked is in brackets."""
    chosen: dict[str, str] = {entity: labels[entity] for _, _, entity in spans if not candidates[entity]}

    def current(attacked: int | None = None, candidate: str = "") -> str:
        pieces, end = [], 0
        for number, (start, stop, entity) in enumerate(spans):
            replacement = chosen[entity] if entity in chosen else candidates[entity][0]
            pieces += [text[end:start], f"[[{candidate}]]" if number == attacked else replacement]
            end = stop
        return "".join([*pieces, text[end:]])

    for number, (start, stop, entity) in enumerate(spans):
        if entity in chosen:  # a later mention takes over what was selected for the first
            continue
        risky = [is_risky(text[start:stop], current(number, candidate)) for candidate in candidates[entity]]
        chosen[entity] = labels[entity] if all(risky) else candidates[entity][risky.index(False)]
    return current()


PLACES = ("Velbrin", "Oskarup", "Tarnhem", "Ludgrave")
OFFERS = ("a port", "a harbour", "a town", "a district", "a region")
MARKED = re.compile(r"\n(?P<text>[^\n]*\[\[(?P<span>[^\]]*)\]\][^\n]*)\n")


def is_guess_question(request: Request) -> bool:
    return "guesses as the JSON object" in request.messages[-1].text


def marked_text(request: Request) -> str:
    """The line of the question that has the brackets."""
    match = MARKED.search(request.messages[-1].text)
    assert match is not None
    return match["text"]


def offers(*phrases: str) -> str:
    return json.dumps({"broader": phrases})


def guesses(*answers: str) -> str:
    return json.dumps({"guesses": answers})


def spans_in(text: str, **phrases: str) -> list[Span]:
    """A span for each place of each phrase: ``LOC="Velbrin;Oskarup"``."""
    items = [
        Span(match.start(), match.end(), label)
        for label, listed in phrases.items()
        for phrase in listed.split(";")
        for match in re.finditer(re.escape(phrase), text)
    ]
    return sorted(items, key=lambda span: span.start)


def released(text: str, spans: Sequence[Span], chat: ScriptedChat, **options: object) -> Release:
    replacer = Intact(ledger=Ledger(secret=bytes(32)), chat=chat, **options)  # type: ignore[arg-type]
    document = Document("d", text)
    return Release(document, tuple(replacer.replace(document, spans)))


@given(
    st.lists(st.sampled_from(PLACES), min_size=2, max_size=7),
    st.fixed_dictionaries({place: st.lists(st.sampled_from(OFFERS), unique=True, max_size=5) for place in PLACES}),
    st.integers(0, 9),
    st.integers(0, 99),
)
def test_the_release_is_that_of_algorithm_1(
    mentioned: list[str], offered: dict[str, list[str]], how_often: int, seed: int
) -> None:
    """A model that guesses by the whole of D': another order, or another text around a span, gives another release."""
    text = "He lived " + " and then ".join(f"in {place} there" for place in mentioned) + "."

    def is_risky(original: str, marked: str) -> bool:
        return sha256(f"{seed} {original} {marked}".encode()).digest()[0] % 10 < how_often

    def answer(request: Request) -> str:
        marked = marked_text(request)
        if not is_guess_question(request):
            return offers(*offered[re.findall(r"\[\[(.*?)\]\]", marked)[0]])
        # The place of the brackets among the spans tells which original is asked for.
        number = marked.split("[[")[0].count(" there")
        return guesses(mentioned[number] if is_risky(mentioned[number], marked) else "Quorvex")

    plain: list[PlainSpan] = [
        (span.start, span.end, text[span.start : span.end]) for span in spans_in(text, LOC=";".join(PLACES))
    ]
    labels = {place: f"LOC_{number}" for number, place in enumerate(dict.fromkeys(mentioned), 1)}
    expected = algorithm_1(text, plain, offered, labels, is_risky)
    assert released(text, spans_in(text, LOC=";".join(PLACES)), ScriptedChat(answer)).text == expected


def test_the_oracle_by_hand() -> None:
    """Two spans; the first is guessed at its first candidate, the second at both of its own."""
    risky = {"in [[a port]], a town", "in a city, [[a town]]", "in a city, [[a region]]"}
    asked: list[str] = []

    def is_risky(original: str, marked: str) -> bool:
        asked.append(marked)
        return marked in risky

    result = algorithm_1(
        "in Velbrin, Oskarup",
        [(3, 10, "v"), (12, 19, "o")],
        {"v": ["a port", "a city"], "o": ["a town", "a region"]},
        {"v": "LOC_1", "o": "LOC_2"},
        is_risky,
    )
    assert result == "in a city, LOC_2"
    assert asked == [
        "in [[a port]], a town",
        "in [[a city]], a town",
        "in a city, [[a town]]",
        "in a city, [[a region]]",
    ]


# Candidates.

SENTENCE = "For years she sang in Velbrin on Sundays."
IN_ORDER = ("a large harbour in the north", "a European seaport", "a wide coastal strip", "in the north", "in Europe")
"""By the breadth of its head noun the third would come first or last."""


def offering(*phrases: str) -> ScriptedChat:
    return ScriptedChat(lambda request: guesses("Quorvex") if is_guess_question(request) else offers(*phrases))


def test_the_models_order_is_kept() -> None:
    place = spans_in(SENTENCE, LOC="Velbrin")
    replaced = {
        choose: released(SENTENCE, place, offering(*IN_ORDER), choose=choose).text
        for choose in ("under-attack", "most-specific", "least-specific")
    }
    assert replaced["under-attack"] == replaced["most-specific"]
    assert replaced["most-specific"] == "For years she sang in a large harbour in the north on Sundays."
    assert replaced["least-specific"] == "For years she sang in Europe on Sundays."


def test_baselines_with_a_model_keep_its_order_too() -> None:
    document, place = Document("d", SENTENCE), spans_in(SENTENCE, LOC="Velbrin")
    texts = []
    for name in ("most-specific", "least-specific"):
        chat = offering(*IN_ORDER)
        replacer = registry.create("replacer", name, {"candidates": "chat"}, ledger=Ledger(secret=bytes(32)), chat=chat)
        texts.append(Release(document, tuple(replacer.replace(document, place))).text)
    assert texts == [
        "For years she sang in a large harbour in the north on Sundays.",
        "For years she sang in Europe on Sundays.",
    ]


def test_candidates_are_asked_for_once_for_an_entity_in_its_first_sentence() -> None:
    text = "First came Velbrin. Then came Velbrin again."
    chat = offering("a port")
    assert released(text, spans_in(text, LOC="Velbrin"), chat).text == "First came a port. Then came a port again."
    asked = [request for request in chat.asked if not is_guess_question(request)]
    assert [marked_text(request) for request in asked] == ["First came [[Velbrin]]."]
    assert len(asked[0].messages) == 4  # instructions, an example of the same type with its answer, the question
    assert "[[Coimbra]]" in asked[0].messages[1].text
    assert asked[0].temperature == 0.3


def test_direct_identifiers_are_labels_and_nobody_is_asked() -> None:
    text = "Odo Vantrell (the plaintiff), file 36244-06, of Kol Bank, lost."
    spans = [*spans_in(text, PERSON="Odo Vantrell", CODE="36244-06"), Span(48, 56, "ORG", "direct")]
    chat = offering("a thing")
    assert released(text, spans, chat).text == "PERSON_1 (the plaintiff), file CODE_1, of ORG_1, lost."
    assert chat.asked == []


def test_a_candidate_with_the_originals_number_or_words_is_dropped() -> None:
    text = "He had three children in Velbrin."
    chat = ScriptedChat(
        lambda request: (
            guesses("Quorvex")
            if is_guess_question(request)
            else offers("3 or so", "between two and five")
            if "[[three]]" in request.messages[-1].text
            else offers("Velbrin, a port", "a port")
        )
    )
    text_released = released(text, spans_in(text, QUANTITY="three", LOC="Velbrin"), chat).text
    assert text_released == "He had between two and five children in a port."


# Dates.


def test_dates_in_standard_formats_have_rules_and_others_go_to_the_model() -> None:
    text = "It was signed on 3 August 1961, after the eve of the harvest festival of 1994."
    spans = spans_in(text, DATETIME="3 August 1961;the eve of the harvest festival of 1994")
    chat = offering("a day in autumn 1994", "a day in 1994")
    assert released(text, spans, chat).text == "It was signed in August 1961, after the day in autumn 1994."
    asked = [request for request in chat.asked if not is_guess_question(request)]
    assert [re.findall(r"\[\[(.*?)\]\]", marked_text(request)) for request in asked] == [
        ["the eve of the harvest festival of 1994"]
    ]
    assert "[[the eve of the harvest festival of 1994]]" in asked[0].messages[1].text  # the example of its type


def test_generalize_with_a_model_sends_it_the_dates_that_no_hierarchy_reads() -> None:
    text = "It was signed on the eve of the lantern parade, on 3 August 1961."
    spans = spans_in(text, DATETIME="the eve of the lantern parade;3 August 1961")
    options = {"candidates": "chat", "choose": "most-specific"}
    chat = offering("a festive day")
    replacer = registry.create("replacer", "generalize", options, ledger=Ledger(secret=bytes(32)), chat=chat)
    document = Document("d", text)
    release = Release(document, tuple(replacer.replace(document, spans)))
    assert release.text == "It was signed on the festive day, in August 1961."
    assert len(chat.asked) == 1


MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def date_rules(year: int, month: int | None = None, day: int | None = None) -> list[str]:
    """The ladders of the paper and its code, in our words: five levels above a day, a month or a year."""
    season = ("winter", "spring", "summer", "autumn")[(month or 0) % 12 // 3]
    part = ("early ", "mid-", "late ")[(year % 10 > 3) + (year % 10 > 6)]
    tens = year % 100 // 10
    century = f"{year // 100 + 1}{'st' if year // 100 == 20 else 'th'} century"
    ladder = [
        f"{MONTHS[(month or 1) - 1]} {year}",
        f"the {season} of {year}",
        f"{year}",
        f"the {part}{year // 10 * 10}s",
        f"the {year // 10 * 10}s",
        f"the {('early ', 'mid-', 'late ')[(tens > 3) + (tens > 6)]}{century}",
        f"the {century}",
        "the past" if year < date.today().year else "the future",
    ]
    first = 0 if day else 1 if month else 3
    return ladder[first : first + 5]


@given(st.integers(1801, 2099), st.integers(1, 12), st.integers(1, 28))
def test_the_hierarchies_of_dates(year: int, month: int, day: int) -> None:
    written = {
        f"{day} {MONTHS[month - 1]} {year}": date_rules(year, month, day),
        f"{year}-{month:02}-{day:02}": date_rules(year, month, day),
        f"{MONTHS[month - 1]} {year}": date_rules(year, month),
        f"{year}": date_rules(year) if year != date.today().year else [],
    }
    for key, expected in written.items():
        levels = standard_date_levels(Mention(key, 0, len(key), "DATETIME"))
        if expected:
            assert [f"{level.article} {level.text}".strip() for level in levels] == expected


@pytest.mark.parametrize(
    "said", ["three weeks", "Monday", "10 a.m.", "3 August", "spring 1999", "the 1980s", "1 May 1990 and 2 May 1991"]
)
def test_what_is_no_standard_date(said: str) -> None:
    assert standard_date_levels(Mention(said, 0, len(said), "DATETIME")) == ()
    assert standard_date_levels(Mention("1 May 1990", 0, 10, "MISC")) == ()


# The attack.


def guessing(answers: Sequence[str]) -> ScriptedChat:
    return ScriptedChat(
        lambda request: guesses(*answers) if is_guess_question(request) else offers("a place", "somewhere")
    )


@pytest.mark.parametrize(
    ("original", "label", "answers"),
    [
        ("London", "LOC", ["London, England", "Greater London", "City of London", "London, UK", "Central London"]),
        ("American", "DEM", ["an American citizen"]),
        ("British", "DEM", ["of British descent"]),
        ("India", "LOC", ["the south of India"]),
        ("St John's Home", "ORG", ["the Hospice of St John"]),
        ("Washington", "LOC", ["Washington, D.C."]),
        ("Gdańsk", "LOC", ["Gdansk, Poland"]),
    ],
)
def test_common_names_count_as_guessed(original: str, label: str, answers: list[str]) -> None:
    text = f"She knew of the {original} from him."
    release = released(text, spans_in(text, **{label: original}), guessing(answers))
    assert [edit.replacement for edit in release.edits] == [f"{label}_1"]
    assert sum("guessed at level" in reason for reason in release.edits[0].reasons) == 2


def test_generalize_with_a_model_counts_them_too() -> None:
    text = "She sang in London."
    options = {"candidates": "chat", "guesser": "chat"}
    chat = ScriptedChat(
        lambda request: (
            offers("a place", "a stage")
            if not is_guess_question(request)
            else guesses("London, England" if "[[a place]]" in request.messages[-1].text else "Quorvex")
        )
    )
    replacer = registry.create("replacer", "generalize", options, ledger=Ledger(secret=bytes(32)), chat=chat)
    (edit,) = replacer.replace(Document("d", text), spans_in(text, LOC="London"))
    assert edit.replacement == "a stage"


def test_common_words_that_are_no_names_do_not_count() -> None:
    words = most_used_words("en")
    assert words < most_used_lemmas("en")
    assert {"court", "time", "year", "police", "young", "will"} <= words
    assert not {"london", "american", "british", "john", "india", "washington", "china"} & words
    text = "She knew of the Velbrin District Court from him."
    release = released(text, spans_in(text, ORG="Velbrin District Court"), guessing(["the Court of Oskarup"]))
    assert [edit.replacement for edit in release.edits] == ["a place"]
    strict = released(
        text, spans_in(text, ORG="Velbrin District Court"), guessing(["the Court of Oskarup"]), frequent=()
    )
    assert [edit.replacement for edit in strict.edits] == ["ORG_1"]


RULINGS = (
    "The tribunal heard the applicant. The applicant wrote to the tribunal of Oskarup, and the tribunal wrote back.",
    "An applicant came to Oskarup twice. The clerk of the tribunal saw the applicant in Oskarup, near the quay.",
)


def corpus_lemmas(texts: Sequence[str], most: int) -> set[str]:
    """As the authors count: the most frequent words that are no stop words and no part of a name."""
    stop_words = {"the", "to", "of", "and", "an", "in", "back", "near", "twice"}
    words = [word for text in texts for word in re.findall(r"[A-Za-z]+", text)]
    counts = Counter(word.lower() for word in words if word.lower() not in stop_words and word != "Oskarup")
    return {word for word, _ in counts.most_common(most)}


@pytest.mark.parametrize(("guess", "matches"), [("the Tribunal of Ludgrave", False), ("the Quay of Oskarup", True)])
def test_words_that_are_frequent_in_the_corpus_do_not_count(guess: str, matches: bool) -> None:
    assert corpus_lemmas(RULINGS, 2) == {"tribunal", "applicant"}
    assert frequent_lemmas(RULINGS, 2) == corpus_lemmas(RULINGS, 2)
    text = "She knew of the Tribunal of Oskarup from him."
    documents = [Document("d", text), *(Document(str(number), text) for number, text in enumerate(RULINGS))]
    replacer = Intact(ledger=Ledger(secret=bytes(32)), chat=guessing([guess]), frequent="corpus")
    assert replacer.reads_corpus
    replacer.learn(lambda: documents)
    (edit,) = replacer.replace(documents[0], spans_in(text, ORG="Tribunal of Oskarup"))
    assert (edit.replacement == "ORG_1") is matches


def test_a_run_counts_the_words_of_all_its_texts_before_the_first(tmp_path: Path) -> None:
    text = "She knew of the Tribunal of Oskarup from him."
    (span,) = spans_in(text, ORG="Tribunal of Oskarup")
    rows = [{"id": str(number), "text": ruling} for number, ruling in enumerate([text, *RULINGS])]
    cases, marks = tmp_path / "cases.jsonl", tmp_path / "marks.json"
    cases.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    marks.write_text(json.dumps({"0": [[span.start, span.end, "ORG"]], "1": [], "2": []}), encoding="utf-8")
    recipe = recipes.load("published/intact")
    chat = guessing(["the Tribunal of Ludgrave"])
    anonymize_files([cases], tmp_path / "released.jsonl", recipe, spans=marks, chat=chat)
    first = json.loads((tmp_path / "released.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert first["text"] == text.replace("the Tribunal of Oskarup", "a place")


def test_without_the_corpus_its_words_cannot_be_counted() -> None:
    with pytest.raises(RecipeError, match="all texts are read first"):
        released(SENTENCE, spans_in(SENTENCE, LOC="Velbrin"), guessing(["Oskarup"]), frequent="corpus")
    with pytest.raises(RecipeError, match='a list of lemmas, or "corpus"'):
        released(SENTENCE, spans_in(SENTENCE, LOC="Velbrin"), guessing(["Oskarup"]), frequent="english")


def test_where_all_are_guessed_the_label_stands_even_if_it_is_guessed_too() -> None:
    release = released(SENTENCE, spans_in(SENTENCE, LOC="Velbrin"), guessing(["Velbrin"]))
    assert release.text == "For years she sang in LOC_1 on Sundays."
    assert release.edits[0].reasons[1:] == (
        "guessed at level 1 of 2: chat:scripted,prompt=guess@2",
        "guessed at level 2 of 2: chat:scripted,prompt=guess@2",
        "label: no candidate is left",
    )


def test_each_entity_begins_at_its_first_candidate() -> None:
    text = "He lived in Velbrin and in Oskarup then."
    chat = ScriptedChat(
        lambda request: (
            offers("a port", "a town")
            if not is_guess_question(request)
            else guesses("Velbrin" if "in [[a port]] and" in request.messages[-1].text else "Quorvex")
        )
    )
    assert released(text, spans_in(text, LOC="Velbrin;Oskarup"), chat).text == "He lived in a town and in a port then."
    asked = [marked_text(request) for request in chat.asked if is_guess_question(request)]
    assert asked == [
        "He lived in [[a port]] and in a port then.",
        "He lived in [[a town]] and in a port then.",
        "He lived in a town and in [[a port]] then.",
    ]


def test_five_guesses_are_asked_for_and_an_unreadable_answer_counts_as_guessed() -> None:
    chat = ScriptedChat(lambda request: "Hm." if is_guess_question(request) else offers("a port"))
    assert released(SENTENCE, spans_in(SENTENCE, LOC="Velbrin"), chat).text.endswith("in LOC_1 on Sundays.")
    assert "Give 5 guesses" in next(filter(is_guess_question, chat.asked)).messages[-1].text
    silent = released(SENTENCE, spans_in(SENTENCE, LOC="Velbrin"), unreadable_chat())
    assert silent.text.endswith("in LOC_1 on Sundays.")


def test_a_phrase_that_does_not_fit_the_grammar_is_not_left_out() -> None:
    text = "the Velbrin Regional Court"
    release = released(text, spans_in(text, LOC="Velbrin"), offering("a port in the north", "a town"))
    assert "port in the north" in release.text


def test_documents_of_a_batch_are_attacked_side_by_side() -> None:
    calls: list[int] = []

    class Counting(ScriptedChat):
        def ask(self, requests: Sequence[Request]) -> list[Reply]:
            calls.append(len(requests))
            return super().ask(requests)

    def answer(request: Request) -> str:
        return guesses("Quorvex") if is_guess_question(request) else offers("a port", "a town")

    texts = [f"He lived in {' or in '.join(PLACES[:number])} then." for number in (1, 2, 3)]
    documents = [Document(str(number), text) for number, text in enumerate(texts)]
    spans = [spans_in(text, LOC=";".join(PLACES)) for text in texts]
    replacer = Intact(ledger=Ledger(secret=bytes(32)), chat=Counting(answer))
    replacer.prepare([PendingDocument(document, own, own) for document, own in zip(documents, spans, strict=True)])
    for document, own in zip(documents, spans, strict=True):
        assert len(replacer.replace(document, own)) == len(own)
    assert calls == [1 + 2 + 3, 3, 2, 1]  # candidates at once, then one attack on each text that has a span left
    assert replacer.usage.questions == sum(calls)


def test_the_recipe_runs_it() -> None:
    recipe = recipes.load("intact")
    assert {choice.use for choice in recipe.replace.values()} == {"intact"}
    assert recipe.asking == ("intact",)
    document = Document("d", "Ms Ida Brandvik was born in Gdańsk on 3 August 1961.")
    (outcome,) = Pipeline(recipe, secret=bytes(32), chat=offering("a port", "a town")).anonymize([document])
    assert isinstance(outcome, Release)
    assert outcome.text == "PERSON_1 was born in a port in August 1961."


def test_how_many_candidates_are_asked_for_is_an_option() -> None:
    place = spans_in(SENTENCE, LOC="Velbrin")
    for count, expected in {5: "in Europe", 2: "in a European seaport"}.items():
        chat = offering(*IN_ORDER, "in the world")
        release = released(SENTENCE, place, chat, candidates=count, choose="least-specific")
        assert release.text == f"For years she sang {expected} on Sundays."
        assert f"[[Velbrin]]: {count}, as the JSON object" in chat.asked[0].messages[-1].text
    default = offering(*IN_ORDER)
    released(SENTENCE, place, default, choose="most-specific")
    assert "[[Velbrin]]: 5, as the JSON object" in default.asked[0].messages[-1].text


@pytest.mark.parametrize("options", [{"choose": "best"}, {"guesses": 0}, {"candidates": 0}])
def test_options_are_checked(options: dict[str, object]) -> None:
    with pytest.raises(RecipeError):
        Intact(ledger=Ledger(), chat=offering("a port"), **options)  # type: ignore[arg-type]
    with pytest.raises(RecipeError, match="needs a language model"):
        registry.create("replacer", "intact", {}, ledger=Ledger())
