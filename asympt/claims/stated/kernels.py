"""Recursions of Sigma, Theta or Pi through the layers, and quantities made of them, against random networks.

The letters are matrices over three inputs, multiplied entry by entry: Sigma^(l) is `S`, T and D are the means of
phi(z) phi(z') and phi'(z) phi'(z') over N(0, Sigma^(l)), `S_1`, `T_1`, `D_1` the same one layer on, `K` is Theta^(l),
`P` is Pi^(l), `G` the mean product of two gradients after layer l, sigma_w^2 Pi^(l), `X` is x^T x' and `NORM` its
diagonal; `S_L`, `S_END` and `P_0` belong to fixed layers L, L + 1 and 0.

>>> plain = StatedKernel("no bias", "nngp", covariance=(SIGMA_W**2 * X / SIZE, SIGMA_W**2 * T))
>>> plain.plain
"Sigma^(1) = sigma_w**2*x.x'/d, Sigma^(l+1) = sigma_w**2*T(Sigma^(l)) (no bias)"
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from sympy import Expr, Integer, Symbol, latex, sqrt

from asympt.claims.deciders import networks as runs
from asympt.claims.deciders.networks import DEPTH, diagonal, run, slopes, values
from asympt.claims.stated.equalities import Letter
from asympt.claims.stated.statement import ALGEBRA, Ledger, Stated, StatedFormula
from asympt.compiling import as_function
from asympt.errors import InputError
from asympt.evidence.check import MEASURED, Check


class _LayerKernel(Letter):
    """A matrix over the inputs; its class's name has SymPy write it behind the scalars of a product."""

    __slots__ = ()


STEPS = ("l", "l+1")
P_0, P, P_1 = (_LayerKernel(f"Pi^({at})", rf"\Pi^{{({at})}}") for at in ("0", *STEPS))
S_FIRST, S_L, S_END, S, S_1 = (_LayerKernel(f"Sigma^({at})", rf"\Sigma^{{({at})}}") for at in ("1", "L", "L+1", *STEPS))
T, T_1 = (_LayerKernel(f"T(Sigma^({at}))", rf"\mathcal T(\Sigma^{{({at})}})") for at in STEPS)
D, D_1 = (_LayerKernel(f"T'(Sigma^({at}))", rf"\dot{{\mathcal T}}(\Sigma^{{({at})}})") for at in STEPS)
K, G = (_LayerKernel(*both) for both in (("Theta^(l)", r"\Theta^{(l)}"),
                                    ("E[delta^(l).delta^(l)']", r"E[\delta^{(l)T}\tilde\delta^{(l)}]")))  # fmt: skip
X, NORM = _LayerKernel("x.x'", "x^Tx'"), _LayerKernel("|x|^2", r"\|x\|_2^2")
SIGMA_W, SIZE, WIDTH, LAYER = (Symbol(name, positive=True) for name in ("sigma_w", "d", "n", "l"))
BETA, SIGMA_B, ALPHA, SIGMA_V = (Symbol(name, positive=True) for name in ("beta", "sigma_b", "alpha", "sigma_v"))
NUMBERS = {SIGMA_W: runs.SIGMA_W, BETA: runs.SIGMA_B, SIGMA_B: runs.SIGMA_B, ALPHA: runs.ALPHA, SIGMA_V: runs.SIGMA_V,
           SIZE: runs.X.shape[1], WIDTH: runs.WIDTHS[-1]}  # fmt: skip
BLOCKS = DEPTH - 1
Recursion = tuple[Expr, Expr]


