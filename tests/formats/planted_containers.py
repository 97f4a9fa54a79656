"""Word files, pages and texts with a name that stands encoded or packed, and a search that decodes all of it again."""

from __future__ import annotations

import base64
import binascii
import contextlib
import gzip
import html
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

from tests.formats.docx_files import CONTENT_TYPES, HEADER, REL, R, paragraph, word, write_docx
from tests.formats.planted_files import Person, jpeg_with_comment, png_with_text

Encoding = Callable[[str], str]


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), data)
    return buffer.getvalue()


def wrapped(text: str, width: int = 76, separator: str = "\n") -> str:
    return separator.join(text[start : start + width] for start in range(0, len(text), width))


def drawing(text: str, picture: bytes = b"") -> bytes:
    """The package that Word writes into ``o:gfxdata``."""
    shape = f'<wps:wsp xmlns:wps="urn:w"><wps:cNvPr id="1" name="Picture 1" descr="{text}"/></wps:wsp>'
    return zipped(drs__e2oDoc_xml=shape.encode(), drs__media__image1_jpeg=picture)


def citation(text: str) -> str:
    record = "<EndNote><Cite><Author>{}</Author><Year>2019</Year><DisplayText>({}, 2019)</DisplayText></Cite></EndNote>"
    return record.replace("{}", text)


def signed_token(text: str) -> str:
    parts = (b'{"alg":"HS256","typ":"JWT"}', json.dumps({"name": text}).encode(), bytes(range(100, 132)))
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


ENCODINGS: dict[str, Encoding] = {
    "Base64": lambda text: b64(text.encode()),
    "Base64 for addresses": lambda text: base64.urlsafe_b64encode(f"{text}?>".encode()).decode().rstrip("="),
    "Base64 of UTF-16": lambda text: b64(text.encode("utf-16")),
    "Base64 of UTF-16, high byte first": lambda text: b64(text.encode("utf-16-be")),
    "Base64 of UTF-32": lambda text: b64(text.encode("utf-32-le")),
    "Base64 of Latin-1": lambda text: b64(f"{text}, Málaga, España".encode("latin-1")),
    "Base64 of JSON": lambda text: b64(json.dumps({"id": 3, "name": text}).encode()),
    "Base64 of Base64": lambda text: b64(b64(text.encode()).encode()),
    "Base64 of gzip": lambda text: b64(gzip.compress(text.encode())),
    "Base64 of zlib": lambda text: b64(zlib.compress(text.encode())),
    "Base64 of deflate": lambda text: b64(zlib.compress(text.encode(), wbits=-15)),
    "Base64 of zip": lambda text: b64(zipped(a__b_xml=f"<a>{text}</a>".encode())),
    "Base64 of zip in zip": lambda text: b64(zipped(a_zip=zipped(b_xml=text.encode()))),
    "Base64 of a picture": lambda text: b64(png_with_text(text)),
    "Base64 behind a word": lambda text: f"CITATION_v3_{b64(json.dumps({'author': text}).encode())}",
    "Base64 in lines of 76": lambda text: wrapped(b64((citation(text) * 2).encode())),
    "Base64 in lines of 20": lambda text: wrapped(b64(f"{text} was here".encode()), 20),
    "hexadecimal": lambda text: text.encode().hex(),
    "hexadecimal in capitals": lambda text: text.encode().hex().upper(),
    "hexadecimal with spaces": lambda text: text.encode().hex(" "),
    "hexadecimal of UTF-16": lambda text: text.encode("utf-16-le").hex(),
    "signed token": signed_token,
    "Base64 of Greek letters": lambda text: b64(f"Ελένη Παπαδοπούλου {text}".encode()),
}
ONE_LINE = [name for name in ENCODINGS if "lines" not in name]

