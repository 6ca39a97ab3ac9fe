"""Decisions by theorem: a limit, an exact rate or an upper bound that follows from a certificate, uniform in the start.

Problem.  'Theta(1/L)' is about all large depths; numbers at some depths and a formal series do not decide it.

Rule.  A certificate says |quantity - (t_1 + ... + t_k)| <= B monomial for all depths and all starts of an interval.
The first term t_1 is what is subtracted (the limit, say), and so

    limit    t_1 is the limit, as exact algebra, where all else tends to 0
    Theta    |quantity - t_1| has the exact size of t_2, whose coefficient is not 0 in balls and knows no start
    O        |quantity - t_1| <= M size for all depths from l_0 on, where nothing else is printed: M is B

What it refutes for these starts is refuted.  What it confirms is proved for the starts of the interval: that is
'proved' where these are all that the claim speaks of (`whole`), and 'checked', with the interval, otherwise.

Tiny case.  ReLU, c^1 in [-1, 9/10]: |K^L/(qL) - (1/4 + 3 log(L)/(8 L))| <= 3.83/L, so Theta(1/L) is refuted.

Known limits.  Where there is no certificate there is no row: a claim has other checks too.  Orbits are followed for
at most 1000 layers (`FOLLOWED`): a nearly linear activation, whose law begins later, is refused without following them.
"""

from functools import lru_cache

from sympy import Expr, limit, oo, simplify

from asympt.balls.arithmetic import working
from asympt.balls.expression import number
from asympt.deadline import limited
from asympt.errors import AsymptError
from asympt.evidence.check import Check
from asympt.parsing import read_formula
from asympt.recursions.proofs.certificate import certified as prove

STARTS = ("-1", "9/10")
SECONDS, BITS = 30.0, 256
FIRST = 2  # the depth from which on
FOLLOWED = (250, 1000)  # layers at which a proof may end; more would only make B smaller, and it decides nothing here


@lru_cache(maxsize=64)
def certified(net, name: str, terms: int, starts: tuple[str, str] = STARTS):
    """The certificate of a network's law ('ntk' or 'correlation') over the starts; None where there is none."""
    law = getattr(net, f"{name}_law")(terms)
    try:
        with limited("the theorem", SECONDS):
            return prove(law, FIRST, {"correlation": starts}, FOLLOWED)
    except (AsymptError, ArithmeticError, NotImplementedError):
        return None


def by_theorem(name: str, certificate, relation: str, stated, whole: bool = False) -> tuple[Check, ...]:
    """The row that decides a stated limit, or a size in the depth as text; none where no certificate says either way.

    `relation`: 'limit', 'Theta' or 'O' (see the module); `whole`: the starts are all that the claim is about.
    """
    decided = None if certificate is None else _RELATIONS[relation](certificate, _read(stated, certificate))
    if decided is None:
        return ()
    found, passed = decided
    scope = "" if whole else "; proved for these starts, which are not all that are meant"
    wanted = f"limit {stated}" if relation == "limit" else f"{relation}({stated})"
    strength = "proved" if whole else "checked"
    return (Check(f"by theorem: {name}", found, wanted, passed, strength, certificate.statement + scope),)


def _read(stated, certificate) -> Expr:
    """The stated side in the depth of the law."""
    return read_formula(stated, certificate.law.depth_variable) if isinstance(stated, str) else stated


def _limit(certificate, stated: Expr) -> tuple[str, bool] | None:
    law, depth = certificate.law, certificate.law.depth_variable
    first, *rest = [_monomial(law, monomial) for monomial, _ in law.expansion.terms] + [certificate.monomial]
    tends = first == 1 and all(limit(size, depth, oo) == 0 for size in rest)
    value = law.expansion.terms[0][1]
    if not tends or value.free_symbols & set(law.constant_symbols.values()):
        return None
    same = simplify(value - stated) == 0
    return (str(value), same) if same or _differs(certificate, value - stated) else None


def _exact_size(certificate, stated: Expr) -> tuple[str, bool] | None:
    """The size of what comes after the first term."""
    moving = _moving(certificate)
    if moving is None:
        return None
    size, coefficient = moving
    return str(coefficient * size), _alike(certificate, size, stated)


def _upper_bound(certificate, stated: Expr) -> tuple[str, bool] | None:
    """M, where the first term alone is printed; else the size of the second, which must not exceed what is stated."""
    if len(certificate.law.expansion.terms) == 1:
        shown = f"at most {certificate.constant}*{certificate.monomial} from {certificate.valid_from} on"
        return (shown, True) if _alike(certificate, certificate.monomial, stated) else None
    moving = _moving(certificate)
    if moving is None:
        return None
    size, coefficient = moving
    return str(coefficient * size), limit(size / stated, certificate.law.depth_variable, oo).is_finite is True


def _moving(certificate) -> tuple[Expr, Expr] | None:
    """(size, coefficient) of the second term, where it is none of the start's and not 0 in balls."""
    law = certificate.law
    if len(law.expansion.terms) < 2:
        return None
    monomial, coefficient = law.expansion.terms[1]
    if coefficient.free_symbols & set(law.constant_symbols.values()):
        return None
    return (_monomial(law, monomial), coefficient) if _differs(certificate, coefficient) else None


def _differs(certificate, value: Expr) -> bool:
    """Whether a number is not 0, in balls."""
    known = certificate.asked.map_.known(BITS)
    with working(BITS):
        return not number(value, known).contains(0)


def _monomial(law, monomial) -> Expr:
    return law.expansion.scale.to_sympy(monomial)


def _alike(certificate, one: Expr, two: Expr) -> bool:
    """Whether two sizes differ by a constant factor."""
    ratio = limit(one / two, certificate.law.depth_variable, oo)
    return bool(ratio.is_finite and ratio.is_zero is False)


_RELATIONS = {"limit": _limit, "Theta": _exact_size, "O": _upper_bound}
