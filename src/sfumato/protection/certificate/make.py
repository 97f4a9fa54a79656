"""The certificate of a release: what was promised, what was found, and which files it is about.

It goes out with the release, so an attacker reads it. It holds sums and shares over the whole release and nothing about
one document: no ranks (not even the rank at which an attack pays best), no evidence, no reasons of edits, no ids.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from sfumato.attacks.risk import BestRank, Linked
from sfumato.corpus import atomic_path
from sfumato.errors import InputError
from sfumato.protection.certificate.record import FORMAT, VERSION, File, seal
from sfumato.protection.certificate.words import DOES_NOT_SAY, MEANS, binding, verdict
from sfumato.protection.records import Column, Protected, Protection
from sfumato.version import __version__

SETTINGS = ("recipe", "scorer", "embedder", "loop_share", "foresight", "spread", "rounds")
"""The settings that are told. By name, because others may be a secret, a seed or a path with a name in it."""

_DIGITS = 4
_LOSS_DIGITS = 3
"""Whoever knows the scorer could test a guess of what stood there against a loss that is told to the last digit."""


def certificate(
    protection: Protection, files: Iterable[Path], root: Path, *, made: date | None = None
) -> dict[str, Any]:
    """The certificate of the released ``files``, which lie in the folder ``root`` (or: ``root`` is the one file)."""
    target = protection.target
    met = bool(binding(protection)) and protection.met
    single = len(protection.released) < 2
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "sfumato": __version__,
        "made": (made or datetime.now(UTC).date()).isoformat(),
        "guarantee": {
            "kind": protection.guarantee,
            "means": MEANS[protection.guarantee],
            "does_not_say": DOES_NOT_SAY[protection.guarantee],
        },
        "target": {
            "k": target.k,
            "risk": _number(target.risk),
            "budget": None if target.budget is None else _number(target.budget),
            "insist": target.insist,
        },
        "verdict": {"met": met, "sentence": verdict(protection, met)},
        "background": {"fingerprint": protection.background, "people": protection.people},
        "before": _figures(protection.before),
        "loop": _figures(
            {name: protection.after[name] for name in protection.loop_attacks if name in protection.after}
        ),
        "verified": [_verified(protection, column) for column in protection.columns if column.attacks],
        "rounds": protection.rounds,
        "information_lost": {
            "mean": None if single else _number(protection.loss, _LOSS_DIGITS),
            "scorer": _told(protection.settings.get("scorer")),
        },
        "repairs": None if single else dict(sorted(protection.repairs.items())),
        "documents": {
            "released": len(protection.released),
            "withheld": len(protection.withheld),
            "reasons": _reasons(protection.withheld),
        },
        "settings": {name: _told(protection.settings[name]) for name in SETTINGS if name in protection.settings},
        "files": {name: fingerprint(path).model_dump() for name, path in sorted(_names(files, root).items())},
    }
    return {**content, "seal": seal(content)}


def write_certificate(
    path: Path, protection: Protection, files: Iterable[Path], root: Path, *, made: date | None = None
) -> dict[str, Any]:
    """Write the certificate beside the release, or in its folder; it is never one of its own files."""
    others = [file for file in files if file.resolve() != path.resolve()]
    content = certificate(protection, others, root, made=made)
    with atomic_path(path) as temporary:
        temporary.write_text(_laid_out(content), encoding="utf-8", newline="\n")
    return content


def _laid_out(content: Mapping[str, Any]) -> str:
    """Indented, with each interval on one line. Only between values are there line breaks, so no string is touched."""
    text = json.dumps(content, ensure_ascii=False, indent=2)
    return re.sub(r"\[\n\s+([\d.]+),\n\s+([\d.]+)\n\s+\]", r"[\1, \2]", text) + "\n"


def fingerprint(path: Path) -> File:
    """A file's sha256 and size."""
    try:
        with path.open("rb") as handle:
            digest = hashlib.file_digest(handle, "sha256")
            return File(sha256=digest.hexdigest(), bytes=handle.tell())
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check that it is a released file") from None


def plain(name: str) -> str:
    """A file name that can be written as UTF-8, whatever bytes the disk has for it."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def _names(files: Iterable[Path], root: Path) -> dict[str, Path]:
    folder = (root if root.is_dir() else root.parent).absolute()
    found = {}
    for path in files:
        if not path.absolute().is_relative_to(folder):
            raise InputError(f"{path}: does not lie in the released folder {folder}, so no certificate can name it")
        found[plain(path.absolute().relative_to(folder).as_posix())] = path
    return found


def _figures(attacks: Mapping[str, Linked]) -> dict[str, Any]:
    return {name: _figure(one.learned, one.n) for name, one in sorted(attacks.items())}


def _figure(best: BestRank, n: int) -> dict[str, Any]:
    """Without ``best.rank``, and without the risk at rank 1: two that differ say that the first is not the best."""
    return {"risk": _number(best.risk), "interval": [_number(bound) for bound in best.interval], "n": n}


def _verified(protection: Protection, column: Column) -> dict[str, Any]:
    name, best = column.strongest
    return {
        "column": column.name,
        "about": column.about,
        "binding": column.binding,
        "met": all(protection.target.is_met(one.learned.risk) for one in column.attacks.values()),
        "people": column.people,
        "strongest": {"attack": name, **_figure(best, column.attacks[name].n)},
        "attacks": _figures(column.attacks),
    }


def _reasons(withheld: Iterable[Protected]) -> dict[str, int]:
    """Why documents stay behind, and how many. Reasons are ours, but might quote an id or a figure of one document."""
    counted: Counter[str] = Counter()
    for one in withheld:
        reason = one.withheld or ""
        own = {one.id, one.release.document.id, *one.release.document.subjects, one.hardest or ""} - {""}
        for name in sorted(own, key=len, reverse=True):
            reason = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "…", reason)
        reason = re.sub(r"(?<!\w)(['\"]).*?\1(?!\w)", "…", reason)
        counted[re.sub(r"\d+(?:[.,]\d+)*", "…", reason)] += 1
    return dict(sorted(counted.items()))


def _told(value: object) -> Any:
    """A setting as JSON has it; of a model or recipe that is a file, its name alone."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return _number(value, 6)
    if isinstance(value, Mapping):
        return {str(name): _told(one) for name, one in sorted(value.items())}
    if isinstance(value, list | tuple):
        return [_told(one) for one in value]
    return plain(re.split(r"[/\\]", str(value).rstrip("/\\"))[-1])


def _number(value: float, digits: int = _DIGITS) -> float | int:
    """Whole numbers without a fraction, so that whatever program writes them again writes the same."""
    rounded = round(float(value), digits)
    return int(rounded) if rounded.is_integer() else rounded
