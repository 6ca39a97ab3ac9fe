"""Words and formulas that several texts share."""

import re

from sympy import Expr, Symbol

from asympt.expansions.typesetting import Piece, tex
from asympt.recursions.protocol import Step, T
from asympt.writing.account import Account
from asympt.writing.notation import running, tidy


def power_of_t(k: int) -> str:
    """t^k."""
    return "t" if k == 1 else f"t^{{{k}}}"


def plain(a: Account, piece: Piece) -> Piece:
    """y for t, where both are the same."""
    if a.root > 1:
        return piece
    return Piece(piece.sign, _in_y(piece.body), tuple(Piece(p.sign, _in_y(p.body)) for p in piece.more))


def _in_y(body: str) -> str:
    return re.sub(r"(?<![A-Za-z\\])t(?![A-Za-z])", "y", body)


def spread(image: Expr, variable: Symbol) -> Expr:
    """A polynomial as a sum, a rational function with its signs in order."""
    return image.expand() if image.is_polynomial(variable) else tidy(image)


def in_base(a: Account, text: str) -> str:
    r"""\chi written as the letter or the parameter that it is."""
    base = tex(a.notation.base)
    return text if base == r"\chi" else re.sub(r"\\chi(?!_)", lambda _: base + " ", text)


def alpha(a: Account) -> str:
    """alpha; nothing where it is the letter of a family."""
    shown = running(a.notation.constant(a.alpha))
    return "" if shown == r"\alpha" else shown


def is_t(step: Step) -> bool:
    """Whether the quantity is t itself."""
    return "seen" in step and step["seen"].to_sympy() == T


def laws(a: Account) -> str:
    """References to the law, to both of its branches where there are two."""
    branches = list(a.law.branches.values())
    two = len(branches) > 1 and branches[0] != branches[1]
    return r"(\ref{eq:law}) and~(\ref{eq:odd})" if two else r"(\ref{eq:law})"
