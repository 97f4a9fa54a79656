"""TRIR with a network so small that it learns four people in seconds. Runs where torch is installed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from sfumato.attacks.base import (
    LinkingAttack,
    Person,
)
from sfumato.errors import (
    InputError,
    NotMeasurable,
    RecipeError,
)
from sfumato.models.tokens import TOKENIZER
from sfumato_papers.attacks.trir import network as trir_network
from sfumato_papers.attacks.trir.attack import (
    Trir,
    best_epoch,
)
from sfumato_papers.attacks.trir.network import load

pytestmark = [pytest.mark.extras, pytest.mark.filterwarnings("default")]

SIZE: dict[str, Any] = {
    "vocab_size": 30522,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 64,
    "layer_norm_eps": 1e-12,
}
ABOUT = {
    "ana": "pigeons racing pigeons loft pigeons feathers",
    "bo": "violin concert violin orchestra violin strings",
    "cy": "glacier ice glacier mountain glacier snow",
    "di": "orchard apples orchard cider orchard trees",
}
BACKGROUND = [Person(name, (f"{text}. " * 3,)) for name, text in ABOUT.items()]
RELEASED = {"1": "He kept pigeons in a loft.", "2": "The glacier and its ice.", "3": "the of", "4": "violin strings"}
TRUTH = {"1": "ana", "2": "cy", "3": "bo", "4": "bo"}


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with trir_network.seeded("test", torch.device("cpu")):
        network = transformers.BertForMaskedLM(transformers.BertConfig(**SIZE, initializer_range=0.2))
    return saved(network, tmp_path_factory.mktemp("bert"))


def saved(network: Any, folder: Path) -> Path:
    network.save_pretrained(folder)
    transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(TOKENIZER),
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        pad_token="[PAD]",
        mask_token="[MASK]",
        model_max_length=64,
    ).save_pretrained(folder)
    return folder


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    """So small a network is slower on several."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rate at which so small a network learns in a few epochs, and windows that cut these texts."""
    monkeypatch.setattr(trir_network, "FINETUNING", trir_network.Stage("finetuning", 15, 4, 1e-2, 12, 3))


def attack(bert: Path, **options: Any) -> Trir:
    return Trir(**{"model": str(bert), "epochs": 12, "pretraining_epochs": 0, "detector": "rules", **options})


@pytest.mark.usefixtures("fast")
def test_people_are_found_by_what_is_known_about_them(bert: Path) -> None:
    tried = attack(bert).fit(BACKGROUND)
    assert isinstance(tried, LinkingAttack)
    outcome = tried.run(RELEASED)
    assert [attempt.document_id for attempt in outcome] == list(RELEASED)
    assert [attempt.guesses[0].answer if attempt.guesses else None for attempt in outcome] == ["ana", "cy", None, "bo"]
    for attempt in (outcome[0], outcome[1], outcome[3]):
        assert sorted(guess.answer for guess in attempt.guesses) == sorted(ABOUT)
        shares = [guess.score for guess in attempt.guesses]
        assert shares == sorted(shares, reverse=True)
        assert sum(shares) == pytest.approx(1)
        assert attempt.score == pytest.approx((shares[0] - shares[1]) / shares[0])
        text = RELEASED[attempt.document_id]
        assert attempt.evidence
        assert all(text[item.start : item.end] == item.term for item in attempt.evidence)
        assert [item.weight for item in attempt.evidence] == sorted((e.weight for e in attempt.evidence), reverse=True)
    assert outcome[0].evidence[0].term in ("pigeons", "loft")


@pytest.mark.usefixtures("fast")
def test_the_authors_architecture_learns_too(tmp_path: Path) -> None:
    size = {
        "vocab_size": 30522,
        "dim": 16,
        "n_layers": 1,
        "n_heads": 2,
        "hidden_dim": 32,
        "max_position_embeddings": 64,
    }
    with trir_network.seeded("test", torch.device("cpu")):
        network = transformers.DistilBertForMaskedLM(transformers.DistilBertConfig(**size, initializer_range=0.2))
    tried = attack(saved(network, tmp_path), epochs=8, pretraining_epochs=1).fit(BACKGROUND)
    outcome = tried.run(RELEASED)
    assert [attempt.guesses[0].answer for attempt in (outcome[0], outcome[1], outcome[3])] == ["ana", "cy", "bo"]
    assert outcome[0].evidence


