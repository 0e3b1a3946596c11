"""The settling of slots on one table, part by part: see `lab_packs.text2sql.assembly`."""
