"""The way to a server: packed answers, proxies, encryption, and where each of them ends."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from models.server import Server

from lab.errors import ModelError
from lab.models.endpoint_chat import EndpointModel


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)  # the tests need not wait
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    with Server() as running:
        yield running


@pytest.mark.parametrize("packing", ["gzip", "deflate"])
def test_a_packed_answer_is_unpacked(server: Server, packing: str) -> None:
    server.then(packing)
    assert EndpointModel("m", server.url).ask("hello").text == server.answer


def test_an_answer_that_unpacks_to_more_than_anybody_reads_is_not_taken_in(server: Server) -> None:
    server.then("bomb")
    with pytest.raises(ModelError, match="larger than 2 MB"):
        EndpointModel("m", server.url).ask("hello")
    assert len(server.requests) == 1


def test_what_is_called_packed_and_is_not_is_a_broken_connection(server: Server) -> None:
    server.then("mispacked")
    with pytest.raises(ModelError, match="broke off"):
        EndpointModel("m", server.url, retries=1).ask("hello")
    assert len(server.requests) == 2


def test_a_proxy_of_the_machine_is_used_but_not_for_what_is_excepted(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
    assert EndpointModel("m", "http://elsewhere.example/v1").ask("hello").text == server.answer
    assert server.requests[0]["path"] == "http://elsewhere.example/v1/chat/completions"
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert EndpointModel("m", server.url).ask("hello").text == server.answer
    assert server.requests[1]["path"] == "/v1/chat/completions"


def test_the_certificates_are_read_once_for_all_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[int]()
    monkeypatch.setattr("httpx2.create_ssl_context", lambda: read.append(1) or ssl.create_default_context())
    monkeypatch.setenv("SSL_CERT_DIR", "somewhere else")
    for port in (1, 2):
        assert EndpointModel("m", f"http://127.0.0.1:{port}")._client
    assert len(read) == 1
    monkeypatch.setenv("SSL_CERT_DIR", "and elsewhere")
    assert EndpointModel("m", "http://127.0.0.1:3")._client
    assert len(read) == 2


@pytest.mark.skipif(shutil.which("openssl") is None, reason="the certificate is made by openssl")
def test_an_encrypted_answer_ends_in_time_and_a_certificate_is_looked_at(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    made += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(made, check=True, capture_output=True)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    server.encrypt(context)
    with pytest.raises(ModelError, match="no connection"):
        EndpointModel("m", server.url, timeout=5.0).ask("hello")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert EndpointModel("m", server.url, timeout=5.0).ask("hello").text == server.answer
    server.then("dribbles")
    start = time.perf_counter()
    with pytest.raises(ModelError, match="in time"):
        EndpointModel("m", server.url, timeout=0.5).ask("hello")
    assert time.perf_counter() - start < 2
