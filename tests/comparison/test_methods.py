"""What a user may call a method."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato import recipe as recipes
from sfumato.comparison.methods import parse_methods, run_method
from sfumato.document import Document
from sfumato.errors import InputError, Problem, RecipeError, UnknownName, WrongArgument
from sfumato.formats.base import Columns
from sfumato.recipe import Recipe

DOCUMENTS = [Document("1", "Write to Anna Quorvex at anna@example.org, please."), Document("2", "Nothing here.")]


def released(method: str | Recipe) -> list[str]:
    (methods,) = parse_methods([method])
    return [release.text for release in run_method(methods, DOCUMENTS, Columns(), lambda problem: None).releases]


def test_the_two_ends() -> None:
    assert released("none") == [document.text for document in DOCUMENTS]
    assert released("all") == ["", ""]
    problems: list[Problem] = []
    for method in parse_methods(["none", "all"]):
        releases = run_method(method, [*DOCUMENTS, Document("3", " ")], Columns(), problems.append).releases
        assert [release.document.id for release in releases] == ["1", "2"]
    assert problems == []


def test_recipes_by_name_file_and_object(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text('name = "mine"\ndetect = ["rules"]\nreplace = {default = "suppress"}\n')
    assert [method.name for method in parse_methods(["fast", str(own), f"other={own}", recipes.load("legal")])] == [
        "fast", "mine", "other", "legal",
    ]  # fmt: skip
    first, second = released(str(own))
    assert "anna@example.org" not in first
    assert second == DOCUMENTS[1].text
    assert released(str(own)) == released(str(own))


def test_keyed_recipes_run_without_a_key_of_the_users(tmp_path: Path) -> None:
    own = tmp_path / "hash.toml"
    own.write_text('name = "hash"\ndetect = ["rules"]\nreplace = {default = "hash"}\n')
    first, _ = released(str(own))
    assert "anna@example.org" not in first
    assert released(str(own))[0] == first


def test_files_of_releases(tmp_path: Path) -> None:
    masks = tmp_path / "run_t=0.5.masks.json"
    masks.write_text('{"1": [[9, 21, "PERSON"]], "2": []}')
    assert [method.name for method in parse_methods([str(masks), f"w2v={masks}"])] == ["run_t=0.5", "w2v"]
    assert released(f"w2v={masks}") == ["Write to PERSON at anna@example.org, please.", "Nothing here."]
    given = parse_methods({"mine": {"1": "x", "2": "y"}, "end": "all"})
    assert [item.name for item in given] == ["mine", "end"]


def test_what_means_nothing_is_refused() -> None:
    with pytest.raises(UnknownName, match="no method 'defualt': did you mean 'default'"):
        parse_methods(["defualt"])
    for given in ("mine=nofile.json", "nofile.json", "runs/mine", "mine=runs"):
        with pytest.raises(InputError, match=f"^{given.removeprefix('mine=')}: there is no such file or folder"):
            parse_methods([given])
    with pytest.raises(InputError, match=r"no such file .* and no method 'defualt': did you mean 'default'"):
        parse_methods(["mine=defualt"])
    with pytest.raises(RecipeError, match="two methods are called 'none'"):
        parse_methods(["none", "none"])
    with pytest.raises(RecipeError, match="no method was named"):
        parse_methods([])


def test_a_method_that_releases_nothing_is_refused() -> None:
    (method,) = parse_methods(["default"])
    finnish = [Document("1", "Hän asuu Helsingissä ja työskentelee sairaalassa, jossa on paljon potilaita. " * 5)]
    with pytest.raises(InputError, match="'default' releases not one document"):
        run_method(method, finnish, Columns(), lambda problem: None)


def test_a_function_is_a_method() -> None:
    (methods,) = parse_methods({"mine": lambda text: text.replace("Anna Quorvex", "somebody")})
    releases = run_method(methods, [*DOCUMENTS, Document("3", " ")], Columns(), lambda problem: None).releases
    assert [release.text for release in releases] == ["Write to somebody at anna@example.org, please.", "Nothing here."]
    (broken,) = parse_methods({"mine": lambda text: None})
    with pytest.raises(WrongArgument, match=r"the method 'mine' takes a text .* it gave NoneType"):
        run_method(broken, DOCUMENTS, Columns(), lambda problem: None)
    with pytest.raises(WrongArgument, match="given by name"):
        parse_methods([len])  # type: ignore[list-item]
