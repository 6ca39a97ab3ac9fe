"""Claims of Roberts, Yaida and Hanin, "The Principles of Deep Learning Theory" (2022), chapter 10, by subject."""

from asympt.claims.pdlt import depth, training, two_point

CLAIMS = (*depth.CLAIMS, *training.CLAIMS, *two_point.CLAIMS)
