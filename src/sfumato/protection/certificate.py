"""The certificate of a release: what was promised, what was found, and which files it is about.

It goes out with the release, so an attacker reads it. It holds sums and shares over the whole release and nothing about
one document: no ranks (not even the rank at which an attack pays best), no evidence, no reasons of edits, no ids.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sfumato.attacks.ground_truth import describe_also_named
from sfumato.attacks.risk import LinkageRisk, RiskAtRank, find_strongest
from sfumato.errors import InputError
from sfumato.formats.files import atomic_path
from sfumato.protection.records import ProtectedDocument, Protection, ThreatScenario
from sfumato.report.html import format_odds, format_percent, pluralize
from sfumato.statistics import needed
from sfumato.version import __version__

# -- A certificate's sentences.


MEANS = {
    "background": (
        "Attackers who know the background named here looked for the person of every release; the target is a limit to "
        "the share of people whom they find."
    ),
    "population": (
        "Nobody's background was given. Each release was repaired until, by what someone may be reckoned to know of "
        "its subject, enough of the other documents would fit as well. No chance of being found was measured."
    ),
}
DOES_NOT_SAY = {
    "background": (
        "Someone who knows more about these people than that background, or who has a better attack, may find more; "
        "and that nobody is named does not mean that nothing can be learned about anybody."
    ),
    "population": (
        "It does not say what someone who knows one of these people would find: that takes a background, and was not "
        "tried; nor does it mean that nothing can be learned about anybody."
    ),
}

NO_PROOF = (
    "Every attack that was to verify found too many at first and joined the loop, so this is no proof: name others "
    "with --attack."
)


def binding(protection: Protection) -> list[ThreatScenario]:
    """The columns that decide."""
    return [column for column in protection.columns if column.binding and column.attacks]


def verdict(protection: Protection, met: bool) -> str:
    """What was found, against what was allowed, and how sure that is."""
    target = protection.target
    allowed = f"at most {format_percent(target.risk)} ({format_odds(target.risk)}) was allowed"
    if not protection.released:
        return "The target was not met: every document was withheld."
    if protection.guarantee == "population":
        return (
            f"Nothing was verified: without a background no chance of being found can be measured. By what may be "
            f"reckoned to be known, at least {target.k} of the {protection.people:,} documents fit each release."
            + "".join(f" {said}" for said in beside(protection))
        )
    worst = strongest_binding(protection)
    if worst is None:
        return "The target was not met: no attack but those of the loop was tried, which proves nothing."
    column, name, best = worst
    releases = pluralize(column.attacks[name].n, "release")
    said = [
        f"The target was {'met' if met else 'not met'}: of the people in {releases} the strongest "
        f"{'verifying attack' if column.verifying else 'attack'} ({name}; {column.name}) finds {_found(best)}, even if "
        f"it learns from the other releases at which rank to look, and {allowed}."
    ]
    if not column.verifying:
        said.append(NO_PROOF)
    return " ".join([*said, *doubt(protection, met), *_besides(protection), *beside(protection)])


def strongest_binding(protection: Protection) -> tuple[ThreatScenario, str, RiskAtRank] | None:
    """The attack that finds most where the target has to hold: one that the loop did not work against, if any is."""
    found = [(column, *column.strongest) for column in binding(protection)]
    return max(found, key=lambda one: (bool(one[0].verifying), one[2].risk), default=None)


def doubt(protection: Protection, met: bool) -> Iterator[str]:
    """What a target that is met leaves open, where the releases are few."""
    worst, target = strongest_binding(protection), protection.target
    if worst is None or not met or target.is_met(high := worst[2].interval[1]):
        return
    if worst[2].risk > 0:
        yield f"With so few releases that is not certain: the true share may be as high as {format_percent(high)}."
        return
    releases = pluralize(worst[0].attacks[worst[1]].n, "release")
    yield (
        f"With {releases} a limit of {format_percent(target.risk)} cannot be shown: the true share may be as high as "
        f"{format_percent(high)}. About {needed(target.risk):,} releases with nobody found would be needed."
    )


def beside(protection: Protection) -> Iterator[str]:
    """What went out and no attack could judge. Documents are counted, not named."""
    if protection.unchecked:
        told = " and ".join(pluralize(count, what) for what, count in sorted(protection.unchecked.items()))
        yield f"{told} went out as well, as asked: nothing here can read such parts, so whom they show is not known."
    if protection.also_named:
        yield f"{describe_also_named(protection.also_named)}; the target was not checked for them."


def _found(best: RiskAtRank) -> str:
    low, high = best.interval
    return f"{format_percent(best.risk)} (95 % interval {format_percent(low)} to {format_percent(high)})"


def _besides(protection: Protection) -> Iterator[str]:
    """What else misses the target: a reader of one sentence must not overlook it."""
    target = protection.target
    loop = {name: protection.after[name] for name in protection.loop_attacks if name in protection.after}
    if loop and not target.is_met(find_strongest(loop, "learned")[1].risk):
        name, best = find_strongest(loop, "learned")
        yield f"The loop's own attack {name} finds {_found(best)}."
    for column in protection.columns:
        if not column.binding and column.attacks and not target.is_met(column.strongest[1].risk):
            name, best = column.strongest
            yield f"For information, {name} ({column.name}) finds {_found(best)}."
    released_anyway = sum(one.released_anyway is not None for one in protection.documents)
    if released_anyway:
        yield f"{pluralize(released_anyway, 'document')} that could not be brought to the target went out as well, as asked."


# -- What stands in a certificate, its seal, and reading one back.


FORMAT = "sfumato certificate"
VERSION = 1

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)


class Figure(_Part):
    """How many people an attack finds at the first rank, or at the one that other releases teach: not told which."""

    risk: Share
    interval: tuple[Share, Share]
    n: Count


class Strongest(Figure):
    """The same of the attack that finds most."""

    attack: str


class Guarantee(_Part):
    """What kind of attacker was tried out, and what that leaves open."""

    kind: str
    means: str
    does_not_say: str


class Aim(_Part):
    """The target: see ``sfumato.protection.target``."""

    k: int
    risk: Share
    budget: Share | None
    release_anyway: bool


class Verdict(_Part):
    """Whether the target was met, and how near it was, for people."""

    met: bool
    sentence: str


class Known(_Part):
    """What the attackers knew: so many people, and which background it was."""

    fingerprint: str
    people: Count


class Verified(_Part):
    """Attackers whom the loop did not work against."""

    column: str
    about: str
    binding: bool
    met: bool
    people: Count
    strongest: Strongest
    attacks: dict[str, Figure]


class Lost(_Part):
    """Mean share of information that the repairs cost a document; None where it would be that of one document."""

    mean: Share | None
    scorer: str | None


class Documents(_Part):
    """How many went out, and why others did not."""

    released: Count
    withheld: Count
    reasons: dict[str, Count]


class File(_Part):
    """One released file."""

    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    bytes: Count


class Certificate(_Part):
    """The whole, in the order in which it is written."""

    format: Literal["sfumato certificate"]
    version: Literal[1]
    sfumato: str
    made: str
    guarantee: Guarantee
    target: Aim
    verdict: Verdict
    background: Known
    before: dict[str, Figure]
    loop: dict[str, Figure]
    verified: list[Verified]
    rounds: Count
    information_lost: Lost
    repairs: dict[str, Count] | None
    documents: Documents
    settings: dict[str, Any]
    files: dict[str, File]
    seal: str


def seal(content: Mapping[str, Any]) -> str:
    """sha256 over the canonical JSON of everything but the seal itself. It shows accidents; it is no signature."""
    rest = {name: value for name, value in content.items() if name != "seal"}
    canonical = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def read_certificate(path: Path) -> tuple[Certificate, bool]:
    """A certificate, and whether its seal is intact."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); name the certificate of the release") from None
    try:
        content = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise InputError(
            f"{path}: is not JSON, so it is no certificate or was damaged; name the certificate of the release first, "
            "then the released files"
        ) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(
            f'{path}: is JSON, but no certificate (it has no "format": "{FORMAT}"); name the certificate of the '
            "release first, then the released files"
        )
    version = content.get("version")
    if version != VERSION or isinstance(version, bool):
        said = version if isinstance(version, int) else "missing or no number"
        raise InputError(
            f"{path}: the certificate's version is {said}, and this sfumato knows version {VERSION}: use the sfumato "
            "that wrote it, or a newer one"
        )
    try:
        return Certificate.model_validate_json(json.dumps(content)), seal(content) == content.get("seal")
    except ValidationError as error:
        wrong = ".".join(map(str, error.errors()[0]["loc"][:2])) or "the text"
        raise InputError(
            f"{path}: is not a whole certificate ({wrong!r} is missing or no such value); get it again from whoever "
            "made the release"
        ) from None


