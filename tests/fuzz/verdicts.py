"""Verdicts that must be right: linear laws at their resonance, and claims of users, true ones and planted ones.

resonant   a' = lambda a + b along a map in powers of p^(1/r), such that a log appears.  The value against
           plain iteration, the printed law against values at great depth, and no route may disprove it.
claimed    a claim file about a coefficient or a limit of a law.  What is true follows by hand from the recursion's
           first coefficients, its numbers by quadrature in mpmath; decimals are that number rounded.  A true claim is
           never refuted, a planted one never holds.
in_full    the same with the verification of the law, as `asympt claims check` does it (half a minute for a law).
"""

import random
from dataclasses import replace
from functools import lru_cache, partial

from mpmath import mp, mpf, quad
from sympy import Integer, Rational, Symbol, diff, erf, lambdify, sin, tanh

import asympt as asy
from asympt.claims.paper import claims_in
from asympt.recursions.proofs.formal import require_exact
from tests.fuzz import oracle
from tests.fuzz.expressions import require_printed
from tests.fuzz.maps import fraction, near, signed

P = Symbol("p", positive=True)


def resonant_case(rng: random.Random) -> tuple:
    """(G, (lambda, b, initial), terms): u = p^(1/r), u' = u (1 - a u^m/r + ...), H = u^h + ..., b = u^(h + m) + ..."""
    root, m, h = rng.choice((1, 2, 2, 2, 3, 3)), rng.choice((1, 1, 1, 2)), rng.randint(1, 4)
    a, u = fraction(rng, bottom=4), P ** Rational(1, root)
    step = rng.choice((P - a * P * u**m, P / (1 + a * u**m), P * (1 - a * u**m + signed(rng) * u ** (m + 1) / 9)))
    multiplier = 1 - h * a * u**m / root + rng.choice((0, 0, signed(rng) / 9)) * u ** (m + 1)
    other = rng.choice((0, 1)) * signed(rng) * u ** rng.randint(m, h + m)
    forcing = rng.choice((1, fraction(rng))) * u ** (h + m) + other
    return step, (multiplier, forcing, Integer(rng.randint(0, 2))), rng.randint(1, 4)


def resonant(rng: random.Random, fully: float = 0.1) -> str:
    """One linear law; sometimes with all of `verify`."""
    step, linear, terms = resonant_case(rng)
    start, depth, verified = near(rng), rng.choice((3, 40, 150)), rng.random() < fully
    try:
        law = asy.Recursion(step, P, 0).linear_law(*linear, terms=terms)
        sums = oracle.sums(step, P, start, depth, linear)
        oracle.require_equal(law.evaluate(depth=depth, start=start, digits=15), sums, 15, "a_n")
        require_printed(law, start=start)
        require_exact(law)
        if verified:
            found = asy.verify(law)
            assert found.verdict != "refuted", found.report()
    except (AssertionError, asy.balls.arithmetic.Disproved) as error:
        raise AssertionError(f"{step}, {linear}, start={start}, terms={terms}: {error}") from None
    return "value"


DIGITS = 40
X = Symbol("x", real=True)
SMOOTH = {"tanh": tanh(X), "erf": erf(X), "sin": sin(X)}


@lru_cache(maxsize=16)
def edge(name: str, bias: str) -> dict:
    """q, sigma_w, f2, f3 where sigma_w^2 E[phi'^2] = 1 and q = sigma_b^2 + sigma_w^2 E[phi^2], by quadrature."""
    with mp.workdps(DIGITS):
        squares = [lambdify(X, diff(SMOOTH[name], X, k) ** 2, "mpmath") for k in range(4)]

        def mean(k, q):
            density = lambda z: squares[k](mp.sqrt(q) * z) * mp.exp(-z * z / 2)  # noqa: E731
            return 2 * quad(density, [0, 1, 2, 4, 7, 15]) / mp.sqrt(2 * mp.pi)  # squares are even

        deviation = oracle.number(Rational(bias))
        q = mp.findroot(lambda q: deviation**2 + mean(0, q) / mean(1, q) - q, (1.5 * deviation, 3 * deviation))
        weight = 1 / mean(1, q)
        return {"q": q, "sigma_w": mp.sqrt(weight), "f2": weight * q * mean(2, q), "f3": weight * q**2 * mean(3, q)}


