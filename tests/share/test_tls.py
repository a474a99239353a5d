"""A server elsewhere proves who it is by a certificate for its host, from somebody who is trusted."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from rcs_hooks.config.database_url import DatabaseAddress
from rcs_hooks.share import connecting
from rcs_hooks.share.errors import DENIED, ShareError
from tests.share.conftest import ADMIN, Server, binaries, running

HOST = "127.0.0.1"


def openssl(folder: Path, words: str) -> None:
    subprocess.run(["openssl", *words.split()], cwd=folder, check=True, capture_output=True, timeout=60)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The certificate of a server at 127.0.0.1, `server.pem`, by `ca.pem`; and somebody else's `other.pem`."""
    folder = tmp_path_factory.mktemp("certificates")
    for name in ("ca", "other"):
        openssl(
            folder, f"req -newkey rsa:2048 -nodes -days 2 -x509 -keyout {name}.key -out {name}.pem -subj /CN={name}"
        )
    openssl(folder, "req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=server")
    (folder / "names").write_text(f"subjectAltName=IP:{HOST}\n")
    signed = "-CA ca.pem -CAkey ca.key -CAcreateserial -extfile names"
    openssl(folder, f"x509 -req -in server.csr -out server.pem -days 2 {signed}")
    return folder


@pytest.fixture(scope="module")
def secure(certificates: Path) -> Iterator[Server]:
    """A server with that certificate, whose key only its own user may read."""
    programs = binaries()
    if programs is None:
        pytest.skip("no PostgreSQL server is installed")
    settings = ("ssl=on", "ssl_cert_file=server.pem", "ssl_key_file=server.key", "fsync=off")
    files = {name: certificates / name for name in ("server.pem", "server.key")}
    with running(programs, *settings, files=files) as found:
        yield found


def address(server: Server, **options: str) -> DatabaseAddress:
    return server.address(ADMIN)._replace(options=tuple(sorted(options.items())))


def is_encrypted(at: DatabaseAddress) -> bool:
    with connecting.connection(at) as link:
        ((found,),) = link.rows("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
    return bool(found)


def test_a_server_on_this_machine_needs_no_certificate(secure: Server) -> None:
    assert is_encrypted(address(secure))


def test_a_certificate_for_the_host_by_somebody_trusted_is_taken(secure: Server, certificates: Path) -> None:
    assert is_encrypted(address(secure, sslmode="verify-full", sslrootcert=str(certificates / "ca.pem")))


def test_the_certificates_of_the_system_count_where_none_are_named(
    secure: Server, certificates: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    with pytest.raises(ShareError) as raised:
        is_encrypted(address(secure, sslmode="verify-full"))
    assert raised.value.kind == DENIED
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "ca.pem"))
    assert is_encrypted(address(secure, sslmode="verify-full"))


def test_a_certificate_by_somebody_else_or_for_another_host_is_refused(secure: Server, certificates: Path) -> None:
    trusted = {"sslmode": "verify-full", "sslrootcert": str(certificates / "ca.pem")}
    elsewhere = address(secure, **trusted, hostaddr=HOST)._replace(hosts=(("db.example.com", secure.port),))
    for each in (address(secure, **trusted | {"sslrootcert": str(certificates / "other.pem")}), elsewhere):
        with pytest.raises(ShareError) as raised:
            is_encrypted(each)
        assert raised.value.kind == DENIED
        assert not raised.value.is_passing
        assert "has no certificate that is trusted here for that host" in str(raised.value)


def test_a_server_without_tls_is_refused_where_a_certificate_is_wanted(server: Server, certificates: Path) -> None:
    with pytest.raises(ShareError) as raised:
        is_encrypted(address(server, sslmode="verify-full", sslrootcert=str(certificates / "ca.pem")))
    assert raised.value.kind == DENIED
