"""Word files: everything in them is read, every edit arrives, and nothing dangerous is opened."""

from __future__ import annotations

import copy
import io
import random
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.document import Document, Release
from sfumato.errors import InputError, OutputError
from sfumato.formats.docx import package
from sfumato.formats.docx.document import Docx

from .docx_files import HEADER, paragraph, word, write_docx, write_full_docx
from .edits import edited, releases

SECRET = "Quillowby"
MAIL = "quillowby@example.org"


def reread(folder: Path, data: bytes) -> Document:
    path = folder / "rendered.docx"
    path.write_bytes(data)
    return Docx().read(path, "again")


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_no_part_keeps_a_secret_that_was_replaced_everywhere(tmp_path: Path) -> None:
    source = write_full_docx(tmp_path / "full.docx", SECRET, MAIL)
    document = Docx().read(source, "full")
    half = SECRET[: len(SECRET) // 2]
    release = edited(document, f"{SECRET}|{half}", "[PERSON 1]")
    data = Docx().render(source, release)
    assert reread(tmp_path, data).text == release.text
    for name, content in members(data).items():
        assert half.lower().encode() not in content.lower(), name
        assert half.lower() not in name.lower()


@pytest.mark.parametrize(
    "piece",
    [
        f"Seen by {SECRET} today",
        f"split {SECRET} over runs",
        f"\n{SECRET}\n",
        f"hidden {SECRET}",
        f'HYPERLINK "mailto:{MAIL}"',
        f"Photo of {SECRET}",
        f"box {SECRET}",
        f"control {SECRET}",
        f"header {SECRET}",
        f"footer {SECRET}",
        f"foot {SECRET}",
        f"end {SECRET}",
        f"comment by {SECRET}",
        f"Case of {SECRET}",
        f"{SECRET} and Sons",
        f"glossary {SECRET}",
        f"loose {SECRET}",
        f"\nmailto:{MAIL}\n",
        f"S::{MAIL}",
        "-end\ta\nb",
    ],
)
def test_each_place_is_read(tmp_path: Path, piece: str) -> None:
    document = Docx().read(write_full_docx(tmp_path / "full.docx", SECRET, MAIL), "full")
    assert piece in document.text


def test_what_names_a_person_by_definition_is_marked(tmp_path: Path) -> None:
    document = Docx().read(write_full_docx(tmp_path / "full.docx", SECRET, MAIL), "full")
    marked = {(span.label, document.text[span.start : span.end]) for span in document.meta["marked"]}
    assert marked == {("PERSON", SECRET), ("ORG", f"{SECRET} and Sons"), ("PERSON", f"S::{MAIL}")}
    assert all(span.identifier == "direct" and span.source == "docx:author" for span in document.meta["marked"])


def test_times_thumbnail_and_session_numbers_do_not_survive(tmp_path: Path) -> None:
    source = write_full_docx(tmp_path / "full.docx", SECRET, MAIL)
    document = Docx().read(source, "full")
    parts = members(Docx().render(source, Release(document)))
    assert not any("thumbnail" in name for name in parts)
    everything = b"".join(parts.values())
    for trace in (b"2024-05-06", b"1980-01-02", b"00AB12CD", b"thumbnail"):
        assert trace not in everything
    assert document.meta["unchecked"] == {"image": 1}


def test_rendering_is_deterministic_and_undone_by_the_inverse(tmp_path: Path) -> None:
    source = write_full_docx(tmp_path / "full.docx", SECRET, MAIL)
    document = Docx().read(source, "full")
    release = edited(document, SECRET, "")
    data = Docx().render(source, release)
    assert data == Docx().render(source, release)
    rendered = tmp_path / "released.docx"
    rendered.write_bytes(data)
    assert reread(tmp_path, Docx().render(rendered, release.inverse())).text == document.text


RUNS = st.lists(st.text("ab c", max_size=4), max_size=3)
MORE = (
    "<w:p><w:r><w:t>x</w:t><w:tab/><w:t>y</w:t><w:br/></w:r></w:p>"
    "<w:p><w:bookmarkStart w:name='mark'/><w:r><w:t>z</w:t></w:r></w:p>"
)
ALPHABET = "ab <&>\"'\u200bé😀\t\n"


@given(st.data(), st.lists(RUNS, min_size=1, max_size=4))
def test_any_release_reads_back_and_can_be_undone(data: st.DataObject, paragraphs: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        body = "".join(paragraph(*runs) for runs in paragraphs)
        source = write_docx(folder / "s.docx", body + MORE)
        text = Docx().read(source, "d").text
        release = data.draw(releases(text, ALPHABET))
        rendered = folder / "r.docx"
        rendered.write_bytes(Docx().render(source, release))
        assert Docx().read(rendered, "d").text == release.text
        back = folder / "b.docx"
        back.write_bytes(Docx().render(rendered, release.inverse()))
        assert Docx().read(back, "d").text == text


def test_the_strict_dialect_is_read_the_same(tmp_path: Path) -> None:
    source = write_full_docx(tmp_path / "full.docx", SECRET, MAIL)
    parts = members(source.read_bytes())
    strict = tmp_path / "strict.docx"
    with zipfile.ZipFile(strict, "w") as archive:
        for name, content in parts.items():
            for family in (b"wordprocessingml", b"drawingml"):
                old = b"http://schemas.openxmlformats.org/" + family + b"/2006/main"
                content = content.replace(old, b"http://purl.oclc.org/ooxml/" + family + b"/main")
            archive.writestr(name, content)
    assert Docx().read(strict, "s").text == Docx().read(source, "s").text


def test_spaces_at_the_ends_are_kept(tmp_path: Path) -> None:
    source = write_docx(tmp_path / "s.docx", "<w:p><w:r><w:t>Anna Berg</w:t></w:r></w:p>")
    data = Docx().render(source, edited(Docx().read(source, "s"), "Anna", " "))
    assert b'xml:space="preserve">  Berg' in members(data)["word/document.xml"]


def test_characters_that_xml_cannot_hold_are_refused(tmp_path: Path) -> None:
    source = write_docx(tmp_path / "s.docx", paragraph("Anna"))
    with pytest.raises(OutputError, match="choose another replacer"):
        Docx().render(source, edited(Docx().read(source, "s"), "Anna", "\0"))


def refused(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        Docx().read(path, "x")
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_a_package_without_a_document_is_called_so(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "s.docx", "w") as archive:
        archive.writestr("a.txt", "x")
    assert "has no document in it" in refused(tmp_path / "s.docx")


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("word/embeddings/sheet1.xlsx", "embedded file"),
        ("word/activeX/activeX1.bin", "ActiveX"),
        ("word/vbaProject.bin", "macros"),
        ("word/afchunk1.html", "altChunk"),
        ("word/media/voice.mp3", "a sound, a film"),
        ("../outside.xml", "points out of the package"),
    ],
)
def test_parts_that_cannot_be_treated_are_refused(tmp_path: Path, part: str, said: str) -> None:
    assert said in refused(write_docx(tmp_path / "s.docx", paragraph("x"), {part: b"x"}))


def test_entities_are_refused(tmp_path: Path) -> None:
    laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><x>&b;</x>'
    path = write_docx(tmp_path / "s.docx", paragraph("x"), {"customXml/item1.xml": laughs})
    assert "entities" in refused(path)


def test_entities_in_another_encoding_are_refused(tmp_path: Path) -> None:
    laughs = '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE x [<!ENTITY a "ha">]><x>&a;</x>'
    path = write_docx(tmp_path / "s.docx", paragraph("x"), {"customXml/item1.xml": laughs.encode("utf-16")})
    assert "entities" in refused(path)


def test_zip_bombs_are_not_opened(tmp_path: Path) -> None:
    path = write_docx(tmp_path / "s.docx", paragraph("x"), {"customXml/item1.xml": b" " * (16 * 1024 * 1024)})
    assert "far more" in refused(path)


def test_many_small_members_that_unpack_to_far_more_are_not_opened(tmp_path: Path) -> None:
    parts: dict[str, str | bytes] = {
        f"customXml/item{number}.xml": b"<a>" + b"<b/>" * 200_000 + b"</a>" for number in range(2)
    }
    assert "far more" in refused(write_docx(tmp_path / "s.docx", paragraph("x"), parts))


def test_a_large_table_of_empty_cells_is_no_bomb(tmp_path: Path) -> None:
    cell = '<w:tc><w:tcPr><w:tcW w:w="1842"/></w:tcPr><w:p><w:pPr><w:pStyle w:val="Cell"/></w:pPr></w:p></w:tc>'
    path = write_docx(tmp_path / "s.docx", paragraph("x") + f"<w:tbl>{f'<w:tr>{cell * 5}</w:tr>' * 2_500}</w:tbl>")
    assert Docx().read(path, "d").text == "x"


def test_members_that_share_their_packed_bytes_are_not_opened(tmp_path: Path) -> None:
    path = write_docx(tmp_path / "s.docx", paragraph("x"), {"customXml/item1.xml": random.Random(1).randbytes(50_000)})
    with zipfile.ZipFile(path, "a") as archive:
        shared = archive.getinfo("customXml/item1.xml")
        for number in range(2, 9):
            archive.filelist.append(copy.copy(shared))
            archive.filelist[-1].filename = f"customXml/item{number}.xml"
        archive._didModify = True  # type: ignore[attr-defined]
    assert "far more" in refused(path)


@pytest.mark.parametrize(
    ("limit", "value", "message"),
    [("MAX_MARKUP", 50, "tags and attributes"), ("MAX_XML_BYTES", 500, "split the document")],
)
def test_more_markup_than_can_be_read_in_time_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, message: str
) -> None:
    path = write_docx(tmp_path / "s.docx", paragraph("x") * 100)
    Docx().read(path, "d")
    monkeypatch.setattr(package, limit, value)
    assert message in refused(path)


