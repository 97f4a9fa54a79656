"""Low-rank adapters on tiny networks: what they compute and learn, what a stop changes, and how the result serves."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytestmark = [
    pytest.mark.extras,
    pytest.mark.filterwarnings("default"),  # of transformers
]
torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from benchmarks.torch_chat_server import HOST, Generator, handler
from training.lora import apply, train
from training.lora.adapters import Adapters, adapted, attach, merge
from training.lora.pairs import CLINICAL, Pair, Parts, divide, example, examples, read_pairs, with_plain_tags

from sfumato.document import Document
from sfumato.errors import InputError, OutputError, Problem, RecipeError
from sfumato.llm.prompt import Prompt
from sfumato.llm.replay import ScriptedChat
from sfumato.llm.settings import open_chat
from sfumato.pipeline import Pipeline
from sfumato.recipe import load
from sfumato_papers.rewriters.prompted import Clinical
from sfumato_papers.synthesis import fine_tune
from sfumato_papers.synthesis.causal import CausalLM
from sfumato_papers.synthesis.fine_tune import Training
from tests.papers.synthesis.tiny import CHAT_TEMPLATE, save

PROMPT = 'name = "short"\nversion = 1\ntemperature = 0.0\nmax_tokens = 300\nsystem = "Hide."\nuser = "{text}"\n'
NAMES = ("Ida", "Udo", "Pia", "Tom")


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    """So small a network is slower on several."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With larger weights than usual: adapters learn on top of what the base tells apart."""
    size = {"max_position_embeddings": 256, "initializer_range": 0.2}
    return save(tmp_path_factory.mktemp("base"), chat_template=CHAT_TEMPLATE, **size)


@pytest.fixture(scope="module")
def prompt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("prompt") / "short.toml"
    path.write_text(PROMPT, encoding="utf-8")
    return path


def pairs(count: int = 20) -> list[Pair]:
    return [Pair(str(n), f"{NAMES[n % 4]} coughs {n}.", f"[NAME] coughs {n}.") for n in range(count)]


def settings(base: Path, prompt: Path, **changes: Any) -> train.Settings:
    chosen = {"training": Training(epochs=2, batch=4, rate=1e-2, micro_batch=4), "tokens": 200, **changes}
    return train.Settings(str(base), Adapters(rank=4, alpha=8.0), prompt=prompt, **chosen)


def run(base: Path, prompt: Path, out: Path, **changes: Any) -> dict[str, Any]:
    problems: list[Problem] = []
    report = train.fine_tune_pairs(
        divide(pairs(), None), settings(base, prompt, **changes), out, on_problem=problems.append
    )
    assert not problems
    return report


def logits(network: Any) -> Any:
    with torch.no_grad():
        return network(input_ids=torch.arange(2, 22).reshape(2, 10)).logits


def drawn(network: Any) -> None:
    """Adapters as after a training."""
    torch.manual_seed(8)
    for _, module in adapted(network):
        torch.nn.init.normal_(module.up, std=0.3)


