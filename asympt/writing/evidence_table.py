"""How numbers look in a table."""

import mpmath
from mpmath import mp


def shown(value, digits: int) -> str:
    r"""`digits` significant digits in LaTeX: 0.25335 or 4.3194 \cdot 10^{-5}."""
    text = mpmath.nstr(value, digits, strip_zeros=False, min_fixed=-3, max_fixed=12)
    mantissa, _, exponent = text.partition("e")
    return mantissa if not exponent else rf"{mantissa}\cdot10^{{{int(exponent)}}}"


def grouped(value, digits: int) -> str:
    """Decimals in groups of five, for long constants."""
    text = mpmath.nstr(value, digits, strip_zeros=False)
    whole, _, decimals = text.partition(".")
    groups = [decimals[i : i + 5] for i in range(0, len(decimals), 5)]
    return rf"{whole}." + r"\,".join(groups)


def power_of_ten(depth: int) -> str:
    """10^k for a power of ten."""
    return f"10^{{{len(str(depth)) - 1}}}"


def bound(value) -> str:
    """A number so small that only its size counts: < 10^-17, rounded up."""
    if value == 0:
        return "0"
    return f"<10^{{{int(mp.ceil(mp.log10(value)))}}}"
