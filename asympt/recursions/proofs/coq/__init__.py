"""Theorems as Coq files that `coqc` checks: from a proof object to a folder that compiles on its own."""

from asympt.recursions.proofs.coq.folder import write_coq

__all__ = ["write_coq"]