def test_new_adapters_change_nothing_and_merged_ones_compute_the_same(base: Path) -> None:
    network = CausalLM(str(base)).network
    plain = logits(network)
    layers = attach(network, Adapters(rank=3, alpha=6.0), seed=1)
    assert {name.rpartition(".")[2] for name in layers} == {
        *("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
    }
    assert torch.equal(logits(network), plain)
    learned = {name for name, value in network.named_parameters() if value.requires_grad}
    assert learned == {f"{name}.{part}" for name in layers for part in ("down", "up")}
    drawn(network)
    with_adapters = logits(network)
    assert not torch.allclose(with_adapters, plain, atol=1e-3)
    merge(network)
    assert not list(adapted(network))
    assert torch.allclose(logits(network), with_adapters, atol=1e-5)


def test_what_is_added_is_the_product_of_two_small_matrices(base: Path) -> None:
    network = CausalLM(str(base)).network
    attach(network, Adapters(rank=2, alpha=1.0, targets=("q_proj",)), seed=3)
    drawn(network)
    [(name, module)] = adapted(network)
    assert name.endswith("q_proj")
    values = torch.randn(5, 24)
    wanted = values @ module.linear.weight.T + 0.5 * (values @ module.down.T) @ module.up.T
    assert torch.allclose(module(values), wanted, atol=1e-6)
    again = CausalLM(str(base)).network
    attach(again, Adapters(rank=2, alpha=1.0, targets=("q_proj",)), seed=3)
    assert torch.equal(next(adapted(again))[1].down, module.down)
    with pytest.raises(RecipeError, match="no linear layer is called 'q_prol': did you mean 'q_proj'"):
        attach(CausalLM(str(base)).network, Adapters(targets=("q_prol",)), seed=3)
    with pytest.raises(RecipeError, match="rank is at least 1"):
        Adapters(rank=0)


def test_only_the_answer_is_learned(base: Path, prompt: Path) -> None:
    model = CausalLM(str(base))
    item = example(model, Prompt.load(prompt), Pair("1", "Ida coughs.", "[NAME] coughs."), 200)
    question = "<system>Hide.</system><user>Ida coughs.</user><assistant>"
    assert item.first == len(question)
    assert model.tokenizer.decode(item.ids[: item.first]) == question
    assert model.tokenizer.decode(item.ids[item.first : -1]) == "[NAME] coughs."
    assert item.ids[-1] == model.end
    # The loss of training, by another way: the log-probability of the answer's tokens alone.
    with torch.no_grad():
        shares = model.network(input_ids=torch.tensor([item.ids])).logits[0].log_softmax(-1)
    wanted = -sum(shares[place - 1, item.ids[place]] for place in range(item.first, len(item.ids)))
    assert float(model.losses([item])[0]) == pytest.approx(float(wanted), rel=1e-5)
    weights = dict(model.network.named_parameters())
    gradients = fine_tune._PlainGradients(model.network, weights, 1)
    loss = gradients.compute([item], Training(epochs=1, batch=1, rate=1.0))
    assert loss == pytest.approx(float(wanted) / (len(item.ids) - item.first), rel=1e-5)


def test_the_chat_is_the_one_that_the_rewriter_has(tmp_path: Path) -> None:
    model = CausalLM(str(save(tmp_path, chat_template=CHAT_TEMPLATE, max_position_embeddings=4096)))
    chat = ScriptedChat(lambda request: "A man coughs, and he sings in the evening.")
    text = "Ida Quorvex coughs, and she sings in the evening."
    Clinical(chat=chat).rewrite([Document("1", text)])
    asked = "".join(f"<{turn.role}>{turn.text}</{turn.role}>" for turn in chat.asked[0].messages) + "<assistant>"
    item = example(model, Prompt.load(CLINICAL), Pair("1", text, "Someone coughs."), 4096)
    assert model.tokenizer.decode(item.ids[: item.first]) == asked


def test_pairs_are_learned_and_the_base_stays(base: Path, prompt: Path, tmp_path: Path) -> None:
    before = {path.name: path.read_bytes() for path in base.iterdir()}
    many = Training(epochs=30, batch=6, rate=2e-2, micro_batch=3)
    report = run(base, prompt, tmp_path / "m", training=many)
    assert {path.name: path.read_bytes() for path in base.iterdir()} == before
    losses = report["validation_loss"]
    assert losses["fine_tuned"] < 0.5 * losses["base"]
    assert (report["pairs"], report["validation_pairs"]) == (18, 2)
    assert not (tmp_path / "m" / train.CHECKPOINT).exists()
    card = (tmp_path / "m" / "weights" / "README.md").read_text(encoding="utf-8")
    assert f"fine-tuned {losses['fine_tuned']:.3f}" in card
    assert "{" not in card
    # The merged weights, read as any other model, have the loss that was measured with adapters.
    tuned = CausalLM(str(tmp_path / "m" / "weights"))
    held = examples(tuned, Prompt.load(prompt), divide(pairs(), None).validation, 200, print)
    assert train.mean_loss(tuned, held) == pytest.approx(losses["fine_tuned"], rel=1e-4)
    # Only what the adapters changed differs from the base.
    old, new = CausalLM(str(base)).network.state_dict(), tuned.network.state_dict()
    changed = {name.split(".")[-2] for name in old if not torch.equal(old[name], new[name])}
    assert changed == {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}


def test_a_stopped_run_comes_to_the_same_weights(
    base: Path, prompt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run(base, prompt, tmp_path / "whole")
    monkeypatch.setattr(fine_tune, "CHECKPOINT_SECONDS", 0.0)
    write, saved = fine_tune._save, list[Path]()

    def stop_at_third(checkpoint: Path, *state: Any) -> None:
        write(checkpoint, *state)
        saved.append(checkpoint)
        if len(saved) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(fine_tune, "_save", stop_at_third)
    with pytest.raises(KeyboardInterrupt):
        run(base, prompt, tmp_path / "m")
    assert not (tmp_path / "m" / "weights").exists()
    monkeypatch.setattr(CausalLM, "save", lambda self, folder: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):  # now between training and export
        run(base, prompt, tmp_path / "m")
    monkeypatch.undo()
    again = run(base, prompt, tmp_path / "m")
    timed = {"seconds_since_last_start"}
    assert {key: value for key, value in again.items() if key not in timed} == {
        key: value for key, value in whole.items() if key not in timed
    }
    one, other = (CausalLM(str(tmp_path / name / "weights")).network.state_dict() for name in ("whole", "m"))
    assert all(torch.equal(one[name], other[name]) for name in one)
    # Finished: nothing is trained any more, and other settings are refused.
    monkeypatch.setattr(fine_tune, "fit", lambda *given, **more: pytest.fail("trained again"))
    assert run(base, prompt, tmp_path / "m") == again
    with pytest.raises(OutputError, match="holds a model of other records or settings; name another --out folder"):
        run(base, prompt, tmp_path / "m", seed=2)


def write(path: Path, texts: dict[str, str]) -> Path:
    lines = [json.dumps({"id": key, "text": text}) for key, text in texts.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_pairs_are_joined_by_id_and_bad_files_are_refused(tmp_path: Path) -> None:
    some = {pair.id: pair for pair in pairs(12)}
    originals = write(tmp_path / "o.jsonl", {key: pair.original for key, pair in some.items()})
    targets = {key: pair.anonymized for key, pair in reversed(some.items())}
    problems: list[Problem] = []
    assert read_pairs(originals, write(tmp_path / "a.jsonl", targets), problems.append) == list(some.values())
    assert not problems
    del targets["3"]
    targets["4"] = "  "
    assert len(read_pairs(originals, write(tmp_path / "a.jsonl", targets), problems.append)) == 10
    assert "1 texts have no counterpart and are left out: 3" in str(problems[0])
    assert "1 pairs with a blank text are left out" in str(problems[1])
    targets["4"] = "Seen by Dr. [**Last Name"
    read_pairs(originals, write(tmp_path / "a.jsonl", targets), problems.append)
    assert "document 4: line 1: a tag begins with [**" in str(problems[2])
    del targets["5"]
    with pytest.raises(InputError, match="9 pairs are too few to learn from: give at least 10"):
        read_pairs(originals, write(tmp_path / "a.jsonl", targets), problems.append)
    with pytest.raises(InputError, match="every text equals its original"):
        read_pairs(originals, originals, problems.append)


def test_a_tag_is_learned_by_its_kind() -> None:
    note = (
        "[**Known lastname 12**] came on [**2151-7-16**], seen by Dr. [**Last Name (STitle) 7**] at [**Hospital 3**]."
    )
    assert with_plain_tags(note) == "[FAMILY] came on [DATE], seen by Dr. [FAMILY] at [HOSPITAL]."
    assert with_plain_tags("No tag, [NAME].") == "No tag, [NAME]."


def test_a_split_says_what_is_learned(tmp_path: Path) -> None:
    split = tmp_path / "split.json"
    split.write_text(json.dumps({"train": [str(n) for n in range(10)], "validation": ["11"], "test": ["12"]}))
    parts = divide(pairs(13), split)
    assert [pair.id for pair in parts.train] == [str(n) for n in range(10)]
    assert [pair.id for pair in parts.validation] == ["11"]
    split.write_text(json.dumps({"train": ["1"], "validation": ["11"]}))
    with pytest.raises(InputError, match="1 pairs for training and 1 for validation: at least 10 and 1"):
        divide(pairs(13), split)
    split.write_text("[]")
    with pytest.raises(InputError, match="give JSON with lists of ids"):
        divide(pairs(13), split)


def test_what_cannot_be_trained_is_refused(base: Path, prompt: Path, tmp_path: Path) -> None:
    parts = divide(pairs(), None)
    with pytest.raises(InputError, match="18 records are fewer than one batch of 32"):
        run(base, prompt, tmp_path / "m", training=Training(epochs=1, batch=32, rate=1e-3))
    problems: list[Problem] = []
    with pytest.raises(InputError, match="no pair fits into 60 tokens: raise --tokens"):
        train.fine_tune_pairs(parts, settings(base, prompt, tokens=60), tmp_path / "m", on_problem=problems.append)
    assert "18 pairs are longer than 60 tokens and are left out" in str(problems[0])
    plain = save(tmp_path / "plain")
    with pytest.raises(InputError, match="has no chat template"):
        train.fine_tune_pairs(parts, settings(plain, prompt), tmp_path / "n", on_problem=print)
    assert "Ida" not in repr(Parts(*parts))


def test_the_command_trains_and_ends_in_one_line(
    base: Path, prompt: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    originals = write(tmp_path / "o.jsonl", {pair.id: pair.original for pair in pairs()})
    anonymized = write(tmp_path / "a.jsonl", {pair.id: pair.anonymized for pair in pairs()})
    words = [str(originals), str(anonymized), "--base", str(base), "--out", str(tmp_path / "m"), "--device", "cpu"]
    words += ["--prompt", str(prompt), "--tokens", "200", "--epochs", "0.5", "--batch", "4", "--rank", "2"]
    train.main(words)
    report = json.loads(capsys.readouterr().out)
    assert report["training"]["steps"] == 3
    assert report["adapters"]["rank"] == 2
    with pytest.raises(SystemExit, match=r"error: .*holds a model of other records or settings"):
        train.main([*words, "--rank", "3"])


def test_adapters_of_a_file_make_the_weights_that_were_trained(base: Path, prompt: Path, tmp_path: Path) -> None:
    run(base, prompt, tmp_path / "m")
    apply.main([str(tmp_path / "m" / "adapters.safetensors"), "--base", str(base), "--out", str(tmp_path / "merged")])
    merged, trained = (CausalLM(str(tmp_path / name)).network for name in ("merged", "m/weights"))
    assert torch.allclose(logits(merged), logits(trained), atol=1e-5)
    with pytest.raises(SystemExit, match="is there already; name a new folder"):
        apply.main(
            [str(tmp_path / "m" / "adapters.safetensors"), "--base", str(base), "--out", str(tmp_path / "merged")]
        )
    shipped = Path(apply.__file__).parent / "smollm2_clinical" / "adapters.safetensors"
    with pytest.raises(InputError, match="adapters of another base"):
        apply.apply(shipped, str(base), tmp_path / "other")


def test_requests_that_join_others_get_the_answers_they_get_alone(base: Path) -> None:
    generator = Generator(base, "cpu", 3, longest=12)
    threading.Thread(target=generator.serve, daemon=True).start()

    def ask(number: int) -> Any:
        messages = [{"role": "user", "content": "ab" * number}]
        body = {"messages": messages, "temperature": number % 2, "seed": number, "max_tokens": 3 + 2 * number}
        status, answer = generator.answer(body)
        assert status == 200
        return answer

    alone = [ask(number) for number in range(1, 8)]
    with ThreadPoolExecutor(7) as pool:
        assert list(pool.map(ask, range(1, 8))) == alone
    assert max(answer["usage"]["completion_tokens"] for answer in alone) <= 12


def test_the_fine_tuned_model_answers_through_a_chat(base: Path, prompt: Path, tmp_path: Path) -> None:
    run(base, prompt, tmp_path / "m", training=Training(epochs=60, batch=9, rate=2e-2))
    generator = Generator(tmp_path / "m" / "weights", "cpu", 4)
    threading.Thread(target=generator.serve, daemon=True).start()
    server = ThreadingHTTPServer((HOST, 0), handler(generator, "tuned"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        recipe = load("published/clinical-lora")
        assert recipe.rewrite is not None
        changed = recipe.with_changes(rewrite={"use": recipe.rewrite.use, "prompt": str(prompt)})
        chat = open_chat(f"http://{HOST}:{server.server_port}/v1")
        [outcome] = Pipeline(changed, chat=chat).anonymize([Document("1", "Udo coughs 17.")])
    finally:
        server.shutdown()
        server.server_close()
    assert outcome.text.startswith("[NAME] coughs")  # type: ignore[union-attr]
