"""Decisions by theorem: a limit, an exact rate or an upper bound that follows from a certificate, uniform in the start.

A certificate says |quantity - (t_1 + ... + t_k)| <= B monomial for all depths and all starts of an interval, and so

    limit    t_1 is the limit, as exact algebra, where all else tends to 0
    Theta    |quantity - t_1| has the exact size of t_2, whose coefficient is not 0 in balls and knows no start
    O        |quantity - t_1| <= M size for all depths from l_0 on, where t_1 alone is printed: M is B

Every start.  For a ReLU-like network without bias, or a residual one, 'limit' and 'Theta' hold at each fixed c^1 in
[-1, 1), not uniformly, once they are proved on [-1, h] with 0 < f(0) <= h (`beyond`).  By Mehler's formula f and the
multiplier of the NTK's recursion are power series in c with coefficients >= 0, both 1 at c = 1; so f grows on [0, 1)
and the multiplier lies in [0, 1].  The f^k([0, f(0)]) cover [0, 1): a start c^1 > h is f^k(s), its correlations are
those of s, k layers on, and its NTK differs from that of s by a solution of the homogeneous recursion, which does not
grow.  So l becomes l + k and K^L/L changes by O(1/L) more; both must be within the remainder, which is computed.
"""

from functools import lru_cache

from sympy import Expr, Integer, diff, limit, oo, simplify

from asympt.balls.arithmetic import working
from asympt.balls.expression import number
from asympt.claims.scopes import is_class_s, is_kinked, is_relu_like
from asympt.deadline import limited
from asympt.errors import AsymptError
from asympt.evidence.check import THEOREM, Check
from asympt.parsing import read_formula
from asympt.recursions.proofs.certificate import certified as prove

STARTS, POSITIVE, NORMS = ("-1", "9/10"), ("0", "9/10"), ("1", "1/4")
SECONDS, BITS = 30.0, 256
FIRST = 2  # the depth from which on
FOLLOWED = (250, 1000)  # layers at which a proof may end; more would only make B smaller, and it decides nothing here

EVERY_START = (
    "and so at every fixed c^1 in [-1, 1): [0, f(0)], f(0) > 0, is among these starts by balls, and a larger c^1 is "
    "the k-th image of one in it; its correlations are those k layers on, and its NTK differs by no more than in the "
    "first layer"
)


@lru_cache(maxsize=64)
def certified(net, name: str, terms: int, starts: tuple[str, str] | None = None, **norms):
    """The certificate of a network's law ('ntk' or 'correlation') over the starts; None where there is none.

    Without starts: all of [-1, 9/10], or of [0, 9/10] where phi'' jumps: near c = -1 that takes minutes.
    """
    starts = starts or (POSITIVE if is_kinked(net) else STARTS)
    try:
        with limited("the theorem", SECONDS):
            return prove(getattr(net, f"{name}_law")(terms), FIRST, {"correlation": starts, **norms}, FOLLOWED)
    except AsymptError:
        return None


def of_network(net, law: str, name: str, relation: str, stated, decides: bool = False) -> tuple[Check, ...]:
    """The rows about a law of two terms, at every start where `beyond` says so; class S: at q^1 = q and `NORMS`."""
    certificate = certified(net, law, 2)
    rows = by_theorem(name, certificate, relation, stated, further=beyond(net, certificate), decides=decides)
    others = certified(net, law, 2, variances=NORMS) if is_class_s(net) else None
    return rows + by_theorem(f"{name}, norms that differ", others, relation, stated)


def by_theorem(
    name: str, certificate, relation: str, stated, further: str = "", decides: bool = False
) -> tuple[Check, ...]:
    """The row that decides a stated limit, or a size in the depth as text; none where no certificate says either way.

    `relation`: 'limit', 'Theta' or 'O' (see the module); `further`: why a limit or a Theta holds at every other start
    as well (`beyond`), which proves all that is meant; `decides`: the claim says no more.
    """
    if certificate is None:
        return ()
    size = read_formula(stated, certificate.law.depth_variable) if isinstance(stated, str) else stated
    decided = _RELATIONS[relation](certificate, size)
    if decided is None:
        return ()
    found, passed = decided
    further = "" if relation == "O" else further
    detail = f"{certificate.statement} ({certificate.proved}); {further or 'for these starts, not for all stated'}"
    wanted = f"{relation} {stated}" if relation == "limit" else f"{relation}({stated})"
    strength = "proved" if further else "checked"
    return (Check(f"by theorem: {name}", found, wanted, passed, strength, detail, decides, THEOREM),)


