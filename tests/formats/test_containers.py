"""What is encoded or packed in a text, a Word file or a page is replaced, removed, refused or reported."""

from __future__ import annotations

import json
import random
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks.containers import docx_outcomes, page_outcomes, text_outcomes
from hypothesis import given
from hypothesis import strategies as st

from sfumato.detectors.detection import Detection
from sfumato.detectors.rules.detector import RuleDetector
from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import InputError, OutputError
from sfumato.formats import containers
from sfumato.formats.base import Columns, file_format, format_for, raise_problem, record_format
from sfumato.formats.containers import TooLargeUnpacked, Unpacker, find_readable, is_readable, kind_of
from sfumato.formats.docx.document import Docx
from sfumato.formats.images import image_kind, without_metadata
from sfumato.recipe import load, names
from sfumato.residuals.final_check import FinalCheck
from sfumato.runs.anonymize import anonymize_files
from tests.formats import planted_containers as planted
from tests.formats.docx_files import HEADER, paragraph, word, write_docx, write_full_docx
from tests.formats.planted_files import jpeg_with_comment, png_with_text


@pytest.mark.parametrize("place", planted.DOCX_PLACES)
def test_no_encoded_name_survives_in_a_word_file_in_silence(place: str) -> None:
    for in_text in (False, True):
        (outcome,) = docx_outcomes("fast", random.Random(2), [place], in_text=in_text)
        assert outcome.result != "kept"
        # A value that was replaced in the text refuses the file wherever it cannot be hidden.
        assert not in_text or outcome.result != "reported"


@pytest.mark.parametrize("place", planted.PAGE_PLACES)
def test_no_encoded_name_survives_in_a_page_in_silence(place: str) -> None:
    (outcome,) = page_outcomes("fast", random.Random(2), [place])
    assert outcome.result != "kept"


def test_no_encoded_name_survives_in_a_text_whatever_stands_around_it() -> None:
    outcomes = list(text_outcomes("codes", random.Random(2)))
    assert len(outcomes) == len(planted.ENCODINGS) * len(planted.SURROUNDINGS)
    assert [outcome.place for outcome in outcomes if outcome.result == "kept"] == []


def test_every_recipe_that_ships_looks_for_encoded_text() -> None:
    for name in names():
        recipe = load(name)
        if recipe.published is None:
            rules = [choice for choice in recipe.detectors if choice.use == "rules"]
            assert any("encoded" in RuleDetector(**choice.options)._wanted for choice in rules), name


@given(st.text("abcdefghijklmnopqrstuvwxyz ABCDEFGH", min_size=12).filter(lambda text: len(set(text)) > 6))
def test_any_text_that_is_encoded_is_found(text: str) -> None:
    for encoding in (
        "Base64",
        "Base64 of UTF-16",
        "Base64 of Base64",
        "Base64 of gzip",
        "hexadecimal",
        "Base64 of zip",
    ):
        value = planted.ENCODINGS[encoding](text)
        passages = list(find_readable(f"see {value} there"))
        covered = "".join(f"see {value} there"[start:end] for encoded in passages for start, end in encoded.lines)
        assert covered == value, encoding


def test_hashes_keys_and_ids_are_no_text() -> None:
    draw = random.Random(4)
    encodings: tuple[Callable[[bytes], str], ...] = (planted.b64, bytes.hex)
    total = sum(
        any(find_readable(encode(draw.randbytes(size)))) for encode in encodings for size in (16, 20, 32, 64) * 250
    )
    assert total <= 2  # of 2,000
    words = "sfumato/formats/html/document getElementsByTagName 550e8400-e29b-41d4-a716-446655440000 Donaudampfschiff "
    numbers = (
        "3333333333333333333333333 ACGTACGTACGTACGTACGT 2031367459745245795943447 ================ ----------------"
    )
    assert list(find_readable(words + numbers)) == []


@pytest.mark.parametrize("line", ["END", "else:", "and so on"])
def test_what_follows_the_last_line_of_base64_stays(line: str) -> None:
    text = f"x:\n{planted.wrapped(planted.b64(b'Anna Quorvex was here, twice.'), 20)}\n{line}\n"
    (encoded,) = find_readable(text)
    assert text[encoded.end :] == f"\n{line}\n"


def test_files_are_known_by_their_content() -> None:
    kinds = {part: kind_of(make("Anna Quorvex")) for part, make in planted.MEMBERS.values()}
    assert kinds["media/image1.ico"] == kinds["media/image1.webp"] == kinds["media/image1.tiff"] == "image"
    assert kind_of(b"Anna Quorvex") is None
    assert kind_of(planted.zipped(a=b"")) == "archive"


