"""Structures that recipes must keep: generated tables, JSON, YAML, XML, SQL, logs and code, alone or in prose.

    python -m benchmarks.structures                               # the shipped recipes that need no language model
    python -m benchmarks.structures --recipe fast --tables 200 --json 100 --others 50
    python -m benchmarks.structures --recipe fast --kind table --list

Every case is released and read again by readers that share nothing with the product: csv, json, PyYAML, lxml, ast and
the tokenizer below. A case is damaged where a cell, row, key, tag, name of an attribute, type or token outside of
literals differs. A leak is a planted name, telephone number, mail address or IBAN that can still be read. A case that
is withheld is neither; their share is printed.
"""

from __future__ import annotations

import argparse
import ast
import csv
import io
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import yaml
from lxml import etree, html

from sfumato.document import Document, Withheld
from sfumato.pipeline import Pipeline
from sfumato.recipe import load
from sfumato.statistics import wilson

RECIPES = ("fast", "labels", "default", "hipaa", "clinical", "codes", "chat", "legal", "redact")
"""All that ship but ``intact``, which asks a language model."""
FORMS_ONLY = frozenset({"codes"})
"""Recipes that leave names by design."""
KINDS = ("table", "json", "yaml", "xml", "sql", "log", "code")

GIVEN = "Anna Marek Helga Owen Ingrid Pieter Lucía Tomás Bridget Samuel Noémie Giulia Rafael Harriet Desmond Agnieszka"
FAMILY = "Quorvex Dvorzhak Brauckmann Lindqvist O'Dwyer Featherstone Okonkwo Salvatori Pennywhistle Vandersloot Kestrel"
CITIES = "Leeds Bergen Gdańsk Cork Lyon Toledo Utrecht Graz Boston Porto"
NOTES = (
    "called back, no answer",
    "pays late; see file",
    'said "never again"',
    "a | b",
    "ok",
    "",
    "moved house\nnew keys",
    "it's fine",
    "second reminder # 2",
    "C:\\temp\\new",
)
BEFORE = ("The list of this week:", "Please check what follows.", "Dear all,\n\nas agreed, here is the export.")
AFTER = ("Thank you for checking it.", "Best regards", "That was all of it; the rest comes later.")


@dataclass
class Case:
    """A text with a structure at ``start`` to ``end``; ``read`` gives what must stay, and raises where it is broken."""

    kind: str
    text: str
    start: int
    end: int
    read: Callable[[str], Any] = field(repr=False)
    names: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)


