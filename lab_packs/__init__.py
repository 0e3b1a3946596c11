"""The packs that come with the lab: the lab finds each by its entry points in pyproject.toml, and runs without it."""