def test_what_unpacks_to_far_more_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(containers, "MAX_UNPACKED", 1000)
    with pytest.raises(TooLargeUnpacked):
        list(Unpacker().unpack(planted.zipped(a=bytes(2000))))
    assert list(Unpacker().unpack(b"PK\3\4 and no zip file PK\5\6" + bytes(30))) == []


@given(st.binary(max_size=200))
def test_any_bytes_are_looked_into_without_an_error(data: bytes) -> None:
    for start in (
        b"",
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff",
        b"GIF89a",
        b"RIFF\0\0\0\0WEBP",
        b"PK\3\4",
        b"\x1f\x8b\x08",
    ):
        is_readable(start + data)
        assert len(without_metadata(start + data)) <= len(start + data) + 20
    assert list(Unpacker().unpack(data + b"PK\5\6" + data)) == []


def test_a_file_whose_encoded_data_unpacks_to_far_more_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(containers, "MAX_UNPACKED", 5_000)
    bomb = planted.b64(planted.zipped(a=bytes(9_000)))
    path = write_docx(tmp_path / "a.docx", paragraph("Mrs Anna Quorvex came.") + paragraph(bomb))
    release = Release(Docx().read(path, "a"), (Edit(Span(4, 16, "PERSON"), "PERSON_1"),))
    with pytest.raises(OutputError, match="unpacks to far more"):
        FinalCheck(lambda document: []).clean(path, Docx(), Docx().render(path, release), release)


# Word files.


def parts_of(path: Path, out: Path) -> dict[str, str]:
    assert anonymize_files([path], out, load("fast")).released == 1
    with zipfile.ZipFile(out) as archive:
        return {name: archive.read(name).decode("latin-1") for name in archive.namelist()}


def test_counts_of_the_original_go(tmp_path: Path) -> None:
    app = (
        HEADER + '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties">'
        "<TotalTime>7</TotalTime><Pages>3</Pages><Words>41</Words><Characters>231</Characters><Lines>9</Lines>"
        "<Paragraphs>2</Paragraphs><CharactersWithSpaces>270</CharactersWithSpaces><AppVersion>16.0</AppVersion>"
        "</Properties>"
    )
    path = write_docx(tmp_path / "a.docx", paragraph("Anna Quorvex came."), {"docProps/app.xml": app})
    released = parts_of(path, tmp_path / "out.docx")["docProps/app.xml"]
    assert re.findall(r"<(\w+)>", released) == ["AppVersion"]


def test_ids_of_paragraphs_are_numbered_anew_and_threads_of_comments_hold(tmp_path: Path) -> None:
    w14 = 'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
    body = f'<w:p {w14} w14:paraId="5D3A01BC" w14:textId="77A1B2C3"><w:r><w:t>Anna Quorvex came.</w:t></w:r></w:p>'
    comments = "".join(
        f'<w:comment w:id="{number}"><w:p {w14} w14:paraId="{key}"/></w:comment>'
        for number, key in enumerate(("2B00A1F0", "6C00BB1A"))
    )
    extended = (
        HEADER + '<w15:commentsEx xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml">'
        '<w15:commentEx w15:paraId="2B00A1F0"/><w15:commentEx w15:paraId="6C00BB1A" w15:paraIdParent="2B00A1F0"/>'
        "</w15:commentsEx>"
    )
    parts = {"word/comments.xml": word("comments", comments), "word/commentsExtended.xml": extended}
    released = parts_of(write_docx(tmp_path / "a.docx", body, dict(parts)), tmp_path / "out.docx")
    everything = "".join(released.values())
    assert not re.search("5D3A01BC|77A1B2C3|2B00A1F0|6C00BB1A", everything)
    first, reply = re.findall(r'w14:paraId="(\w{8})"', released["word/comments.xml"])
    assert f'w15:paraId="{reply}" w15:paraIdParent="{first}"' in released["word/commentsExtended.xml"]
    assert first != reply


def test_data_of_other_programs_fonts_and_passwords_go_and_the_rest_stays(tmp_path: Path) -> None:
    settings = word(
        "settings", '<w:documentProtection w:edit="forms" w:enforcement="1" w:hash="cXVvcnZleA==" w:salt="YQ=="/>'
    )
    fonts = word("fonts", '<w:font w:name="Arial"><w:embedRegular r:id="rId1" w:fontKey="{0}"/></w:font>')
    parts: dict[str, str | bytes] = {
        "word/settings.xml": settings,
        "word/fontTable.xml": fonts,
        "word/fonts/font1.odttf": b"\0\1\0\0" + bytes(99),
    }
    body = paragraph("Anna Quorvex came.") + planted.FIELD.replace("{}", "QW5uYSBRdW9ydmV4") + planted.SHAPE
    released = parts_of(write_docx(tmp_path / "a.docx", body, parts), tmp_path / "out.docx")
    everything = "".join(released.values())
    assert not re.search("gfxdata|fldData|hash|salt|embedRegular|QW5uYSBRdW9ydmV4", everything)
    assert "word/fonts/font1.odttf" not in released
    assert 'w:enforcement="1"' in everything
    assert "ADDIN EN.CITE.DATA" in everything
    assert 'alt="a shape"' in everything


