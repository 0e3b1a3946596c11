"""Charts as dictionaries for plotly, and their alt texts."""
