"""Recipes are checked at the door: the bad key is named and the nearest valid one suggested."""

from __future__ import annotations

from pathlib import Path

import pytest

import sfumato
from sfumato import recipe as recipes
from sfumato.errors import RecipeError, UnknownName


@pytest.mark.parametrize("name", recipes.names())
def test_every_shipped_recipe_is_valid_and_says_what_it_is(name: str) -> None:
    recipe = recipes.load(name)
    assert recipe.name == name
    assert recipe.description


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("treshold = 0.3", "unknown key 'treshold': did you mean 'threshold'?"),
        ("threshold = 3", "input should be less than or equal to 1"),
        ('scope = "galaxy"', "scope: input should be 'document' or 'corpus'"),
        ('detect = ["ruels"]', "no detector 'ruels': did you mean 'rules'?"),
        ('[replace]\ndefault = "lable"', "no replacer 'lable': did you mean 'label'?"),
        ('allow = "Bob"', "allow: input should be a list"),
        ('[replace]\ndefault = "label"\nPERSOM = "tag"', "no label 'PERSOM': did you mean 'PERSON'?"),
        ('[deny]\nname = ["x"]', "no label 'name'"),
        ('allow = ["Zorro"]\n[deny]\nPERSON = ["zorro"]', "1 terms are in both allow and deny"),
        ('[[pattern]]\nname = "x"\nregexp = "y"', "unknown key 'pattern.0.regexp': did you mean 'regex'?"),
        ('[[pattern]]\nname = "x"\nregex = "("', "pattern 'x': its regex does not compile"),
        ("name = ", "not valid TOML"),
    ],
)
def test_a_bad_recipe_is_refused_with_the_way_out(toml: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(toml, encoding="utf-8")
    with pytest.raises(RecipeError) as caught:
        recipes.load(path)
    assert message in str(caught.value)
    assert "mine.toml" in str(caught.value)


def test_a_recipe_without_detectors_has_those_of_the_default_recipe() -> None:
    assert recipes.parse('name = "x"', "test").detect == recipes.load("default").detect


def test_the_default_generalizes_and_labels_are_at_hand_by_name() -> None:
    assert {label: choice.use for label, choice in recipes.load("default").replace.items()} == {"default": "generalize"}
    assert {label: choice.use for label, choice in recipes.load("labels").replace.items()} == {"default": "label"}
    assert recipes.load("labels").detect == recipes.load("default").detect


def test_a_recipe_that_does_not_exist_is_named() -> None:
    with pytest.raises(UnknownName, match="no recipe or method 'defualt': did you mean 'default'"):
        recipes.load("defualt")
    with pytest.raises(RecipeError, match="no such recipe file"):
        recipes.load("missing.toml")


def test_options_of_a_plug_in_travel_with_its_name() -> None:
    recipe = recipes.parse('[replace]\ndefault = { use = "tag", tag = "X" }\nPERSON = "label"', "test")
    assert recipe.replace["default"].options == {"tag": "X"}
    assert recipe.replace["PERSON"].use == "label"
    assert recipes.parse('[replace]\nPERSON = "tag"', "test").replace["default"].use == "label"


def test_a_file_that_is_far_too_long_is_no_recipe() -> None:
    with pytest.raises(RecipeError, match="characters, so it is no recipe"):
        recipes.parse("a." * 300_000, "x.toml")


def test_codes_takes_what_is_known_by_its_form_in_any_language_and_nothing_else() -> None:
    text = (
        "Ivar Quorn, born 4 May 1971 in Leeds, wrote from ivar.quorn@example.org on 3 March 2024, +44 20 7946 0018.\n"
        "ส่งอีเมลถึง somchai@example.co.th จาก 10.12.3.4 ก่อนวันศุกร์ แล้วรอคำตอบจากสำนักงานในเมือง\n"
    )
    replaced = {text[edit.span.start : edit.span.end] for edit in sfumato.anonymize(text, recipe="codes").edits}
    assert replaced == {"ivar.quorn@example.org", "+44 20 7946 0018", "somchai@example.co.th", "10.12.3.4"}
