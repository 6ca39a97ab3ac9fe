"""Checks and verdicts: one figure against one bound, and what they add up to.

An undone check never counts as passed, and nothing is refuted by one route.
"""
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from itertools import pairwise
from operator import ge, gt, le, lt, ne

import mpmath
from mpmath import mp, mpf, nstr
from sympy import Expr, Float, Rational

from asympt.meanfield.stability import record_of
from asympt.saving import Saved
from asympt.showing import Html, html_table, one_line, verdict

ALGEBRA, THEOREM = "symbolic substitution", "the theorem"  # the routes that work with exact series
EXACT, MEASURED = "algebra", "measurement"  # routes of claims
RELATIONS = {">": (gt, "positive"), ">=": (ge, "nonnegative"), "<": (lt, "negative"), "<=": (le, "nonpositive"),
             "!=": (ne, "nonzero")}  # fmt: skip


class Name(str):
    """What a check is called, without the marks; `marked` has its formulas between dollar signs.

    A check is named like "$c^1 = 1/10$ is kept": people read the plain text, a document typesets what is marked, and
    readers need not guess where a formula begins.

    >>> name = Name("$C = A(t_l) - l$ is constant")
    >>> str(name), name.marked
    ('C = A(t_l) - l is constant', '$C = A(t_l) - l$ is constant')
    """

    marked: str

    def __new__(cls, text: str) -> "Name":
        """From a marked text."""
        if text.count("$") % 2:
            raise ValueError(f"name = {text!r} has an odd number of dollar signs, which come in pairs around formulas")
        name = super().__new__(cls, text.replace("$", ""))
        name.marked = text
        return name


@dataclass(frozen=True)
class Check:
    """One comparison.

    `name`, with dollar signs around its formulas (`Name`); `figure`, what came out; `bound`, what it must not exceed;
    `passed`, None when it could not be done, else read as Python's True or False (comparisons of NumPy and SymPy
    numbers have their own); `strength` 'proved' or 'checked'; `detail`, one sentence on what was compared and what this
    can show; `decides`, whether it alone proves the whole statement; `route`, by which way it was checked: another way
    must agree before anything is refuted.
    """

    name: str
    figure: object
    bound: object
    passed: bool | None
    strength: str = "checked"
    detail: str = ""
    decides: bool = False
    route: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, Name):
            object.__setattr__(self, "name", Name(self.name))
        if self.passed is not None:
            object.__setattr__(self, "passed", bool(self.passed))

    @property
    def verdict(self) -> str:
        """The verdict of this check alone."""
        if self.passed is None:
            return "unknown"
        return self.strength if self.passed else "refuted"

    def record(self) -> dict:
        """As plain data."""
        told = {name: getattr(self, name) for name in ("passed", "route", "verdict", "strength", "detail")}
        numbers = {"figure": number(self.figure), "bound": number(self.bound)}
        return {"name": self.name, "marked": self.name.marked, **numbers, **told}

    @classmethod
    def compare(cls, name: str, figure, bound, detail: str = "", strength: str = "checked") -> "Check":
        """A check that passes when figure <= bound (a NaN never passes)."""
        return cls(name, figure, bound, bool(figure <= bound), strength, detail)

    @classmethod
    def measured(cls, name: str, figure, bound, detail: str = "", digits: int = 3) -> "Check":
        """The same for numbers of mpmath or NumPy, which are shown to so many digits.

        >>> Check.measured("a deviation", mpf("1.23456e-20"), mpf(10) ** -19).figure
        '1.23e-20'
        """
        return cls(name, rounded(figure, digits), rounded(bound, digits), bool(figure <= bound), "checked", detail)


def number(value) -> str | None:
    """Any number as text: floats to round-trip, mpmath numbers to their own precision.

    >>> number(0.1), number(mpf(1) / 3), number(12)
    ('0.1', '0.33333333333333331', '12')
    """
    if isinstance(value, mpf):
        return nstr(value, max(3, int(value._mpf_[3] * 0.30103) + 2))
    return None if value is None else repr(float(value)) if isinstance(value, float) else str(value)


def rounded(number, digits: int):
    """A text for mpmath's numbers, otherwise a float (whole numbers as they are)."""
    if isinstance(number, mpf):
        return nstr(number, digits)
    return number if isinstance(number, int) else float(f"{number:.{digits}g}")