@pytest.mark.parametrize("quote", ['"', "'"])
def test_an_element_with_very_many_attributes_is_refused(tmp_path: Path, quote: str) -> None:
    def part(number: int) -> str:
        return "<x " + " ".join(f"a{index}={quote}=>{quote}" for index in range(number)) + "/>"

    Docx().read(write_docx(tmp_path / "s.docx", paragraph('" = ' * 600), {"customXml/item1.xml": part(400)}), "d")
    path = write_docx(tmp_path / "s.docx", paragraph("x"), {"customXml/item1.xml": part(600)})
    assert "more than 500 attributes" in refused(path)


def test_fields_refer_to_bookmarks_by_their_new_names(tmp_path: Path) -> None:
    names = ("Berg", "Berg 2", "Berg 2 b", "_x")
    marks = "".join(f'<w:bookmarkStart w:id="{number}" w:name="{name}"/>' for number, name in enumerate(names))
    codes = " REF berg 2 b \\h| REF BERG| REF Berg 2| PAGEREF Bergen _x".split("|")
    fields = "".join(f"<w:r><w:fldChar/><w:instrText>{code}</w:instrText></w:r>" for code in codes)
    document = Docx().read(write_docx(tmp_path / "s.docx", f"<w:p>{marks}{fields}</w:p>"), "d")
    assert [line.strip() for line in document.text.splitlines()] == [
        "REF bookmark3 \\h",
        "REF bookmark1",
        "REF bookmark2",
        "PAGEREF Bergen bookmark4",
    ]


