"""The training of a token classifier: texts and tags by hand, and with torch a tiny one trained from end to end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from training.tagger.records import Mark, Record
from training.token_classifier.data import (
    IGNORED,
    by_split,
    cut_windows,
    read_texts,
    set_aside,
    tag_names,
    token_tags,
)

import sfumato
from sfumato.document import Document
from sfumato.formats.spans import spans_record
from sfumato_papers.synthesis.functions import fill

TEXT = "Dr. Ida Quorvex, Velbrin"
RECORD = Record("user", "1", "1", TEXT, (Mark(4, 15, "PERSON", "direct"), Mark(17, 24, None, None)))


def records(count: int) -> list[Record]:
    return [Record("user", str(number), str(number), TEXT, RECORD.marks) for number in range(count)]


def test_tags_of_sub_tokens_by_hand() -> None:
    offsets = [(0, 3), (3, 7), (7, 11), (11, 15), (15, 16), (16, 21), (21, 24), (24, 24)]  # blanks before words
    numbers = {name: number for number, name in enumerate(tag_names([RECORD]))}
    assert numbers == {"O": 0, "B-PERSON": 1, "I-PERSON": 2}
    assert token_tags(RECORD, offsets, numbers) == [0, 1, 2, 2, 0, IGNORED, IGNORED, 0]


class Letters:
    """A tokenizer with a token for each letter, and one before and after a text."""

    def __call__(self, text: str, add_special_tokens: bool = True, **more: Any) -> dict[str, Any]:
        ids = [ord(letter) for letter in text]
        return {
            "input_ids": [1, *ids, 2] if add_special_tokens else ids,
            "offset_mapping": [(n, n + 1) for n in range(len(text))],
        }


def test_windows_overlap_and_lose_nothing() -> None:
    windows = cut_windows([RECORD], Letters(), {"O": 0, "B-PERSON": 1, "I-PERSON": 2}, context=10)
    assert all(len(window.ids) == len(window.tags) <= 10 for window in windows)
    assert all(window.ids[0] == 1 and window.ids[-1] == 2 for window in windows)
    assert all(window.tags[0] == window.tags[-1] == IGNORED for window in windows)
    assert {chr(number) for window in windows for number in window.ids[1:-1]} == set(TEXT)
    assert "".join(chr(number) for number in windows[0].ids[1:-1]) == TEXT[:8]
    assert "".join(chr(number) for number in windows[1].ids[1:-1]) == TEXT[7:15]


def test_texts_with_their_spans_are_joined(tmp_path: Path) -> None:
    texts, gold = tmp_path / "texts.jsonl", tmp_path / "gold.jsonl"
    texts.write_text(json.dumps({"id": "a", "text": TEXT}), encoding="utf-8")
    span = {"start": 4, "end": 15, "label": "PERSON", "identifier": "direct"}
    gold.write_text(json.dumps({"id": "a", "spans": [span]}), encoding="utf-8")
    [record] = read_texts([], [(texts, gold)], masked_only=False)
    assert [(mark.start, mark.end, mark.label) for mark in record.marks] == [(4, 15, "PERSON")]
    gold.write_text(json.dumps({"id": "b", "spans": []}), encoding="utf-8")
    with pytest.raises(SystemExit, match="has no spans of document a"):
        read_texts([], [(texts, gold)], masked_only=False)


def test_parts_by_chance_and_by_a_file(tmp_path: Path) -> None:
    train, validation = set_aside(records(20), 0.1, seed=1)
    assert (len(train), len(validation)) == (18, 2)
    assert {record.id for record in (*train, *validation)} == {str(number) for number in range(20)}
    with pytest.raises(SystemExit, match="9 annotated texts are too few"):
        set_aside(records(9), 0.1, seed=1)
    path = tmp_path / "split.json"
    ids = [str(number) for number in range(20)]
    path.write_text(json.dumps({"train": ids[:12], "validation": ids[12:15], "test": ids[15:]}), encoding="utf-8")
    train, validation = by_split(records(20), path)
    assert [record.id for record in train] == ids[:12]
    assert [record.id for record in validation] == ids[12:15]
    for content, message in (
        ({"train": ids}, "no list of ids under 'validation'"),
        ({"train": [*ids, "99"], "validation": ["1"]}, "document 99 is not in the texts"),
        ({"train": ["1"], "validation": ["2"]}, "1 annotated texts are too few"),
    ):
        path.write_text(json.dumps(content), encoding="utf-8")
        with pytest.raises(SystemExit, match=message):
            by_split(records(20), path)


# With torch.

SENTENCES = (
    "Dr. [**Last Name 1**] saw the patient on [**2151-7-{day}**] with a cough.",
    "On [**2151-8-{day}**] the patient was sent home by Dr. [**Last Name 2**].",
    "The patient was called by Dr. [**Last Name 3**] because of a fever.",
)


def notes(first: int, count: int) -> list[Document]:
    numbers = range(first, first + count)
    documents = [Document(f"n{number}", SENTENCES[number % 3].format(day=1 + number % 28)) for number in numbers]
    return fill(documents, locale="en_US")


def write(folder: Path, documents: list[Document]) -> list[str]:
    texts, gold = folder / "texts.jsonl", folder / "gold.jsonl"
    lines = [json.dumps({"id": document.id, "text": document.text}) for document in documents]
    texts.write_text("\n".join(lines), encoding="utf-8")
    rows = [json.dumps(spans_record(document, document.annotations or ())) for document in documents]
    gold.write_text("\n".join(rows), encoding="utf-8")
    return ["--texts", str(texts), "--gold", str(gold), "--device", "cpu"]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of two small layers, which knows nothing, with the tokenizer that the package ships."""
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("base")
    tokenizer_file = Path(sfumato.__file__).parent / "models" / "weights" / "tokenizer.json"
    tokens = {f"{name}_token": f"[{name.upper()}]" for name in ("unk", "cls", "sep", "pad", "mask")}
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(tokenizer_file), model_max_length=64, **tokens)
    tokenizer.save_pretrained(folder)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    torch.manual_seed(1)
    config = transformers.BertConfig(vocab_size=len(tokenizer), max_position_embeddings=64, **sizes)
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder


