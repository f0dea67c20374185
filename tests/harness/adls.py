"""A server that speaks Azure Blob Storage, to which the connector of ADLS speaks: Azurite, in memory."""

from __future__ import annotations

import base64
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from harness.clients import free_port
from harness.stores import BUCKET, BUILD, HTTP, Store, path_of, running

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

AZURITE = BUILD / "azurite" / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"
ACCOUNT = "devstoreaccount1"


@dataclass(frozen=True)
class AdlsStore(Store):
    """A server with one account, without a hierarchical namespace."""

    scheme: ClassVar[str] = "abfs"
    implementation: ClassVar[str] = "org.apache.hadoop.fs.azurebfs.AzureBlobFileSystem"
    key: str = field(
        default_factory=lambda: base64.b64encode(secrets.token_bytes(64)).decode(), repr=False
    )

    @property
    def authority(self) -> str:
        return f"{BUCKET}@{ACCOUNT}.dfs.core.windows.net"

    @property
    def keys(self) -> tuple[str, ...]:
        return (self.key,)

    def jars(self) -> list[str]:
        return path_of("abfs")

    def settings(self) -> dict[str, str]:
        return {
            "fs.azure.abfs.endpoint": f"127.0.0.1:{self.port}",
            "fs.azure.always.use.https": "false",
            "fs.azure.account.hns.enabled": "false",
            "fs.azure.fns.account.service.type": "BLOB",
            # The connector looks for the key by each of the names.
            f"fs.azure.account.key.{ACCOUNT}.dfs.core.windows.net": self.key,
            f"fs.azure.account.key.{ACCOUNT}.blob.core.windows.net": self.key,
            "fs.azure.createRemoteFileSystemDuringInitialization": "true",
        }

    def files(self) -> FileSystem:
        from pyarrow.fs import AzureFileSystem

        place = f"127.0.0.1:{self.port}"
        return AzureFileSystem(
            ACCOUNT,
            account_key=self.key,
            blob_storage_authority=place,
            dfs_storage_authority=place,
            blob_storage_scheme=HTTP,
            dfs_storage_scheme=HTTP,
        )


def has_node() -> bool:
    """Whether Azurite, a program of Node, could be installed here."""
    return shutil.which("npm") is not None


@contextmanager
def azurite(folder: Path) -> Iterator[AdlsStore]:
    """Runs Azurite."""
    store = AdlsStore(free_port())
    words = ["node", str(AZURITE), "--blobHost", "127.0.0.1", "--blobPort", str(store.port)]
    words += ["--inMemoryPersistence", "--disableTelemetry", "--silent"]
    account = {"AZURITE_ACCOUNTS": f"{ACCOUNT}:{store.key}"}
    with running(words, folder / "azurite.log", account, store.port):
        store.files().create_dir(BUCKET)
        yield store
