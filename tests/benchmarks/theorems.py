"""Some 400 theorems, who checks each, and how long the kernel takes: maps x terms x starts over all kinds.

    python tests/benchmarks/theorems.py [WORD ...]

Words choose the rows that have them.  A theorem with a proof object is checked once more here, in processor time; one
without has the trust 'library', with the reason; 'Coq' are those of the kernel of which there is a Coq file, too
(`to_coq`; nothing compiles it here).  An exit code of 1 says that the kernel takes longer than the limit.
"""

import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import partial
from itertools import product
from statistics import median

from sympy import Max, Piecewise, Rational, Symbol, atan, cos, exp, log, oo, sin, tanh

import asympt as asy
from asympt import kernel
from asympt.errors import AsymptError, UnsupportedError
from asympt.recursions import Recursion
from asympt.recursions.proofs.coq import law_text

LIMIT = 0.5  # seconds for a map with a closed form
X = Symbol("x", positive=True)
STARTS = ("1/2", "3/10", "1/4", ("2/5", "1/2"))
PARABOLIC = (X - X**2, X - X**3, X / (1 + X), sin(X), tanh(X), atan(X), log(1 + X), X * exp(-X), 1 - exp(-X),
             X * cos(X), X - X**2 / 2 + X**3 / 5, X * (1 - X / 3) / (1 + X / 5), X - X**4)  # fmt: skip
HYPERBOLIC = (X / 2 - X**2 / 3, sin(X) / 2, X / (2 + X), X * exp(-X) / 3, tanh(X / 2), Rational(3, 4) * (X - X**2 / 5))
ALONG = ((1, X), (1 - X, 1), (1 - 2 * X, X))  # multiplier, forcing
SLOPES = (Rational(0), Rational(1, 5), Rational(-1, 2))
CORRELATIONS = ("1/10", "-1/2", ("0", "1/2"))
Z = Symbol("z", real=True)


def theorems() -> Iterator[tuple]:
    """(row, whether its map has a closed form, the law, the start)."""
    for map_, terms in product((*PARABOLIC, *HYPERBOLIC), (1, 2, 3, 4, 5)):
        yield f"{map_}, {terms} terms", True, partial(Recursion(map_, X).law, terms), "start", STARTS
    for map_, terms in product((X + 1 / X, X + 1 / X**2), (2, 3)):
        law = partial(Recursion(map_, X, oo).law, terms)
        yield f"{map_} at infinity, {terms} terms", True, law, "start", ("2", "3")
    for multiplier, forcing in ALONG:
        law = partial(Recursion(X - X**2, X).linear_law, multiplier, forcing, 0, 2)
        yield f"a' = ({multiplier}) a + {forcing} along x - x^2", True, law, "start", STARTS
    for slope, name in product(SLOPES, ("correlation_law", "ntk_law")):
        net = asy.FeedForward(Max(Z, slope * Z) if slope >= 0 else Piecewise((Z, Z > 0), (slope * Z, True)))
        yield f"{name} of the slopes 1 and {slope}", True, partial(getattr(net, name), 2), "correlation", CORRELATIONS
    for name in ("tanh", "elu", "gelu"):
        net = asy.FeedForward.on_edge_of_chaos(name, sigma_b=Rational(1, 5))
        yield f"correlation_law of {name}", False, partial(net.correlation_law, 2), "correlation", ("1/2",)


def checked(law, name: str, start) -> tuple[str, str, float]:
    """(trust, kind or why the kernel does not check it, seconds of the kernel)."""
    try:
        certificate = law.certificate(**{name: start})
    except AsymptError as reason:
        return "none", str(reason), 0
    try:
        proof = certificate.to_proof()
    except AsymptError as reason:
        return "library", str(reason), 0
    begun = time.process_time()
    kernel.check(proof)
    seconds = time.process_time() - begun
    try:
        law_text(proof)
    except UnsupportedError:
        return "kernel", proof["kind"], seconds
    return "Coq", proof["kind"], seconds


def main(words: list[str]) -> int:
    """The table."""
    kinds, times, late = defaultdict(Counter), [], 0
    for row, closed, make, name, starts in theorems():
        if words and not any(word in row for word in words):
            continue
        law = make()
        for start in starts:
            trust, about, seconds = checked(law, name, start)
            late += closed and seconds > LIMIT
            times += [seconds] if seconds else []
            kinds["library" if trust == "library" else about if seconds else "no theorem"][trust] += 1
            print(f"{seconds:6.3f}  {trust:8}{row} from {start}: {about}"[:150], flush=True)
    for kind, counts in kinds.items():
        print(f"{sum(counts.values()):5}  {kind}: " + ", ".join(f"{n} {trust}" for trust, n in counts.most_common()))
    print(f"{len(times)} checked by the kernel, in {median(times):.3f} s (median), {max(times):.3f} s (most)")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
