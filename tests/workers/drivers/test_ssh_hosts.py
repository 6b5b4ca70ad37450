"""Keys, host keys, jump hosts and ssh_config, with a real sshd."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from protocol.models import Driver as DriverSpec
from tests.support.ssh_driving import driving, here, refusal, sh
from tests.support.sshd import PASSPHRASE, Sshd, keygen, running_sshd
from tests.support.waiting import until
from workers.drivers.base import open_driver
from workers.errors import DriverError


async def test_a_key_with_a_passphrase_needs_the_variable_that_holds_it(
    box: Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = str(box.folder / "locked_key")
    assert "passphrase_env" in str(await refusal(box.driver(key=locked)))
    assert "FATHOM_TEST_PHRASE, which is not set" in str(
        await refusal(box.driver(key=locked, passphrase_env="FATHOM_TEST_PHRASE"))
    )
    monkeypatch.setenv("FATHOM_TEST_PHRASE", PASSPHRASE)
    async with driving(box.driver(key=locked, passphrase_env="FATHOM_TEST_PHRASE")) as driver:
        assert await sh(driver, "echo in") == "in\n"


async def test_the_agent_offers_its_keys(box: Sshd, tmp_path: Path) -> None:
    socket = tmp_path / "agent"
    agent = await asyncio.create_subprocess_exec(
        *("ssh-agent", "-D", "-a", str(socket)), stdout=asyncio.subprocess.DEVNULL
    )
    try:
        await until(socket.exists)
        await here("ssh-add", "-q", str(box.key), env={"SSH_AUTH_SOCK": str(socket)})
        async with driving(box.driver(key=None, agent=str(socket))) as driver:
            assert await sh(driver, "echo in") == "in\n"
    finally:
        agent.terminate()
        await agent.wait()


async def test_a_certificate_opens_a_server_that_trusts_its_authority(tmp_path: Path) -> None:
    authority, key = tmp_path / "ca", tmp_path / "user"
    keygen(authority)
    keygen(key)
    with running_sshd(tmp_path / "strict", extra=f"TrustedUserCAKeys {authority}.pub") as strict:
        await here("ssh-keygen", "-q", "-s", str(authority), "-I", "test", "-n", strict.user, f"{key}.pub")
        assert "refuses our keys" in str(await refusal(strict.driver(key=str(authority))))
        async with driving(strict.driver(key=str(key), certificate=f"{key}-cert.pub")) as driver:
            assert await sh(driver, "echo in") == "in\n"


async def test_an_unknown_host_key_is_refused_with_the_command_that_accepts_it(box: Sshd, tmp_path: Path) -> None:
    known = tmp_path / "known hosts"
    error = await refusal(box.driver(known_hosts=str(known)))
    assert error.permanent
    assert "is unknown: SHA256:" in error.message
    await here("sh", "-c", error.message.partition("accept it with: ")[2])
    async with driving(box.driver(known_hosts=str(known))) as driver:
        assert await sh(driver, "echo in") == "in\n"


async def test_a_changed_host_key_is_refused_until_the_new_one_is_accepted(own_box: Sshd) -> None:
    own_box.stop()
    own_box.new_host_key()
    own_box.start()
    error = await refusal(own_box.driver())
    assert "has CHANGED to SHA256:" in error.message
    await here("sh", "-c", error.message.partition("accept it with: ")[2])
    async with driving(own_box.driver()) as driver:
        assert await sh(driver, "echo in") == "in\n"


async def test_a_fingerprint_given_once_is_enough_and_a_wrong_one_is_refused(box: Sshd, tmp_path: Path) -> None:
    right = (await here("ssh-keygen", "-lf", str(box.folder / "host_key.pub"))).split()[1]
    async with driving(box.driver(known_hosts=None, host_key_sha256=right)) as driver:
        assert await sh(driver, "echo in") == "in\n"
    error = await refusal(box.driver(host_key_sha256="SHA256:" + "A" * 43))
    assert right in error.message


async def test_a_jump_host_leads_to_a_host_behind_it(box: Sshd, tmp_path: Path) -> None:
    with running_sshd(tmp_path / "inner") as inner:
        known = tmp_path / "both"
        known.write_text(box.known_hosts.read_text() + inner.known_hosts.read_text())
        with (inner.folder / "authorized_keys").open("a") as keys:
            keys.write((box.folder / "key.pub").read_text())
        before = len(box.connections())
        jump = f"{box.user}@127.0.0.1:{box.port}"
        spec = inner.driver(key=str(box.key), known_hosts=str(known), proxy_jump=jump)
        async with driving(spec) as driver:
            assert await sh(driver, "echo in") == "in\n"
            assert len(box.connections()) > before


async def test_aliases_and_jumps_of_ssh_config_are_honoured(box: Sshd, tmp_path: Path) -> None:
    with running_sshd(tmp_path / "inner") as inner:
        config = tmp_path / "config"
        blocks = [("gate", box, ""), ("gpu1", inner, "  ProxyJump gate\n")]
        config.write_text(
            "".join(
                f"Host {name}\n  HostName 127.0.0.1\n  Port {server.port}\n  User {server.user}\n"
                f"  IdentityFile {server.key}\n  UserKnownHostsFile {server.known_hosts}\n{more}"
                for name, server, more in blocks
            )
        )
        spec = DriverSpec(kind="ssh", host="gpu1", options={"config": str(config), "agent": False})
        async with driving(spec) as driver:
            assert await sh(driver, "echo in") == "in\n"


@pytest.mark.parametrize(
    ("host", "options", "message"),
    [
        (None, {}, "is not"),
        ("me@", {}, "is not"),
        ("gpu1:x", {}, "is not"),
        ("-oProxyCommand=x", {}, "is not"),
        ("gpu1", {"hostkey": "x"}, "option hostkey"),
        ("gpu1", {"port": 0}, "option port"),
        ("gpu1", {"password": "x"}, "option password"),
    ],
)
def test_options_that_make_no_sense_are_refused(host: str | None, options: dict[str, str], message: str) -> None:
    with pytest.raises(DriverError, match=message) as caught:
        open_driver(DriverSpec(kind="ssh", host=host, options=options))  # type: ignore[arg-type]
    assert caught.value.permanent
