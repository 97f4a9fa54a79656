"""Files are closed when their owner is: by close(), at the end of its ``with``, or when nobody holds it any longer."""

from __future__ import annotations

import gc
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import sfumato
from sfumato.cache import SqliteStore
from sfumato.formats.files import SeenIds
from sfumato.llm.cache import CachedChat
from sfumato.llm.chat import Message, Request
from sfumato.llm.replay import ScriptedChat
from sfumato.vault.store import Vault

OPEN_FILES = Path("/dev/fd")
pytestmark = pytest.mark.skipif(not OPEN_FILES.is_dir(), reason="no /dev/fd here")

VAULTS = 1000
TEXT = "The patient, Mrs Anna Quorvex, was seen in May."


def open_handles() -> int:
    return len(os.listdir(OPEN_FILES))


def in_threads(work: Callable[[], object]) -> None:
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.fixture(autouse=True)
def no_garbage_collection() -> Iterator[None]:
    """A service may wait long for it: handles must not."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def vault(folder: Path, number: int) -> None:
    # A few files: what is counted is how often one is opened, not how many there are.
    Vault.open(folder / f"{number % 5}.db", folder / "key")


def store(folder: Path, number: int) -> None:
    assert SqliteStore(folder / f"{number % 5}.sqlite").open().get(b"key") is None


def cached_chat(folder: Path, number: int) -> None:
    chat = CachedChat(ScriptedChat({"who": "nobody"}), folder)
    assert chat.ask([Request((Message("user", "who?"),))])[0].text == "nobody"


def seen_ids(folder: Path, number: int) -> None:
    assert SeenIds().add("a")


OWNERS: list[Callable[[Path, int], None]] = [vault, store, cached_chat, seen_ids]


@pytest.mark.parametrize("open_and_drop", OWNERS)
def test_what_is_dropped_is_closed(tmp_path: Path, open_and_drop: Callable[[Path, int], None]) -> None:
    open_and_drop(tmp_path, 0)
    before = open_handles()
    for number in range(VAULTS if open_and_drop is vault else 50):
        open_and_drop(tmp_path, number)
    assert open_handles() == before


@pytest.mark.parametrize("open_and_drop", OWNERS)
def test_what_threads_drop_is_closed(tmp_path: Path, open_and_drop: Callable[[Path, int], None]) -> None:
    open_and_drop(tmp_path, 0)
    before = open_handles()

    def work() -> None:
        for number in range(10):
            open_and_drop(tmp_path, number)

    in_threads(work)
    assert open_handles() == before


def test_a_vault_that_several_threads_share_is_one_connection(tmp_path: Path) -> None:
    before = open_handles()

    def share() -> None:
        shared = Vault.open(tmp_path / "v.db", tmp_path / "key")
        sfumato.anonymize(TEXT, recipe="fast", vault=shared)
        held = open_handles()
        in_threads(lambda: sfumato.anonymize(TEXT, recipe="fast", vault=shared))
        assert open_handles() == held

    share()
    assert open_handles() == before


def test_a_vault_given_by_its_path_is_closed_with_the_call(tmp_path: Path) -> None:
    vault_file, key_file = tmp_path / "v.db", tmp_path / "key"
    sfumato.anonymize(TEXT, recipe="fast", vault=vault_file, key_file=key_file)
    before = open_handles()
    for _ in range(20):
        sfumato.anonymize(TEXT, recipe="fast", vault=vault_file, key_file=key_file)
    assert open_handles() == before


def test_a_fork_does_not_close_the_connections_of_its_parent(tmp_path: Path) -> None:
    """Closing it there could end what the parent has not committed."""
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("no fork here")
    parent = Vault.open(tmp_path / "v.db", tmp_path / "key")
    held = open_handles()
    child = os.fork()
    if child == 0:
        parent.close()
        os._exit(0 if open_handles() == held else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    sfumato.anonymize(TEXT, recipe="fast", vault=parent)
    parent.close()
