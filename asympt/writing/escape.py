"""Plain text as LaTeX text, the formulas that it marks as formulas, whether TeX can set them, and prose around them."""

import re
import string
import unicodedata

from asympt.errors import AsymptError
from asympt.showing import latex_sign
from asympt.showing import latex_text as escape

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
            self.bracket()
            self.math(r"\right")
            self.bracket()
        elif token in _SIZES or token == r"\middle":
            self.bracket()
        elif token == r"\begin":
            self.block()
        elif token in _TAKES:
            self.skip()
            if token == r"\sqrt" and self.next == "[":  # the order of a root
                self.take()
                self.math("]")
            for _ in range(_TAKES[token]):
                self.argument(text=token in _TEXTS)
        elif token not in _SYMBOLS if token.startswith("\\") else token in "}$&#%" or not token.isascii():
            raise _Stop(f"{token!r} in a formula")
        elif token.isspace():
            raise _Stop("an empty line in a formula")

    def argument(self, text: bool = False) -> None:
        """A group, a letter, or a symbol."""
        self.skip()
        token = self.take()
        if token == "{":
            self.text("}") if text else self.math("}")
        elif token in _ENDED or (token[0] == "\\" and token not in (*_SYMBOLS, *_TAKES)):
            raise _Stop(f"an argument is missing before {token!r}")
        elif text or token in "^_'":
            raise _Stop(f"{token!r} is not an argument")
        else:
            self.atom(token)

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


COMMANDS = (
    "alpha|beta|gamma|delta|epsilon|zeta|eta|theta|kappa|lambda|mu|nu|xi|pi|rho|sigma|phi|chi|psi|omega|Gamma|Delta|"
    "Theta|Lambda|Sigma|Phi|Psi|Omega|log|exp|sup|inf|lim|max|min|det|cos|sin|arcsin|arccos|int|sum|prod"
)
_NAMED = {"oo": r"\infty ", "grad": r"\nabla "}
_SIGNS = {"<=": r"\le ", ">=": r"\ge ", "!=": r"\ne ", "->": r"\to ", "~": r"\sim ", "..": r"\ldots ", "%": r"\%",
          "#": r"\#", "*": r"\,", "&": r"\&", "{": r"\{", "}": r"\}"}  # fmt: skip
_TOKEN = re.compile(
    r"\d+(?:\.\d+)?e[-+]?\d+|\d+(?:\.\d+)?|dd?(?=Theta|K(?![A-Za-z]))|[A-Za-z]+(?:-dot\b|\^(?=$|[\s_|),]))?|<=|>=|!=|->|\.\.+|\s+|."
)
_STAR = re.compile(r"(?<=[A-Za-z])\*(?=$|[\s/)\],;'|^])")  # an upper index, not a product
_INDEX = re.compile(r"(?<![A-Za-z\d_^])([A-Za-z])(?=\d)")  # f2 is f_2
_NO_DIGIT = re.compile(r"\\mathbb ?(?:1|\{1\})")  # of an indicator: the font of blackboard letters has no digits
_RAISED = re.compile("[⁰¹²³⁴-⁹]+")


def math(latex: str) -> str:
    r"""A formula between dollar signs, as its source where TeX would not set it (`soundness`): no text ends a document.

    >>> print(math(r"\alpha<1"), math(r"\text{a_b}"))
    $\alpha<1$ \texttt{\textbackslash{}text\{a\_b\}}
    >>> print(math(r"\mathbb 1_{x=y}"))
    $\mathbf 1_{x=y}$
    """
    if not latex or not fault(latex):
        latex = _NO_DIGIT.sub(r"\\mathbf 1", latex)
        return latex and f"${latex}$"
    source = escape(latex).replace(r"\textbackslash{}", r"\allowbreak\textbackslash{}").removeprefix(r"\allowbreak")
    return rf"\texttt{{{source}}}"


def mixed(text: str, cut=math) -> str:
    """A text whose formulas stand between dollar signs, in LaTeX; a dollar sign without a partner is a dollar.

    `cut`: what makes LaTeX of a formula.
    """
    text = re.sub('"([^"]*)"', r"“\1”", text)
    parts = text.split("$") if text.count("$") % 2 == 0 else [text]
    return "".join(cut(part) if k % 2 else escape(part) for k, part in enumerate(parts))


def typeset(text: str) -> str:
    r"""The same where the formulas are written as one types them.

    >>> typeset("$P(x') = lambda(x) P(x) + b(x)$: 100% of the order")
    "$P(x') = \\lambda (x) P(x) + b(x)$: 100\\% of the order"
    """
    return mixed(text, lambda part: math(formula(part)))


