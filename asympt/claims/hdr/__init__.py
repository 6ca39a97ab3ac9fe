"""Claims of Hayou, Doucet and Rousseau, "Mean-field Behaviour of Neural Tangent Kernel" (2020), by subject."""

from asympt.claims.hdr import convolution, off_edge, relu, residual, scaled, smooth, training

SUBJECTS = (relu, smooth, off_edge, residual, scaled, convolution, training)
CLAIMS = tuple(claim for subject in SUBJECTS for claim in subject.CLAIMS)
