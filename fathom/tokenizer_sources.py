"""Where a model's tokenizer comes from: a file, an installed package's file, the Hugging Face Hub, the server itself."""

from __future__ import annotations

import hashlib
import logging
import tempfile
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import TYPE_CHECKING

from fathom.errors import BadInput, Failed, Refused
from protocol.assets import AssetKind
from protocol.models import TokenizerRef

if TYPE_CHECKING:
    from fathom.sync import SyncClient

FORMS = (
    "a tokenizer.json, a folder that holds one, a .gguf file, `package:FILE` of an installed Python package, a Hub id "
    "such as `org/name`, the name of a registered asset, or `server`"
)


@dataclass(frozen=True, slots=True)
class TokenizerFile:
    """The bytes of a `tokenizer.json`, and where they came from in words."""

    content: bytes
    source: str


def reference(client: SyncClient, given: str, model: str) -> TokenizerRef:
    """The reference to put into a model's registration; uploads the tokenizer when it is not in the service yet.

    The asset is named `tokenizer-<model>-<first 8 hex digits of its SHA-256>`, so that a model registered again with
    another file leaves the tokenizer of its earlier jobs where it is.
    """
    if given == "server":
        return TokenizerRef(kind="server")
    if (found := read(given)) is None:
        return TokenizerRef(asset=_registered(client, given))
    name = f"tokenizer-{model[:80]}-{hashlib.sha256(found.content).hexdigest()[:8]}"
    asset = client.add_asset(name, AssetKind.TOKENIZER, found.content, source=found.source)
    return TokenizerRef(asset=asset.name)


def read(given: str) -> TokenizerFile | None:
    """The tokenizer that `given` names, or None when it can only be the name of an asset."""
    path = Path(given)
    if path.is_dir():
        path = path / "tokenizer.json"
    if path.is_file():
        return _from_path(path, str(path.name))
    package, separator, name = given.partition(":")
    if separator and name:
        return _from_path(_package_file(package, name), f"{package}: {Path(name).name}")
    if given.endswith((".json", ".gguf")) or given.startswith((".", "/", "~")):
        raise BadInput(f"tokenizer = {given!r}: no such file")
    return _from_hub(given) if given.count("/") == 1 else None


def _registered(client: SyncClient, given: str) -> str:
    try:
        return client.asset(given).name
    except Refused as error:
        if error.status != 404:
            raise
        raise BadInput(f"tokenizer = {given!r}: neither a file nor a registered asset; give {FORMS}") from error


def _from_path(path: Path, source: str) -> TokenizerFile:
    from benchmarks.errors import InvalidAsset
    from benchmarks.tokenizers import load_tokenizer

    try:
        with tempfile.TemporaryDirectory() as folder:
            if path.suffix == ".gguf":
                from benchmarks.gguf_tokenizer import write_tokenizer_json

                source, made = f"the tokenizer in {source}", Path(folder) / "tokenizer.json"
                write_tokenizer_json(path, made)
                path = made
            load_tokenizer(path)
            return TokenizerFile(path.read_bytes(), source)
    except InvalidAsset as error:
        raise BadInput(f"tokenizer {path}: {error.message}") from error
    except ModuleNotFoundError as error:
        if error.name != "gguf":
            raise
        raise BadInput("reading a .gguf file needs the package gguf: pip install gguf") from error
    except OSError as error:
        raise BadInput(f"tokenizer {path}: {error.strerror}") from error


def _package_file(package: str, name: str) -> Path:
    try:
        listed = files(package) or []
    except PackageNotFoundError as error:
        raise BadInput(f"tokenizer: no package {package!r} is installed; run: pip install {package}") from error
    for file in listed:
        if str(file) == name or file.name == name:
            return Path(str(file.locate()))
    fitting = [str(f) for f in listed if f.name.endswith((".gguf", "tokenizer.json"))]
    raise BadInput(f"tokenizer: package {package!r} has no file {name!r}; it has: {', '.join(fitting) or 'none'}")


def _from_hub(given: str) -> TokenizerFile:
    import httpx
    from huggingface_hub import constants, hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    try:
        httpx.head(constants.ENDPOINT, timeout=10)  # the library itself tries for half a minute where there is no way
        path = hf_hub_download(given, "tokenizer.json")
    except HFValidationError as error:
        raise BadInput(f"tokenizer = {given!r}: neither a file nor a Hub id; give {FORMS}") from error
    except (HfHubHTTPError, OSError, httpx.HTTPError) as error:
        why = " ".join(str(error).split())[:160]
        raise Failed(f"tokenizer = {given!r}: the Hugging Face Hub did not give it ({why})") from error
    return _from_path(Path(path), f"Hugging Face Hub: {given}")
