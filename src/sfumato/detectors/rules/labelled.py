"""Numbers after a word that tells what they are: "MRN: 00123456", "passport X1234567"."""

from __future__ import annotations

import re

from sfumato.detectors.rules.patterns import Pattern, alternatives

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


PATTERNS = (
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
