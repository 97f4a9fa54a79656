"""HTML: everything in it is read, edits stand where they should, and the rest stays as it was."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.document import Document, Release
from sfumato.errors import InputError, OutputError
from sfumato.formats.html.document import Html
from tests.strategies import examples

from .edits import edited, releases

SECRET = "Quillowby"

FULL = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Case of {SECRET} &amp; others</title>
<meta name="author" content="{SECRET}"><meta property="og:title" content="{SECRET}">
<style>.x::after {{ content: "{SECRET}" }}</style>
<script type="application/ld+json">{{"name": "{SECRET}", "same": "\\u0051uillowby"}}</script></head>
<body class="{SECRET}" onload="greet('{SECRET}')">
<!-- written by {SECRET} --><!--[if IE]><p>{SECRET}</p><![endif]-->
<p id={SECRET}>Hello <b>Quil</b><i>low</i>by, and &#81;uillowby</p>
<p hidden>{SECRET}</p><template><p>{SECRET}</p></template><noscript>{SECRET}</noscript>
<a href="mailto:{SECRET}%40example.org?cc=%51uillowby" title="{SECRET}">mail</a>
<img alt="{SECRET}" src='{SECRET}.png' data-owner="{SECRET}" aria-label="{SECRET}">
<img alt=Mr {SECRET} src=x.png>
<input value="{SECRET}" placeholder="{SECRET}"><textarea>{SECRET}</textarea>
<svg><title>{SECRET}</title><text>{SECRET}</text><![CDATA[{SECRET}]]></svg>
<{SECRET}@example.org> <P STYLE="background:url({SECRET})" DATA-{SECRET}=1>{SECRET}
<xmp><b>{SECRET}</b></xmp><p title="{SECRET}"""


def page(folder: Path, source: str | bytes, name: str = "page.html") -> Path:
    path = folder / name
    path.write_bytes(source.encode() if isinstance(source, str) else source)
    return path


def text_of(folder: Path, source: str | bytes) -> str:
    return Html().read(page(folder, source), "page").text


def rendered(folder: Path, source: str | bytes, pattern: str, replacement: str) -> bytes:
    path = page(folder, source)
    return Html().render(path, edited(Html().read(path, "page"), pattern, replacement))


@pytest.mark.parametrize("replacement", ["[PERSON 1]", "", "A \"B\" <b> & 'C' &lt;", "Ö😀"])
def test_nothing_keeps_a_secret_that_was_replaced_everywhere(tmp_path: Path, replacement: str) -> None:
    document = Html().read(page(tmp_path, FULL), "page")
    release = edited(document, SECRET, replacement)
    data = Html().render(page(tmp_path, FULL), release)
    assert SECRET.lower().encode() not in data.lower()
    assert b"Quil" not in data
    assert b"uillowby" not in data
    again = Html().read(page(tmp_path, data, "again.html"), "page")
    assert again.text == release.text
    back = Html().render(page(tmp_path, data, "again.html"), release.inverse())
    assert text_of(tmp_path, back) == document.text


