"""Small Word files for the tests, put together by hand so that every place text can hide in is there."""

from __future__ import annotations

import zipfile
from pathlib import Path

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
REL = "http://schemas.openxmlformats.org/package/2006/relationships"
OTHERS = (
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" '
    'xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml"'
)
HEADER = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
CONTENT_TYPES = (
    HEADER + '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>'
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
    'wordprocessingml.document.main+xml"/>'
    '<Override PartName="/docProps/thumbnail.jpeg" ContentType="image/jpeg"/></Types>'
)
PACKAGE_RELS = (
    HEADER + f'<Relationships xmlns="{REL}">'
    f'<Relationship Id="rId1" Type="{R}/officeDocument" Target="word/document.xml"/>'
    f'<Relationship Id="rId2" Type="{R}/metadata/thumbnail" Target="docProps/thumbnail.jpeg"/></Relationships>'
)


def word(name: str, inside: str) -> str:
    return HEADER + f'<w:{name} xmlns:w="{W}" xmlns:r="{R}" {OTHERS}>{inside}</w:{name}>'


def paragraph(*runs: str) -> str:
    return "<w:p>" + "".join(f'<w:r><w:t xml:space="preserve">{run}</w:t></w:r>' for run in runs) + "</w:p>"


def write_docx(path: Path, body: str, parts: dict[str, str | bytes] | None = None) -> Path:
    members: dict[str, str | bytes] = {
        "[Content_Types].xml": CONTENT_TYPES,
        "_rels/.rels": PACKAGE_RELS,
        "word/document.xml": word("document", f"<w:body>{body}<w:sectPr/></w:body>"),
        **(parts or {}),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def write_full_docx(path: Path, secret: str, mail: str) -> Path:
    """A file with the secret in every place that is known to keep text."""
    half = len(secret) // 2
    change = f'w:id="1" w:author="{secret}" w:date="2024-05-06T07:08:09Z"'
    body = (
        paragraph(f"Seen by {secret} today")
        + paragraph(f"split {secret[:half]}", f"{secret[half:]} over runs")
        + f"<w:p><w:r><w:t>{secret[:half]}</w:t></w:r><w:ins {change}><w:r><w:t>{secret[half:]}</w:t></w:r></w:ins></w:p>"  # noqa: E501
        + f"<w:p><w:del {change}><w:r><w:delText>{secret}</w:delText></w:r></w:del></w:p>"
        + f"<w:p><w:moveFrom {change}><w:r><w:t>moved {secret}</w:t></w:r></w:moveFrom></w:p>"
        + f"<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden {secret}</w:t></w:r></w:p>"
        + f'<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "mailto:{mail}" '
        + '</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
        + f'<w:p><w:fldSimple w:instr=" AUTHOR {secret} "><w:r><w:t>x</w:t></w:r></w:fldSimple></w:p>'
        + f"<w:tbl><w:tblPr><w:tblCaption w:val='{secret}'/></w:tblPr><w:tr><w:tc>{paragraph(secret)}</w:tc></w:tr></w:tbl>"  # noqa: E501
        + f'<w:p><w:bookmarkStart w:id="5" w:name="{secret}"/><w:hyperlink r:id="rId9" w:tooltip="{secret}">'
        + "<w:r><w:t>link</w:t></w:r></w:hyperlink></w:p>"
        + f'<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="{secret}.jpg" descr="Photo of {secret}" '
        + f'title="{secret}"/></wp:inline></w:drawing></w:r></w:p>'
        + f'<w:p><w:r><w:pict><v:shape alt="{secret}"><v:textpath string="{secret}"/><v:imagedata o:title="{secret}"/>'
        + f"<v:textbox><w:txbxContent>{paragraph('box ' + secret)}</w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>"  # noqa: E501
        + f'<w:sdt><w:sdtPr><w:alias w:val="{secret}"/><w:tag w:val="{secret}"/>'
        + '<w:date w:fullDate="1980-01-02T00:00:00Z"/></w:sdtPr>'
        + f"<w:sdtContent>{paragraph('control ' + secret)}</w:sdtContent></w:sdt>"
        + f"<w:p><w:r><w:t>{secret[:half]}</w:t><w:noBreakHyphen/><w:t>end</w:t><w:tab/><w:t>a</w:t><w:br/><w:t>b</w:t></w:r></w:p>"  # noqa: E501
    )
    comment = f'<w:comment {change} w:initials="{secret}">{paragraph("comment by " + secret)}</w:comment>'
    core = (
        HEADER
        + '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
        f'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:creator>{secret}</dc:creator>'
        f"<cp:lastModifiedBy>{secret}</cp:lastModifiedBy><dc:title>Case of {secret}</dc:title><cp:revision>3</cp:revision>"  # noqa: E501
        '<dcterms:created xsi:type="dcterms:W3CDTF">2024-05-06T07:08:09Z</dcterms:created></cp:coreProperties>'
    )
    app = (
        HEADER + '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties">'
        f"<Pages>3</Pages><Company>{secret} and Sons</Company><Manager>{secret}</Manager></Properties>"
    )
    custom = (
        HEADER + '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties" '
        'xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes">'
        f'<property pid="2" name="{secret}"><vt:lpwstr>{secret}</vt:lpwstr></property>'
        '<property pid="3" name="when"><vt:filetime>2024-05-06T07:08:09Z</vt:filetime></property></Properties>'
    )
    rels = (
        HEADER + f'<Relationships xmlns="{REL}"><Relationship Id="rId9" Type="{R}/hyperlink" '
        f'Target="mailto:{mail.replace("@", "%40")}" TargetMode="External"/>'
        f'<Relationship Id="rId10" Type="{R}/image" Target="media/{secret}.png"/></Relationships>'
    )
    chart = (
        HEADER + '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:v>7</c:v>'
        f"<c:tx><a:p><a:r><a:t>{secret[:half]}</a:t></a:r><a:r><a:t>{secret[half:]}</a:t></a:r></a:p></c:tx>"
        f"<c:cat><c:v>{secret}</c:v></c:cat></c:chartSpace>"
    )
    person = (
        f'<w15:person w15:author="{secret}"><w15:presenceInfo w15:providerId="AD" w15:userId="S::{mail}"/></w15:person>'
    )
    docvars = f'<w:docVars><w:docVar w:name="client" w:val="{secret}"/></w:docVars><w:rsids><w:rsid w:val="00AB12CD"/></w:rsids>'  # noqa: E501
    return write_docx(
        path,
        body,
        {
            "word/_rels/document.xml.rels": rels,
            "word/header1.xml": word("hdr", paragraph(f"header {secret}")),
            "word/footer1.xml": word("ftr", paragraph(f"footer {secret}")),
            "word/footnotes.xml": word("footnotes", f'<w:footnote w:id="1">{paragraph("foot " + secret)}</w:footnote>'),
            "word/endnotes.xml": word("endnotes", f'<w:endnote w:id="1">{paragraph("end " + secret)}</w:endnote>'),
            "word/comments.xml": word("comments", comment),
            "word/settings.xml": word("settings", docvars),
            "word/people.xml": HEADER + f"<w15:people {OTHERS}>{person}</w15:people>",
            "word/glossary/document.xml": word("glossaryDocument", paragraph(f"glossary {secret}")),
            "word/charts/chart1.xml": chart,
            "customXml/item1.xml": f'<!-- {secret} --><case client="{secret}"><Notes>{secret}</Notes>loose {secret}</case>',  # noqa: E501
            "docProps/core.xml": core,
            "docProps/app.xml": app,
            "docProps/custom.xml": custom,
            "docProps/thumbnail.jpeg": b"picture of " + secret.encode(),
            f"word/media/{secret}.png": b"\x89PNG\r\n\x1a\n",
        },
    )
