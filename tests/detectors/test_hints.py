"""A pattern that is tried only where its hints say has the matches that it has everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from training.everyday_corpus import MARK
from training.hints import read_hints

from sfumato.annotated_text import AnnotatedText
from sfumato.detectors.passages import PATTERNS as NEVER_PERSONAL
from sfumato.detectors.rules.detector import PATTERNS
from sfumato.detectors.rules.names_in_context import PATTERNS as INTRODUCTIONS
from sfumato.detectors.rules.search import ANYWHERE, Hints, PatternSearch, Searchable
from sfumato.lexicon.tokens import without_case

DOCUMENTS = Path(__file__).parents[2] / "corpora" / "everyday" / "documents"
SHIPPED: list[Searchable] = [pattern for pattern in (*PATTERNS, *INTRODUCTIONS) if pattern.scope == "text"]
SHIPPED += NEVER_PERSONAL
IDS = [f"{number} {pattern.compiled.pattern[:60]}" for number, pattern in enumerate(SHIPPED)]
AROUND = st.text(alphabet="aZéßſİ1٣_ .,/-\n\t'’+<:@½", max_size=4)


@dataclass(frozen=True)
class Plain(Searchable):
    """A pattern that is nothing but its regular expression."""

    regex: str

    @cached_property
    def hints(self) -> Hints:
        return read_hints(self.regex)


def assert_finds_all(patterns: Iterable[Searchable], text: str) -> None:
    expected = [(p.compiled.pattern, m.span()) for p in patterns for m in p.compiled.finditer(text)]
    for form in (text, AnnotatedText(text)):
        matches = [(p.compiled.pattern, m.span()) for p, m in PatternSearch(patterns).find(form)]
        assert sorted(matches) == sorted(expected)


@pytest.mark.parametrize("pattern", SHIPPED, ids=IDS)
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_shipped_pattern_has_all_its_matches_in_texts_made_of_them(pattern: Searchable, data: st.DataObject) -> None:
    pieces = st.one_of(st.from_regex(pattern.compiled), AROUND)
    assert_finds_all([pattern], "".join(data.draw(st.lists(pieces, min_size=1, max_size=4))))


@pytest.mark.parametrize("language", sorted(folder.name for folder in DOCUMENTS.iterdir()))
def test_all_shipped_patterns_have_all_their_matches_in_everyday_documents(language: str) -> None:
    search = PatternSearch(SHIPPED)
    names = {id(pattern): name for name, pattern in zip(IDS, SHIPPED, strict=True)}
    for file in sorted((DOCUMENTS / language).glob("*.txt")):
        text = AnnotatedText(MARK.sub(r"\3", file.read_text("utf-8")))
        matches = {(names[id(pattern)], match.span()) for pattern, match in search.find(text)}
        assert matches == {
            (name, match.span()) for name, p in zip(IDS, SHIPPED, strict=True) for match in p.compiled.finditer(text)
        }


ATOMS = st.sampled_from(
    [
        *r"a K s ß is Act 7 12 § - \. \d \w \s \W \D \S . [A-Z] [a-z] [ks] [^a] [^\W\d_] [^\W_] [^\d] [0-9]".split(),
        *r"[$\d] [À-Þ] \n ^ $ \Z \A (?<!\w) (?<!\d) (?<![^\W\d_]) (?<![A-Za-z]) (?!\w) (?=\d) (?=a) (?<=\n)".split(),
        *r"(?<=a) \b \B (?=ab|1) (?:) (?!a) (?![^\W\d_]) [xX*]".split(),
        *(" ", "(?<= )", r"(?<!\d )", "[ \t]"),
    ]
)
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda parts: st.one_of(
        st.lists(parts, min_size=1, max_size=4).map("".join),
        st.lists(parts, min_size=1, max_size=4).map(lambda branches: f"(?:{'|'.join(branches)})"),
        st.tuples(parts, st.sampled_from(["?", "*", "+", "{2}", "{0,2}", "{1,3}", "?+", "+?"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
        parts.map(lambda part: f"(?i:{part})"),
        parts.map(lambda part: f"(?>{part})"),
        parts.map(lambda part: f"(?=(?:{part}))"),
        parts.map(lambda part: rf"({part})"),
    ),
    max_leaves=8,
)
TEXTS = st.text(alphabet="aAkKſsßẞiİıctAct0127٣§-$ .\n\t_éÀxX*½", max_size=24)


@settings(max_examples=400, suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from(["", "(?i)", "(?m)", "(?im)", "(?s)", "(?a)"]), EXPRESSIONS, st.lists(TEXTS, min_size=1, max_size=4)
)
def test_any_expression_has_all_its_matches(flags: str, expression: str, texts: list[str]) -> None:
    pattern = Plain(flags + expression)
    for text in texts:
        assert_finds_all([pattern], text)


@pytest.mark.parametrize(
    ("regex", "hints"),
    [
        ("(?i)bearer [a-z]+", ANYWHERE._replace(needs=frozenset(["bearer "]), caseless=True)),
        (r"(?i)(?<!\w)(?:no|nr)\.? ?\d+", Hints(digit_within=4, words=frozenset(["no", "nr"]))),
        (r"(?<![\w-])[A-Z]{2,5}-?\d{4}", Hints(digit_within=6, letters="ABCDEFGHIJKLMNOPQRSTUVWXYZ")),
        (r"§§? ?\d", Hints(needs=frozenset("§"), digit_within=3, signs="§")),
        (r"(?<!\d)\d+%", Hints(needs=frozenset("%"), digit_within=0, numbers=True)),
        (r"(?m)^[ \t]*\w+:", Hints(needs=frozenset(":"), lines=True)),
        (r"\w*", ANYWHERE),
        ("(", ANYWHERE),
    ],
)
def test_what_is_read_of_an_expression(regex: str, hints: Hints) -> None:
    assert read_hints(regex) == hints


def test_characters_that_differ_by_case_alone_have_one_form_without_case() -> None:
    every = "".join(map(chr, range(0x20000)))
    for character in filter(lambda c: without_case(c) != c or c.upper() != c, every):
        for same in re.findall(f"(?i){re.escape(character)}", every):
            assert without_case(same) == without_case(character)