def monotone(name: str, values, direction: str, detail: str = "") -> Check:
    """Each of these numbers is larger ('increasing') or smaller ('decreasing') than the one before."""
    before, shown = {"increasing": lt, "decreasing": gt}[direction], ", ".join(f"{float(v):.3g}" for v in values)
    passed = all(bool(before(one, two)) for one, two in pairwise(values))
    return Check(name, shown, direction, passed, "checked", detail)


def inequality(name: str, value, bound: str, detail: str = "", digits: int = 6) -> Check:
    """A figure against a bound such as '> 0' or '>= 0.5': an exact one by its sign, a number as it is.

    >>> inequality("1/3 - 1/4", Rational(1, 12), "> 0").verdict, inequality("0.1 + 0.2", 0.1 + 0.2, "<= 0.3").verdict
    ('proved', 'refuted')
    """
    relation, text = bound.split()
    compared, sign = RELATIONS[relation]
    if isinstance(value, Expr) and not value.has(Float):
        return Check(name, str(value), bound, getattr(value - Rational(text), f"is_{sign}"), "proved", detail)
    passed = bool(compared(value, float(text)))
    return Check(name, rounded(value, digits), bound, passed, "checked", detail)


def agreement(name: str, found, expected, tolerance: float, detail: str = "") -> Check:
    """|found/expected - 1| against a tolerance (|found| where 0 is expected); the two numbers are shown."""
    found, expected = mpf(found), mpf(expected)
    shown = f"{nstr(found, 10)} against {nstr(expected, 10)}"
    off = abs(found / expected - 1) if expected else abs(found)
    return Check.measured(name, float(off), tolerance, f"{shown}; {detail}" if detail else shown)


def undecided(name: str, reason: str, bound: str = "-", detail: str = "") -> Check:
    """Nothing could be compared."""
    return Check(name, reason, bound, None, "checked", detail)


@dataclass(frozen=True)
class Effort:
    """How far checks in numbers go: digits of C and D, a depth in float64, a start, inputs, and whom to tell."""

    digits: int = 30
    depth: int = 10**6
    start: object = None
    inputs: dict = field(default_factory=dict)
    workers: int = 1
    report: Callable[[str, int, int], None] = lambda what, done, total: None


def telling(progress, what: str) -> Callable[[int, int], None] | None:
    """What tells the caller how far one piece of work is; None where nobody asks."""
    return progress and (lambda done, total: progress(what, done, total))


Work = tuple[str, Callable[[], list[Check]]]  # what is checked, and how: each piece within a time of its own


