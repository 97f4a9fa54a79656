"""Pieces of people's texts, the score in training against the attack's, and a tiny network from training to the attack;
needs torch, which make test-extras installs."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")
pytest.importorskip("onnx")

from safetensors.torch import save_file
from training.encoder import Encoder, Size
from training.link_encoder import train
from training.link_encoder.export import export
from training.link_encoder.model import LinkEncoder, load, nearest, scores, soft_scores, weighted
from training.link_encoder.people import SourcePerson, SourceText, source_text, without_overlaps
from training.link_encoder.pieces import People, Pieces, shared
from training.link_encoder.prepare import Packer, neighbours, released_sentences, write_arrays

from sfumato.attacks.base import Person
from sfumato.attacks.linking.late_interaction import LateInteractionAttack
from sfumato.models import word_vectors
from sfumato.models.masked import SHIPPED
from sfumato.models.tokens import load_tokenizer

pytestmark = pytest.mark.extras

TRADES = ("baker", "tram driver", "organ builder", "beekeeper", "tailor", "diver", "printer", "cooper")
TOWNS = ("Altmere", "Brenholm", "Castevra", "Dunlow", "Elmstead", "Farrow", "Gildern", "Hasfield")


def _biography(number: int) -> str:
    trade, town = TRADES[number % len(TRADES)], TOWNS[number // len(TRADES) % len(TOWNS)]
    return (
        f"Person {number} worked as a {trade} in {town}. The {trade} of {town} was known for patience. "
        f"In 19{number % 90 + 10} a fire destroyed the workshop of the {trade}. Then {town} lost its last {trade}. "
        f"Friends remember how the {trade} sang in the choir of {town}. A street in {town} bears the name."
    )


@pytest.fixture(autouse=True)
def few_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "SAMPLE", 500)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A packed set of invented people, and a tiny encoder to start from."""
    out = tmp_path_factory.mktemp("link")
    people = [SourcePerson("db_bio", f"p{number}", (source_text(_biography(number)),)) for number in range(64)]
    packer = Packer(load_tokenizer(SHIPPED), people)
    for person in people:
        packer.add(person, {})
    write_arrays(out / "people.npz", packer, neighbours(people))
    size = Size(30522, 96, 1, 2, 32, 512)
    (out / "base").mkdir()
    torch.manual_seed(1)
    save_file(Encoder(size).state_dict(), out / "base" / "model.safetensors")
    (out / "base" / "config.json").write_text(json.dumps({"size": asdict(size)}), encoding="utf-8")
    (out / "base" / "tokenizer.json").write_bytes((SHIPPED.parent / "tokenizer.json").read_bytes())
    return out


def test_an_edit_over_the_end_of_a_sentence_counts_to_where_it_begins() -> None:
    text = SourceText("both", "Ann left. Bo came. They met.", ((0, 9), (10, 18), (19, 28)))
    edits = [(0, 3, "A"), (4, 12, "went; B"), (24, 27, "talked")]
    assert released_sentences(text, edits) == ["A went; B", " came.", "They talked."]


def test_of_overlapping_edits_the_first_and_longest_stays() -> None:
    assert without_overlaps([(3, 5, "x"), (0, 2, "y"), (0, 4, "z")]) == [(0, 4, "z")]


def test_names_and_numbers_are_hidden_but_the_beginning_of_a_sentence_stays() -> None:
    text = source_text("He met Ada Brook in 1931. Later they moved to Altmere.")
    assert released_sentences(text, text.marked["capitals"]) == ["He met *** in ***.", "Later they moved to ***."]


def test_queries_and_documents_are_different_sentences_of_one_person(folder: Path) -> None:
    people = People(folder / "people.npz")
    random = np.random.default_rng(3)
    for person in range(64):
        (text,) = people.texts[person]
        assert text.sentences == 6
        query, document = people.draw(person, random)
        (first,) = {first for first in text.versions.values() if first <= query[0] < first + 6}
        places = {number - first for number in query}
        assert places
        assert document
        assert places <= set(range(6))
        assert not places & {number - text.versions["clear"] for number in document}


def test_words_in_common_are_counted_by_weight(folder: Path) -> None:
    people = People(folder / "people.npz")
    queries, documents, common = people.batch([0, 1, 2, 9], np.random.default_rng(0))
    for row in range(4):
        assert queries.weights[row].sum() == pytest.approx(1)
        for column in range(4):
            known = set(documents.forms[column].tolist()) - {-1}
            wanted = sum(
                weight
                for form, weight in zip(queries.forms[row].tolist(), queries.weights[row].tolist(), strict=True)
                if form in known
            )
            assert common[row, column] == pytest.approx(wanted, abs=1e-5)
    assert shared(queries, documents).shape == (4, 4)


