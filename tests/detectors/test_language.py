"""The language of a text, and texts in languages that no detector covers."""

from __future__ import annotations

import pytest
from benchmarks.code_lines import harmless_lines
from benchmarks.short_messages import is_withheld, messages
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.detectors import language as language_check
from sfumato.detectors.language import find_foreign_passages, find_uncovered_language
from sfumato.lexicon.language import COVERED as LISTED
from sfumato.lexicon.language import document_language, identify_language

SEVEN = frozenset({"en", "es", "de", "fr", "it", "pt", "nl"})
COVERED = {
    "en": "The patient came to the clinic on Monday because she had been feeling tired for several weeks. "
    "Her doctor asked about her work and her sleep, and ordered a blood test. She was told to come "
    "back if it got worse.",
    "es": "La paciente acudió a la consulta el lunes porque llevaba varias semanas cansada. El médico le "
    "preguntó por su trabajo y por el sueño, y pidió un análisis de sangre. Le dijeron que volviera si "
    "el dolor empeoraba.",
    "de": "Die Patientin kam am Montag in die Praxis, weil sie sich seit mehreren Wochen müde fühlte. Der "
    "Arzt fragte nach ihrer Arbeit und ihrem Schlaf und ließ das Blut untersuchen. Sie sollte "
    "wiederkommen, falls nötig.",
    "fr": "La patiente est venue à la consultation lundi parce qu'elle se sentait fatiguée depuis plusieurs "
    "semaines. Le médecin lui a posé des questions sur son travail et son sommeil, puis il a demandé "
    "une analyse de sang.",
    "it": "La paziente è venuta in ambulatorio lunedì perché si sentiva stanca da diverse settimane. Il "
    "medico le ha chiesto del lavoro e del sonno e ha prescritto un esame del sangue. Deve tornare se "
    "il dolore peggiora.",
    "pt": "A paciente veio à consulta na segunda-feira porque se sentia cansada há várias semanas. O médico "
    "perguntou pelo trabalho e pelo sono e pediu uma análise ao sangue. Disseram-lhe que voltasse se a "
    "dor piorasse.",
    "nl": "De patiënte kwam maandag naar de praktijk omdat ze zich al een paar weken moe voelde. De arts "
    "vroeg naar haar werk en haar slaap en liet haar bloed onderzoeken. Ze moest terugkomen als de "
    "pijn erger werd.",
}
UNCOVERED = {
    "pl": "Pacjentka zgłosiła się w poniedziałek do przychodni, ponieważ od kilku tygodni czuła się "
    "zmęczona. Lekarz pytał o pracę i sen, a potem zlecił badanie krwi. Powiedziano jej, żeby wróciła, "
    "jeśli ból się nasili.",
    "fi": "Potilas tuli maanantaina vastaanotolle, koska hän oli ollut väsynyt jo useita viikkoja. Lääkäri "
    "kysyi työstä ja unesta ja määräsi verikokeen. Häntä pyydettiin palaamaan, jos kipu pahenee "
    "seuraavien päivien aikana.",
    "tr": "Hasta pazartesi günü polikliniğe geldi çünkü birkaç haftadır kendini yorgun hissediyordu. Doktor "
    "işini ve uykusunu sordu, sonra kan tahlili istedi. Ağrı artarsa yeniden gelmesi söylendi ve ilaç "
    "yazıldı.",
    "sv": "Patienten kom till mottagningen i måndags eftersom hon hade känt sig trött i flera veckor. "
    "Läkaren frågade om hennes arbete och sömn och beställde ett blodprov. Hon skulle komma tillbaka "
    "om smärtan blev värre.",
    "cs": "Pacientka přišla v pondělí do ordinace, protože se už několik týdnů cítila unavená. Lékař se ptal "
    "na práci a na spánek a nechal udělat rozbor krve. Řekli jí, aby se vrátila, kdyby se bolest "
    "zhoršila.",
    "hu": "A beteg hétfőn jött a rendelőbe, mert már több hete fáradtnak érezte magát. Az orvos a munkájáról "
    "és az alvásáról kérdezte, majd vérvizsgálatot kért. Azt mondták neki, jöjjön vissza, ha a "
    "fájdalom erősödik.",
    "ro": "Pacienta a venit luni la cabinet pentru că se simțea obosită de mai multe săptămâni. Medicul a "
    "întrebat-o despre muncă și somn și a cerut o analiză de sânge. I s-a spus să revină dacă durerea "
    "se agravează.",
    "vi": "Bệnh nhân đến phòng khám vào thứ hai vì chị cảm thấy mệt mỏi trong nhiều tuần. Bác sĩ hỏi về công "
    "việc và giấc ngủ của chị rồi yêu cầu xét nghiệm máu. Chị được dặn quay lại nếu cơn đau nặng hơn.",
    "Cyrillic": "Пациентка пришла на приём в понедельник, потому что уже несколько недель чувствовала усталость. "
    "Врач спросил о работе и сне и назначил анализ крови. Ей велели вернуться, если боль усилится.",
    "Greek": "Η ασθενής ήρθε στο ιατρείο τη Δευτέρα γιατί ένιωθε κουρασμένη εδώ και αρκετές εβδομάδες. Ο "
    "γιατρός ρώτησε για τη δουλειά και τον ύπνο της και ζήτησε εξέταση αίματος.",
    "Arabic": "جاءت المريضة إلى العيادة يوم الاثنين لأنها كانت تشعر بالتعب منذ عدة أسابيع. سألها الطبيب عن عملها "
    "ونومها ثم طلب تحليل دم، وقيل لها أن تعود إذا اشتد الألم في الأيام القادمة.",
    "Han": "病人星期一来到诊所，因为她几个星期以来一直感到疲倦。医生询问了她的工作和睡眠情况，然后要求"
    "验血。如果疼痛加重，她应该回来复诊。",
    "Devanagari": "मरीज़ सोमवार को क्लिनिक आई क्योंकि वह कई हफ़्तों से थकान महसूस कर रही थी। डॉक्टर ने उसके काम और "
    "नींद के बारे में पूछा और रक्त जाँच के लिए कहा।",
}


