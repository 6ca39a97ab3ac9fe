"""Width against depth: fluctuations and mean shifts of order 1/n of kernels and NTKs, and their laws in the depth."""

from asympt.spelling import publish
from asympt.width.inputs import AtWidth, Band
from asympt.width.laws import WidthLaw
from asympt.width.sampling import Sampled, sampled

__all__ = ["AtWidth", "Band", "Sampled", "WidthLaw", "sampled"]

publish(globals())
