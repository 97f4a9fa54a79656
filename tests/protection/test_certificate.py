"""The certificate: what it says, what it never says, and whether files belong to it."""

from __future__ import annotations

import hashlib
import json
import os
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.attacks.continuation import Sign
from sfumato.attacks.risk import RiskAtRank
from sfumato.document import Outcome, Withheld
from sfumato.errors import InputError
from sfumato.protection.certificate import (
    Certificate,
    CertifiedBackground,
    CertifiedFile,
    CertifiedTarget,
    DocumentCounts,
    Figure,
    Finding,
    Guarantee,
    InformationLost,
    Verdict,
    VerifiedScenario,
    certificate,
    read_certificate,
    seal,
    write_certificate,
)
from sfumato.protection.certificate import check as checked
from sfumato.protection.pages import page
from sfumato.protection.records import ProtectedDocument, Scenario, ThreatScenario
from sfumato.protection.target import Target
from sfumato.version import __version__
from tests.protection.certificate_samples import SECRET_RANK, document, figures, protection, released

DAY = date(2031, 5, 4)


@pytest.fixture
def made(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate, and the folder it is about."""
    folder = tmp_path / "out"
    files = released(folder)
    write_certificate(tmp_path / "certificate.json", protection(), files, folder)
    return tmp_path / "certificate.json", folder


def check(path: Path, given: Sequence[Path]) -> list[Finding]:
    return checked(path, given)[1]


def found(path: Path, *given: Path) -> list[tuple[str, str]]:
    return [(item.kind, item.file) for item in check(path, given)]


def numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from numbers(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


# -- what it says ----------------------------------------------------------------------------------------------------


def test_it_says_what_was_promised_and_found(tmp_path: Path) -> None:
    files = released(tmp_path)
    source = protection()
    content = certificate(source, files, tmp_path, created=DAY)
    assert (content["format"], content["version"], content["sfumato"]) == ("sfumato certificate", 2, __version__)
    assert content["created"] == "2031-05-04"
    assert content["target"] == {"k": 11, "risk": 0.0909, "budget": None, "release_anyway": False}
    assert content["background"] == {"fingerprint": "f" * 64, "people": 200}
    (column,) = content["verified"]
    assert column["strongest"] == {
        "attack": "characters",
        "risk": 0.05,
        "interval": pytest.approx([0.0089, 0.2361], abs=1e-4),  # Wilson's interval of 1 in 20
        "n": 20,
    }
    assert (column["binding"], column["met"], column["people"]) == (True, True, 200)
    assert set(column["attacks"]) == {"characters", "dense"}
    assert set(content["loop"]) == {"tfidf", "skip-grams"}
    assert content["before"]["tfidf"]["risk"] == 0.5
    assert content["rounds"] == 2
    assert content["information_lost"] == {"mean": round(0.0323457 + 0.0095, 3), "scorer": "bert"}
    assert content["repairs"] == {"hypernym": 40, "suppress": 20}
    assert content["documents"] == {"released": 20, "withheld": 2, "not_read": 0, "reasons": {"… still has rank …": 2}}
    assert content["settings"] == {"recipe": "default", "scorer": "bert"}
    assert content["verdict"]["met"]
    assert content["verdict"]["sentence"].startswith(
        "The target was met in this sample, but so few releases do not show it: of the people in 20 releases the "
        "strongest verifying attack (characters; other attacks, same background) finds 5 % (95 % interval 0.9 % to 24 "
    )
    assert (
        "With so few releases that is not certain: the true share may be as high as 24 %"
        in content["verdict"]["sentence"]
    )


def test_every_field_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "certificate.md").read_text(encoding="utf-8")
    parts = (
        Certificate,
        Guarantee,
        CertifiedTarget,
        Verdict,
        CertifiedBackground,
        VerifiedScenario,
        Figure,
        InformationLost,
        DocumentCounts,
        CertifiedFile,
    )
    for name in (name for part in parts for name in part.model_fields):
        assert f"`{name}`" in page, f"{name} is undocumented"


def test_files_stand_in_it_with_size_and_digest(tmp_path: Path) -> None:
    files = released(tmp_path)
    record = certificate(protection(), files, tmp_path)
    assert list(record["files"]) == ["a.txt", "more/a.txt", "more/été.txt"]
    for name, one in record["files"].items():
        content = (tmp_path / name).read_bytes()
        assert one == {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    alone = certificate(protection(), files[:1], files[0])
    assert list(alone["files"]) == ["a.txt"]


def test_the_same_release_gives_the_same_bytes(tmp_path: Path) -> None:
    files = released(tmp_path / "out")
    for name, order in (("one.json", files), ("two.json", files[::-1])):
        write_certificate(tmp_path / name, protection(), order, tmp_path / "out", created=DAY)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_it_is_not_one_of_its_own_files(tmp_path: Path) -> None:
    files = released(tmp_path)
    path = tmp_path / "certificate.json"
    for _ in range(2):
        written = write_certificate(path, protection(), [*files, path], tmp_path)
        assert len(written["files"]) == 3
    assert check(path, [tmp_path]) == []


def test_files_that_cannot_be_named_are_errors(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    with pytest.raises(InputError, match="does not lie in the released folder"):
        certificate(protection(), [tmp_path / "other.txt"], tmp_path / "in")
    with pytest.raises(InputError, match=r"gone\.txt: cannot be read"):
        certificate(protection(), [tmp_path / "in" / "gone.txt"], tmp_path / "in")


@pytest.mark.parametrize("kind", ["background", "population"])
def test_every_kind_of_guarantee_has_its_sentences(tmp_path: Path, kind: str) -> None:
    entry = certificate(protection(guarantee=kind), [], tmp_path)["guarantee"]
    assert entry["kind"] == kind
    assert ("Nobody's background" in entry["means"]) == (kind == "population")


# -- the verdict -----------------------------------------------------------------------------------------------------


def test_a_missed_target_is_said(tmp_path: Path) -> None:
    content = certificate(protection(verified={"dense": [14] * 3 + [*range(20, 37)]}), [], tmp_path)
    assert not content["verdict"]["met"]
    assert "was missed" in content["verdict"]["sentence"]
    assert "15 %" in content["verdict"]["sentence"]
    assert not content["verified"][0]["met"]


def test_nothing_released_and_nothing_verified_are_no_success(tmp_path: Path) -> None:
    held = protection(documents=[document(1, "too short"), document(2, "too short")])
    content = certificate(held, [], tmp_path)
    assert content["verdict"] == {
        "met": False,
        "shown": False,
        "sentence": "The target was missed: every document was withheld.",
    }
    assert content["documents"]["reasons"] == {"too short": 2}
    alone = certificate(protection(scenarios=[]), [], tmp_path)
    assert not alone["verdict"]["met"]
    assert "no attack but those of the loop" in alone["verdict"]["sentence"]
    assert alone["verified"] == []


def test_the_verdict_tells_what_misses_without_deciding(tmp_path: Path) -> None:
    binding = protection().scenarios[0]
    more = ThreatScenario(
        "other attacks, more background", "It knows all.", 200, {"dense": figures("dense", [1] * 20)}, False
    )
    entry = certificate(protection(scenarios=[binding, more]), [], tmp_path)["verdict"]
    assert entry["met"]
    assert (
        "knows more than this background finds more: in a trial dense (other attacks, more background) finds 100 %"
        in entry["sentence"]
    )


def test_a_background_that_goes_on_with_the_documents_is_said(tmp_path: Path) -> None:
    quiet = protection()
    sentence = certificate(quiet, [], tmp_path)["verdict"]["sentence"]
    assert "continues" not in sentence
    for shown, is_said in ((18, True), (2, False)):
        sign = Sign("paragraph numbers go on", shown, 20, 0.04)
        said = certificate(replace(quiet, continuation=(sign,)), [], tmp_path)["verdict"]["sentence"]
        assert ("The background continues or repeats the documents" in said) is is_said
        assert ("18 of 20 documents (90 %" in said) is is_said


def test_the_loops_own_attacks_decide_as_well(tmp_path: Path) -> None:
    source = protection()
    source = replace(source, after={**source.after, "tfidf": figures("tfidf", [12] * 20)})
    content = certificate(source, [], tmp_path)
    assert not content["verdict"]["met"]
    assert content["verified"][0]["met"]
    assert "The loop's own attack tfidf finds 100 %" in content["verdict"]["sentence"]


@pytest.mark.parametrize(("count", "said"), [(0, ""), (1, "1 document that"), (2, "2 documents that")])
def test_what_went_out_although_it_missed_the_target_is_counted(tmp_path: Path, count: int, said: str) -> None:
    own = [
        replace(document(at), released_anyway=f"subject-{at} has rank 2" if at < count else None) for at in range(20)
    ]
    content = certificate(protection(own, target=Target(release_anyway=True)), [], tmp_path)
    sentence = content["verdict"]["sentence"]
    assert ("went out as well, as asked" in sentence) == bool(count)
    assert said in sentence
    assert "subject-" not in json.dumps(content)


def test_the_figures_of_a_single_document_are_not_told(tmp_path: Path) -> None:
    content = certificate(protection(documents=[document(1)]), [], tmp_path)
    assert content["information_lost"]["mean"] is None
    assert content["repairs"] is None


# -- what it never says ----------------------------------------------------------------------------------------------


def test_nothing_confidential_stands_in_it(tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    write_certificate(path, protection(), released(tmp_path / "out"), tmp_path / "out")
    text = path.read_text(encoding="utf-8")
    for secret in (
        *("Zwickelbach", "Vlkplace", "BECAUSEOF", "Anna", "quorvex", "Quorvex", "subject-", "secret-id", "pigeons"),
        *(str(SECRET_RANK), "27182", "16180", "SECRETKEY", "seed", "14142", "home", "people.csv", str(tmp_path)),
        *('"rank"', "median", '"found"', "0.0123457"),
    ):
        assert secret not in text, secret
    assert protection().after["dense"].learned.rank == 39
    assert 39 not in set(numbers(json.loads(text)))


def _with_id(protected: ProtectedDocument, key: str, reason: str) -> Outcome:
    document = replace(protected.outcome.document, id=key)
    if protected.withheld is not None:
        return Withheld(document, reason)
    return replace(protected.release, document=document)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rank=st.integers(1, 50), secret=st.integers(11, 44), word=st.text("abcdefghij", min_size=3), ranks=st.booleans())
def test_confidential_values_change_nothing(tmp_path: Path, rank: int, secret: int, word: str, ranks: bool) -> None:
    plain = protection()
    other = replace(
        plain,
        documents=tuple(
            replace(
                item,
                outcome=_with_id(item, f"{word}-{at}", f"'{word}-{at}' still has rank {rank}"),
                repairs=tuple(replace(repair, before=word, after=word, attack=word) for repair in item.repairs),
                ranks={"tfidf": rank} if ranks else {},
                ranks_before={},
                hardest_subject=word,
                secret_rank=secret,
            )
            for at, item in enumerate(plain.documents)
        ),
        after={name: _elsewhere(one, rank) for name, one in plain.after.items()},
        scenarios=tuple(
            replace(column, attacks={name: _elsewhere(one, rank) for name, one in column.attacks.items()})
            for column in plain.scenarios
        ),
        settings={**plain.settings, "secret": word, "seed": secret},
        seconds=float(rank),
    )
    assert certificate(other, [], tmp_path, created=DAY) == certificate(plain, [], tmp_path, created=DAY)


def _elsewhere(one: Any, rank: int) -> Any:
    """As often found, but at another rank."""
    best, learned = (RiskAtRank(rank, at.risk, at.interval) for at in (one.best, one.learned))
    return replace(one, best=best, learned=learned)


# -- the seal --------------------------------------------------------------------------------------------------------


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict | list) and value:
        for name, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(one, (*path, name))
    else:
        yield path


def changed(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return f"{value}x"


def test_any_change_breaks_the_seal(tmp_path: Path) -> None:
    content = certificate(protection(), released(tmp_path), tmp_path)
    assert seal(content) == content["seal"]
    places = [path for path in leaves(content) if path != ("seal",)]
    assert len(places) > 60
    for place in places:
        copy = json.loads(json.dumps(content))
        inside = copy
        for name in place[:-1]:
            inside = inside[name]
        inside[place[-1]] = changed(inside[place[-1]])
        assert seal(copy) != content["seal"], place
        inside.pop(place[-1])
        assert seal(copy) != content["seal"], place


def test_another_layout_does_not_break_it(made: tuple[Path, Path]) -> None:
    path, folder = made
    content = json.loads(path.read_text("utf-8"))
    for text in (
        json.dumps(content, sort_keys=True),
        json.dumps(dict(reversed(content.items())), indent=7),
        "\ufeff" + json.dumps(content, separators=(",\r\n", " :  ")),
    ):
        path.write_text(text, encoding="utf-8")
        assert check(path, [folder]) == []


# -- do they belong together? ----------------------------------------------------------------------------------------


def test_files_that_belong(made: tuple[Path, Path]) -> None:
    path, folder = made
    assert found(path, folder) == []
    assert found(path, *(file for file in folder.rglob("*.txt"))) == []
    assert found(path, folder / "a.txt") == [("missing", "more/a.txt"), ("missing", "more/été.txt")]


def test_changed_missing_and_unknown_files_are_told_apart(made: tuple[Path, Path]) -> None:
    path, folder = made
    (folder / "a.txt").write_text("PERSON_1 sings!")
    (folder / "more" / "a.txt").rename(folder / "more" / "b.txt")
    assert found(path, folder) == [("changed", "a.txt"), ("missing", "more/a.txt"), ("unknown", "more/b.txt")]
    path.write_text(path.read_text("utf-8").replace('"met": true', '"met": false'), encoding="utf-8")
    assert found(path, folder)[0] == ("seal", "certificate.json")


def test_a_swap_of_two_files_is_noticed(made: tuple[Path, Path]) -> None:
    path, folder = made
    one, two = folder / "a.txt", folder / "more" / "a.txt"
    first, second = one.read_text(), two.read_text()
    one.write_text(second)
    two.write_text(first)
    assert found(path, folder) == [("changed", "a.txt"), ("changed", "more/a.txt")]


def test_single_files_of_one_name_in_any_order(made: tuple[Path, Path]) -> None:
    path, folder = made
    (folder / "more" / "a.txt").write_text("PERSON_1 knits.")
    files = [folder / "a.txt", folder / "more" / "a.txt", folder / "more" / "été.txt"]
    for order in (files, files[::-1]):
        assert found(path, *order) == [("changed", "more/a.txt")]


def test_what_lies_beside_a_release_without_being_part_of_it(made: tuple[Path, Path]) -> None:
    path, folder = made
    for name in ("certificate.json", "certificate.json.asc", "certificate.json.minisig", ".hidden"):
        (folder / name).write_bytes(path.read_bytes())
    assert found(folder / "certificate.json", folder) == []
    assert ("unknown", "certificate.json") in found(path, folder)  # that of another release must not pass unseen


def test_names_in_another_unicode_form_are_the_same(made: tuple[Path, Path]) -> None:
    path, folder = made
    name = folder / "more" / "été.txt"
    name.rename(name.with_name(unicodedata.normalize("NFD", name.name)))
    assert found(path, folder) == []


@pytest.mark.parametrize("name", ["[\n  1,\n  2\n].txt", os.fsdecode(b"\xff.txt"), 'a"b\\c.txt', "…"])
def test_odd_names_are_found_again(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    try:
        (folder / name).write_text("PERSON_1 sings.")
    except OSError:
        pytest.skip("this file system has no such names")
    write_certificate(tmp_path / "c.json", protection(), [folder / name], folder)
    assert found(tmp_path / "c.json", folder) == found(tmp_path / "c.json", folder / name) == []


def test_what_cannot_be_checked_is_an_error(made: tuple[Path, Path], tmp_path: Path) -> None:
    path, folder = made
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="empty: holds no file"):
        check(path, [tmp_path / "empty"])
    with pytest.raises(InputError, match="there is no such file or folder"):
        check(path, [folder / "nothing.txt"])
    with pytest.raises(InputError, match="cannot be read"):
        check(tmp_path, [folder])
    for text, message in (
        ("PERSON_1 sings.", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[1]", "but no certificate"),
        ('{"a": "PERSON_1 sings."}', "but no certificate"),
        ('{"format": "sfumato certificate", "version": 3}', "version is 3, and this sfumato knows versions 1 and 2"),
        ('{"format": "sfumato certificate"}', "version is missing"),
        ('{"format": "sfumato certificate", "version": 1}', "is not a whole certificate"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=message) as error:
            check(path, [folder])
        assert "sings" not in str(error.value)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_certificate_is_an_error_or_has_a_broken_seal(made: tuple[Path, Path], data: st.DataObject) -> None:
    path, folder = made
    content = json.loads(path.read_text("utf-8"))
    place = data.draw(st.sampled_from(list(leaves(content))))
    empty: st.SearchStrategy[Any] = st.just([]) | st.just({})
    value = data.draw(st.none() | st.booleans() | st.integers() | st.floats() | st.text() | empty)
    inside = content
    for name in place[:-1]:
        inside = inside[name]
    if inside[place[-1]] == value and type(inside[place[-1]]) is type(value):
        return
    inside[place[-1]] = value
    bad = folder.parent / "bad.json"
    bad.write_text(json.dumps(content), encoding="utf-8")
    try:
        _, intact = read_certificate(bad)
    except InputError:
        return
    assert not intact


VERSION_1 = Path(__file__).parent / "data" / "certificate-v1"
"""A certificate that sfumato 0.1.0 wrote, and the file that it is about."""


def test_a_certificate_of_version_1_is_still_read() -> None:
    result, findings = checked(VERSION_1 / "certificate.json", [VERSION_1 / "cases.jsonl"])
    assert findings == []
    assert (result.version, result.sfumato, result.created) == (2, "0.1.0", "2026-11-16")
    assert (result.target.k, result.target.release_anyway, result.verdict.met) == (3, True, True)
    assert result.settings["attacker_knowledge"] == 2
    assert [item.scenario for item in result.verified] == list(Scenario)


def test_a_changed_certificate_of_version_1_has_a_broken_seal(tmp_path: Path) -> None:
    content = json.loads((VERSION_1 / "certificate.json").read_text("utf-8"))
    content["repairs"]["climb"] = 30
    (tmp_path / "certificate.json").write_text(json.dumps(content), encoding="utf-8")
    result, findings = checked(tmp_path / "certificate.json", [VERSION_1 / "cases.jsonl"])
    assert [finding.kind for finding in findings] == ["seal"]
    assert result.repairs == {"drop": 12, "figure": 12, "hypernym": 114, "suppress": 905, "generalize": 30}


@pytest.mark.parametrize("part", ["target", "repairs", "settings", "verified", "made"])
def test_a_damaged_certificate_of_version_1_is_refused(part: str, tmp_path: Path) -> None:
    content = json.loads((VERSION_1 / "certificate.json").read_text("utf-8"))
    damages: list[Callable[[], object]] = [lambda: content.update({part: [7]}), lambda: content.pop(part)]
    for damage in damages:
        damage()
        (tmp_path / "certificate.json").write_text(json.dumps(content), encoding="utf-8")
        with pytest.raises(InputError, match="is not a whole certificate"):
            read_certificate(tmp_path / "certificate.json")


def test_what_was_not_read_and_that_no_key_was_kept_are_said(tmp_path: Path) -> None:
    whole = protection()

    told = replace(whole, not_read=4, is_unkeyed=True)
    for item in (certificate(told, [], tmp_path)["verdict"]["sentence"], page(told)):
        assert "4 files or records could not be read and took no part" in item
        assert "release no second version" in item
    assert certificate(told, [], tmp_path)["documents"]["not_read"] == 4
    assert "could not be read" not in page(whole)


def test_an_attack_that_joined_the_loop_is_listed_once(tmp_path: Path) -> None:
    own = protection().scenarios[0]
    joined = replace(own, joined_loop=("dense",))
    content = certificate(replace(protection(), scenarios=(joined,)), [], tmp_path)
    assert set(content["verified"][0]["attacks"]) == {"characters"}


def test_met_is_not_shown_where_the_interval_is_too_wide(tmp_path: Path) -> None:
    verdict = certificate(protection(), [], tmp_path)["verdict"]
    assert (verdict["met"], verdict["shown"]) == (True, False)
    many = {"characters": [*range(2, 202)], "dense": [*range(30, 230)]}
    shown = replace(protection(verified=many), after={})
    assert certificate(shown, [], tmp_path)["verdict"]["shown"] is True
