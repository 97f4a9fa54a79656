"""Numbers that institutions give and that are known by their form: cases, documents, vehicles, devices."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from sfumato.detectors.rules.national_ids import checker
from sfumato.detectors.rules.patterns import Pattern, alternatives
from sfumato.document import Span


def has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


RECORD_PATTERNS = (
    Pattern(
        "case-number",
        "CODE",
        r"(?i)(?:\bnos?|\bnr|\bn[°º]|№|\bnúm|\bnumbers?)\.?[ \u00a0]{0,2}(?P<value>\d{1,6}/\d{2,4}(?!\d|/))",
        score=0.85,
        scope="near numbers",
        needs=("/",),
    ),
    Pattern(
        "case-number",
        "CODE",
        r"(?<![\w/.,-])\d{2,6}/\d{2}(?:\d{2})?(?![\w/]|[.,]\d)",
        score=0.3,
        context="application applications no nos case cases v joined decision judgment appeal file autos rollo".split(),
        against=("mmhg", "bp", "blood pressure", "ratio"),
        scope="at numbers",
        needs=("/",),
    ),
    Pattern(
        "case-number",
        "CODE",
        r"(?i)(?<!\w)\d:\d{2}-(?:cv|cr|mc|bk|md|mj|po)-\d{3,6}(?:-[A-Z]{2,4})*(?!\w)",
        score=0.95,
        scope="at numbers",
        needs=("-",),
    ),
    # Five digits and a year: nothing else is written so.
    Pattern(
        "case-number",
        "CODE",
        r"(?<![\w/.,-])\d{4,6}/\d{2}(?![\w/]|[.,]\d)",
        score=0.6,
        scope="at numbers",
        needs=("/",),
    ),
    Pattern(
        "case-number",
        "CODE",
        # German file marks: senate or chamber, register sign, number/year.
        r"(?<!\w)(?:[IVX]{1,4}|\d{1,3}) (?:StR|ZR|ZB|BvR|BvL|BvF|AZR|ABR|KLs|Ks|Ds|Ls|Cs|O|C|F|K|"
        r"U|L|S|Sa|Ca|Js|Ws|Ss|AR|KR|RG|B)"
        r"(?: \([A-Za-z]{1,6}\))? \d{1,5}/\d{2}(?!\d)",
        score=0.85,
        scope="near numbers",
        needs=("/",),
    ),
    Pattern(
        "case-number",
        "CODE",
        r"(?<!\w)(?:[CTF]-\d{1,4}/\d{2}(?: P)?|ECLI:[A-Z]{2}:[A-Z0-9]{1,7}:\d{4}:[A-Z0-9.]{1,25}|"
        r"[A-Z]{1,4}[-/ ]?\d{1,6}[-/](?:19|20)\d{2}|(?:19|20)\d{2}[-/][A-Z]{1,4}[-/]\d{1,8})(?![\w/])",
        score=0.7,
        scope="near numbers",
    ),
    Pattern(
        "vin",
        "CODE",
        r"(?<!\w)[A-HJ-NPR-Z0-9]{17}(?!\w)",
        score=0.45,
        validate=lambda text: has_digit(text) and not text.isdigit(),
        context=("vin", "vehicle", "chassis", "fahrgestellnummer", "bastidor", "telaio"),
        scope="codes",
    ),
    Pattern(
        "imei",
        "CODE",
        r"(?<![\w-])\d{2}[- ]?\d{6}[- ]?\d{6}[- ]?\d(?![\w-])",
        validate=checker("imei"),
        validated_score=0.4,
        context=("imei", "phone", "device", "handset"),
        scope="codes",
    ),
    Pattern(
        "uuid",
        "CODE",
        r"(?<![\w-])[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![\w-])",
        score=0.85,
        scope="near numbers",
    ),
    Pattern(
        "passport",
        "CODE",
        r"(?<!\w)[A-Z]{1,3}\d{6,8}(?!\w)|(?<!\w)\d{9}(?!\w)|(?<!\w)C[0-9CFGHJKLMNPRTVWXYZ]{8}(?!\w)",
        score=0.3,
        validate=has_digit,
        context=("passport", "pasaporte", "reisepass", "passeport", "passaporto", "passaporte", "paspoort"),
        scope="codes",
    ),
    Pattern(
        "licence",
        "CODE",
        r"(?<!\w)[A-Z9]{5}\d[0156]\d[0-3]\d[0-9][A-Z9]{2}[0-9A-Z][A-Z]{2}(?!\w)",
        score=0.8,
        scope="codes",
    ),
    Pattern(
        "plate",
        "CODE",
        r"(?<!\w)(?:[A-Z]{2}\d{2} ?[A-Z]{3}|[A-Z]{2}-\d{3}-[A-Z]{2}|\d{4}[ "
        r"-]?[BCDFGHJKLMNPRSTVWXYZ]{3})(?!\w)",
        score=0.35,
        context=(
            "plate car vehicle registration matrícula immatriculé immatriculation coche vehículo voiture véhicule "
            "targa auto kenteken driving drove"
        ).split(),
        scope="near numbers",
    ),
    Pattern(
        "plate",
        "CODE",
        r"(?<!\w)[A-ZÄÖÜ]{1,3}[- ][A-Z]{1,2} ?\d{1,4}[EH]?(?!\w)",
        score=0.25,
        context=("kennzeichen", "kfz", "auto", "pkw", "wagen", "fahrzeug", "lkw", "plate"),
        scope="near numbers",
    ),
    Pattern(
        "code",
        "CODE",
        r"(?<![\w/.-])[A-Z]{2,5}[-_]?\d{4,12}(?:-\d{1,6})?(?![\w/-])",
        score=0.5,
        against=("article", "section", "iso", "din", "rfc", "page"),
        scope="near numbers",
    ),
)


# -- Bank accounts, payment cards and crypto addresses.


_CARD_PREFIXES = re.compile(r"(?:4|5[1-5]|2[2-7]|3[47]|3[068]|35|6(?:011|[245]|21)|50|5[6-9]|63|67)")
_CARD_WORDS = (
    "card credit debit visa mastercard amex american express discover maestro cc tarjeta kreditkarte karte carte "
    "carta cartão kaart creditcard"
).split()
_BECH32 = "023456789acdefghjklmnpqrstuvwxyz"
_ACCOUNT_WORDS = (
    "account;acct;a/c;bank;sort code;routing;aba;konto;kontonummer;blz;bankleitzahl;cuenta;compte;rib;conto;conta;"
    "rekening"
).split(";")


def is_card_number(text: str) -> bool:
    digits = re.sub(r"\D", "", text)
    if not 13 <= len(digits) <= 19 or len(set(digits)) == 1 or not _CARD_PREFIXES.match(digits):
        return False
    return checker("luhn")(digits)


FINANCE_PATTERNS = (
    Pattern(
        "iban",
        "CODE",
        r"(?<!\w)[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{4}){2,7}(?:[ -]?[A-Za-z0-9]{1,4})?(?!\w)",
        validate=checker("iban"),
        validated_score=0.95,
        scope="codes",
    ),
    Pattern(
        "iban",
        "CODE",
        r"(?<!\w)[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){3,7}(?:[ -]?[A-Z0-9]{1,4})?(?!\w)",
        score=0.4,
        context=("iban", *_ACCOUNT_WORDS),
        scope="codes",
    ),
    Pattern(
        "bic",
        "CODE",
        r"(?<!\w)[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?(?!\w)",
        validate=checker("bic"),
        validated_score=0.4,
        context=("bic", "swift", "iban"),
        needs=("BIC", "bic", "SWIFT", "Swift", "swift", "IBAN"),
    ),
    Pattern(
        "card",
        "CODE",
        r"(?<![\w.,-])\d(?:[ -]?\d){12,18}(?![\w-])",
        validate=is_card_number,
        validated_score=0.75,
        context=_CARD_WORDS,
        against=("imei", "isbn", "tracking", "serial"),
        scope="codes",
    ),
    Pattern(
        "card",
        "CODE",
        r"(?<![\w.,-])\d{4}(?:[ -]\d{4}){3}(?![\w-])",
        score=0.55,
        context=_CARD_WORDS,
        scope="at numbers",
    ),
    Pattern(
        "card",
        "CODE",
        r"(?<!\w)(?:[xX*•]{4}[ -]?){3}\d{4}(?!\w)",
        score=0.7,
        needs=("xxxx", "XXXX", "****", "••••"),
    ),
    Pattern(
        "card-security-code",
        "CODE",
        r"(?i)\b(?:cvv2?|cvc2?|security code|card code|prüfziffer|código de seguridad)(?: is|:|=| "
        r"number)?[ :]{0,2}"
        r"(?P<value>\d{3,4})(?!\w)",
        score=0.9,
        needs=("cv", "CV", "Cv", "ecurity", "ECURITY", "card code", "eguridad", "rüfziffer"),
    ),
    Pattern(
        "bank-account",
        "CODE",
        r"(?<![\w/.,-])\d{2}-\d{2}-\d{2}(?![\w/-])",
        score=0.2,
        context=("sort code", "sort-code"),
        scope="at numbers",
    ),
    Pattern(
        "bank-account",
        "CODE",
        r"(?<![\w/.,-])\d{6,18}(?![\w/-]|[.,]\d)",
        score=0.3,
        context=_ACCOUNT_WORDS,
        scope="codes",
    ),
    Pattern(
        "crypto",
        "CODE",
        r"(?<!\w)[13][1-9A-HJ-NP-Za-km-z]{25,34}(?!\w)",
        validate=checker("bitcoin"),
        validated_score=0.95,
        scope="near numbers",
    ),
    Pattern(
        "crypto",
        "CODE",
        rf"(?<!\w)(?:bc1|BC1)[{_BECH32}{_BECH32.upper()}]{{11,87}}(?!\w)",
        validate=checker("bitcoin"),
        validated_score=0.95,
        needs=("bc1", "BC1"),
    ),
    Pattern("crypto", "CODE", r"(?<!\w)0x[0-9a-fA-F]{40}(?!\w)", score=0.9, needs=("0x",)),
)


# -- A code is taken whole: no group of its digits is left behind.


_WHOLE_ALREADY = frozenset({"email", "url", "username", "password", "secret", "ip", "mac", "crypto", "uuid"})
_SEPARATOR = r"[ \u00a0./-]"
# Two digits or more, perhaps with capitals; or one or two capitals that no sentence goes on from.
_GROUP = r"(?:[A-Z]{0,3}[0-9]{2,12}[A-Z]{0,2}|[A-Z]{1,2}(?![ \u00a0][a-z]))"
_AFTER = re.compile(rf"(?:{_SEPARATOR}{_GROUP}(?![\w'’]|-[a-z]))+")
_BEFORE = re.compile(rf"(?<![\w.,/-])(?:[0-9]{{1,12}}{_SEPARATOR})+$")
_REACH = 40


def completed(text: str, spans: Sequence[Span]) -> list[Span]:
    """The spans, those of codes grown over the adjoining groups of the same run, up to what is something else."""
    others = [span for span in spans if span.label != "CODE"]
    starts, ends = sorted(span.start for span in others), sorted(span.end for span in others)
    return [_grown(text, span, starts, ends) if _may_grow(span) else span for span in spans]


def _may_grow(span: Span) -> bool:
    return span.label == "CODE" and span.source.removeprefix("rules:") not in _WHOLE_ALREADY


def _grown(text: str, span: Span, starts: Sequence[int], ends: Sequence[int]) -> Span:
    start, end = span.start, span.end
    if text[end - 1].isalnum() and (after := _AFTER.match(text, end, end + _REACH)):
        stop = bisect_right(starts, end)
        end = min(after.end(), starts[stop] - 1) if stop < len(starts) else after.end()
    if text[start].isdigit() and (before := _BEFORE.search(text, max(0, start - _REACH), start)):
        stop = bisect_left(ends, start)
        start = max(before.start(), ends[stop - 1] + 1) if stop else before.start()
    return span.moved(start, end)


# -- Numbers after a word that tells what they are: "MRN: 00123456", "passport X1234567".


_KINDS: dict[str, str] = {
    "medical-record": (
        "mrn;medical record;medical record number;patient id;patient no;patient number;hospital number;chart number;"
        "chart;nhc;historia clínica;nº historia;número de historia;patientennummer;patienten-id;fallnummer;"
        "numéro de dossier;dossier patient;cartella clinica;processo clínico;patiëntnummer;specimen;"
        "accession number;prescription;rx;nass;número de colegiado;nº col;num. col;colegiado"
    ),
    "case-number": (
        "case;case no;cases;docket;docket no;application;applications;file;file no;complaint;claim;petition;"
        "indictment;decree;aktenzeichen;az;geschäftszeichen;gesch.-z;expediente;autos;procedimiento;recurso;"
        "sentencia;rollo;affaire;requête;dossier;rg;ricorso;causa;sentenza;processo;zaaknummer;zaak;rolnummer;"
        "incident;ticket;police report;report;reference;ref;our ref;your ref;referencia;referenz;référence;"
        "riferimento;referência;kenmerk;protocol;study id"
    ),
    "account": (
        "account;acct;account no;account number;a/c;customer;customer id;client;client id;member;member id;"
        "membership;subscriber;loyalty;frequent flyer;kundennummer;kundennr;kontonummer;konto;cliente;"
        "número de cliente;cuenta;compte;numéro client;conto;conta;klantnummer;employee;employee id;staff id;"
        "student;student id;badge;personalnummer;matrikelnummer;matrícula;matricola;user id;fiche"
    ),
    "policy": (
        "policy;policy no;insurance;insurance id;health plan;beneficiary;plan id;group number;medicaid;medicare;"
        "versicherungsnummer;versichertennummer;póliza;police d'assurance;polizza;apólice;polisnummer;certificate"
    ),
    "order": (
        "order;order no;invoice;invoice no;booking;reservation;confirmation;tracking;shipment;transaction;receipt;"
        "bestellnummer;bestellung;rechnung;rechnungsnummer;rechnungsnr;auftrag;pedido;factura;reserva;commande;"
        "facture;ordine;fattura;encomenda;fatura;bestelling;factuur;factuurnummer"
    ),
    "passport": (
        "passport;passport no;travel document;pasaporte;reisepass;reisepassnummer;passnummer;pass-nr;passeport;"
        "passaporto;passaporte;paspoort;paspoortnummer;identity card;id card;id no;id number;personalausweis;"
        "ausweisnummer;carte d'identité;carta d'identità;bilhete de identidade;identiteitskaart;"
        "identification number"
    ),
    "licence": (
        "driver's license;drivers license;driver license;driver's licence;driving licence;driving license;dl;dl no;"
        "license;licence;licence no;license no;carnet de conducir;permiso de conducir;führerschein;"
        "führerscheinnummer;permis de conduire;patente;patente di guida;carta de condução;cnh;rijbewijs;"
        "rijbewijsnummer;dea;npi"
    ),
    "plate": (
        "plate;plates;license plate;licence plate;number plate;registration;registration number;"
        "vehicle registration;vehicle;car;reg;vrm;kennzeichen;kfz-kennzeichen;amtliches kennzeichen;matrícula;"
        "immatriculation;plaque;targa;kenteken"
    ),
    "national-id": (
        "national insurance;nino;social security;ssn;seguridad social;nuss;n.u.s.s;naf;sécurité sociale;sécu;nir;"
        "insee;sozialversicherung;sozialversicherungsnummer;sv-nummer;rentenversicherungsnummer;steuer-id;"
        "steuernummer;tax id;tax number;utr;nhs;codice fiscale;tessera sanitaria;contribuinte;segurança social;"
        "burgerservicenummer;bsn;sofinummer"
    ),
    "device": "serial;serial no;serial number;s/n;imei;meid;device id;udid;device;pacemaker;implant;seriennummer;"
    "número de serie",
}
_KIND_OF_LABEL = {" ".join(word.split()): kind for kind, words in _KINDS.items() for word in words.split(";")}
_NUMBER_WORD = r"(?:numbers?|num|no|nos|nr|núm|n[°ºo]|id|code|nummer|número|numéro|numero)\b\.?|№|#"
# Groups of digits one separator apart, with the capitals that open or close them: "QQ 12 34 56 C".
_GROUPS = r"(?-i:(?:[A-Z]{1,3}[ -])?\d{1,8}(?:[ -]\d{2,8}){2,6}(?:[ -]?[A-Z]{1,2})?(?!\w))"

# What often follows a label word without being its number: years, dates, times, amounts.
_OTHER = re.compile(r"(?i)(?:19|20)\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d\d-\d\d|\d{1,2}:\d\d|\d+[a-z]{1,2}")


class Labelled(Pattern):
    """Codes after a label that tells their kind: "MRN: 00123456", "case no. 1:20-cv-01234", "passport X1234567"."""

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset({self.name, *_KINDS})

    def kind_of(self, match: re.Match[str]) -> str:
        return _KIND_OF_LABEL.get(" ".join(match["label"].casefold().split()), self.name)


def is_plausible_code(text: str) -> bool:
    """Three digits or more; or two among capitals, as airlines give them out."""
    digits = sum(map(str.isdigit, text))
    mixed = digits == 2 and len(text) >= 5 and text.isupper()
    return (digits >= 3 or mixed) and not _OTHER.fullmatch(text)


FIELD_PATTERNS = (
    Labelled(
        "code",
        "CODE",
        rf"(?i)(?<![^\W_])(?P<label>{alternatives(_KIND_OF_LABEL)})(?![^\W\d_])\.?[ \t]?"
        rf"(?:(?:{_NUMBER_WORD})[ \t]?|[:=#-][ \t]?|\(|is[ ]|ist[ ]|es[ ]|est[ ]|è[ ]|é[ ]|was[ ]|of[ ]){{0,4}}"
        rf"(?P<value>{_GROUPS}|(?-i:[A-Z]{{0,4}}[ -]?)?(?:[a-z0-9]{{1,20}}[-/.:_]){{0,6}}[a-z0-9]{{1,24}})"
        r"(?![\w]|[/-]\w)",
        validate=is_plausible_code,
        validated_score=0.75,
        scope="near numbers",
    ),
)
