"""PDLT section 10.3 on depth: the kernel and the NTK of deep networks at criticality."""

from asympt.claims.pdlt.depth.claims import CLAIMS

__all__ = ["CLAIMS"]
