"""Nothing that a release replaced survives anywhere in a rendered Word file or web page."""

from __future__ import annotations

import random
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import OutputError
from sfumato.formats.base import file_format, format_for
from sfumato.formats.images import without_metadata
from sfumato.recipe import load
from sfumato.residuals import final_check
from sfumato.residuals.final_check import FieldDetector, FinalCheck, remaining_places
from sfumato.residuals.values import ValueIndex, hide_repeats, join_pieces, replaced_values
from sfumato.runs.ids import id_checker
from tests.formats.docx_files import paragraph, write_docx
from tests.formats.planted_files import (
    DOCX_PLACES,
    PAGE_PLACES,
    SPELLINGS,
    Person,
    jpeg_with_comment,
    planted_docx,
    planted_page,
    png_with_text,
    released_bytes,
    surviving,
)

CHECK = FinalCheck(id_checker(load("fast")).detect)
ANNA: Person = ("Anna", "Quorvex")
given_names = st.sampled_from(["Anna", "Tobias", "Rosalba", "Ignatius"])
family_names = st.text("bdfgklmnprstvz", min_size=3, max_size=4).map(lambda end: f"Quor{end}")
people = st.lists(st.tuples(given_names, family_names), min_size=1, max_size=6, unique_by=lambda person: person[1])


@given(people, st.data())
def test_no_planted_name_survives_in_a_word_file(tmp_path_factory: pytest.TempPathFactory, people, data) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path_factory.mktemp("planted") / "letter.docx"
    planted = [(person, data.draw(st.sampled_from(DOCX_PLACES))) for person in people]
    planted_docx(path, planted, random.Random(data.draw(st.integers(0, 999))))
    assert surviving(released_bytes(path, people, CHECK.clean), people) == []


@given(people, st.data())
def test_no_planted_name_survives_in_a_page(tmp_path_factory: pytest.TempPathFactory, people, data) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path_factory.mktemp("planted") / "page.html"
    planted = [(person, data.draw(st.sampled_from(sorted(PAGE_PLACES)))) for person in people]
    planted_page(path, planted, random.Random(data.draw(st.integers(0, 999))))
    assert surviving(released_bytes(path, people, CHECK.clean), people) == []


@pytest.mark.parametrize("place", DOCX_PLACES)
def test_every_place_of_a_word_file(tmp_path: Path, place: str) -> None:
    path = planted_docx(tmp_path / "letter.docx", [(ANNA, place)], random.Random(1))
    assert surviving(path.read_bytes(), [ANNA]), "the test plants the name"
    assert surviving(released_bytes(path, [ANNA], CHECK.clean), [ANNA]) == []


@pytest.mark.parametrize("place", PAGE_PLACES)
def test_every_place_of_a_page(tmp_path: Path, place: str) -> None:
    path = planted_page(tmp_path / "page.html", [(ANNA, place)], random.Random(1))
    assert surviving(released_bytes(path, [ANNA], CHECK.clean), [ANNA]) == []


def test_what_the_detectors_find_in_a_field_is_hidden_though_it_is_not_in_the_text(tmp_path: Path) -> None:
    body = (
        paragraph("The meeting is tomorrow.")
        + '<w:p xmlns:x="urn:x" x:owner="Margaret Holloway" x:tel="+44 20 7946 0018"/>'
    )
    path = write_docx(tmp_path / "letter.docx", body)
    form = file_format(format_for(path))
    assert form is not None
    release = Release(form.read(path, "letter"))
    data = CHECK.clean(path, form, form.render(path, release), release)
    (tmp_path / "out.docx").write_bytes(data)
    with zipfile.ZipFile(tmp_path / "out.docx") as archive:
        document = archive.read("word/document.xml").decode()
    assert "Holloway" not in document
    assert "7946" not in document


def test_ordinary_fields_are_left_alone(tmp_path: Path) -> None:
    fields = '<w:rFonts w:ascii="Times New Roman" w:hAnsi="Franklin Gothic Book"/><w:p w:x="4286250"/>'
    path = write_docx(tmp_path / "letter.docx", paragraph("Seen today: Anna Quorvex.") + fields)
    form = file_format(format_for(path))
    assert form is not None
    release = Release(form.read(path, "letter"), (Edit(Span(12, 24, "PERSON"), "a patient"),))
    rendered = form.render(path, release)
    assert CHECK.clean(path, form, rendered, release) == rendered


