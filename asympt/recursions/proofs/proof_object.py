"""Finds the proof object of a theorem (`asympt.kernel`): the range and the layer that its checks need.

Nothing here is trusted: what is found is checked by the kernel, whose statement is the theorem.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import ceil

from flint import arb, ctx, fmpq
from sympy import Rational, log

from asympt import kernel
from asympt.balls.arithmetic import Refused
from asympt.balls.laws import FormalLaw, GeometricLaw
from asympt.kernel import laws, linear
from asympt.kernel.activation import NetworkLayer
from asympt.kernel.formulas import as_formula
from asympt.kernel.numbers import Names, ball, rational
from asympt.kernel.series import PowerSeries, never_negative
from asympt.recursions.proofs.formal import constants_in, formulas, with_names
from asympt.recursions.proofs.nodes import LETTERS, constant, letters, map_node, node

HIGHEST = 8  # power in E of a clock that falls
RANGES = (64, 256, 24, 1024, 4096, 10, 30_000)  # the layers that have about this t: ends of the range, best ones first
LAYERS = (100, 200, 400, 560, 800, 1130, 1600, 2400, 4000, 8000, 16_000)
HALVES = [fmpq(1, 2**halved) for halved in range(1, 10)]  # ends of the range of a clock that rises
BITS, REFUSALS = (128, 512), 16  # after which no other range is tried: counted, as seconds would depend on the machine
PIECES, DEEPEST = 128, 3200  # of an interval of starts, and the layer to which they are followed
NEARLY = ["q", "1999/2000"]  # of the largest start
SHARP, FINE = 3, 80  # times kappa is below the bound, else a smaller range is taken
ANY = str(10**30)  # the bound of a law of which only what its theorems share is checked
FALLING = "the kernel covers hyperbolic laws of an orbit that falls to its fixed point from one start"


def proof_object(certificate) -> dict:
    """The proof object; raises `Refused` with the reason where there is none.

    >>> from asympt.recursions.recursion import Recursion
    >>> certificate = Recursion("sin(x)").law(terms=2).certificate(start=1)
    >>> print(kernel.check(proof_object(certificate)))  # doctest: +ELLIPSIS
    x_0 = 1, x_(n+1) = G(x_n), G(t) = sin(t): for all n >= 2, |x_n - ((sqrt(3)) n^(-1/2) + ...
    """
    try:
        return _found(certificate)
    except kernel.BadFile as reason:  # larger than the kernel reads
        raise Refused(f"the kernel does not read this theorem: {reason}") from None
    except kernel.NotShown as reason:
        raise Refused(f"the kernel does not check this theorem: {reason}") from None


def _found(certificate) -> dict:
    law, patience = certificate.law, iter(range(REFUSALS))
    certificate = replace(certificate, asked=_about_layer(certificate.asked, law))
    given = _nearby(certificate.asked, law) | {"first": certificate.asked.first, "from": certificate.valid_from}
    given |= _of_koenigs(certificate) if "chi" in given else _of_abel(certificate)
    if given["start"][0] != given["start"][1]:
        given |= {"start": _with_last_piece(given)}
    layers = [*_reached(certificate)] if "chi" in given else LAYERS

    def attempt(tried: tuple) -> dict:
        """The object for the range that ends at about this layer's t, or at this t."""
        bits, where = tried
        found = _near(given | {"bits": bits}, where)
        return _first(_checked, (found | {"N": N} for N in layers if where / 4 <= N and given["from"] < N), patience)

    return _first(attempt, _ranges(given), patience)


def is_checked_nearby(law) -> bool:
    """Whether the kernel shows what every theorem about the law rests on near the fixed point.

    >>> from asympt.recursions.recursion import Recursion
    >>> is_checked_nearby(Recursion("sin(x)").law(terms=2)), is_checked_nearby(Recursion("x/2 - x^2").law())
    (True, True)
    """
    try:
        given = _nearby(_about_layer(law.asked, law), law)
        _first(lambda tried: _near(given | {"bits": tried[0]}, tried[1]), _ranges(given), iter(range(REFUSALS)))
    except (Refused, kernel.NotShown, kernel.BadFile):
        return False
    return True


def _ranges(given: dict) -> Iterator[tuple]:
    """(bits, where the range ends): for `_near`."""
    return product((256,), HALVES) if "chi" in given else product(BITS, RANGES)


def _about_layer(asked, law):
    """The same law of the layer's map, where the map's formula has q or sigma_w, of which only an equation is known."""
    if not (hasattr(asked.map_, "formula") and constants_in(asked.map_.formula)):
        return asked
    made = formulas(law.dynamics)[4:]
    return replace(asked, map_=with_names(made[0](), law.dynamics)) if made else asked


def _per(map_) -> int:
    """The root that the kernel takes of x over that of the law, which is 1 for a smooth layer."""
    return 1 if hasattr(map_, "formula") else NetworkLayer.root // map_.root


def _whole(order) -> int:
    """A power of X as the kernel counts it."""
    if not order.is_Integer:
        raise Refused(f"the law has the power {order} of n^(-1/m), which is not a whole number")
    return int(order)


def _first(attempt: Callable, choices: Iterable, patience: Iterator):
    """What the first choice comes to that the kernel does not refuse; raises that of most where there is none."""
    reasons: Counter = Counter()
    for tried in choices:
        try:
            return attempt(tried)
        except kernel.NotShown as refused:
            reasons[str(refused)] += 1
        if next(patience, None) is None:
            break
    raise kernel.NotShown(max(reasons, key=reasons.get, default="no range of the map and no layer in it are found"))


def _checked(found: dict) -> dict:
    """The object once it is checked; of many pieces after what is beyond N, which is soon shown or refused."""
    if len(start := found["start"]) > 3:
        kernel.need(found["N"] <= DEEPEST, "the law beyond the layers in which pieces are followed")
        kernel.check(found | {"start": start[:2], "from": found["N"]})
    kernel.check(found)
    return found


def _nearby(asked: FormalLaw | GeometricLaw, law) -> dict:
    """What the law prescribes near the fixed point; k: of E = K t^k; `Refused` for some."""
    if type(asked) not in (GeometricLaw, FormalLaw):
        raise Refused("the kernel covers parabolic and hyperbolic laws")
    if law.dynamics.begin is not None or asked.settles_first:
        raise Refused("the kernel does not cover starts in which more than one number has to settle first")
    if type(asked) is GeometricLaw:
        return _near_zero(asked, law)
    per = _per(asked.map_)
    m, remainder = asked.map_.order * per, _whole(asked.remainder.order * asked.map_.order * per)
    orders = remainder - asked.start_weight * per  # in X beyond the leading term
    sharp = SHARP if asked.has_constants else 1  # with C in the law, its ball counts at all layers
    found = {
        "format": kernel.FORMAT, "map": map_node(asked.map_), "root": asked.map_.root * per, "m": m,
        "k": min(max(m * sharp, orders - m), HIGHEST), "remainder": [ANY, remainder, asked.remainder.logs],
    }  # fmt: skip
    if not asked.along:
        return found
    found |= {"average": int(asked.average)}
    if not hasattr(asked.map_, "formula"):
        return found | {"kind": linear.NTK}
    place = {asked.map_.symbol: "t"}
    return found | {"kind": linear.KIND} | {name: node(getattr(asked.along, name), place) for name in linear.OF_LAYER}


def _of_abel(certificate) -> dict:
    """The starts, the quantity and its law."""
    asked, per, names = certificate.asked, _per(certificate.asked.map_), letters(certificate.asked.map_)
    C, D = asked.constants
    if any(term.coefficient.has(D) for term in asked.terms):
        raise Refused("the kernel covers laws with the constant C, and none with D")
    m, known = asked.map_.order * per, LETTERS | {C: ["C"]}
    found = {
        "start": [constant(x) for x in _starts(*certificate.distances, asked.has_constants)],
        "remainder": [str(Fraction(certificate.constant)), _whole(asked.remainder.order * m), asked.remainder.logs],
        "terms": [[constant(c.xreplace(names), known), _whole(order * m), logs] for c, order, logs in _moving(asked)],
    }  # fmt: skip
    if asked.along is None:
        return found | {"kind": laws.KIND, "exponent": asked.exponent * per}
    start = node(asked.along.start(asked.map_.symbol ** (asked.map_.root * per)), {asked.map_.symbol: "t"})
    return found | {"initial": start}


def _starts(low, high, has_constants: bool) -> list:
    """The ends; where the law has C, those of `PIECES`, finer towards the fixed point."""
    count = PIECES if has_constants and low != high else 1
    return [low + (high - low) * Rational(k, count) ** 2 for k in range(count + 1)]


def _moving(asked: FormalLaw) -> Iterator[tuple]:
    """The terms of the distance to the fixed point."""
    for term in asked.terms:
        c = term.coefficient - asked.offset if (term.order, term.logs) == (0, 0) else term.coefficient
        if c != 0:
            yield asked.sign * c, term.order, term.logs


def _near(given: dict, where) -> dict:
    """With the end of the range, near this layer's t where the clock falls; has the kernel show what it needs there."""
    r = where
    if "m" in given:
        order = given["root"] + given["m"]
        with ctx.workprec(given["bits"]):
            falls = -ball(laws.source_of(given).model(order + 1, order + 1, fmpq(1, 10**6), Names()).c[order])
            alpha = given["root"] / (given["m"] * falls)
            r = _simple((alpha / where) ** arb(fmpq(1, given["m"])))
    found = given | {"range": str(r)}
    if (kappa := Nearby(found).kappa) is not None:
        bound = Fraction(given["remainder"][0])
        kernel.need(float(kappa) * FINE < bound, "P is too coarse in the range")
    return found


def _with_last_piece(given: dict) -> list:
    """The starts, and one near their end where the map is not shown to increase up to it: c^1 = -1, a maximum."""
    with ctx.workprec(BITS[0]):
        low, *_, high = map(ball, laws.starts(given))
        rises = never_negative(laws.source_of(given).slope, low, high)
    *others, last = given["start"]
    return given["start"] if rises else [*others, ["mul", NEARLY, as_formula(last)], last]


class Nearby:
    """What the kernel finds on the range of a proof object.

    clock; P of a linear recursion ({k: p_k}), else empty; kappa, else None; known: {("e", k): e_k}.
    """

    def __init__(self, given: dict):
        s, names = given | {"range": rational(given["range"])}, Names()
        with ctx.workprec(given["bits"]):
            self.clock = laws.clock_of(s, names)
            self.K = self.clock.K  # with which `defect` is shown
            self._require_monotone()
            along = linear.OrbitSolution(s, self.clock, names) if "average" in s else None
            self.P, self.kappa, self.w = (along.P.coefficients, along.P.K, along.w) if along else ({}, None, None)
            self.known = {name: ball(value) for name, value in names.known.items()}

    def _require_monotone(self) -> None:
        """|F'| > E' on the range, which the kernel does without and Coq's lemmas need."""
        clock, sign = self.clock, 1 - 2 * self.clock.step
        slope = {k: sign * k * c for k, c in clock.coefficients.items()} | {0: sign * clock.rho}  # of t F' - t E'
        slope[clock.k] = slope.get(clock.k, fmpq(0)) - clock.k * clock.K
        terms = (slope.get(k, fmpq(0)) for k in range(clock.p, max(slope) + 1))
        PowerSeries(terms, clock.map_.u.z.r).require_positive("|F'| > E'")


def _simple(x: arb) -> fmpq:
    """A short rational a little below."""
    digits = 10 ** max(0, 2 - int(float(x.log()) // 2.3))
    return fmpq(int(float(x) * digits * 10), digits * 10)


# ---- hyperbolic laws --------------------------------------------------------------------------------------------


def _of_koenigs(certificate) -> dict:
    """One start above the fixed point, 0 < chi < 1; `Refused` for others."""
    asked, (start, end), c = certificate.asked, certificate.distances, certificate.law.constant_symbols["C"]
    if start != end or not (start.is_positive and certificate.proof.connection > 0):
        raise Refused(FALLING)
    return {
        "start": [constant(start)] * 2,
        "terms": [[constant(asked.sign * t.coefficient / c**t.order), _whole(t.order)] for t in asked.terms],
        "remainder": [str(Fraction(certificate.constant)), _whole(asked.remainder.order)],
    }  # fmt: skip


def _near_zero(asked: GeometricLaw, law) -> dict:
    """What the law prescribes near the fixed point."""
    chi, known = law.dynamics.ratio(1)[0], law.koenigs.expansion
    if asked.along is not None or asked.remainder.logs or asked.map_.root != 1 or not chi.is_positive:
        raise Refused(FALLING)
    last = getattr(known.remainder, "monomial", None)
    k = _whole(asked.remainder.order) + 1 if last is None else int(last.order)
    return {"format": kernel.FORMAT, "kind": laws.HYPERBOLIC, "map": map_node(asked.map_), "chi": constant(chi), "k": k}


def _reached(certificate) -> Iterator[int]:
    """N, where C chi^N is smaller and smaller."""
    size, chi = float(certificate.proof.connection), float(certificate.law.dynamics.ratio(1)[0])
    for z in (1 / 8, 1 / 32, 1 / 128, 1 / 1024, 1e-5):
        yield int(max(certificate.valid_from + 1, 3, ceil(log(z / size) / log(chi))))
