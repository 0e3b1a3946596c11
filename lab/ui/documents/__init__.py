"""Uploads: reading them in a process of their own, their accounts, their contents before they become a corpus."""
