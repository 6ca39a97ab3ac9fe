r"""Parameters in a document: whatever a user calls them, no letter of the document means two things.

Problem.  A document has letters of its own: n, C, t, A, alpha_k, e_k, x, ...  A parameter that is called so would stand
in the same formula.

Rule.  The document is written for the same law with stand-ins, letters that no document uses, in place of the
parameters (`stood_in`).  In the finished LaTeX the document's own letters make room for the user's: the depth and the
constants get the names that the law gives them (n_0, C_0), any other letter a tilde; then every stand-in becomes the
user's symbol (`settled`).

Tiny case.  With a parameter C, "$B=C-\log\,\frac{1}{\beth}$" becomes "$B=C_{0}-\log\,\frac{1}{C}$".

Known limits.  Beside a parameter called e or pi the number of that name gets the tilde too.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import fields, is_dataclass

from sympy import Basic, Symbol, latex
from sympy.core.alphabets import greeks

STAND_INS = ("beth", "daleth", "digamma", "gimel", "varpi", "varrho", "varsigma", "vartheta")  # in no document
GREEK = {*greeks, "varepsilon", "varphi"}
FREE = {"a", "b", "mu"}  # nor these

Names = dict[Symbol, Symbol]


def stand_ins(parameters: Iterable[Symbol]) -> Names:
    """{parameter: its stand-in}, where a document might have that letter itself."""
    parameters = sorted(parameters, key=str)
    taken = {symbol.name for symbol in parameters}
    free = (name for name in STAND_INS if name not in taken)
    called = [symbol for symbol in parameters if symbol.name not in FREE]
    return {symbol: Symbol(name, **symbol._assumptions_orig) for symbol, name in zip(called, free, strict=False)}


def stood_in(thing, names: Names):
    """The same formula, recursion or network with the stand-ins.

    >>> a, c = Symbol("a"), Symbol("C")
    >>> stood_in(a * c, stand_ins({a, c}))
    a*beth
    """
    if isinstance(thing, Basic):
        return thing.xreplace(names)
    if type(thing) is tuple:
        return tuple(stood_in(part, names) for part in thing)
    if not (is_dataclass(thing) and names):
        return thing
    made = copy(thing)
    made.__dict__.clear()  # what has been computed for the other names
    for field in fields(thing):
        object.__setattr__(made, field.name, stood_in(getattr(thing, field.name), names))
    return made


def settled(tex: str, names: Names, own: Mapping[str, Symbol] | None = None) -> str:
    r"""The finished LaTeX with the user's symbols in place of the stand-ins; `own`: what the law calls n, C and D.

    >>> user = Symbol("t")
    >>> settled(r"$t_n = \beth t$ and \emph{t}, for all~$n$", {user: Symbol("beth")})
    '$\\tilde{t}_n = t \\tilde{t}$ and \\emph{t}, for all~$n$'
    """
    if not names:
        return tex
    pieces = list(_pieces(tex))
    met = _met({_split(latex(user)) for user in names}, {(letter, index) for _, letter, index in pieces if letter})
    new = {letter: latex(symbol) for letter, symbol in (own or {}).items() if latex(symbol) != letter}
    whole = ""
    for text, letter, index in pieces:
        shown = _renamed(letter, index, new, met) if letter else text
        whole += f"{{{shown}}}" if shown != text and whole[-1:] in ("_", "^") else shown
    for user, stand_in in names.items():
        whole = _restored(whole, stand_in.name, user)
    return whole


def own_names(*laws) -> dict[str, Symbol]:
    """What laws call their depth and their constants, by the usual names of these."""
    return {own.name: symbol for law in laws for own, symbol in law.symbols.items()}


def _met(users: set[tuple[str, str]], own: set[tuple[str, str]]) -> set[str]:
    """The letters of which a symbol of the user's and one of the document's are the same, index and all."""
    return {letter for letter, _ in users & own}


def _split(shown: str) -> tuple[str, str]:
    r"""A letter and its index: ('\\alpha', '1') of '\\alpha_{1}'."""
    letter, _, index = shown.partition("_")
    return letter.strip("{}"), index.strip("{}")


def _renamed(letter: str, index: str, new: Mapping[str, str], met: set[str]) -> str:
    """One of the document's own letters."""
    if letter in new and not index:
        return new[letter]
    return rf"\tilde{{{letter}}}" if letter in met else letter


def _restored(tex: str, stand_in: str, user: Symbol) -> str:
    """The user's symbol for its stand-in, in formulas and in sentences."""
    tex = re.sub(rf"\\{stand_in}(?![A-Za-z])", lambda _: latex(user), tex)
    return re.sub(rf"(?<![A-Za-z\\]){stand_in}(?![A-Za-z])", lambda _: user.name.replace("_", r"\_"), tex)


# ---- the letters of a LaTeX document --------------------------------------------------------------------

_TOKEN = re.compile(
    r"(?P<whole>\\(?:label|ref|cite|operatorname|texorpdfstring|includegraphics)\*?(?:\[[^]]*\])?\{[^{}]*\}"
    r"|\\math(?:bb|cal|bf|rm|sf)\s*(?:\{[^{}]*\}|[A-Za-z])|\\\\(?:\[[^]]*\])?)"
    r"|\\begin\{(?P<begin>[a-z]+\*?)\}|\\end\{(?P<end>[a-z]+\*?)\}|(?P<text>\\(?:text|mbox|emph)\{)"
    r"|(?P<display>\\[\[\]])|(?P<sign>[$\{}])|(?P<letter>\\[A-Za-z]+|[A-Za-z])|(?P<other>\\.|.)", re.DOTALL,
)  # fmt: skip
_INDEX = re.compile(r"\s*_\s*(?:\{([^{}]*)\}|(\\[A-Za-z]+|\S))")
_FORMULAS = {"equation", "align", "align*", "aligned", "gather*", "cases"}


def _pieces(tex: str) -> Iterator[tuple[str, str, str]]:
    """(text, letter, index): the document in pieces, `letter` the same as `text` where that is a letter in a formula.

    >>> [piece for piece in _pieces(r"as $x_n$, n") if piece[1]]
    [('x', 'x', 'n'), ('n', 'n', '')]
    """
    modes = [False]  # whether mathematics is being set, for every open bracket and environment
    for found in _TOKEN.finditer(tex):
        kind, text = found.lastgroup, found[0]
        if kind == "letter" and modes[-1] and not (text.startswith("\\") and text[1:].lower() not in GREEK):
            index = _INDEX.match(tex, found.end())
            yield text, text, (index[1] or index[2] or "") if index else ""
            continue
        _change(modes, kind, text, found)
        yield text, "", ""


def _change(modes: list[bool], kind: str, text: str, found: re.Match) -> None:
    """Where a token begins or ends a formula."""
    if kind == "begin":
        modes.append(found["begin"] in _FORMULAS)
    elif kind == "text":
        modes.append(False)
    elif text == "{":
        modes.append(modes[-1])
    elif kind == "end" or text == "}":
        modes.pop()
    elif text == "$":
        modes[-1] = not modes[-1]
    elif kind == "display":
        modes[-1] = text == r"\["
