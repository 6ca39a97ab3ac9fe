"""Laws as theorems: the questions put to `asympt.balls`, and its answers."""
