"""Forms and tables put together from fields: real ones differ in fields, order and layout more than in words."""

from __future__ import annotations

import random

FIELDS: dict[str, tuple[tuple[tuple[str, ...], str], ...]] = {
    "en": (
        (("Name", "Full name", "Patient name", "Customer", "Employee", "name"), "{a.full}"),
        (("First name", "Given name", "Forename", "first_name"), "{a.first}"),
        (("Last name", "Surname", "Family name", "last_name"), "{a.last}"),
        (("DOB", "Date of birth", "Birth date", "Born"), "{dob}"),
        (("Age",), "{age}"),
        (("Phone", "Tel.", "Mobile", "Contact no.", "Cell"), "{phone}"),
        (("E-mail", "Email", "Mail", "email_address"), "{a.email}"),
        (("Address", "Home address", "Residence", "Ship to"), "{address}"),
        (("City", "Town", "Place"), "{city}"),
        (("ZIP", "Postcode", "Postal code"), "{postcode}"),
        (("Country",), "{country}"),
        (("Employer", "Company", "Organisation"), "{org}"),
        (("Occupation", "Job title", "Profession", "Position"), "{job}"),
        (("Nationality", "Citizenship"), "{nationality}"),
        (("SSN", "Social security no.", "Tax ID"), "{ssn}"),
        (("Passport", "Passport no."), "{passport}"),
        (("MRN", "Hospital no.", "Patient ID", "NHS number"), "{mrn}"),
        (("Account", "Customer no.", "Member ID", "Student ID"), "{account}"),
        (("IBAN", "Bank account"), "{iban}"),
        (("Card", "Credit card"), "{card}"),
        (("Doctor", "GP", "Physician", "Manager", "Contact person"), "{b.title}"),
        (("Next of kin", "Emergency contact"), "{c.full}"),
        (("Date", "Visit date", "Created", "Admission"), "{date}"),
        (("Time",), "{time}"),
        (("Amount", "Total", "Salary"), "{money}"),
        (("Username", "Login", "User"), "{a.user}"),
        (("IP", "IP address"), "{ip}"),
        (("Status",), "active"),
        (("Blood group",), "0 positive"),
        (("Priority",), "{#1-5}"),
        (("Version",), "{#1-9}.{#0-20}"),
    ),
    "es": (
        (("Nombre",), "{a.first}"),
        (("Apellidos",), "{a.last}"),
        (("Paciente", "Titular", "Cliente"), "{a.full}"),
        (("Fecha de nacimiento", "F. Nac."), "{dob}"),
        (("Edad",), "{age} años"),
        (("Teléfono", "Tfno.", "Móvil"), "{phone}"),
        (("Correo electrónico", "E-mail"), "{a.email}"),
        (("Domicilio", "Dirección"), "{street}"),
        (("Localidad/ Provincia", "Ciudad", "Municipio"), "{city}"),
        (("CP", "Código postal"), "{postcode}"),
        (("País",), "{country}"),
        (("NHC", "Nº historia"), "{mrn}"),
        (("NASS", "DNI", "NIF"), "{idno}"),
        (("Médico", "Doctor"), "{b.full}"),
        (("Centro", "Hospital"), "{hospital}"),
        (("Fecha de ingreso", "Fecha"), "{date}"),
        (("Servicio",), "Medicina Interna"),
    ),
    "de": (
        (("Name", "Patient", "Kunde"), "{a.full}"),
        (("Nachname",), "{a.last}"),
        (("Vorname",), "{a.first}"),
        (("Geburtsdatum", "geb."), "{dob}"),
        (("Telefon", "Mobil"), "{phone}"),
        (("E-Mail",), "{a.email}"),
        (("Anschrift", "Adresse"), "{address}"),
        (("PLZ",), "{postcode}"),
        (("Ort", "Wohnort"), "{city}"),
        (("Beruf",), "{job}"),
        (("Arzt", "Sachbearbeiter"), "{b.title}"),
        (("Kundennr.", "Fallnummer"), "{account}"),
        (("Datum",), "{date}"),
        (("Status",), "erledigt"),
    ),
    "fr": (
        (("Nom",), "{a.last}"),
        (("Prénom",), "{a.first}"),
        (("Patient", "Client", "Nom et prénom"), "{a.full}"),
        (("Né(e) le", "Date de naissance"), "{dob}"),
        (("Tél.", "Téléphone", "Portable"), "{phone}"),
        (("Courriel", "E-mail"), "{a.email}"),
        (("Adresse",), "{address}"),
        (("Code postal",), "{postcode}"),
        (("Ville",), "{city}"),
        (("Profession",), "{job}"),
        (("Médecin traitant",), "{b.title}"),
        (("N° de dossier",), "{mrn}"),
        (("Date",), "{date}"),
        (("Service",), "Cardiologie"),
    ),
}
LAYOUTS = (
    *((between, "\n") for between in (": ", ":", " - ", "\t", " = ", " : ")),
    *((": ", after) for after in ("; ", "  ", ".\n")),
    (" | ", " |\n| "),
    ("\n", "\n\n"),
)
"""What stands between a field's name and its value, and after the value."""


def form(language: str, rng: random.Random) -> str:
    """A template of four to eleven fields in one layout."""
    fields = rng.sample(FIELDS[language], rng.randint(4, min(11, len(FIELDS[language]))))
    between, after = rng.choice(LAYOUTS)
    shout = rng.random() < 0.15
    keys = [rng.choice(names).upper() if shout else rng.choice(names) for names, _ in fields]
    return after.join(f"{key}{between}{slot}" for key, (_, slot) in zip(keys, fields, strict=True))


def table(language: str, rng: random.Random) -> str:
    """A template with a header line and two to four rows; only the first three rows' people have names to share."""
    fields = [field for field in FIELDS[language] if "{b." not in field[1] and "{c." not in field[1]]
    fields = rng.sample(fields, rng.randint(3, 6))
    between = rng.choice([",", ";", "\t", " | ", "  "])
    lines = [between.join(rng.choice(names) for names, _ in fields)]
    lines += [
        between.join(slot.replace("{a.", f"{{{who}.") for _, slot in fields) for who in "abc"[: rng.randint(2, 3)]
    ]
    return "\n".join(lines)
