"""Servers of object stores, each with one bucket and on 127.0.0.1 alone, and what Spark needs to use them.

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
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeVar

from harness.clients import free_port

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo, FileSystem

BUILD = Path(__file__).resolve().parents[2] / ".build"
VERSITYGW = BUILD / "bin" / "versitygw"
BUCKET = "tables"
NUMBER = re.compile(r"/commits/[0-9]{20}$")  # the key of a commit number
REGION = "us-east-1"
# Pauses of the connector between its tries of a request, which tests break on purpose.
SHORT_PAUSES = {
    "spark.hadoop.fs.s3a.retry.interval": "50ms",
    "spark.hadoop.fs.s3a.retry.throttle.interval": "50ms",
}
HTTP = "http"
STARTED = 60  # seconds


S = TypeVar("S", bound="Store")


@dataclass(frozen=True)
class Store(ABC):
    """A server with a bucket.

    Attributes:
        scheme: Of the bucket's addresses.
        implementation: Class of Hadoop's connector.
        port: Of 127.0.0.1.
    """

    scheme: ClassVar[str]
    implementation: ClassVar[str]
    port: int

    @property
    def authority(self) -> str:
        """What names the bucket in its addresses."""
        return BUCKET

    @property
    @abstractmethod
    def keys(self) -> tuple[str, ...]:
        """What no text may tell."""

    @abstractmethod
    def jars(self) -> list[str]:
        """The jars of Hadoop's connector (`make stores`)."""

    @abstractmethod
    def settings(self) -> dict[str, str]:
        """Hadoop's settings: an address and keys of its own, so that no cloud is ever asked."""

    def late_settings(self) -> dict[str, str]:
        """Hadoop's settings in a JVM that runs, which has looked for its file systems already."""
        return self.settings() | {f"fs.{self.scheme}.impl": self.implementation}

    @abstractmethod
    def files(self) -> FileSystem:
        """The store without Hadoop; the first name of a path is the bucket."""

    @property
    def endpoint(self) -> str:
        return f"{HTTP}://127.0.0.1:{self.port}"

    def through(self: S, port: int) -> S:
        """This store, as it is reached through a proxy."""
        return replace(self, port=port)

    def url(self, name: str) -> str:
        """The address of an object of the bucket."""
        return f"{self.scheme}://{self.authority}/{name}"

    def conf(self) -> dict[str, str]:
        """Spark's settings, with the connector."""
        return {f"spark.hadoop.{key}": value for key, value in self.settings().items()} | {
            "spark.jars": ",".join(self.jars())
        }

    def put(self, name: str, content: bytes) -> None:
        """Writes an object."""
        with self.files().open_output_stream(f"{BUCKET}/{name}") as out:
            out.write(content)

    def fetched(self, name: str, folder: Path) -> Path:
        """The objects below a name, as files in a folder."""
        from pyarrow.fs import FileSelector, FileType

        files, root = self.files(), f"{BUCKET}/{name}"
        for found in files.get_file_info(FileSelector(root, recursive=True)):
            if found.type == FileType.File and not _is_folder(files, found):
                path = folder / found.path.removeprefix(f"{root}/")
                path.parent.mkdir(parents=True, exist_ok=True)
                with files.open_input_stream(found.path) as source:
                    path.write_bytes(source.read())
        return folder


