"""The certificate of a protected release: the guarantee, what attacks found, and which files it is about.

It is published with the release, so an attacker reads it. It holds sums and shares over the whole release and nothing
about one document: no ranks (not even the rank at which an attack pays best), no evidence, no reasons of edits, no ids.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal
from unicodedata import normalize

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sfumato.attacks.continuation import describe_continuation
from sfumato.attacks.ground_truth import describe_also_named
from sfumato.attacks.risk import LinkageRisk, RiskAtRank, find_strongest
from sfumato.errors import InputError
from sfumato.files import atomic_path
from sfumato.protection.records import ProtectedDocument, Protection, Standing, ThreatScenario
from sfumato.report.html import format_odds, format_percent, pluralize
from sfumato.statistics import sample_size_for
from sfumato.version import __version__

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
        "Someone who knows more about these people than that background, or who has a better attack, may find more. "
        "None of the attacks understands a text: a reader, or a large language model, who has the rest of the very "
        "documents that are released may find most of the people. "
        "And that nobody is named does not mean that nothing can be learned about anybody. "
        "It is about this release alone: who has another version of the same documents may learn more from both."
    ),
    "population": (
        "It does not say what someone who knows one of these people would find: that takes a background, and was not "
        "tried; nor does it mean that nothing can be learned about anybody, or that a second version may be released."
    ),
}

NO_PROOF = (
    "Every attack that was to verify found too many at first and joined the loop, so this is no proof: name others "
    "with --attack."
)


_STANDINGS: dict[Standing, str] = {
    "shown": "was shown to be met",
    "met in this sample": "was met in this sample, but so few releases do not show it",
    "missed": "was missed",
}


def verdict(protection: Protection, met: bool) -> str:
    """The verdict: what attacks find, what was allowed, and how certain that is."""
    target = protection.target
    allowed = f"at most {format_percent(target.risk)} ({format_odds(target.risk)}) was allowed"
    if not protection.released:
        return "The target was missed: every document was withheld."
    if protection.guarantee == "population":
        return (
            f"Nothing was verified: without a background no chance of being found can be measured. By what may be "
            f"reckoned to be known, at least {target.k} of the {protection.people:,} documents fit each release."
            + "".join(f" {sentence}" for sentence in unverified_parts(protection))
        )
    worst = strongest_binding(protection)
    if worst is None:
        return "The target was missed: no attack but those of the loop was tried, which proves nothing."
    scenario, name, best = worst
    releases = pluralize(scenario.attacks[name].n, "release")
    which = "verifying attack" if scenario.verifying else "attack"
    sentences = [
        f"The target {_STANDINGS[protection.standing if met else 'missed']}: of the people in {releases} the strongest "
        f"{which} ({name}; {scenario.name}) finds {_format_risk(best)}, even if it "
        f"learns from the other releases at which rank to look, and {allowed}."
    ]
    if not scenario.verifying:
        sentences.append(NO_PROOF)
    sentences += [*uncertainty(protection, met), *_other_misses(protection), *unverified_parts(protection)]
    return " ".join(sentences)


def strongest_binding(protection: Protection) -> tuple[ThreatScenario, str, RiskAtRank] | None:
    """The attack that finds most where the target has to hold: if possible one that the loop did not work against."""
    strongest = [(scenario, *scenario.strongest) for scenario in protection.binding_scenarios]
    return max(strongest, key=lambda item: (bool(item[0].verifying), item[2].risk), default=None)


def uncertainty(protection: Protection, met: bool) -> Iterator[str]:
    """Where the target is met, but the releases are too few to be certain."""
    worst, target = strongest_binding(protection), protection.target
    if worst is None or not met or target.is_met(high := protection.upper_bound):
        return
    if worst[2].risk > 0:
        yield f"With so few releases that is not certain: the true share may be as high as {format_percent(high)}."
        return
    releases = pluralize(worst[0].attacks[worst[1]].n, "release")
    yield (
        f"With {releases} a limit of {format_percent(target.risk)} cannot be shown: the true share may be as high as "
        f"{format_percent(high)}. About {sample_size_for(target.risk):,} releases with nobody found would be needed."
    )


def unverified_parts(protection: Protection) -> Iterator[str]:
    """What was released although no attack could judge it. Documents are counted, not named."""
    if continues := describe_continuation(protection.continuation):
        yield continues
    if protection.unchecked:
        parts = " and ".join(pluralize(count, what) for what, count in sorted(protection.unchecked.items()))
        yield f"{parts} went out as well, as asked: nothing here can read such parts, so whom they show is not known."
    if protection.not_read:
        what = "file or record" if protection.not_read == 1 else "files or records"
        yield f"{protection.not_read:,} {what} could not be read and took no part."
    if protection.is_unkeyed and protection.released:
        yield "No key was kept, so release no second version of these documents: the two would undo each other."
    if protection.also_named:
        yield f"{describe_also_named(protection.also_named)}; the target was not checked for them."


def _format_risk(best: RiskAtRank) -> str:
    low, high = best.interval
    return f"{format_percent(best.risk)} (95 % interval {format_percent(low)} to {format_percent(high)})"


def _other_misses(protection: Protection) -> Iterator[str]:
    """What else misses the target: it must be in the verdict, which may be all that someone reads."""
    target = protection.target
    if protection.loop_risks:
        name, best = find_strongest(protection.loop_risks, "learned")
        if not target.is_met(best.risk):
            yield f"The loop's own attack {name} finds {_format_risk(best)}."
    informing = [scenario for scenario in protection.scenarios if not scenario.binding and scenario.attacks]
    trial = max(informing, key=lambda scenario: scenario.strongest[1].risk, default=None)
    if trial is not None and not target.is_met(trial.strongest[1].risk):
        name, best = trial.strongest
        yield (
            f"Someone who knows more than this background finds more: in a trial {name} ({trial.name}) finds "
            f"{_format_risk(best)}."
        )
    if protection.released_anyway:
        count = pluralize(protection.released_anyway, "document")
        yield f"{count} that could not be brought to the target went out as well, as asked."


FORMAT = "sfumato certificate"
VERSION = 2
"""Version 1 had other names for some fields: see ``_upgrade``."""

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)


class Figure(_Part):
    """The share of people whom an attack finds at the first rank, or at the rank that other releases teach."""

    risk: Share
    interval: tuple[Share, Share]
    n: Count


class Strongest(Figure):
    """The attack that finds most."""

    attack: str


class Guarantee(_Part):
    """What kind of attacker was tried, and what that leaves open."""

    kind: str
    means: str
    does_not_say: str


class CertifiedTarget(_Part):
    k: int
    risk: Share
    budget: Share | None
    release_anyway: bool


class Verdict(_Part):
    """Whether the target was met in this sample, whether that is shown for more documents, and why, in words."""

    met: bool
    shown: bool | None = None
    """None in certificates of before it was stated."""
    sentence: str


class CertifiedBackground(_Part):
    fingerprint: str
    people: Count


class VerifiedScenario(_Part):
    """Attackers whom the loop did not work against."""

    scenario: str
    about: str
    binding: bool
    met: bool
    people: Count
    strongest: Strongest
    attacks: dict[str, Figure]


class InformationLost(_Part):
    """Mean share of information that the repairs cost a document; None where there is only one document."""

    mean: Share | None
    scorer: str | None


class DocumentCounts(_Part):
    """How many were released, and why others were not."""

    released: Count
    withheld: Count
    not_read: Count | None = None
    """Files or records that could not be read; None in certificates of before it was counted."""
    reasons: dict[str, Count]


class CertifiedFile(_Part):
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    bytes: Count


class Certificate(_Part):
    """All fields, in the order in which they are written."""

    format: Literal["sfumato certificate"]
    version: Literal[2]
    sfumato: str
    created: str
    guarantee: Guarantee
    target: CertifiedTarget
    verdict: Verdict
    background: CertifiedBackground
    before: dict[str, Figure]
    loop: dict[str, Figure]
    verified: list[VerifiedScenario]
    rounds: Count
    information_lost: InformationLost
    repairs: dict[str, Count] | None
    documents: DocumentCounts
    settings: dict[str, Any]
    files: dict[str, CertifiedFile]
    seal: str


def seal(content: Mapping[str, Any]) -> str:
    """sha256 over the canonical JSON of everything but the seal itself. It detects accidents; it is no signature."""
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
    if version not in (1, VERSION) or isinstance(version, bool):
        shown = version if isinstance(version, int) else "missing or no number"
        raise InputError(
            f"{path}: the certificate's version is {shown}, and this sfumato knows versions 1 and {VERSION}: use the "
            "sfumato that wrote it, or a newer one"
        )
    try:
        current = _upgrade(content) if version == 1 else content
        return Certificate.model_validate_json(json.dumps(current)), seal(content) == content.get("seal")
    except ValidationError as error:
        wrong = ".".join(map(str, error.errors()[0]["loc"][:2])) or "the text"
        raise InputError(
            f"{path}: is not a whole certificate ({wrong!r} is missing or no such value); get it again from whoever "
            "made the release"
        ) from None


def _upgrade(content: Mapping[str, Any]) -> dict[str, Any]:
    """A certificate of version 1 with the field names of version 2."""
    upgraded: dict[str, Any] = _renamed(content, {"made": "created"}) | {"version": VERSION}
    for part, names in (
        ("target", {"insist": "release_anyway"}),
        ("settings", {"foresight": "attacker_knowledge"}),
        ("repairs", {"climb": "generalize"}),
    ):
        if part in upgraded:
            upgraded[part] = _renamed(upgraded[part], names)
    if isinstance(upgraded.get("verified"), list):
        upgraded["verified"] = [_renamed(scenario, {"column": "scenario"}) for scenario in upgraded["verified"]]
    return upgraded


def _renamed(part: Any, names: Mapping[str, str]) -> Any:
    return {names.get(key, key): value for key, value in part.items()} if isinstance(part, Mapping) else part


SETTINGS = ("recipe", "scorer", "embedder", "loop_share", "attacker_knowledge", "spread", "rounds")
"""The settings that are published. By name, because others may be a secret, a seed or a path with a name in it."""

_DIGITS = 4
_LOSS_DIGITS = 3
"""With all digits of the loss, someone who has the scorer could test a guess of an original against it."""


def certificate(
    protection: Protection, files: Iterable[Path], root: Path, *, created: date | None = None
) -> dict[str, Any]:
    """The certificate of the released ``files`` in the folder ``root`` (or: ``root`` is the only file)."""
    target = protection.target
    met = protection.met
    single = len(protection.released) < 2
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "sfumato": __version__,
        "created": (created or datetime.now(UTC).date()).isoformat(),
        "guarantee": {
            "kind": protection.guarantee,
            "means": MEANS[protection.guarantee],
            "does_not_say": DOES_NOT_SAY[protection.guarantee],
        },
        "target": {
            "k": target.k,
            "risk": _number(target.risk),
            "budget": None if target.budget is None else _number(target.budget),
            "release_anyway": target.release_anyway,
        },
        "verdict": {"met": met, "shown": protection.standing == "shown", "sentence": verdict(protection, met)},
        "background": {"fingerprint": protection.background, "people": protection.people},
        "before": _figures(protection.before),
        "loop": _figures(protection.loop_risks),
        "verified": [_verified(protection, scenario) for scenario in protection.scenarios if scenario.attacks],
        "rounds": protection.rounds,
        "information_lost": {
            "mean": None if single else _number(protection.loss, _LOSS_DIGITS),
            "scorer": _public(protection.settings.get("scorer")),
        },
        "repairs": None if single else dict(sorted(protection.repairs.items())),
        "documents": {
            "released": len(protection.released),
            "withheld": len(protection.withheld),
            "not_read": protection.not_read,
            "reasons": _reasons(protection.withheld),
        },
        "settings": {name: _public(protection.settings[name]) for name in SETTINGS if name in protection.settings},
        "files": {name: fingerprint(path).model_dump() for name, path in sorted(_names(files, root).items())},
    }
    return {**content, "seal": seal(content)}


def write_certificate(
    path: Path, protection: Protection, files: Iterable[Path], root: Path, *, created: date | None = None
) -> dict[str, Any]:
    """Write the certificate beside the release, or in its folder; it never lists itself."""
    others = [file for file in files if file.resolve() != path.resolve()]
    content = certificate(protection, others, root, created=created)
    # Each interval on one line. Strings hold no line breaks, so none is changed.
    indented = json.dumps(content, ensure_ascii=False, indent=2)
    text = re.sub(r"\[\n\s+([\d.]+),\n\s+([\d.]+)\n\s+\]", r"[\1, \2]", indented) + "\n"
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
    return content


def fingerprint(path: Path) -> CertifiedFile:
    """A file's sha256 and size."""
    try:
        with path.open("rb") as handle:
            digest = hashlib.file_digest(handle, "sha256")
            return CertifiedFile(sha256=digest.hexdigest(), bytes=handle.tell())
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check that it is a released file") from None


