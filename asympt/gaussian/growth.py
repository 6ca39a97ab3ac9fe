"""Whether a Gaussian expectation exists: how fast a function grows on both sides.

Problem.  E[g(sqrt(q) Z)] is infinite for g = exp(x^2) and q >= 1/2, and a sum over nodes would only look large.

Rule.  D(z) = log|g(sqrt(q) z)| - z^2/2 at three points R, 2R, 4R far out.  An integrable g has D falling at least
like -z, so that the second fall is twice the first; a constant, rising or slowly falling D is refused.

Tiny case.  exp(x^2), q = 1/4: D = z^2/4 - z^2/2, falls 3 R^2/4 and 3 R^2.   q = 1/2: D = 0.

Known limits.  Decided by numbers; exp(x^2/(2q))/(1 + x^2), which is integrable, is refused too.
"""

from collections.abc import Callable

from mpmath import mp

from asympt.errors import InputError

LOW_PRECISION = 53
FIRST, SHIFTS = 20, (0, 0.31, 0.73)  # R/(1 + sqrt q), and neighbours, because g may vanish at one point
FALL = 1.5


def check_growth(g, q) -> None:
    """Raise `InputError` when E[g(sqrt(q) Z)] does not exist; `g` is a PiecewiseSmooth, `q` an mpmath number."""
    with mp.workprec(LOW_PRECISION):
        functions = g.piece_functions
        for direction, function, piece in ((-1, functions[0], g.pieces[0]), (1, functions[-1], g.pieces[-1])):
            if not _decays(function, direction, mp.sqrt(q)):
                side = "oo" if direction > 0 else "-oo"
                raise InputError(
                    f"the Gaussian mean of {piece} at variance {mp.nstr(q, 8)} diverges for {g.symbol} -> {side}; "
                    "give a smaller variance or a function that grows less"
                )


def _decays(function: Callable, direction: int, root) -> bool:
    """Whether |function| times the normal density falls fast enough."""
    points = [FIRST * (1 + root) * 2**k for k in range(3)]
    near, middle, far = (max(_logarithm(function, direction, root, z + shift) for shift in SHIFTS) for z in points)
    return bool(far == mp.ninf or (far < middle and middle - far > FALL * (near - middle)))


def _logarithm(function: Callable, direction: int, root, z):
    size = abs(mp.convert(function(direction * root * z)))
    return (mp.log(size) if size else mp.ninf) - z * z / 2
