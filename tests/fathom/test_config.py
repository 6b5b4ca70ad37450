"""Where the service is and with which token."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from fathom import config
from fathom.errors import BadInput


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("FATHOM_SERVER", "FATHOM_TOKEN", "FATHOM_TOKEN_FILE", "FATHOM_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))


def test_a_saved_token_can_be_read_by_its_owner_alone_and_belongs_to_one_server() -> None:
    path = config.save_token("http://127.0.0.1:8765", "one")
    config.save_token("https://fathom.example.org", "two")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert config.find_token("http://127.0.0.1:8765") == "one"
    assert config.find_token("https://fathom.example.org:443") == "two"
    assert config.find_token("http://127.0.0.1:9999") is None


@pytest.mark.parametrize("address", ["http://localhost:8765", "http://[::1]:8765", "http://0.0.0.0:8765"])
def test_the_names_of_this_machine_share_a_token(address: str) -> None:
    config.save_token("http://127.0.0.1:8765", "one")
    assert config.find_token(address) == "one"


def test_options_win_over_the_environment_and_that_over_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    server = config.server_address()
    config.save_token(server, "saved")
    assert config.find_token(server) == "saved"
    file = tmp_path / "token"
    config.write_private(file, "from a file\n")
    monkeypatch.setenv("FATHOM_TOKEN_FILE", str(file))
    assert config.find_token(server) == "from a file"
    monkeypatch.setenv("FATHOM_TOKEN", "environment")
    assert config.find_token(server) == "environment"
    assert config.find_token(server, "option") == "option"


def test_a_token_that_others_can_read_is_refused_with_the_command_that_mends_it() -> None:
    path = config.save_token("http://127.0.0.1:8765", "one")
    path.chmod(0o644)
    with pytest.raises(BadInput, match=f"chmod 600 {path}"):
        config.find_token("http://127.0.0.1:8765")


def test_a_damaged_file_of_tokens_is_said_to_be_one() -> None:
    path = config.save_token("http://127.0.0.1:8765", "one")
    config.write_private(path, "{")
    with pytest.raises(BadInput, match="is not JSON"):
        config.find_token("http://127.0.0.1:8765")


@pytest.mark.parametrize("address", ["8765", "localhost:8765", "ftp://host", "http://"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(BadInput, match="not an address"):
        config.server_address(address)


def test_a_trailing_slash_makes_no_difference() -> None:
    assert config.server_address("http://host:1/") == "http://host:1"


def test_the_data_folder_is_the_option_then_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FATHOM_DATA", str(tmp_path / "named"))
    assert config.data_folder() == tmp_path / "named"
    assert config.data_folder(tmp_path) == tmp_path