def test_visible_text_comes_first_with_inline_tags_joined(tmp_path: Path) -> None:
    source = "<title>T</title><p title='later'>An<b>na</b>&nbsp;Berg</p><div>in<br>two</div><table><td>a<td>b"
    assert text_of(tmp_path, source) == "T\nAnna\xa0Berg\nin\ntwo\na\nb\nlater"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("1 < 2 and 3 <4 <", "1 < 2 and 3 <4 <"),
        ("<p>a</p", "a\n/p"),
        ("a</>b</ c>d", "abd\n c"),
        ("<script><!-- <script>x</script> Anna --></script>end", "end\n<!-- <script>x</script> Anna -->"),
        ("<script>if (a<b) 'c'", "if (a<b) 'c'"),
        ("<!-- a --!>b<!-->c<!-", "bc\n a \n-"),
        ("<a title=x>y</a title=z>", "y\nx\nz"),
        ("<a title = 'x\"y'/title2>z", 'z\nx"y\ntitle2'),
        ("AT&T &amp &ampx &notit; &bogus; &#0;", "AT&T & &x ¬it; &bogus; \ufffd"),
        ("<a href='?a=1&copy=2&amp;b'>x", "x\n?a=1&copy=2&b"),
        (
            "&#0000000000000000000000000000000000000000065;&#" + "9" * 5000 + ";&" + "a" * 50,
            "A\ufffd&" + "a" * 50,
        ),
        ("<plaintext><b>&amp;", "<b>&amp;"),
        ("<?php echo 'Anna' ?>b", "b\nphp echo 'Anna' ?"),
        ("<img width=100 colspan=2 height='Anna'>", "Anna"),
    ],
)
def test_broken_markup_loses_no_text(tmp_path: Path, source: str, text: str) -> None:
    assert text_of(tmp_path, source) == text


MARKUP = "<p> </p> <b> </b> <br> <textarea> </textarea> <script> </script> <style> </style> <!-- --> <x@y.z>"
TEXT = "a bc c &amp; &lt & #38 < > é = ' \" / \\u0041 &NotEqualTilde; \u200b"
SPACED = [" ", "\n", "<p title='q w'>", "<i alt=un>", "<a href='x%20y%C3%96&amp;'>"]
PIECES = st.sampled_from(MARKUP.split(" ") + TEXT.split(" ") + SPACED)