@pytest.mark.usefixtures("fast")
def test_a_documents_logits_are_the_sum_of_its_windows(bert: Path) -> None:
    tried = attack(bert, epochs=1).fit(BACKGROUND)
    text = "pigeons glacier violin orchard ice apples loft strings concert snow cider feathers trees"
    (outcome,) = tried.run({"1": text})
    tokenizer = transformers.AutoTokenizer.from_pretrained(bert)
    lemmas = "pigeon glacier violin orchard ice apple loft string concert snow cider feather tree"
    ids = tokenizer(lemmas, add_special_tokens=False)["input_ids"]
    total, start, count = torch.zeros(4), 0, 0
    while True:
        window = torch.tensor([[tokenizer.cls_token_id, *ids[start : start + 10], tokenizer.sep_token_id]])
        with torch.no_grad():
            total += tried._classifier(input_ids=window).logits[0]
        count += 1
        if start + 10 >= len(ids):
            break
        start += 7
    assert count > 1
    order = [list(ABOUT)[number] for number in total.argsort(descending=True)]
    assert [guess.answer for guess in outcome.guesses] == order
    wanted = torch.softmax(total.double() / count, 0).sort(descending=True).values.tolist()
    assert [guess.score for guess in outcome.guesses] == pytest.approx(wanted, rel=1e-4)


@pytest.mark.usefixtures("fast")
def test_contributions_are_the_gradient_half_way_times_the_way(bert: Path) -> None:
    tried = attack(bert, epochs=2).fit(BACKGROUND)
    window = tried._tokenizer("violin concert ice")["input_ids"]
    (shares,) = trir_network.contributions(tried._classifier, tried._special, [window], 1, 4)
    table = tried._classifier.bert.embeddings.word_embeddings.weight.detach()
    full = table[torch.tensor(window)]
    empty = full.clone()
    empty[1:-1] = table[tried._tokenizer.mask_token_id]
    step = 1e-2
    for token in range(len(window)):
        odds = []
        for sign in (1, -1):
            vectors = (full + empty) / 2
            vectors[token] += sign * step * (full - empty)[token]
            with torch.no_grad():
                chances = tried._classifier(inputs_embeds=vectors[None]).logits[0].double().softmax(0)
            odds.append(torch.log(chances[1] / (1 - chances[1])).item())
        assert shares[token] == pytest.approx((odds[0] - odds[1]) / (2 * step), abs=2e-3, rel=2e-2)
    assert shares[0] == shares[-1] == 0


@pytest.mark.usefixtures("fast")
def test_the_same_seed_gives_the_same_attempts(bert: Path) -> None:
    one, same, other = (
        attack(bert, epochs=2, pretraining_epochs=1, seed=seed).fit(BACKGROUND).run(RELEASED) for seed in (1, 1, 2)
    )
    assert one == same
    assert one != other


