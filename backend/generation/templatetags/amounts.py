"""Sums of money and lengths of time, for pages."""

from decimal import Decimal

from django import template

from backend.generation.amounts import dollars as in_words

register = template.Library()


@register.filter
def dollars(amount: Decimal | None) -> str:
    """Return a sum in US dollars, or that it is not known."""
    return in_words(amount)


@register.filter
def thousands(number: int | None) -> str:
    """Return a whole number with its thousands apart, or that it is not known."""
    return "not known" if number is None else f"{number:,}"


@register.filter
def seconds(milliseconds: int | None) -> str:
    """Return so many milliseconds as seconds, or that it is not known."""
    return "not known" if milliseconds is None else f"{milliseconds / 1000:,.2f} s"
