"""Date and time of instants."""

from __future__ import annotations

from datetime import datetime, timezone


def clock_time(instant: str) -> datetime | None:
    """Returns the date and time of an instant, without a zone; None for the instant of a bootstrap.

    Args:
        instant: 14 or 17 digits.

    Examples:
        >>> clock_time("20240102030405678").isoformat()
        '2024-01-02T03:04:05.678000'
    """
    try:
        shown = datetime.strptime(instant[:14], "%Y%m%d%H%M%S")
    except ValueError:
        return None
    return shown.replace(microsecond=int(instant[14:] or 0) * 1000)


def written_at(instant: str, zone: timezone | None) -> datetime | None:
    """Returns the moment of an instant; None for the instant of a bootstrap.

    Args:
        instant: 14 or 17 digits.
        zone: Time zone of the timeline's instants; None for that of this machine. An hour that the
            clock shows twice counts as the first one.

    Examples:
        >>> written_at("20240102030405678", timezone.utc).isoformat()
        '2024-01-02T03:04:05.678000+00:00'
    """
    shown = clock_time(instant)
    if shown is None:
        return None
    return shown.replace(tzinfo=zone) if zone else shown.astimezone()