# -- The certificate of a release: what was promised, what was found, and which files it is about.


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
            "insist": target.release_anyway,
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


def _figures(attacks: Mapping[str, LinkageRisk]) -> dict[str, Any]:
    return {name: _figure(one.learned, one.n) for name, one in sorted(attacks.items())}


def _figure(best: RiskAtRank, n: int) -> dict[str, Any]:
    """Without ``best.rank``, and without the risk at rank 1: two that differ say that the first is not the best."""
    return {"risk": _number(best.risk), "interval": [_number(bound) for bound in best.interval], "n": n}


def _verified(protection: Protection, column: ThreatScenario) -> dict[str, Any]:
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


def _reasons(withheld: Iterable[ProtectedDocument]) -> dict[str, int]:
    """Why documents stay behind, and how many. Reasons are ours, but might quote an id or a figure of one document."""
    counts: Counter[str] = Counter()
    for one in withheld:
        reason = one.withheld or ""
        own = {one.id, one.release.document.id, *one.release.document.subjects, one.hardest or ""} - {""}
        for name in sorted(own, key=len, reverse=True):
            reason = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "…", reason)
        reason = re.sub(r"(?<!\w)(['\"]).*?\1(?!\w)", "…", reason)
        counts[re.sub(r"\d+(?:[.,]\d+)*", "…", reason)] += 1
    return dict(sorted(counts.items()))


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