@pytest.mark.usefixtures("fast")
def test_a_stopped_training_goes_on_as_if_it_had_not_stopped(
    bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = attack(bert, epochs=3, pretraining_epochs=2).fit(BACKGROUND).run(RELEASED)
    for stop_at in (1, 4):  # in the second epoch of either training
        folder = tmp_path / str(stop_at)
        saved: list[Any] = []
        save = torch.save

        def once(
            content: Any, path: Any, *, saved: list[Any] = saved, stop_at: int = stop_at, save: Any = save
        ) -> None:
            save(content, path)
            saved.append(path)
            if len(saved) > stop_at:
                raise KeyboardInterrupt

        monkeypatch.setattr(torch, "save", once)
        with pytest.raises(KeyboardInterrupt):
            attack(bert, epochs=3, pretraining_epochs=2, folder=folder).fit(BACKGROUND)
        monkeypatch.setattr(torch, "save", save)
        assert attack(bert, epochs=3, pretraining_epochs=2, folder=folder).fit(BACKGROUND).run(RELEASED) == whole
        # Once more, and nothing is trained.
        monkeypatch.setattr(trir_network, "person_loss", lambda *arguments: None)
        assert attack(bert, epochs=3, pretraining_epochs=2, folder=folder).fit(BACKGROUND).run(RELEASED) == whole
        monkeypatch.undo()
        monkeypatch.setattr(trir_network, "FINETUNING", trir_network.Stage("finetuning", 15, 4, 1e-2, 12, 3))


@pytest.mark.usefixtures("fast")
def test_a_checkpoint_of_other_people_is_not_taken_up(bert: Path, tmp_path: Path) -> None:
    attack(bert, epochs=1, folder=tmp_path).fit(BACKGROUND)
    attack(bert, epochs=1, folder=tmp_path).fit(BACKGROUND[:3])
    attack(bert, epochs=1, folder=tmp_path, background="clear").fit(BACKGROUND)
    assert len(list(tmp_path.glob("*/finetuning.pt"))) == 3
    assert not any("pigeons" in path.read_bytes().decode("latin-1") for path in tmp_path.glob("*/*.pt"))


@pytest.mark.usefixtures("fast")
def test_a_broken_checkpoint_is_named(bert: Path, tmp_path: Path) -> None:
    attack(bert, epochs=1, folder=tmp_path).fit(BACKGROUND)
    (path,) = tmp_path.glob("*/finetuning.pt")
    path.write_bytes(b"not a checkpoint")
    with pytest.raises(InputError, match=r"finetuning.pt cannot be read as a checkpoint .* delete it"):
        attack(bert, epochs=1, folder=tmp_path).fit(BACKGROUND)


@pytest.mark.usefixtures("fast")
def test_the_authors_epoch_is_the_first_of_the_best_mean(bert: Path) -> None:
    sets = {"one": {"1": RELEASED["1"], "2": RELEASED["2"]}, "two": {"4": RELEASED["4"]}}
    epoch = best_epoch(attack(bert, epochs=4), BACKGROUND, sets, TRUTH)
    means = [np.mean(list(accuracies.values())) for accuracies in epoch.accuracies]
    assert len(means) == 4
    assert epoch.epoch == int(np.argmax(means)) + 1
    right = [a.guesses[0].answer == TRUTH[a.document_id] for a in epoch.attempts["one"]]
    assert np.mean(right) == epoch.accuracies[epoch.epoch - 1]["one"]
    plain = attack(bert, epochs=4).fit(BACKGROUND).run(sets["one"])
    assert np.mean([a.guesses[0].answer == TRUTH[a.document_id] for a in plain]) == epoch.accuracies[-1]["one"]
    with pytest.raises(InputError, match="truth does not say whom document '9'"):
        best_epoch(attack(bert), BACKGROUND, {"one": {"9": "x"}}, TRUTH)


def test_a_development_set_alone_decides_the_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    # By epoch, whether each set's document is found: both sets are best in the third, the set "dev" in the second.
    result = [{"dev": False, "one": False}, {"dev": True, "one": False}, {"dev": True, "one": True}]
    text, truth = {"dev": "a", "one": "b"}, {"a": "ana", "b": "bo"}
    tried = 0

    def first_guesses(self: Trir, documents: Mapping[str, str]) -> dict[str, str | None]:
        (document,) = documents
        name = next(name for name, key in text.items() if key == document)
        return {document: truth[document] if result[tried][name] else None}

    def fit(self: Trir, background: object, watch: Callable[[int], None]) -> None:
        nonlocal tried
        for epoch in range(3):
            tried = epoch
            watch(epoch + 1)

    monkeypatch.setattr(Trir, "first_guesses", first_guesses)
    monkeypatch.setattr(Trir, "fit", fit)
    monkeypatch.setattr(Trir, "run", lambda self, documents: [])
    sets = {name: {key: "text"} for name, key in text.items()}
    assert best_epoch(Trir(), BACKGROUND, sets, truth).epoch == 3
    assert best_epoch(Trir(), BACKGROUND, sets, truth, development="dev").epoch == 2
    with pytest.raises(InputError, match="the development set 'def' is not among the sets: did you mean 'dev'"):
        best_epoch(Trir(), BACKGROUND, sets, truth, development="def")


def test_the_hidden_tokens_are_the_loss_of_pretraining(bert: Path) -> None:
    base = load(str(bert))
    windows = [[101, *range(2000, 2040), 102], [101, *range(3000, 3010), 102]]
    loss = trir_network.masked_loss(base.masked.eval(), base.tokenizer, windows)
    with trir_network.seeded("mask", torch.device("cpu")):
        value = loss([0, 1])
    with trir_network.seeded("mask", torch.device("cpu")):
        hide = transformers.DataCollatorForLanguageModeling(base.tokenizer, mlm_probability=0.15)
        batch = hide([{"input_ids": window} for window in windows])
    wanted = base.masked(**batch).loss  # the library's own
    assert value.item() == pytest.approx(wanted.item(), rel=1e-5)


def test_our_own_weights_are_read_as_those_of_a_bert(bert: Path, tmp_path: Path) -> None:
    training = pytest.importorskip("training.masked_lm.model")
    (tmp_path / "config.json").write_text(json.dumps({"size": SIZE}))
    from safetensors.torch import save_file
    from training.encoder import Size

    torch.manual_seed(3)
    ours = training.MaskedLM(Size(**SIZE)).eval()
    torch.nn.init.normal_(ours.lm_bias)
    save_file(ours.state_dict(), tmp_path / "model.safetensors")
    base = load(str(tmp_path))
    ids = torch.randint(1000, 2000, (2, 20))
    with torch.no_grad():
        wanted = ours(ids, None, torch.arange(40)).reshape(2, 20, -1)
        assert torch.allclose(base.masked.eval()(input_ids=ids).logits, wanted, atol=1e-5)
    made = base.classifier(7)
    assert made.config.num_labels == 7
    assert torch.equal(made.bert.embeddings.word_embeddings.weight, ours.words.weight)


def test_the_shipped_network_is_read_into_the_weights_it_came_from(bert: Path) -> None:
    onnx = pytest.importorskip("onnx")
    assert onnx
    from sfumato.models.masked import SHIPPED, MaskedWindow, OnnxMasked

    network = OnnxMasked(SHIPPED, 1)
    ids = network.encode("The [MASK] was born in London and played the violin in a large orchestra.").ids
    places = np.arange(len(ids))
    (quantized,) = network.log_probabilities([MaskedWindow(ids, places, ids, places)])
    base = load(None)
    given = torch.tensor([[base.tokenizer.cls_token_id, *ids, base.tokenizer.sep_token_id]])
    with torch.no_grad():
        logits = base.masked.eval()(input_ids=given).logits[0, 1:-1].log_softmax(-1)
    thawed = logits[torch.arange(len(ids)), torch.tensor(ids)].numpy()
    assert np.abs(thawed - quantized).mean() < 0.1  # its activations are 8-bit numbers, too


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"background": "blurred"}, "no background 'blurred'"),
        ({"epochs": 0}, "epochs must be 1 or more; got 0"),
        ({"pretraining_epochs": -1}, "pretraining_epochs must be 0 or more; got -1"),
        ({"language": "xx"}, "no language 'xx'"),
    ],
)
def test_bad_options_are_named(bert: Path, options: dict[str, Any], problem: str) -> None:
    with pytest.raises(RecipeError, match=problem):
        attack(bert, **options)


def test_bad_input_is_named(bert: Path, tmp_path: Path) -> None:
    with pytest.raises(NotMeasurable, match="'trir' knows nobody yet"):
        attack(bert).run(RELEASED)
    for people in ([], BACKGROUND[:1]):
        with pytest.raises(InputError, match=f"a background of {len(people)} people"):
            attack(bert).fit(people)
    with pytest.raises(InputError, match="person 'ana' is in the background twice"):
        attack(bert).fit([*BACKGROUND, BACKGROUND[0]])
    with pytest.raises(InputError, match="no text of the background has a word"):
        attack(bert).fit([Person("a", ("",)), Person("b", ())])
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(InputError, match="name a BERT-like folder"):
        Trir(model=str(tmp_path)).fit(BACKGROUND)
    with pytest.raises(RecipeError, match="device 'quantum' cannot be used"):
        attack(bert, device="quantum").fit(BACKGROUND)