SURROUNDINGS: dict[str, Callable[[str], str]] = {
    "a sentence": lambda value: f"Please read this: {value} and tell me what you think of it.",
    "a paragraph": lambda value: f"The attachment is here.\n\n{value}\n\nRegards, and see you soon.",
    "JSON": lambda value: json.dumps({"id": 3, "body": value, "n": [1, 2]}),
    "JSON in JSON": lambda value: json.dumps({"id": 3, "in": json.dumps({"body": value})}),
    "JSON in JSON in JSON": lambda value: json.dumps({"a": json.dumps({"b": json.dumps({"body": value})})}),
    "YAML": lambda value: "kind: Secret\ndata:\n  name: " + value.replace("\n", "\n    ") + "\n  other: 3\n",
    "CSV": lambda value: "id,data,n\n1," + value.replace("\n", "") + ",3\n2,abc,4\n3,def,5\n",
    "XML": lambda value: f"<a><b x='1'>{value}</b></a>",
    "an attribute": lambda value: f'<a b="{value}"/>',
    "Markdown": lambda value: f"![scan](data:image/png;base64,{value})",
    "an HTML tag": lambda value: f'<img src="data:image/png;base64,{value}">',
    "a style sheet": lambda value: f".a {{ background: url(data:image/png;base64,{value}) }}",
    "a string of a program": lambda value: f"import os\nDATA = {value!r}\nprint(DATA)\n",
    "a command": lambda value: f"cat <<END | base64 -d > x\n{value}\nEND\necho done\n",
    "settings": lambda value: "PORT=5432\nTOKEN=" + value.replace("\n", "") + "\n",
    "a log": lambda value: "2024-03-12 08:14:26,113 INFO app - payload=" + value.replace("\n", "") + "\n",
    "a quoted mail": lambda value: "> " + value.replace("\n", "\n> ") + "\n\nThanks for this.",
    "SQL": lambda value: "INSERT INTO t VALUES (1, '" + value.replace("\n", "") + "');",
    "an address": lambda value: "see https://example.org/x?d=" + value.replace("\n", "") + "&a=1 for it",
    "a program": lambda value: "def f(x):\n    return x\n\n" + value + "\n\nclass A:\n    pass\n",
}


def text_place(person: Person, encoding: str, surrounding: str) -> str:
    return SURROUNDINGS[surrounding](ENCODINGS[encoding](" ".join(person)))


# Word files.

