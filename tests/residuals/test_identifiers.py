"""Names that files give to their own parts do not keep the names of people."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import pytest

from sfumato.detectors.structure import document_structure
from sfumato.document import Document, Edit, Release, Span
from sfumato.formats.docx.document import Docx
from sfumato.formats.html.document import Html
from sfumato.formats.identifiers import Place, identifier_words, is_in_code
from sfumato.residuals.identifiers import hide_identifiers
from tests.formats.docx_files import paragraph, word, write_docx
from tests.formats.edits import edited

STYLES = (
    '<w:style w:type="paragraph" w:customStyle="1" w:styleId="PennywhistleStyle"><w:name w:val="Letter"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="PennywhistleTitle"><w:name w:val="Pennywhistle Title"/>'
    '<w:basedOn w:val="PennywhistleStyle"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>'
)
BODY = (
    '<w:p><w:pPr><w:pStyle w:val="PennywhistleStyle"/></w:pPr><w:r><w:t>Ignatius Pennywhistle called.</w:t></w:r></w:p>'
    '<w:p><w:pPr><w:pStyle w:val="PennywhistleTitle"/></w:pPr></w:p>'
    '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr></w:p>'
    '<w:p><w:bookmarkStart w:id="1" w:name="Ignatius_Pennywhistle"/><w:bookmarkEnd w:id="1"/>'
    '<w:bookmarkStart w:id="2" w:name="_Toc123"/><w:hyperlink w:anchor="ignatius_pennywhistle"/></w:p>'
    '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> REF Ignatius_</w:instrText></w:r>'
    "<w:r><w:instrText>Pennywhistle \\h</w:instrText></w:r></w:p>"
    '<w:p><w:fldSimple w:instr=" HYPERLINK &quot;x.org&quot; \\l &quot;Ignatius_Pennywhistle&quot; "/></w:p>'
    '<w:p><w:fldSimple w:instr=" DOCVARIABLE ClientPennywhistle "/></w:p>'
    '<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="ignatius_pennywhistle.jpg"/></wp:inline>'
    "</w:drawing></w:r></w:p>"
)
SETTINGS = '<w:docVars><w:docVar w:name="ClientPennywhistle" w:val="x"/></w:docVars>'


def docx(folder: Path) -> Path:
    parts: dict[str, str | bytes] = {
        "word/styles.xml": word("styles", STYLES),
        "word/settings.xml": word("settings", SETTINGS),
    }
    return write_docx(folder / "s.docx", BODY, parts)


def parts_of(data: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_a_word_file_keeps_no_name_in_its_identifiers(tmp_path: Path) -> None:
    source = docx(tmp_path)
    release = hide_identifiers(edited(Docx().read(source, "s"), "Ignatius Pennywhistle", "PERSON_1"))
    data = Docx().render(source, release)
    parts = parts_of(data)
    assert "pennywhistle" not in "".join(parts.values()).lower()
    body, styles = parts["word/document.xml"], parts["word/styles.xml"]
    assert re.findall(r'w:(?:anchor|name)="([^"]*)"', body) == ["bookmark1", "_Toc123", "bookmark1"]
    assert re.findall(r'pStyle w:val="([^"]*)"', body) == re.findall(r'styleId="([^"]*)"', styles)
    assert 'basedOn w:val="style1"' in styles
    assert 'styleId="Heading1"' in styles
    assert " REF bookmark1 \\h" in body
    assert "x.org&quot; \\l &quot;bookmark1&quot;" in body
    assert "DOCVARIABLE variable1" in body
    assert 'docVar w:name="variable1"' in parts["word/settings.xml"]
    again = tmp_path / "again.docx"
    again.write_bytes(data)
    assert Docx().read(again, "s").text == release.text


def test_bookmarks_are_renamed_whatever_was_replaced(tmp_path: Path) -> None:
    source = docx(tmp_path)
    document = Docx().read(source, "s")
    assert "Ignatius_" not in document.text
    parts = parts_of(Docx().render(source, Release(document)))
    assert "Ignatius_" not in parts["word/document.xml"]


def test_words_own_styles_keep_their_names(tmp_path: Path) -> None:
    styles = (
        '<w:latentStyles><w:lsdException w:name="Intense Quote"/></w:latentStyles>'
        '<w:style w:styleId="IntenseQuote"><w:name w:val="Intense Quote"/></w:style>'
        '<w:style w:customStyle="1" w:styleId="IntenseQuoteChar"><w:name w:val="Intense Quote Char"/></w:style>'
        '<w:style w:styleId="IntenseQuill"><w:name w:val="Intense Quote"/></w:style>'
    )
    source = write_docx(
        tmp_path / "s.docx", paragraph("Quill Intense came"), {"word/styles.xml": word("styles", styles)}
    )
    document = Docx().read(source, "s")
    assert document.text == "Quill Intense came"
    rendered = parts_of(Docx().render(source, edited(document, "Quill Intense", "X")))["word/styles.xml"]
    assert re.findall(r'styleId="([^"]*)"', rendered) == ["IntenseQuote", "IntenseQuoteChar", "hidden1"]


def test_field_codes_that_speak_of_other_things_stay(tmp_path: Path) -> None:
    body = (
        paragraph("x") + '<w:p><w:bookmarkStart w:name="x"/><w:fldSimple w:instr=\' HYPERLINK "http://x.y/x" \'/></w:p>'
    )
    assert "http://x.y/x" in Docx().read(write_docx(tmp_path / "s.docx", body), "s").text


PAGE = """<style>.pennywhistle-card, #pennywhistle { color: brown } p { margin: 0 }</style>
<p id="pennywhistle" class="card pennywhistle-card">Ignatius Pennywhistle saw a brown dog</p>
<a href="#pennywhistle">up</a> <label for="pennywhistle">x</label>
<img src="photos/ignatius_pennywhistle.jpg" alt="a pennywhistle lies there">
<img srcset="a.jpg 1x, IgnatiusPennywhistle2.jpg 2x"><a href="people/pennywhistle/index.html">y</a>
<script>show(document.getElementById("pennywhistle"))</script>"""


def test_a_page_is_renamed_consistently(tmp_path: Path) -> None:
    source = tmp_path / "p.html"
    source.write_text(PAGE, encoding="utf-8")
    document = Html().read(source, "p")
    release = hide_identifiers(edited(document, "Ignatius Pennywhistle", "PERSON_1"))
    data = Html().render(source, release).decode()
    names = {
        key: re.search(pattern, data)[1]  # type: ignore[index]
        for key, pattern in {
            "id": r'id="(\w+)"',
            "href": r'href="#(\w+)"',
            "for": r'for="(\w+)"',
            "css": r", #(\w+) ",
            "script": r'getElementById\("(\w+)"\)',
            "folder": r"people/(\w+)/index",
        }.items()
    }
    assert len(set(names.values())) == 1
    assert names["id"].startswith("name")
    card = re.search(r'class="card (\w+)"', data)
    assert card is not None
    assert f"<style>.{card[1]}, " in data
    assert re.search(r'src="photos/name\d\.jpg" alt="a pennywhistle lies there"', data)  # prose is the detectors' part
    assert data.lower().count("pennywhistle") == 1
    again = tmp_path / "again.html"
    again.write_text(data, encoding="utf-8")
    assert Html().read(again, "p").text == release.text
    assert Html().render(again, release.inverse()).decode() == PAGE


TOUCHED = """<style>.quorvex-card{color:red} @media print{#bio-quorvex{color:red}}</style>
<p id="bio-quorvex" class="quorvex-card wide" data-owner="quorvex">Ida Quorvex</p><a href="#bio-quorvex">more</a>
<script>show("bio-quorvex", 63)</script>"""


def test_identifiers_that_a_detector_touched_are_renamed_as_a_whole(tmp_path: Path) -> None:
    source = tmp_path / "p.html"
    source.write_text(TOUCHED, encoding="utf-8")
    release = hide_identifiers(edited(Html().read(source, "p"), "(?:Ida )?Quorvex", "PERSON_1"))
    data = Html().render(source, release).decode()
    assert "quorvex" not in data.lower()
    assert "@media print" in data
    names = re.findall(r'(?:[{]#|id="|href="#|show\(")(\w+)', data)
    assert len(names) == 4
    assert len(set(names)) == 1
    card = re.search(r'class="(\w+) wide"', data)
    assert card is not None
    assert data.startswith(f"<style>.{card[1]}{{")


def test_no_span_crosses_a_field_of_a_file(tmp_path: Path) -> None:
    page = tmp_path / "p.html"
    page.write_text("<table><tr><td>Ida</td><td>Quorvex</td></tr></table><p title='one'>two</p>", encoding="utf-8")
    for document in (Html().read(page, "p"), Docx().read(docx(tmp_path), "s")):
        spans = document_structure(document).cut_spans([Span(0, len(document.text), "MISC")])
        assert len(spans) >= 4
        assert not any("\n" in document.text[span.start : span.end] for span in spans)


def test_a_number_in_a_script_becomes_null(tmp_path: Path) -> None:
    source = tmp_path / "p.html"
    source.write_text('<p>x</p><script type="application/ld+json">{"@type":"Person","lat":51.75}</script>', "utf-8")
    document = Html().read(source, "p")
    start = document.text.index("51.75")
    span = Span(start, start + 5, "LOC")
    edits = document_structure(document).fit_edits(
        [(Edit(span, "LOC_1"), span)], lambda span: is_in_code(document, span)
    )
    data = Html().render(source, Release(document, tuple(edit for edit, _ in edits))).decode()
    assert '{"@type":"Person","lat":null}' in data


@pytest.mark.parametrize(
    ("name", "value", "label", "hidden"),
    [
        ("ignatiuspennywhistle", "Pennywhistle", "PERSON", True),
        ("penny-card", "Pennywhistle", "PERSON", False),
        ("dr-notes", "Dr Quill", "PERSON", False),
        ("text-group", "Text Group", "ORG", False),
        ("quillco-group", "Quillco Group", "ORG", True),
        ("case-48213-x", "48213", "CODE", True),
        ("size-10", "10", "CODE", False),
        ("paris-map", "Paris", "LOC", False),
    ],
)
def test_which_names_tell(name: str, value: str, label: str, hidden: bool) -> None:
    text = f"{value}\n{name}"
    document = Document("d", text, meta={"identifiers": (Place(len(value) + 1, len(text)),)})
    release = hide_identifiers(Release(document, (Edit(Span(0, len(value), label), "X"),)))
    assert (release.text == "X\nname1") == hidden
    assert (release.text == f"X\n{name}") != hidden


def test_words_of_a_name() -> None:
    assert identifier_words("annaBerg_2-Letter.docx") == ["anna", "berg", "2", "letter", "docx"]
