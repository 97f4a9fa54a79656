"""Derive the table that ``sfumato.generalize.demographics`` ships: attributes of people by kind.

Run it from the repository root: ``pip install simple-icd-10-cm==1.5.0 && python -m training.build_demographics``.
The same word lists and library version give the same bytes. Sources: ``src/sfumato/lexicon/data/SOURCES.md``.

A word list holds one kind a line, the narrower ones indented below it:
``kind = other names [how it stands before a noun] {ICD-10 codes}: terms``. A kind behind "~" only groups, one
behind "%" takes no article; a name before "!" means this only where it stands alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import simple_icd_10_cm as icd

from sfumato.lexicon.grammar_en import word_classes
from sfumato.lexicon.name_lists import given_names, lookup_key
from sfumato.models.table_scorers import RAREST, frequencies
from training.tables import WORDLISTS, write

TABLES = {
    "demographics": ("dem_occupations", "dem_people", "dem_health", "dem_body"),
    "languages": ("dem_languages",),
}
LINE = re.compile(
    r"(?P<indent> *)(?P<mark>[~%]?)(?P<phrase>[^=:\[\]]+?)\s*(?:=\s*(?P<names>[^:\[\]]+?))?"
    r"\s*(?:\[(?P<modifier>[^\]]+)\])?\s*(?:\{(?P<codes>[^}]+)\})?\s*(?::\s*(?P<terms>.+))?"
)
UNPLAIN = re.compile(
    r"[,;/:\d]|\b(?:other|unspecified|specified|elsewhere|classified|encounter|sequelae?|with|without|due|and|or|not|by|as|"
    r"diseases|disorders|infections|injuries|neoplasms|conditions|complications|problems|findings|status|history|exposure|"
    r"personal|routine|level|stage|abnormal|effects?|causes?|organisms?|agents?|type|use|multiple|nec|in|following|during|pregnancy|labor|"
    r"air leak|fat pad|death|suicide|suicidal|reaction|shock|behaviou?r|state|class|grief|family)\b"
)
"""What makes a title no plain name of one condition."""
BRITISH = (
    (r"emia\b", "aemia"),
    (r"\bedema", "oedema"),
    (r"hemorrhag", "haemorrhag"),
    (r"\besophag", "oesophag"),
    (r"rrhea\b", "rrhoea"),
    (r"tumor\b", "tumour"),
    (r"\bhemat", "haemat"),
    (r"\bhemo", "haemo"),
    (r"\bgynec", "gynaec"),
    (r"fetal\b", "foetal"),
)
CATEGORIES = [code for code in icd.get_all_codes(False) if len(code) == 3]
MEDICAL = re.compile(
    r"(?:itis|[oia]sis|[aio]emia|emia|uria|oma|pathy|algia|plasia|trophy|penia|rrh[eo]+a|rrhage|megaly|plegia|paresis|"
    r"cele|lepsy|phobia|mania|op[st]?ia|phagia|phasia|phonia|praxia|gnosia|malacia|ptosis|schisis|dactyly|cephaly|"
    r"spasm|lysis|edema|ectasia|ism)$"
)
"""How single words that name conditions end."""
MOST_WORDS = 3
EVERYDAY = 520
FURTHER = 150
"""In hundredths of a decade: how much rarer a name is for each word more."""
SIGNS = {"noun": "n", "mass": "m", "plural": "p", "adjective": "a", "verb": "v"}


@dataclass
class Node:
    depth: int
    sign: str
    phrase: str
    modifier: str
    names: list[str]
    terms: list[str]
    codes: list[str] = field(default_factory=list)


def parse(lines: Iterable[str]) -> Iterator[Node]:
    sign = "n"
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("@"):
            sign = SIGNS[line[1:].strip()]
            continue
        found = LINE.fullmatch(line.rstrip())
        if not found:
            raise SystemExit(f"line {number} is no kind: write 'kind = other names [modifier]: terms'")
        yield Node(
            len(found["indent"]),
            {"~": sign.upper(), "%": "m"}.get(found["mark"], sign),
            found["phrase"].strip(),
            found["modifier"] or "",
            several(found["names"]),
            several(found["terms"]),
            (found["codes"] or "").split(),
        )


def several(listed: str | None) -> list[str]:
    return list(dict.fromkeys(lookup_key(one.strip()) for one in (listed or "").split(",") if one.strip()))


def rarity(name: str) -> int:
    """How rare a name is: its rarest word, and more for every further one."""
    words = re.findall(r"[^\W_]+", name)
    return max((frequencies("en").get(word, RAREST) for word in words), default=RAREST) + FURTHER * max(
        len(words) - 1, 0
    )


def rows(nodes: Iterable[Node]) -> Iterator[str]:
    """The lines of the table."""

    def weighed(names: Iterable[str]) -> str:
        return ";".join(f"{name}={rarity(name)}" for name in names)

    for n in nodes:
        names = weighed([lookup_key(n.phrase), *n.names])
        yield "\t".join((str(n.depth), n.sign, n.phrase, n.modifier, names, weighed(n.terms)))


def check(nodes: list[Node]) -> None:
    """No kind stands twice, and indentation grows by one."""
    before, seen = -1, set()
    for node in nodes:
        if node.phrase in seen or node.depth > before + 1:
            raise SystemExit(f"{node.phrase!r} stands twice, or deeper than one step below the line before")
        seen.add(node.phrase)
        before = node.depth


def main() -> None:
    for table, lists in TABLES.items():
        texts = ((WORDLISTS / f"{name}.txt").read_text(encoding="utf-8") for name in lists)
        nodes = [node for text in texts for node in parse(text.splitlines())]
        check(nodes)
        mark_subjects(nodes)
        if table == "demographics":
            add_diseases(nodes)
        names = sum(len(n.names) + len(n.terms) for n in nodes)
        print(f"{table}: {len(nodes)} kinds, {names} names, {write(f'en/{table}', rows(nodes))} bytes")


def mark_subjects(nodes: list[Node]) -> None:
    """What one studies means that only by itself: a patient's history is no subject."""
    inside = False
    for node in nodes:
        inside = node.phrase == "field of study" or (inside and node.depth > 0)
        if inside:
            node.terms = [term.rstrip("!") + "!" for term in node.terms]