@dataclass(frozen=True)
class StatedKernel(StatedFormula):
    """What a source prints about Sigma, Theta or Pi of a network, against random networks.

    `network` and `quantity` of `deciders.networks`; `covariance` and `kernel`: the first layer, and the next one;
    `product`: Pi^(l) from Pi^(l+1), with Pi^(L) = 1; `told`: what the quantity is in the layers `at` (one layer: a
    matrix), plus the sum of `term` over the blocks; `name`, of the quantity in LaTeX; `part`, of an estimate of several
    matrices; `on_diagonal`: of one input; `given`: what is taken from elsewhere, neither shown nor changed;
    `activations`: of the networks.
    """

    network: str
    quantity: str
    covariance: Recursion
    kernel: Recursion | None = None
    product: Expr | None = None
    told: Expr | None = None
    term: Expr | None = None
    at: tuple[int, ...] | int = tuple(range(1, DEPTH + 1))
    part: int | None = None
    name: str = ""
    on_diagonal: bool = False
    wide: bool = False
    given: tuple[str, ...] = ()
    activations: tuple[str, ...] = ("relu", "erf")
    true: "StatedKernel | None" = field(default=None, compare=False)

    @property
    def latex(self) -> str:
        names = {"S": r"\Sigma", "K": r"\Theta"}
        return r",\quad ".join(self._lines(latex, names, r"^{{({})}}", r"\Pi^{(l)}", self.name,
                                           r"\sum_{{m=1}}^L\left[{}\right]_{{l=m}}"))  # fmt: skip

    @property
    def plain(self) -> str:
        names = {"S": "Sigma", "K": "Theta"}
        lines = self._lines(str, names, "^({})", "Pi^(l)", self.quantity, "sum over l of [{}]")
        return f"{', '.join(lines)} ({self.network})"

    def _lines(self, say, names: dict, index: str, product: str, name: str, total: str) -> Iterator[str]:
        for letter, recursion in (("S", "covariance"), ("K", "kernel")):
            both = getattr(self, recursion)
            if both is not None and recursion not in self.given:
                for layer, side in zip(("1", "l+1"), both, strict=True):
                    yield f"{names[letter]}{index.format(layer)} = {say(side)}"
        if self.product is not None and "product" not in self.given:
            yield f"{product} = {say(self.product)}"
        if self.told is not None and "told" not in self.given:
            more = "" if self.term is None else " + " + total.format(say(self.term))
            yield f"{name} = {say(self.told)}{more}"

    def checks(self) -> tuple[Check, ...]:
        return tuple(self._check(phi) for phi in self.activations)

    def _check(self, phi: str) -> Check:
        found = run(self.network, phi, self.wide).quantities[self.quantity]
        found = found if self.part is None else found.part(self.part)
        found = diagonal(found) if self.on_diagonal else found
        sides = (*self.covariance, *(self.kernel or ()), self.product, self.told, self.term)
        letters = set().union(*(side.free_symbols for side in sides if side is not None))
        used = sorted(str(letter) for letter in letters if letter in NUMBERS)
        numbers = ", ".join(f"{letter} = {NUMBERS[Symbol(letter, positive=True)]}" for letter in used)
        layers = f"l = {self.at}" if isinstance(self.at, int) else f"l = {self.at[0]} to {self.at[-1]}"
        title = f"{self.quantity} of three inputs, {phi}"
        try:
            expected = self.expected(phi)
        except InputError as error:
            return Check(f"{title}: the formulas make covariances", str(error), "covariances", False, route=ALGEBRA)
        scale = None if expected.any() else np.ones_like(expected)
        detail = ", ".join(filter(None, (layers, numbers)))
        return replace(runs.agreement(title, found, expected, detail, scale), route=MEASURED)

    def expected(self, phi: str) -> np.ndarray:
        """The quantity as the formulas have it."""
        layers = _KernelLayers(self, phi)
        told = S if self.told is None else self.told
        places = (self.at,) if isinstance(self.at, int) else self.at
        found = np.array([layers.value(told, layer) for layer in places])
        if self.term is not None:
            found = found + sum(layers.value(self.term, layer) for layer in range(1, BLOCKS + 1))
        found = np.array([np.diag(part) for part in found]) if self.on_diagonal else found
        return found[0] if isinstance(self.at, int) else found

    def beside(self, right: "StatedKernel") -> tuple[Check, ...]:
        """By what the kernel put right, which the networks have, is another one, in the numbers of both formulas."""
        phi = self.activations[0]
        largest = float(np.abs(self.expected(phi) - right.expected(phi)).max())
        name = f"largest difference of the formulas from the corrected ones, which the networks confirm, {phi}"
        return (replace(Check.measured(name, largest, 1e-9), route=ALGEBRA),)


