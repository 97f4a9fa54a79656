"""Word files and web pages with a person's name in any place where a file can hold a string."""

from __future__ import annotations

import io
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable
from html import escape
from pathlib import Path
from urllib.parse import quote

from sfumato.document import Document, Edit, Release, Span
from sfumato.formats.base import FileFormat, file_format, format_for
from sfumato.residuals.identifiers import hide_identifiers
from sfumato.residuals.values import hide_repeats
from tests.formats.docx_files import CONTENT_TYPES, HEADER, PACKAGE_RELS, REL, R, W

Person = tuple[str, str]
"""Given name and family name."""

SPELLINGS: dict[str, Callable[[Person], str]] = {
    "plain": " ".join,
    "lower": lambda person: " ".join(person).lower(),
    "upper": lambda person: "-".join(person).upper(),
    "underscore": lambda person: "_".join(person).lower(),
    "camel": "".join,
    "glued": lambda person: "".join(person).lower(),
    "reversed": lambda person: f"{person[1]}, {person[0]}",
    "inside": lambda person: f"x{''.join(person).lower()}y",
}
NAME_SPELLINGS = ("underscore", "camel", "glued", "inside")
"""Spellings that can be a name of an element, an attribute or a part."""

SMARTART = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"
CHART = "http://schemas.openxmlformats.org/drawingml/2006/chart"
VML = "urn:schemas-microsoft-com:vml"

# Markup of the body of a Word file; {} is the planted string.
BODY_PLACES = {
    "smartart placeholder": f'<d:prSet xmlns:d="{SMARTART}" phldrT="{{}}"/>',
    "foreign attribute": '<w:p xmlns:x="urn:example:x" x:owner="{}"/>',
    "foreign element text": '<x:note xmlns:x="urn:example:x">{}</x:note>',
    "frame name": '<w:frame w:name="{}"/>',
    "frame title": '<w:frame w:title="{}"/>',
    "data binding path": '<w:dataBinding w:xpath="/{}/a" w:storeItemID="x"/>',
    "data binding prefixes": "<w:dataBinding w:prefixMappings=\"xmlns:a='urn:example:{}'\"/>",
    "shape id": f'<v:shape xmlns:v="{VML}" id="{{}}"/>',
    "fonts of a run": '<w:rFonts w:ascii="{}" w:hAnsi="{}"/>',
    "symbol font": '<w:sym w:font="{}" w:char="F0E0"/>',
    "typeface": f'<a:latin xmlns:a="{DRAWING}" typeface="{{}}"/>',
    "write protection": '<w:writeProtection w:hash="{}"/>',
    "relationship reference": f'<w:subDoc xmlns:q="{R}" q:id="{{}}"/>',
    "unknown attribute": '<w:p w:madeUp="{}"/>',
    "unknown attribute without a namespace": '<w:p madeUp="{}"/>',
    "bookmark": '<w:bookmarkStart w:id="1" w:name="{}"/>',
    "alternative text": f'<a:docPr xmlns:a="{DRAWING}" id="3" descr="{{}}"/>',
    "comment": "<!-- {} -->",
    "processing instruction": "<?made {}?>",
    "deleted text": '<w:p><w:del w:id="9"><w:r><w:delText>{}</w:delText></w:r></w:del></w:p>',
    "smart tag": '<w:smartTag w:uri="urn:example:{}" w:element="p"/>',
    "tail": "<w:p/>{}",
    "ruby": "<w:p><w:r><w:ruby><w:rt><w:r><w:t>{}</w:t></w:r></w:rt></w:ruby></w:r></w:p>",
    "formula": f'<w:p><m:oMath xmlns:m="{MATH}"><m:r><m:t>{{}}</m:t></m:r></m:oMath></w:p>',
    "hidden text": "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>{}</w:t></w:r></w:p>",
    "field code": "<w:p><w:r><w:instrText> QUOTE {} </w:instrText></w:r></w:p>",
    "text box": "<w:p><w:r><w:txbxContent><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:txbxContent></w:r></w:p>",
    "tracked author": '<w:p><w:ins w:id="7" w:author="{}"><w:r><w:t>new</w:t></w:r></w:ins></w:p>',
}
NAME_PLACES = {
    "element name": '<x:{} xmlns:x="urn:example:x"/>',
    "attribute name": '<w:p xmlns:x="urn:example:x" x:{}="1"/>',
    "namespace": '<x:a xmlns:x="urn:example:{}"/>',
    "prefix": '<{}:a xmlns:{}="urn:example:x"/>',
}
PARTS = {
    "abstract numbering": (
        "word/numbering.xml",
        '<w:numbering xmlns:w="{W}"><w:abstractNum><w:name w:val="{}"/></w:abstractNum></w:numbering>',
    ),
    "alternative font name": (
        "word/fontTable.xml",
        '<w:fonts xmlns:w="{W}"><w:font w:name="Arial"><w:altName w:val="{}"/></w:font></w:fonts>',
    ),
    "font name": ("word/fontTable2.xml", '<w:fonts xmlns:w="{W}"><w:font w:name="{}"/></w:fonts>'),
    "theme name": ("word/theme/theme1.xml", '<a:theme xmlns:a="{DRAWING}" name="{}"/>'),
    "colour scheme": ("word/theme/theme2.xml", '<a:clrScheme xmlns:a="{DRAWING}" name="{}"/>'),
    "property link": ("docProps/custom.xml", '<P xmlns="urn:example:p"><property name="a" linkTarget="{}"/></P>'),
    "schema reference": ("customXml/itemProps1.xml", '<d:ref xmlns:d="urn:example:d" d:uri="urn:{}"/>'),
    "custom xml element": ("customXml/item1.xml", "<root><a>{}</a></root>"),
    "custom property": ("docProps/custom2.xml", '<P xmlns="urn:example:p">{}</P>'),
    "settings": ("word/settings.xml", '<w:settings xmlns:w="{W}"><w:attachedSchema w:val="urn:{}"/></w:settings>'),
    "chart cache": ("word/charts/chart1.xml", '<c:chartSpace xmlns:c="{CHART}"><c:v>{}</c:v></c:chartSpace>'),
    "diagram text": (
        "word/diagrams/data1.xml",
        '<a:p xmlns:a="{DRAWING}"><a:r><a:t>{}</a:t></a:r></a:p>',
    ),
    "document variable": (
        "word/settings2.xml",
        '<w:docVars xmlns:w="{W}"><w:docVar w:name="a" w:val="{}"/></w:docVars>',
    ),
    "people part": ("word/people.xml", '<w:people xmlns:w="{W}"><w:person w:madeUp="{}"/></w:people>'),
}
OTHER_PLACES = (
    "part name",
    "relationship id",
    "relationship type",
    "content type",
    "png text",
    "jpeg comment",
    "package comment",
    "extra field of a member",
    "template path",
    "mail link",
)
DOCX_PLACES = (*BODY_PLACES, *NAME_PLACES, *PARTS, *OTHER_PLACES)

