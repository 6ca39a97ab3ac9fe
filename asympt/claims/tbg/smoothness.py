"""Decision on TBG's measure of smoothness mu(f) = |f_Gauss|/|f|, for f in the Hilbert space of the Gaussian kernel.

What it says of network fits: `fits`.  Closed forms and the norm by Fourier transforms: `claims.stated`.
"""

from sympy import Expr, Symbol, symbols

from asympt.claims.forms import vanishes
from asympt.evidence.check import Verification


def measure() -> Verification:
    """TBG.mu for f in H: any number of training points and of further centres, in letters that do not commute.

    The kernel matrix is [[A, B'], [B, D]], the coefficients are c on the training points and e on the other centres;
    a letter with a prime is a transpose.  A is invertible and the whole matrix positive definite.
    """
    a, inverse, b, bt, d, c, ct, e, et = symbols("A Ai B B' D c c' e e'", commutative=False)
    scale = Symbol("s", positive=True)

    def squares(c, ct, e, et):
        """|f|^2 and |f_Gauss|^2 = t' A^-1 t with t = A c + B' e."""
        norm = ct * a * c + ct * bt * e + et * b * c + et * d * e
        least = (ct * a + et * b) * inverse * (a * c + bt * e)
        return norm.expand(), _reduced(least, a, inverse)

    norm, least = squares(c, ct, e, et)
    schur = d - b * inverse * bt
    up, upt = -inverse * bt * e, -et * b * inverse  # the coefficients that make the whole form the Schur complement's
    whole = _reduced(upt * a * up + upt * bt * e + et * b * up + et * d * e, a, inverse)
    both = squares(scale * c, scale * ct, scale * e, scale * et)
    checks = (
        vanishes("$|f|^2 - |f_Gauss|^2$ minus $e' (D - B A^-1 B') e$", (norm - least - et * schur * e).expand(),
                 "0 when f has no centre outside the training set"),
        vanishes("$e' (D - B A^-1 B') e$ minus the whole form at $(-A^-1 B' e, e)$", (whole - et * schur * e).expand(),
                 "positive for e != 0, so mu <= 1 with equality for f = f_Gauss alone"),
        vanishes("$|s f|^2 - s^2 |f|^2$ and the same of $f_Gauss$",
                 [(new - scale**2 * old).expand() for new, old in zip(both, (norm, least), strict=True)],
                 "f_Gauss depends on the data alone, so mu decreases with |f|; and mu(s f) = mu(f)"),
    )  # fmt: skip
    return Verification("0 < mu <= 1 for f in H, mu decreases with |f|, mu(s f) = mu(f)", checks)


def _reduced(form: Expr, matrix: Expr, inverse: Expr) -> Expr:
    """With A A^-1 = A^-1 A = 1."""
    return form.expand().subs(inverse * matrix, 1).subs(matrix * inverse, 1).expand()
