"""Evidence and verdicts: checks of a law, computed from the original recursion."""

from asympt.evidence.check import Check, Verification

__all__ = ["Check", "Verification"]
__dir__ = __all__.copy
