"""A server that speaks Google Cloud Storage: fake-gcs-server, in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar
from urllib.request import Request, urlopen

from harness.clients import free_port
from harness.stores import BUCKET, BUILD, HTTP, Store, path_of, running

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

FAKE_GCS = BUILD / "bin" / "fake-gcs-server"
PROJECT = "test"


@dataclass(frozen=True)
class GcsStore(Store):
    """A server that knows no keys."""

    scheme: ClassVar[str] = "gs"
    implementation: ClassVar[str] = "com.google.cloud.hadoop.fs.gcs.GoogleHadoopFileSystem"

    @property
    def keys(self) -> tuple[str, ...]:
        return ()

    def jars(self) -> list[str]:
        return path_of("gcs")

    def settings(self) -> dict[str, str]:
        # Without them the connector asks an address of the cloud for a token.
        asks = {
            f"{prefix}.{key}": value
            for prefix in ("fs.gs.auth", "google.cloud.auth")
            for key, value in {"service.account.enable": "false", "null.enable": "true"}.items()
        }
        return {"fs.gs.storage.root.url": f"{self.endpoint}/", "fs.gs.project.id": PROJECT} | asks

    def files(self) -> FileSystem:
        from pyarrow.fs import GcsFileSystem

        return GcsFileSystem(
            anonymous=True,
            scheme=HTTP,
            endpoint_override=f"127.0.0.1:{self.port}",
            project_id=PROJECT,
        )


@contextmanager
def fake_gcs(folder: Path) -> Iterator[GcsStore]:
    """Runs fake-gcs-server."""
    store = GcsStore(free_port())
    words = [str(FAKE_GCS), "-backend", "memory", "-scheme", HTTP, "-log-level", "warn"]
    words += ["-host", "127.0.0.1", "-port", str(store.port)]
    words += ["-public-host", f"127.0.0.1:{store.port}", "-external-url", store.endpoint]
    with running(words, folder / "fake-gcs-server.log", {}, store.port):
        bucket = json.dumps({"name": BUCKET}).encode()
        made = Request(f"{store.endpoint}/storage/v1/b?project={PROJECT}", bucket)
        made.add_header("Content-Type", "application/json")
        urlopen(made, timeout=30).close()
        yield store
