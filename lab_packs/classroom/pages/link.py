"""How others come into a class: a link that opens on their machines, and the same link as a picture for a camera."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st

from lab.ui import launch
from lab.ui.escape import as_source
from lab.ui.people.visitor import is_local, is_loopback

EVERYWHERE = ("", launch.EVERYWHERE, "::", "*")
"""Values of Streamlit's ``server.address`` by which other machines reach the server."""
PAPER = "background: #fff; border-radius: 10px; width: {size}; max-width: 100%; aspect-ratio: 1"


def in_container() -> bool:
    """Whether the lab runs in a container, whose own address nobody else can open."""
    return Path("/.dockerenv").exists() or Path("/run/.containerenv").exists() or "container" in os.environ


def address(path: str, parameters: Mapping[str, str]) -> str:
    """Returns the link to a page with these parameters, as another machine in the network opens it.

    It is the visitor's own address; if that is this machine's name for itself, it has the address that Streamlit
    prints as the network's.  Empty if other machines do not reach the server, or by an address that it cannot know.
    """
    own: object = st.context.url  # without a browser it may be anything
    if not isinstance(own, str) or not (parts := urlsplit(own)).netloc:
        return ""
    host = parts.netloc
    if is_local():
        if not (network := _network_host()):
            return ""
        host = f"{network}:{parts.port}" if parts.port else network
    folder = parts.path.rpartition("/")[0]
    query = f"?{urlencode(parameters)}" if parameters else ""
    return f"{parts.scheme}://{host}{folder}/{path}{query}"


def _network_host() -> str:
    """The host by which other machines reach this server; empty if there is none, or none that is known."""
    listens = str(st.get_option("server.address") or "")
    if in_container() or (listens not in EVERYWHERE and is_loopback(listens)):
        return ""
    if listens not in EVERYWHERE:
        return listens
    named = str(st.get_option("browser.serverAddress") or "")
    return launch.network_address() if is_loopback(named) else named


def picture(link: str, says: str, size: str = "min(15rem, 60vw)") -> str:
    """Returns a link as a QR code, HTML with an SVG picture: dark on light in both themes, as cameras expect.

    ``says`` is the text for screen readers.
    """
    drawn = BytesIO()
    code = segno.make(link, error="m", micro=False)
    code.save(drawn, kind="svg", border=4, xmldecl=False, nl=False, dark="#000", light="#fff")
    svg = drawn.getvalue().decode()
    look = PAPER.format(size=size)
    return f'<img class="qr" alt="{html.escape(says)}" src="{as_source(svg)}" style="{look}">'
