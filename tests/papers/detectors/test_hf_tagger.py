"""A token classifier as a detector: tags, words and windows by a scripted network, and a real one where torch is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato import recipe as recipes
from sfumato.document import LABELS, Document, Release
from sfumato.errors import InputError, RecipeError
from sfumato.lexicon.tables import load_toml
from sfumato.pipeline import Pipeline
from sfumato_papers.detectors import hf_tagger
from sfumato_papers.detectors.foreign_labels import checked_labels, our_label
from sfumato_papers.detectors.hf_tagger import (
    FoundKind,
    HuggingFaceTagger,
    Tag,
    decode_words,
    parse_tags,
    tag_words,
    visible_tokens,
    word_ranges,
)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["O", "B-PER", "I-PER"], [Tag(""), Tag("PER", "B"), Tag("PER", "I")]),
        (["O", "S-LOC", "B-LOC", "E-LOC"], [Tag(""), Tag("LOC", "S"), Tag("LOC", "B"), Tag("LOC", "E")]),
        (["O", "B_DATE", "U_DATE", "L_DATE"], [Tag(""), Tag("DATE", "B"), Tag("DATE", "U"), Tag("DATE", "L")]),
        (["PATIENT-B", "PATIENT-I", "O"], [Tag("PATIENT", "B"), Tag("PATIENT", "I"), Tag("")]),
        (["none", "E_MAIL", "PHONE"], [Tag(""), Tag("E_MAIL"), Tag("PHONE")]),
        (["O", "E_MAIL"], [Tag(""), Tag("E_MAIL")]),
        (["O", "B-LOCATION-OTHER", "I-LOCATION-OTHER"], [Tag(""), *(Tag("LOCATION-OTHER", p) for p in "BI")]),
    ],
)
def test_tags_of_every_scheme_are_read(labels: list[str], expected: list[Tag]) -> None:
    assert list(parse_tags(labels)) == expected


@pytest.mark.parametrize(
    ("labels", "message"),
    [(["LABEL_0", "LABEL_1"], "numbers its labels"), (["positive", "negative"], "no label O")],
)
def test_what_is_no_tagger_is_refused(labels: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_tags(labels)


@pytest.mark.parametrize(
    ("kind", "ours"),
    [
        ("PATIENT", "PERSON"),
        ("PhoneNumber", "CODE"),
        ("MEDICALRECORD", "CODE"),
        ("USSocialSecurityNumber", "CODE"),
        ("LOCATION-OTHER", "LOC"),
        ("HOSPITAL_NAME", "ORG"),
        ("USER_NAME", "CODE"),
        ("FIRST_NAME", "PERSON"),
        ("date of birth", "DATETIME"),
        ("NORP", "DEM"),
        ("Xylophone", None),
    ],
)
def test_their_kinds_become_our_labels(kind: str, ours: str | None) -> None:
    assert our_label(kind) == ours
    assert our_label(kind, {kind: "MISC"}) == "MISC"


def test_the_table_has_each_kind_once_and_only_our_labels() -> None:
    table = load_toml("foreign_labels", package="sfumato_papers.detectors")
    kinds = [kind for label in table for kind in table[label].split()]
    assert set(table) == set(LABELS)
    assert len(kinds) == len(set(kinds))
    assert all(kind == kind.upper() for kind in kinds)


def test_a_label_that_we_do_not_have_is_refused() -> None:
    with pytest.raises(RecipeError, match="no label 'NAME'"):
        checked_labels({"PATIENT": "NAME"}, "hf-tagger")


def test_words_and_white_space() -> None:
    text = " Anna Müller-Lüdenscheidt 😀!"
    # As a byte-level tokenizer cuts it: blanks at the beginning, a sign of four bytes in two parts, nothing at the end.
    offsets = [(0, 3), (3, 5), (5, 9), (9, 12), (12, 13), (13, 25), (25, 27), (26, 27), (27, 28), (28, 28)]
    numbers, ranges = visible_tokens(text, offsets)
    assert numbers == list(range(9))
    assert [text[start:end] for start, end in ranges][:3] == ["An", "na", "Mül"]
    words = [text[ranges[a][0] : ranges[b - 1][1]] for a, b in word_ranges(text, ranges)]
    assert words == ["Anna", "Müller", "-", "Lüdenscheidt", "😀", "!"]


TAGS = parse_tags(["O", "B-PER", "I-PER", "B-LOC", "I-LOC"])


def rows(*tags: int) -> Any:
    """Each token's tag, with certainty .8."""
    table = np.full((len(tags), len(TAGS)), 0.05)
    table[np.arange(len(tags)), tags] = 0.8
    return table


def shown(kinds: list[FoundKind]) -> list[tuple[int, int, str, float]]:
    return [(item.start, item.end, item.kind, round(item.score, 6)) for item in kinds]