@dataclass(frozen=True)
class S3Store(Store):
    """A server that speaks S3.

    Attributes:
        folder: The bucket's objects as files; each key is a path.
    """

    scheme: ClassVar[str] = "s3a"
    implementation: ClassVar[str] = "org.apache.hadoop.fs.s3a.S3AFileSystem"
    folder: Path
    access: str = field(default_factory=lambda: f"ACCESS{secrets.token_hex(8)}", repr=False)
    secret: str = field(default_factory=lambda: f"secret{secrets.token_hex(16)}", repr=False)

    @property
    def facts(self) -> Path:
        """What versitygw knows of the objects beside their bytes, as files."""
        return self.folder.parents[1] / "facts" / BUCKET

    @property
    def keys(self) -> tuple[str, ...]:
        return (self.access, self.secret)

    def jars(self) -> list[str]:
        return path_of("s3a")

    def settings(self) -> dict[str, str]:
        return {
            "fs.s3a.endpoint": self.endpoint,
            "fs.s3a.endpoint.region": REGION,
            "fs.s3a.path.style.access": "true",
            "fs.s3a.connection.ssl.enabled": "false",
            "fs.s3a.aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
            "fs.s3a.access.key": self.access,
            "fs.s3a.secret.key": self.secret,
        }

    def files(self) -> FileSystem:
        from pyarrow.fs import S3FileSystem

        return S3FileSystem(
            access_key=self.access,
            secret_key=self.secret,
            endpoint_override=f"127.0.0.1:{self.port}",
            scheme=HTTP,
            region=REGION,
            allow_bucket_creation=True,
        )


def _is_folder(files: FileSystem, found: FileInfo) -> bool:
    """Whether an empty object stands for a folder, as on Azure, where only opening it tells."""
    if found.size:
        return False
    try:
        files.open_input_stream(found.path).close()
    except OSError as e:
        return "Not a regular file" in str(e)
    return False


def path_of(name: str) -> list[str]:
    """The jars of a class path that `make stores` has written down."""
    return (BUILD / f"{name}.path").read_text(encoding="utf-8").split()


def has_go() -> bool:
    """Whether servers that are programs in Go could be built here."""
    return shutil.which("go") is not None


@contextmanager
def versitygw(folder: Path, versions: bool = False) -> Iterator[S3Store]:
    """Runs versitygw, the server that the tests trust most.

    Args:
        folder: Of its files; made.
        versions: Whether its buckets can keep the versions of their objects.
    """
    for name in ("objects", "facts", *(["versions"] if versions else [])):
        (folder / name).mkdir(parents=True)
    store = S3Store(free_port(), folder / "objects" / BUCKET)
    # Facts of objects lie beside them in files: not every disk has extended attributes.
    options = ["--sidecar", str(folder / "facts")]
    if versions:
        options += ["--versioning-dir", str(folder / "versions")]
    place = ("posix", *options, str(folder / "objects"))
    words = [str(VERSITYGW), "--port", f"127.0.0.1:{store.port}", "--region", REGION, *place]
    keys = {"ROOT_ACCESS_KEY": store.access, "ROOT_SECRET_KEY": store.secret}
    with running(words, folder / "versitygw.log", keys, store.port):
        store.files().create_dir(BUCKET)
        yield store


@contextmanager
def s3proxy(folder: Path) -> Iterator[S3Store]:
    """Runs S3Proxy, the second witness."""
    (folder / "objects").mkdir(parents=True)
    store = S3Store(free_port(), folder / "objects" / BUCKET)
    properties = folder / "s3proxy.properties"
    properties.write_text(
        f"s3proxy.endpoint={store.endpoint}\n"
        "s3proxy.authorization=aws-v2-or-v4\n"
        f"s3proxy.identity={store.access}\ns3proxy.credential={store.secret}\n"
        "jclouds.provider=filesystem-nio2\njclouds.identity=x\njclouds.credential=x\n"
        f"jclouds.filesystem.basedir={folder / 'objects'}\n",
        encoding="utf-8",
    )
    words = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
    words += ["-cp", os.pathsep.join(path_of("s3proxy"))]
    words += ["org.gaul.s3proxy.Main", "--properties", str(properties)]
    with running(words, folder / "s3proxy.log", {}, store.port):
        store.files().create_dir(BUCKET)
        yield store


@contextmanager
def running(
    words: Sequence[str], log: Path, variables: dict[str, str], port: int
) -> Iterator[None]:
    """Runs a server that listens to a port."""
    with log.open("w") as sink:
        server = subprocess.Popen(
            words, stdout=sink, stderr=subprocess.STDOUT, env=os.environ | variables
        )
    try:
        _wait(server, port, log)
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
