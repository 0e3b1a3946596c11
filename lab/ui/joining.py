"""How a visitor gets into a class, on any page that has something for classes to do: by link, QR code or join code."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from lab.ui import address, cache, class_link, components, frame, navigation
from lab.ui.classes import Class
from lab.ui.i18n import N_, _, language
from lab.ui.visitor import is_local

CLASS = "course.class"
"""The session key, and the parameter of links, of the class's code: the same class on all pages."""
JOIN, _TRIED, _REFUSED = "join", "_course_tried", "_course_refused"
"""The parameter of a short link, ``course?join=123456``; the join code that it had; why a join code was refused."""


def current() -> Class | None:
    """Returns the visitor's class, which they join; a link of this visit may name it."""
    _join_by_link()
    address.keep(CLASS, "", address.text(40))
    joined = known()
    if joined is not None:
        joined.join(frame.visitor().token)
    return joined


def known() -> Class | None:
    """Returns the visitor's class, or None."""
    return cache.CLASSES.find(str(st.session_state.get(CLASS, "")))


def refusal() -> None:
    """Shows why a join code was refused, once."""
    if refused := st.session_state.pop(_REFUSED, ""):
        st.warning(refused, icon=":material/group_off:")


def enter(name: str, purpose: str) -> None:
    """Draws the ways into a class for a visitor without one; ``purpose`` says what the class does on this page."""
    if st.session_state[CLASS]:
        st.warning(_("This class is over, or the server was restarted."), icon=":material/history_toggle_off:")
    st.markdown(purpose)
    with st.form(f"{name}.join", border=False):
        told = _("Six digits, shown by the teacher.")
        typed = st.text_input(_("Join code"), max_chars=20, placeholder="123 456", help=told)
        if st.form_submit_button(_("Join the class"), icon=":material/login:"):
            _join(typed)
            st.rerun()
    st.button(_("Start a class"), key=f"{name}.begin", type="primary", on_click=_begin)


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
    digits = f"{joined.join_code[:3]} {joined.join_code[3:]}"
    if link:
        says = _("QR code: the link of this class")
        st.html(class_link.picture(link, says))
        template = N_("Or open {address}.") if direct else N_("Or open {address}, then “Class”, and enter:")
        st.markdown(_(template, address=f"`{short}`"))
    else:
        st.markdown(_("Open the page “{page}”, then “Class”, and enter:", page=navigation.title(name)))
    if not (direct and link):
        st.html(f'<div class="join-code" style="font-size: 2.2em; font-weight: 700; line-height: 1.2">{digits}</div>')
    components.copy_link(_("Copy the class's link"), _("Copied"), key=f"{name}.copy.class", link=link)
    if link or not is_local():
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


def _join(typed: str) -> None:
    """Joins the class of this join code, or notes why not."""
    token = frame.visitor().token
    if code := cache.CLASSES.enter(typed, token):
        address.put(CLASS, code)
    elif cache.CLASSES.is_locked(token):
        st.session_state[_REFUSED] = _("Too many wrong join codes. Wait ten minutes, or open the link of the class.")
    else:
        st.session_state[_REFUSED] = _("No class has this join code. Check its six digits; a class ends after a day.")


def _join_by_link() -> None:
    """Joins by the join code in the address, once."""
    typed = address.linked(JOIN)[:20]
    if typed and st.session_state.get(_TRIED) != typed:
        st.session_state[_TRIED] = typed
        _join(typed)


def _begin() -> None:
    address.put(CLASS, cache.CLASSES.begin(frame.visitor().token))
