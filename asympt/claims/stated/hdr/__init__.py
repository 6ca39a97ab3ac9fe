"""Printed formulas of Hayou, Doucet and Rousseau (2020) as objects, by subject."""