def add_diseases(nodes: list[Node]) -> None:
    """The titles and inclusion terms of ICD-10-CM that are plain names, under the kinds whose codes they have."""
    listed = {name for node in nodes for name in (*node.names, *node.terms, node.phrase.lower())}
    found: dict[str, set[int]] = {}
    for code in icd.get_all_codes(False):
        if len(code) > 5 or (place := kind_of(code[:3], nodes)) is None:
            continue
        # What injuries include are the parts of the body that are injured.
        included = () if code[0] in "ST" else icd.get_inclusion_term(code)
        for title in (icd.get_description(code), *included):
            for name in plain_names(title):
                if name not in listed:
                    found.setdefault(name, set()).add(place)
    for name, places in sorted(found.items()):
        for place in places:
            nodes[place].terms.append(name)


def is_everyday(word: str) -> bool:
    """Whether a single word may mean other things too (*lateral*, *atlas*): such are listed by hand."""
    return not MEDICAL.search(word) or rarity(word) < EVERYDAY or word in word_classes() or word in given_names()


def kind_of(category: str, nodes: list[Node]) -> int | None:
    """The kind with the narrowest range of codes around this one."""
    holding = [
        (len([one for one in CATEGORIES if first <= one <= last]), place)
        for place, node in enumerate(nodes)
        for first, last in (codes.split("-") for codes in node.codes)
        if first <= category <= last
    ]
    return min(holding)[1] if holding else None


def plain_names(title: str) -> Iterator[str]:
    """A title as people would write it, in both spellings; nothing where it is no plain name."""
    name = lookup_key(re.sub(r"\s*\([^)]*\)|\s*\[[^\]]*\]", "", title))
    name = re.sub(
        r"^(?:other and unspecified|other specified|other|unspecified|certain) |,? (?:unspecified|nos)\b.*$", "", name
    )
    name = name.strip(" '")
    words = name.split()
    if UNPLAIN.search(name) or not words or len(words) > MOST_WORDS + words.count("of") or len(name) < 5:
        return
    if words[0] == "forms" or words[-1] == "of" or (len(words) == 1 and is_everyday(name)):
        return
    yield name
    if organ := re.fullmatch(r"malignant neoplasm of (\w+(?: \w+)?)", name):
        yield f"cancer of the {organ[1]}"
        yield f"{organ[1]} cancer"
    british = name
    for american, form in BRITISH:
        british = re.sub(american, form, british)
    if british != name:
        yield british


if __name__ == "__main__":
    main()
