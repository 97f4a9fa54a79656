"""A protected run over files: the recipe, then the loop over all documents, then certificate and report."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from sfumato.attacks.background import Background
from sfumato.attacks.suite import Suite
from sfumato.document import Outcome, Release, Withheld
from sfumato.files import CONFIDENTIAL, atomic_path
from sfumato.formats.sources import KEY_SUFFIX
from sfumato.isolation import attempt
from sfumato.parallel import Engine
from sfumato.progress import OnProgress, ignore_progress
from sfumato.protection.certificate import write_certificate
from sfumato.protection.checkpoints import Checkpoints
from sfumato.protection.pages import page
from sfumato.protection.protect import protect_releases
from sfumato.protection.records import ProtectedDocument, Protection
from sfumato.protection.target import Options, Target
from sfumato.vault.key import Key


@dataclass(frozen=True)
class ProtectedRun:
    """What a protected run needs beside a recipe. The report is confidential, the certificate is not."""

    target: Target
    background: Background | None = None
    options: Options = field(default_factory=Options)
    report: Path | None = None
    certificate: Path | None = None
    on_progress: OnProgress = ignore_progress
    key: Key | None = field(default=None, repr=False)
    """What ranks and invented values are drawn from where the run has no other key: see ``corpus_key``."""

    def __post_init__(self) -> None:
        if self.background is not None:
            self.target.check(len(self.background))
            # Raises for unknown attacks, and for those that need a language model.
            Suite(
                self.background,
                self.options.attacks,
                self.options.attack_settings(self.target.k),
                self.options.chat,
            )

    @property
    def depends_on(self) -> list[object]:
        """What the bytes of the release depend on."""
        options = self.options
        attacks = [attack if isinstance(attack, str) else attack.name for attack in options.attacks]
        return [
            str(self.target),
            self.background and self.background.digest,
            options.attacker_knowledge,
            options.holdout_documents,
            attacks,
            str(options.settings),
            str(options.scorer),
            str(options.embedder),
            str(options.precautions),
            self.key and self.key.derive("fingerprint").hex(),
            *([options.chat.name] if options.chat and options.asking else ()),
        ]

    def protect(
        self,
        outcomes: Iterable[Outcome],
        secret: bytes,
        checkpoints: Path,
        engine: Engine | None = None,
        finish: Callable[[Release], Outcome] | None = None,
    ) -> tuple[list[Outcome], Protection | None]:
        """The recipe's outcomes after the loop, in order. ``checkpoints``: the file for finished documents.

        ``engine``: what runs the loop, in the place of this process. ``finish``: the last steps of the recipe.
        """
        before = list(outcomes)
        if not before:  # nothing could be read: the job reports why
            return [], None
        options = replace(self.options, secret=self.options.secret or secret, engine=engine)
        with closing(Checkpoints(checkpoints)) as finished:
            protection = protect_releases(
                before,
                self.background,
                self.target,
                options,
                checkpoints=finished,
                on_progress=self.on_progress,
                finish=finish,
            )
        after = zip(before, protection.documents, strict=True)
        return [attempt(partial(_protected_outcome, *pair), pair[0].document) for pair in after], protection

    def write(self, protection: Protection, files: Sequence[Path], out: Path) -> list[Path]:
        """Write the certificate and the report; returns their paths."""
        written = []
        if self.certificate is not None:
            write_certificate(self.certificate, protection, files, out)
            written.append(self.certificate)
        if self.report is not None:
            with atomic_path(self.report, CONFIDENTIAL) as temporary:
                temporary.write_text(page(protection), encoding="utf-8", errors="surrogatepass")
            written.append(self.report)
        return written


def corpus_key(inputs: Sequence[Path], out: Path) -> tuple[Key, Path, bool] | None:
    """The key of a corpus, its file beside the first input, and whether it is new.

    Two releases of the same documents that hide different words undo each other, so that later releases are made with
    the key of the first. None where there is no such place, or it would be given away with the release.
    """
    first = inputs[0].resolve()
    path = first.with_name(f"{first.name}{KEY_SUFFIX}")
    if not first.name or path.is_relative_to(out.resolve()):
        return None
    if path.exists():
        return Key.load(path), path, False
    if not os.access(path.parent, os.W_OK):
        return None
    return Key.create(path), path, True


def _protected_outcome(outcome: Outcome, protected: ProtectedDocument) -> Outcome:
    if isinstance(outcome, Withheld):
        return outcome
    if isinstance(protected.outcome, Withheld):
        return replace(protected.outcome, document=outcome.document)
    if outcome.rewrite is not None:
        reasons = (*outcome.reasons, f"{len(protected.repairs)} repairs")
        release = Release.rewritten(outcome.document, protected.release.text, reasons, outcome.before_rewrite)
    else:
        release = protected.release
    return replace(release, fallback_reason=outcome.fallback_reason)