class Values:
    """Random values; those that identify somebody are remembered."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.names: list[str] = []
        self.codes: list[str] = []

    def name(self) -> str:
        given, family = self.rng.choice(GIVEN.split()), self.rng.choice(FAMILY.split())
        self.names.append(f"{given} {family}")
        return self.names[-1]

    def nickname(self) -> str:
        """A name with quotes in it, which formats escape."""
        given, family = self.rng.choice(GIVEN.split()), self.rng.choice(FAMILY.split())
        return f'{given} "{given[:3]}o" {family}'

    def _code(self, code: str) -> str:
        self.codes.append(code)
        return code

    def phone(self) -> str:
        digits = self.rng.randrange(10**6)
        return self._code(f"+44 20 7{digits // 1000:03} {1000 + digits % 1000 * 8:04}")

    def mail(self) -> str:
        given, family = self.rng.choice(GIVEN.split()), self.rng.choice(FAMILY.split())
        name = re.sub("[^a-z.]", "", f"{given}.{family}".lower())
        return self._code(f"{name}{self.rng.randrange(99)}@example.org")

    def iban(self) -> str:
        account = f"{self.rng.randrange(10**18):018}"
        check = 98 - int(account + "131400") % 97
        return self._code(f"DE{check:02}{account}")

    def date(self) -> str:
        rng = self.rng
        return f"{rng.randint(1930, 2024)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"

    def amount(self) -> str:
        return self.rng.choice(
            [f"{self.rng.randint(1, 99999)}", f"{self.rng.randint(1, 9999)}.{self.rng.randint(0, 99):02}"]
        )

    def zip(self) -> str:
        return f"{self.rng.randint(10000, 99999)}"

    def count(self) -> str:
        return str(self.rng.randint(0, 40))

    def id(self) -> str:
        return self.rng.choice([str(self.rng.randint(1, 9999)), f"A-{self.rng.randint(100, 999)}"])

    def city(self) -> str:
        return self.rng.choice(CITIES.split())

    def flag(self) -> str:
        return self.rng.choice("YN")

    def sex(self) -> str:
        return self.rng.choice("MF")

    def note(self) -> str:
        return self.rng.choice(NOTES)

    def any(self) -> str:
        return str(getattr(self, self.rng.choice(FIELDS))())


HEADERS = {
    "name": ("name", "full_name", "customer", "Patient Name"),
    "nickname": ("known_as", "name"),
    "phone": ("phone", "mobile", "Telephone"),
    "mail": ("email", "mail", "E-Mail"),
    "iban": ("iban", "account"),
    "date": ("date", "dob", "admitted", "Date of visit"),
    "amount": ("amount", "total", "price"),
    "zip": ("zip", "postcode", "ZIP"),
    "count": ("count", "qty", "n"),
    "id": ("id", "ref", "case_id"),
    "city": ("city", "town", "City"),
    "flag": ("active", "paid"),
    "sex": ("sex", "gender"),
    "note": ("note", "comment", "remarks"),
}
FIELDS = tuple(HEADERS)


def table(rng: random.Random, values: Values) -> tuple[str, Callable[[str], Any]]:
    fields = [rng.choice(FIELDS) for _ in range(rng.randint(1, 8))]
    size = rng.choice([0, 1, 2, 3, rng.randint(0, 8), rng.randint(0, 40)])
    has_header = size == 0 or rng.random() < 0.75
    separator = rng.choice(",;\t|")
    quoting: Any = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=separator, quoting=quoting, lineterminator="\n")
    if has_header:
        writer.writerow([rng.choice(HEADERS[name]) for name in fields])
    for _ in range(size):
        cells = ["" if rng.random() < 0.08 else str(getattr(values, name)()) for name in fields]
        writer.writerow(cells if any(cells) else [*cells[:-1], "-"])

    def read(part: str) -> Any:
        rows = list(csv.reader(io.StringIO(part), delimiter=separator, strict=True))
        # Where no row follows, nobody can tell a header from a row.
        return [len(row) for row in rows], rows[0] if has_header and size else None

    return stream.getvalue().rstrip("\n"), read


KEYS = "id name customer address items status note total phone email active owner history created meta tags zip".split()


def _tree(rng: random.Random, values: Values, depth: int) -> Any:
    kind = rng.random()
    if depth > 0 and kind < 0.35:
        keys = dict.fromkeys(rng.choices(KEYS, k=rng.randint(1, 5)))
        if rng.random() < 0.1:
            keys[values.name()] = None
        return {key: _tree(rng, values, depth - 1) for key in keys}
    if depth > 0 and kind < 0.55:
        return [_tree(rng, values, depth - 1) for _ in range(rng.randint(0, 4))]
    if kind < 0.7:
        return rng.choice([True, False, None, rng.randint(0, 99999), round(rng.uniform(-90, 90), 4)])
    return values.any()


def _root(rng: random.Random, values: Values) -> Any:
    """A mapping or a list with something in it."""
    while not isinstance(value := _tree(rng, values, rng.randint(1, 4)), dict | list) or not value:
        pass
    return value


def tree_shape(value: Any, names: Sequence[str]) -> Any:
    """Nested keys and types. A key that names somebody counts as any text; a number or date may become text."""
    if isinstance(value, list) and value and value[0] is PAIRS:
        keys = [key for key, _ in value[1:]]
        if len(set(keys)) != len(keys):
            raise ValueError("a key twice")
        return {
            "keys": [None if key in names or not set(key) <= LOWER else key for key in keys],
            "values": [tree_shape(inner, names) for _, inner in value[1:]],
        }
    if isinstance(value, list):
        return [tree_shape(inner, names) for inner in value]
    return type(value).__name__


PAIRS = object()
LOWER = frozenset("abcdefghijklmnopqrstuvwxyz")


def as_pairs(value: Any) -> Any:
    if isinstance(value, dict):
        return [PAIRS, *((str(key), as_pairs(inner)) for key, inner in value.items())]
    return [as_pairs(inner) for inner in value] if isinstance(value, list) else value


def json_case(rng: random.Random, values: Values) -> tuple[str, Callable[[str], Any]]:
    root = _root(rng, values)
    count = rng.choice([1, 1, 1, 3]) if isinstance(root, dict) else 1
    rows = [root, *(_root(rng, values) for _ in range(count - 1))]
    indent = rng.choice([None, 2]) if count == 1 else None
    text = "\n".join(json.dumps(row, ensure_ascii=rng.random() < 0.5, indent=indent) for row in rows)

    def read(part: str) -> Any:
        parts = part.split("\n") if count > 1 else [part]
        return [
            tree_shape(json.loads(each, object_pairs_hook=lambda pairs: [PAIRS, *pairs]), values.names)
            for each in parts
        ]

    return text, read


class _Loader(yaml.SafeLoader):  # type: ignore[misc]  # PyYAML has no types
    """Gives mappings as pairs, so that a key that is lost is noticed."""


def _pairs(loader: _Loader, node: yaml.MappingNode) -> Any:
    return [PAIRS, *((str(loader.construct_object(k)), loader.construct_object(v, deep=True)) for k, v in node.value)]


_Loader.add_constructor("tag:yaml.org,2002:map", _pairs)


def yaml_case(rng: random.Random, values: Values) -> tuple[str, Callable[[str], Any]]:
    while not isinstance(root := _root(rng, values), dict) or len(root) < 2:
        pass
    text = yaml.dump(root, allow_unicode=True, sort_keys=False, default_style=rng.choice([None, None, None, '"', "'"]))
    return text.rstrip("\n"), lambda part: tree_shape(yaml.load(part, _Loader), values.names)


def xml_case(rng: random.Random, values: Values) -> tuple[str, Callable[[str], Any]]:
    is_html = rng.random() < 0.3
    tags = ("div", "span", "p", "b", "em", "li") if is_html else ("record", "person", "name", "item", "contact", "v")

    def element(depth: int) -> str:
        tag = rng.choice(tags[:2] if is_html and depth else tags)
        names = rng.sample(["id", "title", "note", "class", "owner"], rng.randint(0, 2))
        attributes = "".join(f" {name}={quoteattr(values.any())}" for name in names)
        if not depth or rng.random() < 0.3:
            inner = escape(values.any())
            if not inner and not is_html:
                return f"<{tag}{attributes}/>"
        else:
            gap = rng.choice(["", "\n"])
            inner = gap + gap.join(element(depth - 1) for _ in range(rng.randint(1, 4))) + gap
        return f"<{tag}{attributes}>{inner}</{tag}>"

    text = element(rng.randint(1, 3))
    if not is_html and rng.random() < 0.3:
        text = '<?xml version="1.0"?>\n' + text

    def read(part: str) -> Any:
        root = html.fragment_fromstring(part) if is_html else etree.fromstring(part.encode())
        return [(element.tag, sorted(element.attrib)) for element in root.iter()]

    return text, read


TOKEN = re.compile(
    r"""(?P<space>\s+)|(?P<comment>//[^\n]*|\#[^\n]*|--[ ][^\n]*|/\*.*?\*/)
    |(?P<literal>'(?:[^'\\\n]|''|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`]*`|-?\d[\d.]*\b)|(?P<word>[\w$@]+)|(?P<mark>.)""",
    re.VERBOSE | re.DOTALL,
)


def token_shape(part: str) -> list[str]:
    """The tokens of code but for blanks, with every literal and every comment as the same one."""
    shape = []
    for token in TOKEN.finditer(part):
        kind = token.lastgroup or ""
        if kind == "mark" and token.group() in "'\"`":
            raise ValueError("a quote that is open")
        if kind != "space":
            shape.append(kind if kind in ("literal", "comment") else token.group())
    return shape


def _sql_text(string: str) -> str:
    return "'" + string.replace("'", "''").replace("\n", " ").replace("\\", "/") + "'"


def sql_case(rng: random.Random, values: Values) -> tuple[str, Callable[[str], Any]]:
    def literal(name: str) -> str:
        value = str(getattr(values, name)())
        return value if name in ("amount", "count", "zip") else _sql_text(value)

    statements = []
    for _ in range(rng.randint(1, 4)):
        fields = rng.sample(FIELDS, rng.randint(1, 5))
        columns = [HEADERS[name][0] + str(i) for i, name in enumerate(fields)]
        kind = rng.random()
        if kind < 0.5:
            rows = [f"({', '.join(map(literal, fields))})" for _ in range(rng.randint(1, 4))]
            gap = rng.choice([", ", ",\n  "])
            statements.append(f"INSERT INTO customers ({', '.join(columns)}) VALUES {gap.join(rows)};")
        elif kind < 0.75:
            changes = ", ".join(f"{column} = {literal(name)}" for column, name in zip(columns, fields, strict=True))
            statements.append(f"UPDATE customers SET {changes} WHERE id = {rng.randint(1, 99)};")
        else:
            where = " AND ".join(f"{column} = {literal(name)}" for column, name in zip(columns, fields, strict=True))
            statements.append(f"SELECT {', '.join(columns)} FROM orders WHERE {where};")
    return "\n".join(statements), token_shape


LEVELS = ("INFO", "WARN", "ERROR", "DEBUG")


def log_case(rng: random.Random, values: Values) -> tuple[str, Callable[[str], Any]]:
    form = rng.choice(["plain", "pairs", "access", "syslog", "json"])

    def line() -> str:
        stamp = (
            f"2024-{rng.randint(1, 12):02}-{rng.randint(1, 28):02} {rng.randint(0, 23):02}:{rng.randint(0, 59):02}:17"
        )
        level = rng.choice(LEVELS)
        if form == "plain":
            return (
                f"{stamp},{rng.randint(100, 999)} {level} app.users - login of {values.name()} <{values.mail()}> failed"
            )
        if form == "pairs":
            return f'ts="{stamp}" level={level} user="{values.name()}" mail={values.mail()} count={values.count()}'
        if form == "access":
            day = f"{rng.randint(1, 28):02}/Mar/2024:10:00:0{rng.randint(0, 9)} +0000"
            request = f"GET /users/{rng.randint(1, 999)}?mail={values.mail()} HTTP/1.1"
            return f'10.0.{rng.randint(0, 9)}.7 - - [{day}] "{request}" 200 {rng.randint(10, 9999)}'
        if form == "json":
            values_of_line = {
                "level": level,
                "user": values.name(),
                "any": values.any(),
                "ids": [rng.randint(1, 9), None],
            }
            return f"Mar {rng.randint(10, 28)} 10:00:01 host app[{rng.randint(100, 999)}]: {json.dumps(values_of_line)}"
        return (
            f"Mar {rng.randint(10, 28)} 10:00:01 host app[{rng.randint(100, 999)}]: {level} call from {values.phone()}"
        )

    def read(part: str) -> Any:
        shape = []
        for each in part.split("\n"):
            if form == "json":
                loaded = json.loads(each[each.index("{") :], object_pairs_hook=lambda pairs: [PAIRS, *pairs])
                shape.append(tree_shape(loaded, values.names))
                continue
            if each.count('"') % 2:
                raise ValueError("a quote that is open")
            words = re.findall(r"\b(?:INFO|WARN|ERROR|DEBUG|GET|app\.users|HTTP/1\.1)", each)
            shape.append((words, re.findall(r"\b(ts|level|user|mail|count)=", each), each.count('"')))
        return shape

    return "\n".join(line() for _ in range(rng.randint(1, 12))), read


def _python(rng: random.Random, values: Values) -> str:
    string = json.dumps(values.any(), ensure_ascii=False)
    return rng.choice(
        [
            f"import os\n\nOWNER = {string}\nLIMIT = {values.count()}\n\ndef find(name={string}):\n"
            f"    # ask {values.name()}\n    return [row for row in ROWS if row['mail'] == '{values.mail()}']\n",
            f"from app import send\n\nsend(to='{values.mail()}', text={string})\nfor i in range({values.count()}):\n"
            f"    print(i, {string})\n",
            f"class Account:\n    owner = {string}\n    phones = ['{values.phone()}', '{values.phone()}']\n\n"
            "    def total(self):\n        return sum(self.rows)\n",
        ]
    )


def _curly(rng: random.Random, values: Values) -> str:
    string = json.dumps(values.any(), ensure_ascii=False)
    return rng.choice(
        [
            f"const owner = {string};\nlet limit = {values.count()};\nfunction find(name) {{\n"
            f"  // ask {values.name()}\n"
            f'  return rows.filter(row => row.mail === "{values.mail()}");\n}}\n',
            f"public class Account {{\n  private String owner = {string};\n  private int limit = {values.count()};\n"
            f'  /* {values.name()} */\n  public String phone() {{ return "{values.phone()}"; }}\n}}\n',
            f'package main\n\nimport "fmt"\n\nfunc main() {{\n\tfmt.Println({string}, {values.count()})\n'
            f'\tsend("{values.mail()}")\n}}\n',
        ]
    )


def code_case(rng: random.Random, values: Values) -> tuple[str, Callable[[str], Any]]:
    if rng.random() < 0.5:
        return _python(rng, values).rstrip("\n"), python_shape
    return _curly(rng, values).rstrip("\n"), token_shape


def python_shape(part: str) -> str:
    class Blank(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.AST:
            return ast.Constant(None)

    return ast.dump(Blank().visit(ast.parse(part)))


MAKERS = dict(zip(KINDS, (table, json_case, yaml_case, xml_case, sql_case, log_case, code_case), strict=True))
_FENCES = {"table": "csv", "log": "text", "code": ""}


def make_case(kind: str, seed: int) -> Case:
    """A structure of a kind, alone, between paragraphs, between lines or in a fenced block."""
    rng = random.Random(f"{kind} {seed}")
    values = Values(rng)
    structure, read = MAKERS[kind](rng, values)
    place = rng.choice(["alone", "alone", "paragraphs", "paragraphs", "fence", "lines"])
    before, after = rng.choice(BEFORE), rng.choice(AFTER)
    gap = "\n" if place == "lines" else "\n\n"
    if place == "fence":
        before, after, gap = f"{before}\n\n```{_FENCES.get(kind, kind)}", f"```\n\n{after}", "\n"
    if place == "alone":
        text, start = structure, 0
    else:
        text, start = before + gap + structure + gap + after, len(before + gap)
    return Case(kind, text, start, start + len(structure), read, values.names, values.codes)


def cases(kind: str, count: int, seed: int = 0) -> Iterator[Case]:
    return (make_case(kind, seed + number) for number in range(count))


def find_fault(case: Case, released: str, part: str, *, has_names: bool) -> str | None:
    """``damaged`` or ``leaked``, with what was read; None where all is well."""
    try:
        shape = case.read(part)
    except Exception as error:  # noqa: BLE001 - whatever the reader raises, it could not read
        return f"damaged ({type(error).__name__})"
    if not is_same(case.read(case.text[case.start : case.end]), shape):
        return "damaged"
    read = f"{released}\n{_unescape(part)}"
    planted = [*case.codes, *(case.names if has_names else ())]
    leaks = [value for value in planted if value in read]
    return f"leaked ({leaks[0]})" if leaks else None


def _unescape(part: str) -> str:
    return re.sub(r"\\u([0-9a-fA-F]{4})", lambda code: chr(int(code[1], 16)), part).replace("&amp;", "&")


NUMBERS = {"int", "float", "date", "datetime"}


def is_same(before: Any, after: Any) -> bool:
    """Equal, but that a number or a date may have become text, and a key that names somebody another text."""
    if isinstance(before, dict):
        return (
            isinstance(after, dict)
            and len(before["keys"]) == len(after["keys"])
            and all(old is None or old == new for old, new in zip(before["keys"], after["keys"], strict=True))
            and is_same(before["values"], after["values"])
        )
    if isinstance(before, list):
        return isinstance(after, list) and len(before) == len(after) and all(map(is_same, before, after))
    if isinstance(before, str) and before in NUMBERS:
        return isinstance(after, str) and after in NUMBERS | {"str", "NoneType"}
    return bool(before == after)


def measure(recipe: str, chosen: Iterable[Case], *, verbose: bool = False) -> Counter[str]:
    """Counts of ``n``, ``damaged``, ``leaked`` and ``withheld``."""
    counts: Counter[str] = Counter()
    pending = list(chosen)
    documents = [Document(str(number), case.text) for number, case in enumerate(pending)]
    for case, outcome in zip(pending, Pipeline(load(recipe)).anonymize(documents), strict=True):
        counts["n"] += 1
        fault: str | None
        if isinstance(outcome, Withheld):
            fault = f"withheld ({outcome.reason})"
        else:
            start, end = outcome.to_released(case.start, case.end)
            part = outcome.text[start:end]
            fault = find_fault(case, outcome.text, part, has_names=recipe not in FORMS_ONLY)
        if fault is not None:
            counts[fault.split(" ")[0]] += 1
            if verbose:
                released = "" if isinstance(outcome, Withheld) else outcome.text
                print(f"--- {recipe} {case.kind} {fault}\n{case.text}\n  ->\n{released}")
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--recipe", action="append")
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--tables", type=int, default=2000)
    parser.add_argument("--json", type=int, default=1000)
    parser.add_argument("--others", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--list", action="store_true", help="print each case that fails")
    arguments = parser.parse_args()
    sizes = {"table": arguments.tables, "json": arguments.json}
    print("| recipe | kind | n | damaged | leaked | withheld |\n| --- | --- | --- | --- | --- | --- |")
    for recipe in arguments.recipe or RECIPES:
        for kind in arguments.kind or KINDS:
            size = sizes.get(kind, arguments.others)
            counts = measure(recipe, cases(kind, size, arguments.seed), verbose=arguments.list)
            shares = [f"{counts[what]} (up to {wilson(counts[what], size)[1]:.1%})" for what in ("damaged", "leaked")]
            print(f"| {recipe} | {kind} | {size} | {shares[0]} | {shares[1]} | {counts['withheld']} |", flush=True)


if __name__ == "__main__":
    main()
