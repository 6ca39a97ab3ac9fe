"""PDLT sections 10.1 to 10.3 on training: identities of the prediction."""

from asympt.claims.pdlt.training.claims import CLAIMS

__all__ = ["CLAIMS"]