def plain(name: str) -> str:
    """A file name that can be written as UTF-8, whatever bytes the disk has for it."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def _names(files: Iterable[Path], root: Path) -> dict[str, Path]:
    folder = (root if root.is_dir() else root.parent).absolute()
    names = {}
    for path in files:
        if not path.absolute().is_relative_to(folder):
            raise InputError(f"{path}: does not lie in the released folder {folder}, so no certificate can name it")
        names[plain(path.absolute().relative_to(folder).as_posix())] = path
    return names


def _figures(attacks: Mapping[str, LinkageRisk]) -> dict[str, Any]:
    return {name: _figure(risk.learned, risk.n) for name, risk in sorted(attacks.items())}


def _figure(best: RiskAtRank, n: int) -> dict[str, Any]:
    """Without ``best.rank`` and the risk at rank 1, which would tell whether rank 1 is the best."""
    return {"risk": _number(best.risk), "interval": [_number(bound) for bound in best.interval], "n": n}


def _verified(protection: Protection, scenario: ThreatScenario) -> dict[str, Any]:
    name, best = scenario.strongest
    return {
        "scenario": str(scenario.name),
        "about": scenario.about,
        "binding": scenario.binding,
        "met": all(protection.target.is_met(risk.learned.risk) for risk in scenario.attacks.values()),
        "people": scenario.people,
        "strongest": {"attack": name, **_figure(best, scenario.attacks[name].n)},
        "attacks": _figures(scenario.verifying or scenario.attacks),  # what joined the loop is listed there
    }


def _reasons(withheld: Iterable[ProtectedDocument]) -> dict[str, int]:
    """Why documents are withheld, and how many. Ids, quotations and numbers of single documents are taken out."""
    counts: Counter[str] = Counter()
    for document in withheld:
        reason = document.withheld or ""
        original = document.outcome.document
        ids = {document.id, original.id, *original.subjects, document.hardest_subject or ""} - {""}
        for name in sorted(ids, key=len, reverse=True):
            reason = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "…", reason)
        reason = re.sub(r"(?<!\w)(['\"]).*?\1(?!\w)", "…", reason)
        counts[re.sub(r"\d+(?:[.,]\d+)*", "…", reason)] += 1
    return dict(sorted(counts.items()))


def _public(value: object) -> Any:
    """A setting as JSON; of a model or recipe that is a file, its name alone."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return _number(value, 6)
    if isinstance(value, Mapping):
        return {str(name): _public(item) for name, item in sorted(value.items())}
    if isinstance(value, list | tuple):
        return [_public(item) for item in value]
    return plain(re.split(r"[/\\]", str(value).rstrip("/\\"))[-1])