def test_a_member_that_lies_about_its_size_is_not_unpacked(tmp_path: Path) -> None:
    path = write_docx(tmp_path / "s.docx", paragraph("x"), {"customXml/item1.xml": b"<a>" + b" " * 500_000 + b"</a>"})
    data = bytearray(path.read_bytes())
    size = (500_007).to_bytes(4, "little")
    path.write_bytes(data.replace(size, (7).to_bytes(4, "little")))
    refused(path)


def test_too_many_members_are_refused(tmp_path: Path) -> None:
    path = write_docx(tmp_path / "s.docx", paragraph("x"), {f"customXml/item{n}.xml": b"<a/>" for n in range(10_000)})
    assert "far more" in refused(path)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b"not a zip", "not a readable"),
        (b"\xd0\xcf\x11\xe0old", "password"),
        (b"PK\x03\x04 broken", "not a readable"),
    ],
)
def test_broken_files_are_refused(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "s.docx"
    path.write_bytes(data)
    assert said in refused(path)


def test_a_zip_without_a_document_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("hello.xml", "<x/>")
    assert "no document" in refused(path)


def test_an_encrypted_member_is_refused(tmp_path: Path) -> None:
    path = write_docx(tmp_path / "s.docx", paragraph("x"))
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02")
    data[at + 8] |= 1
    path.write_bytes(data)
    assert "encrypted" in refused(path)


STYLES = (
    '<w:latentStyles><w:lsdException w:name="heading 1"/></w:latentStyles>'
    '<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:type="character" w:customStyle="1" w:styleId="berschrift1Zchn">'
    '<w:name w:val="Überschrift 1 Zchn"/><w:link w:val="berschrift1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="BodyText2"><w:name w:val="Body Text 2"/></w:style>'
    '<w:style w:type="character" w:customStyle="1" w:styleId="BodyText2Char">'
    '<w:name w:val="Body Text 2 Char"/></w:style>'
    '<w:style w:type="character" w:customStyle="1" w:styleId="MacroTextChar">'
    '<w:name w:val="Macro Text Char"/></w:style>'
    f'<w:style w:type="paragraph" w:customStyle="1" w:styleId="{SECRET}"><w:name w:val="{SECRET} Letter"/></w:style>'
    f'<w:style w:type="character" w:customStyle="1" w:styleId="{SECRET}Char"><w:name w:val="{SECRET} Letter Char"/>'
    f'<w:link w:val="{SECRET}"/></w:style>'
)
APP = (
    HEADER + '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties" '
    'xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes"><Template>{template}</Template>'
    "<Application>{program}</Application><AppVersion>16.0000</AppVersion><ScaleCrop>false</ScaleCrop>"
    "<HeadingPairs><vt:vector><vt:variant><vt:lpstr>Title</vt:lpstr></vt:variant><vt:variant><vt:i4>1</vt:i4>"
    "</vt:variant></vt:vector></HeadingPairs><Company>{company}</Company></Properties>"
)


def styled(folder: Path, **properties: str) -> Path:
    app = APP.format(**{"template": "Normal.dotm", "program": "Microsoft Office Word", "company": "", **properties})
    parts: dict[str, str | bytes] = {"word/styles.xml": word("styles", STYLES), "docProps/app.xml": app}
    return write_docx(folder / "styled.docx", paragraph("The letter."), parts)


def test_what_word_writes_for_itself_is_no_part_of_the_text_and_stays(tmp_path: Path) -> None:
    source = styled(tmp_path)
    document = Docx().read(source, "s")
    assert document.text == f"The letter.\n{SECRET} Letter\n{SECRET} Letter Char"
    parts = members(Docx().render(source, edited(document, f"{SECRET}|Body|Word|Title", "X")))
    styles = parts["word/styles.xml"].decode()
    for kept in ("Body Text 2 Char", "Macro Text Char", "Überschrift 1 Zchn", "berschrift1Zchn", "heading 1"):
        assert f'"{kept}"' in styles
    assert SECRET not in styles
    for kept in ("Normal.dotm", "Microsoft Office Word", "16.0000", "Title"):
        assert f">{kept}<" in parts["docProps/app.xml"].decode()


def test_a_template_a_program_and_a_company_of_someone_are_text(tmp_path: Path) -> None:
    source = styled(tmp_path, template=f"{SECRET}.dotm", program=f"{SECRET} Writer", company=f"{SECRET} Ltd")
    text = Docx().read(source, "s").text
    for item in (f"{SECRET}.dotm", f"{SECRET} Writer", f"{SECRET} Ltd"):
        assert item in text


def test_the_twin_of_a_style_that_only_passes_for_words_own_is_hidden(tmp_path: Path) -> None:
    twins = STYLES.replace("berschrift1", SECRET + "1").replace("Überschrift 1", SECRET + " 1")
    parts: dict[str, str | bytes] = {
        "word/styles.xml": word("styles", twins.partition('<w:style w:type="paragraph" w:customStyle')[0])
    }
    source = write_docx(tmp_path / "s.docx", paragraph(f"Dear {SECRET}."), parts)
    document = Docx().read(source, "s")
    assert document.text == f"Dear {SECRET}."
    data = Docx().render(source, edited(document, SECRET, "X"))
    assert SECRET not in members(data)["word/styles.xml"].decode()


@pytest.mark.parametrize(
    ("body", "wordless"),
    [
        (paragraph("x"), False),
        (paragraph(" ", ""), True),
        ("<w:p/>", True),
        (
            '<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="a scan"/></wp:inline></w:drawing>'
            "</w:r></w:p>",
            True,
        ),
    ],
)
def test_a_body_without_text_is_wordless_whatever_its_properties_say(tmp_path: Path, body: str, wordless: bool) -> None:
    core = '<cp:p xmlns:cp="http://purl.org/dc/elements/1.1/"><cp:title>A letter</cp:title></cp:p>'
    source = write_docx(tmp_path / "s.docx", body, {"docProps/core.xml": core})
    assert Docx().read(source, "s").meta["wordless"] is wordless
