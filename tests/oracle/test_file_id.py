import re

from oracle.file_id import bucket, bucket_of, count_of, counted, file_group

UUID = "6a1c3f0e-0000-4000-8000-000000000001"


def test_ids_are_pinned() -> None:
    assert bucket(UUID, "part=x", 3, "") == "00000003-16db-3c9f-908e-0c44feeda3db-0"
    assert bucket(UUID, "é/你", 12, "20240101000000000") == "00000012-3cdc-3a86-b35d-63d675d69776-0"
    group = file_group(UUID, "", "20240101000000000", 7)
    assert group == "503234a1-de9f-313c-8a3c-115d4caa4838-0"


def test_an_id_of_another_count_tells_it() -> None:
    text = counted(UUID, "part=x", 3, 32, "20240101000000000")
    assert text == "00000003-0000-8032-b29d-157c1bfa6e68-0"
    assert (bucket_of(text), count_of(text)) == (3, 32)
    assert counted(UUID, "", 99999, 100000, "") == "00099999-0100-8000-b523-0fafaf5f77b5-0"
    assert count_of(bucket(UUID, "part=x", 3, "")) is None


def test_bucket_id_has_the_form_of_stock() -> None:
    text = bucket(UUID, "p", 3, "")
    assert re.fullmatch(r"00000003(-[0-9a-f]{4}){3}-[0-9a-f]{12}-0", text)
    assert bucket_of(text) == 3
    assert bucket_of("2b394e88-92e9-4aa4-aaaa-2aa42bf62b9c-0") is None


def test_parts_do_not_run_together() -> None:
    assert bucket(UUID, "p1", 1, "")[8:] != bucket(UUID, "p", 11, "")[8:]