SHAPE = '<w:p><w:r><w:pict><v:shape alt="a shape" o:gfxdata="{}"/></w:pict></w:r></w:p>'
FIELD = (
    '<w:p><w:r><w:fldChar w:fldCharType="begin"><w:fldData xml:space="preserve">{}</w:fldData></w:fldChar></w:r>'
    "<w:r><w:instrText> ADDIN EN.CITE.DATA </w:instrText></w:r>"
    '<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
)
MARKUP: dict[str, tuple[str, Encoding]] = {
    "drawing in a shape": (SHAPE, lambda text: wrapped(b64(drawing(text)), separator="&#xA;")),
    "picture in a drawing in a shape": (SHAPE, lambda text: b64(drawing("a shape", jpeg_with_comment(text)))),
    "EndNote field in UTF-16": (FIELD, lambda text: b64(citation(text).encode("utf-16-le"))),
    "EndNote field in UTF-8": (FIELD, lambda text: wrapped(b64(citation(text).encode()))),
    "protection hash": ('<w:documentProtection w:edit="forms" w:hash="{}"/>', ENCODINGS["Base64"]),
    "protection salt": ('<w:writeProtection w:salt="{}"/>', ENCODINGS["Base64"]),
    "recipient of a letter": ('<w:recipientData><w:uniqueTag w:val="{}"/></w:recipientData>', ENCODINGS["Base64"]),
    "checksum of bound data": ('<w:dataBinding w:storeItemChecksum="{}" w:xpath="/a"/>', ENCODINGS["Base64"]),
    "binary data": (
        '<w:p><w:r><w:pict><w:binData w:name="x">{}</w:binData></w:pict></w:r></w:p>',
        ENCODINGS["Base64 of a picture"],
    ),
    "document variable, encoded": (
        '<w:docVars><w:docVar w:name="a" w:val="{}"/></w:docVars>',
        ENCODINGS["Base64 of zlib"],
    ),
    "tag of a reference manager": (
        '<w:sdt><w:sdtPr><w:tag w:val="{}"/></w:sdtPr></w:sdt>',
        ENCODINGS["Base64 behind a word"],
    ),
    "field code, encoded": (
        "<w:p><w:r><w:instrText> ADDIN DATA {} </w:instrText></w:r></w:p>",
        ENCODINGS["Base64 of JSON"],
    ),
    "simple field": ('<w:p><w:fldSimple w:instr="ADDIN {}"/></w:p>', ENCODINGS["Base64 of UTF-16"]),
    "sentence": (paragraph("The key is {} here."), ENCODINGS["Base64"]),
    "sentence, hexadecimal": (paragraph("The key is {} here."), ENCODINGS["hexadecimal"]),
    "paragraphs of Base64": (paragraph("{}"), ENCODINGS["Base64 in lines of 76"]),
    "alternative text, encoded": ('<w:p><w:r><wp:docPr id="1" descr="{}"/></w:r></w:p>', ENCODINGS["Base64"]),
    "name of a picture": ('<w:p><w:r><wp:docPr id="1" name="{}"/></w:r></w:p>', ENCODINGS["hexadecimal"]),
    "bookmark, encoded": ('<w:bookmarkStart w:id="1" w:name="b_{}"/>', ENCODINGS["Base64 for addresses"]),
    "deleted text, encoded": (
        '<w:p><w:del w:id="9"><w:r><w:delText>{}</w:delText></w:r></w:del></w:p>',
        ENCODINGS["Base64"],
    ),
    "hidden text, encoded": (
        "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>{}</w:t></w:r></w:p>",
        ENCODINGS["signed token"],
    ),
    "frame": ('<w:frame w:name="{}"/>', ENCODINGS["Base64"]),
    "smart tag, encoded": ('<w:smartTag w:uri="urn:x" w:element="{}"/>', ENCODINGS["hexadecimal"]),
    "unknown element": ('<x:note xmlns:x="urn:x">{}</x:note>', ENCODINGS["Base64 of gzip"]),
    "unknown element in lines": ('<x:note xmlns:x="urn:x">{}</x:note>', ENCODINGS["Base64 in lines of 76"]),
    "unknown attribute in lines": (
        '<w:p xmlns:x="urn:x" x:a="{}"/>',
        lambda text: wrapped(b64((citation(text) * 2).encode()), separator="&#13;&#10;"),
    ),
    "data: address in a hyperlink": (
        '<w:p><w:hyperlink w:tgtFrame="data:text/plain;base64,{}"/></w:p>',
        ENCODINGS["Base64"],
    ),
    "data: address with percent escapes": ('<v:imagedata src="data:text/plain,{}"/>', lambda text: quote(text)),
    "JSON of an add-in": (
        '<w:p xmlns:x="urn:x" x:state="{}"/>',
        lambda text: html.escape(json.dumps({"a": json.dumps({"b": text})})),
    ),
    "comment of XML": ("<!-- {} -->", ENCODINGS["Base64"]),
    **{f"unknown attribute, {name}": ('<w:p xmlns:x="urn:x" x:a="{}"/>', ENCODINGS[name]) for name in ONE_LINE},
    **{
        f"text of a control, {name}": (
            f"<w:sdt><w:sdtContent>{paragraph('{}')}</w:sdtContent></w:sdt>",
            ENCODINGS[name],
        )
        for name in ONE_LINE[:8]
    },
}
"""Markup of the body, and how the name is encoded in it."""

