"""National identifiers: checksum-valid examples of many countries, and restraint with bare numbers."""

from __future__ import annotations

import importlib

import pytest

from sfumato.detectors.rules import national_ids
from sfumato.detectors.rules.detector import RuleDetector
from sfumato.detectors.rules.patterns import PatternSet
from sfumato.document import Document

DETECTOR = RuleDetector(kinds=["national-id"])

# Made up to satisfy each country's checksum; the module checks that they do. "{}" marks where a bare number stands.
EXAMPLES = [
    ("us.ssn", "536-90-4399", "{}"),
    ("us.itin", "912-90-3456", "{}"),
    ("gb.nhs", "943 476 5870", "NHS number {}"),
    ("es.dni", "54362315K", "{}"),
    ("es.nie", "X2482300W", "{}"),
    ("es.cif", "J99216582", "{}"),
    ("fr.nir", "2 95 10 99 126 111 93", "{}"),
    ("de.idnr", "36 574 261 809", "Steuer-ID {}"),
    ("it.codicefiscale", "RCCMNL83S18D969H", "{}"),
    ("pt.nif", "501 964 843", "NIF {}"),
    ("nl.bsn", "111222333", "BSN {}"),
    ("be.nn", "85.07.30-033.28", "{}"),
    ("pl.pesel", "44051401359", "PESEL {}"),
    ("pl.nip", "856-734-62-15", "NIP {}"),
    ("se.personnummer", "880320-0016", "{}"),
    ("dk.cpr", "211062-5629", "{}"),
    ("no.fodselsnummer", "151086 95088", "fødselsnummer {}"),
    ("fi.hetu", "131052-308T", "{}"),
    ("ie.pps", "6433435OA", "{}"),
    ("at.vnr", "1237 010180", "SVNR {}"),
    ("ch.ssn", "756.9217.0769.85", "{}"),
    ("br.cpf", "390.533.447-05", "{}"),
    ("br.cnpj", "16.727.230/0001-97", "{}"),
    ("mx.curp", "BOXW310820HNERXN09", "{}"),
    ("ar.cuit", "20-05536168-2", "{}"),
    ("cl.rut", "12.531.909-2", "{}"),
    ("in_.aadhaar", "2341 2341 2346", "{}"),
    ("in_.pan", "ACUPA7085R", "{}"),
    ("au.tfn", "123 456 782", "TFN {}"),
    ("ca.sin", "123-456-782", "SIN {}"),
    ("za.idnr", "7503305044089", "identity number {}"),
    ("kr.rrn", "971013-9019902", "{}"),
    ("cn.ric", "360426199101010071", "{}"),
    ("tr.tckimlik", "17291716060", "TC Kimlik {}"),
    ("ro.cnp", "1630615123457", "CNP {}"),
    ("bg.egn", "7523169263", "EGN {}"),
    ("cz.rc", "710319/2745", "{}"),
    ("hr.oib", "33392005961", "OIB {}"),
]


@pytest.mark.parametrize(("module", "number", "template"), EXAMPLES, ids=[row[0] for row in EXAMPLES])
def test_a_valid_identifier_is_found(module: str, number: str, template: str) -> None:
    if not importlib.import_module(f"stdnum.{module}").is_valid(number):
        pytest.skip("this release of python-stdnum no longer takes the example for valid")
    text = f"It says: {template.format(number)}."
    found = {text[span.start : span.end] for span in DETECTOR.detect([Document("d", text)])[0]}
    assert number in found


def test_most_examples_are_valid_and_of_twenty_countries() -> None:
    valid = {m for m, number, _ in EXAMPLES if importlib.import_module(f"stdnum.{m}").is_valid(number)}
    assert len({module.split(".")[0] for module in valid}) >= 20
    assert len({row[0].split(".")[0] for row in national_ids._TABLE}) > 40


@pytest.mark.parametrize("row", national_ids._TABLE, ids=[row[0] for row in national_ids._TABLE])
def test_every_module_of_the_table_exists(row: tuple[str, str, str]) -> None:
    assert callable(importlib.import_module(f"stdnum.{row[0]}").is_valid)


@pytest.mark.parametrize("number", ["111222333", "44051401359", "7523169263", "17291716060"])
def test_a_bare_number_needs_its_context(number: str) -> None:
    scores = [span.score for span in PatternSet(national_ids.PATTERNS).find(f"a total of {number} items")]
    assert scores
    assert max(scores) < 0.5


def test_a_wrong_checksum_is_not_found() -> None:
    text = "PESEL 44051401358, CPF 390.533.447-06, hetu 131052-308U"
    assert not DETECTOR.detect([Document("d", text)])[0]
