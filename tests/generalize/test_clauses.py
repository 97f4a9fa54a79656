"""Whether a wider phrase stays true in its clause: under "no", "only", "every", "if" and the like it does not."""

from __future__ import annotations

import random

import pytest
from benchmarks.quantified_sentences import CONTROLS, FORMS, Result, draw_sentence, judge, measure
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.generalize.clauses import LANGUAGES, is_bound_of_time, may_widen, read_lead
from sfumato.lexicon.tables import load_toml
from sfumato.lexicon.time import CALENDAR_LANGUAGES

CASES = {
    "en": [
        # where it is false
        ("She was the only [Japanese] woman in the office.", False),
        ("Every nurse who is [43 years old] was invited.", False),
        ("He was the first surgeon to work in [Leeds].", False),
        ("Nobody saw Dr. Smith in [Leeds].", False),
        ("On [3 May 1961], she did not work.", False),
        ("She lived in [Leeds] only.", False),
        ("He cannot visit York, Hull or [Leeds].", False),
        ("Do you live in [Leeds]?", False),
        ("She stopped going to [Leeds].", False),
        ("Fewer than five people in [Leeds] came.", False),
        # where it is true
        ("Every nurse is [43 years old].", True),
        ("The first applicant was born in [Leeds] in 1961.", True),
        ("If it rains, she goes to [Leeds].", True),
        ("When did you move to [Leeds]?", True),
        ("She was no doubt born in [Leeds].", True),
        ("She not only lived in [Leeds] but also worked there.", True),
        ("At No. 12 High Street in [Leeds] she lived.", True),
        ("He is not married and lives in [Leeds].", True),
        ("He never smoked, and he lives in [Leeds].", True),
        ("He was born in [Leeds] and never smoked.", True),
        ("She moved to [Leeds] without a job.", True),
        ("The [Norwegian] nurse did not come.", True),
        ("More than [40] people came.", True),
        ('"Nobody came," said the [Norwegian].', True),
        ("The lawyer (who never came) lives in [Leeds].", True),
        ("The applicant, who was not heard, was born in [Leeds].", True),
        ("Smoker: no\nTown: [Leeds]", True),
        ('{"smoker": "no", "town": "[Leeds]"}', True),
        ("- no, never\n- lives in [Leeds]", True),
    ],
    "es": [
        ("Es la única enfermera de [Sevilla].", False),
        ("Nadie vino el [3 de mayo de 2019].", False),
        ("Se negó a ir a [Sevilla].", False),
        ("El [3 de mayo de 2019] no trabajó.", False),
        ("¿Vive en [Sevilla]?", False),
        ("Todos los hombres eran de [Sevilla].", True),
        ("No fuma, pero vive en [Sevilla].", True),
        ("No solo vivió en [Sevilla] sino que trabajó allí.", True),
        ("La enfermera, que no vino, vive en [Sevilla].", True),
        ("Sin duda nació en [Sevilla].", True),
    ],
    "de": [
        ("Die Hälfte der Frauen wohnt in [Leeds].", False),
        ("Sie wohnt länger in [Leeds] als ihre Schwester.", False),
        ("Er wurde in [Leeds] geboren, aber sein Bruder nicht.", False),
        ("Zum ersten Mal sah er [Leeds].", False),
        ("Er verdiente genau [1.140] Euro.", False),
        ("Niemand kam am [3. Mai 2019].", False),
        ("Er kam am [3. Mai 2019] nicht.", False),
    ],
    "fr": [
        ("La moitié des femmes habite à [Leeds].", False),
        ("Elle a vécu à [Leeds] plus longtemps que sa sœur.", False),
        ("Il est né à [Leeds], mais son frère non.", False),
        ("Il vit [Leeds] pour la première fois.", False),
        ("Il n'est pas venu le [3 mai 2019].", False),
        ("Il est né le [3 mai 2019].", True),
    ],
    "it": [
        ("La metà delle donne vive a [Leeds].", False),
        ("È nato a [Leeds], ma suo fratello no.", False),
        ("Vide [Leeds] per la prima volta.", False),
        ("Non è venuto il [3 maggio 2019].", False),
        ("È nato il [3 maggio 2019].", True),
    ],
    "nl": [
        ("De helft van de vrouwen woont in [Leeds].", False),
        ("Zij woont langer in [Leeds] dan haar zus.", False),
        ("Hij is in [Leeds] geboren, maar zijn broer niet.", False),
        ("Niemand kwam op [3 mei 2019].", False),
        ("Hij werd op [3 mei 2019] geboren.", True),
    ],
    "pt": [
        ("Metade das mulheres vive em [Leeds].", False),
        ("Nasceu em [Leeds], mas o irmão não.", False),
        ("Viu [Leeds] pela primeira vez.", False),
        ("Ninguém veio em [3 de maio de 2019].", False),
        ("Nasceu em [3 de maio de 2019].", True),
    ],
}
ALL = [(language, *case) for language, cases in CASES.items() for case in cases]


