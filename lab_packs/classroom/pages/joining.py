"""How a visitor gets into a class, on any page that has something for classes to do: by link, QR code or join code."""

from __future__ import annotations

import math
from collections.abc import Mapping

import streamlit as st

from lab.ui import address, components, navigation
from lab.ui.i18n import N_, _, _n, language
from lab.ui.layout import frame
from lab.ui.people.company import CLAIM, PROJECTOR, STEP
from lab.ui.people.visitor import is_local
from lab_packs.classroom.classes import Class, Classes
from lab_packs.classroom.pages import link as class_link

CLASS = "course.class"
"""The session key, and the parameter of links, of the class's code: the same class on all pages."""
JOIN, _TRIED, _REFUSED = "join", "_course_tried", "_course_refused"
"""The parameter of a short link, ``course?join=123456``; the join code that it had; why a join code was refused."""
ALL = Classes()
"""All classes of this server."""
MOST = 1_000
"""Maximum number of browsers that a presenter can expect."""


def box_key(joined: Class | None) -> str:
    """Returns the key of the popover with the code of a class: its own, since a browser sends the state of the last."""
    return f"course.class.box.{joined.join_code}" if joined is not None else "course.class.box"


def current() -> Class | None:
    """Returns the visitor's class, which they join; a link of this visit may name it."""
    _join_by_link()
    address.keep(CLASS, "", address.text(40))
    joined, token = known(), frame.visitor().token
    if joined is not None:
        joined.join(token)
        if token not in joined and not joined.is_presenter(token):
            st.info(_only_watching(joined), icon=":material/groups:")
    return joined


def presents(joined: Class | None) -> bool:
    return joined is not None and joined.is_presenter(frame.visitor().token)


def _only_watching(joined: Class) -> str:
    if joined.closed:
        return _("Nobody else can join this class: you can only watch.")
    return _("This class is full: you can only watch.")


def known() -> Class | None:
    return ALL.find(str(st.session_state.get(CLASS, "")))


def refusal() -> None:
    """Shows why a join code was refused, once."""
    if refused := st.session_state.pop(_REFUSED, ""):
        st.warning(refused, icon=":material/group_off:")


def enter(name: str, purpose: str) -> None:
    """Draws the ways into a class for a visitor without one; ``purpose`` says what the class does on this page."""
    if st.session_state[CLASS]:
        st.warning(_("This class is over, or the server was restarted."), icon=":material/history_toggle_off:")
    st.markdown(purpose)
    field = f"{name}.join.code"
    with st.form(f"{name}.join", border=False):
        help_text = _("The digits that the teacher shows.")
        st.text_input(_("Join code"), max_chars=20, placeholder="123 456", help=help_text, key=field)
        st.form_submit_button(
            _("Join the class"), icon=":material/login:", on_click=lambda: _join(str(st.session_state[field]))
        )
    st.button(_("Start a class"), key=f"{name}.begin", type="primary", on_click=begin)


def controls(name: str, joined: Class) -> None:
    """Draws who is in the class, and for its presenter what they decide."""
    if not presents(joined):
        st.markdown(_n("**{n}** browser in this class.", "**{n}** browsers in this class.", len(joined)))
        return
    here(joined)
    expected, closed = (f"{name}.class.{what}.{joined.join_code}" for what in ("expected", "closed"))

    def change() -> None:
        joined.expected, joined.closed = st.session_state[expected], st.session_state[closed]

    help_text = _("Number of browsers, to compare with those that join. Empty: unknown.")
    st.session_state.setdefault(expected, joined.expected)
    st.number_input(_("Browsers expected"), 1, MOST, key=expected, step=1, help=help_text, on_change=change)
    st.session_state.setdefault(closed, joined.closed)
    st.toggle(_("Nobody else can join"), key=closed, on_change=change)


@st.fragment(run_every=1.0)
def here(joined: Class) -> None:
    """Draws how many browsers are in the class, as they come in."""
    st.markdown(f"**{count(joined)}**")


