"""Claims of the slides on Tirer, Bruna and Giryes: residual networks, how smooth they are, and their training."""

from asympt.claims.tbg.claims import CLAIMS

__all__ = ["CLAIMS"]
