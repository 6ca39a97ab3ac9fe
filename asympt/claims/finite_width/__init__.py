"""Claims of all sources that random networks of finite width decide."""

from asympt.claims.finite_width.claims import CLAIMS

__all__ = ["CLAIMS"]
