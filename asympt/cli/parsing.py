"""From the text of options to the library's objects; asympt itself is imported only here, when a command runs."""

import re
from pathlib import Path

from asympt.errors import InputError
from asympt.spelling import meant

_WHOLE = re.compile(r"(\d+)(?:(\^|\*\*|[eE]\+?)(\d+))?")
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau upsilon phi chi psi omega"
)
_LETTER = re.compile(rf"(?:[A-Za-z]|{_GREEK.replace(' ', '|')})\d?")
_MOST_DIGITS = 4000
EXAMPLES = {"depth": "1000 or 1e6", "digits": "30", "widths": "128", "seed": "7", "workers": "2", "positions": "8"}


def whole(text: str, name: str) -> int:
    """A whole number: 1000, 1_000, 1e6 or 10^100.

    >>> whole("1e6", "depth"), whole("10^3", "depth")
    (1000000, 1000)
    """
    found = _WHOLE.fullmatch(text.strip().replace("_", ""))
    if found is None:
        return _from_exact(text, name)
    mantissa, operator, exponent = found.groups()
    if len(mantissa) + len(exponent or "") > _MOST_DIGITS or _size(mantissa, operator, exponent) > _MOST_DIGITS:
        raise InputError(f"{name} = {text[:40]} has more than {_MOST_DIGITS} digits; give a smaller number")
    if operator is None:
        return int(mantissa)
    power = int(exponent)
    return int(mantissa) ** power if operator in ("^", "**") else int(mantissa) * 10**power


def _size(mantissa: str, operator: str | None, exponent: str | None) -> int:
    """About how many digits the number has."""
    if operator is None:
        return len(mantissa)
    return len(mantissa) * int(exponent) if operator in ("^", "**") else len(mantissa) + int(exponent)


def _from_exact(text: str, name: str) -> int:
    """A whole number written as a formula, such as 8/2; anything else is refused with an example that fits."""
    from asympt.numbers import exact

    example = EXAMPLES.get(name, "4")
    try:
        value = exact(text, name)
    except InputError:
        raise InputError(f"{name} = {text[:40]!r} is not a whole number; give one such as {example}") from None
    if not value.is_Integer:
        raise InputError(f"{name} = {text[:40]} is not a whole number; give one such as {example}")
    return int(value)


def slopes_of(slope: str | None, right: str | None, left: str | None) -> dict:
    """The options of the activation that were given; a letter becomes a real symbol, numbers the library reads."""
    from sympy import Symbol

    given = {"slope": slope, "right": right, "left": left}
    return {
        name: Symbol(text, real=True) if _LETTER.fullmatch(text) else text
        for name, text in given.items()
        if text is not None
    }


def activation_of(text: str, options: dict | None = None):
    """An activation by its name in the catalogue, with options, or as a formula in x.

    >>> activation_of("leaky_relu", {"slope": "1/10"}).name, activation_of("x*tanh(x)").expression
    ('leaky_relu', x*tanh(x))
    """
    from asympt import Activation, activation, catalogue
    from asympt.parsing import X, read_formula

    options = options or {}
    if meant(text, catalogue()) or (text.isidentifier() and text != X.name):
        return activation(text, **options)
    if options:
        raise InputError(f"activation {text!r} is a formula, and {', '.join(options)} belongs to a name; leave it out")
    return Activation(read_formula(text, X), X, name=text)


def options_of(pairs: list[str] | None, slope=None, right=None, left=None) -> dict:
    """Options of an activation from "name=value" texts and from the options that have a flag of their own."""
    from sympy import Symbol

    given = slopes_of(slope, right, left)
    for name, text in pairs_of(pairs, "option", "alpha=1/2").items():
        given[name] = Symbol(text, real=True) if _LETTER.fullmatch(text) else text
    return given


def pairs_of(pairs: list[str] | None, what: str, example: str) -> dict[str, str]:
    """Names and values from "name=value" texts.

    >>> pairs_of(["kappa = 1/2"], "parameter", "kappa=1")
    {'kappa': '1/2'}
    """
    given = {}
    for pair in pairs or []:
        name, equals, text = (part.strip() for part in pair.partition("="))
        if not (equals and name and text):
            raise InputError(f"{what} {pair!r} is not of the form name=value; write it like {example}")
        given[name] = text
    return given


def counts(terms: str, digits: str = "30", depth: str | None = None) -> tuple[int, int, int | None]:
    """How many terms and digits, and at which depth: each in its range, before anything is computed.

    >>> counts("4", "30", "1e3")
    (4, 30, 1000)
    """
    from asympt.numbers import check_depth, check_digits, check_terms

    layer = None if depth is None else check_depth(whole(depth, "depth"))
    return check_terms(whole(terms, "terms")), check_digits(whole(digits, "digits")), layer


def check_output(path: Path, endings: tuple[str, ...]) -> Path:
    """The path, if a file of this ending can be written there (a PDF of LaTeX needs TeX); before any work is done."""
    from asympt import paths

    path = paths.check_path(path, endings)
    if ".tex" in endings and path.suffix.lower() == ".pdf":
        from asympt.writing.compile import require_tex

        require_tex()
    return path