def test_batches_are_of_people_of_the_training_part(folder: Path) -> None:
    people = People(folder / "people.npz")
    for queries, documents, _ in islice(people.batches(8, np.random.default_rng(0)), 3):
        assert len(queries.ids) == len(documents.ids) == 8
    parts = [set(people.rows("db_bio", [part]).tolist()) for part in ("train", "validation", "held out")]
    assert sum(map(len, parts)) == len(set().union(*parts)) == 64


def test_scores_are_weighted_sums_of_nearest_cosines() -> None:
    random = np.random.default_rng(0)
    query, document = (torch.from_numpy(random.normal(size=(3, 4, 5)).astype(np.float32)) for _ in range(2))
    query, document = (torch.nn.functional.normalize(side, dim=-1) for side in (query, document))
    weights = torch.full((3, 4), 0.25)
    cosines = nearest(query, document)
    scored = scores(cosines, weights, 0.4)
    for row in range(3):
        for column in range(3):
            best = [max(float(word @ other) for other in document[column]) for word in query[row]]
            assert scored[row, column].item() == pytest.approx(sum(max(0, item - 0.4) for item in best) / 4, abs=1e-5)
    assert (soft_scores(cosines, weights) >= scored - 1e-6).all()
    assert torch.allclose(weighted(weights, torch.ones(3, 4)), weights)


def test_a_word_is_the_mean_of_its_sub_tokens(folder: Path) -> None:
    model = load(folder / "base").eval()
    ids, word_of = torch.tensor([[101, 7, 8, 9, 102]]), torch.tensor([[-1, 0, 0, 2, -1]])
    mask = torch.ones_like(ids, dtype=torch.bool)
    words = model.words_of(ids, mask, word_of, 3)
    hidden = model.encode(model.words(ids), mask)
    assert torch.allclose(words[0, 0], hidden[0, 1:3].mean(0), atol=1e-6)
    assert torch.allclose(words[0, 2], hidden[0, 3], atol=1e-6)
    assert not words[0, 1].any()


def test_learning_lowers_the_loss(folder: Path) -> None:
    torch.manual_seed(1)
    people, device = People(folder / "people.npz"), torch.device("cpu")
    model = load(folder / "base", dropout=0.0)
    train.start_projection(model, people, device, 1)
    drawn = people.batch(list(range(8)), np.random.default_rng(0))
    optimizer = torch.optim.AdamW(train.groups(model))
    losses = []
    for _ in range(8):
        loss = train.loss_of(model, drawn, device, exact=True, weigh=True)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch's exporter
@pytest.mark.parametrize("weigh", [False, True])
def test_what_was_trained_is_what_the_attack_runs(folder: Path, tmp_path: Path, weigh: bool) -> None:
    people, device = People(folder / "people.npz"), torch.device("cpu")
    model = load(folder / "base").eval()
    train.start_projection(model, people, device, 1)
    with torch.no_grad():
        model.weigh.bias.fill_(0.5)
    card = {"size": asdict(model.size), "near": 0.3, "dimensions": 96, "weigh": weigh}
    train.save(tmp_path / "trained", model, card, folder / "base", 1)
    exported = export(tmp_path / "trained", tmp_path / "onnx", folder / "people.npz", 2, None)
    assert exported["full_precision"]["mean_cosine"] == pytest.approx(1, abs=1e-4)
    assert exported["quantized"]["mean_cosine"] > 0.95
    known = [Person(f"p{number}", (_biography(number),)) for number in range(8)]
    attack = LateInteractionAttack(encoder=str(tmp_path / "onnx")).fit(known)
    assert attack._known.shape[1] == 96
    assert np.linalg.norm(attack._known, axis=1) == pytest.approx(1, abs=1e-4)
    text = "Someone worked as a tram driver. The tram driver was known for patience."
    assert attack.run({"x": text})[0].guesses[0].answer == "p1"
    assert LinkEncoder(model.size).weigh.weight.abs().sum() == 0


def test_a_folder_without_a_network_is_named(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="training/link_encoder"):
        word_vectors.load(str(tmp_path))


def test_pieces_fit_the_window(folder: Path) -> None:
    people = People(folder / "people.npz")
    piece = people.assemble([list(range(40))])
    assert isinstance(piece, Pieces)
    assert piece.ids.shape[1] <= 256
    assert (piece.word_of[0] < piece.forms.shape[1]).all()