def marked(sentence: str) -> tuple[str, int, int]:
    start, end = sentence.index("["), sentence.index("]") - 1
    return sentence.replace("[", "").replace("]", ""), start, end


@pytest.mark.parametrize(("language", "sentence", "expected"), ALL)
def test_what_a_clause_denies_is_not_widened(language: str, sentence: str, expected: bool) -> None:
    assert may_widen(*marked(sentence), language) is expected


@given(st.sampled_from(ALL), st.sampled_from(ALL), st.sampled_from(["\n\n", "\n"]))
def test_another_sentence_changes_nothing(
    case: tuple[str, str, bool], other: tuple[str, str, bool], between: str
) -> None:
    language, sentence, expected = case
    text, start, end = marked(sentence)
    before = marked(other[1])[0] + between
    assert may_widen(before + text + between + before, len(before) + start, len(before) + end, language) is expected


@given(st.text(max_size=60), st.sampled_from(sorted(LANGUAGES)), st.integers(0, 60))
def test_any_text_is_read(text: str, language: str, position: int) -> None:
    position = min(position, len(text))
    may_widen(text, position, len(text), language, "DEM")
    assert read_lead(text, position, language).start <= position


REPEATED = {
    "en": ["She worked every day in [1998].", "In [1998] she fell twice.", "She worked all summer in [1998]."],
    "es": ["Visitó la casa dos veces en [1998].", "Trabajó todos los días en [1998]."],
    "de": ["Sie war zweimal in [1998] dort.", "Sie arbeitete jeden Tag in [1998]."],
    "fr": ["Elle y alla deux fois en [1998].", "Elle travaillait chaque jour en [1998]."],
    "it": ["Ci andò due volte nel [1998].", "Lavorava ogni giorno nel [1998]."],
    "nl": ["Zij was twee keer in [1998] daar.", "Zij werkte elke dag in [1998]."],
    "pt": ["Foi lá duas vezes em [1998].", "Trabalhava cada dia em [1998]."],
}


@pytest.mark.parametrize(("language", "sentence"), [(key, each) for key, all_ in REPEATED.items() for each in all_])
def test_what_fills_or_repeats_a_time_concerns_the_time_alone(language: str, sentence: str) -> None:
    text, start, end = marked(sentence)
    assert not may_widen(text, start, end, language, "DATETIME")
    assert may_widen(text, start, end, language, "LOC")


def test_every_language_of_the_calendar_has_all_lists() -> None:
    assert set(CALENDAR_LANGUAGES) <= LANGUAGES
    keys = {language: set(load_toml("clauses", language, "sfumato.generalize")) for language in LANGUAGES}
    optional = {"restrictions"}
    assert all(keys[language] - optional == keys["en"] - optional for language in keys)


def test_what_was_before_a_day_need_not_have_been_before_its_month() -> None:
    assert is_bound_of_time("She left before 3 May 2019.", 16, "en")
    assert not is_bound_of_time("She left on 3 May 2019.", 12, "en")
    released = sfumato.anonymize("She left before 3 May 2019. He came on 3 May 2019.").text
    assert "before May 2019" not in released
    assert "before 2019" not in sfumato.anonymize("She left before 3 May 2019.", recipe="hipaa").text


@pytest.mark.parametrize("recipe", ["default", "hipaa", "clinical"])
@pytest.mark.parametrize("language", sorted(FORMS))
def test_no_recipe_widens_what_a_sentence_denies(recipe: str, language: str) -> None:
    # So many forms, once each; benchmarks.quantified_sentences draws hundreds.
    drawn = random.Random(f"{recipe} {language}")
    forms = drawn.sample(FORMS[language], 40)
    result = measure(recipe, [draw_sentence(drawn, language, form) for form in forms])
    assert result.sentences > 30
    assert result.false == []


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(sorted(CONTROLS)), st.integers(0, 1000), st.data())
def test_dates_are_still_generalized_where_that_is_true(language: str, seed: int, data: st.DataObject) -> None:
    forms = [form for form in CONTROLS[language] if "+date" in form]
    sentence = draw_sentence(random.Random(seed), language, data.draw(st.sampled_from(forms)))
    result = Result()
    judge(sentence, sfumato.anonymize(sentence.text), result)
    assert result.widened["date"] == result.controls["date"] > 0


def test_protect_makes_no_figure_round_where_a_clause_denies_it() -> None:
    from sfumato.generalize.words.figures import generalize_figure

    for text, language in (("Nunca pagó 4.350 euros.", "es"), ("He never paid 4,350 euros.", "en")):
        start = text.index("4")
        assert generalize_figure(text, start, start + 5, language, (0, len(text))) == []
    text = "He paid 4,350 euros."
    assert generalize_figure(text, 8, 13, "en", (0, len(text)))
