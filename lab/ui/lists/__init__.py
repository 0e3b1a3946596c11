"""Ranked lists on the screen, and what explains them: reasons, sums, facets, where a passage is."""
