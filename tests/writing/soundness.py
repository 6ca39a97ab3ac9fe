r"""LaTeX read as TeX reads it, without TeX: `fault` names the first thing that stops it.

What is not known is a fault: groups, environments, dollar signs and \left with \right that do not match, a command that
is unknown or lacks its argument, two powers or two indices on one letter, math in text and text in math.
"""

import re

from asympt.errors import AsymptError

_LATEX = re.compile(r"\\(?:[A-Za-z]+\*?|.)|\n[ \t]*\n\s*|\s+|[^\\\s]", re.DOTALL)


def _named(names: str) -> set[str]:
    return {f"\\{name}" for name in names.split()}


_SYMBOLS = {rf"\{mark}" for mark in ",;:!> |{}_%#&$"} | _named(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho varrho "
    "sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell hbar "
    "infty partial nabla prime emptyset varnothing forall exists in notin ni subset subseteq supset supseteq cup cap "
    "setminus wedge vee neg lnot to gets mapsto longmapsto rightarrow leftarrow Rightarrow Leftarrow leftrightarrow "
    "Leftrightarrow longrightarrow Longrightarrow implies iff uparrow downarrow searrow nearrow le leq leqslant ge "
    "geq geqslant ne neq ll gg sim simeq approx cong equiv propto asymp prec succ preceq succeq succcurlyeq "
    "preccurlyeq lesssim gtrsim mid parallel perp vdash models pm mp times ltimes div cdot ast star circ bullet oplus "
    "ominus otimes odot dagger cdots ldots dots vdots ddots sum prod int iint oint bigcup bigcap bigoplus bigotimes "
    "lim limsup liminf sup inf max min log ln exp sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan "
    "det dim ker arg deg gcd Pr hom Re Im aleph top bot angle square triangle langle rangle lvert rvert lVert rVert "
    "vert Vert lfloor rfloor lceil rceil lbrace rbrace lbrack rbrack backslash colon quad qquad limits nolimits "
    "displaystyle textstyle scriptstyle nonumber not upharpoonright restriction complement hookrightarrow S surd"
)
_TEXTS = dict.fromkeys(_named("text textrm textbf textit textsf texttt emph mbox"), 1)  # their argument is text
_TAKES = _TEXTS | dict.fromkeys(_named(
    "hat widehat bar overline underline tilde widetilde dot ddot vec check breve mathring mathbb mathbf mathcal mathrm "
    "mathsf mathfrak mathit mathtt boldsymbol operatorname operatorname* sqrt underbrace overbrace phantom substack "
    "boxed pmod overrightarrow xrightarrow mathop mathbin mathrel"), 1) | dict.fromkeys(_named(
    "frac tfrac dfrac cfrac binom tbinom dbinom stackrel overset underset"), 2)  # fmt: skip
_BLOCKS = ("matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix", "smallmatrix", "cases", "aligned", "array",
           "gathered", "split")  # fmt: skip
