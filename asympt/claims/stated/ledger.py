"""Printed formulas of the ledger as objects: what is shown beside the quote and what is checked are made of them.

Rule.  A function for each claim, called when it is asked for, as some need a law or a point of the Edge of Chaos.  A
printed remainder that leaves out a term is the coefficient 0 of that term.

Known limits.  Not every claim of the ledger: those whose statement is one of the forms and is decided fast.  Letters
of a printed formula that are free (L, sigma_w, alpha and beta) have numbers here, which the formula itself shows.
"""

from collections.abc import Callable

from asympt.claims.stated.algebra import ALGEBRA
from asympt.claims.stated.compositions import COMPOSITIONS
from asympt.claims.stated.hdr import HDR
from asympt.claims.stated.pdlt import PDLT
from asympt.claims.stated.slides import SLIDES
from asympt.claims.stated.slips import SLIPS
from asympt.claims.stated.statement import StatedFormula

FORMULAS: dict[str, Callable[[], tuple[StatedFormula, ...]]] = {
    **HDR,
    **ALGEBRA,
    **PDLT,
    **SLIDES,
    **SLIPS,
    **COMPOSITIONS,
}