XML_PARTS: dict[str, tuple[str, str, Encoding]] = {
    "custom XML, text": ("customXml/item1.xml", "<root><a>{}</a></root>", ENCODINGS["Base64 of UTF-16"]),
    "custom XML, attribute": ("customXml/item1.xml", '<root a="{}"/>', ENCODINGS["Base64 of zip"]),
    "custom property, encoded": (
        "docProps/custom.xml",
        '<P xmlns="urn:p"><property name="a"><v>{}</v></property></P>',
        ENCODINGS["Base64"],
    ),
    "settings, encoded": (
        "word/settings.xml",
        word("settings", '<w:attachedSchema w:val="{}"/>'),
        ENCODINGS["Base64 for addresses"],
    ),
    "theme": ("word/theme/theme1.xml", '<t xmlns="urn:t" name="{}"/>', ENCODINGS["hexadecimal"]),
    "chart": ("word/charts/chart1.xml", '<c xmlns="urn:c"><v>{}</v></c>', ENCODINGS["Base64 of gzip"]),
    "web extension": (
        "word/webextensions/webextension1.xml",
        '<we xmlns="urn:w"><property name="state" value="{}"/></we>',
        ENCODINGS["Base64 of deflate"],
    ),
    "picture in a drawing": (
        "word/media/image1.svg",
        '<svg xmlns="http://www.w3.org/2000/svg"><image href="data:image/png;base64,{}"/></svg>',
        ENCODINGS["Base64 of a picture"],
    ),
    "relationship": (
        "word/_rels/document.xml.rels",
        f'<Relationships xmlns="{REL}"><Relationship Id="r1" Type="{R}/hyperlink" Target="https://e.example/?d={{}}" '
        'TargetMode="External"/></Relationships>',
        ENCODINGS["Base64 for addresses"],
    ),
}


def png(kind: bytes, body: bytes) -> bytes:
    chunk = struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    picture = png_with_text("x")
    return picture[:33] + chunk + picture[33:]


def jpeg(marker: int, body: bytes) -> bytes:
    picture = jpeg_with_comment("x")
    return picture[:2] + bytes((0xFF, marker)) + struct.pack(">H", len(body) + 2) + body + picture[2:]


GIF = b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff"
GIF_IMAGE = b",\0\0\0\0\1\0\1\0\0\2\2D\1\0"


def gif(label: int, body: bytes, application: bytes = b"") -> bytes:
    start = bytes((0x21, label)) + (bytes((len(application),)) + application if application else b"")
    return GIF + start + bytes((len(body),)) + body + b"\0" + GIF_IMAGE + b";"


def webp(kind: bytes, body: bytes) -> bytes:
    body += b"\0" * (len(body) % 2)
    chunks = b"VP8L\2\0\0\0\x2f\0" + kind + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", len(chunks) + 4) + b"WEBP" + chunks


EMF = b"\1\0\0\0" + bytes(36) + b" EMF" + bytes(44)
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(64)
ICC = bytes(36) + b"acsp" + bytes(20)

