"""Searches that are built, measured, compared and tried again."""
