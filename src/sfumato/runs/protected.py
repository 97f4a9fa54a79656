"""A run that is protected: recipe first, then the loop over all documents, then a certificate and a report."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from sfumato.attacks.background import Background, as_background
from sfumato.attacks.ground_truth import documents_naming_others
from sfumato.attacks.suite import Suite
from sfumato.document import Outcome, Release, Withheld
from sfumato.errors import RecipeError
from sfumato.formats.base import Columns, OnProblem
from sfumato.formats.files import CONFIDENTIAL, atomic_path
from sfumato.llm.chat import Chat
from sfumato.progress import OnProgress, ignore_progress
from sfumato.protection.attackers import VERIFYING
from sfumato.protection.certificate import write_certificate
from sfumato.protection.corpus import Checkpoints, as_initial
from sfumato.protection.pages import page
from sfumato.protection.protect import protect_releases
from sfumato.protection.records import Protection
from sfumato.protection.target import Options, Target


@dataclass(frozen=True)
class ProtectedRun:
    """What a protected run needs beside a recipe. The report is confidential, the certificate is not."""

    target: Target
    background: Background | None = None
    options: Options = field(default_factory=Options)
    report: Path | None = None
    certificate: Path | None = None
    on_progress: OnProgress = ignore_progress

    @classmethod
    def of(
        cls,
        background: Path | None,
        columns: Columns,
        *,
        k: int | None = None,
        target_risk: float | None = None,
        budget: float | None = None,
        attacker_knowledge: float | None = None,
        release_anyway: bool = False,
        attacks: Sequence[str] | None = None,
        chat: Chat | None = None,
        report: Path | None = None,
        certificate: Path | None = None,
        originals: Columns | None = None,
        on_progress: OnProgress = ignore_progress,
        on_problem: OnProblem = lambda problem: None,
    ) -> ProtectedRun:
        """From what a user says; ``columns`` are the background's, ``originals`` those of the documents."""
        if attacks and background is None:
            raise RecipeError("--attack names who verifies, and verifying takes a background: give --background FILE")
        target = Target.of(k, target_risk, budget, release_anyway=release_anyway)
        ahead = 1.0 if attacker_knowledge is None else attacker_knowledge
        options = Options(attacker_knowledge=ahead, attacks=tuple(attacks or VERIFYING), chat=chat)
        known = None if background is None else as_background(background, columns, on_problem, originals)
        return cls(target, known, options, report, certificate, on_progress)

    def __post_init__(self) -> None:
        if self.background is not None:
            self.target.check(len(self.background))
            # Says which name it does not know, and which needs a language model.
            Suite(self.background, self.options.attacks, self.options.settings, self.options.chat)

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
            str(options.caution),
            *([options.chat.name] if options.chat and options.asking else ()),
        ]

    def protect(
        self, outcomes: Iterable[Outcome], secret: bytes, checkpoints: Path
    ) -> tuple[list[Outcome], Protection | None]:
        """Outcomes of the recipe after the loop, in order. ``shelf``: where finished documents are kept."""
        given = list(outcomes)
        if not given:  # nothing could be read, and the run knows better why
            return [], None
        starts = [as_initial(one, self.target) for one in given]
        options = replace(self.options, secret=self.options.secret or secret)
        with closing(Checkpoints(checkpoints)) as kept:
            found = protect_releases(
                starts, self.background, self.target, options, checkpoints=kept, on_progress=self.on_progress
            )
        if self.background is not None:
            found = found.naming(documents_naming_others((one.document for one in given), self.background))
        return [_outcome(one, found, at) for at, one in enumerate(given)], found

    def write(self, found: Protection, files: Sequence[Path], out: Path) -> list[Path]:
        """The certificate and the report; the paths written."""
        written = []
        if self.certificate is not None:
            write_certificate(self.certificate, found, files, out)
            written.append(self.certificate)
        if self.report is not None:
            with atomic_path(self.report, CONFIDENTIAL) as temporary:
                temporary.write_text(page(found), encoding="utf-8", errors="surrogatepass")
            written.append(self.report)
        return written


def _outcome(given: Outcome, found: Protection, at: int) -> Outcome:
    protected = found.documents[at]
    if isinstance(given, Withheld):
        return given
    if protected.withheld is not None:
        return Withheld(given.document, protected.withheld)
    if given.rewrite is not None:
        reasons = (*given.reasons, f"{len(protected.repairs)} repairs")
        made = Release.rewritten(given.document, protected.release.text, reasons, given.before_rewrite)
    else:
        made = _owned(protected.release, given)
    return replace(made, fallback_reason=given.fallback_reason)


def _owned(release: Release, start: Release) -> Release:
    """With what the recipe knew of each span: the shelf keeps where it is and not whose, and a vault needs both."""
    spans = [edit.span for edit in start.edits]
    starts = [span.start for span in spans]
    edits = []
    for edit in release.edits:
        first, last = bisect_right(starts, edit.span.start), bisect_left(starts, edit.span.end)
        near = spans[max(0, first - 1) : last]
        own = next((one for one in near if one.end > edit.span.start and one.label == edit.span.label), edit.span)
        edits.append(replace(edit, span=own.moved(edit.span.start, edit.span.end)))
    return replace(release, edits=tuple(edits))
