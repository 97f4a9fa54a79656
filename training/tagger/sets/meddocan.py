"""MEDDOCAN: Spanish clinical cases with 22 kinds of protected information, in brat's stand-off format."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path

from training.tagger.records import Mark, Record, disjoint

KIND = {
    "TERRITORIO": ("LOC", "quasi"),
    "PAIS": ("LOC", "quasi"),
    "CALLE": ("LOC", "quasi"),
    "FECHAS": ("DATETIME", "quasi"),
    "EDAD_SUJETO_ASISTENCIA": ("DEM", "quasi"),
    "SEXO_SUJETO_ASISTENCIA": ("DEM", "quasi"),
    "FAMILIARES_SUJETO_ASISTENCIA": ("DEM", "quasi"),
    "PROFESION": ("DEM", "quasi"),
    "NOMBRE_SUJETO_ASISTENCIA": ("PERSON", "direct"),
    "NOMBRE_PERSONAL_SANITARIO": ("PERSON", "direct"),
    "HOSPITAL": ("ORG", "quasi"),
    "INSTITUCION": ("ORG", "quasi"),
    "CENTRO_SALUD": ("ORG", "quasi"),
    "OTROS_SUJETO_ASISTENCIA": ("MISC", "quasi"),
}
"""The rest are numbers of patients, staff, insurances, telephones, and mail addresses: CODE, direct."""


def read(folder: Path) -> Iterator[Record]:
    with tarfile.open(folder / "train_dev.tar.gz") as archive:
        texts = {
            member.name: archive.extractfile(member) for member in archive if member.name.endswith((".txt", ".ann"))
        }
        files = {name: file.read().decode("utf-8") for name, file in texts.items() if file is not None}
    for name in sorted(name for name in files if name.endswith(".txt")):
        text, case = files[name], Path(name).stem
        lines = files[name.removesuffix(".txt") + ".ann"].splitlines()
        marks = disjoint(text, [_mark(line) for line in lines if line.startswith("T")])
        # Cases of one article (-1, -2) share authors and hospital.
        yield Record("meddocan", case, case.rsplit("-", 1)[0], text, marks)


def _mark(line: str) -> Mark:
    _, where, _ = line.split("\t")
    kind, start, *_, end = where.split(" ")
    return Mark(int(start), int(end), *KIND.get(kind, ("CODE", "direct")))
