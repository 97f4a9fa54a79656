"""Folding: disguised letters become ordinary ones, ordinary text stays, and every offset leads back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.lexicon.folding import compared_form, fold, folded_form

PIECES = st.sampled_from(
    [
        *("Anna Quorvex", " ", "\n", "A n n a", "4 1 1 1 2 2 2 2", "\u3164", "\u2800", "\u200b", "e\u0301", "ﬁ", "α"),
        *("Аnnа", "ᴀɴɴᴀ", "ⓐⓝ", "①", "𝐀", "Ａ", "⁰¹²³", "4\ufe0f\u20e3", "🇦🇳🇳🇦", "👩‍👧", "٣٤"),
        *("CODE_411 22 33", "a @ b . c", "+ "),
    ]
)
TEXTS = st.lists(st.one_of(st.text(max_size=6), PIECES), max_size=20).map("".join)
USUAL_WORDS = st.text(st.sampled_from("abcdefghXYZàéîõüßçñÅØłż€0123456789"), min_size=2, max_size=9)
USUAL_MARKS = st.sampled_from([" ", ", ", ". ", "; ", "\n", " (", ") ", "-", "/", "’", " – ", " “", "” ", "… ", "\t"])


@given(TEXTS)
def test_every_character_lies_behind_one_of_the_folded_text_or_is_dropped(text: str) -> None:
    folded = fold(text)
    if folded is None:
        return
    assert len(folded.starts) == len(folded.ends) == len(folded.text)
    assert list(folded.starts) == sorted(folded.starts)
    assert list(folded.ends) == sorted(folded.ends)
    assert all(0 <= start < end <= len(text) for start, end in zip(folded.starts, folded.ends, strict=True))
    for index in range(len(folded.text)):
        start, end = folded.original(index, index + 1)
        place = folded.folded(start, end)
        assert place is not None
        assert place[0] <= index < place[1]
        assert folded.original(*place) == (start, end)


@given(TEXTS, st.data())
def test_a_range_of_the_original_is_read_where_it_came_from(text: str, data: st.DataObject) -> None:
    folded = fold(text)
    if folded is None or not folded.text:
        return
    start = data.draw(st.integers(0, len(folded.text) - 1))
    end = data.draw(st.integers(start + 1, len(folded.text)))
    place = folded.folded(*folded.original(start, end))
    assert place is not None
    assert place[0] <= start < end <= place[1]


@given(TEXTS)
def test_characters_that_are_kept_are_those_of_the_original(text: str) -> None:
    folded = fold(text)
    for index, character in enumerate(folded.text if folded else ""):
        assert folded is not None
        start, end = folded.original(index, index + 1)
        if end - start == 1 and text[start].isascii() and text[start] not in " \t._-*/|~":
            assert text[start] == character


@given(st.lists(st.tuples(USUAL_WORDS, USUAL_MARKS)))
def test_usual_text_folds_to_itself(words: list[tuple[str, str]]) -> None:
    assert fold("".join(word + mark for word, mark in words)) is None


@pytest.mark.parametrize(
    "text",
    [
        "Анна Петрова живёт в Москве, PDFы и SMSка.",
        "Η Άννα ζει στην Αθήνα.",
        "TNFα, NFκB, βhCG, μm, kΩ, hν, IFN-γ and 10⁹/L, m², CO₂, 1ᵉʳ, Mᵐᵉ",
        "안녕하세요 王小明 שלום مرحبا",
        "① First, ② second; ⓘ note; about 5 ℓ, 300 K",
        "👩‍👩‍👧 ❤️ 🇩🇪 🇫🇷 🇵🇭🇨🇦",
        "He won 6-4 4-6 3-6 6-7 7-9; motor 0/2/0 | 1 | 1 | 2 | 0 | 3 | 0",
        "A.L.F.A., K.I.C.K. and the O.B.E C.O.N of 1915",
        "S U M M A R Y",
        "T A B L E  O F  C O N T E N T S",
        "A B C D E F G",
        "a b c x y z",
        "J. R. R. Tolkien of the U. S. A., e. g. i. e. S. p. A.",
        "1 2 3 4 5 6 7 8 9",
        "0 0 0 0 0 0 0 0",
        "⠓⠑⠇⠇⠕⠀⠺⠕⠗⠇⠙",
        "file_2024, CODE_1 and CODE_12 020 7946 0018",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert fold(text) is None


@pytest.mark.parametrize(
    ("disguised", "plain"),
    [
        ("An\u3164na Quor\u115fvex", "Anna Quorvex"),
        ("Anna\uffa0Quorvex", "Anna Quorvex"),
        ("Anna\u2800Quorvex", "Anna Quorvex"),
        ("A\u1160n\u1160n\u1160a", "Anna"),
        ("Ⓐⓝⓝⓐ", "Anna"),
        ("Ⓐnna", "Anna"),
        ("🅐🅝🅝🅐 🅰🅽🅽🅰 🄰🄽🄽🄰", "ANNA ANNA ANNA"),
        ("⒜⒩⒩⒜", "anna"),
        ("Aɴɴᴀ ǫᴜᴏʀᴠᴇx", "Anna Quorvex"),
        ("ᵃⁿⁿᵃ", "anna"),
        ("🇦🇳🇳🇦🇧", "ANNAB"),
        ("𝕬𝖓𝖓𝖆 Ａｎｎａ", "Anna Anna"),
        ("Аnnа Quоrvех", "Anna Quorvex"),
        ("Јапеt Соre", "Janet Core"),
        ("A̶n̶n̶a̶ Q̷̢̛u̴o̵r", "Anna Quor"),
        ("Jose\u0301", "José"),
        ("A n n a  Q u o r v e x", "Anna Quorvex"),
        ("A n n a Q u o r v e x", "Anna Quorvex"),
        ("A.n.n.a Q.u.o.r.v.e.x", "Anna Quorvex"),
        ("A N N A S M I T H", "ANNA SMITH"),
        ("4 1 1 1  1 1 1 1", "4111 1111"),
        ("+ 4 4  2 0  7 9 4 6", "+44 20 7946"),
        ("4️⃣1️⃣1️⃣1️⃣", "4111"),
        ("٤١١١", "4111"),
        ("a n n a @ m a i l . o r g", "anna@mail.org"),
        ("a\u3164n\u3164n\u3164a\u3164@\u3164m\u3164a\u3164.\u3164o\u3164r\u3164g", "anna@ma.org"),
        ("CODE_4111 1111 1111 1111", "CODE 4111 1111 1111 1111"),
    ],
)
def test_a_disguise_folds_to_what_a_reader_sees(disguised: str, plain: str) -> None:
    assert folded_form(disguised) == plain


@given(TEXTS)
def test_folding_twice_changes_little(text: str) -> None:
    once = folded_form(text)
    assert len(folded_form(once)) <= len(once) + 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("Аnna", "ANNA"), ("Соре", "Cope"), ("An\u3164na", "anna"), ("ᴀɴɴᴀ", "Anna"), ("АННА", "Анна"), ("Ａnna", "anna")],
)
def test_words_that_look_the_same_have_one_form(one: str, other: str) -> None:
    assert compared_form(one) == compared_form(other)


def test_words_of_another_script_keep_their_letters() -> None:
    assert compared_form("Анна") == "анна"
    assert compared_form("ΝΙΚΟΣ") != compared_form("NIKOS")


def test_letters_written_as_in_html_are_read() -> None:
    text = "R&amp;D of J&uuml;rgen M&#252;ller &mdash; &copy;"
    folded = fold(text)
    assert folded is not None
    assert folded.text == "R&amp;D of Jürgen Müller &mdash; &copy;"
    start = folded.text.index("Jürgen Müller")
    first, last = folded.original(start, start + len("Jürgen Müller"))
    assert text[first:last] == "J&uuml;rgen M&#252;ller"


def test_a_pair_of_surrogates_is_one_letter() -> None:
    folded = fold(r"\ud835\udc00nna", escapes=True)
    assert folded is not None
    assert folded.text == "Anna"