_SIZES = {rf"\{size}{side}" for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r", "m")}
_BRACKETS = {*"()[]|/.<>", r"\{", r"\}", r"\|"} | _named(
    "langle rangle lvert rvert lVert rVert vert Vert lfloor rfloor lceil rceil lbrace rbrace lbrack rbrack backslash "
    "uparrow downarrow"
)
_IN_TEXT = {rf"\{mark}" for mark in "_%#&{} -/,@'`^\""} | _named(
    "textbackslash textasciitilde textasciicircum textless textgreater textbar dots quad o O ss ae aa l i allowbreak"
)
_ENDED = ("}", "$", "&", r"\right", r"\end", r"\\", "")
SET_IN_TEXT = re.compile("[\x20-\x7eÀ-ÏÑ-ÖØ-Ýß-ïñ-öø-ýÿ“”‘’–—…\\s]*")  # what the fonts of a document have


class _Stop(AsymptError):
    """What would stop TeX."""


def fault(latex: str, math: bool = True) -> str:
    r"""What stops TeX in a formula, or in a text with formulas between dollar signs; '' when nothing does.

    >>> fault(r"\frac{1}{2}x^2"), fault(r"\text{relu_like}"), fault("x^2^3")
    ('', "'_' in text", "two scripts '^'")
    """
    try:
        reader = _Scan(latex)
        reader.math("") if math else reader.text("")
    except _Stop as found:
        return str(found)
    return ""


class _Scan:
    """The tokens of a piece of LaTeX, read from left to right."""

    def __init__(self, latex: str):
        self.tokens, self.at = _LATEX.findall(latex), 0
        if "".join(self.tokens) != latex:
            raise _Stop("a backslash at the end")

    @property
    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1] if self.at <= len(self.tokens) else ""

    def skip(self) -> None:
        while self.next.isspace() and self.next.count("\n") < 2:
            self.at += 1

    def text(self, closed_by: str) -> None:
        """Text up to the token that closes it."""
        while (token := self.take()) != closed_by:
            if token == "":
                raise _Stop(f"{closed_by!r} is missing")
            if token == "{":
                self.text("}")
            elif token == "$":
                self.math("$")
            elif token in _TEXTS:
                self.argument(text=True)
            elif (
                (token.startswith("\\") and token not in _IN_TEXT)
                or token in "}_^&#%~"
                or not SET_IN_TEXT.fullmatch(token)
                or (closed_by and token.count("\n") > 1)
            ):
                raise _Stop(f"{token!r} in text")

    def math(self, closed_by: str, cells: bool = False) -> None:
        """A formula up to the token that closes it; `cells`: & and a new row may stand in it."""
        scripts, prime = set(), False
        while True:
            self.skip()
            token = self.take()
            if token == closed_by:
                return
            if token in "^_'":
                self.script(token, scripts, prime)
                prime = token == "'"
                continue
            scripts, prime = set(), False
            if token not in ("&", r"\\") or not cells:
                self.atom(token)

    def script(self, token: str, scripts: set[str], prime: bool) -> None:
        """A power, an index or a prime: one of each on a letter, but for primes and a power that follows them."""
        if token == "":
            raise _Stop("the end comes too early")
        kind = "_" if token == "_" else "^"
        if kind in scripts and not prime:
            raise _Stop(f"two scripts {token!r}")
        scripts.add(kind)
        if token != "'":
            self.argument()

    def atom(self, token: str) -> None:
        """One thing in a formula that begins with this token."""
        if token == "{":
            self.math("}")
        elif token == r"\left":
            self.pair()
        elif token in _SIZES or token == r"\middle":
            self.bracket()
        elif token == r"\begin":
            self.block()
        elif token in _TAKES:
            self.option(token)
            for _ in range(_TAKES[token]):
                self.argument(text=token in _TEXTS)
        elif token not in _SYMBOLS if token.startswith("\\") else token in "}$&#%" or not token.isascii():
            raise _Stop(f"{token!r} in a formula")
        elif token.isspace():
            raise _Stop("an empty line in a formula")

    def option(self, name: str) -> None:
        """The order of a root, in square brackets."""
        self.skip()
        if name == r"\sqrt" and self.next == "[":
            self.take()
            self.math("]")

    def argument(self, text: bool = False) -> None:
        """A group, a letter, or a symbol."""
        self.skip()
        token = self.take()
        if token == "{":
            self.text("}") if text else self.math("}")
        elif token in _ENDED or (token[0] == "\\" and token not in (*_SYMBOLS, *_TAKES)):
            raise _Stop(f"an argument is missing before {token!r}")
        elif text or token in "^_'":
            raise _Stop(f"{token!r} is no argument")
        else:
            self.atom(token)

    def pair(self) -> None:
        r"""From \left to \right."""
        self.bracket()
        self.math(r"\right")
        self.bracket()

    def bracket(self) -> None:
        self.skip()
        if self.take() not in _BRACKETS:
            raise _Stop(f"no bracket but {self.tokens[self.at - 1] if self.at <= len(self.tokens) else ''!r}")

    def block(self) -> None:
        r"""An environment, whose \begin has been read."""
        name = self.name()
        if name not in _BLOCKS:
            raise _Stop(f"the environment {name!r} in a formula")
        if name == "array":
            self.name()
        self.math(r"\end", cells=True)
        if (closed := self.name()) != name:
            raise _Stop(f"{name!r} is closed as {closed!r}")

    def name(self) -> str:
        """A word in braces."""
        found = []
        if self.take() == "{":
            while (token := self.take()) not in ("}", ""):
                found.append(token)
        return "".join(found)
