"""Servers that speak S3, each with one bucket and on 127.0.0.1 alone, and what Spark needs to use them.

A server's keys are made for one run: a test may look for them where they must not be.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from harness.clients import free_port

BUILD = Path(__file__).resolve().parents[2] / ".build"
VERSITYGW = BUILD / "bin" / "versitygw"
BUCKET = "tables"
NUMBER = re.compile(r"/commits/[0-9]{20}$")  # the key of a commit number
REGION = "us-east-1"
SCHEME = "http"
STARTED = 60  # seconds


@dataclass(frozen=True)
class Store:
    """A server with a bucket.

    Attributes:
        port: Of 127.0.0.1.
        folder: The bucket's objects as files; each key is a path.
    """

    port: int
    folder: Path
    access: str = field(default_factory=lambda: f"ACCESS{secrets.token_hex(8)}", repr=False)
    secret: str = field(default_factory=lambda: f"secret{secrets.token_hex(16)}", repr=False)

    @property
    def endpoint(self) -> str:
        return f"{SCHEME}://127.0.0.1:{self.port}"

    def through(self, port: int) -> Store:
        """This store, as it is reached through a proxy."""
        return replace(self, port=port)

    def settings(self) -> dict[str, str]:
        """Hadoop's settings: an address and keys of its own, so that no cloud is ever asked."""
        return {
            "fs.s3a.endpoint": self.endpoint,
            "fs.s3a.endpoint.region": REGION,
            "fs.s3a.path.style.access": "true",
            "fs.s3a.connection.ssl.enabled": "false",
            "fs.s3a.aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
            "fs.s3a.access.key": self.access,
            "fs.s3a.secret.key": self.secret,
        }

    def conf(self) -> dict[str, str]:
        """Spark's settings, with the connector."""
        return {f"spark.hadoop.{key}": value for key, value in self.settings().items()} | {
            "spark.jars": ",".join(connector())
        }


def connector() -> list[str]:
    """The jars of Hadoop's connector for S3 (`make stores`)."""
    return (BUILD / "s3a.path").read_text(encoding="utf-8").split()


def has_go() -> bool:
    """Whether versitygw, a program in Go, could be built here."""
    return shutil.which("go") is not None


@contextmanager
def versitygw(folder: Path) -> Iterator[Store]:
    """Runs versitygw, the server that the tests trust most."""
    for name in ("objects", "facts"):
        (folder / name).mkdir(parents=True)
    store = Store(free_port(), folder / "objects" / BUCKET)
    # Facts of objects lie beside them in files: not every disk has extended attributes.
    place = ("posix", "--sidecar", str(folder / "facts"), str(folder / "objects"))
    words = [str(VERSITYGW), "--port", f"127.0.0.1:{store.port}", "--region", REGION, *place]
    keys = {"ROOT_ACCESS_KEY": store.access, "ROOT_SECRET_KEY": store.secret}
    with _running(words, folder / "versitygw.log", keys, store):
        yield store


@contextmanager
def s3proxy(folder: Path) -> Iterator[Store]:
    """Runs S3Proxy, the second witness."""
    (folder / "objects").mkdir(parents=True)
    store = Store(free_port(), folder / "objects" / BUCKET)
    properties = folder / "s3proxy.properties"
    properties.write_text(
        f"s3proxy.endpoint={store.endpoint}\n"
        "s3proxy.authorization=aws-v2-or-v4\n"
        f"s3proxy.identity={store.access}\ns3proxy.credential={store.secret}\n"
        "jclouds.provider=filesystem-nio2\njclouds.identity=x\njclouds.credential=x\n"
        f"jclouds.filesystem.basedir={folder / 'objects'}\n",
        encoding="utf-8",
    )
    jars = os.pathsep.join((BUILD / "s3proxy.path").read_text(encoding="utf-8").split())
    words = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", jars]
    words += ["org.gaul.s3proxy.Main", "--properties", str(properties)]
    with _running(words, folder / "s3proxy.log", {}, store):
        yield store


@contextmanager
def _running(
    words: Sequence[str], log: Path, variables: dict[str, str], store: Store
) -> Iterator[None]:
    with log.open("w") as sink:
        server = subprocess.Popen(
            words, stdout=sink, stderr=subprocess.STDOUT, env=os.environ | variables
        )
    try:
        _wait(server, store.port, log)
        _make_bucket(store)
        yield
    finally:
        server.terminate()
        server.wait(timeout=30)


def _wait(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    until = time.monotonic() + STARTED
    while time.monotonic() < until and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"{log.stem} does not listen:\n{log.read_text()[-2000:]}")


def _make_bucket(store: Store) -> None:
    from pyarrow import fs

    files = fs.S3FileSystem(
        access_key=store.access,
        secret_key=store.secret,
        endpoint_override=f"127.0.0.1:{store.port}",
        scheme=SCHEME,
        region=REGION,
        allow_bucket_creation=True,
    )
    files.create_dir(BUCKET)