class _KernelLayers:
    """The matrices of every layer, as the formulas make them."""

    def __init__(self, stated: StatedKernel, phi: str):
        inputs = runs.WIDE if stated.wide else runs.X
        self.phi, self.product = phi, inputs @ inputs.T
        self.sigmas: dict[int, np.ndarray] = {}
        self.kernels: dict[int, np.ndarray] = {}
        self.gradients: dict[int, np.ndarray] = {}
        self._forward(self.sigmas, *stated.covariance)
        if stated.kernel is not None:
            self._forward(self.kernels, *stated.kernel)
        if stated.product is not None:
            self.gradients[BLOCKS] = np.ones_like(self.product)
            for layer in range(BLOCKS - 1, -1, -1):
                self.gradients[layer] = self.value(stated.product, layer)

    def _forward(self, found: dict, first: Expr, step: Expr) -> None:
        found[1] = self.value(first, 1)
        for layer in range(1, DEPTH):
            found[layer + 1] = self.value(step, layer)

    def value(self, formula: Expr, layer: int) -> np.ndarray:
        letters = sorted(formula.free_symbols, key=str)
        numbers = [NUMBERS[letter] if letter in NUMBERS else self._letter(letter, layer) for letter in letters]
        return as_function(letters, formula, "numpy")(*numbers) * np.ones_like(self.product)

    def _letter(self, letter: Symbol, layer: int):
        made = {
            S: lambda: self.sigmas[layer], S_1: lambda: self.sigmas[layer + 1], X: lambda: self.product,
            T: lambda: values(self.phi, self.sigmas[layer]), T_1: lambda: values(self.phi, self.sigmas[layer + 1]),
            D: lambda: slopes(self.phi, self.sigmas[layer]), D_1: lambda: slopes(self.phi, self.sigmas[layer + 1]),
            K: lambda: self.kernels[layer], P: lambda: self.gradients[layer], P_1: lambda: self.gradients[layer + 1],
            G: lambda: NUMBERS[SIGMA_W] ** 2 * self.gradients[layer], NORM: lambda: self.product,
            S_FIRST: lambda: self.sigmas[1], S_L: lambda: self.sigmas[BLOCKS], S_END: lambda: self.sigmas[DEPTH],
            P_0: lambda: self.gradients[0], LAYER: lambda: layer,
        }  # fmt: skip
        return made[letter]()


BRANCH = ALPHA**2 * SIGMA_V**2 * SIGMA_W**2
INPUT = SIGMA_W**2 * X / SIZE
PLAIN = (INPUT, SIGMA_W**2 * T)
STREAM = (INPUT, S + BRANCH * T)
UNIT = (X / SIZE + BETA**2, T + BETA**2)
BACK = P_1 * (1 + BRANCH * D_1)
TAKEN = ("covariance", "kernel", "product")
EVERY_BLOCK = tuple(range(1, BLOCKS + 1))


def _instead(printed: StatedKernel, **right) -> tuple[StatedKernel]:
    """A print with what it says when it is put right."""
    return (replace(printed, true=replace(printed, **right)),)


def _gradient(letter: str, layers: str) -> str:
    return rf"\langle\partial_{{{letter}{layers}}}f,\partial_{{{letter}{layers}}}\tilde f\rangle"


def _inherited() -> Stated:
    """The share of all layers but the last, of one output, and of two different ones."""
    share = StatedKernel("unit weights", "below", UNIT, (UNIT[0], K * D + S_1), told=K * D, at=DEPTH - 1, given=TAKEN,
                          name="A_{kk}")  # fmt: skip
    return share, replace(share, quantity="between", told=Integer(0), name="A_{kk'}")


STEP, BIASED = SIGMA_W**2 * T + SIGMA_B**2, INPUT + SIGMA_B**2


def _last_layer() -> Stated:
    """The share of the last weights, of a plain network and of one with blocks."""
    plain = StatedKernel("no bias", "weights", PLAIN, told=S_END, at=DEPTH, part=-1, given=TAKEN,
                          name=_gradient("W", "^{(L+1)}"))  # fmt: skip
    return plain, replace(plain, network="block", quantity="readout", covariance=STREAM, part=0,
                          name=_gradient("w", ""))  # fmt: skip


def _first_layer() -> Stated:
    """The variance as printed; the covariance in the same line is right."""
    both = StatedKernel("block", "nngp", STREAM, told=INPUT, at=1, part=0, given=TAKEN, name=r"\Sigma^{(1)}")
    variance = replace(both, told=SIGMA_W * NORM, on_diagonal=True, name=r"\mathrm{Var}")
    return (*_instead(variance, told=SIGMA_W**2 * NORM / SIZE), both)


