"""What reads input in the package, with inputs that are bad for it: formats, tables, detectors, replies, the vault."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import SfumatoError

Work = Callable[[], object]
Shape = str | Callable[[int], str]
"""A text to repeat, in which ``{n}`` is a number that counts up; or what gives a text of a size."""


class Reader(NamedTuple):
    """``prepare`` takes a text and an empty folder, and returns what reads it."""

    name: str
    shapes: Sequence[Shape]
    prepare: Callable[[str, Path], Work]


def build(shape: Shape, size: int) -> str:
    """A text of a size."""
    if callable(shape):
        return shape(size)
    if "{n}" not in shape:
        return (shape * (size // len(shape) + 1))[:size]
    parts: list[str] = []
    length = 0
    while length < size:
        parts.append(shape.replace("{n}", str(len(parts))))
        length += len(parts[-1])
    return "".join(parts)


def shape_name(shape: Shape) -> str:
    return shape if isinstance(shape, str) else shape.__name__.strip("_")


TEXTS: tuple[Shape, ...] = (
    *("a", "A", "1", ".", " ", "\n", "(", "[", '"', "'", "@", "-", ",", "%", "\u0301", "\u3164", "\u24d0", "A n n a "),
    *(
        "a ",
        "1 ",
        ". ",
        "A. ",
        "Anna Berg ",
        "Anna Berg{n} ",
        "Xq{n}a Zq{n}o met Mr Zq{n}o. ",
        "a{n}@b{n}.org ",
        "12 May 1961, ",
    ),
    *(
        "+44 20 7946 0018 ",
        "http://a.b/",
        "1.1.",
        "a@",
        "a@a.",
        "12 Mill Lane ",
        "no. ",
        "PERSON_{n} ",
        "the ",
        "a-",
        "\u0410a",
    ),
)
MARKUP: tuple[Shape, ...] = (
    *(
        "<",
        "<a ",
        "<a b",
        "<a b=",
        "<a b='",
        '<a b="c" ',
        "<!--",
        "<!",
        "</",
        "<?",
        "&",
        "&amp",
        "&#1",
        "<script>",
        "<style>",
    ),
    *(
        "<script><!--",
        "-->",
        "<p>a</p>",
        "<svg>",
        "<br>",
        "<a href='%41'>",
        "<a href='data:;",
        "<style>data:;",
        "<style>data:a/b;",
    ),
    *(
        "<p id=x{n}>Anna</p>",
        "<title>",
        "<a\n",
        "<a/",
        "<b><i>",
        "<meta charset=",
        "<style>data:,aaaa",
        "<a c='a b{n}'>",
        "\\u00e9",
    ),
)
JSON: tuple[Shape, ...] = (
    *(
        "[",
        "{",
        '{"a":',
        '"',
        "\\",
        '["',
        "[[],",
        '{"id":"{n}","text":"a"}\n',
        '[{"id":"{n}","text":"a"},',
        "1",
        "1e",
        "-",
        " ",
        "\n",
    ),
    *(
        '{"id":"a","text":"' + '\\"',
        "\\ud800",
        '"\\ud800",',
        '{"{n}":"a",',
        '["a","b",',
        '{"id":"a","text":"x","entities":[{"start":0,',
    ),
)
TABLES: tuple[Shape, ...] = (
    '"',
    'a,"b',
    "a,b\n",
    '""',
    ",",
    "\n",
    "id{n},text of one\n",
    '"a\n',
    "a\r",
    "'",
    "{n},[[\n",
    "{n},a | b | \n",
)
CODES = "JUL 5517-2098{n} "


def _quietly(work: Callable[[], object]) -> Work:
    def run() -> None:
        with suppress(SfumatoError):
            work()

    return run


def _file_reader(suffix: str, before: str = "") -> Callable[[str, Path], Work]:
    from sfumato.formats.base import Columns, format_for

    def prepare(text: str, folder: Path) -> Work:
        path = folder / f"x{suffix}"
        path.write_text(before + text, encoding="utf-8", newline="")
        form: Any = format_for(path)
        if hasattr(form, "render"):
            return _quietly(lambda: form.read(path, "x"))
        return _quietly(lambda: sum(1 for _ in form.read(path, Columns(), lambda problem: None)))

    return prepare


def _records(suffix: str) -> Callable[[str, Path], Work]:
    """The text as one record, as large as a file of records can be."""
    from sfumato.formats.base import Columns, Record, format_for

    def prepare(text: str, folder: Path) -> Work:
        path = folder / f"x{suffix}"
        form: Any = format_for(path)
        form.write(path, [Record("a", text[: len(text) // 2]), Record("b", text[len(text) // 2 :])])
        return _quietly(lambda: sum(1 for _ in form.read(path, Columns(), lambda problem: None)))

    return prepare


W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
BODIES: tuple[Shape, ...] = (
    "<w:p/>",
    "<w:p><w:r><w:t>Anna Berg{n} came on 12 May.</w:t></w:r></w:p>",
    "<w:p><w:r><w:t>a</w:t><w:tab/></w:r></w:p>",
    "<w:style w:customStyle='1' w:styleId='S{n}'><w:name w:val='Nice {n}'/><w:link w:val='S{n}0'/></w:style>",
    "<w:style w:styleId='S{n}'><w:name w:val='Nice {n}'/><w:link w:val='S1'/></w:style><w:lsdException w:name='n{n}'/>",
    "<w:p><w:bookmarkStart w:name='b {n}'/><w:r><w:instrText>REF b {n} b</w:instrText></w:r></w:p>",
    "<w:p><w:hyperlink w:anchor='b{n}'/><w:ins w:author='A{n}'/></w:p>",
    "<w:docVar w:name='a{n}' w:val='b{n}'/>",
    "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>{n}</w:t></w:r></w:p></w:tc></w:tr></w:tbl>",
    "<w:del><w:r><w:delText>x{n}</w:delText></w:r></w:del>",
    "<x{n} y{n}='z{n}'/>",
)


def pack(path: Path, body: str) -> None:
    """A Word file whose body and styles are this markup."""
    relations = f'<Relationship Id="r1" Type="{OFFICE}" Target="word/document.xml"/>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(
            "[Content_Types].xml", '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
        )
        archive.writestr("_rels/.rels", f'<Relationships xmlns="{RELATIONS}">{relations}</Relationships>')
        for part, root in (("document", "document"), ("styles", "styles")):
            if (part == "styles") == ("<w:style " in body):
                archive.writestr(f"word/{part}.xml", f"<w:{root} {W}>{body}</w:{root}>")
            else:
                archive.writestr(f"word/{part}.xml", f"<w:{root} {W}/>")


def _whole(shape: str) -> Shape:
    """The same repeated without cutting the last one."""
    if "{n}" in shape:
        return shape
    return lambda size: shape * max(1, size // len(shape))


def _docx(text: str, folder: Path) -> Work:
    from sfumato.formats.docx.document import Docx

    path = folder / "x.docx"
    pack(path, text)
    return _quietly(lambda: Docx().read(path, "x"))


def _edited(document: Document) -> Release:
    """Every fifth word that begins with a capital, replaced."""
    import re

    words = list(re.finditer(r"\b[A-Z]\w+(?: [A-Z]\w+)?", document.text))[::5]
    return Release(document, tuple(Edit(Span(*word.span(), "PERSON"), "someone") for word in words))


def _rendered(suffix: str, write: Callable[[Path, str], object]) -> Callable[[str, Path], Work]:
    """Reading, hiding of identifiers and repeats, rendering and the final check, with many edits."""
    from sfumato.formats.base import format_for
    from sfumato.residuals.final_check import FinalCheck
    from sfumato.residuals.identifiers import hide_identifiers
    from sfumato.residuals.values import hide_repeats

    check = FinalCheck(lambda document: [])

    def prepare(text: str, folder: Path) -> Work:
        path = folder / f"x{suffix}"
        write(path, text)
        form: Any = format_for(path)

        def run() -> object:
            release = hide_repeats(hide_identifiers(_edited(form.read(path, "x"))))
            return check.clean(path, form, form.render(path, release), release)

        return _quietly(run)

    return prepare


def _text_function(load: Callable[[], Callable[[str], object]]) -> Callable[[str, Path], Work]:
    def prepare(text: str, folder: Path) -> Work:
        function = load()
        return _quietly(lambda: function(text))

    return prepare


def _path_function(
    suffix: str, load: Callable[[], Callable[[Path], object]], before: str = "", after: str = ""
) -> Callable[[str, Path], Work]:
    def prepare(text: str, folder: Path) -> Work:
        path = folder / f"x{suffix}"
        path.write_text(before + text + after, encoding="utf-8", newline="")
        function = load()
        return _quietly(lambda: function(path))

    return prepare


def _rules() -> Callable[[str], object]:
    from sfumato.detectors.rules.detector import RuleDetector

    detector = RuleDetector()
    return lambda text: detector.detect([Document("x", text)])


def _pipeline() -> Callable[[str], object]:
    from sfumato.pipeline import Pipeline
    from sfumato.recipe import load

    pipeline = Pipeline(load("fast"))
    return lambda text: list(pipeline.anonymize([Document("x", text)]))


def _ids() -> Callable[[str], object]:
    from sfumato.recipe import load
    from sfumato.runs.ids import id_checker

    return id_checker(load("fast")).is_personal


NAMES_ALIKE = (
    "Wilf Ack{n}",
    "Mr Wilf{n} Acker",
    "W. Ack{n}",
    "Ack{n}",
    'Acker "Nick{n}"',
    "Ack{n}mann Acker",
    "Wil{n}. Acker",
    "{n}wilf Acker",
)
"""People who share a name, or the beginning or end of one; ``{n}`` is in letters."""


def _listed(name: str) -> Shape:
    """A list of such names, one a line."""

    def names(size: int) -> str:
        count = size // (len(name) + 5)
        letters = ("".join(chr(ord("a") + number // 26**place % 26) for place in range(4)) for number in range(count))
        return "\n".join(name.replace("{n}", word) for word in letters)

    names.__name__ = name
    return names


def _link() -> Callable[[str], object]:
    from sfumato.detectors.names import link_people

    return lambda text: link_people(text.splitlines())


def _sentences() -> Callable[[str], object]:
    from sfumato.lexicon.grammar import sentence_ranges

    return sentence_ranges


def _windows() -> Callable[[str], object]:
    from sfumato.llm.windows import split_windows

    return lambda text: split_windows(text, 200)


def _fold() -> Callable[[str], object]:
    from sfumato.lexicon.folding import fold

    return fold


def _replies() -> Callable[[str], object]:
    from sfumato.llm import parse
    from sfumato.llm.openai_protocol import parse_json

    def read(text: str) -> None:
        parse_json(text)
        parse.parse_object(text)
        parse.parse_list(text, "a")
        parse.parse_partial_strings(text, "a")
        parse.parse_rewrite(text)
        parse.parse_rating(text, 1, 5)

    return read


def _after(name: str, header: str, unit: str) -> Shape:
    """A file that begins with a header and repeats a unit."""

    def grow(size: int) -> str:
        return header + unit * (size // len(unit))

    grow.__name__ = name
    return grow


_JPEG = "\xff\xd8\xff\xe0\0\x10JFIF\0\1\2\0\0\1\0\1\0\0"
_SCAN = "\xff\xda\0\2"
_PNG = "\x89PNG\r\n\x1a\n"
_GIF = "GIF89a\1\0\1\0\0\0\0"
_WEBP = "RIFF\0\0\0\0WEBP"
_EMF = "\1\0\0\0" + 36 * "\0" + " EMF"
PICTURES: tuple[Shape, ...] = (
    _after("JPEG_scan_of_fill_bytes", _JPEG + _SCAN, "\xff"),
    _after("JPEG_scan_of_zeros", _JPEG + _SCAN, "\xff\0"),
    _after("JPEG_scans", _JPEG, _SCAN),
    _after("JPEG_fill_bytes", _JPEG, "\xff"),
    _after("JPEG_comments", _JPEG, "\xff\xfe\0\2"),
    _after("JPEG_frames", _JPEG, "\xff\xc0\0\2"),
    _after("PNG_empty_chunks", _PNG, "\0\0\0\0IDAT\0\0\0\0"),
    _after("PNG_text", _PNG, "\0\0\0\0tEXt\0\0\0\0"),
    _after("PNG_zeros", _PNG, "\0"),
    _after("GIF_comments", _GIF, "!\xfe\1a\0"),
    _after("GIF_images", _GIF, ",\0\0\0\0\0\0\0\0\0\0\0"),
    _after("GIF_blocks", _GIF + "!\xfe", "\1a"),
    _after("WebP_chunks", _WEBP, "VP8 \0\0\0\0"),
    _after("EMF_letters", _EMF, "a\0"),
    _after("EMF_bytes", _EMF, "\0\1"),
    *(_after(f"bytes_{ord(character)}", "\0", character) for character in "\0\1a\x1f\x78\x80\xc3\xe9\xff"),
    _after("ends_of_zip_files", "PK\3\4", "PK\5\6" + 18 * "\0"),
    _after("gzip_headers", "", "\x1f\x8b\x08\0"),
)
ENCODED: tuple[Shape, ...] = (
    *("QUJD", "4e", "4e ", "A", "=", "QUJDQUJDQUJDQUJD=", "QUJDQUJDQUJDQUJD\n", "QUJDQUJDQUJDQUJD\\n", "\\n", "&#10;"),
    *(
        "QUJDQUJDQUJDQUJDQUJD \n",
        "AAAAAAAAAAAAAAAAAAAA\nA",
        "Q\n",
        "UEsFBgAA",
        "H4sIAAAA",
        "data:,%20",
        "data:",
        "data:;",
    ),
    *("data:a/b;base64,iVBORw0KGgo=", "VVZVUVZVVVZVUVZV{n}"),
)
NESTED: tuple[Shape, ...] = (
    *('"{\\"a\\":1', '{"a":"{\\"a\\":\\"', '\\"', '"\\\\\\"', '{"a":"[\\"b\\",', '{"a":"\\"a\\":', '{"a":"{n}\\"'),
    lambda size: '{"a":"' + '{\\"a\\":' * (size // 8) + '"}',
    lambda size: '{"a":"' + "\\" * size + '""}',
)


def _pictures(text: str, folder: Path) -> Work:
    from sfumato.formats.containers import is_readable
    from sfumato.formats.docx.package import unchecked_parts
    from sfumato.formats.images import without_metadata
    from sfumato.residuals.final_check import holds
    from sfumato.residuals.values import ValueIndex

    data, values = text.encode("latin-1"), ValueIndex({"annaquorvex"})

    def read() -> None:
        without_metadata(data)
        is_readable(data)
        unchecked_parts({"word/media/image1.png": data})
        holds(data, values)

    return read


def _encoded() -> Callable[[str], object]:
    from sfumato.detectors.rules.codes import find_encoded_text

    return lambda text: list(find_encoded_text(text))


def _structure() -> Callable[[str], object]:
    from sfumato.detectors.structure import find_structure

    return find_structure


def _recipe() -> Callable[[str], object]:
    from sfumato.recipe import parse

    return lambda text: parse(text, "x")


def _settings() -> Callable[[Path], object]:
    from sfumato.llm.settings import load_settings

    return load_settings


def _masks() -> Callable[[Path], object]:
    from sfumato.formats.spans import read_masks

    return lambda path: list(read_masks(path))


def _spans() -> Callable[[Path], object]:
    from sfumato.formats.spans import read_spans

    return lambda path: list(read_spans(path, lambda problem: None))


def _subjects() -> Callable[[Path], object]:
    from sfumato.formats.subject_table import as_subject_table

    return as_subject_table


def _people() -> Callable[[Path], object]:
    from sfumato.attacks.background import as_background

    return as_background


def _certificate() -> Callable[[Path], object]:
    from sfumato.protection.certificate import read_certificate

    return read_certificate


def _restored(text: str, folder: Path) -> Work:
    from sfumato.vault.restore import Restorer
    from sfumato.vault.store import Vault

    with suppress(FileNotFoundError):
        (folder / "v.db").unlink()
    vault = Vault.open(folder / "v.db", folder / "v.key")
    names = [f"Anna Berg{number}" for number in range(200)]
    document = Document("d", " ".join(names))
    edits, start = [], 0
    for number, name in enumerate(names, 1):
        edits.append(Edit(Span(start, start + len(name), "PERSON"), f"PERSON_{number}"))
        start += len(name) + 1
    vault.record(Release(document, tuple(edits)), "d")
    return _quietly(lambda: Restorer(vault).restore(Document("d", text)))


def _write_text(path: Path, text: str) -> object:
    return path.write_text(text, encoding="utf-8", newline="")


MASKS: tuple[Shape, ...] = ("[0,1],", "[{n},1000000],", "[0,{n}1],", '[{n},{n}9,"x{n}"],', "[", '"')
NAMED_PAGES: tuple[Shape, ...] = (
    "<p>Anna Berg{n} met Xq Zqo.</p>",
    "<p id=annaBerg{n} class='berg{n}_x name{n}'>Anna Berg{n}</p>",
    "<p title='Anna Berg{n}\nand Eva Quist'>Anna Berg{n}</p>",
    "<style>.berg{n} { a: b }</style><p>Anna Berg{n}</p>",
    "<!-- Anna Berg{n} --><a href='Anna%20Berg{n}'>Anna Berg{n}</a>",
)
NAMED_BODIES: tuple[Shape, ...] = (
    "<w:p w:x='Anna Berg{n}'><w:r><w:t>Anna Berg{n} met Eva Quist.</w:t></w:r></w:p>",
    "<w:p><w:bookmarkStart w:name='Berg{n}'/><w:r><w:t>Anna Berg{n}</w:t></w:r></w:p>",
    "<w:p xmlns:berg{n}='urn:berg{n}'><w:r><w:t>Anna Berg{n}</w:t></w:r></w:p>",
)

READERS: tuple[Reader, ...] = (
    Reader("text file", TEXTS, _file_reader(".txt")),
    Reader("JSON Lines", JSON, _file_reader(".jsonl")),
    Reader("JSON Lines, one record", TEXTS, _records(".jsonl")),
    Reader("JSON", JSON, _file_reader(".json", '{"a": ')),
    Reader("JSON list", JSON, _file_reader(".tab.json", '[{"id":"a","text":"b","c":')),
    Reader("CSV", TABLES, _file_reader(".csv", "id,text\n")),
    Reader("TSV", TABLES, _file_reader(".tsv", "id\ttext\n")),
    Reader("Parquet", TEXTS, _records(".parquet")),
    Reader("HTML", MARKUP + TEXTS, _file_reader(".html")),
    Reader("Word", [_whole(str(body)) for body in BODIES], _docx),
    Reader("HTML released", NAMED_PAGES, _rendered(".html", _write_text)),
    Reader("Word released", NAMED_BODIES, _rendered(".docx", pack)),
    Reader("pictures and parts", PICTURES, _pictures),
    Reader("encoded text", ENCODED, _text_function(_encoded)),
    Reader("structure", (*JSON, *NESTED), _text_function(_structure)),
    # Dotted keys of thousands of parts take quadratic time in tomllib: recipes are the user's own files.
    Reader(
        "recipe",
        ("a = 1\n", "[a{n}]\n", "[[a]]\n", 'a = """', "[", "a = [", "#", '"', "'", "a{n} = 1\n", "\\"),
        _text_function(_recipe),
    ),
    Reader("chat file", ("a = 1\n", 'url = "', "[", "a{n} = 1\n", "#"), _path_function(".toml", _settings)),
    Reader("mask file", MASKS, _path_function(".json", _masks, '{"a": [', "[0,0]]}")),
    Reader(
        "spans file",
        ('{"start":{n},"end":{n}9,"label":"PERSON"},', "[", "{"),
        _path_function(".jsonl", _spans, '{"id":"a","spans":[', '{"start":0,"end":1,"label":"LOC"}]}'),
    ),
    Reader("subject table", TABLES, _path_function(".csv", _subjects, "id,subjects\n")),
    Reader("subject table, JSON", JSON, _path_function(".json", _subjects, '{"a": ')),
    Reader("background", TABLES, _path_function(".csv", _people, "id,text\n")),
    Reader("certificate", JSON, _path_function(".json", _certificate)),
    Reader(
        "replies",
        (*JSON, *TEXTS, "- a\n", "1. a\n", "# a\n", "```", "of 5 ", "1 to 5 ", "I'm sorry "),
        _text_function(_replies),
    ),
    Reader("sentences", TEXTS, _text_function(_sentences)),
    Reader("windows", TEXTS, _text_function(_windows)),
    Reader("folding", TEXTS, _text_function(_fold)),
    Reader("linking of names", [_listed(name) for name in NAMES_ALIKE], _text_function(_link)),
    Reader("rules", TEXTS, _text_function(_rules)),
    Reader("ids", TEXTS, _text_function(_ids)),
    Reader("restore", (*TEXTS, "PERSON_1 ", "PERSON_1PERSON_2", "PERSON_", "Person 1's "), _restored),
    Reader(
        "fast recipe",
        (
            "Anna Berg{n} ",
            "Xq{n}a Zq{n}o met Mr Zq{n}o. ",
            "a{n}@b{n}.org ",
            "12 May 1961, ",
            "a ",
            ". ",
            "1 ",
            "The nurse, aged {n}, came. ",
        ),
        _text_function(_pipeline),
    ),
)


