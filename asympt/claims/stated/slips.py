"""Small prints that are wrong or without a meaning: letters, indices, signs and shapes, with what they stand for.

A print that holds only because it says less than it should is decided as it is read, and counts as a slip.
"""

from sympy import Identity as One
from sympy import Integer, Matrix, MatrixSymbol, Rational, Symbol, cos, exp, log, sin, symbols

from asympt.claims.stated.equalities import Equality
from asympt.claims.stated.hdr.laws import ALPHA, RELU, TANH, inverse_of_gap
from asympt.claims.stated.hdr.maps import KAPPA, RELU_MAP, ZERO, S, T, X
from asympt.claims.stated.hdr.training import DECAY, PLACE, SOURCE, contraction, lemma6
from asympt.claims.stated.inequalities import Comparison
from asympt.claims.stated.laws import LawCoefficient
from asympt.claims.stated.limits import Size
from asympt.claims.stated.matrices import MatrixEquality
from asympt.claims.stated.statement import Ledger, Mistaken, Stated

K, BETA, EPOCHS = symbols("k beta n_e", positive=True)
N, D = (Symbol(name, integer=True, positive=True) for name in "nd")


def _shape_of_the_error() -> Stated:
    """Q v is a vector, which Q^T does not multiply from the right; |Q v| = |v| for the vector itself."""
    angle, one, two = symbols("t v_1 v_2", real=True)
    turn = Matrix([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])
    moved = turn * Matrix([one, two])
    columns = Equality(Integer(moved.shape[1]), Integer(turn.T.shape[0]), name=r"\text{columns of }Q(f_t-\mathcal Y)")
    return (Mistaken(columns, Equality(moved.dot(moved), one**2 + two**2, name=r"\|Z_t\|^2")),)


def _rank_one() -> Stated:
    """A + u v^T times the printed inverse, and the right one."""
    a, u, v = MatrixSymbol("A", N, N), MatrixSymbol("u", N, 1), MatrixSymbol("v", N, 1)
    share = (One(1) + v.T * a.I * u).I
    printed, true = (MatrixEquality((a + u * v.T) * (a.I + sign * a.I * u * share * v.T * a.I), One(N))
                     for sign in (1, -1))  # fmt: skip
    return (Mistaken(printed, true),)


def _shape_of_the_first_weights() -> Stated:
    """U x needs as many columns of U as x has entries."""
    x = MatrixSymbol("x", D, 1)
    printed, true = (Equality(MatrixSymbol("U", *shape).shape[1], x.shape[0], name=r"\text{columns of }U")
                     for shape in ((D, N), (N, D)))  # fmt: skip
    return (Mistaken(printed, true),)


SLIPS: Ledger = {
    # kappa log(l)/l^2 is not Theta(l^-2), as Lemma 5 asks; the limit is that of Lemma 6's own expansion.
    "HDR.AL6.lemma5": lambda: (Mistaken(
        Size(log(PLACE) / PLACE**2, PLACE, PLACE**-2, name=r"\lambda_l-1+\frac\alpha l"),
        Equality(lemma6().particular.coefficient(-1), SOURCE / (1 + DECAY), name=r"\lim\frac{a_l}l")),),
    "HDR.T1.1-lemma5": lambda: (LawCoefficient(RELU, "ntk", "log(L)/L", ZERO),),
    # l = 1, where the hypothesis allows a_1 = alpha a_0 + k; all terms with the index l - 1 - j.
    "HDR.AL4.bound": lambda: (Mistaken(Comparison(K, "<=", K * exp(-BETA), name=r"a_1-\alpha a_0"), contraction()),),
    # sigma_w^2 = 2: gamma_(l+1) less the three terms that are printed.
    "HDR.AL7.order": lambda: (
        Size(1 - (1 - T + RELU_MAP.subs(X, 1 - T)) / 2 - T
             + (S * T ** Rational(3, 2) + KAPPA * T ** Rational(5, 2)) / 2,
             T, T ** Rational(7, 2), ZERO, r"\gamma_{l+1}-\gamma_l+s\gamma_l^{3/2}+\kappa'\gamma_l^{5/2}"),
    ),
    "HDR.L1.Z": _shape_of_the_error,
    "HDR.T1.2-betaq": lambda: (Equality(inverse_of_gap(TANH, -1), ALPHA, name=r"\lim\frac1{l\lambda_l}"),),
    "HDR.S6.3-epochs": lambda: (
        Mistaken(*(Comparison(EPOCHS / 2, "<", share * EPOCHS) for share in (Rational(1, 4), Rational(3, 4)))),
    ),
    "XPS.ord.sm-margin": _rank_one,
    "TBG.U": _shape_of_the_first_weights,
}  # fmt: skip
