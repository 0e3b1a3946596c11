"""The pages of the app, one folder each: `page.py`, its guides, and what only this page needs."""