HOLD_RESULTS = {"HTML released", "Word released", "fast recipe", "rules", "windows"}
"""Not only readers: they hold spans, edits or windows, one for every few characters of a bad input."""
BOUNDED = {"recipe", "chat file", "replies", "linking of names"}
"""Limited in size (500,000 and 1,000,000 characters) or the user's own settings, because objects take more memory; and
texts of nothing but different names, of each of which a dozen keys are kept."""

# Memory, in a process of its own.

MEMORY_SIZE = 1_000_000
_MEMORY_SHAPES = 6


def peak_memory(reader: Reader) -> float:
    """Peak memory above that for one line, in multiples of the input's size."""
    command = [sys.executable, "-m", "benchmarks.growth_readers", reader.name]
    root = Path(__file__).parent.parent
    result = subprocess.run(command, capture_output=True, text=True, cwd=root, check=True, env={**os.environ})
    return float(json.loads(result.stdout))


def _peak() -> int:
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kilobytes if sys.platform == "darwin" else 1024 * kilobytes


def _memory_shapes(shapes: Sequence[Shape]) -> Iterable[Shape]:
    """Some from all over the list."""
    return shapes[:: max(1, len(shapes) // _MEMORY_SHAPES)]


def _print_peak(name: str) -> None:
    reader = next(reader for reader in READERS if reader.name == name)
    with tempfile.TemporaryDirectory() as folder:
        for shape in reader.shapes:
            reader.prepare(build(shape, 100), Path(folder))()
        worst = 0.0
        for shape in _memory_shapes(reader.shapes):
            work = reader.prepare(build(shape, MEMORY_SIZE), Path(folder))
            before = _peak()
            work()
            worst = max(worst, (_peak() - before) / MEMORY_SIZE)
    print(json.dumps(worst))


if __name__ == "__main__":
    _print_peak(sys.argv[1])
