"""The settling of slots on one table, part by part: see `lab.text2sql.assembly`."""