def test_names_of_a_format_are_not_taken_for_people() -> None:
    detector = FieldDetector(id_checker(load("fast")).detect)
    names = "docProps docGrid defaultTabStop mathFont naryLim lumMod evenAndOddHeaders rId12 Calibri w14 DocSecurity"
    values = (
        "docProps/core.xml",
        "Franklin Gothic Book",
        "http://schemas.openxmlformats.org/a/b",
        "{1A2B3C4D-0000-1111-2222-333344445555}",
    )
    assert [field for field in (*names.split(), *values) if detector.find(field)] == []
    for field in ("annaQuorvex", "ANNA_QUORVEX", "owner-margaret-holloway", "anna@example.org", "+44 20 7946 0018"):
        assert detector.find(field), field


def test_what_cannot_be_hidden_is_refused_with_its_place(tmp_path: Path) -> None:
    drawing = b"\1\0\0\0".ljust(40, b"\0") + b" EMF" + "Anna Quorvex".encode("utf-16-le") + b"\0\0"
    path = write_docx(tmp_path / "letter.docx", paragraph("Anna Quorvex"), {"word/media/image1.emf": drawing})
    with pytest.raises(OutputError, match=r"letter\.docx: .* in word/media/image1\.emf; remove it there") as error:
        released_bytes(path, [ANNA], CHECK.clean)
    assert "Quorvex" not in str(error.value)


def test_words_that_can_be_something_else_are_not_searched_for() -> None:
    text = "Mr Park, 18, saw May in Paris on 3 May at 12."
    spans = [(3, 7, "PERSON"), (9, 11, "QUANTITY"), (17, 20, "PERSON"), (24, 29, "LOC"), (33, 38, "DATETIME")]
    edits = tuple(Edit(Span(start, end, label), "X") for start, end, label in spans)
    assert replaced_values(Release(Document("a", text), edits)) == set()


def test_values_that_can_only_be_one_thing_are_searched_for() -> None:
    text = "Anna Quorvex, AB-5517-20984, anna@example.org, 12 Mill Lane, born 3 August 1961"
    marks = {"Anna Quorvex": "PERSON", "AB-5517-20984": "CODE", "anna@example.org": "CODE"}
    marks |= {"12 Mill Lane": "LOC", "3 August 1961": "DATETIME"}
    spans = [Span(text.index(value), text.index(value) + len(value), label) for value, label in marks.items()]
    values = replaced_values(Release(Document("a", text), tuple(Edit(span, "X") for span in spans)))
    assert {"annaquorvex", "quorvexanna", "quorvex"} <= values
    assert {"ab551720984", "annaexampleorg", "12milllane", "3august1961"} <= values


@given(st.sampled_from(sorted(SPELLINGS)), st.text(max_size=20), st.text(max_size=20))
def test_a_value_is_found_in_every_spelling(spelling: str, before: str, after: str) -> None:
    index = ValueIndex({"annaquorvex", "quorvexanna"})
    value = SPELLINGS[spelling](ANNA)
    matches = list(index.find(f"{before} {value} {after}"))
    assert any(join_pieces(value).strip("xy") in match.value or match.value in join_pieces(value) for match in matches)


PIECES = st.lists(
    st.sampled_from(["an", "na", "Berg", "12", "3", " ", "-", "_", "Quorvex", "ß", "&amp;", "&#66;", "Аn", "b e r g "]),
    max_size=25,
)


@given(st.lists(PIECES, min_size=1, max_size=6), PIECES)
def test_all_values_of_a_text_are_present_and_no_others(values: list[list[str]], text: list[str]) -> None:
    joined = {join_pieces("".join(value)) for value in values} - {""}
    absent = joined - ValueIndex(joined).present("".join(text))
    # What is found, then taken out of the index, until nothing is found.
    while matches := list(ValueIndex(joined).find("".join(text))):
        joined -= {match.value for match in matches}
    assert joined == absent


@pytest.mark.parametrize("separator", ["", " ", "-"])
def test_a_very_long_value_is_found_to_its_end(separator: str) -> None:
    parts = [f"{number}ab" for number in range(200)]
    value = "".join(parts)
    text = f"see {separator.join(parts)} there"
    for index in (ValueIndex({value}), ValueIndex({value, value + "c", value[:90]})):
        match = next(index.find(text))
        assert text[match.start : match.end].endswith("199ab")
        assert value in index.present(text)
        assert not list(index.find(separator.join(parts[:20])[:-1]))[1:]