@dataclass(frozen=True)
class Verification(Saved):
    """The checks of one statement and their joint verdict.

    `subject`: what was verified; `checks`: in the order they were done; `corrected`: the verification of the
    corrected statement when the subject is refuted and the toolkit can derive what is true; `stability`: for a law of
    a network, how the variance at which it holds treats its neighbours (no check can tell, all are made at it);
    `theorem`: the certificate of a law (`Law.certificate`), whose constant is one of the checks; `unproved`: why there
    is none, where one was requested; `law`: the law that is proved, with the bounded remainder.
    """

    subject: str
    checks: tuple[Check, ...]
    corrected: "Verification | None" = None
    stability: object = None
    theorem: object = None
    unproved: str = ""

    @property
    def verdict(self) -> str:
        """'proved', 'checked', 'unknown' or 'refuted'; a theorem with checks that all pass is 'proved'."""
        found = verdict_of(self.checks)
        return "proved" if found == "checked" and self.theorem is not None else found

    @property
    def scope(self) -> str:
        """Where a law is proved whose other checks are numbers: the depths and starts of the theorem; else empty."""
        if self.theorem is None or self.verdict != "proved" or verdict_of(self.checks) == "proved":
            return ""
        return self.theorem.scope

    @property
    def remainder(self):
        """The remainder of a proved law, with its constant (`Bounded`); None for another."""
        return self.theorem.remainder if self.verdict == "proved" and self.theorem is not None else None

    @property
    def law(self):
        """A proved law with its remainder bounded; None for another."""
        if self.remainder is None:
            return None
        law = self.theorem.law
        return replace(law, expansion=replace(law.expansion, remainder=self.remainder))

    def record(self) -> dict:
        """As plain data, with its checks, and that of the corrected statement."""
        record = {name: getattr(self, name) for name in ("subject", "verdict")}
        record |= {"checks": [check.record() for check in self.checks],
                   "undone": sum(check.passed is None for check in self.checks)}  # fmt: skip
        if (found := self.theorem) is not None:
            name, low, high = found.start
            record["theorem"] = {
                "statement": found.statement, "scope": found.scope, "trust": found.trust,
                "constant": str(found.constant), "monomial": str(found.monomial),
                "valid_from": found.valid_from, "start": {"name": name, "from": str(low), "to": str(high)},
            }  # fmt: skip
        record |= {name: said for name in ("scope", "unproved") if (said := getattr(self, name))}
        record |= {} if self.stability is None else {"stability": record_of(self.stability)}
        return record if self.corrected is None else {**record, "corrected": self.corrected.record()}

    def __repr__(self) -> str:
        return one_line("Verification", f"{self.subject}: {self.verdict}, {len(self.checks)} checks")

    def _repr_html_(self) -> str:
        rows = [(check.verdict, check.name, check.figure, check.bound) for check in self.checks]
        scope = f" for {escape(self.scope)}" if self.scope else ""
        title = Html(f"{escape(self.subject)}: {verdict(self.verdict)}{scope}")
        below = "" if self.corrected is None else "<p>corrected:</p>" + self.corrected._repr_html_()
        return html_table(rows, ("verdict", "check", "figure", "bound"), title) + below

    def report(self) -> str:
        """The checks as text: name, figure, bound, verdict; first the inputs that have the law, if not all."""
        lines = [f"{self.subject}: {self.verdict}{' for ' + self.scope if self.scope else ''}"]
        if self.stability is not None and not self.stability.attracts_all:
            lines.append(f"  variance  {self.stability}")
        if self.theorem is not None:
            lines.append(f"  theorem   {self.theorem.statement} ({self.theorem.proved})")
        if self.unproved:
            lines.append(f"  no theorem: {self.unproved}")
        lines += [f"  {c.verdict:<8}  {c.name}: {c.figure} (bound {c.bound})" for c in self.checks]
        if verdict_of(self.checks) == "unknown" and any(check.passed is False for check in self.checks):
            lines.append("  only one route contradicts it, so it is not refuted")
        if undone := sum(check.passed is None for check in self.checks):
            lines.append(f"  {undone} of {len(self.checks)} checks could not be done")
        if self.corrected is not None:
            lines.append("corrected: " + self.corrected.report())
        return "\n".join(lines)


def verdict_of(checks: Sequence[Check]) -> str:
    """The joint verdict of several checks.

    'refuted' if two failed that came by different routes (one without a name counts for none), not both of them algebra
    of series; 'unknown' if one could not be done, or failed alone, or there are none; 'proved' if all are symbolic
    proofs or one of them proves all that is stated (`Check.decides`); else 'checked'.

    >>> verdict_of([])
    'unknown'
    """
    verdicts = [check.verdict for check in checks]
    failed = {check.route for check in checks if check.verdict == "refuted"}
    if len(failed - {""}) > 1 and not failed <= {"", ALGEBRA, THEOREM}:
        return "refuted"
    if not verdicts or failed or "unknown" in verdicts:
        return "unknown"
    decided = any(check.decides and check.verdict == "proved" for check in checks)
    return "proved" if decided or set(verdicts) == {"proved"} else "checked"


# ---- to which order a function vanishes at 0, measured in numbers --------------------------------
#
# f = c t^N (1 + O(t)): log|f(s)/f(t)|/log(s/t) is N up to O(s)/log(s/t).  f = t^N (c_0 + c_1 log t + ... + O(t)): the
# differences of f/t^N over a geometric progression, as many as there are logs, are constant, and grow by 1/t for every
# power that is missing.  A wrong coefficient leaves its own, lower power: a shortfall near 1.  Where next terms are
# still large the exponent falls short too, so arguments move closer to 0 until two readings agree.
# f = t^3 (1 - 99 t) at 10^-2 and 10^-3: N = 1.04, and then 3.

TOLERANCE = mpf(1) / 4
SETTLED = TOLERANCE / 4  # by which two readings of an exponent may differ
MOST = 7  # readings
APART = mpf(10) ** -4
GROWTH = 1.5  # by which what is left may grow, in units of the remainder
NOTHING = mpf(10) ** -100  # of a remainder, which counts as none
SLOW = 0.1  # of a power of the depth, by which a rate may fall short
SPARE, SLACK = 40, 4  # digits for rounding; powers of t beyond the order, where the function counts as zero


