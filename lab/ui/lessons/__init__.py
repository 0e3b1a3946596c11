"""Lessons at work: their menu, their sentences with pins, handouts and slides."""
