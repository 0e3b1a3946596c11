"""What asking a language model would cost, said before a click."""

from __future__ import annotations

from lab.models.costs import Estimate, Usage
from lab.ui.i18n import _, _n, listed


def forecast(estimate: Estimate) -> str:
    """Returns the size of the requests in a sentence, and their price if prices were typed."""
    message = _n(
        "{n} request with about {tokens:,} tokens; the answer is added.",
        "{n} requests with about {tokens:,} tokens; the answers are added.",
        estimate.requests,
        tokens=estimate.tokens,
    )
    return listed(filter(None, (message, price(estimate))), " ")


def price(estimate: Estimate) -> str:
    """Returns the cost of the tokens sent in a sentence; empty without prices."""
    if estimate.cost is None:
        return ""
    return _("At your prices, the tokens sent cost {cost}.", cost=money(estimate.cost))


def money(cost: float) -> str:
    """Returns an amount in the currency of the prices, with two significant digits where it is small."""
    return f"{cost:,.2f}" if cost >= 1 or not cost else f"{cost:.2g}" if cost >= 1e-4 else f"{cost:.5f}"


def used(usage: Usage) -> str:
    """Returns what a search has cost in a few words; empty if no language model was asked.

    Tokens are those that the server reports.
    """
    if not usage.requests:
        return ""
    parts = [_n("{n} request", "{n} requests", usage.requests)]
    if usage.uncounted < usage.requests:
        parts.append(_("tokens: {n:,}", n=usage.tokens))
    if usage.uncounted:
        parts.append(_("not counted by the server: {n}", n=usage.uncounted))
    if usage.cost is not None:
        parts.append(_("cost: {cost}", cost=money(usage.cost)))
    return " · ".join(parts)