MEMBERS: dict[str, tuple[str, Callable[[str], bytes]]] = {
    "picture that is a zip": ("media/image1.png", lambda text: zipped(a_xml=text.encode())),
    "picture that is text": ("media/image1.jpeg", str.encode),
    "picture that is an OLE file": ("media/image1.gif", lambda text: OLE + text.encode("utf-16-le")),
    "picture packed by gzip": ("media/image1.emf", lambda text: gzip.compress(EMF + text.encode("utf-16-le"))),
    "picture packed by zlib": ("media/image1.wmf", lambda text: zlib.compress(text.encode())),
    "font that is a zip": ("fonts/font1.odttf", lambda text: zipped(a_xml=text.encode())),
    "font that is text": ("fonts/font1.ttf", str.encode),
    "font with a name": ("fonts/font1.odttf", lambda text: b"\0\1\0\0" + bytes(60) + text.encode("utf-16-be")),
    "OLE file": ("embeddings/oleObject1.bin", lambda text: OLE + text.encode("utf-16-le")),
    "settings of a printer": ("printerSettings/printerSettings1.bin", lambda text: text.encode("utf-16-le")),
    "part without a suffix": ("data", lambda text: gzip.compress(text.encode())),
    "XML that is gzip": ("data.xml", lambda text: gzip.compress(text.encode())),
    "PNG profile": (
        "media/image1.png",
        lambda text: png(b"iCCP", text.encode() + b"\0\0" + zlib.compress(ICC + text.encode())),
    ),
    "PNG profile, packed": (
        "media/image1.png",
        lambda text: png(b"iCCP", b"ICC\0\0" + zlib.compress(ICC + text.encode())),
    ),
    "PNG EXIF": ("media/image1.png", lambda text: png(b"eXIf", b"II*\0" + text.encode())),
    "PNG packed text": ("media/image1.png", lambda text: png(b"zTXt", b"Title\0\0" + zlib.compress(text.encode()))),
    "PNG text in UTF-8": ("media/image1.png", lambda text: png(b"iTXt", b"Title\0\0\0\0\0" + text.encode())),
    "PNG raw profile": (
        "media/image1.png",
        lambda text: png(b"tEXt", b"Raw profile type exif\0" + text.encode().hex().encode()),
    ),
    "PNG private chunk": ("media/image1.png", lambda text: png(b"prVt", text.encode())),
    "PNG, behind its end": ("media/image1.png", lambda text: png_with_text("x") + text.encode()),
    "JPEG EXIF": ("media/image1.jpeg", lambda text: jpeg(0xE1, b"Exif\0\0II*\0" + text.encode())),
    "JPEG XMP": ("media/image1.jpeg", lambda text: jpeg(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + text.encode())),
    "JPEG profile": (
        "media/image1.jpeg",
        lambda text: jpeg(0xE2, b"ICC_PROFILE\0\1\1" + ICC + text.encode("utf-16-be")),
    ),
    "JPEG second pictures": ("media/image1.jpeg", lambda text: jpeg(0xE2, b"MPF\0" + text.encode())),
    "JPEG thumbnail": ("media/image1.jpeg", lambda text: jpeg(0xE0, b"JFIF\0\1\2\0\0\1\0\1\x09\x09" + text.encode())),
    "JPEG second thumbnail": ("media/image1.jpeg", lambda text: jpeg(0xE0, b"JFXX\0\x13" + text.encode())),
    "JPEG caption": ("media/image1.jpeg", lambda text: jpeg(0xED, b"Photoshop 3.0\08BIM\4\4\0\0" + text.encode())),
    "JPEG colours": ("media/image1.jpeg", lambda text: jpeg(0xEE, b"Adobe\0d\0\0\0\0\0" + text.encode())),
    "JPEG comment": ("media/image1.jpeg", lambda text: jpeg(0xFE, text.encode("utf-16-le"))),
    "JPEG unknown segment": ("media/image1.jpeg", lambda text: jpeg(0xF7, text.encode())),
    "JPEG, behind its end": ("media/image1.jpeg", lambda text: jpeg_with_comment("x") + zipped(a_xml=text.encode())),
    "JPEG that ends in fill bytes": (
        "media/image1.jpeg",
        lambda text: jpeg_with_comment("x")[:-2] + b"\xff" * 9 + jpeg(0xFE, text.encode())[3:],
    ),
    "GIF comment": ("media/image1.gif", lambda text: gif(0xFE, text.encode())),
    "GIF XMP": ("media/image1.gif", lambda text: gif(0xFF, text.encode(), b"XMP DataXMP")),
    "GIF text": ("media/image1.gif", lambda text: gif(0x01, text.encode(), bytes(12))),
    "GIF, behind its end": ("media/image1.gif", lambda text: GIF + GIF_IMAGE + b";" + text.encode()),
    "WebP EXIF": ("media/image1.webp", lambda text: webp(b"EXIF", b"II*\0" + text.encode())),
    "WebP XMP": ("media/image1.webp", lambda text: webp(b"XMP ", text.encode())),
    "WebP profile": ("media/image1.webp", lambda text: webp(b"ICCP", ICC + text.encode())),
    "WebP, behind its end": ("media/image1.webp", lambda text: webp(b"ALPH", b"x") + text.encode()),
    "TIFF artist": ("media/image1.tiff", lambda text: b"II*\0\x08\0\0\0" + bytes(16) + text.encode()),
    "BMP, behind its end": (
        "media/image1.bmp",
        lambda text: b"BM" + bytes(8) + b"6\0\0\0(\0\0\0" + bytes(36) + text.encode(),
    ),
    "EMF description": ("media/image1.emf", lambda text: EMF + text.encode("utf-16-le") + b"\0\0"),
    "WMF text": ("media/image1.wmf", lambda text: b"\xd7\xcd\xc6\x9a" + bytes(18) + text.encode()),
    "ICO with a PNG": ("media/image1.ico", lambda text: b"\0\0\1\0\1\0" + bytes(16) + png_with_text(text)),
}
"""Parts that are not XML."""