def beyond(net, certificate) -> str:
    """Why what is proved at each start holds at every fixed c^1 in [-1, 1) (see the module); '' where that is open."""
    known = is_relu_like(net) or is_relu_like(net, "resnet")
    if certificate is None or not known or certificate.law.abel is None:
        return ""
    return EVERY_START if _returns(certificate) and _may_shift(certificate) else ""


def _returns(certificate) -> bool:
    """The starts hold [0, f(0)], and f(0) > 0; in balls, by the distances 1 - c."""
    least, most = certificate.distances
    if certificate.start != ("correlation", 1 - most, 1 - least) or most != 2:
        return False
    map_ = certificate.asked.map_
    with working(BITS):
        image = map_.exact_image(Integer(1), map_.known(BITS))
        return bool(image >= number(least) and image < 1)


def _may_shift(certificate) -> bool:
    """l + k in the place of l, and a bounded change of the linear solution, are within the remainder."""
    law, depth = certificate.law, certificate.law.depth_variable
    own, terms = set(law.constant_symbols.values()), law.expansion.terms
    changes = [diff(_monomial(law, monomial), depth) for monomial, _ in terms]
    if law.linear is not None:
        if not law.average or law.dynamics.linear.multiplier(1)[0] != 1 or _monomial(law, terms[0][0]) != 1:
            return False
        changes.append(1 / depth)
    known = not any(coefficient.free_symbols & own for _, coefficient in terms)
    return known and all(limit(change / certificate.monomial, depth, oo).is_finite is True for change in changes)


def _limit(certificate, stated: Expr) -> tuple[str, bool] | None:
    law, depth = certificate.law, certificate.law.depth_variable
    first, *rest = [_monomial(law, monomial) for monomial, _ in law.expansion.terms] + [certificate.monomial]
    tends = first == 1 and all(limit(size, depth, oo) == 0 for size in rest)
    value = law.expansion.terms[0][1]
    if not tends or value.free_symbols & set(law.constant_symbols.values()):
        return None
    same = simplify(value - stated) == 0
    return (str(value), same) if same or _differs(certificate, value - stated) else None


def _upper_bound(certificate, stated: Expr) -> tuple[str, bool] | None:
    """M, where the first term alone is printed."""
    if len(certificate.law.expansion.terms) > 1 or not _alike(certificate, certificate.monomial, stated):
        return None
    return f"at most {certificate.constant}*{certificate.monomial} from {certificate.valid_from} on", True


def _exact_size(certificate, stated: Expr) -> tuple[str, bool] | None:
    """The size of the second term, where it is none of the start's and not 0 in balls."""
    law = certificate.law
    if len(law.expansion.terms) < 2:
        return None
    monomial, coefficient = law.expansion.terms[1]
    if coefficient.free_symbols & set(law.constant_symbols.values()) or not _differs(certificate, coefficient):
        return None
    size = _monomial(law, monomial)
    return str(coefficient * size), _alike(certificate, size, stated)


def _differs(certificate, value: Expr) -> bool:
    """Whether a number is not 0, in balls."""
    known = certificate.asked.map_.known(BITS)
    with working(BITS):
        return not number(value, known).contains(0)


def _monomial(law, monomial) -> Expr:
    return law.expansion.scale.to_sympy(monomial)


def _alike(certificate, one: Expr, two: Expr) -> bool:
    """Whether two sizes differ by a constant factor, which is positive."""
    ratio = limit(one / two, certificate.law.depth_variable, oo)
    return bool(ratio.is_finite and ratio.is_positive)


_RELATIONS = {"limit": _limit, "Theta": _exact_size, "O": _upper_bound}