def formula(text: str) -> str:
    r"""A formula as one types it in plain text, in LaTeX.

    >>> print(formula("c^1 = 1/10, l^(-1/2), 10^-5, K_00^1, K^inf, sqrt(2 pi), |f'(c*)| >= 1e-12"))
    c^{1} = 1/10, l^{-1/2}, 10^{-5}, K_{00}^{1}, K^{\infty}, \sqrt{2 \pi}, |f'(c^*)| \ge  10^{-12}
    """
    tokens, made, position = _TOKEN.findall(_plain(text)), [], 0
    while position < len(tokens):
        token = tokens[position]
        if token in "^'" and made and made[-1].startswith("^"):
            made[:] = _bracketed(made) if token == "^" else [*made, "{}"]  # TeX takes one power
        if token in "^_" and position + 1 < len(tokens):
            layer = token == "^" and re.match(r"\((?:[A-Za-z]|\d+)\)", "".join(tokens[position + 1 : position + 4]))
            inner, position = _argument(tokens, position + 1)
            inner = f"({inner})" if layer else inner
            plain = inner == "*" or (len(inner) == 1 and (token == "_" or inner.isalpha()))
            made.append(f"{token}{inner}" if plain else f"{token}{{{inner}}}")
        elif token == "sqrt" and position + 2 < len(tokens):
            inner, position = _argument(tokens, position + 1 + tokens[position + 1].isspace())
            made.append(rf"\sqrt{{{inner}}}")
        else:
            made.append(_symbol(token))
            position += 1
    return "".join(made)


def _plain(text: str) -> str:
    """Powers by ^, indices by _, and products by what TeX sets small, as SymPy and others type them."""
    text = _RAISED.sub(lambda found: "^" + unicodedata.normalize("NFKD", found[0]), text).replace("**", "^")
    return _INDEX.sub(r"\1_", _STAR.sub("^*", text))


def _bracketed(made: list[str]) -> list[str]:
    r"""What has a power already in brackets, so that another one is seen to be one: (dz^{L-1})^2."""
    start = max((k for k, part in enumerate(made) if part[:1] not in "^_'"), default=0)
    depth = 0
    while made[start] == ")" or depth:
        depth += {")": 1, "(": -1}.get(made[start], 0)
        if not depth or not start:
            break
        start -= 1
    return [*made[:start], "(", *made[start:], ")"]


def _argument(tokens: list[str], position: int) -> tuple[str, int]:
    """What a power, an index or a root takes, without its parentheses, and where the next token is."""
    first, end = tokens[position], position + 1
    if first in "([":
        depth = 1
        while end < len(tokens) and depth:
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(tokens[end], 0)
            end += 1
        inner = formula("".join(tokens[position + 1 : end - (depth == 0)])).strip()
        return (inner if first == "(" else f"[{inner}]"), end
    if first in "+-" and end < len(tokens) and tokens[end][0].isdigit():
        return first + tokens[end], end + 1
    while first in "+-" and end < len(tokens) and tokens[end] in "+-":
        end += 1
    named = {"*": "*", "inf": r"\infty"}.get(first)
    return named or _symbol("".join(tokens[position:end])).strip(), end


def _symbol(token: str) -> str:
    if re.fullmatch(COMMANDS, token):
        return rf"\{token} "
    if token.endswith("^") and len(token) > 1:
        return rf"\hat{{{_symbol(token[:-1]).strip()}}}"
    if token.endswith("-dot"):
        return rf"\dot {_symbol(token.removesuffix('-dot'))}"
    if re.fullmatch(r"[\d.]+e[-+]?\d+", token):
        digits, _, power = token.partition("e")
        return f"10^{{{int(power)}}}" if digits == "1" else rf"{digits}\cdot 10^{{{int(power)}}}"
    if token.isalpha() and len(token) > 2:
        return _NAMED.get(token, rf"\mathrm{{{token}}}")
    named = _NAMED.get(token) or _SIGNS.get(token) or (r"\ldots " if token.startswith("..") else "")
    return named or (token if token.isascii() else latex_sign(token) or rf"\text{{{escape(token)}}}")


# ---- prose with formulas put in: string templates with @ instead of $, which LaTeX needs for itself ----------


class _Template(string.Template):
    delimiter = "@"


def fill(template: str, **values) -> str:
    """The template with every @{name} replaced; a name without a value is an error (KeyError).

    >>> fill("$c^{@depth}$", depth="l")
    '$c^{l}$\\n'
    """
    return _Template(template).substitute({key: str(value) for key, value in values.items()}).strip() + "\n"