PAGE_PLACES = {
    "text": "<p>{}</p>",
    "custom element": "<{}-card></{}-card>",
    "attribute": '<p madeup="{}">a</p>',
    "attribute without quotes": "<p madeup={}>a</p>",
    "attribute name": "<p {}>a</p>",
    "data attribute name": '<p data-{}="1">a</p>',
    "class": '<p class="{}">a</p>',
    "address": '<a href="https://example.org/{}">a</a>',
    "character set": '<link charset="utf-8{}">',
    "media type": '<link type="image/{}">',
    "language": '<p lang="en-{}">a</p>',
    "comment": "<!-- {} -->",
    "script": "<script>let {} = 1</script>",
    "style": "<style>.{} {{ color: red }}</style>",
    "relation": '<link rel="{}">',
    "namespace": '<svg xmlns:x="urn:{}"></svg>',
    "style attribute": '<p style="font-family: {}">a</p>',
    "event": "<p onclick=\"open('{}')\">a</p>",
}
NAMES_IN_PAGES = {
    "custom element",
    "attribute name",
    "data attribute name",
    "attribute without quotes",
    "script",
    "style",
    "media type",
    "character set",
    "language",
    "class",
    "relation",
    "namespace",
}


def spelled(person: Person, place: str, draw: random.Random) -> str:
    names_only = place in NAME_PLACES or place in NAMES_IN_PAGES or place in ("part name", "relationship id")
    spelling = draw.choice(NAME_SPELLINGS if names_only else tuple(SPELLINGS))
    value = SPELLINGS[spelling](person)
    return quote(value) if place == "address" else value


