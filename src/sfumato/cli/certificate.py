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
from sfumato.protection.pages import REPAIR_NAMES, lost
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
    found, findings = check(certificate, released)
    intact = all(one.kind != "seal" for one in findings)
    if as_json:
        answer = {
            "belongs": not findings,
            "met": found.verdict.met,
            "seal": "intact" if intact else "broken",
            "findings": [one.to_json() for one in findings],
            "certificate": found.model_dump(mode="json"),
        }
        typer.echo(json.dumps(answer, ensure_ascii=False, indent=2))
    else:
        _show(found)
        _belongs(found, intact, findings)
    if not found.verdict.met:
        _err.print(Text("the certificate says that the target was not met", style="yellow"))
    if findings or not found.verdict.met:
        raise typer.Exit(1)


def _show(found: Certificate) -> None:
    _say(found.verdict.sentence, "bold" if found.verdict.met else "bold yellow")
    _out.print()
    _attacks(found)
    _out.print()
    for name, line in (
        ("target", _target(found)),
        ("what it says", found.guarantee.means),
        ("what it does not say", found.guarantee.does_not_say),
        ("documents", _documents(found)),
        ("price", _price(found)),
        ("made", f"{found.made} by sfumato {found.sfumato}"),
        ("background", f"{found.background.people:,} people, {found.background.fingerprint}"),
    ):
        _out.print(Text.assemble((f"{name}: ", "dim"), line), soft_wrap=True)


def _attacks(found: Certificate) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("attack")
    table.add_column("before", justify="right")
    table.add_column("after ↓", justify="right")
    table.add_column("95 % interval", justify="right")
    table.add_column("releases", justify="right", style="dim")
    _rows(table, found, "those that the release was repaired against", found.loop)
    for column in found.verified:
        about = column.column + ("" if column.binding else " (for information)")
        _rows(table, found, about, column.attacks, column.strongest.attack)
    _out.print(table)


def _rows(table: Table, found: Certificate, title: str, attacks: dict[str, Figure], strongest: str = "") -> None:
    table.add_row(Text(title, style="dim"))
    for name, one in attacks.items():
        before = found.before.get(name)
        low, high = one.interval
        table.add_row(
            Text(f"  {name}", style="bold" if name == strongest else ""),
            format_percent_column(before.risk) if before else "–",
            format_percent_column(one.risk),
            f"{format_percent_column(low)} – {format_percent_column(high)}",
            f"{one.n:,}",
        )


def _target(found: Certificate) -> str:
    target = found.target
    said = f"at most {format_percent(target.risk)} found, each person among {target.k:,} or more who fit as well"
    if target.budget is not None:
        said += f"; at most {format_percent(target.budget)} of a document's information lost for it"
    return said


def _documents(found: Certificate) -> str:
    documents = found.documents
    said = f"{documents.released:,} released, {documents.withheld:,} withheld"
    reasons = [f"{count:,}: {reason}" for reason, count in documents.reasons.items()]
    return said + (f" ({'; '.join(reasons)})" if reasons else "")


def _price(found: Certificate) -> str:
    price = found.information_lost
    if price.mean is None or found.repairs is None:
        return "not told for a single document"
    said = f"{lost(price.mean)} of a document's information on average"
    said += f" (scorer {price.scorer})" if price.scorer else ""
    kinds = [f"{REPAIR_NAMES.get(kind, kind)} ({count:,})" for kind, count in found.repairs.items()]
    return f"{said}; repairs: {', '.join(kinds) or 'none'}"


def _belongs(found: Certificate, intact: bool, findings: Sequence[Finding]) -> None:
    """Whether these are the files; what is wrong goes to stderr, one line a file."""
    _out.print()
    wrong = [one for one in findings if one.kind != "seal"]
    if not wrong:
        count = len(found.files)
        files = "The one file" if count == 1 else f"All {count:,} files"
        _say(
            f"{files} named in the certificate {'is' if count == 1 else 'are'} here and unchanged."
            if count
            else "The certificate names no file."
        )
    else:
        kinds = [(sum(one.kind == kind for one in wrong), kind) for kind in ("changed", "missing", "unknown")]
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
    for one in findings[:_MOST_FINDINGS]:
        _err.print(Text(str(one), style="yellow"), soft_wrap=True)
    if len(findings) > _MOST_FINDINGS:
        _err.print(Text(f"and {len(findings) - _MOST_FINDINGS:,} more; --json lists them all", style="yellow"))


def _say(line: str, style: str = "") -> None:
    _out.print(Text(line, style=style), soft_wrap=True)