def test_runs_of_words_by_hand() -> None:
    places = [(0, 2), (3, 5), (6, 8), (9, 11), (12, 14), (15, 17)]
    assert shown(decode_words(places, rows(1, 2, 1, 0, 4, 3), TAGS, 0.5)) == [
        (0, 5, "PER", 0.95),
        (6, 8, "PER", 0.95),
        (12, 14, "LOC", 0.95),  # a kind that goes on where none began is a mention, too
        (15, 17, "LOC", 0.95),
    ]
    assert decode_words(places, rows(1, 2, 1, 0, 4, 3), TAGS, 0.96) == []
    ends = parse_tags(["O", "B-X", "I-X", "E-X", "S-X"])
    assert [(f.start, f.end) for f in decode_words(places, rows(1, 3, 2, 4, 0, 2), ends, 0.5)] == [
        (0, 5),
        (6, 8),
        (9, 11),
        (15, 17),
    ]
    plain = parse_tags(["O", "PER", "LOC", "ORG", "DATE"])
    assert [(f.start, f.end, f.kind) for f in decode_words(places, rows(1, 1, 2, 2, 0, 2), plain, 0.5)] == [
        (0, 5, "PER"),
        (6, 11, "LOC"),
        (15, 17, "LOC"),
    ]


def test_probability_spread_over_tags_of_one_kind_counts_together() -> None:
    spread = np.array([[0.4, 0.3, 0.3, 0.0, 0.0]])
    assert shown(decode_words([(0, 4)], spread, TAGS, 0.5)) == [(0, 4, "PER", 0.6)]


def test_a_word_is_judged_by_its_first_sub_token_their_mean_or_the_most_telling_one() -> None:
    tokens = np.array([[0.9, 0.1, 0, 0, 0], [0.2, 0.1, 0.7, 0, 0], [0.6, 0.0, 0.4, 0, 0]])
    assert tag_words([(0, 3)], tokens, TAGS, "first")[0].tolist() == tokens[0].tolist()
    assert tag_words([(0, 3)], tokens, TAGS, "max")[0].tolist() == tokens[1].tolist()
    assert tag_words([(0, 3)], tokens, TAGS, "mean")[0] == pytest.approx([1.7 / 3, 0.2 / 3, 1.1 / 3, 0, 0])


class Scripted:
    """A network that calls every capitalised word a person's, letter by letter."""

    labels = ("O", "B-PATIENT", "I-PATIENT", "B-GADGET")
    most_tokens = 100

    def probabilities(self, text: str, window: int, overlap: int) -> tuple[list[tuple[int, int]], Any]:
        table = np.zeros((len(text), 4))
        inside = False
        for number, letter in enumerate(text):
            inside = letter.isalpha() and (inside or letter.isupper())
            table[number, 1 if inside else 0] = 1.0
        return [(number, number + 1) for number in range(len(text))], table


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hf_tagger, "open_network", lambda model, device: Scripted())


def test_offsets_in_texts_of_several_segments(scripted: None) -> None:
    text = ("word " * 30 + "Quorvex ") * 700
    assert len(text) > 100_000
    detector = HuggingFaceTagger(model="any")
    [spans] = detector.detect([Document("1", text)])
    assert len(spans) == 700
    assert {text[span.start : span.end] for span in spans} == {"Quorvex"}
    assert {(span.label, span.identifier, span.source) for span in spans} == {("PERSON", "direct", "hf-tagger:PATIENT")}
    assert detector.remarks == ["hf-tagger: the model's kinds GADGET are not known and count as MISC; labels maps them"]
    assert detector.languages == frozenset({"en"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"aggregation": "median"}, "aggregation is first, mean or max"),
        ({"context": 101}, "context is 1 to 100"),
        ({"context": 0}, "context is 1 to 100"),
        ({"overlap": 100}, "overlap is 0 to 99"),
        ({"labels": {"DOCTOR": "PERSON"}}, "the model has no kind 'DOCTOR'"),
        ({"labels": {"PATIENT": "NAME"}}, "no label 'NAME'"),
        ({"threshold": 2}, "threshold is a number from 0 to 1"),
    ],
)
def test_wrong_options_are_named(scripted: None, options: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        HuggingFaceTagger(model="any", **options)


@pytest.mark.parametrize("name", ["published/clinicalbert", "published/longformer"])
def test_the_published_baselines_put_types_and_nothing_of_ours_beside(scripted: None, name: str) -> None:
    recipe = recipes.load(f"{name}:model=any")
    assert recipe.detect[0].options["model"] == "any"
    text = "the patient Ida lives at ida@quorvex.example and was seen by Quorvex."
    [release] = Pipeline(recipe).anonymize([Document("1", text)])
    assert isinstance(release, Release)
    # The address stays: what the model misses is released.
    assert release.text == "the patient PERSON lives at ida@quorvex.example and was seen by PERSON."


def test_nothing_is_downloaded_unless_the_hub_is_named() -> None:
    with pytest.raises(InputError, match=r"no such folder. Name the folder .* or hub:owner/tagger to download it"):
        HuggingFaceTagger(model="owner/tagger")
    with pytest.raises(InputError, match="no such folder"):
        HuggingFaceTagger(model="./nowhere/at/all")


# With torch.


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from tests.models.tiny import saved

    labels = dict(enumerate(["O", "B-NAME", "I-NAME", "B-CITY", "I-CITY"]))
    kind, place = transformers.BertForTokenClassification, tmp_path_factory.mktemp("tagger")
    saved(kind, transformers.BertConfig, place, layers=1, longest=32, num_labels=5, id2label=labels)
    from tokenizers.processors import TemplateProcessing

    tokenizer = transformers.AutoTokenizer.from_pretrained(place)
    special = [("[CLS]", tokenizer.cls_token_id), ("[SEP]", tokenizer.sep_token_id)]
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=special
    )
    tokenizer.save_pretrained(place)
    return place


