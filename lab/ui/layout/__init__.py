"""The anatomy of a page: its frame, header, question, parameters, guide, tables and exports."""