@pytest.mark.parametrize(
    "written",
    [
        "Аnnа Quоrvех",
        "Ⓐⓝⓝⓐ-Ⓠⓤⓞⓡⓥⓔⓧ",
        "An\u3164na Quor\u2800vex",
        "ᴀɴɴᴀ_ǫᴜᴏʀᴠᴇx",
        "A n n a  Q u o r v e x",
        "A̶n̶n̶a̶Q̶u̶o̶r̶v̶e̶x̶",
    ],
)
def test_a_value_is_found_in_disguise_at_its_place(written: str) -> None:
    text = f"<a ref='{written}'>"
    (match,) = ValueIndex([join_pieces("Anna Quorvex")]).find(text)
    assert text[match.start : match.end].rstrip("\u0336") == written.rstrip("\u0336")
    assert ValueIndex([join_pieces(written)]).present("anna.quorvex@example.org") == {"annaquorvex"}


def test_a_second_mention_in_the_text_is_replaced_like_the_first() -> None:
    text = "Anna Quorvex came. Later anna  quorvex and file anna_quorvex.pdf, not Quorvex."
    release = hide_repeats(Release(Document("a", text), (Edit(Span(0, 12, "PERSON"), "a patient"),)))
    assert release.text == "a patient came. Later a patient and file hidden.pdf, not Quorvex."


def test_words_in_lower_case_that_were_taken_for_a_name_stay_elsewhere() -> None:
    text = "See you late nineties?\nShe moved in the late nineties."
    release = Release(Document("a", text), (Edit(Span(8, 21, "PERSON"), "PERSON_1"),))
    assert hide_repeats(release) is release


def test_pictures_lose_metadata_and_keep_their_pixels() -> None:
    png, jpeg = png_with_text("Anna Quorvex"), jpeg_with_comment("Anna Quorvex")
    for picture in (png, jpeg):
        assert b"Quorvex" not in without_metadata(picture)
        assert without_metadata(without_metadata(picture)) == without_metadata(picture)
    assert without_metadata(png).endswith(png[-12:])
    assert b"IDAT" in without_metadata(png)
    assert b"\x12\x34\xff\xd9" in without_metadata(jpeg)
    assert b"JFIF" in without_metadata(jpeg)
    assert without_metadata(png[:45]) == png[:33]
    assert without_metadata(b"BM89a") == b"BM89a"


def test_the_search_of_bytes_needs_no_format(tmp_path: Path) -> None:
    index = ValueIndex({"annaquorvex"})
    for data in (
        b"a\0Anna Quorvex\0",
        "x\0Anna Quorvex".encode("utf-16-le"),
        b"<a b='&#65;nna Quorvex'>",
        b"Anna%20Quorvex",
    ):
        assert list(remaining_places(tmp_path, data, index)), data
    assert list(remaining_places(tmp_path, b"Joanna Quorvexlike", index)) == []


@pytest.mark.parametrize(
    "escaped",
    [
        "J&uuml;rgen M&#252;ller",
        "J&amp;uuml;rgen M&amp;uuml;ller",
        "J%C3%BCrgen%20M%FCller",
        r"J\u00fcrgen M\u{fc}ller",
    ],
)
def test_a_value_is_found_behind_escapes(escaped: str) -> None:
    (match,) = ValueIndex({"jürgenmüller"}).find(f"a {escaped} b")
    assert (match.start, match.end) == (2, 2 + len(escaped))


def test_a_word_behind_an_at_sign_is_no_value() -> None:
    text = '{"@type": "Person"} and @media print, anna@example.org'
    spans = [Span(2, 7, "CODE"), Span(24, 30, "CODE"), Span(38, 54, "CODE")]
    release = Release(Document("a", text), tuple(Edit(span, "CODE_1") for span in spans))
    assert replaced_values(release) == {"annaexampleorg"}


@pytest.mark.parametrize(
    "comment",
    [
        "Jürgen Müller".encode("latin-1"),
        "Jürgen Müller".encode(),
        "Łukasz Jürgen Müller".encode("utf-16-le"),
        "Jürgen Müller".encode("utf-16-be"),
    ],
)
def test_strings_of_binary_parts_are_read_in_their_encodings(tmp_path: Path, comment: bytes) -> None:
    assert list(remaining_places(tmp_path, b"GIF89a\0\0" + comment + b"\0\0", ValueIndex({"jürgenmüller"})))