def planted_docx(
    path: Path, planted: Iterable[tuple[Person, str]], draw: random.Random, *, in_text: bool = True
) -> Path:
    """A Word file that names every person in the place given with them, and (``in_text``) also in a sentence."""
    planted = list(planted)
    body = "".join(
        f'<w:p><w:r><w:t xml:space="preserve">Seen today: {" ".join(person) if in_text else "all"}, as agreed.'
        "</w:t></w:r></w:p>"
        for person, _ in planted
    )
    parts: dict[str, bytes] = {}
    relations, types, comment, extra = "", "", b"", b""
    for number, (person, place) in enumerate(planted):
        value = spelled(person, place, draw)
        text = escape(value)
        if place in BODY_PLACES or place in NAME_PLACES:
            body += (BODY_PLACES | NAME_PLACES)[place].replace("{}", text)
        elif place in PARTS:
            name, markup = PARTS[place]
            folder, _, base = name.rpartition("/")
            filled = (
                markup.replace("{W}", W).replace("{DRAWING}", DRAWING).replace("{CHART}", CHART).replace("{}", text)
            )
            parts[f"{folder}/p{number}{base}"] = (HEADER + filled).encode()
        elif place == "part name":
            parts[f"word/{value}.xml"] = (HEADER + "<a/>").encode()
            relations += f'<Relationship Id="p{number}" Type="{R}/customXml" Target="{value}.xml"/>'
        elif place == "relationship id":
            relations += f'<Relationship Id="{value}" Type="{R}/customXml" Target="x.xml"/>'
        elif place == "relationship type":
            relations += f'<Relationship Id="t{number}" Type="urn:example:{text}" Target="x.xml"/>'
        elif place == "content type":
            types += f'<Override PartName="/word/c{number}.xml" ContentType="application/{text}+xml"/>'
        elif place == "png text":
            parts[f"word/media/image{number}.png"] = png_with_text(value)
        elif place == "jpeg comment":
            parts[f"word/media/image{number}.jpeg"] = jpeg_with_comment(value)
        elif place == "package comment":
            comment = value.encode()
        elif place == "extra field of a member":
            extra = struct.pack("<HH", 0xCAFE, len(value.encode())) + value.encode()
        elif place in ("template path", "mail link"):
            start = "file:///C:/Users/" if place == "template path" else "mailto:"
            end = "/a.dotm" if place == "template path" else "@example.org"
            relations += (
                f'<Relationship Id="e{number}" Type="{R}/hyperlink" Target="{start}{quote(value)}{end}"'
                ' TargetMode="External"/>'
            )
    document = f'{HEADER}<w:document xmlns:w="{W}"><w:body>{body}<w:sectPr/></w:body></w:document>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", CONTENT_TYPES.replace("</Types>", f"{types}</Types>"))
        archive.writestr("_rels/.rels", PACKAGE_RELS)
        archive.writestr("word/document.xml", document)
        if relations:
            archive.writestr(
                "word/_rels/document.xml.rels", f'{HEADER}<Relationships xmlns="{REL}">{relations}</Relationships>'
            )
        for name, data in parts.items():
            archive.writestr(name, data)
        if extra:
            member = zipfile.ZipInfo("word/webSettings.xml")
            member.extra = extra
            archive.writestr(member, HEADER + "<a/>")
        archive.comment = comment
    return path


def planted_page(path: Path, planted: Iterable[tuple[Person, str]], draw: random.Random) -> Path:
    planted = list(planted)
    text = "".join(f"<p>Seen today: {' '.join(person)}, as agreed.</p>\n" for person, _ in planted)
    places = "".join(
        PAGE_PLACES[place].replace("{}", escape(spelled(person, place, draw))).replace("{{", "{").replace("}}", "}")
        for person, place in planted
    )
    path.write_text(f"<!DOCTYPE html>\n<html><body>\n{text}{places}\n</body></html>\n", encoding="utf-8")
    return path


def released_bytes(
    path: Path, people: Iterable[Person], clean: Callable[[Path, FileFormat, bytes, Release], bytes]
) -> bytes:
    """The file with every full name in its text replaced, after the final check."""
    form = file_format(format_for(path))
    assert form is not None
    document = form.read(path, "document-1")
    release = hide_identifiers(hide_repeats(Release(document, tuple(edits_of(document, people)))))
    return clean(path, form, form.render(path, release), release)


def edits_of(document: Document, people: Iterable[Person]) -> Iterable[Edit]:
    """One edit wherever a full name is written plainly or in the reverse order."""
    for number, person in enumerate(people, 1):
        for name in (" ".join(person), f"{person[1]}, {person[0]}"):
            start = document.text.find(name)
            while start >= 0:
                yield Edit(Span(start, start + len(name), "PERSON"), f"PERSON_{number}")
                start = document.text.find(name, start + len(name))


def surviving(data: bytes, people: Iterable[Person]) -> list[Person]:
    """People whose full name is still in a file, whatever stands between its letters: an independent search."""
    texts = [data]
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            texts = [archive.comment, *(name.encode() for name in archive.namelist())]
            texts += [member.extra + member.comment for member in archive.infolist()]
            texts += [archive.read(name) for name in archive.namelist()]
    letters = ["".join(filter(str.isalpha, text.decode("latin-1").lower())) for text in texts]
    return [
        person
        for person in people
        if any(key in text for key in ("".join(person).lower(), "".join(person[::-1]).lower()) for text in letters)
    ]


def png_with_text(text: str) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"tEXt", b"Author\0" + text.encode())
        + chunk(b"zTXt", b"Title\0\0" + zlib.compress(text.encode()))
        + chunk(b"IDAT", zlib.compress(b"\0\0"))
        + chunk(b"IEND", b"")
    )


def jpeg_with_comment(text: str) -> bytes:
    """The segments of a picture, without one that can be shown."""

    def segment(marker: int, body: bytes) -> bytes:
        return bytes((0xFF, marker)) + struct.pack(">H", len(body) + 2) + body

    return (
        b"\xff\xd8"
        + segment(0xE0, b"JFIF\0\x01\x02\0\0\x01\0\x01\0\0")
        + segment(0xE1, b"Exif\0\0" + text.encode())
        + segment(0xFE, text.encode())
        + segment(0xDA, b"\0" * 6)
        + b"\x12\x34\xff\xd9"
    )