def statements(rng: random.Random) -> tuple[str, str, str, mpf, list[str]]:
    """(network, law, entry of the claim, the true number, formulas of it): gamma' = gamma - a gamma^2 + b gamma^3."""
    if rng.random() < 0.3:
        network = '{activation = "relu"}'
        with mp.workdps(DIGITS):
            return rng.choice([  # HDR Theorem 1 and its proof, put right
                (network, "ntk", "", mpf(1) / 4, ["1/4", "chi/4", "E[phi'^2]/(2*chi)"]),
                (network, "ntk", "log(L)/L", mpf(3) / 8, ["3/8", "3*E[phi^2]/4", "3/8*chi"]),
                (network, "correlation", "1/l^2", 9 * mp.pi**2 / 2, ["9*pi^2/2", "(3*pi/sigma_w)^2"]),
                (network, "correlation", "log(l)/l^3", -27 * mp.pi**2 / 2, ["-27*pi^2/2", "-27*pi^2/sigma_w^2"]),
                (network, "correlation", "1/l^3", None, ["9*pi^2*(3*log(3*pi/sqrt(2))/2 - C)"]),
            ])  # fmt: skip
    name, bias = rng.choice(list(SMOOTH)), rng.choice(("1/5", "1/3"))
    known = edge(name, bias)
    network = f'{{activation = "{name}", sigma_b = "{bias}"}}'
    with mp.workdps(DIGITS):
        a, b = known["f2"] / 2, known["f3"] / 6
        two, three = "sigma_w^2*q*E[phi''^2]", "(sigma_w^2*q^2*E[phi'''^2])"
        stein = "E[x*phi*phi']/(q*E[phi'^2 + phi*phi''])"  # 1, by parts
        return rng.choice([
            (network, "correlation", "1/l", 1 / a,
             ["2/f2", f"2/({two})", f"2*chi/f2*{stein}", f"2*E[phi'^2]*sigma_w^2/({two})"]),
            (network, "correlation", "log(l)/l^2", (b - a**2) / a**3,
             ["(f3/6 - f2^2/4)*8/f2^3", f"4*f3/(3*f2^3) - 2/({two})", f"4*{three}/(3*f2^3) - 2*chi/f2"]),
            (network, "ntk", "", mpf(1) / 3, ["1/3", "chi/3", f"{stein}/3", "sigma_w^2*E[phi'^2]/3"]),
        ])  # fmt: skip


def stated(rng: random.Random, number, formulas: list[str], planted: bool) -> str:
    """A true value as text, or one that is wrong somewhere."""
    if number is not None and rng.random() < 0.5:
        decimals = rng.randint(1, 15)
        with mp.workdps(DIGITS):
            units = int(mp.nint(number * 10**decimals)) + (rng.choice((-3, -2, -1, 1, 2, 7)) if planted else 0)
        digits = str(abs(units)).zfill(decimals + 1)
        return f"{'-' * (units < 0)}{digits[:-decimals]}.{digits[-decimals:]}"
    formula = rng.choice(formulas)
    if not planted:
        return formula
    small = f"1/10^{rng.choice((1, 3, 6, 12, 18))}"
    changed = ("({})*(1 + {})", "({}) - {}", "-({})", "({}) + C", "({})*D")
    wrong = [change.format(formula, small) for change in changed]
    for one, other in (("E[phi''^2]", "E[phi'^2]"), ("f2", "f3"), ("phi'''", "phi''"), ("q*", "q^2*"), ("-27", "-26")):
        wrong += [formula.replace(one, other)] if one in formula else []
    return rng.choice(wrong)


def claimed(rng: random.Random, fully: bool = False) -> str:
    """One claim, as a file has it."""
    network, law, of, number, formulas = statements(rng)
    planted = rng.random() < 0.5
    value = stated(rng, number, formulas, planted)
    form = f'form = "coefficient"\nof = "{of}"' if of else 'form = "limit"'
    text = f'title = "P"\n[[claim]]\nid = "P.1"\n{form}\nnetwork = {network}\nlaw = "{law}"\nvalue = "{value}"\n'
    (claim,) = claims_in(text, "p.toml")
    found = claim.check() if fully else replace(claim.formulas()[0], elsewhere=True).verify()
    wrong = ("proved", "checked") if planted else ("refuted",)
    assert found.verdict not in wrong, f"{'planted' if planted else 'true'}: {text} {found.report()}"
    return "value" if found.verdict != "unknown" else "refused"


FAMILIES = {
    "resonant": (resonant, 4, 0.6), "claimed": (claimed, 8, 0.7), "in_full": (partial(claimed, fully=True), 0, 0),
}  # fmt: skip
