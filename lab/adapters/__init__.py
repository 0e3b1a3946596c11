"""Searches of the lab in other programs: what they expect, and nothing else."""
