"""Folder of a partition column under a timestamp-based key generator, from the rules of Apache Hudi.

Only the letters of formats that the tests use, and only the years 1 to 9999.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from oracle.partition_path import escape

PREFIX = "hoodie.keygen.timebased."
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MILLIS = {
    "MICROSECONDS": Decimal("0.001"),
    "MILLISECONDS": 1,
    "SECONDS": 1000,
    "HOURS": 3_600_000,
    "DAYS": 86_400_000,
}
UNITS = {
    "UNIX_TIMESTAMP": "SECONDS",
    "EPOCHMILLISECONDS": "MILLISECONDS",
    "EPOCHMICROSECONDS": "MICROSECONDS",
}
TOKENS = re.compile(r"'([^']*)'|([A-Za-z])\2*|.")


def path(properties: Mapping[str, str], value: int | str | None) -> str:
    """Partition path of a value; a table has the partition column `ts`."""
    text = _text(properties, value)
    if properties.get("hoodie.datasource.write.partitionpath.urlencode") == "true":
        text = escape(text)
    is_named = properties.get("hoodie.datasource.write.hive_style_partitioning") == "true"
    return f"ts={text}" if is_named else text


def _text(properties: Mapping[str, str], value: int | str | None) -> str:
    def of(name: str) -> str:
        return properties.get(PREFIX + name, "")

    if PREFIX + "timezone" in properties:
        zone_in = zone_out = _zone(of("timezone"))
    else:
        zone_in, zone_out = _zone(of("input.timezone")), _zone(of("output.timezone"))
    kind = of("timestamp.type")
    if kind not in ("DATE_STRING", "MIXED"):
        unit = UNITS.get(kind) or (of("timestamp.scalar.time.unit") or "SECONDS").upper()
        millis = int((1 if value is None else int(value)) * Decimal(MILLIS[unit]))
        assert zone_out is not None
        return _print(EPOCH + timedelta(milliseconds=millis), zone_out, of("output.dateformat"))
    formats = re.split(of("input.dateformat.list.delimiter.regex") or ",", of("input.dateformat"))
    if value is None:
        first = zone_in or zone_out or timezone.utc
        value = _print(EPOCH + timedelta(milliseconds=1), first, formats[0])
    time = _parse(str(value), [one.strip() for one in formats], zone_in)
    shown = zone_out or zone_in or time.tzinfo
    assert shown is not None
    return _print(time, shown, of("output.dateformat"))


def _zone(name: str) -> tzinfo | None:
    """Java takes UTC for a name that it does not know."""
    if not name:
        return None
    if name == "GMT+8:00":
        return timezone(timedelta(hours=8))
    try:
        return ZoneInfo(name)
    except ZoneInfoNotFoundError:
        return timezone.utc


def _parse(text: str, formats: list[str], zone: tzinfo | None) -> datetime:
    for form in formats:
        found = re.fullmatch(_pattern(form), text)
        if found:
            parts = found.groupdict()
            offset = parts.pop("Z", None)
            numbers = {name: int(part) for name, part in parts.items()}
            own = zone or timezone.utc
            if offset:
                sign = -1 if offset.startswith("-") else 1
                digits = offset[1:].replace(":", "") or "0000"
                minutes = sign * (int(digits[:2]) * 60 + int(digits[2:]))
                own = timezone(timedelta(minutes=minutes))
            return datetime(
                numbers["y"],
                numbers.get("M", 1),
                numbers.get("d", 1),
                numbers.get("H", 0),
                numbers.get("m", 0),
                numbers.get("s", 0),
                tzinfo=own,
            )
    raise ValueError(f"{text} has none of the formats {formats}")


def _pattern(form: str) -> str:
    """A number takes as many digits as it finds, unless another number follows at once."""
    tokens = list(TOKENS.finditer(form))
    made = ""
    for at, token in enumerate(tokens):
        letter = token[2]
        is_last = at + 1 == len(tokens) or tokens[at + 1][2] is None
        if letter == "Z":
            made += r"(?P<Z>Z|[+-]\d\d:?\d\d)"
        elif letter:
            digits = r"\d+" if is_last else rf"\d{{{len(token[0])}}}"
            made += f"(?P<{letter}>{digits})"
        else:
            made += re.escape(token[1] if token[1] is not None else token[0])
    return made


def _print(time: datetime, zone: tzinfo, form: str) -> str:
    local = time.astimezone(zone)
    year, week, day = local.isocalendar()
    offset = local.utcoffset()
    assert offset is not None
    minutes = int(offset.total_seconds()) // 60
    numbers = {
        "y": local.year,
        "x": year,
        "w": week,
        "e": day,
        "M": local.month,
        "d": local.day,
        "D": local.timetuple().tm_yday,
        "H": local.hour,
        "m": local.minute,
        "s": local.second,
        "S": local.microsecond // 1000,
    }

    def shown(token: re.Match[str]) -> str:
        letter, width = token[2], len(token[0])
        if letter == "Z":
            sign = "-" if minutes < 0 else "+"
            return f"{sign}{abs(minutes) // 60:02d}{abs(minutes) % 60:02d}"
        if letter is None:
            return token[1] if token[1] is not None else token[0]
        number = numbers[letter] % 100 if token[0] == "yy" else numbers[letter]
        return f"{number:0{width}d}"

    return TOKENS.sub(shown, form)
