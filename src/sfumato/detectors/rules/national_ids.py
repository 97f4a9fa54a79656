"""National identifiers of people and firms, checked by python-stdnum.

A row: stdnum module, format, context words. A bare number passes somebody's checksum often, so it counts
only with a context word; a format with letters or the country's own separators speaks for itself.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

from sfumato.detectors.rules.patterns import Pattern

# -- Check digits, by python-stdnum.


def checker(module: str) -> Callable[[str], bool]:
    """The validity test of one stdnum module, which is imported when it is first asked."""

    def is_valid(number: str) -> bool:
        return bool(_module(module).is_valid(number))

    return is_valid


@cache
def _module(name: str) -> Any:
    return importlib.import_module(f"stdnum.{name}")


# -- National identifiers of people and firms, checked by python-stdnum.


BARE, DISTINCTIVE = 0.35, 0.75

# A format may name its distinctive written form first; the bare form follows after "||".
_TABLE: tuple[tuple[str, str, str], ...] = (
    ("us.ssn", r"\d{3}-\d{2}-\d{4}||\d{3} \d{2} \d{4}|\d{9}", "ssn;social security;soc sec"),
    ("us.itin", r"9\d{2}-\d{2}-\d{4}||9\d{8}", "itin;taxpayer;tax id"),
    ("us.ein", r"||\d{2}-?\d{7}", "ein;employer identification;tax id;federal id"),
    ("gb.nhs", r"||\d{3}[ -]?\d{3}[ -]?\d{4}", "nhs;national health"),
    ("gb.utr", r"||\d{10}K?", "utr;tax reference;taxpayer"),
    ("gb.vat", r"GB ?\d{3} ?\d{4} ?\d{2}||\d{9}", "vat"),
    ("es.dni", r"\d{8}[ -]?[A-Za-z]|\d{2}\.\d{3}\.\d{3}-?[A-Za-z]||", "dni;nif;documento nacional"),
    ("es.nie", r"[XYZxyz][ -]?\d{7}[ -]?[A-Za-z]||", "nie;extranjero"),
    ("es.cif", r"[A-HJNP-SUVW][ -]?\d{7}[ -]?[0-9A-J]||", "cif;nif;empresa"),
    ("es.cups", r"ES\d{16}[A-Z]{2}(?:\d[FPRCXYZ])?||", "cups"),
    ("fr.nir", r"[12] \d{2} \d{2} \d[\dAB] \d{3} \d{3} \d{2}||[12]\d{5}[\dAB]\d{6} ?\d{2}", "nir;sécu"),
    ("fr.siret", r"||\d{3} ?\d{3} ?\d{3} ?\d{5}", "siret"),
    ("fr.siren", r"||\d{3} ?\d{3} ?\d{3}", "siren;rcs"),
    ("fr.nif", r"||[0-3]\d{12}", "nif;fiscal;spi"),
    ("de.idnr", r"||\d{2} ?\d{3} ?\d{3} ?\d{3}", "steuer-id;steueridentifikationsnummer;idnr;steuer-idnr"),
    ("de.stnr", r"||\d{2,3}[ /]?\d{3,4}[ /]?\d{4,5}", "steuernummer;st.-nr;stnr;steuernr"),
    ("de.vat", r"DE ?\d{9}||", "ust-id;ust-idnr;umsatzsteuer;vat"),
    ("it.codicefiscale", r"[A-Za-z]{6}\d{2}[A-Za-z]\d{2}[A-Za-z]\d{3}[A-Za-z]||", "codice fiscale;cf"),
    ("it.iva", r"IT ?\d{11}||\d{11}", "partita iva;p.iva;p. iva;vat"),
    ("pt.nif", r"PT ?\d{9}||\d{3} ?\d{3} ?\d{3}", "nif;contribuinte;fiscal"),
    ("pt.cc", r"\d{8} ?\d ?[A-Za-z]{2}\d||", "cartão de cidadão;cc;citizen card"),
    ("nl.bsn", r"||\d{4}[. ]?\d{2}[. ]?\d{3}", "bsn;burgerservicenummer;sofinummer"),
    ("nl.btw", r"NL ?\d{9} ?B ?\d{2}||", "btw;vat"),
    ("be.nn", r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}||\d{11}", "rijksregisternummer;registre national;nn"),
    ("be.vat", r"BE ?[01]\d{3}\.?\d{3}\.?\d{3}||[01]\d{3}\.\d{3}\.\d{3}", "btw;tva;ondernemingsnummer;vat"),
    ("pl.pesel", r"||\d{11}", "pesel"),
    ("pl.nip", r"||\d{3}-?\d{3}-?\d{2}-?\d{2}", "nip"),
    ("pl.regon", r"||\d{9}(?:\d{5})?", "regon"),
    ("se.personnummer", r"\d{6}(?:\d{2})?[-+]\d{4}||\d{10}(?:\d{2})?", "personnummer;personal identity"),
    ("dk.cpr", r"\d{6}-\d{4}||\d{10}", "cpr;cpr-nummer;danish"),
    ("no.fodselsnummer", r"||\d{6} ?\d{5}", "fødselsnummer;fodselsnummer;personnummer;norwegian"),
    ("fi.hetu", r"\d{6}[-+A-Fa-fU-Yu-y]\d{3}[0-9A-Ya-y]||", "hetu;henkilötunnus"),
    ("ie.pps", r"\d{7}[A-Wa-w][A-IWTXZa-iwtxz]?||", "pps;ppsn;public service"),
    ("at.vnr", r"||\d{4} ?\d{6}", "sozialversicherungsnummer;svnr;sv-nummer;versicherungsnummer"),
    ("at.uid", r"ATU ?\d{8}||", "uid;ust"),
    ("ch.ssn", r"756\.\d{4}\.\d{4}\.\d{2}||756\d{10}", "ahv;avs;ssn;ahv-nr;ahv-nummer"),
    ("ch.uid", r"CHE-?\d{3}\.?\d{3}\.?\d{3}(?: ?(?:MWST|TVA|IVA))?||", "uid;mwst;tva"),
    ("br.cpf", r"\d{3}\.\d{3}\.\d{3}-\d{2}||\d{11}", "cpf"),
    ("br.cnpj", r"\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}||\d{14}", "cnpj"),
    ("mx.curp", r"[A-Z]{4}\d{6}[HM][A-Z]{5}[0-9A-Z]\d||", "curp"),
    ("mx.rfc", r"[A-ZÑ&]{4}[ -]?\d{6}[ -]?[0-9A-Z]{3}||", "rfc"),
    ("ar.cuit", r"\d{2}-\d{8}-\d||\d{11}", "cuit;cuil"),
    ("ar.dni", r"||\d{1,2}\.?\d{3}\.?\d{3}", "dni;documento"),
    ("cl.rut", r"\d{1,2}\.\d{3}\.\d{3}-[\dkK]|\d{7,8}-[\dkK]||", "rut;run"),
    ("co.nit", r"||\d{3}\.?\d{3}\.?\d{3}-?\d", "nit"),
    ("pe.cui", r"||\d{8}-?[0-9A-K]?", "dni;cui"),
    ("in_.aadhaar", r"\d{4}[ -]\d{4}[ -]\d{4}||\d{12}", "aadhaar;aadhar;uidai"),
    ("in_.pan", r"[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z]||", "pan;permanent account"),
    ("in_.gstin", r"\d{2}[A-Z]{5}\d{4}[A-Z][0-9A-Z]Z[0-9A-Z]||", "gstin"),
    ("au.tfn", r"||\d{3} ?\d{3} ?\d{2,3}", "tfn;tax file"),
    ("au.abn", r"\d{2} \d{3} \d{3} \d{3}||\d{11}", "abn;business number"),
    ("nz.ird", r"||\d{2,3}-?\d{3}-?\d{3}", "ird"),
    ("ca.sin", r"||\d{3}[ -]?\d{3}[ -]?\d{3}", "sin;social insurance"),
    ("za.idnr", r"||\d{6} ?\d{4} ?\d{2} ?\d", "south african;identity number;id number;id no"),
    ("kr.rrn", r"\d{6}-\d{7}||\d{13}", "rrn;resident registration"),
    ("cn.ric", r"\d{17}[\dXx]||", "resident identity;identity card;ric"),
    ("tw.ubn", r"||\d{8}", "ubn"),
    ("jp.in_", r"||\d{4} ?\d{4} ?\d{4}", "my number;individual number"),
    ("sg.uen", r"(?:\d{8,9}|[TSR]\d{2}[A-Z]{2}\d{4})[A-Z]||", "uen"),
    ("tr.tckimlik", r"||[1-9]\d{10}", "tc kimlik;kimlik;t.c.;turkish id"),
    ("ro.cnp", r"||[1-9]\d{12}", "cnp;cod numeric"),
    ("bg.egn", r"||\d{10}", "egn;егн"),
    ("cz.rc", r"\d{6}/\d{3,4}||\d{9,10}", "rodné číslo;rc;birth number"),
    ("hr.oib", r"||\d{11}", "oib"),
    ("si.emso", r"||\d{13}", "emšo;emso"),
    ("rs.pib", r"||\d{9}", "pib"),
    ("ee.ik", r"||[1-6]\d{10}", "isikukood;personal code"),
    ("lt.asmens", r"||[3-6]\d{10}", "asmens kodas;personal code"),
    ("lv.pvn", r"\d{6}-\d{5}||\d{11}", "personas kods;pvn"),
    ("gr.amka", r"||\d{11}", "amka"),
    ("gr.vat", r"EL ?\d{9}||\d{9}", "afm;vat"),
    ("il.idnr", r"||\d{9}", "teudat zehut;israeli id"),
    ("is_.kennitala", r"\d{6}-\d{4}||", "kennitala"),
    ("ua.rntrc", r"||\d{10}", "rntrc;tax number"),
    ("ru.inn", r"||\d{10}(?:\d{2})?", "inn;инн"),
    ("ec.ci", r"||\d{10}", "cédula;cedula"),
    ("uy.rut", r"||\d{12}", "rut"),
    ("eu.vat", r"[A-Z]{2} ?[0-9A-Z]{8,12}||", "vat;btw;tva;iva;mwst"),
)  # fmt: skip


def _patterns() -> tuple[Pattern, ...]:
    found = []
    for module, formats, words in _TABLE:
        context = tuple(words.split(";"))
        distinctive, _, bare = formats.partition("||")
        for regex, score in ((distinctive, DISTINCTIVE), (bare, BARE)):
            if regex:
                found.append(
                    Pattern(
                        "national-id",
                        "CODE",
                        rf"(?<![\w/.,-])(?:{regex})(?![\w/-]|[.,]\d)",
                        validate=checker(module),
                        validated_score=score,
                        context=context,
                        scope="codes",
                    )
                )
    return tuple(found)


# Formats that stdnum does not check but that no other number has.
_UNCHECKED = (
    Pattern(
        "national-id",
        "CODE",
        r"(?i)(?<![\w-])(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ -]?(?:\d{2}[ "
        r"-]?){3}[A-D](?![\w-])",
        score=0.75,
        scope="codes",
    ),
    Pattern(
        "national-id",
        "CODE",
        r"(?<![\w/.,-])[12] \d{2} (?:0[1-9]|1[0-2]|[2-9]\d) \d[\dAB] \d{3} \d{3}(?: \d{2})?(?![\w/-])",
        score=0.6,
        scope="codes",
    ),
    Pattern(
        "national-id",
        "CODE",
        r"(?<![\w-])[2-6]\d{3} ?\d{5} ?\d(?: ?\d)?(?![\w-])",
        score=0.2,
        context=("medicare",),
        scope="codes",
    ),
    Pattern(
        "national-id",
        "CODE",
        r"(?<![\w/.,-])\d{3}-\d{2}-\d{4}(?![\w-])",
        score=0.55,
        context=("ssn", "social security"),
        scope="codes",
    ),
)

PATTERNS = _patterns() + _UNCHECKED