@pytest.mark.extras
@pytest.mark.filterwarnings("default")
def test_what_was_trained_finds_people_it_has_not_seen(base: Path, tmp_path: Path) -> None:
    from training.token_classifier.train import run, settings

    from sfumato_papers.detectors.hf_tagger import HuggingFaceTagger

    out = tmp_path / "out"
    files = write(tmp_path, notes(0, 90))
    card = run(settings([*files, "--base", str(base), "--out", str(out), "--epochs", "6", "--rate", "5e-3"]))
    assert card["texts"] == 81
    assert card["context"] == 64
    losses = [epoch["validation_loss"] for epoch in card["epochs"]]
    assert min(losses) < losses[0] / 3
    assert not (out / "checkpoint.pt").exists()
    new = notes(1000, 30)
    detected = HuggingFaceTagger(model=str(out)).detect(new)
    people = {
        (note.id, span.start, span.end) for note in new for span in note.annotations or () if span.label == "PERSON"
    }
    items = {
        (note.id, span.start, span.end)
        for note, spans in zip(new, detected, strict=True)
        for span in spans
        if span.label == "PERSON"
    }
    assert len(people & items) > 0.8 * len(people | items)
    wanted, covered = (
        {
            (note.id, place)
            for note, spans in zip(new, given, strict=True)
            for s in spans
            for place in range(s.start, s.end)
        }
        for given in ([note.annotations or () for note in new], detected)
    )
    assert len(wanted & covered) > 0.85 * len(wanted | covered)


@pytest.mark.extras
@pytest.mark.filterwarnings("default")
def test_a_stopped_run_comes_to_the_same_weights(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from safetensors.torch import load_file
    from training.token_classifier import train

    given = [*write(tmp_path, notes(0, 20)), "--base", str(base), "--epochs", "3", "--rate", "1e-3"]
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    train.run(train.settings([*given, "--out", str(whole)]))
    calls, loss = 0, train._loss

    def stop(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 9:  # five steps and one look at what was set aside in an epoch: in the second
            raise KeyboardInterrupt
        return loss(*arguments)

    monkeypatch.setattr(train, "_loss", stop)
    with pytest.raises(KeyboardInterrupt):
        train.run(train.settings([*given, "--out", str(stopped)]))
    assert not (stopped / "model.safetensors").exists()
    monkeypatch.setattr(train, "_loss", loss)
    with pytest.raises(SystemExit, match="other settings or data"):
        train.run(train.settings([*given, "--out", str(stopped), "--seed", "7"]))
    train.run(train.settings([*given, "--out", str(stopped)]))
    first, second = (load_file(folder / "model.safetensors") for folder in (whole, stopped))
    assert first.keys() == second.keys()
    assert all((first[name] == second[name]).all() for name in first)


@pytest.mark.extras
@pytest.mark.filterwarnings("default")
def test_a_bert_made_long_reads_short_texts_as_before_and_long_ones_at_once(base: Path, tmp_path: Path) -> None:
    import torch
    import transformers
    from training.token_classifier.make_long import make_long
    from training.token_classifier.train import run, settings

    from sfumato_papers.detectors.hf_tagger import HuggingFaceTagger

    long = make_long(base, tmp_path / "long", positions=256, window=64).eval()
    bert = transformers.BertModel.from_pretrained(base, add_pooling_layer=False).eval()
    ids = torch.tensor([transformers.AutoTokenizer.from_pretrained(base)(notes(0, 1)[0].text)["input_ids"]])
    with torch.inference_mode():
        # A window on either side is longer than the text: every sub-token attends to all.
        before, after = (network(input_ids=ids).last_hidden_state for network in (bert, long))
    assert torch.allclose(before, after, atol=1e-4)
    out = tmp_path / "out"
    given = write(tmp_path, notes(0, 12))
    card = run(settings([*given, "--base", str(tmp_path / "long"), "--out", str(out), "--epochs", "1"]))
    assert card["context"] == 256
    detector = HuggingFaceTagger(model=str(out), threshold=0.0)
    assert detector._network.most_tokens == 254
    text = " ".join(note.text for note in notes(0, 12))
    [spans] = detector.detect([Document("1", text)])
    assert spans[-1].end == len(text)
    for options, message in (((64, 64), "has 64 already"), ((256, 5), "an even number")):
        with pytest.raises(SystemExit, match=message):
            make_long(base, tmp_path / "no", *options)


@pytest.mark.extras
@pytest.mark.filterwarnings("default")
def test_what_cannot_be_trained_is_said(base: Path, tmp_path: Path) -> None:
    from training.token_classifier.train import run, settings

    given = [*write(tmp_path, notes(0, 12)), "--base", str(base), "--out", str(tmp_path / "out")]
    for more, message in (
        (["--texts", str(tmp_path / "texts.jsonl")], "--texts and --gold go together"),
        (["--context", "128"], "the base reads 16 to 64"),
    ):
        with pytest.raises(SystemExit, match=message):
            run(settings([*given, *more]))
    plain = [Document(f"p{number}", "Nothing here.") for number in range(12)]
    with pytest.raises(SystemExit, match="nothing to learn"):
        run(settings([*write(tmp_path, plain), "--base", str(base), "--out", str(tmp_path / "none")]))
