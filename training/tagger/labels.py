"""What the tagger says about a token: one of eight types, and whether the mention must go."""

from __future__ import annotations

from sfumato.document import LABELS as LABELS

TAGS = ("O", *(f"{position}-{label}" for label in LABELS for position in "BI"))
DECISIONS = ("direct", "quasi", "none")

TAG_ID = {tag: number for number, tag in enumerate(TAGS)}
DECISION_ID = {decision: number for number, decision in enumerate(DECISIONS)}

FAMILY = {
    "tab_typed": "tab",
    "plain_tab": "tab",
    "generated_negative": "generated",
    "everyday_copies": "everyday",
    "everyday_validation": "everyday",
}
"""Sets that belong together: leaving out ``tab`` leaves out every ruling, typed only or fully annotated."""


def family(name: str) -> str:
    """The name under which a set is left out and reported."""
    return FAMILY.get(name, name)


NAMED = frozenset({"PERSON", "ORG", "LOC", "MISC"})
UNCOVERED: dict[str, frozenset[str]] = {
    "spia": frozenset({"DATETIME", "QUANTITY", "MISC", "DEM"}),
    "asq_phi": frozenset({"DATETIME", "QUANTITY", "MISC", "DEM"}),
    "presidio": frozenset({"QUANTITY", "MISC", "DEM"}),
    "meddocan": frozenset({"QUANTITY", "MISC"}),
    "wnut17": frozenset(LABELS) - NAMED,
    "wikigold": frozenset(LABELS) - NAMED,
    "btc": frozenset(LABELS) - NAMED | {"MISC"},
    "agentclinic": frozenset({"DATETIME", "QUANTITY", "MISC", "DEM"}),
    "everyday": frozenset({"DATETIME", "QUANTITY", "MISC", "DEM"}),
    "everyday_copies": frozenset({"DATETIME", "QUANTITY", "MISC", "DEM"}),
    "generated": frozenset({"QUANTITY", "MISC"}),
    "generated_negative": frozenset({"QUANTITY", "MISC", "DATETIME", "DEM"}),
}
"""Types that a set's annotators did not look for: there, "outside" means O *or* one of these.

Calling an unannotated date in a tweet O would teach the model to overlook the dates that TAB teaches it to find.
"""
