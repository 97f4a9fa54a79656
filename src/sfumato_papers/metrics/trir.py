"""Text re-identification risk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sfumato.attacks.risk import Attempts, linkage_risk
from sfumato.document import Release
from sfumato.errors import NotMeasurable
from sfumato.metrics.base import metric
from sfumato.metrics.risk import attack_options, background_facts
from sfumato.statistics import Estimate

if TYPE_CHECKING:
    from sfumato.attacks.background import Background


@metric("trir", family="risk", cite="manzanares2025", higher_is_better=False)
def text_re_identification_risk(releases: Sequence[Release], attempts: Attempts, background: Background) -> Estimate:
    """Share of releases that a language model trained on the background links to their person."""
    if "trir" not in attempts:
        raise NotMeasurable("it needs the attack trir to be run (--attack trir)")
    linkage = linkage_risk(attempts["trir"])
    per_document = {attempt.document_id: float(attempt.rank == 1) for attempt in attempts["trir"]}
    settings = {
        **attack_options(attempts, "trir"),
        **background_facts(releases, attempts["trir"], background),
    }
    return Estimate(linkage.risk, linkage.interval, linkage.n, per_document, settings)
