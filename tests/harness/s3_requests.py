"""Requests to a server of S3 for which neither Hadoop nor Arrow has a method, signed with the store's keys."""

from __future__ import annotations

import hashlib
import hmac
import http.client
from datetime import datetime, timezone
from urllib.parse import quote
from xml.etree import ElementTree

from harness.stores import BUCKET, REGION, S3Store

SIGNED = "host;x-amz-content-sha256;x-amz-date"


def keep_versions(store: S3Store) -> None:
    """Turns the versions of the bucket's objects on."""
    body = b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
    send(store, "PUT", {"versioning": ""}, body)


def versions(store: S3Store, prefix: str) -> tuple[int, int]:
    """How many versions of objects, and how many delete markers, the bucket holds below a prefix."""
    listed = ElementTree.fromstring(send(store, "GET", {"prefix": prefix, "versions": ""}))
    names = [element.tag.rpartition("}")[2] for element in listed]
    return names.count("Version"), names.count("DeleteMarker")


def send(store: S3Store, method: str, query: dict[str, str], body: bytes = b"") -> bytes:
    """The answer to a request about the bucket, signed by version 4 of Amazon's scheme.

    Raises:
        OSError: for a status of 300 and more.
    """
    at = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    day, host, digest = at[:8], f"127.0.0.1:{store.port}", hashlib.sha256(body).hexdigest()
    words = "&".join(f"{name}={quote(value, safe='')}" for name, value in sorted(query.items()))
    headers = {"host": host, "x-amz-content-sha256": digest, "x-amz-date": at}
    lines = [f"{name}:{value}" for name, value in headers.items()]
    request = "\n".join([method, f"/{BUCKET}", words, *lines, "", SIGNED, digest])
    scope = f"{day}/{REGION}/s3/aws4_request"
    hashed = hashlib.sha256(request.encode()).hexdigest()
    key = f"AWS4{store.secret}".encode()
    for part in (*scope.split("/"), f"AWS4-HMAC-SHA256\n{at}\n{scope}\n{hashed}"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    headers["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={store.access}/{scope}, "
        f"SignedHeaders={SIGNED}, Signature={key.hex()}"
    )
    connection = http.client.HTTPConnection(host)
    connection.request(method, f"/{BUCKET}?{words}", body, headers)
    answer = connection.getresponse()
    content = answer.read()
    if answer.status >= 300:
        raise OSError(f"{method} {words}: {answer.status} {content.decode(errors='replace')}")
    return content
