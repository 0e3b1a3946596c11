"""Course: ninety minutes in twelve steps; at each one guesses first and looks then."""

from __future__ import annotations

from lab.ui.i18n import _
from lab.ui.layout.page import Page
from pages.start.course import parts

p = Page("course", _("Course"), _("Twelve steps in ninety minutes: predict what happens, then see why."))
parts.draw(p)
with p.exports():
    pass
p.stop()