def _number(value: float, digits: int = _DIGITS) -> float | int:
    """Whole numbers without a fraction, so that whatever program writes them again writes the same."""
    rounded = round(float(value), digits)
    return int(rounded) if rounded.is_integer() else rounded


Kind = Literal["seal", "changed", "missing", "unknown"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One mismatch. ``file``: as the certificate names it, or the certificate itself for its seal."""

    kind: Kind
    file: str

    @property
    def message(self) -> str:
        return _MESSAGES[self.kind]

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
"""By kind of mismatch, in the order in which they are listed."""


def check(path: Path, released: Sequence[Path]) -> tuple[Certificate, list[Finding]]:
    """A certificate, and every mismatch between it and the files.

    ``released``: folders, in which files are looked for by their path, and single files, by their name.
    """
    certificate, intact = read_certificate(path)
    findings = [] if intact else [Finding("seal", path.name)]
    missing = dict(certificate.files)
    for place in released:
        count = 0
        for name, file in _files(place, path, certificate.files):
            count += 1
            findings += _check_file(name, file, place.is_dir(), certificate.files, missing)
        if not count and place.is_dir():
            raise InputError(f"{place}: holds no file that could have been released; name the released folder or files")
    findings += [Finding("missing", name) for name in missing]
    order = list(_MESSAGES)
    return certificate, sorted(findings, key=lambda finding: (order.index(finding.kind), finding.file))


def _check_file(
    name: str, file: Path, whole_path: bool, named: Mapping[str, CertifiedFile], missing: dict[str, CertifiedFile]
) -> Iterator[Finding]:
    """Compare one file with those of its name, and take the one that it is from ``missing``."""
    same_name = [
        certified
        for certified in named
        if normalize("NFC", certified if whole_path else PurePosixPath(certified).name) == normalize("NFC", name)
    ]
    if not same_name:
        yield Finding("unknown", name)
        return
    content = fingerprint(file)
    same_content = [certified for certified in same_name if named[certified] == content]
    # Of several files of that name: one that is still missing, and whose path ends like that of this file.
    where = file.resolve().as_posix()
    match = max(
        same_content or same_name,
        key=lambda certified: (certified in missing, len(certified) if where.endswith(f"/{certified}") else 0),
    )
    missing.pop(match, None)
    if not same_content:
        yield Finding("changed", match)


def _files(place: Path, certificate: Path, named: Mapping[str, CertifiedFile]) -> Iterator[tuple[str, Path]]:
    """Files with their names, without the certificate, its signatures, and hidden files that it does not name."""
    if not place.exists():
        raise InputError(f"{place}: there is no such file or folder; name the released folder or files")
    if not place.is_dir():
        yield plain(place.name), place
        return
    certificate = certificate.resolve()
    for folder, _, names in os.walk(place):
        for path in sorted(Path(folder, name) for name in names):
            relative = path.relative_to(place)
            name = plain(relative.as_posix())
            is_hidden = any(part.startswith(".") for part in relative.parts)
            is_beside = path.parent.resolve() == certificate.parent
            is_certificate = is_beside and f"{path.name}.".startswith(f"{certificate.name}.")
            if name in named or not (is_hidden or is_certificate):
                yield name, path
