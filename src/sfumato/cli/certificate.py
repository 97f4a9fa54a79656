"""``sfumato certificate``: what was guaranteed, and whether these are the files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, render
from sfumato.cli.render import say, warn
from sfumato.cli.render_results import format_interval, problems
from sfumato.protection.certificate import Certificate, Figure, Finding, check
from sfumato.protection.pages import REPAIR_NAMES, format_loss
from sfumato.report.html import format_percent, format_percent_column

_KINDS = {"changed": "changed", "missing": "missing", "unknown": "not in the certificate"}


def certificate(
    certificate: Annotated[Path, options.argument("certificate.certificate")],
    released: Annotated[list[Path], options.argument("certificate.released")],
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
        render.print_json(answer)
    else:
        _show(record)
        _belongs(record, intact, findings)
    if not record.verdict.met:
        warn("the certificate says that the target was missed")
    if findings or not record.verdict.met:
        raise typer.Exit(1)


def _show(certificate: Certificate) -> None:
    say(certificate.verdict.sentence, "bold" if certificate.verdict.met else "bold yellow")
    say()
    _attacks(certificate)
    say()
    render.say_values(
        (
            ("target", _target(certificate)),
            ("what it says", certificate.guarantee.means),
            ("what it does not say", certificate.guarantee.does_not_say),
            ("documents", _documents(certificate)),
            ("price", _price(certificate)),
            ("made", f"{certificate.created} by sfumato {certificate.sfumato}"),
            ("background", f"{certificate.background.people:,} people, {certificate.background.fingerprint}"),
        )
    )


def _attacks(certificate: Certificate) -> None:
    figures = ("before", "after ↓", "95 % interval", "releases")
    rows = _rows(certificate, "those that the release was repaired against", certificate.loop)
    for scenario in certificate.verified:
        about = scenario.scenario + ("" if scenario.binding else " (for information)")
        rows += _rows(certificate, about, scenario.attacks, scenario.strongest.attack)
    render.show_table("attack", *figures, rows=rows, right=figures, dim=("releases",))


def _rows(
    certificate: Certificate, title: str, attacks: dict[str, Figure], strongest: str = ""
) -> list[Sequence[render.Cell]]:
    rows: list[Sequence[render.Cell]] = [[(title, "dim")]]
    for name, figure in attacks.items():
        before = certificate.before.get(name)
        risks = (format_percent_column(before.risk) if before else "–", format_percent_column(figure.risk))
        style = "bold" if name == strongest else ""
        rows.append(((f"  {name}", style), *risks, format_interval(figure.interval), f"{figure.n:,}"))
    return rows


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
    say()
    wrong = [finding for finding in findings if finding.kind != "seal"]
    if not wrong:
        count = len(certificate.files)
        files = "The one file" if count == 1 else f"All {count:,} files"
        say(
            f"{files} named in the certificate {'is' if count == 1 else 'are'} here and unchanged."
            if count
            else "The certificate names no file."
        )
    else:
        kinds = [(sum(finding.kind == kind for finding in wrong), kind) for kind in ("changed", "missing", "unknown")]
        counted = ", ".join(f"{count:,} {_KINDS[kind]}" for count, kind in kinds if count)
        say(f"These files and the certificate do not belong together: {counted}.", "bold yellow")
    if intact:
        say(
            "The seal is intact. It shows accidents and is no signature: whoever changes the certificate on purpose "
            "can make a new one.",
            "dim",
        )
    else:
        say(
            "The seal is broken: the certificate is not as it was made, and nothing in it can be relied on.",
            "bold yellow",
        )
    problems(findings)
