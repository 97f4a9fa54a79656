"""A certificate's sentences."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.attacks.mentions import about_named
from sfumato.attacks.risk import BestRank, strongest
from sfumato.intervals import needed
from sfumato.protection.records import Column, Protection
from sfumato.report.words import counted, in_words, percent

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


def binding(protection: Protection) -> list[Column]:
    """The columns that decide."""
    return [column for column in protection.columns if column.binding and column.attacks]


def verdict(protection: Protection, met: bool) -> str:
    """What was found, against what was allowed, and how sure that is."""
    target = protection.target
    allowed = f"at most {percent(target.risk)} ({in_words(target.risk)}) was allowed"
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
    releases = counted(column.attacks[name].n, "release")
    said = [
        f"The target was {'met' if met else 'not met'}: of the people in {releases} the strongest "
        f"{'verifying attack' if column.verifying else 'attack'} ({name}; {column.name}) finds {_found(best)}, even if "
        f"it learns from the other releases at which rank to look, and {allowed}."
    ]
    if not column.verifying:
        said.append(NO_PROOF)
    return " ".join([*said, *doubt(protection, met), *_besides(protection), *beside(protection)])


def strongest_binding(protection: Protection) -> tuple[Column, str, BestRank] | None:
    """The attack that finds most where the target has to hold: one that the loop did not work against, if any is."""
    found = [(column, *column.strongest) for column in binding(protection)]
    return max(found, key=lambda one: (bool(one[0].verifying), one[2].risk), default=None)


def doubt(protection: Protection, met: bool) -> Iterator[str]:
    """What a target that is met leaves open, where the releases are few."""
    worst, target = strongest_binding(protection), protection.target
    if worst is None or not met or target.is_met(high := worst[2].interval[1]):
        return
    if worst[2].risk > 0:
        yield f"With so few releases that is not certain: the true share may be as high as {percent(high)}."
        return
    releases = counted(worst[0].attacks[worst[1]].n, "release")
    yield (
        f"With {releases} a limit of {percent(target.risk)} cannot be shown: the true share may be as high as "
        f"{percent(high)}. About {needed(target.risk):,} releases with nobody found would be needed."
    )


def beside(protection: Protection) -> Iterator[str]:
    """What went out and no attack could judge. Documents are counted, not named."""
    if protection.unchecked:
        told = " and ".join(counted(count, what) for what, count in sorted(protection.unchecked.items()))
        yield f"{told} went out as well, as asked: nothing here can read such parts, so whom they show is not known."
    if protection.also_named:
        yield f"{about_named(protection.also_named)}; the target was not checked for them."


def _found(best: BestRank) -> str:
    low, high = best.interval
    return f"{percent(best.risk)} (95 % interval {percent(low)} to {percent(high)})"


def _besides(protection: Protection) -> Iterator[str]:
    """What else misses the target: a reader of one sentence must not overlook it."""
    target = protection.target
    loop = {name: protection.after[name] for name in protection.loop_attacks if name in protection.after}
    if loop and not target.is_met(strongest(loop, "learned")[1].risk):
        name, best = strongest(loop, "learned")
        yield f"The loop's own attack {name} finds {_found(best)}."
    for column in protection.columns:
        if not column.binding and column.attacks and not target.is_met(column.strongest[1].risk):
            name, best = column.strongest
            yield f"For information, {name} ({column.name}) finds {_found(best)}."
    insisted = sum(one.insisted is not None for one in protection.documents)
    if insisted:
        yield f"{counted(insisted, 'document')} that could not be brought to the target went out as well, as asked."
