"""Inputs and releases by URL (s3://, gs://, abfs://, https://): staged in a local folder through fsspec.

Inputs are fetched before a run and the release is sent after it, because files are read more than once and outputs
appear whole. The folder is chosen by the user: it holds originals, and the state of a run that was stopped. Nothing is
connected to unless a URL is named.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import Any

from sfumato.errors import InputError, MissingExtra, OutputError, RecipeError, SfumatoError
from sfumato.files import CONFIDENTIAL, atomic_path, private_folder
from sfumato.runs.summary import Summary

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/{1,2}(.+)")
"""As a path, a URL has lost one of its slashes; a drive of Windows has one letter."""
_CHUNK = 1 << 20
_VERSIONS = "versions.json"


def as_url(path: Path | str) -> str | None:
    """The URL that a path of the command line was; None for a path."""
    match = _URL.fullmatch(str(path))
    return None if match is None else f"{match[1]}://{match[2]}"


def check_local(*paths: Path | None) -> None:
    """Raise where a file that is not a corpus was named by URL: what undoes a release stays on this machine."""
    for path in filter(None, paths):
        if url := as_url(path):
            raise RecipeError(f"{url}: inputs and --out may be URLs; name a local file here")


class Stage:
    """The inputs and the output of a run as local paths. After an error all stays there, so that the run resumes."""

    def __init__(self, inputs: Sequence[Path], out: Path | None, folder: Path | None) -> None:
        """``folder``: where copies may lie; needed where a URL is among the paths."""
        self._url = as_url(out) if out else None
        urls = [url for path in inputs if (url := as_url(path))] + ([self._url] if self._url else [])
        self._is_used = bool(urls)
        self.inputs, self.out = list(inputs), out
        if not urls:
            if folder is not None:
                raise RecipeError(f"--staging {folder}: is for inputs and outputs by URL; leave it out")
            return
        if folder is None:
            raise RecipeError(
                f"{urls[0]}: say with --staging FOLDER where copies of originals and the state of the run may lie"
            )
        self._folder = folder
        self._is_new = not folder.exists()
        private_folder(folder)
        self._versions_path = folder / _VERSIONS
        try:
            self._versions: dict[str, str] = json.loads(self._versions_path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            self._versions = {}
        self.inputs = [self.fetch(url) if (url := as_url(path)) else path for path in inputs]
        self.out = self._place("outputs", self._url) if self._url else out

    def finish(self, summary: Summary) -> None:
        """Send what was written for a URL, and remove all copies. The summary names what remains, and the URL."""
        if not self._is_used:
            return
        if self._url is not None and self.out is not None and self.out.exists():
            self._send(self.out, self._url)
            summary.files = [path for path in summary.files if not path.is_relative_to(self.out)]
            summary.remarks = [*summary.remarks, f"the release was sent to {self._url}"]
        for name in ("inputs", "outputs"):
            shutil.rmtree(self._folder / name, ignore_errors=True)
        self._versions_path.unlink(missing_ok=True)
        if self._is_new:
            shutil.rmtree(self._folder, ignore_errors=True)

    def fetch(self, url: str) -> Path:
        """A copy of a file or of all files of a folder; what was fetched before and has not changed stays."""
        root = self._place("inputs", url)
        try:
            system, path = _file_system(url)
            is_folder = system.isdir(path) and not system.isfile(path)
            names = sorted(system.find(path)) if is_folder else [path]
            if not is_folder and not system.exists(path):
                raise InputError(f"{url}: there is no such file or folder; check the name and who may read it")
            for name in names:
                relative = PurePosixPath(name).relative_to(PurePosixPath(path)) if is_folder else PurePosixPath()
                if ".." in relative.parts:
                    raise InputError(f"{url}: has a file whose name leads out of the folder; rename it")
                self._fetch_file(system, name, root / relative if is_folder else root)
        except SfumatoError:
            raise
        except Exception as error:  # noqa: BLE001  # each file system has errors of its own
            raise InputError(
                f"{url}: cannot be read ({type(error).__name__}); check the address and the permissions, and run the "
                "same command again"
            ) from None
        return root

    def _fetch_file(self, system: Any, name: str, target: Path) -> None:
        version = f"{system.size(name)} {system.ukey(name)}"
        key = str(target.relative_to(self._folder))
        if target.exists() and self._versions.get(key) == version:
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(target, CONFIDENTIAL) as temporary, system.open(name, "rb") as source:
            with temporary.open("wb") as file:
                shutil.copyfileobj(source, file, _CHUNK)
            if system.size(name) not in (None, temporary.stat().st_size):
                raise InputError(f"{name}: was not read to its end; run the same command again")
        self._versions[key] = version
        with atomic_path(self._versions_path, CONFIDENTIAL) as temporary:
            temporary.write_text(json.dumps(self._versions), encoding="utf-8")

    def _send(self, source: Path, url: str) -> None:
        files = [path for path in sorted(source.rglob("*")) if path.is_file()] if source.is_dir() else [source]
        try:
            system, path = _file_system(url)
            for file in files:
                remote = f"{path}/{file.relative_to(source).as_posix()}" if source.is_dir() else path
                system.makedirs(remote.rpartition("/")[0], exist_ok=True)
                system.put_file(str(file), remote)
                if system.size(remote) != file.stat().st_size:
                    raise OSError
        except Exception as error:  # noqa: BLE001  # each file system has errors of its own
            raise OutputError(
                f"{url}: the release could not be sent ({type(error).__name__}); it is complete in {source}: copy it "
                "from there, and then delete the folder, which holds originals"
            ) from None

    def _place(self, kind: str, url: str) -> Path:
        """A path with the URL's last name, of its own for each URL."""
        digest = blake2b(url.encode(), digest_size=8).hexdigest()
        name = PurePosixPath(url.partition("?")[0].partition("://")[2]).name
        if not name or name in (".", ".."):
            raise RecipeError(f"{url}: name a file or a folder at the end")
        private_folder(self._folder / kind)
        private_folder(self._folder / kind / digest)
        return self._folder / kind / digest / name


def _file_system(url: str) -> tuple[Any, str]:
    try:
        import fsspec
    except ImportError:
        raise MissingExtra(f"{url}: storage by URL", "ray") from None
    try:
        system, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        raise MissingExtra(f"{url}: this kind of storage ({error})", "ray") from None
    except ValueError:
        raise RecipeError(f"{url}: no such kind of storage; use s3://, gs://, abfs:// or https://") from None
    return system, path
