"""Documents split into training, validation and test parts, stratified, with the documents of a person together."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

from sfumato.document import Document
from sfumato.errors import InputError, RecipeError

PARTS = ("train", "validation", "test")
SHARES = (50.0, 20.0, 30.0)
"""Of Pissarra et al. (2024), in percent."""


def parse_shares(text: str) -> tuple[float, ...]:
    """``50/20/30``: what training, validation and test get, in percent."""
    try:
        shares = tuple(float(part) for part in text.split("/"))
    except ValueError:
        shares = ()
    if len(shares) != len(PARTS) or min(shares) < 0 or abs(sum(shares) - 100) > 1e-6:
        raise RecipeError(f"shares are three numbers that add up to 100, such as 50/20/30, got {text!r}")
    return shares


def column_value(name: str) -> Callable[[Document], str]:
    """A stratum by a column that was kept when the documents were read."""

    def stratum(document: Document) -> str:
        kept = document.meta.get("kept", {})
        if name not in kept:
            raise InputError(f"document {document.id} has no column {name!r} to stratify by: check its name")
        return str(kept[name])

    return stratum


def split_documents(
    documents: Sequence[Document],
    shares: Sequence[float] = SHARES,
    *,
    stratum: Callable[[Document], str] | None = None,
    seed: int = 0,
) -> dict[str, list[str]]:
    """The ids of each part, in the order of the documents.

    Every stratum is divided by the shares, as far as whole documents allow; what rounding leaves over in one stratum is
    made up for in the next. All documents of a person are in one part. Raises InputError where a part stays empty.
    """
    groups: dict[str, list[Document]] = defaultdict(list)
    for document in documents:
        groups[document.subjects[0] if document.subjects else f"\0{document.id}"].append(document)
    strata: dict[str, list[list[Document]]] = defaultdict(list)
    for group in groups.values():
        strata[_most_common(group, stratum)].append(group)
    part_of: dict[str, str] = {}
    missing = dict.fromkeys(PARTS, 0.0)
    for name in sorted(strata):
        ordered = sorted(strata[name], key=lambda group: group[0].id)
        random.Random(f"split {seed} {name}").shuffle(ordered)
        _divide(ordered, shares, missing, part_of)
    parts = {part: [document.id for document in documents if part_of[document.id] == part] for part in PARTS}
    for part, share in zip(PARTS, shares, strict=True):
        if share and not parts[part]:
            raise InputError(f"{len(documents)} documents are too few to split: none is left for {part}")
    return parts


def _most_common(group: Sequence[Document], stratum: Callable[[Document], str] | None) -> str:
    if stratum is None:
        return ""
    counts = Counter(map(stratum, group))
    return min(counts, key=lambda name: (-counts[name], name))


def _divide(
    groups: Sequence[Sequence[Document]],
    shares: Sequence[float],
    missing: dict[str, float],
    part_of: dict[str, str],
) -> None:
    """Give each group to the part that lacks most; ``missing`` is carried from stratum to stratum."""
    count = sum(map(len, groups))
    wanted: Mapping[str, float] = dict(zip(PARTS, shares, strict=True))
    for part in PARTS:
        missing[part] += count * wanted[part] / 100
    for group in groups:
        part = max((part for part in PARTS if wanted[part]), key=lambda part: missing[part])
        missing[part] -= len(group)
        part_of.update((document.id, part) for document in group)