@pytest.mark.parametrize("code", COVERED)
def test_covered_languages_pass(code: str) -> None:
    assert find_uncovered_language(COVERED[code], SEVEN) is None
    assert identify_language(COVERED[code]).code == code
    assert document_language(COVERED[code]) == code


@pytest.mark.parametrize("code", UNCOVERED)
def test_other_languages_are_named(code: str) -> None:
    assert find_uncovered_language(UNCOVERED[code], SEVEN) == code


@pytest.mark.parametrize("code", UNCOVERED)
def test_a_foreign_paragraph_of_an_english_document_is_a_passage(code: str) -> None:
    text = "\n\n".join([COVERED["en"] * 4, UNCOVERED[code], COVERED["en"] * 3])
    assert find_uncovered_language(text, SEVEN) is None
    passages = find_foreign_passages(text, SEVEN)
    start = text.index(UNCOVERED[code])
    assert {(span.label, span.source) for span in passages} == {("MISC", f"language:{code}")}
    assert (passages[0].start, passages[-1].end) == (start, start + len(UNCOVERED[code]))
    assert sum(map(len, passages)) >= len(UNCOVERED[code]) - len(passages)


@pytest.mark.parametrize("code", COVERED)
def test_a_passage_in_a_covered_language_stays(code: str) -> None:
    text = "\n\n".join([COVERED["en"] * 4, COVERED[code], COVERED["de"]])
    assert find_uncovered_language(text, SEVEN) is None
    assert find_foreign_passages(text, SEVEN) == []
    assert document_language(text) == "en"


def test_a_covered_language_outside_the_asked_ones_is_named() -> None:
    assert find_uncovered_language(COVERED["es"], frozenset({"en"})) == "es"
    assert find_uncovered_language(UNCOVERED["pl"], SEVEN | {"pl"}) is None
    assert find_uncovered_language(UNCOVERED["Cyrillic"], SEVEN | {"ru"}) is None


@pytest.mark.parametrize("text", ["Привет", "你好", "שלום עולם", "안녕하세요"])
def test_another_script_is_seen_however_short(text: str) -> None:
    assert find_uncovered_language(text, SEVEN) is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "12345 67-89 (00)",
        "Tak.",
        "Dziękuję, Anna!",
        "Jan Kowalski, Anna Nowak, Petr Svoboda, Jussi Virtanen, Ayşe Yılmaz, Nguyễn Văn An, Ioan Popescu " * 4,
        "AB-1234;XK-99;ZZ-00\n" * 60,
        "id,name,city\n1,Kowalski,Kraków\n2,Nowak,Łódź\n3,Virtanen,Helsinki\n" * 10,
        "The word for thanks is dziękuję in Polish, kiitos in Finnish and спасибо in Russian.",
        "def f(x):\n    return [y.strip() for y in x.split(';') if y]\n" * 20,
        "https://example.org/a/b/c?x=1&y=2 " * 30,
        "Attendees: " + "Kowalski, Wiśniewska, Nowak, Zieliński, Wójcik, Kamińska, " * 20 + "minutes by Anna.",
    ],
)
def test_short_texts_tables_names_and_code_pass(text: str) -> None:
    assert find_uncovered_language(text, SEVEN) is None


