"""Ages, dates of birth and ZIP codes under any key and in any wording: what the recipe ``hipaa`` leaves of them.

    python -m benchmarks.safe_harbor_cases                   # 3,000 cases and 1,000 ordinary numbers
    python -m benchmarks.safe_harbor_cases --n 300 --list    # each case that fails
    python -m benchmarks.safe_harbor_cases --print 100       # releases to read

A case is a record, a form, a table or a sentence with one fact about an invented person. The judge knows the fact and
reads the release by itself: it shares no reader of ages, dates or codes with the package. A fact that Safe Harbor lets
stay (an age up to 89, the year of a later birth, the first three digits of most ZIP codes) has to stay.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import random
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

import sfumato
from sfumato.statistics import wilson

Kind = Literal["age", "birth", "zip", "pair", "ordinary"]
Format = Literal["prose", "json", "xml", "csv", "lines"]

RESTRICTED = frozenset("036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893".split())
_OLDEST = 89
_NAMES = ("Anna Quorvex", "Tom Belnik", "Ida Sturmhof", "Marek Dvorzhak", "Rosa Tellamy", "Enid Okonvale")
_DIAGNOSES = ("hip fracture", "pneumonia", "atrial fibrillation", "gout", "cataract")


@dataclass(frozen=True)
class Case:
    """A text with one fact, and what the judge must know of it."""

    kind: Kind
    text: str
    format: Format
    spelling: str
    age: int = 0
    born: date = date(1900, 1, 1)
    seen: int | None = None
    """The year that the text is of, where it says one."""
    zip: str = ""
    stays: tuple[str, ...] = ()
    """What must be in the release as written."""
    separator: str = ","
    goes: tuple[str, ...] = field(default=())
    """Strings of which the release may have none."""


# Spellings: whose it is, what it is, how it is written.

_WORDINGS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_SENTENCES, _KEYS, _LABELS = _WORDINGS["sentences"], _WORDINGS["keys"], _WORDINGS["labels"]


def _camel(words: Sequence[str]) -> str:
    return words[0] + "".join(word[:1].upper() + word[1:] for word in words[1:])


_STYLES: tuple[Callable[[Sequence[str]], str], ...] = (
    _camel,
    _camel,
    lambda words: "".join(word[:1].upper() + word[1:] for word in words),
    "_".join,
    "_".join,
    lambda words: "_".join(words).upper(),
    "-".join,
    ".".join,
    lambda words: "".join(words).upper(),
    "".join,
)


def _key(rng: random.Random, kind: str) -> str:
    words = f"{rng.choice(_WORDINGS['owners'])} {rng.choice(_KEYS[kind])}".split()
    return rng.choice(_STYLES)(words)


# Wordings.

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()


def _in_words(number: int) -> str:
    if number < 20:
        return _UNITS[number]
    if number < 100:
        return _TENS[number // 10] + (f"-{_UNITS[number % 10]}" if number % 10 else "")
    return "a hundred" + (f" and {_in_words(number - 100)}" if number > 100 else "")


def _ordinal(number: int) -> str:
    last = number % 10 if number % 100 not in (11, 12, 13) else 0
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(last, 'th') }".replace(" ", "")


_MONTHS = "January February March April May June July August September October November December".split()
_DATE_FORMS: tuple[Callable[[date], str], ...] = (
    lambda day: day.isoformat(),
    lambda day: day.isoformat(),
    lambda day: f"{day.month}/{day.day}/{day.year}",
    lambda day: f"{day.month:02}/{day.day:02}/{day.year}",
    lambda day: f"{day.day}.{day.month}.{day.year}",
    lambda day: f"{day.day} {_MONTHS[day.month - 1]} {day.year}",
    lambda day: f"{_MONTHS[day.month - 1]} {day.day}, {day.year}",
    lambda day: f"{day.day:02}-{_MONTHS[day.month - 1][:3]}-{day.year}",
    lambda day: f"{day.year}{day.month:02}{day.day:02}",
    lambda day: f"{day.isoformat()}T00:00:00Z",
    lambda day: f"{day.month}/{day.day}/{day.year % 100:02}",
    lambda day: str(day.year),
)


# Formats: a record with the fact under a key.

_Record = list[tuple[str, str | int]]


def _record(rng: random.Random, key: str, value: str | int) -> _Record:
    others: _Record = [
        ("name", rng.choice(_NAMES)),
        ("sex", rng.choice("MF")),
        ("diagnosis", rng.choice(_DIAGNOSES)),
        ("pulse", rng.randrange(60, 89)),
    ]
    record = rng.sample(others, rng.randrange(1, 4))
    record.insert(rng.randrange(len(record) + 1), (key, value))
    return record


def _json(rng: random.Random, record: _Record, key: str) -> str:
    value = dict(record)[key]
    match rng.randrange(10):
        case 0:
            return json.dumps({"patient": dict(record), "id": 3}, ensure_ascii=False)
        case 1:
            return json.dumps([dict(record), {**dict(record), "name": "Tom Belnik"}], ensure_ascii=False, indent=2)
        case 2:
            return json.dumps({key: {"value": value}, "status": "final"}, ensure_ascii=False)
        case 3:
            return json.dumps({"code": {"text": key}, "valueString": str(value)}, ensure_ascii=False)
        case 4:
            return json.dumps({"question": key, "answer": value}, ensure_ascii=False)
        case 5:
            return json.dumps({key: value}, ensure_ascii=False)
        case 6:
            names, values = zip(*record, strict=True)
            return json.dumps({"columns": names, "rows": [values, values]}, ensure_ascii=False)
        case 7:
            return json.dumps([list(pair) for pair in zip(*record, strict=True)], ensure_ascii=False)
    return json.dumps(dict(record), ensure_ascii=False, indent=rng.choice((None, 2)))


def _header_and_cells(record: _Record, name: str, key: str) -> Iterator[tuple[str, list[str]]]:
    yield "th", [name if k == key else k for k, _ in record]
    yield "td", [str(value) for _, value in record]


def _xml(rng: random.Random, record: _Record, key: str) -> str:
    value = dict(record)[key]
    name = re.sub(r"[^\w.-]", "", key)
    match rng.randrange(6):
        case 0:
            return f'<patient {name}="{value}" active="yes"/>'
        case 1:
            return f'<Patient><{name} value="{value}"/></Patient>'
        case 2:
            return f'<record><field name="{name}">{value}</field></record>'
        case 3:
            return f'<record><obs code="{name}" value="{value}"/></record>'
        case 4:
            rows = (
                "".join(f"<{tag}>{cell}</{tag}>" for cell in row) for tag, row in _header_and_cells(record, name, key)
            )
            return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
    rest = "".join(f"<{k}>{v}</{k}>" for k, v in record if k != key)
    return f"<patient>{rest}<{name}>{value}</{name}></patient>"


def _table(rng: random.Random, record: _Record, key: str, separator: str) -> str:
    rows = [[str(value) for _, value in record] for _ in range(rng.randrange(1, 6))]
    for row in rows[1:]:
        for index, (name, _) in enumerate(record):
            row[index] = rng.choice(_NAMES) if name == "name" else row[index]
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=separator, lineterminator="\n")
    writer.writerow([name for name, _ in record])
    writer.writerows(rows)
    return buffer.getvalue()


def _lines(rng: random.Random, record: _Record, key: str) -> str:
    match rng.randrange(6):
        case 4:
            return "".join(f"- key: {k}\n  value: {v}\n" for k, v in record)
        case 0:
            return "\n".join(f"{k}: {v}" for k, v in record)
        case 1:
            return "\n".join(f"{k}{'.' * (24 - len(k))}: {v}" for k, v in record)
        case 2:
            return "   ".join(f"{k}: {v}" for k, v in record)
        case 3:
            return "\n".join(f"{re.sub('[^A-Za-zÀ-ÿ0-9_.-]', '_', k)}={v}" for k, v in record)
    header = " | ".join(k for k, _ in record)
    ruler = " | ".join("---" for _ in record)
    return f"| {header} |\n| {ruler} |\n| {' | '.join(str(v) for _, v in record)} |"


def _structured(rng: random.Random, kind: str, value: str | int) -> tuple[str, Format, str, str]:
    """The text, its format, the key and the separator."""
    style = rng.randrange(5)
    is_label = style == 4 or rng.random() < 0.2
    key = rng.choice(_LABELS[kind]) if is_label and style != 1 else _key(rng, kind)
    record = _record(rng, key, value)
    if style == 0:
        return _json(rng, record, key), "json", key, ""
    if style == 1:
        return _xml(rng, record, key), "xml", key, ""
    if style in (2, 3):
        separator = rng.choice(",,;\t|")
        return _table(rng, record, key, separator), "csv", key, separator
    return _lines(rng, record, key), "lines", key, ""


# Cases.


def _age_case(rng: random.Random) -> Case:
    if rng.random() < 0.1:
        entry = rng.choice(_WORDINGS["old_age"])
        text = entry["sentence"]
        return Case("age", text, "prose", text, age=95, goes=tuple(entry["goes"]))
    age = rng.randrange(90, 109) if rng.random() < 0.65 else rng.randrange(21, 89)
    if rng.random() < 0.45:
        form = rng.choice(_SENTENCES["age"] if age <= _OLDEST else _SENTENCES["age"] + _SENTENCES["old"])
        age = min(age, 99) if "{words}" in form and age > 102 else age
        age += 1 if "{next_nth}" in form and age == 90 else 0
        text = form.format(
            n=age, nth=_ordinal(age), next_nth=_ordinal(age + 1), words=_in_words(age), name=rng.choice(_NAMES)
        )
        if "{words}" in form and text.startswith("This is a a "):
            text = text.replace("a a ", "a ")
        stays = () if age > _OLDEST or "th" in form else (_in_words(age) if "{words}" in form else str(age),)
        return Case("age", text, "prose", form, age=age, stays=stays)
    value: str | int = rng.choice((age, age, str(age), f"{age} years", f"{age}y"))
    text, form_, key, separator = _structured(rng, "age", value)
    return Case("age", text, form_, key, age=age, stays=() if age > _OLDEST else (str(age),), separator=separator)


def _birth_case(rng: random.Random) -> Case:
    seen = rng.choice((None, rng.randrange(2005, 2026)))
    reference = seen or date.today().year
    year = reference - (rng.randrange(90, 110) if rng.random() < 0.65 else rng.randrange(30, 89))
    born = date(year, 1, 1) + timedelta(days=rng.randrange(365))
    in_prose = rng.random() < 0.45
    form = rng.choice(_SENTENCES["birth"]) if in_prose else ""
    written = rng.choice(_DATE_FORMS)(born)
    if in_prose and written.endswith("Z"):  # nobody writes "born on 1950-06-13T00:00:00Z"
        written = born.isoformat()
    if in_prose and written == str(born.year):  # nor "born on 1950"
        form = "He was born in {date}."
    format_: Format = "prose"
    key, separator = form, ""
    if in_prose:
        text = form.format(date=written, year=born.year, yy=f"{born.year % 100:02}", name=rng.choice(_NAMES))
    else:
        text, format_, key, separator = _structured(rng, "birth", written)
    if seen is not None and format_ in ("prose", "lines"):
        text += f"\nSeen in {seen}." if format_ == "lines" else f" Seen on 4 June {seen}."
    elif seen is not None:
        seen = None
        if date.today().year - born.year > _OLDEST and born.year > reference - 90:
            return _birth_case(rng)  # without its year the text is of today
    is_old = (seen or date.today().year) - born.year > _OLDEST
    has_year = str(born.year) in text
    stays = (str(born.year),) if has_year and not is_old else ()
    return Case("birth", text, format_, key, born=born, seen=seen, stays=stays, separator=separator)


def _zip_case(rng: random.Random) -> Case:
    area = rng.choice(sorted(RESTRICTED)) if rng.random() < 0.3 else f"{rng.randrange(5, 999):03}"
    code = area + f"{rng.randrange(1, 99):02}"
    stays = ("000",) if area in RESTRICTED else (area,)
    if rng.random() < 0.4:
        form = rng.choice(_SENTENCES["zip"])
        written = code if rng.random() < 0.8 else f"{code}-{rng.randrange(1000, 9999)}"
        return Case("zip", form.format(zip=written), "prose", form, zip=code, stays=() if "+4" in form else stays)
    shape = rng.random()
    value: str | int = code if shape < 0.5 else int(code) if shape < 0.8 else f"{code}-{rng.randrange(1000, 9999)}"
    text, format_, key, separator = _structured(rng, "zip", value)
    return Case("zip", text, format_, key, zip=code, stays=stays, separator=separator)


def _pair_case(rng: random.Random) -> Case:
    form = rng.choice(_SENTENCES["pair"])
    z = rng.randrange(2000, 2026)
    b = z - rng.randrange(90, 106)
    a = rng.randrange(18, 60)
    text = form.format(a=a, y=b + a, z=z, b=b, name=rng.choice(_NAMES))
    return Case("pair", text, "prose", form, age=a, born=date(b, 6, 1), seen=z, stays=())


def cases(n: int, seed: int = 0) -> Iterator[Case]:
    """Invented cases: a third each of ages, births and ZIP codes, and a tenth of pairs that tell an age together."""
    rng = random.Random(seed)
    make = (_age_case, _birth_case, _zip_case)
    for number in range(n):
        yield _pair_case(rng) if number % 10 == 9 else make[number % 3](rng)


def ordinary_cases(n: int, seed: int = 0) -> Iterator[Case]:
    """Numbers from 90 to 110 and of five digits that are no age and no ZIP code."""
    rng = random.Random(seed)
    for _ in range(n):
        form = rng.choice(_SENTENCES["ordinary"])
        text = form.format(n=rng.randrange(90, 110), five=rng.randrange(10_000, 99_999))
        yield Case("ordinary", text, "prose", form)


# The judge.

_DOUBLED = re.compile(r"(?i)(?<![\w-])([^\W\d_]{2,})[ -]\1(?![\w-])")
_UNGRAMMATICAL = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bof age (?:of )?age\b",
        r"\bage[sd]? (?:of )?(?:aged?|years?)\b",
        r"\baged aged\b",
        r"\b(?:over|older) (?:years?|of age|age|old)\b",
        r"\b(?:over|older)-",
        r"90\+ ?(?:th|st|nd|rd)\b",
        r"\b(?:or over|or older|or later|or earlier) (?:or|and) (?:over|older|later|earlier)\b",
        r"\b(?:or over|or older) (?:man|woman|gentleman|lady|male|female|patient)\b",
        r"\ban 90",
        r"\ba an?\b|\ban an?\b|\bthe the\b",
        r"\b[A-Z]+_\d+ (?:of age|years?|age|old|birthday|jahre|años|ans|anni|anos|jaar)\b",
        r"\b[A-Z]+_\d+-(?:year|yr|jähr|jarig)",
        r"\bor earlier(?:\d|[-/.]\d|,? \d{4}\b)",
        r"\b(?:months?|days?) (?:months?|days?|years?)\b",
        r"90 (?:or over|oder älter|o más|ou plus|o più|ou mais|of ouder) "
        r"(?:años|ans|anni|anos|jaar|jahren?|years?|oud|alt)\b",
        r"90\+[- ]?(?:years?|year) (?:years?|year)",
        r"\b(?:on|am|el|il|op) (?:19|20)\d\d(?![-/.\d])",
        r"(?:\d{4}|earlier|eerder|früher|avant|antes|prima)T\d\d:|(?-i:[a-z]{3}[A-Z]{3,}_\d)",
        r"'\d{4} or earlier|(?:spring|winter|summer|autumn) of \d{4} or earlier",
    )
)


def faults(case: Case, release: str) -> list[str]:
    """What is wrong with a release: a fact that is left, one that had to stay, a sentence or a format that broke."""
    found = [*_left(case, release)]
    found += [f"gone: {kept}" for kept in case.stays if kept not in release]
    if case.kind == "ordinary":
        return [] if release == case.text else ["changed"]
    if case.format == "prose":
        new = [match.group() for pattern in _UNGRAMMATICAL for match in pattern.finditer(release)]
        new += [match.group() for match in _DOUBLED.finditer(release)]
        found += [f"grammar: {phrase}" for phrase in new if phrase not in case.text]
    return [*found, *_broken(case, release)]


def _numbers(text: str) -> list[int]:
    """Every number in the text that belongs to no label of ours."""
    return [int(digits) for digits in re.findall(r"\d+", re.sub(r"\b[A-Z]+_\d+\b", "", text))]


def _years(text: str) -> list[int]:
    """Every year in the text, those at the beginning of dates without separators included."""
    text = re.sub(r"\b[A-Z]+_\d+\b", "", text)
    return [
        int(year)
        for year in re.findall(r"(?<!\d)((?:19|20)\d\d)(?!\d)|(?<!\d)((?:19|20)\d\d)(?=\d{4}(?!\d))", text)
        for year in year
        if year
    ]


def _left(case: Case, release: str) -> Iterator[str]:
    folded = release.casefold()
    for phrase in case.goes:
        if phrase.casefold() in folded:
            yield f"left: {phrase}"
    if case.kind == "age" and case.age > _OLDEST and not case.goes:
        if case.age != 90 and case.age in _numbers(release):
            yield f"left: age {case.age}"
        if case.age == 90 and re.search(r"(?<!\d)90(?!\d)(?!\+| o[rfu]? | oder | ou |th or)", release):
            yield "left: age 90"
        words = _in_words(case.age).removeprefix("a ")
        if re.search(rf"\b{words}\b", folded) or re.search(rf"\b{words.replace('-', ' ')}\b", folded):
            yield f"left: age {words}"
        if case.age + 1 in _numbers(release) and "{next_nth}" in case.spelling:
            yield f"left: year of life {case.age + 1}"
    if case.kind == "birth":
        yield from _left_of_birth(case, release)
    if case.kind == "zip":
        yield from _left_of_zip(case, release)
    if case.kind == "pair":
        yield from _left_of_pair(case, release)


def _left_of_birth(case: Case, release: str) -> Iterator[str]:
    """The year where it tells an age over 89, and days and months always; a bound has to be true."""
    reference = case.seen or date.today().year
    bounds = [
        int(year)
        for year in re.findall(
            r"(\d{4}) (?:or earlier|o antes|oder früher|ou avant|o prima|ou antes|of eerder)", release
        )
    ]
    rest = re.sub(r"\d{4} (?:or earlier|o antes|oder früher|ou avant|o prima|ou antes|of eerder)", "", release)
    for bound in bounds:
        if bound < case.born.year or bound > date.today().year - 90:
            yield f"false bound {bound}"
    is_told = case.born.year in _years(rest) or re.search(rf"['’/]{case.born.year % 100:02}\b", rest)
    if is_told and reference - case.born.year > _OLDEST:
        yield f"left: birth {case.born.year}"
    day, month = case.born.day, case.born.month
    pieces = (
        case.born.isoformat()[4:],
        f"{month}/{day}/",
        f"{month:02}/{day:02}",
        f"{day}.{month}.",
        f"{day} {_MONTHS[month - 1]}",
        f"{_MONTHS[month - 1]} {day}",
        f"{day:02}-{_MONTHS[month - 1][:3]}",
        case.born.isoformat().replace("-", ""),
    )
    for piece in pieces:
        if piece in rest and (case.seen is None or piece not in f"4 June {case.seen}"):
            yield f"left: day {piece}"


def _left_of_zip(case: Case, release: str) -> Iterator[str]:
    digits = {str(number) for number in _numbers(release)} | set(re.findall(r"\d+", release))
    for run in digits:
        if len(run) > 3 and (run.startswith(case.zip[:4]) or case.zip.lstrip("0").startswith(run)):
            yield f"left: zip {run}"
    area = case.zip[:3]
    if area in RESTRICTED and (area in digits or area.lstrip("0") in digits - {"0"}):
        yield f"left: area {area}"


def _left_of_pair(case: Case, release: str) -> Iterator[str]:
    """Whether birth and another year, or an age at a year and another year, still stand side by side."""
    years, numbers = _years(release), _numbers(release)
    bounds = {int(year) for year in re.findall(r"(\d{4}) or earlier", release)}
    latest = max(years, default=0)
    if case.born.year in set(years) - bounds and latest - case.born.year > _OLDEST:
        yield "left: birth and a later year"
    event = case.born.year + case.age
    if case.age in numbers and event in years and latest - case.born.year > _OLDEST and "{a}" in case.spelling:
        yield "left: age at an event, its year and a later year"


def _broken(case: Case, release: str) -> Iterator[str]:
    if case.format == "json":
        try:
            json.loads(release)
        except ValueError:
            yield "broken JSON"
    elif case.format == "xml":
        try:
            ElementTree.fromstring(release)
        except ElementTree.ParseError:
            yield "broken XML"
    elif case.format == "csv":
        before, after = (
            [len(row) for row in csv.reader(text.splitlines(), delimiter=case.separator)]
            for text in (case.text, release)
        )
        if before != after:
            yield "other cells"


def run(n: int, ordinary: int, seed: int, recipe: str = "hipaa") -> list[tuple[Case, str, list[str]]]:
    """Each case with its release and what is wrong with it."""
    every = [*cases(n, seed), *ordinary_cases(ordinary, seed)]
    releases = [_release(case, recipe) for case in every]
    return [
        (case, release or "", ["withheld"] if release is None else faults(case, release))
        for case, release in zip(every, releases, strict=True)
    ]


def _release(case: Case, recipe: str) -> str | None:
    try:
        return sfumato.anonymize(case.text, recipe=recipe).text
    except (sfumato.UncoveredLanguage, sfumato.NotReleased):
        return None


def _print(results: Iterable[tuple[Case, str, list[str]]]) -> None:
    results = list(results)
    sorts = ("left", "false", "grammar", "gone", "broken", "other", "changed", "withheld")
    for kind in ("age", "birth", "zip", "pair", "ordinary"):
        of_kind = [(case, problems) for case, _, problems in results if case.kind == kind]
        failed = Counter(
            sort for _, problems in of_kind for sort in {problem.split()[0].strip(":") for problem in problems}
        )
        any_failed = sum(bool(problems) for _, problems in of_kind)
        low, high = wilson(any_failed, len(of_kind)) if of_kind else (0.0, 0.0)
        shown = "  ".join(f"{sort} {failed[sort]}" for sort in sorts if failed[sort])
        print(f"{kind:9} n {len(of_kind):5}  failed {any_failed:4}  ({100 * low:.2f} to {100 * high:.2f} %)  {shown}")
    print(f"spellings {len({(case.kind, case.spelling) for case, _, _ in results})}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=3000)
    parser.add_argument("--ordinary", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--recipe", default="hipaa")
    parser.add_argument("--list", action="store_true", help="each case that fails")
    parser.add_argument("--print", type=int, default=0, metavar="N", help="the first N texts with their releases")
    arguments = parser.parse_args()
    results = run(arguments.n, arguments.ordinary, arguments.seed, arguments.recipe)
    for case, release, problems in results:
        if arguments.list and problems:
            print(f"{case.kind} {problems}\n  {case.text!r}\n  {release!r}")
    for case, release, _ in results[: arguments.print]:
        print(f"{case.text}\n  => {release}\n")
    _print(results)


if __name__ == "__main__":
    main()
