"""A single line of code: recognised by what code is, its identifiers kept, its strings and comments still searched."""

from __future__ import annotations

from itertools import pairwise

import pytest
from benchmarks.code_lines import harmless_lines, leaks, planted_lines, release_lines
from hypothesis import given
from hypothesis import strategies as st

from sfumato.detectors.code_lines import is_code_line, is_command
from sfumato.detectors.structure import find_structure
from sfumato.document import Span

MOST_CHANGED, MOST_LEAKED = 0.03, 0.0
EVERY = 4
"""Every fourth line of the benchmark: all of them take ten seconds."""


@pytest.mark.parametrize("recipe", ["labels", "fast"])
def test_lines_of_code_are_released_as_they_are(recipe: str) -> None:
    lines = harmless_lines()[::EVERY]
    released = release_lines(lines, recipe)
    assert None not in released  # none is taken for another language
    changed = [line.text for line, text in zip(lines, released, strict=True) if text != line.text]
    assert len(changed) <= MOST_CHANGED * len(lines), changed


def test_values_in_strings_and_comments_are_found() -> None:
    lines = list(planted_lines())[::EVERY]
    released = release_lines(lines, "labels")
    leaked = [line.text for line, text in zip(lines, released, strict=True) if leaks(line, text)]
    assert len(leaked) <= MOST_LEAKED * len(lines), leaked


@pytest.mark.parametrize(
    "line",
    [
        "x = np.zeros((3,3))", "const x = await fetch(url);", 'fmt.Println("hello")', "#include <stdio.h>",
        "docker run -p 8080:80 nginx:1.25.3", "pi=3.14159", "E = mc^2", "npm i -D vite", "let mut v = vec![1,2,3];",
        "<?php echo $x; ?>", "git push origin main", "$ ls -la | grep txt", "RUN pip install -r requirements.txt",
        'putStrLn $ "total " ++ show total', "concatMap show . filter odd", "lookup key table >>= parse",
        'printfn "%d items" (List.length items)', "users |> Seq.sortBy name |> Seq.head", "@opts ~w(a b)",
        "(reduce (fn [a b] (+ a b)) xs)", "proc add(a, b: int): int = a + b",
        'return "done"', 'raise ValueError("negative size")', 'echo "ready"',
    ],
)  # fmt: skip
def test_code_is_recognised(line: str) -> None:
    assert is_code_line(line) or is_command(line)


@pytest.mark.parametrize(
    "line",
    [
        "Anna(34) -> Paris, Tom(31) -> Oslo",
        "@anna, are you coming?",
        "thx @anna; see you at eight",
        "git is great, Anna said.",
        "find Anna and make tea",
        "du lundi 10/03/2025 au dimanche",
        "lena_w: ok?? tender++ in the RIF",
        "PID|1||4600921^^^PAS||OSTROWSKI^BEATA",
        "X-Forwarded-For: 2001:db8:44:17::9c",
        "[14/12/2025, 08:03] Temi: is he in hosp??",
        "user=ida.b host=FARM-02 ip=10.55.0.14",
        "Name: Ida Brandvik;",
        "Mesa: Presidente, Sr. Ubirajara (501); Dra. Eny.",
        "if you see Anna: tell her",
        "return the keys to Anna (flat 4)",
        'said "hello" to Ida . then left',
        "Ida Brandvik $ 5, Tom $ 7",
        "pros ++ Brandvik was kind",
        "(Ida Brandvik (+ two children) was seen)",
        "iPhone Brandvik (kaputt)",
        "@ida true",
        "asked Brandvik(nurse: Ida): yes",
    ],
)
def test_sentences_lists_and_records_are_no_code(line: str) -> None:
    assert not is_code_line(line)
    assert not is_command(line)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("let owner = Brandvik;", "Brandvik"),
        ("const admin = kowalski.jan;", "kowalski.jan"),
        ("ssh mkowalski@10.0.0.3", "mkowalski@10.0.0.3"),
        ("useradd jonas -m", "jonas"),
        ("cat /home/jonas/notes.txt", "jonas"),
        ("% export CACHE=/home/ruthm/.cache && make", "ruthm"),
        ('curl -H "Authorization: Bearer idc_live_8Q2m" https://a.example | jq .', "idc_live_8Q2m"),
        ('<?php echo "Ida Brandvik"; ?>', "Ida Brandvik"),
        ("total = 5  # Ida Brandvik asked", "Ida Brandvik"),
        ("assert holder == ida@mail.example", "ida@mail.example"),
    ],
)
def test_what_may_be_personal_in_a_line_of_code_still_goes(line: str, value: str) -> None:
    start = line.index(value)
    span = Span(start, start + len(value), "PERSON", "direct")
    assert find_structure(line).cut_spans([span]) == [span]


@given(st.text(alphabet=" abAZ09.,;:!?(){}[]<>=+-*/\\|&$#@%^~_\"'`", max_size=80))
def test_any_line_is_judged(line: str) -> None:
    pieces = find_structure(line).pieces
    assert all(left.end <= right.start for left, right in pairwise(pieces))
