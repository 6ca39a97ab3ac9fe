"""Plain text as LaTeX text, the formulas that it marks as formulas, and prose around them."""

import re
import string
import unicodedata

from asympt.showing import latex_sign
from asympt.showing import latex_text as escape

COMMANDS = (
    "alpha|beta|gamma|delta|epsilon|zeta|eta|theta|kappa|lambda|mu|nu|xi|pi|rho|sigma|phi|chi|psi|omega|Gamma|Delta|"
    "Theta|Lambda|Sigma|Phi|Psi|Omega|log|exp|sup|inf|lim|max|min|det|cos|sin|arcsin|arccos|int|sum|prod"
)
_NAMED = {"oo": r"\infty ", "grad": r"\nabla "}
_SIGNS = {"<=": r"\le ", ">=": r"\ge ", "!=": r"\ne ", "->": r"\to ", "~": r"\sim ", "..": r"\ldots ", "%": r"\%",
          "#": r"\#", "*": r"\,", "&": r"\&", "{": r"\{", "}": r"\}"}  # fmt: skip
_TOKEN = re.compile(
    r"\d+(?:\.\d+)?e-?\d+|\d+(?:\.\d+)?|dd?(?=Theta|K(?![A-Za-z]))|[A-Za-z]+(?:-dot\b|\^(?=$|[\s_|),]))?|<=|>=|!=|->|\.\.+|\s+|."
)
_STAR = re.compile(r"(?<=[A-Za-z])\*(?=$|[\s/)\],;'|^])")  # an upper index, not a product
_INDEX = re.compile(r"(?<![A-Za-z\d_^])([A-Za-z])(?=\d)")  # f2 is f_2
_NO_DIGIT = re.compile(r"\\mathbb ?(?:1|\{1\})")  # of an indicator: the font of blackboard letters has no digits
_RAISED = re.compile("[⁰¹²³⁴-⁹]+")


def math(latex: str) -> str:
    r"""A formula between dollar signs.

    >>> print(math(r"\mathbb 1_{x=y}"))
    $\mathbf 1_{x=y}$
    """
    made = _NO_DIGIT.sub(r"\\mathbf 1", latex)
    return made and f"${made}$"


def mixed(text: str, cut=math) -> str:
    """A text whose formulas stand between dollar signs, in LaTeX; a dollar sign without a partner is a dollar.

    `cut`: what makes LaTeX of a formula.
    """
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
    if re.fullmatch(r"[\d.]+e-?\d+", token):
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
