"""What stands in a certificate, its seal, and reading one back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sfumato.errors import InputError

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
    insist: bool


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
