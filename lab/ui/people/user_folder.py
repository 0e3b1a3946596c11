"""The user's data folder, for a lab that one person has started on their own machine.

`retrieval-lab` and ``python -m lab`` ask for it (``LAB_KEEP``).  A lab that others can reach is a server, and nothing
of its visitors is written there: one that is shared or public, one that listens at an address other than loopback, and
a browser that came by another address or through a proxy.
"""

from __future__ import annotations

import ipaddress
import os
from pathlib import Path

import platformdirs
import streamlit as st

from lab.models.endpoint import public
from lab.ui.people.visitor import header, is_local

SETTING = "LAB_KEEP"
FORWARDED = ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip")
"""Headers by which a proxy says that it passes a request of another machine on."""


def folder() -> Path | None:
    """Returns the lab's folder among the user's data; None if this lab, or this browser's way to it, is a server's."""
    enabled = os.environ.get(SETTING, "").strip() not in ("", "0")
    if not enabled or public() or not _is_loopback(st.get_option("server.address")) or not _is_direct():
        return None
    return platformdirs.user_data_path("retrieval-lab", appauthor=False)


def _is_loopback(address: object) -> bool:
    """Returns whether only this machine reaches a server that listens at this address."""
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(str(address)).is_loopback
    except ValueError:  # none, which listens everywhere, or a name
        return False


def _is_direct() -> bool:
    """Returns whether the browser came by an address of this machine without a proxy; true outside of a session."""
    return (not header("Host") or is_local()) and not any(map(header, FORWARDED))