def test_a_mail_address_in_an_attribute_of_word_does_not_make_the_file_unwritable(tmp_path: Path) -> None:
    link = '<w:hyperlink w:tgtFrame="anna.quorvex@example.org"><w:r><w:t>Hello all.</w:t></w:r></w:hyperlink>'
    path = write_docx(tmp_path / "letter.docx", f"<w:p>{link}</w:p>" + paragraph("Anna Quorvex"))
    assert b"quorvex" not in released_bytes(path, [ANNA], CHECK.clean).lower()
    (tmp_path / "out.docx").write_bytes(released_bytes(path, [ANNA], CHECK.clean))
    with zipfile.ZipFile(tmp_path / "out.docx") as archive:
        assert b"quorvex" not in archive.read("word/document.xml").lower()


@pytest.mark.parametrize(
    "escaped", ["Quorvex &amp; Berg Holdings", "Quorvex &quot;Berg&quot; Holdings", "&#81;uorvex Berg Holdings"]
)
def test_a_long_text_hides_no_value_from_the_search(escaped: str) -> None:
    index = ValueIndex({"quorvexbergholdings"})
    padding = "lorem ipsum " * 300
    assert len(list(index.find(escaped))) == len(list(index.find(padding + escaped))) == 1


def test_all_personal_values_of_a_field_are_hidden(tmp_path: Path) -> None:
    field = '<w:p xmlns:x="urn:x" x:note="anna_quorvex cc berta.miller@example.org" x:id="hidden"/>'
    path = write_docx(tmp_path / "letter.docx", paragraph("Anna Quorvex") + field)
    (tmp_path / "out.docx").write_bytes(released_bytes(path, [ANNA], CHECK.clean))
    with zipfile.ZipFile(tmp_path / "out.docx") as archive:
        document = archive.read("word/document.xml").decode()
    assert "quorvex" not in document
    assert "miller" not in document


def test_two_parts_do_not_become_one(tmp_path: Path) -> None:
    parts: dict[str, str | bytes] = {"customXml/anna_quorvex.xml": "<a>1</a>", "customXml/AnnaQuorvex.xml": "<a>2</a>"}
    path = write_docx(tmp_path / "letter.docx", paragraph("Anna Quorvex"), parts)
    with pytest.raises(OutputError, match="in the names of two parts"):
        released_bytes(path, [ANNA], CHECK.clean)


def test_characters_that_a_page_cannot_hold_are_written_as_references(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(
        b'<meta charset="windows-1252"><p id="anna_quorvex &#x4e2d;">Anna Quorvex</p>\n'
        b'<link type="image/anna_quorvex&#x4e2d;">'
    )
    assert b"quorvex" not in released_bytes(path, [ANNA], CHECK.clean).lower()


def test_all_metadata_of_a_picture_is_removed() -> None:
    jpeg = jpeg_with_comment("Anna Quorvex")
    filled = jpeg[:2] + b"\xff" + jpeg[2:]
    second = jpeg + jpeg
    between = jpeg[:-2] + b"\xff\xfe\x00\x0eAnna Quorvex" + b"\xff\xda\x00\x08" + b"\0" * 6 + b"\x56\xff\xd9"
    thumbnail = jpeg[:2] + b"\xff\xe0\x00\x13JFXX\0Anna Quorvex" + jpeg[2:]
    for picture in (filled, second, between, thumbnail):
        cleaned = without_metadata(picture)
        assert b"Quorvex" not in cleaned
        assert b"\x12\x34" in cleaned
        assert cleaned.endswith(b"\xff\xd9")
    assert b"\x56" in without_metadata(between)
    png = png_with_text("x")
    provenance = png[:33] + b"\x00\x00\x00\x0ccaBXAnna Quorvex\x00\x00\x00\x00" + png[33:]
    assert without_metadata(provenance) == without_metadata(png)


def test_styles_of_word_that_are_not_read_hold_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    styles = final_check._STYLES
    monkeypatch.setattr(final_check, "_STYLES", frozenset())
    detector = FieldDetector(id_checker(load("fast")).detect)
    assert not [style for style in styles if detector.find(style)]