def test_nothing_to_tell_a_language_by() -> None:
    assert identify_language("123 456").code is None
    assert document_language("123 456") is None


def test_a_language_below_the_confidence_has_no_code() -> None:
    language = identify_language("Anna Berlin", min_confidence=1.0)
    assert (language.code, language.confidence < 1.0) == (None, True)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("tr", "Merhaba, adım Ayşe Yılmaz ve Ankara'da yaşıyorum."),
        ("fi", "Nimeni on Virtanen ja asun Turussa."),
        ("pl", "Wczoraj rozmawiałem z doktorem Zielińskim o wynikach."),
        ("cs", "Včera jsem viděl pana Dvořáka v nemocnici."),
        ("sv", "Jag heter Anna Lindström och bor i Malmö."),
        ("da", "Mit navn er Søren Jensen, og jeg bor i Aarhus."),
        ("hu", "A nevem Kovács János és Budapesten lakom."),
        ("vi", "Hôm qua tôi nói chuyện với bác sĩ Trần."),
    ],
)
def test_a_short_sentence_is_enough(code: str, text: str) -> None:
    assert find_uncovered_language(text, SEVEN) == code


@pytest.mark.parametrize(
    "text",
    [
        "Ich heiße Anna Schmidt und wohne in Łódź.",
        "Contact Anna Nowak about the invoice for Łódź.",
        "Sodium chloride, potassium citrate, magnesium sulfate",
        "cefazolin metronidazole piperacillin tazobactam given",
        "gonna grab pizza tonite wanna join",
        "Paciente afebril, eupneica, normotensa, sin edemas.",
        "my iban is gb50mvfc38361978683032",
        "Mi chiamo Ginevra e abito a Torino.",
    ],
)
def test_a_short_sentence_of_ours_passes(text: str) -> None:
    assert find_uncovered_language(text, SEVEN) is None


@pytest.mark.parametrize(("file", "least", "most"), [("uncovered", 0.97, 1.0), ("covered", 0.0, 0.01)])
def test_messages_of_a_few_words_in_uncovered_languages_alone_are_withheld(
    file: str, least: float, most: float
) -> None:
    """The promise of docs/languages.md."""
    withheld = [is_withheld(text) for _, text in messages(file, "all")]
    assert least <= sum(withheld) / len(withheld) <= most


@pytest.mark.parametrize("text", ["proszę", "Merhaba", "dziękuję", "Kiitos", "köszönöm", "спасибо"])
def test_one_word_is_enough_where_it_is_of_one_language_alone(text: str) -> None:
    assert find_uncovered_language(text, SEVEN) is not None


@pytest.mark.parametrize("text", ["no", "Martin", "tak", "ok", "Ida Brandvik", "Ayşe Yılmaz, Łódź", "nano", "Berlin"])
def test_a_word_that_is_ours_or_may_be_a_name_is_not(text: str) -> None:
    assert find_uncovered_language(text, SEVEN) is None


@pytest.mark.parametrize(
    "text",
    [
        *(line.text for line in harmless_lines()[::7]),
        "zip,city\n02138,Boston\n60601,Chicago\n",
        '<div class="martin-lg">Hello</div>',
        '{"typ": "kat", "kod": "ab", "vek": 4}',
    ],
)
def test_code_markup_and_tables_are_in_no_language(text: str) -> None:
    assert find_uncovered_language(text, SEVEN) is None


def test_sentences_in_fields_of_markup_and_json_are_in_their_language() -> None:
    assert find_uncovered_language("<p>Jestem w szpitalu z mamą od wczoraj</p>", SEVEN) == "pl"
    assert find_uncovered_language('{"note": "Jestem w szpitalu z mamą od wczoraj"}', SEVEN) == "pl"


def test_the_frequent_words_of_a_language_count_as_long_as_it_is_uncovered() -> None:
    assert find_uncovered_language("proszę", SEVEN | {"pl"}) is None
    assert find_uncovered_language("Zapłacę jutro", SEVEN | {"pl"}) is None
    assert find_uncovered_language("Zaplatím zítra", SEVEN | {"pl"}) == "cs"


