"""National identifiers of people and firms, checked by python-stdnum.

A row: country, stdnum module, format, context words. A bare number passes somebody's checksum often, so it counts
only with a context word; a format with letters or the country's own separators speaks for itself.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

from sfumato.detectors.rules.patterns import Pattern

BARE, DISTINCTIVE = 0.35, 0.75

# A format may name its distinctive written form first; the bare form follows after "||".
_TABLE: tuple[tuple[str, str, str, str], ...] = (
    ("us", "us.ssn", r"\d{3}-\d{2}-\d{4}||\d{3} \d{2} \d{4}|\d{9}", "ssn;social security;soc sec"),
    ("us", "us.itin", r"9\d{2}-\d{2}-\d{4}||9\d{8}", "itin;taxpayer;tax id"),
    ("us", "us.ein", r"||\d{2}-?\d{7}", "ein;employer identification;tax id;federal id"),
    ("gb", "gb.nhs", r"||\d{3}[ -]?\d{3}[ -]?\d{4}", "nhs;national health"),
    ("gb", "gb.utr", r"||\d{10}K?", "utr;tax reference;taxpayer"),
    ("gb", "gb.vat", r"GB ?\d{3} ?\d{4} ?\d{2}||\d{9}", "vat"),
    ("es", "es.dni", r"\d{8}[ -]?[A-Za-z]|\d{2}\.\d{3}\.\d{3}-?[A-Za-z]||", "dni;nif;documento nacional"),
    ("es", "es.nie", r"[XYZxyz][ -]?\d{7}[ -]?[A-Za-z]||", "nie;extranjero"),
    ("es", "es.cif", r"[A-HJNP-SUVW][ -]?\d{7}[ -]?[0-9A-J]||", "cif;nif;empresa"),
    ("es", "es.cups", r"ES\d{16}[A-Z]{2}(?:\d[FPRCXYZ])?||", "cups"),
    ("fr", "fr.nir", r"[12] \d{2} \d{2} \d[\dAB] \d{3} \d{3} \d{2}||[12]\d{5}[\dAB]\d{6} ?\d{2}", "nir;sécu"),
    ("fr", "fr.siret", r"||\d{3} ?\d{3} ?\d{3} ?\d{5}", "siret"),
    ("fr", "fr.siren", r"||\d{3} ?\d{3} ?\d{3}", "siren;rcs"),
    ("fr", "fr.nif", r"||[0-3]\d{12}", "nif;fiscal;spi"),
    ("de", "de.idnr", r"||\d{2} ?\d{3} ?\d{3} ?\d{3}", "steuer-id;steueridentifikationsnummer;idnr;steuer-idnr"),
    ("de", "de.stnr", r"||\d{2,3}[ /]?\d{3,4}[ /]?\d{4,5}", "steuernummer;st.-nr;stnr;steuernr"),
    ("de", "de.vat", r"DE ?\d{9}||", "ust-id;ust-idnr;umsatzsteuer;vat"),
    ("it", "it.codicefiscale", r"[A-Za-z]{6}\d{2}[A-Za-z]\d{2}[A-Za-z]\d{3}[A-Za-z]||", "codice fiscale;cf"),
    ("it", "it.iva", r"IT ?\d{11}||\d{11}", "partita iva;p.iva;p. iva;vat"),
    ("pt", "pt.nif", r"PT ?\d{9}||\d{3} ?\d{3} ?\d{3}", "nif;contribuinte;fiscal"),
    ("pt", "pt.cc", r"\d{8} ?\d ?[A-Za-z]{2}\d||", "cartão de cidadão;cc;citizen card"),
    ("nl", "nl.bsn", r"||\d{4}[. ]?\d{2}[. ]?\d{3}", "bsn;burgerservicenummer;sofinummer"),
    ("nl", "nl.btw", r"NL ?\d{9} ?B ?\d{2}||", "btw;vat"),
    ("be", "be.nn", r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}||\d{11}", "rijksregisternummer;registre national;nn"),
    ("be", "be.vat", r"BE ?[01]\d{3}\.?\d{3}\.?\d{3}||[01]\d{3}\.\d{3}\.\d{3}", "btw;tva;ondernemingsnummer;vat"),
    ("pl", "pl.pesel", r"||\d{11}", "pesel"),
    ("pl", "pl.nip", r"||\d{3}-?\d{3}-?\d{2}-?\d{2}", "nip"),
    ("pl", "pl.regon", r"||\d{9}(?:\d{5})?", "regon"),
    ("se", "se.personnummer", r"\d{6}(?:\d{2})?[-+]\d{4}||\d{10}(?:\d{2})?", "personnummer;personal identity"),
    ("dk", "dk.cpr", r"\d{6}-\d{4}||\d{10}", "cpr;cpr-nummer;danish"),
    ("no", "no.fodselsnummer", r"||\d{6} ?\d{5}", "fødselsnummer;fodselsnummer;personnummer;norwegian"),
    ("fi", "fi.hetu", r"\d{6}[-+A-Fa-fU-Yu-y]\d{3}[0-9A-Ya-y]||", "hetu;henkilötunnus"),
    ("ie", "ie.pps", r"\d{7}[A-Wa-w][A-IWTXZa-iwtxz]?||", "pps;ppsn;public service"),
    ("at", "at.vnr", r"||\d{4} ?\d{6}", "sozialversicherungsnummer;svnr;sv-nummer;versicherungsnummer"),
    ("at", "at.uid", r"ATU ?\d{8}||", "uid;ust"),
    ("ch", "ch.ssn", r"756\.\d{4}\.\d{4}\.\d{2}||756\d{10}", "ahv;avs;ssn;ahv-nr;ahv-nummer"),
    ("ch", "ch.uid", r"CHE-?\d{3}\.?\d{3}\.?\d{3}(?: ?(?:MWST|TVA|IVA))?||", "uid;mwst;tva"),
    ("br", "br.cpf", r"\d{3}\.\d{3}\.\d{3}-\d{2}||\d{11}", "cpf"),
    ("br", "br.cnpj", r"\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}||\d{14}", "cnpj"),
    ("mx", "mx.curp", r"[A-Z]{4}\d{6}[HM][A-Z]{5}[0-9A-Z]\d||", "curp"),
    ("mx", "mx.rfc", r"[A-ZÑ&]{4}[ -]?\d{6}[ -]?[0-9A-Z]{3}||", "rfc"),
    ("ar", "ar.cuit", r"\d{2}-\d{8}-\d||\d{11}", "cuit;cuil"),
    ("ar", "ar.dni", r"||\d{1,2}\.?\d{3}\.?\d{3}", "dni;documento"),
    ("cl", "cl.rut", r"\d{1,2}\.\d{3}\.\d{3}-[\dkK]|\d{7,8}-[\dkK]||", "rut;run"),
    ("co", "co.nit", r"||\d{3}\.?\d{3}\.?\d{3}-?\d", "nit"),
    ("pe", "pe.cui", r"||\d{8}-?[0-9A-K]?", "dni;cui"),
    ("in", "in_.aadhaar", r"\d{4}[ -]\d{4}[ -]\d{4}||\d{12}", "aadhaar;aadhar;uidai"),
    ("in", "in_.pan", r"[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z]||", "pan;permanent account"),
    ("in", "in_.gstin", r"\d{2}[A-Z]{5}\d{4}[A-Z][0-9A-Z]Z[0-9A-Z]||", "gstin"),
    ("au", "au.tfn", r"||\d{3} ?\d{3} ?\d{2,3}", "tfn;tax file"),
    ("au", "au.abn", r"\d{2} \d{3} \d{3} \d{3}||\d{11}", "abn;business number"),
    ("nz", "nz.ird", r"||\d{2,3}-?\d{3}-?\d{3}", "ird"),
    ("ca", "ca.sin", r"||\d{3}[ -]?\d{3}[ -]?\d{3}", "sin;social insurance"),
    ("za", "za.idnr", r"||\d{6} ?\d{4} ?\d{2} ?\d", "south african;identity number;id number;id no"),
    ("kr", "kr.rrn", r"\d{6}-\d{7}||\d{13}", "rrn;resident registration"),
    ("cn", "cn.ric", r"\d{17}[\dXx]||", "resident identity;identity card;ric"),
    ("tw", "tw.ubn", r"||\d{8}", "ubn"),
    ("jp", "jp.in_", r"||\d{4} ?\d{4} ?\d{4}", "my number;individual number"),
    ("sg", "sg.uen", r"(?:\d{8,9}|[TSR]\d{2}[A-Z]{2}\d{4})[A-Z]||", "uen"),
    ("tr", "tr.tckimlik", r"||[1-9]\d{10}", "tc kimlik;kimlik;t.c.;turkish id"),
    ("ro", "ro.cnp", r"||[1-9]\d{12}", "cnp;cod numeric"),
    ("bg", "bg.egn", r"||\d{10}", "egn;егн"),
    ("cz", "cz.rc", r"\d{6}/\d{3,4}||\d{9,10}", "rodné číslo;rc;birth number"),
    ("hr", "hr.oib", r"||\d{11}", "oib"),
    ("si", "si.emso", r"||\d{13}", "emšo;emso"),
    ("rs", "rs.pib", r"||\d{9}", "pib"),
    ("ee", "ee.ik", r"||[1-6]\d{10}", "isikukood;personal code"),
    ("lt", "lt.asmens", r"||[3-6]\d{10}", "asmens kodas;personal code"),
    ("lv", "lv.pvn", r"\d{6}-\d{5}||\d{11}", "personas kods;pvn"),
    ("gr", "gr.amka", r"||\d{11}", "amka"),
    ("gr", "gr.vat", r"EL ?\d{9}||\d{9}", "afm;vat"),
    ("il", "il.idnr", r"||\d{9}", "teudat zehut;israeli id"),
    ("is", "is_.kennitala", r"\d{6}-\d{4}||", "kennitala"),
    ("ua", "ua.rntrc", r"||\d{10}", "rntrc;tax number"),
    ("ru", "ru.inn", r"||\d{10}(?:\d{2})?", "inn;инн"),
    ("ec", "ec.ci", r"||\d{10}", "cédula;cedula"),
    ("uy", "uy.rut", r"||\d{12}", "rut"),
    ("eu", "eu.vat", r"[A-Z]{2} ?[0-9A-Z]{8,12}||", "vat;btw;tva;iva;mwst"),
)  # fmt: skip


@cache
def _module(name: str) -> Any:
    return importlib.import_module(f"stdnum.{name}")


def checker(module: str) -> Callable[[str], bool]:
    """The validity test of one stdnum module, which is imported when it is first asked."""

    def is_valid(number: str) -> bool:
        return bool(_module(module).is_valid(number))

    return is_valid


def _patterns() -> tuple[Pattern, ...]:
    found = []
    for _country, module, formats, words in _TABLE:
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


def countries() -> frozenset[str]:
    """ISO codes of the countries whose identifiers are known."""
    return frozenset(row[0] for row in _TABLE) - {"eu"}


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