LETTER = "The judge, Ana, left the court at 12. Nobody saw her.\nA letter came later from Café 😀 Graz."


@pytest.mark.extras
@pytest.mark.filterwarnings("default")
def test_a_real_network_against_a_literal_loop(folder: Path) -> None:
    import torch
    import transformers

    model = transformers.BertForTokenClassification.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    detector = HuggingFaceTagger(model=str(folder), threshold=0.0)
    ids = tokenizer(LETTER, add_special_tokens=False)["input_ids"]
    first, last = tokenizer.cls_token_id, tokenizer.sep_token_id
    offsets, table = detector._network.probabilities(LETTER, window=10, overlap=4)
    assert len(offsets) == len(ids) > 25
    assert detector._network.most_tokens == 30
    for number in range(len(ids)):
        # The window in which the token is furthest from an edge; windows begin every six tokens.
        windows = [range(s, min(len(ids), s + 10)) for s in range(0, max(1, len(ids) - 4), 6)]
        fitting = [w for w in windows if number in w]
        edges = [
            (
                min(
                    number - w.start if w.start else 99,
                    w.stop - 1 - number if w.stop < len(ids) else 99,
                ),
                w,
            )
            for w in fitting
        ]
        best = max(edge for edge, _ in edges)
        expected = []
        for edge, w in edges:
            if edge < best - 1:  # of two equally good ones either may be taken
                continue
            with torch.inference_mode():
                logits = model(torch.tensor([[first, *ids[w.start : w.stop], last]])).logits[0]
            expected.append(logits.double().softmax(-1)[1 + number - w.start].numpy())
        assert any(np.allclose(table[number], row, atol=1e-6) for row in expected)


@pytest.mark.extras
@pytest.mark.filterwarnings("default")
def test_spans_lie_on_words_in_odd_texts(folder: Path) -> None:
    detector = HuggingFaceTagger(model=str(folder), threshold=0.0, aggregation="max")
    for text in (LETTER, LETTER * 20, "", " \n", "a \ud83d b", "שלום 你好 " * 30):
        [spans] = detector.detect([Document("1", text)])
        assert all(0 <= span.start < span.end <= len(text) for span in spans)
        for span in spans:
            assert not text[span.start].isspace()
            assert not text[span.end - 1].isspace()
        covered = {n for span in spans for n in range(span.start, span.end)}
        letters = {n for n, sign in enumerate(text) if sign.isascii() and sign.isalnum()}
        assert letters <= covered  # at threshold 0 every word is found, to the last one of a long text


@pytest.mark.extras
@pytest.mark.filterwarnings("default")
def test_models_whose_positions_begin_later_are_read_to_their_real_length(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    from tests.models.tiny import saved

    labels = {0: "O", 1: "PERSON"}
    kind, config = transformers.RobertaForTokenClassification, transformers.RobertaConfig
    folder = saved(kind, config, tmp_path, layers=1, longest=34, num_labels=2, id2label=labels, pad_token_id=1)
    detector = HuggingFaceTagger(model=str(folder), threshold=0.0)
    assert detector._network.longest == 32
    [spans] = detector.detect([Document("1", "the judge left " * 40)])
    assert spans


@pytest.mark.extras
@pytest.mark.filterwarnings("default")
def test_an_encoder_without_a_head_is_refused(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    from tests.models.tiny import saved

    saved(transformers.BertModel, transformers.BertConfig, tmp_path, layers=1, longest=32)
    with pytest.raises(InputError, match="it was not trained to label tokens"):
        HuggingFaceTagger(model=str(tmp_path))