# -- Whether files and a certificate belong together.


Kind = Literal["seal", "changed", "missing", "unknown"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that does not fit. ``file``: as the certificate names it, or the certificate itself for its seal."""

    kind: Kind
    file: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}: {self.message}"

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "file": self.file, "message": self.message}


_MESSAGES: Mapping[Kind, str] = {
    "seal": "the certificate was changed after it was made; get it again from whoever made the release",
    "changed": "is not the file that was certified: its content has changed",
    "missing": "the certificate names it, but it is not among the files given",
    "unknown": "is not in the certificate: nothing is promised about it",
}


def check(path: Path, released: Sequence[Path]) -> tuple[Certificate, list[Finding]]:
    """A certificate, and what does not fit together; nothing where all is well.

    ``released``: folders, in which files are looked for by their path, and single files, by their name.
    """
    found, intact = read_certificate(path)
    findings = [] if intact else [_finding("seal", path.name)]
    waiting = dict(found.files)
    for place in released:
        looked_at = 0
        for name, file in _files(place, path, found.files):
            looked_at += 1
            findings += _judged(name, file, place.is_dir(), found.files, waiting)
        if not looked_at and place.is_dir():
            raise InputError(f"{place}: holds no file that could have been released; name the released folder or files")
    order: dict[Kind, int] = {"seal": 0, "changed": 1, "missing": 2, "unknown": 3}
    findings += [_finding("missing", name) for name in waiting]
    return found, sorted(findings, key=lambda finding: (order[finding.kind], finding.file))


def _judged(
    name: str, file: Path, whole_path: bool, named: Mapping[str, File], waiting: dict[str, File]
) -> Iterator[Finding]:
    """Compare one file with those of its name; ``waiting`` loses the one that it is."""
    alike = [own for own in named if _same(own, name, whole_path)]
    if not alike:
        yield _finding("unknown", name)
        return
    content = fingerprint(file)
    same = [own for own in alike if named[own] == content]
    # Of several files of that name: one that nobody was yet, and that lies where this one lies.
    where = file.resolve().as_posix()
    own = max(same or alike, key=lambda own: (own in waiting, len(own) if where.endswith(f"/{own}") else 0))
    waiting.pop(own, None)
    if not same:
        yield _finding("changed", own)


def _same(own: str, name: str, whole_path: bool) -> bool:
    known = own if whole_path else PurePosixPath(own).name
    return unicodedata.normalize("NFC", known) == unicodedata.normalize("NFC", name)


def _finding(kind: Kind, file: str) -> Finding:
    return Finding(kind, file, _MESSAGES[kind])


def _files(place: Path, certificate: Path, named: Mapping[str, File]) -> Iterator[tuple[str, Path]]:
    """Files with their names: not the certificate or a signature of it, nor hidden ones that it does not name."""
    if not place.exists():
        raise InputError(f"{place}: there is no such file or folder; name the released folder or files")
    if not place.is_dir():
        yield plain(place.name), place
        return
    own = certificate.resolve()
    for folder, _, names in os.walk(place):
        for path in sorted(Path(folder, name) for name in names):
            relative = path.relative_to(place)
            name = plain(relative.as_posix())
            beside = path.parent.resolve() == own.parent and (path.name + ".").startswith(own.name + ".")
            hidden = any(part.startswith(".") for part in relative.parts)
            if name in named or not (beside or hidden):
                yield name, path
