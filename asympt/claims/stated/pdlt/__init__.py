"""Printed formulas of PDLT, chapter 10, as objects."""
