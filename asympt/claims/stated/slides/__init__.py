"""Printed formulas of the slides (TBG, XPS, JGH) as objects."""
