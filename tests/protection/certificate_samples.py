"""Protections of invented people, in which all that is confidential can be recognised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sfumato.attacks.risk import LinkageRisk, linkage_risk, with_true_rank
from sfumato.document import Attempt, Document, Edit, Guess, Release, Span, Withheld
from sfumato.protection.records import ProtectedDocument, Protection, Repair, ThreatScenario
from sfumato.protection.target import Target

SECRET_RANK = 31337


def attempts(attack: str, ranks: Sequence[int]) -> list[Attempt]:
    """One attempt a document, with the true person at the given rank of fifty."""
    collected = []
    for number, rank in enumerate(ranks):
        guesses = tuple(Guess("true" if at == rank else f"p{at}", -float(at)) for at in range(1, 51))
        collected.append(with_true_rank(Attempt(attack, f"secret-id-{number}", guesses), ["true"]))
    return collected


def figures(attack: str, ranks: Sequence[int]) -> LinkageRisk:
    return linkage_risk(attempts(attack, ranks))


def document(
    number: int, withheld: str | None = None, secret_rank: int = SECRET_RANK, said: str = "Zwickelbach"
) -> ProtectedDocument:
    text = f"Anna Quorvex {number} raced pigeons in {said}."
    at = text.index(said)
    edit = Edit(Span(at, at + len(said), "PLACE"), "a Vlkplace", reasons=("BECAUSEOF",))
    source = Document(f"secret-id-{number}", text, subjects=(f"subject-quorvex-{number}",))
    return ProtectedDocument(
        outcome=Release(source, (edit,)) if withheld is None else Withheld(source, withheld),
        initial=Release(source),
        repairs=(
            Repair("hypernym", said, "a Vlkplace", 2, 0.0123457, "tfidf"),
            Repair("suppress", f"{said}er", "", 1, 0.02, "skip-grams"),
        ),
        loss=0.0323457 + number / 1000,
        ranks_before={"tfidf": 1, "skip-grams": 27182},
        ranks={"tfidf": 16180, "skip-grams": None},
        hardest_subject=f"subject-quorvex-{number}",
        secret_rank=secret_rank,
    )


def protection(
    documents: Sequence[ProtectedDocument] | None = None,
    verified: Mapping[str, Sequence[int]] | None = None,
    target: Target | None = None,
    guarantee: str = "background",
    scenarios: Sequence[ThreatScenario] | None = None,
) -> Protection:
    """By default 20 documents, of which characters finds one, dense two at a rank that it may learn; two withheld."""
    kept = [document(number) for number in range(20)]
    held = [document(number, f"'subject-quorvex-{number}' still has rank {number}") for number in (20, 21)]
    ranks = verified or {"characters": [*range(1, 21)], "dense": [*range(20, 38), 39, 39]}
    loop = {"tfidf": [*range(12, 32)], "skip-grams": [*range(13, 33)]}
    before = {name: [1] * 10 + [*range(2, 12)] for name in ("tfidf", "skip-grams", "characters", "dense")}
    own = {name: figures(name, places) for name, places in ranks.items()}
    return Protection(
        target=target or Target(),
        guarantee=guarantee,
        documents=tuple([*kept, *held] if documents is None else documents),
        before={name: figures(name, places) for name, places in before.items()},
        after={**{name: figures(name, places) for name, places in loop.items()}, **own},
        loop_attacks=("tfidf", "skip-grams"),
        scenarios=tuple(
            [ThreatScenario("other attacks, same background", "It knows what the loop knew.", 200, own, binding=True)]
            if scenarios is None
            else scenarios
        ),
        rounds=2,
        people=200,
        background="f" * 64,
        settings={
            "scorer": "/home/quorvex/models/bert",
            "recipe": "default",
            "secret": b"SECRETKEY",
            "seed": SECRET_RANK,
            "background": "/home/quorvex/people.csv",
        },
        seconds=14142.1,
    )


def released(folder: Path) -> list[Path]:
    """Three files in a folder, two of which have the same name."""
    texts = {"a.txt": "PERSON_1 sings.", "more/a.txt": "PERSON_1 bakes.", "more/été.txt": "PERSON_1 skates."}
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [folder / name for name in texts]