def test_a_released_word_file_is_released_as_it_is(tmp_path: Path) -> None:
    path = write_full_docx(tmp_path / "full.docx", "Quillowby", "quillowby@example.org")
    parts_of(path, tmp_path / "once.docx")
    once, twice = Docx().read(tmp_path / "once.docx", "a"), parts_of(tmp_path / "once.docx", tmp_path / "twice.docx")
    assert Docx().read(tmp_path / "twice.docx", "a").meta["unchecked"] == once.meta["unchecked"] == {"image": 1}
    assert "Quillowby" not in "".join(twice.values())


# Pictures.


def test_pictures_are_named_by_their_kind_where_their_metadata_stays() -> None:
    made = {place: make("Anna Quorvex") for place, (part, make) in planted.MEMBERS.items() if part.startswith("media/")}
    for place, data in made.items():
        if kind_of(data) == "image":
            assert image_kind(data) == planted.REPORTED_AS.get(place, "image")
            assert (without_metadata(data) == data) == (place in planted.REPORTED_AS)


def test_bytes_that_end_no_marker_are_read_once() -> None:
    # With a pattern that looks at each of these bytes from every one of them, this takes hours.
    jpeg = jpeg_with_comment("x")[:-4] + b"\xff" * 4_000_000 + b"\0"
    assert without_metadata(jpeg).endswith(b"\xff\0\xff\xd9")


@pytest.mark.parametrize("place", [place for place, (part, _) in planted.MEMBERS.items() if part.startswith("media/")])
def test_a_picture_that_was_cleaned_stays_as_it_is(place: str) -> None:
    cleaned = without_metadata(planted.MEMBERS[place][1]("Anna Quorvex"))
    assert without_metadata(cleaned) == cleaned


def test_what_the_decoder_needs_stays() -> None:
    gif, webp = planted.gif(0xFE, b"Anna Quorvex"), planted.webp(b"EXIF", b"Anna Quorvex")
    assert without_metadata(gif) == planted.GIF + planted.GIF_IMAGE + b";"
    assert without_metadata(webp) == b"RIFF\x0e\0\0\0WEBPVP8L\2\0\0\0\x2f\0"
    loop = planted.gif(0xFF, b"\1\0\0", b"NETSCAPE2.0")
    assert without_metadata(loop) == loop
    thumbnail = planted.jpeg(0xE0, b"JFIF\0\1\2\0\0\1\0\1\x09\x09Anna Quorvex")
    assert without_metadata(thumbnail)[2:20] == b"\xff\xe0\x00\x10JFIF\0\1\2\0\0\1\0\1\0\0"
    assert b"IDAT" in without_metadata(png_with_text("x"))


# Text in UTF-16 and UTF-32.

TEXT = "Mrs Anna Quorvex came, call +44 20 7946 0018."
FILES = {
    ".txt": TEXT,
    ".log": TEXT,
    ".html": f"<p>{TEXT}</p>",
    ".csv": f'id,text\n1,"{TEXT}"\n',
    ".jsonl": json.dumps({"id": "1", "text": TEXT}) + "\n",
    ".json": json.dumps({"1": TEXT}),
}


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-16", "utf-32"])
@pytest.mark.parametrize("suffix", FILES)
def test_text_in_utf_16_is_refused_with_or_without_a_mark(tmp_path: Path, suffix: str, encoding: str) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(FILES[suffix].encode(encoding))

    def read() -> None:
        if (files := file_format(format_for(path))) is not None:
            files.read(path, "a")
        elif (records := record_format(format_for(path))) is not None:
            list(records.read(path, Columns(), raise_problem))

    with pytest.raises(InputError, match=r"UTF-16.*save it as UTF-8"):
        read()


def test_letters_with_nul_characters_between_them_are_read_as_without() -> None:
    text = TEXT.encode("utf-16-le").decode("latin-1")
    ((span,),) = Detection([RuleDetector(kinds=["phone"])]).spans([Document("a", text)])
    assert text[span.start : span.end].replace("\0", "") == "+44 20 7946 0018"
