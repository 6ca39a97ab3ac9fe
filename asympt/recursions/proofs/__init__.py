"""Laws as theorems: what `asympt.balls` is asked of a law, and what comes back."""