@examples(2)
@given(st.data(), st.lists(PIECES, min_size=1, max_size=12).map("".join))
def test_any_release_reads_back_and_can_be_undone(data: st.DataObject, source: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = page(Path(name), source)
        document = Html().read(path, "d")
        if not document.text:
            return
        release = data.draw(releases(document.text, "ab<>&;#\"' -\n\u200bé%2"))
        try:
            out = page(Path(name), Html().render(path, release), "out.html")
        except OutputError:  # text that would end the comment it stands in cannot be written there
            assert "-->" in release.text or "--" in release.text or "<" in source
            return
        assert Html().read(out, "d").text == release.text
        try:
            back = page(Path(name), Html().render(out, release.inverse()), "back.html")
        except OutputError:
            return
        assert Html().read(back, "d").text == document.text


@given(st.data())
def test_without_references_in_edits_putting_back_gives_the_same_bytes(data: st.DataObject) -> None:
    source = "<div title=\"it's\">\r\n<p>Anna <b>Berg</b> AT&T</p><!-- c --><p lang='en'>1 < 2 &amp; <i>x</i>"
    with tempfile.TemporaryDirectory() as name:
        path = page(Path(name), source)
        document = Html().read(path, "d")
        pattern = data.draw(st.sampled_from(["Anna", "Berg", "AT&T", "a", "it's", "1 < 2", "x"]))
        release = edited(document, pattern, "[X]")
        out = page(Path(name), Html().render(path, release), "out.html")
        assert Html().render(out, release.inverse()) == source.encode()


def test_untouched_files_stay_the_same_bytes(tmp_path: Path) -> None:
    for data in (FULL.encode(), b"\xef\xbb\xbf<p>\r\nx\r\n", "<meta charset=latin1><p>é".encode("latin-1")):
        path = page(tmp_path, data)
        assert Html().render(path, Release(Html().read(path, "page"))) == data


def test_a_declared_character_set_is_kept(tmp_path: Path) -> None:
    source = "<meta charset=iso-8859-1><p title='é'>é Anna</p>".encode("latin-1")
    data = rendered(tmp_path, source, "Anna|é$", "Łucja")
    assert data == "<meta charset=iso-8859-1><p title='&#321;ucja'>é &#321;ucja</p>".encode("latin-1")
    assert text_of(tmp_path, data) == "é Łucja\nŁucja"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b"<p>\xff", "not valid utf-8"),
        (b"<meta charset=klingon>x", "not known"),
        (b"<meta charset=base64>x", "not known"),
        ("<p>x".encode("utf-16"), "UTF-16"),
    ],
)
def test_what_cannot_be_decoded_is_refused(tmp_path: Path, data: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        text_of(tmp_path, data)


def test_embedded_images_are_counted_and_not_read(tmp_path: Path) -> None:
    document = Html().read(page(tmp_path, "<p>x<img src='data:image/png;base64,iVBORw0KGgo='>"), "page")
    assert document.text == "x"
    assert document.meta["unchecked"] == {"embedded image": 1}


def test_a_rewritten_release_has_no_place(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="jsonl"):
        Html().render(page(tmp_path, "<p>x"), Release.rewritten(Document("d", "x"), "y"))


@pytest.mark.parametrize(
    "address",
    [
        "data:text/plain;base64,UXVpbGxvd2J5",
        "data:;base64,UXVpbGxvd2J5",
        "data&colon;text/plain;charset=utf-8;base64,UXVpbGxvd2J5",
        "data:application/pdf;base64,UXVpbGxvd2J5",
        "data:image/svg+xml;base64,UXVpbGxvd2J5",
        "data:text/html;x=data:image/png;base64,UXVpbGxvd2J5",
        "data:;" * 2000 + "base64 ,UXVpbGxvd2J5",
    ],
)
@pytest.mark.parametrize("source", ["<a href='{}'>x", "<style>p {{ background: url({}) }}</style>x"])
def test_text_behind_base64_is_refused(tmp_path: Path, source: str, address: str) -> None:
    if source.startswith("<style>"):
        address = address.replace("&colon;", ":")
    with pytest.raises(InputError, match="data: address"):
        text_of(tmp_path, source.format(address))


def test_embedded_text_with_percent_escapes_is_read_or_reported(tmp_path: Path) -> None:
    assert "Mr Quillowby" in text_of(tmp_path, "<a href='data:text/plain,Mr%20Quillowby'>x")
    style = "<style>p { background: url(data:image/svg+xml,%3Csvg%3E) }</style>x"
    assert Html().read(page(tmp_path, style), "page").meta["unchecked"] == {"embedded text": 1}


@pytest.mark.parametrize(
    "source",
    [
        f"<p><![CDATA[{SECRET} > {SECRET}]]> y</p>",
        f"<svg><![CDATA[{SECRET}]]></svg>",
        f"<?php echo '{SECRET}'; ?>b",
        f'<notag data-name="{SECRET}" {SECRET}="x">y',
        f"<notag {SECRET}=\"data-name={SECRET}\" b='c>d'>x",
        f"<p title='a'{SECRET}>x",
        f'<p {SECRET}/{SECRET}=1 "{SECRET}>x',
        f"<p ={SECRET}>x",
        f"<p {SECRET}='>x</p>",
        f"</{SECRET}@x>y<!{SECRET}>",
    ],
)
def test_broken_markup_may_change_its_form_but_keeps_no_secret(tmp_path: Path, source: str) -> None:
    document = Html().read(page(tmp_path, source), "page")
    release = edited(document, SECRET, "PERSON_6")
    data = Html().render(page(tmp_path, source), release)
    assert SECRET.lower().encode() not in data.lower()
    assert text_of(tmp_path, data) == release.text


@pytest.mark.parametrize(
    ("source", "wordless"),
    [
        ("<p>x", False),
        ("<title>A letter</title><body><img src=scan.png alt='a scan'>", True),
        ("<title>A letter</title><p>&nbsp;<!-- x --><script>let x</script>", True),
        ("<title>A letter</title>x", False),
    ],
)
def test_a_page_without_text_is_wordless_whatever_its_title_says(tmp_path: Path, source: str, wordless: bool) -> None:
    assert Html().read(page(tmp_path, source), "page").meta["wordless"] is wordless
