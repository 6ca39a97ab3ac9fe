"""What a closed form is called and where it is known from.

Rule.  The name follows from the terms: gates without noise are breakpoints, gates with noise are erf's.  The machine
that computes is the same for all; the sources are those who published the formula of the family, or the theorem the
machine rests on.
"""

from asympt.gaussian.closed.terms import Term

MACHINE = "Owen 1956, Tables for computing bivariate normal probabilities; Gaussian integration by parts (Stein)"
SOURCES = {
    "polynomial": "Isserlis 1918, On a formula for the product-moment coefficient of any order",
    "exponential": "the moment generating function of a normal vector",
    "trigonometric": "the characteristic function of a normal vector",
    "Gaussian": "Williams 1997, Computing with infinite networks (Gaussian hidden units)",
    "erf": "Williams 1997, Computing with infinite networks (sigmoidal hidden units)",
    "erf times polynomial": "Tsuchida et al. 2021, Avoiding kernel fixed points: computing with ELU and GELU infinite "
    "networks",
    "step": "Sheppard 1899 (quadrant probability); Cho and Saul 2009, order 0",
    "ReLU-like": "Cho and Saul 2009, Kernel methods for deep learning, order 1",
    "one-sided powers": "Cho and Saul 2009, Kernel methods for deep learning, order n",
    "piecewise polynomial": MACHINE,
    "piecewise exponential": "Tsuchida et al. 2021, Avoiding kernel fixed points: computing with ELU and GELU infinite "
    "networks (ELU); " + MACHINE,
    "mixed": MACHINE,
}


def family(terms: tuple[Term, ...]) -> str:
    """A key of `SOURCES`."""
    kinked = any(t.gate is not None and t.gate.noise == 0 for t in terms)
    noisy = any(t.gate is not None and t.gate.noise != 0 for t in terms)
    curved, tilted = any(t.curvature != 0 for t in terms), any(t.rate != 0 for t in terms)
    if curved or (noisy and (kinked or tilted)):
        return "Gaussian" if curved and not (noisy or kinked) else "mixed"
    if noisy:
        plain = [t for t in terms if t.gate is None]
        constant = all(len(t.polynomial) == 1 for t in terms if t.gate is not None)
        return "erf" if constant and all(len(t.polynomial) == 1 for t in plain) else "erf times polynomial"
    return _kinked(terms, tilted) if kinked else _entire(terms, tilted)


def _entire(terms: tuple[Term, ...], tilted: bool) -> str:
    if not tilted:
        return "polynomial"
    return "trigonometric" if any(t.rate.is_real is False for t in terms) else "exponential"


def _kinked(terms: tuple[Term, ...], tilted: bool) -> str:
    if tilted:
        return "mixed" if any(t.rate.is_real is False for t in terms) else "piecewise exponential"
    if any(t.gate is not None and t.gate.threshold != 0 for t in terms):
        return "piecewise polynomial"
    powers = {n for t in terms for n, k in enumerate(t.polynomial) if k != 0}
    if powers <= {0}:
        return "step"
    return "ReLU-like" if powers == {1} else "one-sided powers" if len(powers) == 1 else "piecewise polynomial"