def count(joined: Class) -> str:
    """Returns how many browsers are in the class, beside the number that the presenter expects."""
    n = len(joined)
    if joined.expected is None:
        return _n("{n} browser in this class", "{n} browsers in this class", n)
    return _n(
        "{n} browser in this class, {m} expected", "{n} browsers in this class, {m} expected", n, m=joined.expected
    )


def leave(name: str) -> None:
    """Draws how long a class is kept, and the button that leaves it."""
    st.caption(_("The server keeps a class in memory for one day."))
    st.button(_("Leave the class"), key=f"{name}.leave", on_click=address.put, args=(CLASS, ""))


def invite(name: str, joined: Class, parameters: Mapping[str, str], *, direct: bool = False) -> None:
    """Draws how others come into the class: a QR code, a short address with six digits, a link to send.

    The link opens the page of this name with these parameters; if the page takes a join code in its address, the short
    address is ``direct`` and contains the digits.
    """
    link = class_link.address(name, {"lang": language(), CLASS: str(st.session_state[CLASS]), **parameters})
    short = class_link.address(name, {JOIN: joined.join_code} if direct else {}).partition("://")[2]
    if link:
        says = _("QR code: the link of this class")
        st.html(class_link.picture(link, says))
        template = N_("Or open {address}.") if direct else N_("Or open {address}, then “Class”, and enter:")
        st.markdown(_(template, address=f"`{short}`"))
    else:
        st.markdown(_("Open the page “{page}”, then “Class”, and enter:", page=navigation.title(name)))
    if not (direct and link):
        st.html(
            f'<div class="join-code" style="font-size: 2.2em; font-weight: 700; line-height: 1.2">{joined.digits}</div>'
        )
    components.copy_link(_("Copy the class's link"), _("Copied"), key=f"{name}.copy.class", link=link)
    if link or not is_local() or not presents(joined):
        return
    if class_link.in_container():
        told = _(
            "This link opens on this machine only. Start the container with {setting}, and open this machine's "
            "address in the network.",
            setting="`LAB_ADDRESS=0.0.0.0`",
        )
    else:
        told = _(
            "This link opens on this machine only. Start the lab with {command} and open the address it prints.",
            command="`retrieval-lab --share`",
        )
    st.warning(told, icon=":material/lan:")


def door(joined: Class, size: str) -> tuple[str, str]:
    """Returns the QR code of the class's short address as HTML, and that address; empty if others cannot open it."""
    link = class_link.address("course", {"lang": language(), JOIN: joined.join_code})
    picture = class_link.picture(link, _("QR code: the link of this class"), size) if link else ""
    return picture, link.partition("://")[2].partition("?")[0]


def _join(typed: str) -> None:
    """Joins the class of this join code, at the step where it is, or notes why not."""
    sender = frame.visitor().token, st.context.ip_address or "unknown"
    if code := ALL.enter(typed, *sender):
        _open(code, box=False)
    elif seconds := math.ceil(ALL.wait(*sender)):
        st.session_state[_REFUSED] = _n(
            "Too many wrong join codes. Wait {n} second, or open the link of the class.",
            "Too many wrong join codes. Wait {n} seconds, or open the link of the class.",
            seconds,
        )
    else:
        st.session_state[_REFUSED] = _("No class has this join code. Check its digits; a class ends after a day.")


def _open(code: str, *, box: bool) -> None:
    """Enters a class at its step; the box with its code is opened or closed."""
    address.put(CLASS, code)
    joined = ALL.find(code)
    if joined is not None:
        address.put(STEP, joined.step)
    address.put(CLAIM, 0)
    address.put(PROJECTOR, False)
    st.session_state[box_key(joined)] = box


def _join_by_link() -> None:
    """Joins by the join code in the address, once."""
    typed = address.linked(JOIN)[:20]
    if typed and st.session_state.get(_TRIED) != typed:
        st.session_state[_TRIED] = typed
        _join(typed)


def begin(step: int = 0) -> None:
    """Begins a class at this step, or where the visitor is, with its code in sight."""
    code = ALL.begin(frame.visitor().token)
    if (joined := ALL.find(code)) is not None:
        joined.step = step or int(st.session_state.get(STEP, 1))
    _open(code, box=True)