def _share(letter: str, told, at, **more) -> StatedKernel:
    """The NTK's share of the weights of the blocks, or of U; G, the mean product of gradients, is taken as right."""
    return StatedKernel("block", letter, STREAM, product=BACK, told=told, at=at, given=TAKEN,
                         name=_gradient(letter, "" if letter == "U" else "^{(l)}"), **more)  # fmt: skip


RECURSIONS: Ledger = {
    "JGH.T2.sigma1": lambda: _instead(
        StatedKernel("unit weights", "nngp", UNIT, told=X / sqrt(SIZE) + BETA**2, at=1, part=0, given=TAKEN,
                     name=r"\Sigma^{(1)}"), told=X / SIZE + BETA**2),
    "JGH.T2.rec": lambda: (StatedKernel("unit weights", "nngp", UNIT),),
    "JGH.T3": lambda: _instead(
        StatedKernel("unit weights", "ntk", UNIT, (UNIT[0], K * D_1 + S_1), told=K, at=DEPTH, wide=True,
                     given=("covariance", "told")), kernel=(UNIT[0], K * D + S_1)),
    "JGH.T3.A": _inherited,
    "JGH.T3.B": lambda: (StatedKernel("unit weights, no bias", "weights", (X / SIZE, T), told=S_END, at=DEPTH, part=-1,
                                      given=TAKEN, name="B"),),
    "XPS.nngp": lambda: _instead(StatedKernel("plain", "nngp", (X, STEP)), covariance=(BIASED, STEP)),
    "XPS.ntk": lambda: _instead(
        StatedKernel("plain", "ntk", (X, STEP), (X, K * D + S_1), told=K, at=DEPTH, given=("told",)),
        covariance=(BIASED, STEP), kernel=(BIASED, SIGMA_W**2 * K * D + S_1)),
    # The recursion of p_ab, for variances that still move.
    "XPS.2b": lambda: (StatedKernel("plain", "ntk", (BIASED, STEP), (BIASED, S_1 + SIGMA_W**2 * D * K), told=K,
                                    at=DEPTH, given=("covariance", "told")),),
    "TBG.nngp.mlp": lambda: (StatedKernel("no bias", "nngp", PLAIN),),
    "TBG.nngp.lastlayer": _last_layer,
    "TBG.nngp.res": lambda: (StatedKernel("block", "nngp", STREAM),),
    "TBG.nngp.base": _first_layer,
    "TBG.ntk.mlp": lambda: _instead(
        StatedKernel("no bias", "ntk", PLAIN, (INPUT, K * D_1 + T_1), told=K, at=DEPTH, given=("covariance", "told")),
        kernel=(INPUT, SIGMA_W**2 * (K * D + T))),
    "TBG.ntk.res": lambda: _instead(
        StatedKernel("block", "ntk", STREAM, product=BACK, told=S_L + P_0 * S_FIRST,
                     term=ALPHA**2 * P * (SIGMA_V**2 * SIGMA_W**2 * T + S * D), at=DEPTH, given=("covariance",),
                     name=r"\Theta_{res}"), told=S_END + P_0 * S_FIRST, term=BRANCH * P * (T + S * D)),
    "TBG.ntk.U": lambda: (_share("U", S_FIRST / SIGMA_W**2 * G, 0, part=0),),
    "TBG.ntk.V": lambda: _instead(_share("V", ALPHA**2 * SIGMA_V**2 * T * G / WIDTH, EVERY_BLOCK),
                                  told=ALPHA**2 * SIGMA_V**2 * T * G),
    "TBG.ntk.W": lambda: (_share("W", ALPHA**2 * SIGMA_V**2 * S * D * G, EVERY_BLOCK),),
    "TBG.ntk.Pi": lambda: _instead(
        StatedKernel("block", "delta", STREAM, product=BACK, told=P, at=tuple(range(BLOCKS + 1)), given=("covariance",),
                     name=r"E[\delta^{(l)T}\tilde\delta^{(l)}]"), told=SIGMA_W**2 * P),
}  # fmt: skip
