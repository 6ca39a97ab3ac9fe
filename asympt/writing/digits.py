"""Numbers as they stand in a document: long constants in groups of five digits, depths."""

import mpmath
from mpmath import mp

GROUP, GROUPS = 5, 10  # digits of a group, groups of a line
_LONGEST = 24  # digits of a depth that is written out


def digit_lines(value, digits: int) -> list[str]:
    r"""`digits` significant digits, cut into lines.

    >>> digit_lines(mpmath.mpf("-12.5"), 8), digit_lines(mpmath.mpf(10) ** -9 / 2, 3)
    (['-12.50000\\,0'], ['5.00\\cdot10^{-10}'])
    """
    with mp.workdps(digits + 5):
        text = mpmath.nstr(value, digits, strip_zeros=False, min_fixed=-2, max_fixed=20)
    mantissa, _, exponent = text.partition("e")
    whole, _, decimals = mantissa.partition(".")
    groups = [decimals[i : i + GROUP] for i in range(0, len(decimals), GROUP)]
    lines = [r"\,".join(groups[i : i + GROUPS]) for i in range(0, len(groups), GROUPS)] or [""]
    lines[0] = f"{whole}.{lines[0]}" if decimals else whole
    lines[-1] += rf"\cdot10^{{{int(exponent)}}}" if exponent else ""
    return lines


def number_rows(rows: list[tuple[str, object]], digits: int) -> str:
    """Names and numbers, aligned at the equality signs."""
    shown = []
    for name, value in rows:
        first, *others = digit_lines(value, digits)
        shown.append(" \\\\\n".join([f"{name} &= {first}", *(rf"&\phantom{{={{}}}}{other}" for other in others)]))
    return "\\begin{align*}\n" + ", \\\\\n".join(shown) + ".\n\\end{align*}"


def depth_tex(depth: int) -> str:
    """A number of steps: 10^k, m 10^k, or its digits in groups of three.

    >>> depth_tex(1000), depth_tex(10**6), depth_tex(25 * 10**8), depth_tex(123456)
    ('1000', '10^{6}', '25\\\\cdot10^{8}', '123\\\\,456')
    """
    text = str(depth)
    if len(text) <= 4:
        return text
    mantissa = text.rstrip("0")
    zeros = len(text) - len(mantissa)
    if zeros > 2:
        return (f"10^{{{zeros}}}" if mantissa == "1" else rf"{_grouped(mantissa)}\cdot10^{{{zeros}}}")
    return _grouped(text)


def _grouped(digits: str) -> str:
    """Groups of three from the right; the middle of an endless number is left out."""
    if len(digits) > _LONGEST:
        return rf"{digits[:6]}\ldots{digits[-6:]}"
    first = len(digits) % 3
    groups = [digits[:first], *(digits[i : i + 3] for i in range(first, len(digits), 3))]
    return r"\,".join(group for group in groups if group)


def digits_of(number) -> str:
    """A SymPy number with ten digits."""
    return digit_lines(number.evalf(15), 10)[0]


# ---- in a table ---------------------------------------------------------------------------------


def shown(value, digits: int) -> str:
    r"""`digits` significant digits in LaTeX: 0.25335 or 4.3194 \cdot 10^{-5}."""
    if value == 0:
        return "0"
    text = mpmath.nstr(value, digits, strip_zeros=False, min_fixed=-3, max_fixed=12)
    mantissa, _, exponent = text.partition("e")
    return mantissa if not exponent else rf"{mantissa}\cdot10^{{{int(exponent)}}}"


def power_of_ten(depth: int) -> str:
    """10^k for a power of ten."""
    return f"10^{{{len(str(depth)) - 1}}}"
