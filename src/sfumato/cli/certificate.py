"""``sfumato certificate``: what was guaranteed, and whether these are the files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sfumato.cli import options
from sfumato.protection.certificate import Certificate, Figure, Finding, check
from sfumato.protection.pages import REPAIR_NAMES, format_loss
from sfumato.report.html import format_percent, format_percent_column

_MOST_FINDINGS = 20
_KINDS = {"changed": "changed", "missing": "missing", "unknown": "not in the certificate"}

_out = Console()
_err = Console(stderr=True)


def certificate(
    certificate: Annotated[
        Path, typer.Argument(metavar="CERTIFICATE.json", help="The certificate that came with the release.")
    ],
    released: Annotated[
        list[Path], typer.Argument(metavar="RELEASED...", help="The released folder, or the released files.")
    ],
    as_json: options.Json = False,
) -> None:
    """Read a certificate, and check that it belongs to these files."""
    record, findings = check(certificate, released)
    intact = all(finding.kind != "seal" for finding in findings)
    if as_json:
        answer = {
            "belongs": not findings,
            "met": record.verdict.met,
            "seal": "intact" if intact else "broken",
            "findings": [finding.to_json() for finding in findings],
            "certificate": record.model_dump(mode="json"),
        }
        typer.echo(json.dumps(answer, ensure_ascii=False, indent=2))
    else:
        _show(record)
        _belongs(record, intact, findings)
    if not record.verdict.met:
        _err.print(Text("the certificate says that the target was not met", style="yellow"))
    if findings or not record.verdict.met:
        raise typer.Exit(1)


def _show(certificate: Certificate) -> None:
    _say(certificate.verdict.sentence, "bold" if certificate.verdict.met else "bold yellow")
    _out.print()
    _attacks(certificate)
    _out.print()
    for name, line in (
        ("target", _target(certificate)),
        ("what it says", certificate.guarantee.means),
        ("what it does not say", certificate.guarantee.does_not_say),
        ("documents", _documents(certificate)),
        ("price", _price(certificate)),
        ("made", f"{certificate.created} by sfumato {certificate.sfumato}"),
        ("background", f"{certificate.background.people:,} people, {certificate.background.fingerprint}"),
    ):
        _out.print(Text.assemble((f"{name}: ", "dim"), line), soft_wrap=True)


def _attacks(certificate: Certificate) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("attack")
    table.add_column("before", justify="right")
    table.add_column("after ↓", justify="right")
    table.add_column("95 % interval", justify="right")
    table.add_column("releases", justify="right", style="dim")
    _rows(table, certificate, "those that the release was repaired against", certificate.loop)
    for scenario in certificate.verified:
        about = scenario.scenario + ("" if scenario.binding else " (for information)")
        _rows(table, certificate, about, scenario.attacks, scenario.strongest.attack)
    _out.print(table)


def _rows(table: Table, certificate: Certificate, title: str, attacks: dict[str, Figure], strongest: str = "") -> None:
    table.add_row(Text(title, style="dim"))
    for name, figure in attacks.items():
        before = certificate.before.get(name)
        low, high = figure.interval
        table.add_row(
            Text(f"  {name}", style="bold" if name == strongest else ""),
            format_percent_column(before.risk) if before else "–",
            format_percent_column(figure.risk),
            f"{format_percent_column(low)} – {format_percent_column(high)}",
            f"{figure.n:,}",
        )


def _target(certificate: Certificate) -> str:
    target = certificate.target
    text = f"at most {format_percent(target.risk)} found, each person among {target.k:,} or more who fit as well"
    if target.budget is not None:
        text += f"; at most {format_percent(target.budget)} of a document's information lost for it"
    return text


def _documents(certificate: Certificate) -> str:
    documents = certificate.documents
    text = f"{documents.released:,} released, {documents.withheld:,} withheld"
    reasons = [f"{count:,}: {reason}" for reason, count in documents.reasons.items()]
    return text + (f" ({'; '.join(reasons)})" if reasons else "")


def _price(certificate: Certificate) -> str:
    price = certificate.information_lost
    if price.mean is None or certificate.repairs is None:
        return "not told for a single document"
    text = f"{format_loss(price.mean)} of a document's information on average"
    text += f" (scorer {price.scorer})" if price.scorer else ""
    kinds = [f"{REPAIR_NAMES.get(kind, kind)} ({count:,})" for kind, count in certificate.repairs.items()]
    return f"{text}; repairs: {', '.join(kinds) or 'none'}"


def _belongs(certificate: Certificate, intact: bool, findings: Sequence[Finding]) -> None:
    """Whether these are the files; what is wrong goes to stderr, one line a file."""
    _out.print()
    wrong = [finding for finding in findings if finding.kind != "seal"]
    if not wrong:
        count = len(certificate.files)
        files = "The one file" if count == 1 else f"All {count:,} files"
        _say(
            f"{files} named in the certificate {'is' if count == 1 else 'are'} here and unchanged."
            if count
            else "The certificate names no file."
        )
    else:
        kinds = [(sum(finding.kind == kind for finding in wrong), kind) for kind in ("changed", "missing", "unknown")]
        counted = ", ".join(f"{count:,} {_KINDS[kind]}" for count, kind in kinds if count)
        _say(f"These files and the certificate do not belong together: {counted}.", "bold yellow")
    if intact:
        _say(
            "The seal is intact. It shows accidents and is no signature: whoever changes the certificate on purpose "
            "can make a new one.",
            "dim",
        )
    else:
        _say(
            "The seal is broken: the certificate is not as it was made, and nothing in it can be relied on.",
            "bold yellow",
        )
    for finding in findings[:_MOST_FINDINGS]:
        _err.print(Text(str(finding), style="yellow"), soft_wrap=True)
    if len(findings) > _MOST_FINDINGS:
        _err.print(Text(f"and {len(findings) - _MOST_FINDINGS:,} more; --json lists them all", style="yellow"))


def _say(line: str, style: str = "") -> None:
    _out.print(Text(line, style=style), soft_wrap=True)
