"""Theorems in ball arithmetic: what a formal law leaves open, with constants that are proved.

A ball (Arb, by python-flint) is a midpoint and a radius; every operation returns a ball that holds all values that the
operands can have.  The folder knows recursions as formulas and exact coefficients, and no networks.  `abel` and
`koenigs` hold the two theorems, `linear` what runs along, `inversion` and `theorem` lead from the coordinate to the
bound of what is printed, `flows` is the same for steps that fall.
"""