RULING = (
    "The applicant, Ms Grażyna Wiśniewolska, is a Polish national who was born in 1961 and lives in Bydgoszcz. "
    "On 3 March 1998 the Bydgoszcz District Court (Sąd Rejonowy) convicted Mr Stanisław Kędzierzawski of fraud under "
    "Article 286 of the Criminal Code (Kodeks karny). The Supreme Court (Sąd Najwyższy) dismissed his appeal.\n"
)


@pytest.mark.parametrize("times", [1, 4, 700])
def test_an_english_ruling_about_polish_people_is_english(times: int) -> None:
    text = RULING * times
    assert find_uncovered_language(text, SEVEN) is None
    assert find_foreign_passages(text, SEVEN) == []
    assert document_language(text) == "en"


@pytest.mark.parametrize(
    "text",
    [
        "92 y.o. male, DOB 4/1/1931.",
        "58 y.o. M from Boston seen 5/6/2021.",
        "Mrs. Garcia de la Vega lives in Los Angeles.",
        "67M s/p CABG x3, d/c home on ASA, f/u w/ PCP.",
        "José de la Cruz and María del Carmen Ortiz y Vega met the judge.",
    ],
)
def test_abbreviations_and_names_do_not_decide_about_the_language(text: str) -> None:
    assert document_language(text) in ("en", None)


@pytest.mark.parametrize("line", ["GOODNESS IBIWARI TAMUNO-BOKO", "Temesgen, Wójcik & Şahin", "T4 118 nmol/L"])
def test_names_and_figures_are_no_foreign_passage(line: str) -> None:
    assert find_foreign_passages(f"{COVERED['en']}\n\n{line}\n\n{COVERED['en']}", SEVEN) == []


def test_the_whole_document_decides() -> None:
    quoted = COVERED["en"] + "\n\n> " + COVERED["es"]
    assert document_language(quoted + "\n\n" + COVERED["en"]) == "en"
    assert document_language(COVERED["es"] * 2 + "\n\nThe patient came to the clinic.") == "es"


def test_a_name_in_han_script_is_masked_and_the_biography_released() -> None:
    text = "Wei-Ling Zhao (赵薇玲) was born in Harbin. She teaches chemistry at a school, and her sister paints."
    release = sfumato.anonymize(text, recipe="labels")
    assert "赵" not in release.text
    assert "at a school, and her sister paints" in release.text


def test_a_foreign_passage_gets_a_label_and_a_foreign_text_is_withheld() -> None:
    code = next(code for code in UNCOVERED if code not in LISTED)
    text = f"Please read the note from my aunt:\n\n{UNCOVERED[code]}\n\nIt is about her flat."
    release = sfumato.anonymize(f"{COVERED['en']}\n\n{text}", recipe="labels")
    assert UNCOVERED[code].split(". ")[0] not in release.text
    assert "MISC_1" in release.text
    assert release.text.endswith("\n\nIt is about her flat.")
    with pytest.raises(sfumato.UncoveredLanguage, match=code):
        sfumato.anonymize(UNCOVERED[code], recipe="labels")


_WORDS = st.sampled_from(
    "the of and patient was I'm It Oslo pasient med og er hasta y de la Erik Garcia der und nicht pacjent jest I Ewa "
    "l'homme c'est qu'il von zum på ikke że się".split()
)


@given(st.lists(_WORDS, min_size=1, max_size=25).map(" ".join), st.sampled_from(["en", "es", "fr"]))
def test_a_passage_that_is_clearly_covered_is_not_foreign_by_the_exact_judgement(passage: str, language: str) -> None:
    covered = frozenset({"en", "es", "fr"})
    if language_check._is_clearly_covered(passage, language, covered):
        assert language_check._judge_passage(passage, covered).odds < language_check.DOUBTFUL_ODDS + 1e-3


PIECES = (
    *("The committee met on Tuesday and agreed.", "Name: Anna Kell", "HELLO WORLD", "I'm here.", "\n", "\n\n", "4 May"),
    *("Toplantı salı günü yapıldı ve karar alındı.", "Kokous pidettiin tiistaina ja asiasta päätettiin.", "Tom Weir"),
    *("l'uomo è venuto ieri", "ring Mum re wee Tam", "Wiederbeschaffungswert 13.900", "ok", "to be done by all of us"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_passages_that_cannot_be_foreign_are_not_judged_and_nothing_is_missed(pieces: list[str]) -> None:
    text, languages = " ".join(pieces), frozenset({"en", "de", "it"})
    passages = find_foreign_passages(text, languages)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(language_check, "_may_be_foreign", lambda *_: True)
        patch.setattr(language_check, "_is_clearly_covered", lambda *_: False)
        assert find_foreign_passages(text, languages) == passages
