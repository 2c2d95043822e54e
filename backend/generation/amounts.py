"""Sums of money and lengths of time in words."""

from datetime import datetime, timedelta
from decimal import Decimal

CENT = Decimal("0.01")
NOT_KNOWN = "not known"


def dollars(amount: Decimal | None) -> str:
    """Return a sum in US dollars: to the cent, or below a cent to two places that say something."""
    if amount is None:
        return NOT_KNOWN
    if amount == 0 or amount >= CENT:
        return f"${amount.quantize(CENT):,}"
    return f"${amount:.2g}" if amount >= Decimal("0.0001") else "under $0.0001"


def plain(amount: Decimal | None) -> str:
    """Return a sum as one types it: with cents, and with more places only where they say more."""
    if amount is None:
        return ""
    exact = amount == amount.quantize(CENT)
    return f"{amount.quantize(CENT):f}" if exact else f"{amount.normalize():f}"


def lasting(length: timedelta | None) -> str:
    """Return a length of time in its two largest units."""
    if length is None:
        return NOT_KNOWN
    minutes, seconds = divmod(max(0, round(length.total_seconds())), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days} d {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def clock(at: datetime) -> str:
    """Return the time of the day."""
    return f"{at:%H:%M:%S} UTC"