DOCX_PLACES = (*MARKUP, *XML_PARTS, *MEMBERS)
REPORTED_AS = {
    "TIFF artist": "TIFF image",
    "BMP, behind its end": "BMP image",
    "EMF description": "EMF image",
    "WMF text": "WMF image",
    "ICO with a PNG": "ICO image",
}
"""What a run says of parts that it cannot look into."""


def write_docx_place(path: Path, person: Person, place: str, *, in_text: bool = False) -> Path:
    """A Word file with a name in one place, and (``in_text``) also in a sentence."""
    name = " ".join(person)
    body = paragraph(f"{f'Mrs {name}' if in_text else 'Everybody'} was seen in the clinic today, as agreed.")
    parts: dict[str, str | bytes] = {}
    if place in MARKUP:
        markup, encode = MARKUP[place]
        body += markup.replace("{}", encode(name))
    elif place in XML_PARTS:
        part, markup, encode = XML_PARTS[place]
        filled = markup.replace("{}", encode(name))
        parts[part] = filled if filled.startswith(HEADER) else HEADER + filled
    else:
        part, member = MEMBERS[place]
        suffix = part.rpartition(".")[2]
        default = f'<Default Extension="{suffix}" ContentType="application/octet-stream"/></Types>'
        parts["[Content_Types].xml"] = CONTENT_TYPES.replace("</Types>", default)
        parts[f"word/{part}"] = member(name)
    return write_docx(path, body, parts)


# Pages.

SVG = '<svg xmlns="http://www.w3.org/2000/svg"><text>{}</text></svg>'
PAGE_PLACES: dict[str, tuple[str, Encoding]] = {
    "drawing declared as a picture": (
        '<img src="data:image/png;base64,{}">',
        lambda text: b64(SVG.replace("{}", text).encode()),
    ),
    "text declared as a picture": ('<img src="data:image/jpeg;base64,{}">', ENCODINGS["Base64"]),
    "text declared as a font": (
        "<style>@font-face {{ src: url(data:font/woff2;base64,{}) }}</style>",
        ENCODINGS["Base64"],
    ),
    "zip declared as a film": ('<video src="data:video/mp4;base64,{}"></video>', ENCODINGS["Base64 of zip"]),
    "picture with a text": ('<img src="data:image/png;base64,{}">', ENCODINGS["Base64 of a picture"]),
    "picture with a text, in lines": (
        '<img src="data:image/png;base64,{}">',
        lambda text: wrapped(ENCODINGS["Base64 of a picture"](text), 40),
    ),
    "picture declared as text": ('<img src="data:text/plain;base64,{}">', ENCODINGS["Base64 of a picture"]),
    "picture in a style": (
        "<style>p {{ background: url(data:image/png;base64,{}) }}</style>",
        ENCODINGS["Base64 of a picture"],
    ),
    "picture in a style attribute": (
        "<p style=\"background: url('data:image/png;base64,{}')\">a</p>",
        ENCODINGS["Base64 of a picture"],
    ),
    "second picture of a set": (
        f'<img srcset="data:image/png;base64,{b64(png_with_text("x"))} 1x, data:image/png;base64,{{}} 2x">',
        ENCODINGS["Base64 of a picture"],
    ),
    "text in a set": ('<img srcset="data:image/png;base64,{} 1x, b.png 2x">', ENCODINGS["Base64"]),
    "drawing with percent escapes": ('<img src="data:image/svg+xml,{}">', lambda text: quote(SVG.replace("{}", text))),
    "import map": (
        '<script type="importmap">{{"imports": {{"a": "data:text/javascript;base64,{}"}}}}</script>',
        ENCODINGS["Base64"],
    ),
    "import map, percent escapes": (
        '<script type="importmap">{{"imports": {{"a": "data:text/javascript,{}"}}}}</script>',
        lambda text: quote(f"let a = '{text}'"),
    ),
    "string of a script": ("<script>let state = '{}'</script>", ENCODINGS["Base64 of deflate"]),
    "source map": (
        "<style>/*# sourceMappingURL=data:application/json;base64,{} */</style>",
        ENCODINGS["Base64 of JSON"],
    ),
    "data attribute": ('<p data-state="{}">a</p>', ENCODINGS["Base64 of JSON"]),
    "unknown attribute": ('<p madeup="{}">a</p>', ENCODINGS["hexadecimal"]),
    "drawing in a shape": ('<v:shape o:gfxdata="{}">a</v:shape>', lambda text: b64(drawing(text))),
    "comment": ("<!-- {} -->", ENCODINGS["Base64 of gzip"]),
    "comment with a picture": ("<!-- data:image/png;base64,{} -->", ENCODINGS["Base64 of a picture"]),
    "id": ('<p id="a_{}">a</p>', ENCODINGS["hexadecimal"]),
    "address": ('<a href="https://example.org/?d={}">a</a>', ENCODINGS["Base64 for addresses"]),
    "link": ('<a href="data:text/plain;base64,{}">a</a>', ENCODINGS["Base64"]),
    "paragraph": ("<p>{}</p>", ENCODINGS["signed token"]),
    "lines of a paragraph": ("<pre>{}</pre>", ENCODINGS["Base64 in lines of 76"]),
    "JSON-LD": (
        '<script type="application/ld+json">{{"a": "{}"}}</script>',
        lambda text: json.dumps(json.dumps({"b": text}))[1:-1],
    ),
    "hidden input": ('<input type="hidden" name="__VIEWSTATE" value="{}">', ENCODINGS["Base64 of zlib"]),
}


