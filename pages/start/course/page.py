"""Course: ninety minutes in twelve steps; at each one guesses first and looks then."""

from __future__ import annotations

from lab.ui.i18n import _
from lab.ui.page import Page
from pages.start.course import parts

p = Page("course", _("Course"), _("Twelve steps in ninety minutes: guess what will happen, then look why it does."))
shown = parts.draw(p)
with p.exports(rankings=shown):
    pass
p.stop()
