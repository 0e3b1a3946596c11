"""Lessons: claims about retrieval, sentence by sentence, with the expectations that make them true, as data."""

from lab.lessons.checking import KINDS, Result, check
from lab.lessons.reading import FILE, read, spoken_of
from lab.lessons.values import Lesson, Step

__all__ = ["FILE", "KINDS", "Lesson", "Result", "Step", "check", "read", "spoken_of"]