def page_place(person: Person, place: str) -> bytes:
    markup, encode = PAGE_PLACES[place]
    content = markup.replace("{{", "{").replace("}}", "}").replace("{}", encode(" ".join(person)))
    seen = "<p>Everybody was seen in the clinic today, as agreed.</p>"
    return f"<!DOCTYPE html>\n<html><body>\n{seen}\n{content}\n</body></html>".encode()


# The search, which shares nothing with the package.

_DEEPEST = 6


def surviving(data: bytes, person: Person, depth: int = _DEEPEST) -> bool:
    """Whether a full name stands in bytes, however it is encoded or packed in them."""
    letters = "".join(filter(str.isalpha, data.decode("latin-1"))).lower()
    if any("".join(order).lower() in letters for order in (person, person[::-1])):
        return True
    return depth > 0 and any(surviving(inner, person, depth - 1) for inner in set(_inside(data)) - {data, b""})


def _inside(data: bytes) -> Iterator[bytes]:
    damaged = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, ValueError, EOFError)
    with contextlib.suppress(*damaged), zipfile.ZipFile(io.BytesIO(data)) as archive:
        yield archive.comment
        for member in archive.infolist():
            yield from (member.filename.encode(), member.extra, member.comment, archive.read(member))
    for start in re.finditer(rb"\x1f\x8b\x08|[\x48\x58\x68\x78][\x01\x5e\x9c\xda]", data):
        form = 31 if start.group()[0] == 0x1F else 15
        with contextlib.suppress(zlib.error):
            yield zlib.decompressobj(form).decompress(data[start.start() :])
    with contextlib.suppress(zlib.error):
        yield zlib.decompressobj(-15).decompress(data)
    text = data.decode("latin-1")
    plain = html.unescape(text)
    for written in {text, plain, re.sub(r"\\+[rn]|\s|>", "", plain)}:
        yield written.encode("latin-1", "ignore") if written != text else b""
        for run in re.findall(r"[A-Za-z0-9+/_-]{12,}", written):
            for first in range(4):
                joined = run[first:].replace("-", "+").replace("_", "/")
                yield binascii.a2b_base64(joined[: len(joined) // 4 * 4])
                rest = joined[: len(joined) - (len(joined) % 4 == 1)]
                yield binascii.a2b_base64(rest + "=" * (-len(rest) % 4))
        for run in re.findall(r"(?:[0-9A-Fa-f]{2} ?){8,}", written):
            yield bytes.fromhex(run)
    if "%" in text:
        yield unquote_to_bytes(data)
