"""Models as users write them."""

from __future__ import annotations

import pytest

from sfumato import registry
from sfumato.errors import RecipeError, SfumatoError, UnknownName
from sfumato.models.base import DEFAULTS, TokenScorer, load_model, load_scorer


def test_a_name_with_options() -> None:
    assert load_scorer("frequency").languages == frozenset({"en"})
    assert load_scorer("frequency:language=es").languages == frozenset({"es"})
    assert load_model("scorer", "taxonomy").name == "taxonomy:table=WordNet-3.0"


def test_options_are_read_as_numbers_and_paths_keep_their_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, object] = {}
    monkeypatch.setattr(registry, "create", lambda kind, name, options: seen.update({name: options}))
    load_model("scorer", r"masked:model=C:\some, folder/a=b.c,n=4,context=128")
    assert seen == {"masked": {"model": r"C:\some, folder/a=b.c", "n": 4, "context": 128}}


@pytest.mark.parametrize("kind", DEFAULTS)
def test_default_is_a_registered_model(kind: str) -> None:
    assert DEFAULTS[kind] in registry.names(kind)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("frequenzy", UnknownName, "did you mean 'frequency'"),
        ("frequency:language=xx", RecipeError, "no word frequencies for language 'xx'"),
        ("frequency:lang=es", RecipeError, "no option 'lang': did you mean 'language'"),
        ("frequency:es", RecipeError, "write options as name:key=value"),
        ("taxonomy:n=3", RecipeError, "it takes no options"),
        ("masked:n=0", RecipeError, "n must be 1 or more"),
        ("masked:n=few", RecipeError, "n must be 1 or more .* got 'few'"),
        ("causal", RecipeError, "scorer 'causal'.*model"),
    ],
)
def test_what_cannot_be_loaded_is_named(text: str, error: type[SfumatoError], message: str) -> None:
    with pytest.raises(error, match=message):
        load_scorer(text)


@pytest.mark.parametrize(
    "name", sorted({*registry.names("scorer")} - {"causal"})
)  # it needs a model: test_hugging_face
def test_every_scorer_keeps_its_contract(name: str) -> None:
    scorer = registry.create("scorer", name, {})
    assert isinstance(scorer, TokenScorer)
    assert scorer.name.startswith(f"{name}:")
    assert scorer.information("", []).shape == (0,)
    assert scorer.information("Anna Quorvex left", [(0, 12), (13, 17)]).shape == (2,)
