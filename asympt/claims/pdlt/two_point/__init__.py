"""PDLT section 10.3.2: two training points."""

from asympt.claims.pdlt.two_point.claims import CLAIMS

__all__ = ["CLAIMS"]