def shortfall(function: Callable, order, point, growth=0, apart=APART, logs: int = 0, spare: int = SPARE) -> mpf | None:
    """How much the order at which `function` vanishes falls short of `order`, up to so many logs; None: unsettled.

    Measured between `point`, point * apart, and so on, and closer while it falls short and moves.  The function is
    called at a precision that makes t^order visible although its parts are as large as t^(-growth), with `spare` digits
    for what cancels in it.

    >>> [mpmath.nstr(shortfall(lambda t: mp.sin(t) - t, order, 10**-8), 3) for order in (2, 3, 5)]
    ['0.0', '5.43e-19', '2.0']
    >>> [mpmath.nstr(shortfall(lambda t: t**3 * (mp.log(t) + 5), 3, 10**-2, 0, mpf("0.1"), logs), 3) for logs in (0, 1)]
    ['0.131', '0.0']
    >>> mpmath.nstr(shortfall(lambda t: t**3 * (1 - 99 * t), 3, 10**-2, 0, mpf("0.1")), 3)
    '0.00389'
    """
    last = None
    for closer in range(MOST):
        missing = _reading(function, order, mpf(point) * apart**closer, growth, apart, logs, spare)
        if closer == 0 and not is_short(missing):
            return missing
        if last is not None and (not mpmath.isfinite(missing) or abs(missing - last) <= SETTLED):
            return missing
        last = missing
    return None


def _reading(function: Callable, order, point, growth, apart, logs: int, spare: int) -> mpf:
    points = [point * apart**k for k in range(logs + 2)]
    digits = -mp.log10(abs(points[-1]))
    needed = int(digits * (max(order, 0) + growth + SLACK)) + spare
    with mp.workdps(needed):
        values = [function(t) for t in points]
        if abs(values[-1]) < mpf(10) ** (spare // 2 + digits * growth - needed):
            return mpf(0)
        values = [value / abs(t) ** order for value, t in zip(values, points, strict=True)]
        for _ in range(logs):
            values = [after - before for before, after in pairwise(values)]
        here, there = map(abs, values)
        if here == 0:
            return mpf(order)
        missing = mp.log(there / here) / -mp.log(apart) if there else mpf(0)
    return max(missing, mpf(0))  # in this order: of nan and 0, Python's max takes the first


def is_short(amount) -> bool:
    """Whether a shortfall is one; what is not a number, or has not settled, counts as one."""
    return amount is None or not mpmath.isfinite(amount) or amount > TOLERANCE


def order_check(name: str, missing, detail: str) -> Check:
    """The verdict of a shortfall on the equation `name`: none if it has not settled."""
    title, bound = f"{name}: expected minus observed order", nstr(TOLERANCE, 3)
    if missing is None:
        return Check(title, f"the exponent still moves after {MOST} readings, ever closer to 0", bound, None)
    return Check(title, nstr(missing, 3), bound, not is_short(missing), "checked", detail)


def growth_check(name: str, left: Sequence, sizes: Sequence, where: str, bound=GROWTH, nothing=NOTHING) -> Check:
    """What is left at some depths, in units of the remainder there, must not grow from one depth to the next.

    `nothing`: of a remainder, which counts as none.

    >>> growth_check("x - 1/l", [mpf(1) / 100, mpf(1) / 400], [mpf(1) / 100, mpf(1) / 200], "layers 10 and 20").figure
    '0.5'
    """
    units = [abs(rest) / size for rest, size in zip(left, sizes, strict=True)]
    growth = max((b / max(a, nothing) for a, b in pairwise(units) if not b <= nothing), default=mpf(0))
    detail = f"{where}: {', '.join(nstr(unit, 4) for unit in units)} remainders"
    return Check.measured(f"{name}: growth over the stated remainder", growth, bound, detail, digits=4)


def rate_check(name: str, left: Sequence, rate, shown, where: str) -> Check:
    """What is left at depths that double must at last fall like depth^(-rate); `shown`: the rate in the name."""
    before, last = left[-2:]
    found = mp.log(abs(before / last), 2) if last else mp.inf
    detail = f"{where}; at the last one {nstr(last, 3)} is left"
    title = f"{name}: expected minus observed rate $l^(-{shown})$"
    return Check.measured(title, max(mpf(0), rate - found), mpf(SLOW), detail)
